/** Who is asked, when, for how long; and who is first. */
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../index.js';
import { AlreadyDecidedError, createGate } from '../../ts/index.js';
import { inMemoryOnly, isDurable } from '../support/ledger.js';
import { call, calls, collect, resultsIn, says, sleep } from '../support/model.js';
import { of, play, start, types, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const two = () => [calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')), says('.')];

describe('the callback', () => {
  it('at once: is called for all calls of a step, in the order of the model, and answered in any', async () => {
    const { ran, tools } = recordingTools();
    const order: string[] = [];
    const { of } = await play({
      turns: two(),
      tools,
      interruptOn: 'all',
      askOrder: 'at-once',
      onApprovalRequest: async ({ toolCallId }) => {
        order.push(`asked ${toolCallId}`);
        await sleep(toolCallId === 'c1' ? 40 : 5);
        order.push(`answered ${toolCallId}`);
        return true;
      },
    });
    expect(order).toEqual(['asked c1', 'asked c2', 'answered c2', 'answered c1']);
    expect(of('approval-response').map(({ toolCallId }) => toolCallId)).toEqual(['c2', 'c1']);
    expect(ran.toSorted()).toEqual(['del /1', 'del /2']);
  });

  it('gets the whole request, typed and frozen in time, and a signal', async () => {
    const { tools } = recordingTools();
    let request: ApprovalRequest | undefined;
    let signal: AbortSignal | undefined;
    const { run, of } = await play({
      turns: two(),
      tools,
      runId: 'run-7',
      origin: ['main', 'task:1', 'researcher'],
      interruptOn: 'all',
      onApprovalRequest: (asked, { abortSignal }) => {
        request ??= asked;
        signal = abortSignal;
        return true;
      },
    });
    expect(request).toEqual({
      kind: 'approval',
      approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      runId: 'run-7',
      toolCallId: 'c1',
      toolName: 'del',
      args: { path: '/1' },
      step: 1,
      origin: ['main', 'task:1', 'researcher'],
      rows: [{ name: 'path', value: '/1' }],
      description: expect.stringContaining('/1') as unknown,
      preview: expect.stringContaining('/1') as unknown,
      flags: [],
      allowedDecisions: expect.any(Array) as unknown,
      createdAt: expect.any(Number) as unknown,
      expiresAt: null,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      contents: 'kept',
      review: null,
      askedBy: 'interruptOn',
      agentReason: null,
      needs: [],
      requester: null,
      votes: [],
      escalatedAt: null,
      startedBefore: false,
      editedFrom: null,
      askedAgain: null,
      proven: null,
      verdict: null,
      always: {
        allow: {
          label: 'Always allow every call of del',
          rules: [{ tools: ['del'], effect: 'allow' }],
          also: ['every call of del'],
        },
        deny: {
          label: 'Always reject every call of del',
          rules: [{ tools: ['del'], effect: 'deny' }],
          also: ['every call of del'],
        },
      },
      changes: [],
    });
    expect(signal?.aborted).toBe(false);
    expect(run.runId).toBe('run-7');
    expect(of('approval-requested')[0]).toEqual({ type: 'approval-requested', isAutomatic: false, ...request });
  });

  it('runs in the context of the caller', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const { tools } = recordingTools();
    const { run } = storage.run('mine', () =>
      start({
        turns: two(),
        tools,
        interruptOn: 'all',
        onApprovalRequest: () => seen.push(storage.getStore()) > 0,
      }),
    );
    await collect(run);
    expect(seen).toEqual(['mine', 'mine']);
  });

  it('wins over nobody: what the gate decided first stands', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    let answer: (value: boolean) => void = () => {};
    const { run } = start({
      turns: two().slice(0, 2),
      tools,
      interruptOn: 'all',
      gate,
      onApprovalRequest: () => new Promise<boolean>((resolve) => (answer = resolve)),
    });
    for (let count = 0; count < 2; count++) {
      const { approvalId } = await until(run, 'approval-requested');
      await gate.reject(approvalId, 'first', { by: 'ada' });
    }
    answer(true);
    const rest = await collect(run);
    expect(of(rest)('approval-response')).toMatchObject([
      { approved: false, reason: 'first', decidedBy: 'ada' },
      { approved: false, reason: 'first', decidedBy: 'ada' },
    ]);
    expect(ran).toEqual([]);
  });

  it('that answers too late changes nothing', async () => {
    const { ran, tools } = recordingTools();
    const inTime = recordingTools();
    const late: ((value: boolean) => void)[] = [];
    // A machine may be so slow that the time is over before the callback is asked.
    while (late.length === 0) {
      const { of } = await play({
        turns: two(),
        tools,
        interruptOn: 'all',
        approvalTimeout: 20,
        onApprovalRequest: () => new Promise<boolean>((resolve) => late.push(resolve)),
      });
      expect(of('approval-response').map(({ decision }) => decision.type)).toEqual(['expired', 'expired']);
    }
    for (const answer of late) answer(true);
    // An answer in time goes the same way, behind them.
    await play({ turns: two(), tools: inTime.tools, interruptOn: 'all', onApprovalRequest: async () => true });
    expect(inTime.ran).toHaveLength(2);
    expect(ran).toEqual([]);
  });
});

