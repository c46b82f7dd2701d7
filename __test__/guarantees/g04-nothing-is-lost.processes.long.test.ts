/**
 * G4. Nothing acknowledged is lost: `kill -9` at any moment leaves every acknowledged request and decision.
 *
 * Small, to be run each time; `cargo run --release -p countersign-proof -- kill` does it 2,000 times, and `-- power` cuts the
 * power, which needs a disk that forgets.
 */
import { describe, expect, it } from 'vitest';
import type { ApprovalRecord, Gate } from '../../index.js';
import { eventually, node, sleep, stage, type Worker } from '../ledger/processes.js';
import { random } from '../policy/random.js';
import { runtimes } from '../runtimes.js';
import { effort, isWhole } from '../support/effort.js';

const on = stage();

const KILLS = effort(4, 60);
const AT_ONCE = effort(2, 4);

/** The words that workers said, of one kind. */
const all = (workers: readonly Worker[], word: string) => workers.flatMap((worker) => worker.said(word));

async function record(gate: Gate, id: string): Promise<ApprovalRecord> {
  const found = await gate.get(id);
  if (found === undefined) throw new Error(`${id} is lost`);
  return found;
}

/** How often each thing is there. */
function counted(things: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return counts;
}

describe('kill -9', () => {
  it(`${KILLS} times over ${AT_ONCE} processes that ask, decide and execute: nothing is lost or doubled`, async () => {
    const ledger = on.ledger();
    const ran = on.path();
    const kinds = runtimes();
    const workers: Worker[] = [];
    const live = async () => {
      while (workers.length < KILLS) {
        const number = workers.length;
        const worker = on.start('worker', [ledger, `w${number}`, ran], {
          runtime: kinds[number % kinds.length] ?? node(),
        });
        workers.push(worker);
        // Killed in the middle of anything, but not before there is something to lose.
        await worker.says(number % 2 === 0 ? 'asked' : 'decided');
        await sleep(random(number)() * 60);
        await worker.kill();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, live));

    expect(workers.map(({ stderr }) => stderr).join('')).toBe('');
    expect(all(workers, 'odd')).toEqual([]);
    const asked = all(workers, 'asked');
    // Opening it finds the calls whose executor is gone: on a server once its lease is over.
    const gate = await eventually(async () => {
      const opened = on.gate(ledger);
      for (const [id = ''] of asked) if ((await record(opened, id)).status === 'started') return void opened.close();
      return opened;
    });
    const decided = all(workers, 'decided');
    // Every other one was waited for until it had asked, and the others until they had decided: the rest is chance.
    expect(workers.length).toBeGreaterThanOrEqual(KILLS);
    for (const said of [asked, decided]) expect(said.length).toBeGreaterThanOrEqual(KILLS / 2);
    const winners = new Map(decided.map(([id = '', ...who]) => [id, who]));
    expect(winners.size, 'two decisions on one request').toBe(decided.length);
    for (const [id = '', line] of asked) expect(await record(gate, id)).toMatchObject({ toolCallId: line });
    for (const [id = '', by, type] of [...decided, ...all(workers, 'lost')])
      expect(await record(gate, id)).toMatchObject({ decidedBy: by, decision: { type } });

    // What ran ran once, and because somebody said so.
    const byLine = new Map<string, string>();
    for await (const { toolCallId, approvalId } of gate.audit.list({ kind: 'requested' })) {
      expect(byLine.has(toolCallId as string), `${String(toolCallId)} was asked twice`).toBe(false);
      byLine.set(toolCallId as string, approvalId as string);
    }
    for (const [line, times] of counted(on.lines(ran))) {
      expect([line, times]).toEqual([line, 1]);
      const { decision, status } = await record(gate, byLine.get(line) ?? '');
      expect([decision?.type, status]).toEqual(['approve', expect.stringMatching(/^(succeeded|interrupted)$/)]);
    }
    for (const [line = ''] of all(workers, 'done'))
      expect(await record(gate, byLine.get(line) ?? '')).toMatchObject({ status: 'succeeded' });
    const decisions: string[] = [];
    for await (const { approvalId } of gate.audit.list({ kind: 'decided' })) decisions.push(approvalId as string);
    expect(new Set(decisions).size).toBe(decisions.length);
    expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
  });

  it.runIf(isWhole)('in the middle of making and opening the file: whoever comes next finds it whole', async () => {
    for (let round = 0; round < effort(2, 8); round++) {
      const ledger = on.ledger();
      const openers = [1, 2].map(() => on.start('opener', [ledger]));
      await Promise.all(openers.map((opener) => opener.says('opening')));
      await sleep(effort(8, 2) * round);
      await Promise.all(openers.map((opener) => opener.kill()));
      const gate = on.gate(ledger);
      void gate.request({ toolName: 't', args: { round } }).catch(() => {});
      await eventually(async () => (await gate.pending()).length === 1 || undefined);
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
      await gate.close();
    }
  });
});
