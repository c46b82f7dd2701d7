/**
 * G6: After an abort nothing runs, and every pending request of the run is `cancelled`.
 *
 * One run with every kind of call in it is stopped at each of its moments, in each way there is to stop it.
 */
import { generateText, ToolLoopAgent, tool, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import type { AgentEvent, AgentRun, ApprovalRecord, GateEvent } from '../../index.js';
import { afterwards, LATER } from '../support/afterwards.js';
import { sample } from '../support/effort.js';
import { isDurable } from '../support/ledger.js';
import { lazy, type LazyModel } from '../support/lazy-model.js';
import {
  call,
  calls,
  collect,
  finish,
  major,
  resultsIn,
  says,
  scripted,
  sleep,
  text,
  type ModelPart,
} from '../support/model.js';

/** When it counts as never over, in ms. Nothing that is left to wait for in these runs ever ends by itself. */
const NEVER = 400_000;
/** How long the human of a later call takes, in ms: longer than any timer of these runs. */
const THINKS = 60;

const never = new Promise<never>(() => {});

const MOMENTS = [
  'before the start',
  'while the model is called',
  'while the model streams, before its calls',
  'while the model streams, after its calls',
  'while a predicate thinks',
  'while a predicate of another call thinks',
  'while the description is written',
  'when the human is called',
  'when humans are asked',
  'when some have decided',
  'when the last has decided',
  'when the last decision is written down',
  'when the approvals are told',
  'when the next round is prepared',
  'when the SDK is about to run an approved tool',
  'when the first approved tool runs',
  'while approved tools run',
  'when the approved tools have run',
  'when the model is called again',
] as const;
type Moment = (typeof MOMENTS)[number];

/** A run that passes every moment, and stops at the requested one until `act` is done. */
function stage(moment: Moment, act: () => void) {
  let decided = 0;
  // The logger is told while the change is being made: no waiting caller has heard of it yet.
  const info = (message: string) => {
    if (message === 'approval decided' && ++decided === 2) void at('when the last decision is written down');
  };
  const gate = createGate({ logger: { info } });
  const log: GateEvent[] = [];
  void (async () => {
    for await (const event of gate.events()) log.push(event);
  })();
  const started: string[] = [];
  let calledWhenActed = 0;
  let startedWhenActed: string[] | undefined;
  let askedWhenActed = 0;
  let asked = 0;
  let pendingWhenActed: Promise<string[]> = Promise.resolve([]);
  const at = (now: Moment): Promise<void> | void => {
    if (now !== moment || startedWhenActed !== undefined) return;
    pendingWhenActed = gate.pending().then((waiting) => waiting.map(({ approvalId }) => approvalId));
    [startedWhenActed, calledWhenActed, askedWhenActed] = [[...started], model.calls, asked];
    act();
    // What goes on all the same, goes on at once.
    return Promise.resolve();
  };

  const path = z.object({ path: z.string() });
  const execute = async ({ path }: { path: string }) => {
    started.push(path);
    await at('when the first approved tool runs');
    if (moment === 'while approved tools run' && path.startsWith('/gated')) {
      if (started.filter((each) => each.startsWith('/gated')).length === 2) at('while approved tools run');
      // It does not listen to the signal.
      await never;
    }
    if (path === '/gated2') setTimeout(() => at('when the approved tools have run'), 0);
    await sleep(5);
    return path;
  };
  const tools = { del: tool({ inputSchema: path, execute }), read: tool({ inputSchema: path, execute }) };

  const parts = async function* (number: number): AsyncGenerator<ModelPart> {
    if (number > 0) {
      await at('when the model is called again');
      await sleep(20);
      yield call('read', { path: '/late' }, 'late');
      yield finish('tool-calls');
      return;
    }
    await at('while the model is called');
    yield* text('I will.');
    await at('while the model streams, before its calls');
    yield call('read', { path: '/open1' }, 'o1');
    yield call('del', { path: '/gated1' }, 'g1');
    yield call('del', { path: '/gated2' }, 'g2');
    yield call('del', { path: '/allowed' }, 'a1');
    await at('while the model streams, after its calls');
    yield finish('tool-calls');
  };
  const model: LazyModel = lazy((number) => (number < 2 ? parts(number) : says('Done.')));

  const options = {
    tools,
    prompt: 'go',
    gate,
    interruptOn: {
      del: {
        shouldApprove: async ({ path }: { path: string }) => {
          await at(path === '/gated1' ? 'while a predicate thinks' : 'while a predicate of another call thinks');
          await sleep(1);
          return path !== '/allowed';
        },
        description: async () => {
          await at('while the description is written');
          await sleep(1);
          return 'Deletes it.';
        },
      },
    },
    onApprovalRequest: async (
      { toolCallId }: { toolCallId: string },
      { abortSignal }: { abortSignal: AbortSignal },
    ) => {
      expect(abortSignal.aborted, 'nobody is asked after an abort').toBe(false);
      asked++;
      void at('when the human is called');
      await sleep(toolCallId === 'g1' ? 10 : 30);
      if (toolCallId === 'g1') setTimeout(() => at('when some have decided'), 5);
      else if (moment === 'when the last has decided')
        queueMicrotask(() => queueMicrotask(() => at('when the last has decided')));
      else if (moment === 'when some have decided') await never;
      return true;
    },
    prepareStep: async ({ stepNumber }: { stepNumber: number }) => {
      if (stepNumber > 0) await at('when the next round is prepared');
      return {};
    },
    // Both names: AI SDK 6 and 7.
    experimental_onToolCallStart: () => at('when the SDK is about to run an approved tool'),
    onToolExecutionStart: () => at('when the SDK is about to run an approved tool'),
  };
  let responses = 0;
  /** To be told of each event that was read. */
  const read = (event: { type: string }) => {
    if (event.type === 'approval-requested') void at('when humans are asked');
    if (event.type === 'approval-response' && ++responses === 2) void at('when the approvals are told');
  };

  /** What must be true once the run is over. */
  const check = async () => {
    expect(startedWhenActed, `the run came by "${moment}"`).toBeDefined();
    await afterwards(gate, THINKS);
    expect(started, 'nothing started afterwards').toEqual(startedWhenActed);
    expect(model.calls, 'the model was not called again').toBeLessThanOrEqual(
      calledWhenActed + (calledWhenActed === 0 ? 1 : 0),
    );
    expect(asked, 'nobody was asked afterwards').toBe(askedWhenActed);
    expect(await gate.pending()).toEqual([]);
    const ids = log
      .filter((event) => event.type === 'requested')
      .filter(({ request }) => request.toolCallId !== LATER)
      .map(({ request }) => request.approvalId);
    const records = (await Promise.all(ids.map((id) => gate.get(id)))) as ApprovalRecord[];
    for (const record of records) {
      const ran = startedWhenActed?.includes((record.args as { path: string }).path);
      // A redemption that was on its way to the disk may have come there first: then it did not run, and has failed.
      const redeemed = isDurable && log.some(({ type, ...more }) => type === 'started' && has(more, record));
      const ended = ran === true ? /^(started|succeeded|failed)$/ : redeemed ? /^failed$/ : /^cancelled$/;
      expect(record.status, record.toolCallId).toMatch(ended);
    }
    const waited = await pendingWhenActed;
    for (const record of records.filter(({ approvalId }) => waited.includes(approvalId))) {
      expect(record).toMatchObject({ status: 'cancelled', decision: { type: 'cancelled' }, via: 'abort' });
    }
    return { asked: askedWhenActed, waited: waited.length };
  };
  return { gate, model, options, at, read, check, log };
}

const has = (told: object, { approvalId }: ApprovalRecord) => 'approvalId' in told && told.approvalId === approvalId;

/** Reads a run to its end, and tells each event. */
async function readAll(run: AgentRun, read: (event: AgentEvent) => void): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    read(event);
  }
  return events;
}

