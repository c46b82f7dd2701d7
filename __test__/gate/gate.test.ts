/** createGate by itself: asking, deciding, looking. */
import { describe, expect, it } from 'vitest';
import { AlreadyDecidedError, createGate, DuplicateRequestError, streamWithEvents } from '../../ts/index.js';
import { isWhole } from '../support/effort.js';
import { inMemoryOnly, isDurable } from '../support/ledger.js';
import { call, calls, collect, says, scripted, sleep } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const code = (name: string) => expect.objectContaining({ code: `ERR_${name}` }) as unknown;

/** A gate with one request that waits, and its promise. */
async function asking(request: object = {}, options: object = {}) {
  const gate = createGate(options);
  const answer = gate.request({ toolName: 'deploy', args: { to: 'prod' }, ...request });
  const [pending] = await gate.pending();
  if (pending === undefined) throw new Error('nothing is pending');
  return { gate, answer, id: pending.approvalId, pending };
}

describe('a request from any code', () => {
  it('shows what was asked', async () => {
    const { pending, gate } = await asking({
      description: 'Ship it?',
      origin: ['ci'],
      allowedDecisions: ['approve', 'reject'],
      timeout: 5_000,
    });
    expect(pending).toMatchObject({
      toolName: 'deploy',
      args: { to: 'prod' },
      description: 'Ship it?',
      origin: ['ci'],
      allowedDecisions: ['approve', 'reject'],
      toolCallId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      runId: expect.stringMatching(/^unnamed:[0-9a-f-]{36}$/) as unknown,
    });
    expect(pending.expiresAt).toBe(pending.createdAt + 5_000);
    await gate.close();
  });

  it.each([
    [
      'approve',
      (gate, id) => gate.approve(id, 'fine'),
      { approved: true, decision: { type: 'approve', reason: 'fine' }, reason: 'fine', args: { to: 'prod' } },
    ],
    [
      'edit',
      (gate, id) => gate.edit(id, { to: 'staging' }),
      { approved: true, decision: { type: 'edit' }, args: { to: 'staging' } },
    ],
    [
      'reject',
      (gate, id) => gate.reject(id, { reason: 'no', by: 'ada' }),
      { approved: false, decision: { type: 'reject', reason: 'no' }, reason: 'no', decidedBy: 'ada' },
    ],
    [
      'reject with stop',
      (gate, id) => gate.reject(id, { stop: true }),
      { approved: false, decision: { type: 'reject', stop: true } },
    ],
    [
      'reject, reason first',
      (gate, id) => gate.reject(id, 'no', { by: 'ada' }),
      { approved: false, reason: 'no', decidedBy: 'ada' },
    ],
    [
      'respond',
      (gate, id) => gate.respond(id, { by: 'hand' }),
      { approved: false, decision: { type: 'respond', output: { by: 'hand' } } },
    ],
    ['skip', (gate, id) => gate.skip(id), { approved: false, decision: { type: 'skip' } }],
    ['decide(true)', (gate, id) => gate.decide(id, true), { approved: true, decision: { type: 'approve' } }],
    ['decide(false)', (gate, id) => gate.decide(id, false, { reason: 'no' }), { approved: false, reason: 'no' }],
    [
      'decide with a foreign shape',
      (gate, id) => gate.decide(id, { approved: false, reason: 'no' }),
      { approved: false, reason: 'no' },
    ],
  ] as [string, (gate: ReturnType<typeof createGate>, id: string) => Promise<unknown>, object][])(
    '%s',
    async (_, decide, expected) => {
      const { gate, answer, id } = await asking();
      await decide(gate, id);
      expect(await answer).toMatchObject({ approvalId: id, decidedBy: 'gate', ...expected });
      expect(await gate.pending()).toEqual([]);
    },
  );

  it('an abort withdraws it', async () => {
    const stop = new AbortController();
    const gate = createGate();
    const answer = gate.request({ toolName: 'deploy', args: {} }, { abortSignal: stop.signal });
    stop.abort();
    expect(await answer).toMatchObject({ approved: false, decision: { type: 'cancelled' }, decidedBy: 'abort' });
    await expect(gate.request({ toolName: 'deploy', args: {} }, { abortSignal: stop.signal })).rejects.toThrow(/abort/);
  });

  it('a deadline expires it', async () => {
    const gate = createGate();
    const answer = await gate.request({ toolName: 'deploy', args: {}, timeout: 50 });
    expect(answer).toMatchObject({ approved: false, decision: { type: 'expired' }, decidedBy: 'deadline' });
    await expect(gate.approve(answer.approvalId)).rejects.toEqual(code('EXPIRED'));
    expect(await gate.get(answer.approvalId)).toMatchObject({ status: 'expired', via: 'deadline' });
  });

  it('arguments that cannot be shown are refused', async () => {
    const gate = createGate({ maxArgumentBytes: 100 });
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const args of [() => {}, cycle, { text: 'x'.repeat(200) }]) {
      await expect(gate.request({ toolName: 'deploy', args })).rejects.toEqual(code('INVALID_ARGUMENTS'));
    }
    expect(await gate.pending()).toEqual([]);
  });

  it('the caller cannot change what was asked about, nor a reader', async () => {
    const gate = createGate();
    const args = { to: 'prod' };
    const answer = gate.request({ toolName: 'deploy', args });
    args.to = 'moon';
    const [pending] = await gate.pending();
    expect(pending?.args).toEqual({ to: 'prod' });
    (pending as unknown as { args: typeof args }).args.to = 'moon';
    await gate.approve(pending?.approvalId as string);
    expect((await answer).args).toEqual({ to: 'prod' });
  });

  it('the same call twice in one run is refused', async () => {
    const { gate } = await asking({ toolCallId: 'c1', runId: 'r1' });
    await expect(gate.request({ toolName: 'deploy', args: {}, toolCallId: 'c1', runId: 'r1' })).rejects.toThrow(
      /c1|already/,
    );
    void gate.request({ toolName: 'deploy', args: {}, toolCallId: 'c1', runId: 'r2' });
    expect(await gate.pending()).toHaveLength(2);
    await gate.close();
  });

  it('gets the URL, the date and the map of an answer as what they are', async () => {
    const given = { at: new URL('https://example.com/b'), on: new Date(0), by: new Map([['ann', 1]]) };
    const edited = await asking();
    await edited.gate.edit(edited.id, given);
    expect(await edited.answer).toMatchObject({ approved: true });
    expect((await edited.answer).args).toEqual(given);
    const responded = await asking();
    await responded.gate.respond(responded.id, given);
    expect((await responded.answer).decision).toEqual({ type: 'respond', output: given });
  });
});

