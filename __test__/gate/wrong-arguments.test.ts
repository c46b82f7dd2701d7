/** What no type checker has seen: an id that is none, a number that is none. */
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRecord, Audit, Gate } from '../../index.js';
import { approvalDetails, createGate, verifyApprovals, withApprovalDetails } from '../../ts/index.js';
import { collect } from '../support/model.js';
import { isDurable } from '../support/ledger.js';

/** Each with what it names in its message, called with an id, or what should be one. */
const WITH_IDS: [string, (gate: Gate, id: never) => Promise<unknown>][] = [
  ['gate.get: approvalId', (gate, id) => gate.get(id)],
  ['gate.approve: approvalId', (gate, id) => gate.approve(id)],
  ['gate.reject: approvalId', (gate, id) => gate.reject(id)],
  ['gate.edit: approvalId', (gate, id) => gate.edit(id, {})],
  ['gate.respond: approvalId', (gate, id) => gate.respond(id, 'so')],
  ['gate.skip: approvalId', (gate, id) => gate.skip(id)],
  ['gate.decide: approvalId', (gate, id) => gate.decide(id, true)],
  ['gate.grants.revoke: id', (gate, id) => gate.grants.revoke(id)],
];

/** The same, for what says of what one asks: all is meant where it is left out, and not where it was read from a misspelt place. */
const FILTERS: typeof WITH_IDS = [
  ['gate.pending: runId', (gate, runId) => gate.pending({ runId })],
  ['gate.history: runId', (gate, runId) => gate.history({ runId })],
  ['gate.history: toolName', (gate, toolName) => gate.history({ toolName })],
  ['gate.audit.list: runId', (gate, runId) => collect(gate.audit.list({ runId }))],
  ['gate.audit.list: kind', (gate, kind) => collect(gate.audit.list({ kind }))],
  ['approvalDetails: runId', (gate, runId) => approvalDetails(gate, { runId })],
  ['withApprovalDetails: runId', async (gate, runId) => withApprovalDetails(new ReadableStream(), gate, { runId })],
  ['verifyApprovals: runId', (gate, runId) => verifyApprovals([], gate, { runId })],
];

/** The same, for what may be left out. */
const WITH_OPTIONAL_IDS: typeof WITH_IDS = [
  ['gate.history: before', (gate, before) => gate.history({ before })],
  ['gate.check: runId', (gate, runId) => gate.check({ toolName: 'deploy', args: {}, runId })],
];

const refusal = (place: string, what: string) => ({
  code: 'ERR_INVALID_CONFIG',
  message: expect.stringContaining(`${place} must be ${what}`) as unknown,
});

describe('an id that is no text', () => {
  it.each([
    ...WITH_IDS.map((way) => [...way, [undefined, null, 5, {}]] as const),
    ...FILTERS.map((way) => [...way, [5, {}, true]] as const),
    ...WITH_OPTIONAL_IDS.map((way) => [...way, [5, {}, true]] as const),
  ])('%s', async (place, call, ids) => {
    await using gate = createGate();
    for (const id of ids) await expect(call(gate, id as never)).rejects.toMatchObject(refusal(place, 'a text'));
  });

  it.each(WITH_OPTIONAL_IDS)('%s may be left out', async (_, call) => {
    await using gate = createGate();
    await call(gate, undefined as never);
  });

  it.each(FILTERS)('%s that is undefined or null does not tell of all runs, or of all kinds', async (place, call) => {
    await using gate = createGate();
    for (const nothing of [undefined, null])
      await expect(call(gate, nothing as never)).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringContaining(
          `${place} is ${nothing}, and without it all of them would be meant`,
        ) as unknown,
      });
  });

  it.each(['nope', '', '\ud800'])('%j is one that nobody knows', async (id) => {
    await using gate = createGate();
    expect(await gate.get(id)).toBeUndefined();
    await expect(gate.approve(id)).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_APPROVAL',
      approvalId: expect.anything(),
    });
    expect(await gate.grants.revoke(id)).toBe(false);
    expect(await gate.history({ runId: id, toolName: id })).toEqual([]);
  });
});

const NO_NUMBERS = [NaN, -1, 1.5, '5', null, {}, -Infinity];
const list = (options: object) => (audit: Audit) => collect(audit.list(options));

describe('a number that is none', () => {
  it.each([...NO_NUMBERS, 0, 1_001, Infinity])('gate.history: limit %s', async (limit) => {
    await using gate = createGate();
    const asked = gate.history({ limit: limit as number });
    await expect(asked).rejects.toMatchObject(refusal('gate.history: limit', 'a whole number from 1 to 1,000'));
  });

  it.each(NO_NUMBERS)('of the audit: %s', async (number) => {
    await using gate = createGate();
    const ways = {
      'gate.audit.list: limit': list({ limit: number }),
      'gate.audit.list: after': list({ after: number }),
      'gate.audit.export: from': (audit: Audit) => collect(audit.export({ from: number as number })),
    };
    for (const [place, call] of Object.entries(ways))
      await expect(call(gate.audit)).rejects.toMatchObject(refusal(place, 'a whole number from'));
  });

  it.skipIf(!isDurable)('all is told of the audit where there is no limit', async () => {
    await using gate = createGate();
    const request = gate.request({ toolName: 'deploy', args: {} });
    const [waiting] = await gate.pending();
    await gate.reject(waiting!.approvalId);
    await request;
    const all = await collect(gate.audit.list({ limit: Infinity }));
    expect(all.length).toBeGreaterThan(1);
    expect(await collect(gate.audit.list({ limit: 1 }))).toEqual(all.slice(0, 1));
    expect(await collect(gate.audit.list({ limit: 0 }))).toEqual([]);
  });
});

