/**
 * G14 over a durable ledger: while another process keeps everybody from its file, only what needs the file waits. Were a
 * disk or a lock waited for on the JavaScript thread, nobody here could let go of the lock.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { sleep } from '../support/model.js';

const hasFlock = spawnSync('flock', ['--version']).status === 0;

let folder: string;
let path: string;
const gates: Gate[] = [];
const holders: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-g14-'));
  path = join(folder, 'approvals.db');
});

afterEach(async () => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
  for (const gate of gates.splice(0)) await gate.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

const open = (): Gate => {
  const gate = createGate({ ledger: `sqlite:${path}` });
  gates.push(gate);
  return gate;
};

/** Another process that holds the lock of the ledger, until the function is called. */
async function held(): Promise<() => Promise<void>> {
  // It says so when it has the lock, and lets go of it at the end of its input.
  const holder = spawn('flock', [`${path}-lock`, 'sh', '-c', 'echo; read -r _'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  holders.push(holder);
  await once(holder.stdout, 'data');
  return async () => {
    holder.stdin.end();
    await once(holder, 'close');
  };
}

/** Does something while the lock is held: timers come round, and it has not ended; afterwards it does. */
async function waitsAlone<T>(work: () => Promise<T>): Promise<T> {
  const release = await held();
  let isOver = false;
  const working = work().finally(() => (isOver = true));
  working.catch(() => {});
  for (let turn = 0; turn < 20; turn++) await sleep(10);
  expect(isOver).toBe(false);
  await release();
  return working;
}

describe.skipIf(!hasFlock)('the event loop is free while a ledger waits for another process', () => {
  it('to open it', async () => {
    await waitsAlone(() => open().ready());
  });

  it('to ask and to decide', async () => {
    const gate = open();
    await gate.ready();
    const asking = await waitsAlone(async () => {
      const answer = gate.request({ toolName: 'write', args: {} });
      while ((await gate.pending()).length === 0) await sleep(5);
      return { answer };
    });
    const [waiting] = await gate.pending();
    await waitsAlone(() => gate.approve(waiting?.approvalId ?? ''));
    expect(await asking.answer).toMatchObject({ approved: true });
  });

  it('and whoever only reads does not wait at all', async () => {
    const gate = open();
    await gate.ready();
    const release = await held();
    expect(await gate.pending()).toEqual([]);
    expect(await gate.audit.verify()).toMatchObject({ ok: true });
    await release();
  });
});