describe('the first decision wins', () => {
  it('the second gets the winner', async () => {
    const { gate, answer, id } = await asking();
    await gate.approve(id, { by: 'ada', reason: 'fine' });
    const lost = await gate.reject(id, { by: 'bob' }).catch((error: unknown) => error);
    expect(AlreadyDecidedError.isInstance(lost)).toBe(true);
    expect((lost as AlreadyDecidedError).winner).toMatchObject({
      approvalId: id,
      decidedBy: 'ada',
      decision: { type: 'approve', reason: 'fine' },
    });
    expect((await answer).decidedBy).toBe('ada');
  });

  it('of a hundred at once, one', async () => {
    const { gate, answer, id } = await asking();
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        index % 2 ? gate.approve(id, { by: `${index}` }) : gate.reject(id, { by: `${index}` }),
      ),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await answer).decidedBy).toBe('0');
  });
});

describe('decisions that are refused leave it waiting', () => {
  it('one that is not allowed', async () => {
    const { gate, id } = await asking({ allowedDecisions: ['approve', 'reject'] });
    for (const refused of [() => gate.edit(id, {}), () => gate.respond(id, 'x'), () => gate.skip(id)]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'ERR_DECISION_NOT_ALLOWED',
        approvalId: id,
        allowedDecisions: ['approve', 'reject'],
      });
    }
    expect(await gate.pending()).toHaveLength(1);
    await gate.close();
  });

  it('one that is malformed', async () => {
    const { gate, id } = await asking();
    for (const answer of [undefined, null, 7, 'yes', {}, { type: 'allow' }, { type: 'edit' }, () => true]) {
      await expect(gate.decide(id, answer as never)).rejects.toEqual(code('INVALID_DECISION'));
    }
    expect(await gate.pending()).toHaveLength(1);
    await gate.close();
  });

  it('one on a request that nobody made', async () => {
    await expect(createGate().approve('nope')).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_APPROVAL',
      approvalId: 'nope',
    });
    expect(await createGate().get('nope')).toBeUndefined();
  });
});

