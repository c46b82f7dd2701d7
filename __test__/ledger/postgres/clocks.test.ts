/**
 * The clock of a client may be wrong by a day: what counts is the server's. `wrong-clock.c` puts it wrong; the C compiler that links
 * Rust's programs makes it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMissing, query, shared, titled } from '../../support/postgres.js';
import { ledgerIn } from '../../support/ledger.js';
import { left, node, stage } from '../processes.js';
import { goesOn, waiting } from './waiting.js';

const on = stage();
const DAY = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'countersign-clock-'));
const library = join(folder, 'wrong-clock.so');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The wall clock is wrong by that much; the steady one is right. */
const wrong = (by: number) => ({ env: { LD_PRELOAD: library, WRONG_CLOCK: String(by / 1000) } });

const isLinux = process.platform === 'linux';
const title = isLinux
  ? titled('a client whose clock is wrong')
  : 'a client whose clock is wrong (skipped: not on Linux)';

describe.skipIf(isMissing || !isLinux).each([
  ['by a day ahead', DAY],
  ['by a day behind', -DAY],
])(`${title}: %s`, (_, by) => {
  beforeAll(() => {
    const source = join(import.meta.dirname, 'wrong-clock.c');
    const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source], {
      encoding: 'utf8',
    });
    expect([made.error?.message, made.stderr, made.status]).toEqual([undefined, '', 0]);
    const options = { env: { ...process.env, ...wrong(by).env }, encoding: 'utf8' } as const;
    const { stdout } = spawnSync(node().path, ['-p', 'Date.now()'], options);
    expect(Math.abs(Number(stdout) - Date.now() - by), 'its clock is wrong').toBeLessThan(DAY / 24);
  });

  const serverNow = async () =>
    Number((await query<{ ms: string }>(shared.url as string, 'SELECT extract(epoch FROM now()) * 1000 AS ms'))[0]?.ms);

  it('asks with the time of the server, and is answered', async () => {
    const run = await waiting(on, ledgerIn(''), { ...wrong(by), timeout: 600_000 });
    const gate = on.gate(run.ledger);
    const request = await gate.get(run.approvalId);
    expect(Math.abs((request?.createdAt ?? 0) - (await serverNow()))).toBeLessThan(DAY / 24);
    expect((request?.expiresAt ?? 0) - (request?.createdAt ?? 0)).toBe(600_000);
    // Its id says when it was made, too: what is dropped by the day goes by it.
    expect(
      Math.abs(Number.parseInt(run.approvalId.replaceAll('-', '').slice(0, 12), 16) - (request?.createdAt ?? 0)),
    ).toBeLessThan(DAY / 24);
    await gate.approve(run.approvalId);
    await goesOn(on, run);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    const times: number[] = [];
    for await (const { at } of gate.audit.list()) times.push(at);
    const now = await serverNow();
    for (const at of times) expect(Math.abs(at - now)).toBeLessThan(DAY / 24);
  });

  it('decides in time what others ask, and not what is over', async () => {
    const ledger = ledgerIn('');
    const run = await waiting(on, ledger);
    const decider = on.start('decider', [ledger, 'mia'], wrong(by));
    await goesOn(on, run);
    await decider.kill();
    // A deadline passes for all, whatever time one of them has.
    const late = await waiting(on, ledger.replace('schema=', 'prefix=late&schema='), { timeout: 1_500, ...wrong(by) });
    await late.waiter.says('answered');
    expect(late.waiter.said('answered')[0]?.[0]).toBe('expired');
    expect(on.lines(late.ran)).toEqual([]);
  });

  it('does not count as gone while it lives, and does when it does not', async () => {
    const run = await waiting(on, ledgerIn(''), wrong(by));
    const resumed = on.start('waiter', [run.ledger, 'run', run.ran, 'resume'], wrong(by));
    expect(await resumed.says('error')).toContain('ERR_RUN_ACTIVE');
    await run.waiter.kill();
    const gate = on.gate(run.ledger);
    await left(gate, 'run');
    await gate.approve(run.approvalId);
    const again = on.start('waiter', [run.ledger, 'run', run.ran, 'resume'], wrong(by));
    await goesOn(on, { ...run, waiter: again });
  });
});
