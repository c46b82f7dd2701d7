/** G3 over processes: one decision per request and one execution per approval, with any number of processes. */
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from 'ai';
import type { ApprovalRequest } from '../../index.js';
import { eventually, left, node, stage } from '../ledger/processes.js';
import { runtimes } from '../runtimes.js';
import { effort, isWhole } from '../support/effort.js';
import { answer } from '../support/entries.js';

const on = stage();

const RACERS = effort(3, 8, 2);
const REQUESTS = effort(30, 500, 10);
/** That continue one run at once. */
const RESUMED = effort(2, 4);
const SERVERS = effort(2, 6);

/** Two of each Node that is supported and two of Bun, as far as they are there: eight in all; three where there is little time. */
function racing() {
  const all = runtimes();
  const bun = all.find(({ kind }) => kind === 'bun') ?? node();
  const nodes = all.filter(({ kind }) => kind === 'node');
  return Array.from({ length: RACERS }, (_, index) => (index >= 6 ? bun : (nodes[index % nodes.length] ?? node())));
}

describe('one decision', () => {
  /** @returns whether several processes won */
  async function race(): Promise<boolean> {
    const ledger = on.ledger();
    const gate = on.gate(ledger);
    for (let index = 0; index < REQUESTS; index++) {
      void gate.request({ runId: 'race', toolCallId: `c${index}`, toolName: 't', args: { index } });
    }
    await eventually(async () => (await gate.pending()).length === REQUESTS || undefined);
    const racers = racing().map((runtime, index) => on.start('racer', [ledger, `p${index}`], { runtime }));
    for (const racer of racers) expect(await racer.says('ready'), racer.all).toBe(`${REQUESTS}`);
    for (const racer of racers) racer.tell('go');
    for (const racer of racers) expect(await racer.ended, racer.stderr).toEqual({ code: 0, signal: null });
    expect(racers.flatMap((racer) => racer.said('odd'))).toEqual([]);
    const won = racers.flatMap((racer) => racer.said('won'));
    const lost = racers.flatMap((racer) => racer.said('lost'));
    expect([won.length, lost.length]).toEqual([REQUESTS, RACERS * 4 * REQUESTS - REQUESTS]);
    const winners = new Map(won.map(([id = '', ...who]) => [id, who]));
    expect(winners.size).toBe(REQUESTS);
    for (const [id = '', ...who] of lost) expect(who).toEqual(winners.get(id));
    for (const [id, [by, type]] of winners)
      expect(await gate.get(id)).toMatchObject({ decidedBy: by, decision: { type } });
    const entries: string[] = [];
    for await (const { approvalId } of gate.audit.list({ kind: 'decided' })) entries.push(approvalId as string);
    expect([entries.length, new Set(entries).size]).toEqual([REQUESTS, REQUESTS]);
    expect(await gate.audit.verify()).toMatchObject({ ok: true });
    return new Set([...winners.values()].map(([by = '']) => by.split('.')[0])).size > 1;
  }

  it(`${RACERS} processes decide ${REQUESTS} requests 4 times at once: ${REQUESTS} win, all others are told who`, async () => {
    let raced = false;
    // On a busy machine one process may be through before the others begin: that was no race.
    for (let round = 0; round < 20 && !raced; round++) raced = await race();
    expect(raced).toBe(true);
  });
});

