/**
 * G7: Parallel calls are independent: any mix of decisions in any order, each call gets its own.
 *
 * Steps of one to six calls, answered at random moments: all mixes of one and two, and random samples of the others.
 */
import { tool, type ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGate, streamWithEvents } from '../../ts/index.js';
import type { ApprovalAnswer, Gate } from '../../index.js';
import { effort, isThorough, sample } from '../support/effort.js';
import { call, calls, collect, says, scripted, sleep } from '../support/model.js';

/** What may become of a call. */
const FATES = ['ungated', 'approve', 'edit', 'reject', 'respond', 'skip', 'throw', 'nonsense', 'expire'] as const;
type Fate = (typeof FATES)[number];

/** Through what the human answers. */
const WAYS = ['callback', 'gate'] as const;
type Way = (typeof WAYS)[number];

/** The same numbers in every run (mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const path = z.object({ path: z.string() });
/** How long an unanswered request waits, in ms. */
const EXPIRES = 40;

interface Case {
  fates: readonly Fate[];
  way: Way;
  /** When each call is answered, in ms. */
  delays: readonly number[];
}

/** One step with these calls; the ids and arguments of the calls are the same in every run, but for `name`. */
async function playOut({ fates, way, delays }: Case, name: string, gate: Gate): Promise<void> {
  const ran: string[] = [];
  const execute = async ({ path }: { path: string }) => {
    ran.push(path);
    await sleep(ran.length % 3);
    return `did ${path}`;
  };
  const tools = {
    open: tool({ inputSchema: path, execute }),
    slow: tool({ inputSchema: path, execute }),
    gated: tool({ inputSchema: path, execute }),
  };
  const toolOf = (fate: Fate) => (fate === 'ungated' ? 'open' : fate === 'expire' ? 'slow' : 'gated');
  const at = (index: number) => `/${name}/${index}`;
  const { model, prompts } = scripted([
    calls(...fates.map((fate, index) => call(toolOf(fate), { path: at(index) }, `call${index}`))),
    says('Done.'),
  ]);

  const answerTo = async (toolCallId: string): Promise<Exclude<ApprovalAnswer, 'pass'>> => {
    const index = Number(toolCallId.slice('call'.length));
    await sleep(delays[index] ?? 0);
    const own = `${name} ${index}`;
    switch (fates[index]) {
      case 'approve':
        return { type: 'approve' };
      case 'edit':
        return { type: 'edit', args: { path: `${at(index)}/edited` } };
      case 'reject':
        return { type: 'reject', reason: `rejected ${own}` };
      case 'respond':
        return { type: 'respond', output: `answered ${own}` };
      case 'skip':
        return { type: 'skip', reason: `skipped ${own}` };
      case 'throw':
        throw new Error(`broken ${own}`);
      case 'nonsense':
        return { type: `nonsense ${own}` } as never;
      default:
        return new Promise(() => {});
    }
  };
  const stop = new AbortController();
  const run = streamWithEvents({
    model,
    tools,
    prompt: 'go',
    gate,
    interruptOn: { gated: true, slow: { timeout: EXPIRES } },
    ...(way === 'callback'
      ? { onApprovalRequest: ({ toolCallId }: { toolCallId: string }) => answerTo(toolCallId) }
      : {}),
  });
  const deciding = (async () => {
    if (way === 'callback') return;
    for await (const event of gate.events({ signal: stop.signal })) {
      if (event.type !== 'requested' || event.request.runId !== run.runId) continue;
      const { approvalId, toolCallId } = event.request;
      void answerTo(toolCallId)
        // At a gate a malformed answer decides nothing: the human sees the error and answers again.
        .then((answer) => gate.decide(approvalId, answer))
        .catch((error: Error) => gate.reject(approvalId, error.message));
    }
  })();
  const events = await collect(run);
  stop.abort();
  await deciding;

  const expected = fates.map((fate, index) => ({ fate, id: `call${index}`, own: `${name} ${index}`, path: at(index) }));

  // What ran, and only once.
  const runs = expected.flatMap(({ fate, path }) => {
    if (fate === 'ungated' || fate === 'approve') return [path];
    return fate === 'edit' ? [`${path}/edited`] : [];
  });
  expect(ran.toSorted()).toEqual(runs.toSorted());

  // What the model is told: one message, one result for each call.
  expect(prompts).toHaveLength(2);
  const told = (prompts[1] ?? []).filter(({ role }) => role === 'tool');
  expect(told).toHaveLength(1);
  const parts = (told[0]?.content ?? []).filter(({ type }) => type === 'tool-result');
  expect(parts.map(({ toolCallId }) => toolCallId as unknown as string).toSorted()).toEqual(
    expected.map(({ id }) => id),
  );
  for (const { fate, id, own, path } of expected) {
    const output = parts.find(({ toolCallId }) => (toolCallId as unknown) === id)?.['output'] as unknown as Record<
      string,
      unknown
    >;
    const denied = { type: 'execution-denied' };
    const outputs: Record<Fate, object> = {
      ungated: { type: 'text', value: `did ${path}` },
      approve: { type: 'text', value: `did ${path}` },
      edit: { type: 'text', value: expect.stringContaining(`did ${path}/edited`) },
      reject: { ...denied, reason: `rejected ${own}` },
      respond: { type: 'text', value: `answered ${own}` },
      skip: { ...denied, reason: `skipped ${own}` },
      throw: { ...denied, reason: expect.stringContaining(`broken ${own}`) },
      nonsense: { ...denied, reason: expect.stringContaining(`nonsense ${own}`) },
      expire: denied,
    };
    expect(output, `${fate} ${own}`).toMatchObject(outputs[fate]);
  }

  // What the reader is told: one request and one decision for each gated call, in the order in which they were decided.
  const gated = expected.filter(({ fate }) => fate !== 'ungated');
  const requests = events.filter((event) => event.type === 'approval-requested');
  const responses = events.filter((event) => event.type === 'approval-response');
  expect(requests.map(({ toolCallId }) => toolCallId)).toEqual(gated.map(({ id }) => id));
  expect(responses.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(gated.map(({ id }) => id));
  const DECISIONS: Record<Fate, string> = {
    ungated: 'none',
    approve: 'approve',
    edit: 'edit',
    reject: 'reject',
    respond: 'respond',
    skip: 'skip',
    throw: 'reject',
    nonsense: 'reject',
    expire: 'expired',
  };
  for (const { toolCallId, approvalId, decision, approved } of responses) {
    const { fate } = gated.find(({ id }) => id === toolCallId) as { fate: Fate };
    expect(decision.type, toolCallId).toBe(DECISIONS[fate]);
    expect(approved).toBe(fate === 'approve' || fate === 'edit');
    expect(requests.find((request) => request.approvalId === approvalId)?.toolCallId).toBe(toolCallId);
    const record = await gate.get(approvalId);
    expect(record).toMatchObject({ runId: run.runId, toolCallId });
    if (approved) expect(record?.status).toBe('succeeded');
  }

  // The conversation that is kept: all answers of the step in one message.
  const { messages } = await run.result;
  const answers = messages.map(answersIn).filter((ids) => ids.length > 0);
  expect(answers).toHaveLength(gated.length === 0 ? 0 : 1);
  expect(answers.flat()).toHaveLength(gated.length);
  expect(new Set(answers.flat()).size).toBe(gated.length);
}

function answersIn({ role, content }: ModelMessage): string[] {
  if (role !== 'tool') return [];
  return content.flatMap((part) => (part.type === 'tool-approval-response' ? [part.approvalId] : []));
}

/** Runs them on one gate, many at a time. */
async function playAll(cases: readonly Case[]): Promise<void> {
  const gate = createGate();
  const failures: string[] = [];
  const queue = cases.map((each, index) => ({ each, name: `run${index}` }));
  const worker = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { each, name } = next;
      await playOut(each, name, gate).catch((error: Error) =>
        failures.push(`${JSON.stringify(each)}: ${error.message}`),
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(failures).toEqual([]);
  expect(await gate.pending()).toEqual([]);
}

describe.each(WAYS)('answered through the %s', (way) => {
  it('each call alone', () => playAll(FATES.map((fate) => ({ fates: [fate], way, delays: [0] }))));

  it('each pair', () => {
    const pairs = FATES.flatMap((first) => FATES.map((second) => [first, second]));
    // Where there is little time, one order of each: every fate is first beside one half of the others.
    const orders = [
      [0, 5],
      [5, 0],
    ];
    return playAll(
      sample(pairs, 8).flatMap((fates, pair) =>
        orders.filter((_, order) => isThorough || order === pair % 2).map((delays) => ({ fates, way, delays })),
      ),
    );
  });

  it.each([3, 4, 5, 6])('%s calls at once', (count) => {
    const pick = random(count);
    const one = (): Case => ({
      fates: Array.from({ length: count }, () => FATES[pick(FATES.length)] as Fate),
      way,
      delays: Array.from({ length: count }, () => pick(12)),
    });
    return playAll(Array.from({ length: effort(4, 60, 2) }, one));
  });
});

it('answers in every order of time for one step', () => {
  const orders = (items: number[]): number[][] =>
    items.length < 2
      ? [items]
      : items.flatMap((item) => orders(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));
  const fates = ['approve', 'reject', 'edit', 'respond'] as const;
  return playAll(sample(orders([0, 5, 10, 15])).map((delays) => ({ fates, way: 'callback', delays })));
});

describe('one of several', () => {
  /** `count` calls of one tool, and the gate that they wait at. */
  async function waitFor(count: number) {
    const gate = createGate();
    const ran: string[] = [];
    const gated = tool({ inputSchema: path, execute: async ({ path }) => void ran.push(path) });
    const { model, prompts } = scripted([
      calls(...Array.from({ length: count }, (_, index) => call('gated', { path: `/${index}` }, `call${index}`))),
      says('Done.'),
    ]);
    const run = streamWithEvents({ model, tools: { gated }, prompt: 'go', gate, interruptOn: 'all' });
    const events = collect(run);
    let waiting = await gate.pending();
    for (; waiting.length < count; waiting = await gate.pending()) await sleep(1);
    return { gate, ran, prompts, run, events, ids: waiting.map(({ approvalId }) => approvalId) };
  }

  it('that is rejected leaves the others as they are', async () => {
    const { gate, ran, events, ids } = await waitFor(4);
    const [first, second, third, fourth] = ids as [string, string, string, string];
    await gate.approve(first);
    await gate.approve(third);
    await gate.reject(second, 'not this one');
    expect((await gate.get(first))?.status).toBe('approved');
    expect((await gate.get(third))?.status).toBe('approved');
    expect((await gate.pending()).map(({ approvalId }) => approvalId)).toEqual([fourth]);
    // Nothing starts before the last is decided: the model gets all answers of a step at once.
    expect(ran).toEqual([]);
    await gate.approve(fourth);
    await events;
    expect(ran.toSorted()).toEqual(['/0', '/2', '/3']);
  });

  it('whose tool fails leaves the others as they are', async () => {
    const ran: string[] = [];
    const gated = tool({
      inputSchema: path,
      execute: async ({ path }) => {
        if (path === '/0') throw new Error('broken');
        ran.push(path);
      },
    });
    const { model } = scripted([
      calls(...[0, 1, 2].map((index) => call('gated', { path: `/${index}` }, `call${index}`))),
      says('.'),
    ]);
    const gate = createGate();
    const events = await collect(
      streamWithEvents({
        model,
        tools: { gated },
        prompt: 'go',
        gate,
        interruptOn: 'all',
        onApprovalRequest: () => true,
      }),
    );
    expect(ran.toSorted()).toEqual(['/1', '/2']);
    expect(events.filter(({ type }) => type === 'tool-error')).toMatchObject([{ toolCallId: 'call0' }]);
    expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(2);
  });

  it('that ends the turn is the only one that stops the others', async () => {
    const { gate, ran, run, prompts, events, ids } = await waitFor(3);
    await gate.approve(ids[0] as string);
    await gate.reject(ids[1] as string, { reason: 'stop here', stop: true });
    await events;
    expect([ran, prompts.length]).toEqual([[], 1]);
    expect((await gate.get(ids[0] as string))?.status).toBe('cancelled');
    expect((await gate.get(ids[2] as string))?.status).toBe('cancelled');
    expect((await run.result).messages.at(-1)?.role).toBe('tool');
  });
});

const RUNS = effort(6, 20);

it('runs with the same ids of calls on one gate do not mix', async () => {
  const gate = createGate();
  const started = Array.from({ length: RUNS }, (_, index) => {
    const ran: string[] = [];
    const gated = tool({ inputSchema: path, execute: async ({ path }) => void ran.push(path) });
    const { model } = scripted([
      calls(call('gated', { path: `/${index}` }, 'same'), call('gated', { path: `/${index}` }, 'same2')),
      says('.'),
    ]);
    const run = streamWithEvents({ model, tools: { gated }, prompt: 'go', gate, interruptOn: 'all' });
    return { ran, run, index, events: collect(run) };
  });
  while ((await gate.pending()).length < 2 * RUNS) await sleep(1);
  for (const { run, index } of started.toReversed()) {
    for (const { approvalId, args, toolCallId } of await gate.pending({ runId: run.runId })) {
      expect(args).toEqual({ path: `/${index}` });
      if (index % 2 === 0 && toolCallId === 'same') await gate.approve(approvalId);
      else await gate.reject(approvalId);
    }
  }
  for (const { ran, events, index } of started) {
    await events;
    expect(ran).toEqual(index % 2 === 0 ? [`/${index}`] : []);
  }
});