describe('a gate and no callback', () => {
  it('waits for the gate: each call for its own decision', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const { run, prompts } = start({ turns: two(), tools, interruptOn: 'all', gate });
    const first = await until(run, 'approval-requested');
    const second = await until(run, 'approval-requested');
    expect((await gate.pending({ runId: run.runId })).map(({ approvalId }) => approvalId)).toEqual([
      first.approvalId,
      second.approvalId,
    ]);
    await gate.edit(second.approvalId, { path: '/e' }, { by: 'bob' });
    await gate.reject(first.approvalId, 'no');
    const rest = await collect(run);
    expect(of(rest)('approval-response')).toMatchObject([
      { toolCallId: 'c2', approved: true, decidedBy: 'bob' },
      { toolCallId: 'c1', approved: false, reason: 'no', decidedBy: 'gate' },
    ]);
    expect(ran).toEqual(['del /e']);
    expect(resultsIn(prompts[1])['c1']).toEqual({ type: 'execution-denied', reason: 'no' });
    expect(await gate.get(second.approvalId)).toMatchObject({ status: 'succeeded', decidedBy: 'bob', via: 'gate' });
  });

  it('has 300 s, or none with a callback, unless somebody says otherwise: the tool, the run, the gate', async () => {
    const within = async (more: object, timeout?: number, hasGate = true) => {
      const { tools } = recordingTools();
      const gate = hasGate ? { gate: createGate(timeout === undefined ? {} : { timeout }) } : {};
      const { run } = start({ turns: two(), tools, interruptOn: 'all', ...gate, ...more });
      const { createdAt, expiresAt } = await until(run, 'approval-requested');
      await run.return();
      return expiresAt === null ? null : expiresAt - createdAt;
    };
    expect(await within({})).toBe(300_000);
    expect(await within({}, 5_000)).toBe(5_000);
    expect(await within({ approvalTimeout: 4_000 }, 5_000)).toBe(4_000);
    expect(await within({ approvalTimeout: 4_000, interruptOn: { '*': { timeout: 3_000 } } }, 5_000)).toBe(3_000);
    expect(
      await within(
        { approvalTimeout: 4_000, interruptOn: { '*': { timeout: 3_000 }, del: { timeout: 2_000 } } },
        5_000,
      ),
    ).toBe(2_000);
    const onApprovalRequest = () => new Promise(() => {});
    expect(await within({ onApprovalRequest }, 5_000)).toBe(5_000);
    expect(await within({ onApprovalRequest })).toBe(null);
    expect(await within({ onApprovalRequest }, undefined, false)).toBe(null);
  });

  it('an edit that does not fit is refused to its author, and the request goes on waiting', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const { run } = start({
      turns: two().map((turn, index) => (index === 0 ? calls(call('del', { path: '/1' }, 'c1')) : turn)),
      tools,
      interruptOn: 'all',
      gate,
    });
    const { approvalId } = await until(run, 'approval-requested');
    await expect(gate.edit(approvalId, { path: 7 })).rejects.toMatchObject({ code: 'ERR_INVALID_DECISION' });
    expect(await gate.pending()).toHaveLength(1);
    await gate.approve(approvalId);
    await collect(run);
    expect(ran).toEqual(['del /1']);
  });

  it('the second decision gets the one that won', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    const { run } = start({
      turns: [calls(call('del', { path: '/1' }, 'c1')), says('.')],
      tools,
      interruptOn: 'all',
      gate,
    });
    const { approvalId } = await until(run, 'approval-requested');
    const outcomes = await Promise.allSettled([
      gate.approve(approvalId, { by: 'ada' }),
      gate.reject(approvalId, { by: 'bob' }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const { reason } = outcomes[1] as PromiseRejectedResult;
    expect(AlreadyDecidedError.isInstance(reason)).toBe(true);
    expect((reason as AlreadyDecidedError).winner).toMatchObject({ approvalId, status: 'approved', decidedBy: 'ada' });
    await run.return();
  });

  it.skipIf(isDurable)(
    inMemoryOnly('a closed gate ends what waits', 'what waits goes on waiting, see ledger.test.ts'),
    async () => {
      const { ran, tools } = recordingTools();
      const gate = createGate();
      const { run } = start({ turns: two(), tools, interruptOn: 'all', gate });
      await until(run, 'approval-requested');
      await gate.close();
      const rest = await collect(run);
      expect(of(rest)('approval-response').map(({ approved }) => approved)).toEqual([false, false]);
      expect(ran).toEqual([]);
      expect(rest.at(-1)?.type).toBe('done');
    },
  );

  it('a gate that is closed already is refused', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    await gate.close();
    const playing = async () => play({ turns: two(), tools, interruptOn: 'all', gate });
    await expect(playing()).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
  });
});