describe('one execution', () => {
  const asked = async (ledger: string, ran: string) => {
    const waiter = on.start('waiter', [ledger, 'run', ran, 'start']);
    const approvalId = await waiter.says('asked');
    return { waiter, approvalId };
  };

  it.runIf(isWhole)('a run that several processes resume at once runs its tool once', async () => {
    for (let round = 0; round < effort(1, 3); round++) {
      const ledger = on.ledger();
      const ran = on.path();
      const { waiter, approvalId } = await asked(ledger, ran);
      await waiter.kill();
      const gate = on.gate(ledger);
      await gate.approve(approvalId);
      await left(gate, 'run');
      const resumed = Array.from({ length: RESUMED }, () =>
        on.start('waiter', [ledger, 'run', ran, 'resume', '600000', '200']),
      );
      for (const one of resumed) await one.ended;
      expect(on.lines(ran), resumed.map((one) => one.all).join('\n')).toEqual(['del /a']);
      const refused = resumed.flatMap((one) => one.said('error').map(([code]) => code));
      expect(refused.length, resumed.map((one) => one.all).join('\n')).toBe(RESUMED - 1);
      for (const code of refused) expect(code).toMatch(/^ERR_RUN_(ACTIVE|OVER)$/);
      expect(await gate.get(approvalId)).toMatchObject({ status: 'succeeded' });
    }
  });

  it.runIf(isWhole)('a decision of another process is carried out by the one that waits, once', async () => {
    const ledger = on.ledger();
    const ran = on.path();
    const { waiter, approvalId } = await asked(ledger, ran);
    await on.gate(ledger).approve(approvalId, { by: 'mia' });
    await waiter.says('end');
    expect(on.lines(ran)).toEqual(['del /a']);
    const late = on.start('waiter', [ledger, 'run', ran, 'resume']);
    expect(await late.says('error')).toContain('ERR_RUN_OVER');
    expect(on.lines(ran)).toEqual(['del /a']);
  });

  it('a process that dies in the middle of the execution: it is interrupted, and not run again by itself', async () => {
    const ledger = on.ledger();
    const ran = on.path();
    const waiter = on.start('waiter', [ledger, 'run', ran, 'start', '600000', '600000']);
    const approvalId = await waiter.says('asked');
    const gate = on.gate(ledger);
    await gate.approve(approvalId);
    await waiter.says('running');
    await waiter.kill();
    await left(gate, 'run');
    const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
    const again = await resumed.says('asked');
    expect(again).not.toBe(approvalId);
    expect(await gate.get(approvalId)).toMatchObject({ status: 'interrupted' });
    expect(on.lines(ran)).toEqual(['del /a']);
    // The human is asked anew, and only a new approval runs it again.
    const waiting = (await gate.pending()).map(({ approvalId: id }: ApprovalRequest) => id);
    expect(waiting).toEqual([again]);
    await gate.reject(again);
    await resumed.ended;
    expect(on.lines(ran)).toEqual(['del /a']);
  });

  it.runIf(isWhole)('processes that die on their way to the execution do not use the approval up', async () => {
    const ledger = on.ledger();
    const ran = on.path();
    const { waiter, approvalId } = await asked(ledger, ran);
    await waiter.kill();
    const gate = on.gate(ledger);
    await gate.approve(approvalId);
    const status = async () => (await gate.get(approvalId))?.status;
    // Killed as soon as they have the run: mostly before the start, now and then in the middle of it.
    for (let attempt = 0; attempt < effort(2, 6) && (await status()) === 'approved'; attempt++) {
      await left(gate, 'run');
      const hurried = on.start('waiter', [ledger, 'run', ran, 'resume']);
      await hurried.says('event');
      await hurried.kill();
    }
    if ((await status()) !== 'approved') return expect(on.lines(ran).length).toBeLessThanOrEqual(1);
    await left(gate, 'run');
    const resumed = on.start('waiter', [ledger, 'run', ran, 'resume']);
    await resumed.says('end');
    expect([on.lines(ran), await status()]).toEqual([['del /a'], 'succeeded']);
  });

  it(`an answer that ${SERVERS} servers get at the same time runs the tool once`, async () => {
    const ledger = on.ledger();
    const ran = on.path();
    const first = on.start('chat', [ledger, ran]);
    first.tell(JSON.stringify([{ role: 'user', content: 'go' }]));
    const history = JSON.parse(await first.says('messages')) as ModelMessage[];
    const servers = Array.from({ length: SERVERS }, () => on.start('chat', [ledger, ran]));
    await Promise.all(servers.map((server) => server.says('ready')));
    for (const server of servers) server.tell(JSON.stringify(answer(history, true)));
    for (const server of servers) expect(await server.ended, server.all).toEqual({ code: 0, signal: null });
    const all = servers.map((server) => server.all).join('\n');
    expect(on.lines(ran), all).toEqual(['del /a']);
    // And once more, when it is long done.
    const late = on.start('chat', [ledger, ran]);
    late.tell(JSON.stringify(answer(history, true)));
    await late.ended;
    expect(on.lines(ran), late.all).toEqual(['del /a']);
  });
});