describe('looking', () => {
  it('pending: oldest first, by run', async () => {
    const gate = createGate();
    for (const runId of ['a', 'b', 'a']) void gate.request({ toolName: 'deploy', args: { runId }, runId });
    expect((await gate.pending()).map(({ runId }) => runId)).toEqual(['a', 'b', 'a']);
    expect(await gate.pending({ runId: 'a' })).toHaveLength(2);
    expect(await gate.pending({ runId: 'c' })).toEqual([]);
    await gate.close();
  });

  it('get: from pending to decided, and used up when the caller has it', async () => {
    const { gate, id, answer } = await asking();
    expect(await gate.get(id)).toMatchObject({
      status: 'pending',
      decision: null,
      decidedBy: null,
      via: null,
      decidedAt: null,
    });
    const decided = { decidedBy: 'ada', via: 'gate', decidedAt: expect.any(Number) as unknown };
    expect(await gate.approve(id, { by: 'ada' })).toMatchObject({ status: 'approved', ...decided });
    await answer;
    expect(await gate.get(id)).toMatchObject({ status: 'succeeded', ...decided });
  });

  it('dates and the like come back as they are', async () => {
    const args = { at: new Date(0), tags: new Set(['a']), size: 10n };
    const { gate, pending, answer, id } = await asking({ args });
    expect(pending.args).toEqual(args);
    await gate.approve(id);
    expect((await answer).args).toEqual(args);
  });

  it.skipIf(isDurable)(
    inMemoryOnly('keepDecided: older ones are forgotten', 'a file keeps them, see `retention`'),
    async () => {
      const gate = createGate({ keepDecided: 2 });
      const ids: string[] = [];
      for (let count = 0; count < 4; count++) {
        const answer = gate.request({ toolName: 'deploy', args: {} });
        const [pending] = await gate.pending();
        await gate.approve(pending?.approvalId as string);
        ids.push((await answer).approvalId);
      }
      const known = await Promise.all(ids.map(async (id) => (await gate.get(id)) !== undefined));
      expect(known).toEqual([false, false, true, true]);
    },
  );

  it('the logger gets each step; arguments at trace only', async () => {
    const lines: [string, string, object][] = [];
    const log = (level: string) => (message: string, fields: object) => void lines.push([level, message, fields]);
    const { gate, id, answer } = await asking(
      { args: { secret: 'hunter2' } },
      {
        logger: { trace: log('trace'), debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      },
    );
    await gate.approve(id);
    await answer;
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(lines.filter(([level]) => level !== 'trace'))).not.toContain('hunter2');
  });
});

describe('events', () => {
  it('tell of every run, in order, to every reader', async () => {
    const gate = createGate();
    const readers = [gate.events(), gate.events()];
    const answer = gate.request({ toolName: 'deploy', args: { to: 'prod' } });
    const [pending] = await gate.pending();
    await gate.approve(pending?.approvalId as string, { by: 'ada' });
    await answer;
    await gate.close();
    for (const events of readers) {
      const seen: unknown[] = [];
      for await (const event of events) seen.push(event);
      expect(seen).toMatchObject([
        { type: 'requested', request: { approvalId: pending?.approvalId, args: { to: 'prod' } } },
        {
          type: 'decided',
          request: { approvalId: pending?.approvalId },
          decision: { type: 'approve' },
          decidedBy: 'ada',
          via: 'gate',
        },
        { type: 'started', approvalId: pending?.approvalId },
        { type: 'settled', approvalId: pending?.approvalId, status: 'succeeded' },
      ]);
    }
  });

  it('end with their signal, and with return', async () => {
    const gate = createGate();
    const stop = new AbortController();
    const reader = gate.events({ signal: stop.signal });
    const waiting = reader.next();
    stop.abort();
    expect((await waiting.catch(() => ({ done: true }))).done).toBe(true);
    const other = gate.events();
    await other.return?.();
    expect((await other.next()).done).toBe(true);
    await gate.close();
  });

  it('only what happens from now on', async () => {
    const { gate, id } = await asking();
    const events = gate.events();
    await gate.approve(id);
    const told = (await events.next()).value?.type;
    // A file is read a moment later.
    expect(told === 'requested' && isDurable ? (await events.next()).value?.type : told).toBe('decided');
    await gate.close();
  });

  it.skipIf(isDurable || !isWhole)(
    inMemoryOnly('a reader that falls too far behind is told, and others are not', 'it takes 12,000 writes to a disk'),
    async () => {
      const gate = createGate({ keepDecided: 10 });
      const slow = gate.events();
      const other = gate.events();
      let told = 0;
      // 12,000 events: each is requested, and expires.
      for (let count = 0; count < 6_000; count++) {
        void gate.request({ toolName: 'deploy', args: {}, timeout: 1 });
        if (count % 100 > 0) continue;
        for (; told < count * 2; told++) expect((await other.next()).done).toBe(false);
      }
      const read = async () => {
        for await (const _ of slow);
      };
      await expect(read()).rejects.toEqual(code('EVENTS_LOST'));
      await gate.close();
    },
  );
});