it.each(['', ' ', 'group:ops', 'a\ud800', 5])('nobody asks as %j', async (requester) => {
  await using gate = createGate();
  const asked = gate.request({ toolName: 'deploy', args: {}, requester: requester as string });
  await expect(asked).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
});

it.each([
  { reason: () => 'fine' },
  { reason: { toJSON: () => 'fine' } },
  { reason: 5 },
  { reason: ['fine'] },
  { stop: 'yes' },
])('what is said with a decision is refused where it is nothing to go by, and lost to nobody: %j', async (said) => {
  await using gate = createGate();
  const answer = gate.request({ toolName: 'del', args: {} });
  const [request] = await gate.pending();
  const id = request?.approvalId as string;
  const options = said as never;
  const ways = [
    () => gate.reject(id, options),
    ...('stop' in said ? [] : [() => gate.approve(id, options), () => gate.decide(id, true, options)]),
  ];
  for (const decide of ways) await expect(decide()).rejects.toMatchObject({ code: 'ERR_INVALID_DECISION' });
  expect((await gate.get(id))?.status).toBe('pending');
  await gate.reject(id);
  await answer;
});

describe('what is left out of an answer, or of who must agree', () => {
  it('an edit without arguments decides nothing', async () => {
    await using gate = createGate();
    const asking = gate.request({ toolName: 'deploy', args: { to: 'staging' } });
    const [request] = await gate.pending();
    const id = request?.approvalId ?? '';
    for (const edit of [
      () => gate.edit(id, undefined),
      () => (gate.edit as (id: string) => Promise<unknown>)(id),
      () => gate.decide(id, { type: 'edit' } as never),
      () => gate.decide(id, { type: 'edit', args: undefined }),
    ])
      await expect(edit()).rejects.toMatchObject({ code: 'ERR_INVALID_DECISION' });
    expect(await gate.get(id)).toMatchObject({ status: 'pending' });
    await gate.reject(id);
    expect(await asking).toMatchObject({ approved: false });
  });

  it.each([
    ['approvers', () => ['ada']],
    ['approvers', Symbol('ada')],
    ['approvers', NaN],
    ['quorum', () => 2],
    ['quorum', Symbol('2')],
    ['excludeRequester', () => true],
    ['escalate', () => ({ after: 1, to: ['bob'] })],
    ['allowedDecisions', () => ['reject']],
    ['allowedDecisions', NaN],
  ])('gate.request: %s that is no data is not left out, so that anybody could approve', async (name, value) => {
    await using gate = createGate();
    const asking = gate.request({ toolName: 'pay', args: {}, [name]: value });
    await expect(asking).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
    expect(await gate.pending()).toEqual([]);
  });
});

/** Each method that decides, called with what follows what is decided. */
const DECIDING: [string, (gate: Gate, id: string, ...said: never[]) => Promise<ApprovalRecord>, boolean][] = [
  ['approve', (gate, id, ...said) => gate.approve(id, ...said), true],
  ['reject', (gate, id, ...said) => gate.reject(id, ...said), true],
  ['skip', (gate, id, ...said) => gate.skip(id, ...said), true],
  ['edit', (gate, id, ...said) => gate.edit(id, { other: 1 }, ...said), false],
  ['respond', (gate, id, ...said) => gate.respond(id, 'done', ...said), false],
  ['decide', (gate, id, ...said) => gate.decide(id, true, ...said), false],
];

describe('what is said with a decision', () => {
  const refused = { code: 'ERR_INVALID_DECISION', message: expect.stringContaining('Nothing was decided.') as unknown };
  const one = async (gate: Gate) => {
    void gate.request({ toolName: 'delete_file', args: { path: 'a' } });
    const { approvalId } = await vi.waitUntil(async () => (await gate.pending())[0]);
    return approvalId;
  };
  const noOptions = [false, true, 0, 5, NaN, 5n, null, Symbol('no'), () => false];

  it.each(DECIDING)('gate.%s: what is neither a reason nor options decides nothing', async (_, decide, takesReason) => {
    await using gate = createGate();
    const id = await one(gate);
    const wrong: unknown[][] = noOptions.map((each) => [each]);
    wrong.push(['why', 'ada'], ['why', false], [{ by: 'ada' }, false], [{}, { by: 'ada' }]);
    if (takesReason) wrong.push(['why', { by: 'ada' }, { by: 'bo' }], [undefined, false]);
    else wrong.push(['ada'], ['why', { by: 'ada' }]);
    for (const said of wrong) await expect(decide(gate, id, ...(said as never[]))).rejects.toMatchObject(refused);
    expect(await gate.get(id)).toMatchObject({ status: 'pending', votes: [] });
  });

  it.each(DECIDING)('gate.%s: who decided and why are kept', async (_, decide, takesReason) => {
    await using gate = createGate();
    const ways: unknown[][] = [[{ by: 'ada', reason: 'why' }], [{ by: 'ada', reason: 'why' }, undefined]];
    if (takesReason) ways.push(['why', { by: 'ada' }], [undefined, { by: 'ada', reason: 'why' }]);
    for (const said of ways) {
      const record = await decide(gate, await one(gate), ...(said as never[]));
      expect(record).toMatchObject({ decidedBy: 'ada', decision: { reason: 'why' } });
    }
  });

  it('gate.approve(id, false) says how a no is given', async () => {
    await using gate = createGate();
    const id = await one(gate);
    await expect(gate.approve(id, false as never)).rejects.toThrow(/cannot be false\..*gate\.reject\(id, reason\)/);
  });
});