async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not over after ${NEVER} ms`)), NEVER);
  });
  return Promise.race([promise, hangs]).finally(() => clearTimeout(timer));
}

/** The messages of an abort are a conversation that can go on; what was stopped does not come back to life. */
async function continues(messages: ModelMessage[]): Promise<void> {
  const { model, prompts } = scripted([says('Here we are.')]);
  const ran: string[] = [];
  const execute = async ({ path }: { path: string }) => void ran.push(path);
  const tools = {
    del: tool({ inputSchema: z.object({ path: z.string() }), execute }),
    read: tool({ inputSchema: z.object({ path: z.string() }), execute }),
  };
  const run = streamWithEvents({
    model,
    tools,
    messages: [...messages, { role: 'user', content: 'And now?' }],
    interruptOn: ['del'],
    onApprovalRequest: () => true,
  });
  const events = await collect(run);
  expect(events.at(-1)).toMatchObject({ type: 'done', text: 'Here we are.' });
  expect(prompts).toHaveLength(1);
  expect(prompts[0]?.at(0)).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'go' }] });
  expect(ran).toEqual([]);
  // Each call has its result: no provider refuses it.
  const made = (prompts[0] ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  for (const { type, toolCallId } of made as { type: string; toolCallId: string }[]) {
    if (type === 'tool-call') expect(Object.keys(resultsIn(prompts[0]))).toContain(toolCallId);
  }
}

// Each has a gate of its own, and waits most of its time.
describe.concurrent.each(sample(MOMENTS, 3))('%s', (moment) => {
  const before = moment === 'before the start';

  it.each(['streamText', 'agent'] as const)('abortSignal, with %s', async (variant) => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { model, options, at, read, check } = stage(moment, () => stop.abort(reason));
    const { tools, prepareStep, prompt, experimental_onToolCallStart, onToolExecutionStart, ...own } = options;
    const settings = { model: model.model, tools, prepareStep, experimental_onToolCallStart, onToolExecutionStart };
    const common = { prompt, abortSignal: stop.signal };
    const run = (
      variant === 'streamText'
        ? streamWithEvents({ ...settings, ...common, ...own } as never)
        : streamWithEvents({ agent: new ToolLoopAgent(settings as never), ...common, ...own } as never)
    ) as AgentRun;
    if (before) at(moment);
    const events = await soon('the run', readAll(run, read));
    await expect(soon('result', run.result)).rejects.toBe(reason);
    const { waited } = await check();
    const responses = events.filter((event) => event.type === 'approval-response');
    const requests = events.filter((event) => event.type === 'approval-requested');
    expect(responses.map(({ approvalId }) => approvalId).toSorted()).toEqual(
      requests.map(({ approvalId }) => approvalId).toSorted(),
    );
    const cancelled = responses.filter(({ decision }) => decision.type === 'cancelled');
    // An answer that was on its way to the disk may have come there first.
    if (!isDurable) expect(cancelled).toHaveLength(waited);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'abort', reason });
    expect(events.filter(({ type }) => type === 'abort' || type === 'done')).toHaveLength(1);
    if (last?.type === 'abort') await continues(last.messages);
  });

  it.each(['return', 'throw', 'dispose'] as const)('%s, while somebody reads', async (way) => {
    let leaving: Promise<unknown> = Promise.resolve();
    const leave = async () => {
      if (way === 'return') expect(await run.return()).toEqual({ value: undefined, done: true });
      else if (way === 'dispose') await run[Symbol.asyncDispose]();
      else await expect(run.throw(new Error('mine'))).rejects.toThrow('mine');
    };
    const { model, options, at, read, check } = stage(moment, () => void (leaving = leave()));
    const run = streamWithEvents({ ...options, model: model.model } as never) as AgentRun;
    if (before) at(moment);
    const events = await soon('the reader', readAll(run, read));
    expect(events.filter(({ type }) => type === 'done')).toEqual([]);
    await soon('leaving', leaving);
    await check();
    await expect(soon('result', run.result)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  // The UI stream of AI SDK 6 has no chunk that tells a decision.
  it.skipIf(major === 6 && moment === 'when the approvals are told')('the UI stream is cancelled', async () => {
    const { model, options, at, read, check } = stage(moment, () => void reader.cancel());
    const run = streamWithEvents({ ...options, model: model.model } as never) as AgentRun;
    const reader = run.toUIMessageStream().getReader();
    if (before) at(moment);
    const drain = async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const type = (value as { type: string }).type;
        if (type === 'tool-approval-request') read({ type: 'approval-requested' });
        if (type === 'tool-approval-response') read({ type: 'approval-response' });
      }
    };
    await soon('the reader', drain());
    // What is cancelled is so on the disk when the run is over, and not before.
    await expect(soon('result', run.result)).rejects.toMatchObject({ name: 'AbortError' });
    await check();
  });
});

/** Two gated calls, and a human who has not answered. */
function waiting(more: object = {}) {
  const gate = createGate();
  const ran: string[] = [];
  const inputSchema = z.object({ path: z.string() });
  const del = tool({ inputSchema, execute: async ({ path }) => void ran.push(path) });
  const { model, prompts } = scripted([
    calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
    says('Done.'),
  ]);
  const run = streamWithEvents({
    model,
    tools: { del },
    prompt: 'go',
    interruptOn: ['del'],
    gate,
    ...more,
  } as never) as AgentRun;
  return { gate, ran, prompts, run };
}

describe('leaving the loop', () => {
  it.each(['break', 'throw'] as const)('with %s', async (how) => {
    const { gate, ran, run, prompts } = waiting();
    let seen = '';
    const loop = async () => {
      for await (const event of run) {
        if (event.type !== 'approval-requested') continue;
        seen = event.approvalId;
        if (how === 'break') break;
        throw new Error('mine');
      }
    };
    if (how === 'break') await soon('the loop', loop());
    else await expect(soon('the loop', loop())).rejects.toThrow('mine');
    expect(await gate.pending()).toEqual([]);
    expect(await gate.get(seen)).toMatchObject({ status: 'cancelled', via: 'abort' });
    await expect(gate.approve(seen)).rejects.toMatchObject({ code: 'ERR_ALREADY_DECIDED' });
    await expect(soon('result', run.result)).rejects.toMatchObject({ name: 'AbortError' });
    await afterwards(gate, THINKS);
    expect([ran, prompts.length]).toEqual([[], 1]);
  });

  it('with await using', async () => {
    const { gate, ran, run } = waiting();
    {
      await using mine = run;
      for (let type = ''; type !== 'approval-requested'; type = (await mine.next()).value?.type ?? 'over');
      expect(await gate.pending()).toHaveLength(2);
    }
    expect(await gate.pending()).toEqual([]);
    expect(ran).toEqual([]);
  });

  it('with an approval in the hand: it is taken back', async () => {
    const { gate, ran, run } = waiting();
    const approved: string[] = [];
    for await (const event of run) {
      if (event.type === 'approval-requested') approved.push((await gate.approve(event.approvalId)).approvalId);
      if (approved.length === 2) break;
    }
    await afterwards(gate, THINKS);
    for (const id of approved) expect(await gate.get(id)).toMatchObject({ status: 'cancelled' });
    expect(ran).toEqual([]);
  });
});

it('cancels nothing of other runs on the gate', async () => {
  const gate = createGate();
  const stop = new AbortController();
  const one = waiting({ gate, abortSignal: stop.signal });
  const other = waiting({ gate });
  const mine = gate.request({ toolName: 'x', args: {} });
  const read = [collect(one.run), collect(other.run)] as const;
  while ((await gate.pending()).length < 5) await sleep(1);
  stop.abort(new Error('enough'));
  await soon('the run', read[0]);
  expect(await gate.pending({ runId: one.run.runId })).toEqual([]);
  const rest = await gate.pending();
  expect(rest).toHaveLength(3);
  for (const { approvalId } of rest) await gate.approve(approvalId);
  expect((await mine).approved).toBe(true);
  expect((await read[1]).at(-1)).toMatchObject({ type: 'done' });
  expect([one.ran, other.ran.toSorted()]).toEqual([[], ['/1', '/2']]);
});

it('tells an abort that a decision brought about after that decision', async () => {
  const stop = new AbortController();
  const gate = createGate({
    logger: {
      info: (message, { decision }) => message === 'approval decided' && decision === 'approve' && stop.abort(),
    },
  });
  const told: string[] = [];
  const listening = (async () => {
    for await (const event of gate.events()) {
      if (event.type === 'decided') told.push(`${event.request.toolCallId} ${event.decision.type}`);
    }
  })();
  const { run, ran } = waiting({ gate, abortSignal: stop.signal, onApprovalRequest: () => true });
  await soon('the run', collect(run));
  await gate.close();
  await soon('the events', listening);
  // Both answers may be on their way to a disk at once.
  const [second] = told.filter((each) => each === 'c2 approve');
  expect(told.filter((each) => each !== second)).toEqual(['c1 approve', 'c1 cancelled', 'c2 cancelled']);
  if (second !== undefined)
    expect([isDurable, told.indexOf(second) < told.indexOf('c2 cancelled')]).toEqual([true, true]);
  expect(ran).toEqual([]);
});

it('rejects .result when nobody iterates', async () => {
  const stop = new AbortController();
  const reason = { any: 'value' };
  const { gate, ran, run } = waiting({ abortSignal: stop.signal });
  const result = run.result.then(
    () => 'resolved',
    (error: unknown) => error,
  );
  while ((await gate.pending()).length < 2) await sleep(1);
  stop.abort(reason);
  expect(await soon('result', result)).toBe(reason);
  expect(await gate.pending()).toEqual([]);
  expect(ran).toEqual([]);
});

it("takes a human's late answer back to nobody", async () => {
  const stop = new AbortController();
  let answer: (value: boolean) => void = () => {};
  const { gate, ran, run } = waiting({
    abortSignal: stop.signal,
    onApprovalRequest: () => new Promise<boolean>((resolve) => void (answer = resolve)),
  });
  const events = collect(run);
  while ((await gate.pending()).length < 2) await sleep(1);
  stop.abort(new Error('enough'));
  answer(true);
  expect((await soon('the run', events)).at(-1)).toMatchObject({ type: 'abort' });
  await afterwards(gate, THINKS);
  expect(ran).toEqual([]);
});

describe("the SDK's own timeout", () => {
  const inputSchema = z.object({ path: z.string() });
  /** AI SDK 6 waits for a tool that does not listen, whatever its timeout says. */
  const untilAborted = (signal: AbortSignal | undefined) =>
    major === 7
      ? never
      : new Promise<void>((resolve) => {
          if (signal?.aborted === true) resolve();
          signal?.addEventListener('abort', () => resolve());
        });

  /**
   * Plays with a limit in ms, and again with longer ones until the run comes to where it is to be stopped before its limit:
   * a busy machine may take long for that.
   *
   * @param play whether it came there
   */
  async function inTime(play: (timeout: number) => Promise<boolean>): Promise<void> {
    for (let timeout = 100; !(await play(timeout)); timeout *= 4) expect(timeout).toBeLessThan(NEVER);
  }

  it('while the model streams, a sibling runs and a human is asked', () =>
    inTime(async (timeout) => {
      const gate = createGate();
      const started: string[] = [];
      const tools = {
        del: tool({ inputSchema, execute: async ({ path }) => void started.push(path) }),
        read: tool({
          inputSchema,
          execute: async ({ path }, { abortSignal }) => {
            started.push(path);
            await untilAborted(abortSignal);
          },
        }),
      };
      const { model } = scripted([
        calls(call('read', { path: '/r' }, 'r1'), call('del', { path: '/d' }, 'd1')),
        says('.'),
      ]);
      const run = streamWithEvents({ model, tools, prompt: 'go', gate, interruptOn: ['del'], timeout });
      const all = await soon('the run', collect(run));
      const waits = all.find((event) => event.type === 'approval-requested');
      if (waits === undefined || started.length === 0) return false;
      expect(all.slice(-2)).toMatchObject([
        { type: 'approval-response', decision: { type: 'cancelled' } },
        { type: 'abort' },
      ]);
      expect(await gate.get(waits.approvalId)).toMatchObject({ status: 'cancelled', via: 'abort' });
      await expect(soon('result', run.result)).rejects.toMatchObject({ name: 'TimeoutError' });
      await afterwards(gate, THINKS);
      expect(started).toEqual(['/r']);
      return true;
    }));

  it('while an approved tool runs', () =>
    inTime(async (timeout) => {
      const gate = createGate();
      const started: string[] = [];
      const del = tool({
        inputSchema,
        execute: async ({ path }, { abortSignal }) => {
          started.push(path);
          await untilAborted(abortSignal);
        },
      });
      const { model, prompts } = scripted([calls(call('del', { path: '/1' }, 'd1')), says('.')]);
      const run = streamWithEvents({
        model,
        tools: { del },
        prompt: 'go',
        gate,
        interruptOn: 'all',
        timeout,
        onApprovalRequest: () => true,
      });
      const events = await soon('the run', collect(run));
      expect(events.at(-1)).toMatchObject({ type: 'abort' });
      await expect(soon('result', run.result)).rejects.toMatchObject({ name: 'TimeoutError' });
      await afterwards(gate, THINKS);
      if (started.length === 0) return false;
      expect([started, prompts.length]).toEqual([['/1'], 1]);
      return true;
    }));
});

describe('gateTools, with the abort signal of the loop', () => {
  const MOMENTS = [
    'while a predicate thinks',
    'while the description is written',
    'when the human is called',
    'when it was approved',
  ] as const;

  it.concurrent.for(sample(MOMENTS, 3))('%s', async (moment, { expect }) => {
    const gate = createGate({
      logger: { info: (message) => message === 'approval decided' && at('when it was approved') },
    });
    const ran: string[] = [];
    const stop = new AbortController();
    const reason = new Error('enough');
    let isPast = false;
    const at = (now: string) => {
      if (now !== 'when it was approved') expect(isPast, `"${now}" comes after the abort`).toBe(false);
      if (now !== moment || isPast) return;
      isPast = true;
      stop.abort(reason);
    };
    const del = tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => void ran.push(path) });
    const tools = gateTools(
      { del },
      {
        gate,
        interruptOn: {
          del: {
            shouldApprove: async () => {
              await sleep(1);
              at('while a predicate thinks');
              return true;
            },
            description: async () => {
              await sleep(1);
              at('while the description is written');
              return 'Deletes it.';
            },
          },
        },
        onApprovalRequest: async () => {
          await sleep(1);
          at('when the human is called');
          return true;
        },
      },
    );
    const seen: GateEvent[] = [];
    void (async () => {
      for await (const event of gate.events()) seen.push(event);
    })();
    const { model, prompts } = scripted([calls(call('del', { path: '/1' }, 'c1')), says('.')]);
    await generateText({ model, tools, prompt: 'go', abortSignal: stop.signal, stopWhen: [] }).catch(() => {});
    expect(isPast).toBe(true);
    await afterwards(gate, THINKS);
    expect(ran).toEqual([]);
    expect(prompts).toHaveLength(1);
    for (const event of seen) {
      if (event.type !== 'requested' || event.request.toolCallId === LATER) continue;
      // Where the ledger lasts, it is written down a moment later.
      await expect.poll(async () => (await gate.get(event.request.approvalId))?.status).toBe('cancelled');
    }
    expect(await gate.pending()).toEqual([]);
  });

  it('passes the signal on to the tool that runs', async () => {
    const stop = new AbortController();
    let told: unknown;
    const del = tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async (_args, { abortSignal }) => {
        setTimeout(() => stop.abort(new Error('enough')), 5);
        await new Promise<void>((resolve) => abortSignal?.addEventListener('abort', () => resolve()));
        told = abortSignal?.reason;
      },
    });
    const tools = gateTools({ del }, { interruptOn: ['del'], onApprovalRequest: () => true });
    const { model } = scripted([calls(call('del', { path: '/1' }, 'c1')), says('.')]);
    await generateText({ model, tools, prompt: 'go', abortSignal: stop.signal }).catch(() => {});
    expect(told).toMatchObject({ message: 'enough' });
  });
});
