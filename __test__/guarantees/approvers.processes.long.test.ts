/** Who may decide, over processes: each approval is counted once, and a call is approved once, by as many as it needs. */
import { describe, expect, it } from 'vitest';
import type { GateEvent } from '../../index.js';
import { eventually, stage } from '../ledger/processes.js';
import { effort } from '../support/effort.js';

const on = stage();

const REQUESTS = effort(20, 60);

describe('a quorum of 2', () => {
  it('3 processes approve many requests twice at once: each is approved once, by two of them', async () => {
    const ledger = on.ledger();
    const gate = on.gate(ledger);
    const asked = Array.from({ length: REQUESTS }, (_, index) =>
      gate.request({ runId: 'vote', toolName: 't', args: { index }, approvers: ['group:voters'], quorum: 2 }),
    );
    await eventually(async () => (await gate.pending()).length === REQUESTS || undefined);
    const voters = ['ada', 'bo', 'cy'].map((name) => on.start('voter', [ledger, name]));
    for (const voter of voters) expect(await voter.says('ready'), voter.all).toBe(String(REQUESTS));
    for (const voter of voters) voter.tell('go');
    for (const voter of voters) expect(await voter.ended, voter.stderr).toEqual({ code: 0, signal: null });
    const said = (word: string) => voters.flatMap((voter) => voter.said(word).map(([id = '']) => id));
    // Each voter said it all twice: it was counted, decided it, was told that it is counted already, or came too late.
    const all = ['pending', 'approved', 'ERR_ALREADY_DECIDED'].flatMap(said);
    expect(all).toHaveLength(3 * 2 * REQUESTS);
    expect(said('approved')).toHaveLength(REQUESTS);
    expect(new Set(said('approved')).size).toBe(REQUESTS);
    for (const { approved } of await Promise.all(asked)) expect(approved).toBe(true);
    const kinds: Record<string, number> = {};
    for await (const { kind } of gate.audit.list()) kinds[kind] = (kinds[kind] ?? 0) + 1;
    expect(kinds).toMatchObject({ requested: REQUESTS, voted: REQUESTS, decided: REQUESTS, started: REQUESTS });
    for (const { votes, decidedBy } of await gate.history({ limit: 1_000 })) {
      expect(votes).toHaveLength(2);
      expect(new Set(votes.map(({ by }) => by)).size).toBe(2);
      expect(decidedBy).toBe(votes[1]?.by);
    }
    expect(await gate.audit.verify()).toMatchObject({ ok: true });
  });
});

describe('time', () => {
  it('escalates and reminds once, however many processes look', async () => {
    const ledger = on.ledger();
    const gates = [1, 2, 3].map(() => on.gate(ledger));
    const told: GateEvent[][] = gates.map(() => []);
    gates.forEach((gate, index) => {
      void (async () => {
        for await (const event of gate.events()) told[index]?.push(event);
      })();
    });
    await Promise.all(gates.map((each) => each.ready()));
    const [gate, other] = gates;
    if (gate === undefined || other === undefined) throw new Error('no gates');
    const asked = gate.request({
      toolName: 't',
      args: {},
      approvers: ['ada'],
      escalate: { after: 300, to: ['bo'] },
      timeout: 600_000,
      remind: 599_500,
    });
    // Each process is told by each what one of them did.
    await eventually(async () => told.every((events) => events.at(-1)?.type === 'reminded') || undefined);
    const [{ approvalId = '' } = {}] = await other.pending();
    await other.approve(approvalId, { by: 'bo' });
    expect(await asked).toMatchObject({ approved: true, decidedBy: 'bo' });
    for (const events of told)
      expect(events.map(({ type }) => type).slice(0, 3)).toEqual(['requested', 'escalated', 'reminded']);
    const kinds: string[] = [];
    for await (const { kind } of gate.audit.list()) kinds.push(kind);
    expect(kinds.filter((kind) => kind === 'escalated' || kind === 'reminded')).toEqual(['escalated', 'reminded']);
  });
});