describe('the end of a gate', () => {
  it.skipIf(isDurable)(
    inMemoryOnly(
      'cancels what waits and refuses what comes; again and again',
      'it goes on waiting, see ledger.test.ts',
    ),
    async () => {
      const { gate, answer, id } = await asking();
      await gate.close();
      await gate.close();
      expect(await answer).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
      await expect(gate.request({ toolName: 'deploy', args: {} })).rejects.toEqual(code('GATE_CLOSED'));
      await expect(gate.approve(id)).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_(ALREADY_DECIDED|GATE_CLOSED)$/) as unknown,
      });
      expect((await gate.events().next()).done).toBe(true);
    },
  );

  it.skipIf(isDurable)(
    inMemoryOnly('an approval that the caller does not have yet is taken back', 'it stands, for whoever continues'),
    async () => {
      const { gate, answer, id } = await asking();
      const approved = gate.approve(id);
      const closed = gate.close();
      expect(await answer).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
      await Promise.allSettled([approved, closed]);
    },
  );

  it('await using closes it', async () => {
    let outer: ReturnType<typeof createGate>;
    {
      await using gate = createGate();
      outer = gate;
    }
    await expect(outer.request({ toolName: 'deploy', args: {} })).rejects.toEqual(code('GATE_CLOSED'));
  });

  it('one that is dropped leaves nothing that ticks', async () => {
    const ticking = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = ticking();
    createGate();
    expect(ticking()).toBe(before);
    await sleep(1);
    expect(ticking()).toBeLessThanOrEqual(before);
  });
});

describe('options of the wrong shape', () => {
  it.each([
    { ledger: 'postgres:x' },
    { timeout: 0 },
    { timeout: -1 },
    { timeout: Number.NaN },
    { timeout: '5' },
    { maxArgumentBytes: 0 },
    { keepDecided: 0 },
  ])('%j', (options) => {
    expect(() => createGate(options as never)).toThrow(code('INVALID_CONFIG') as Error);
  });
});

it('refuses a second request for one call of a run, and says which stands', async () => {
  await using gate = createGate();
  const call = { runId: 'r', toolCallId: 'c', toolName: 'del', args: { path: '/a' } };
  const first = gate.request(call);
  const error: unknown = await gate.request(call).catch((reason: unknown) => reason);
  expect(DuplicateRequestError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code: 'ERR_DUPLICATE_REQUEST', existing: { toolCallId: 'c', status: 'pending' } });
  await gate.approve((error as DuplicateRequestError).existing.approvalId);
  expect(await first).toMatchObject({ approved: true });
});

it('tells the logger of a run of that run alone', async () => {
  await using gate = createGate();
  const lines: unknown[] = [];
  const { tools } = recordingTools();
  const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
  const logger = { info: (_: string, fields: Record<string, unknown>) => void lines.push(fields['runId']) };
  const options = { model, tools, prompt: 'go', interruptOn: 'all', gate, onApprovalRequest: () => true } as const;
  await collect(streamWithEvents({ ...options, runId: 'mine', logger }));
  const other = gate.request({ runId: 'other', toolName: 'x', args: {} });
  await gate.reject((await gate.pending())[0]?.approvalId as string);
  await other;
  expect(lines).toEqual(['mine', 'mine']);
});

it('gives no approval to a caller that was aborted before it could see it', async () => {
  await using gate = createGate();
  const stop = new AbortController();
  const answer = gate.request({ toolName: 'del', args: {} }, { abortSignal: stop.signal });
  const [request] = await gate.pending();
  const approved = gate.approve(request?.approvalId as string);
  stop.abort();
  expect(await answer).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
  await approved;
  expect(await gate.get(request?.approvalId as string)).toMatchObject({ status: 'cancelled' });
});