it('the time that a human takes counts against no timeout of the SDK', async () => {
  // On a busy machine the rest may take longer than the limit: then again, with a longer one and a slower human.
  for (let limit = 150; ; limit *= 4) {
    const { ran, tools } = recordingTools();
    const { events } = await play({
      turns: two(),
      tools,
      interruptOn: 'all',
      timeout: { totalMs: limit, stepMs: limit, chunkMs: (limit * 2) / 3 },
      onApprovalRequest: () => sleep(limit * 2).then(() => true),
    });
    if (events.at(-1)?.type !== 'done' && limit < 10_000) continue;
    expect(events.at(-1)?.type).toBe('done');
    expect(ran).toEqual(['del /1', 'del /2']);
    return;
  }
});

describe('nobody', () => {
  it('each request is rejected at once, and says so', async () => {
    const { ran, tools } = recordingTools();
    const { of, prompts } = await play({ turns: two(), tools, interruptOn: 'all' });
    expect(of('approval-requested').map(({ isAutomatic }) => isAutomatic)).toEqual([true, true]);
    expect(of('approval-response')).toMatchObject([{ approved: false }, { approved: false }]);
    expect(resultsIn(prompts[1])['c1']).toMatchObject({
      reason: expect.stringMatching(/onApprovalRequest/) as unknown,
    });
    expect(ran).toEqual([]);
  });

  it('is asked about calls that need no approval', async () => {
    const { ran, tools } = recordingTools();
    const { events } = await play({
      turns: [calls(call('read', { path: '/r' }, 'c1')), says('.')],
      tools,
      interruptOn: { del: true },
    });
    expect(ran).toEqual(['read /r']);
    expect(types(events)).not.toContain('approval-requested');
  });
});

describe('events come when things happen', () => {
  it('requests before any answer, answers while other calls still run', async () => {
    const { tools } = recordingTools();
    let finishRead: () => void = () => {};
    tools.read.execute = () => new Promise<string>((resolve) => (finishRead = () => resolve('slow')));
    const gate = createGate();
    const { run } = start({
      turns: [
        calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
        says('.'),
      ],
      tools,
      interruptOn: { del: true },
      gate,
    });
    const first = await until(run, 'approval-requested');
    await until(run, 'approval-requested');
    await gate.approve(first.approvalId);
    expect((await until(run, 'approval-response')).toolCallId).toBe('c1');
    const [second] = await gate.pending();
    await gate.approve(second?.approvalId as string);
    expect((await until(run, 'approval-response')).toolCallId).toBe('c2');
    finishRead();
    expect((await until(run, 'tool-result')).toolCallId).toBe('c0');
    await collect(run);
  });

  it('the result of an approved call while its sibling still runs', async () => {
    const { tools } = recordingTools();
    let finishSlow: () => void = () => {};
    tools.del.execute = (async ({ path }: { path: string }) => {
      if (path === '/2') await new Promise<void>((resolve) => (finishSlow = resolve));
      return path;
    }) as never;
    const { run } = start({ turns: two(), tools, interruptOn: 'all', onApprovalRequest: () => true });
    expect((await until(run, 'tool-result')).toolCallId).toBe('c1');
    finishSlow();
    expect((await until(run, 'tool-result')).toolCallId).toBe('c2');
    await collect(run);
  });
});
