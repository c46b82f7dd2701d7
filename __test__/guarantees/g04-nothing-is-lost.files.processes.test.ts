/** G4 in the files of a ledger: a torn tail is repaired, damage elsewhere is reported, another SQLite does no harm. */
import { appendFileSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ApprovalRecord, Gate } from '../../index.js';
import { eventually, stage, withSqlite, type Worker } from '../ledger/processes.js';
import { random } from '../policy/random.js';
import { effort, sample } from '../support/effort.js';

const on = stage();

/** The words that workers said, of one kind. */
const all = (workers: readonly Worker[], word: string) => workers.flatMap((worker) => worker.said(word));

async function record(gate: Gate, id: string): Promise<ApprovalRecord> {
  const found = await gate.get(id);
  if (found === undefined) throw new Error(`${id} is lost`);
  return found;
}

describe('the log that was being written', () => {
  /** A ledger of a process that was killed, with what it had acknowledged, the last of it last. */
  async function killed(): Promise<{ path: string; ids: string[] }> {
    const path = on.path();
    const worker = on.start('worker', [`sqlite:${path}`, 'w', `${path}.ran`]);
    await eventually(() => (worker.said('asked').length >= effort(8, 20) ? true : undefined));
    await worker.kill();
    return { path, ids: worker.said('asked').map(([id = '']) => id) };
  }

  it('with rubbish at its end is repaired: all that was acknowledged is there', async () => {
    const { path, ids } = await killed();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    // A frame's header and half of its page, as of a step that was never acknowledged.
    appendFileSync(`${path}-wal`, readFileSync(`${path}-wal`).subarray(32, 2000).toReversed());
    const gate = on.gate(path);
    for (const id of ids) await record(gate, id);
    expect(await gate.audit.verify()).toMatchObject({ ok: true });
  });

  it.each(sample([1, 100, 4096, 5000], 1))(
    'with its last %i bytes torn off keeps all before, and no half of a step',
    async (bytes) => {
      const { path, ids } = await killed();
      truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - bytes);
      const gate = on.gate(path);
      const there = await Promise.all(ids.map(async (id) => (await gate.get(id)) !== undefined));
      // From the end: what is gone is the last, never something in between.
      expect(there.lastIndexOf(true)).toBe(there.filter(Boolean).length - 1);
      expect(there.filter(Boolean).length).toBeGreaterThanOrEqual(ids.length - 4);
      expect(await gate.audit.verify()).toMatchObject({ ok: true });
    },
  );
});

describe('damage elsewhere', () => {
  it('is reported, never skipped: a byte of each page', async () => {
    const path = on.path();
    const made = on.gate(path);
    const asked = Array.from({ length: 30 }, (_, number) =>
      made.request({ toolName: 't', args: { number, text: 'x'.repeat(500) } }),
    );
    const ids = await eventually(async () => {
      const waiting = await made.pending();
      return waiting.length === asked.length ? waiting.map(({ approvalId }) => approvalId) : undefined;
    });
    for (const id of ids) await made.approve(id);
    await Promise.all(asked);
    const before = await Promise.all(ids.map((id) => record(made, id)));
    await made.close();
    // All into the file itself: a flip in it would change nothing that is read where the log has it too.
    await on.sql(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(path);
    expect(whole.length).toBeGreaterThan(20 * 4096);
    let [silent, told] = [0, 0];
    for (let page = 0; page < whole.length; page += 4096) {
      const copy = on.path();
      const flipped = Buffer.from(whole);
      const at = page + 2048 + Math.floor(random(page)() * 2048);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      writeFileSync(copy, flipped);
      const gate = on.gate(copy);
      const looked = await Promise.allSettled([...ids.map((id) => gate.get(id)), gate.audit.verify()]);
      const verified = looked.at(-1);
      const isTold =
        looked.some((one) => one.status === 'rejected') ||
        (verified?.status === 'fulfilled' && !(verified.value as { ok: boolean }).ok);
      // What is not told of has changed nothing.
      if (isTold) told++;
      else {
        silent++;
        const after = looked.slice(0, -1).map((one) => (one as PromiseFulfilledResult<ApprovalRecord>).value);
        expect(after, `byte ${at}`).toEqual(before);
      }
      for (const one of looked)
        if (one.status === 'rejected')
          expect(one.reason, `byte ${at}`).toMatchObject({ code: expect.stringMatching(/^ERR_LEDGER_/) });
      await gate.close().catch(() => {});
    }
    expect(told, `${silent} changed nothing`).toBeGreaterThan(0);
  });
});

describe('a second SQLite in the process that writes', () => {
  it.each([
    ['one process', ['p']],
    ['three processes', ['p', 'q', 'r']],
  ])('opens, reads and closes the file, in %s: nothing acknowledged is lost', async (_, names) => {
    const path = on.path();
    const count = effort(20, 150);
    const runtime = withSqlite();
    const processes = names.map((name) => on.start('second', [path, name, String(count)], { runtime }));
    for (const one of processes) expect(await one.ended, one.all).toEqual({ code: 0, signal: null });
    expect(all(processes, 'failed')).toEqual([]);
    expect(all(processes, 'looks').every(([looks]) => Number(looks) > 10)).toBe(true);
    const gate = on.gate(path);
    const asked = all(processes, 'asked');
    expect(asked).toHaveLength(names.length * count);
    for (const [id = '', call] of asked) expect(await record(gate, id)).toMatchObject({ toolCallId: call });
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
    expect(readdirSync(`${path}-owners`)).toHaveLength(1);
  });
});
