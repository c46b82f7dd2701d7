/** Arguments that no type checker has seen: invalid ids, invalid numbers. */
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRecord, Audit, Gate } from '../../index.js';
import { ENTRIES, type EntryName } from '../../ts/options/entries.js';
import { approvalDetails, createGate, verifyApprovals, withApprovalDetails } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
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
        message: expect.stringContaining(`${place} is ${nothing}, so it would select everything`) as unknown,
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
    const { approvalId } = await vi.waitUntil(async () => (await gate.pending())[0], PATIENTLY);
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

describe('a decision', () => {
  const one = async (gate: Gate) => {
    void gate.request({ toolName: 'delete_file', args: { path: 'a' } });
    return (await vi.waitUntil(async () => (await gate.pending())[0], PATIENTLY)).approvalId;
  };
  type Given = Parameters<Gate['decide']>[1];
  /** Every way to give one to the gate. */
  const WAYS: [string, (gate: Gate, id: string, decision: object) => Promise<unknown>][] = [
    ['gate.decide', (gate, id, decision) => gate.decide(id, decision as Given)],
    ['gate.decideAll', (gate, id, decision) => gate.decideAll([id], decision as never)],
  ];
  const approve = { type: 'approve' };
  const refused = async (decide: (gate: Gate, id: string) => Promise<unknown>, message: string | RegExp) => {
    await using gate = createGate();
    const id = await one(gate);
    const thrown = await decide(gate, id).then(
      () => undefined,
      (error: unknown) => error as Error & { code: string },
    );
    expect(thrown?.message).toMatch(message);
    expect(thrown?.code).toMatch(/^ERR_INVALID_(?:DECISION|CONFIG)$/);
    expect(await gate.pending()).toHaveLength(1);
  };

  it.each(WAYS)('%s: a name in the wrong place is not taken for nobody', async (place, decide) => {
    for (const who of [{ by: 'ada' }, { groups: ['ops'] }, { via: 'inbox' }])
      await refused(
        (gate, id) => decide(gate, id, { ...approve, ...who }),
        new RegExp(`^${place}: .*behind the decision.*decision, \\{ ${Object.keys(who)[0]} \\}\\)`),
      );
  });

  it.each(WAYS)('%s: a key that no decision has is not passed over', async (_, decide) => {
    for (const key of ['reasn', 'comment', 'explanation', 'feedback', 'who', 'user'])
      await refused((gate, id) => decide(gate, id, { ...approve, [key]: 'keep a backup' }), key);
  });

  it.each([['note'], ['message']])('gate.decide: a reason as %s is read, or refused', async (name) => {
    const other = name === 'note' ? approve : { approved: true };
    await refused((gate, id) => gate.decide(id, { ...other, [name]: 'keep a backup' } as Given), 'call it `reason`');
    await using gate = createGate();
    const given = { ...(name === 'note' ? { decision: 'approve' } : approve), [name]: 'keep a backup' };
    expect(await gate.decide(await one(gate), given as Given)).toMatchObject({ decision: { reason: 'keep a backup' } });
  });

  it('gate.decide: of two reasons none is lost', async () => {
    await refused((gate, id) => gate.decide(id, { type: 'reject', reason: 'a' }, { reason: 'b' }), 'give one of them');
    await refused(
      (gate, id) => gate.decide(id, { type: 'approve', remember: 'run' }, { remember: 'session' }),
      'give one of them',
    );
    await using gate = createGate();
    const record = await gate.decide(await one(gate), { type: 'reject', reason: 'a' }, { reason: 'a' });
    expect(record).toMatchObject({ decision: { type: 'reject', reason: 'a' } });
  });

  it.each(WAYS)('%s: what hides a part of itself, or changes between two looks, decides nothing', async (_, decide) => {
    let looks = 0;
    const shifty = {
      get type() {
        return looks++ === 0 ? 'reject' : 'approve';
      },
    };
    const hiding = new Proxy({ ...approve, comment: 'no' }, { ownKeys: () => ['type'] });
    const inheriting = Object.create(approve) as object;
    for (const odd of [shifty, hiding, inheriting, Object.defineProperty({}, 'type', { value: 'approve' })])
      await refused((gate, id) => decide(gate, id, odd), /is a getter|is a Proxy|inherits|not enumerable/);
    expect(looks).toBe(0);
  });

  it('gate.decideAll: no other requests are decided than those that were looked at', async () => {
    const shifty = (id: string) => {
      let looks = 0;
      return [
        new Proxy([id], { get: (ids, at) => (at === '0' ? looks++ > 0 && 'other' : Reflect.get(ids, at)) as unknown }),
        Object.assign([id], { [Symbol.iterator]: () => ['other'].values() }),
        Object.defineProperty([id], '0', { get: () => (looks++ === 0 ? id : 'other') }),
      ] as string[][];
    };
    for (const at of [0, 1, 2]) {
      await refused(
        (gate, id) => gate.decideAll(shifty(id)[at]!, { type: 'reject' }),
        /approvalIds.* (?:is a Proxy|has Symbol|is a getter)/,
      );
      await refused(
        (gate, id) => gate.decideAll([id], { type: 'reject' }, { seen: shifty(id)[at]! }),
        /seen.* (?:is a Proxy|has Symbol|is a getter)/,
      );
    }
  });
});

/** Each method of a gate that takes an object, called with one. */
const TAKING: [string, (gate: Gate, given: never) => unknown][] = [
  ['createGate', (_, given) => createGate(given)],
  ['gate.request', (gate, given) => gate.request(given)],
  ['gate.request: options', (gate, given) => gate.request({ toolName: 't', args: {} }, given)],
  ...DECIDING.map(([name, decide]): [string, (gate: Gate, given: never) => unknown] => [
    `gate.${name}`,
    (gate, given) => decide(gate, 'some', given),
  ]),
  ['gate.decideAll', (gate, given) => gate.decideAll([], { type: 'skip' }, given)],
  ['gate.check', (gate, given) => gate.check(given)],
  ['gate.pending', (gate, given) => gate.pending(given)],
  ['gate.history', (gate, given) => gate.history(given)],
  ['gate.events', (gate, given) => gate.events(given)],
  ['gate.audit.list', (gate, given) => gate.audit.list(given).next()],
  ['gate.audit.verify', (gate, given) => gate.audit.verify(given)],
  ['gate.audit.export', (gate, given) => gate.audit.export(given).next()],
];

it.each(TAKING)('%s: options that are another thing at each look are refused', async (place, take) => {
  await using gate = createGate();
  const { names } = ENTRIES[(place in ENTRIES ? place : 'gate.decide') as EntryName];
  for (const name of Object.keys(names)) {
    const getter = Object.defineProperty({}, name, { enumerable: true, get: () => 'x' });
    for (const odd of [getter, new Proxy({ [name]: 'x' }, {})]) {
      const taking = (async () => take(gate, odd as never))();
      await expect(taking, name).rejects.toThrow(/is a getter|are a Proxy/);
    }
  }
});
