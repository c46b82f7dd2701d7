/** The run as an async iterator and as a promise. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { createGate, InvalidConfigError, streamWithEvents } from '../../ts/index.js';
import type { AgentEvent } from '../../index.js';
import { afterwards } from '../support/afterwards.js';
import { call, calls, collect, major, says, scripted, text, type ModelPart } from '../support/model.js';
import { play, start, types } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { settled } from '../support/turns.js';

const one = () => [calls(call('del', { path: '/a' }, 'c1')), says('Done.')];
const yes = { interruptOn: 'all', onApprovalRequest: () => true } as const;

describe('the iterator', () => {
  it('does nothing before the first next', async () => {
    const gate = createGate();
    const { run, prompts } = start({ turns: [says('.')], gate });
    await afterwards(gate);
    expect(prompts).toHaveLength(0);
    await collect(run);
    expect(prompts).toHaveLength(1);
  });

  it('two next() at once get two events, in order', async () => {
    const { tools } = recordingTools();
    const { run } = start({ turns: one(), tools, ...yes });
    const pairs: AgentEvent[] = [];
    for (;;) {
      const [left, right] = await Promise.all([run.next(), run.next()]);
      for (const { value } of [left, right]) if (value !== undefined) pairs.push(value);
      if (right.done === true) break;
    }
    const { events } = await play({ turns: one(), tools: recordingTools().tools, ...yes });
    expect(types(pairs)).toEqual(types(events));
  });

  it('iterated twice: an error says that the events are gone', async () => {
    const { run } = start({ turns: [says('Hi.')] });
    const first = await collect(run);
    expect(first.at(-1)?.type).toBe('done');
    await expect(collect(run)).rejects.toThrow(/iterated once.*run\.result/);
    expect(await run.next()).toEqual({ value: undefined, done: true });
    const left = start({ turns: [says('Hi.')] }).run;
    for await (const _ of left) break;
    await expect(collect(left)).rejects.toThrow(InvalidConfigError);
    const driven = start({ turns: [says('Hi.')] }).run;
    await driven.result;
    await expect(collect(driven)).rejects.toThrow(InvalidConfigError);
  });

  it('iterated beside its stream for a UI: an error says where the events go', async () => {
    const { run } = start({ turns: [says('Hi.')] });
    const stream = run.toUIMessageStream();
    await expect(collect(run)).rejects.toThrow(/its events go into the stream that toUIMessageStream/);
    expect(() => run.toUIMessageStreamResponse()).toThrow(/its events go into the stream/);
    expect(JSON.stringify(await collect(stream))).toContain('Hi.');
  });

  it('a loop gets all events, whether its result was taken before or some were read by next()', async () => {
    const whole = types(await collect(start({ turns: [says('Hi.')] }).run));
    const taken = start({ turns: [says('Hi.')] }).run;
    const result = taken.result.then(({ text }) => text);
    expect([types(await collect(taken)), await result]).toEqual([whole, 'Hi.']);
    const begun = start({ turns: [says('Hi.')] }).run;
    const { value } = await begun.next();
    expect(types([value as AgentEvent, ...(await collect(begun))])).toEqual(whole);
    const iterator = start({ turns: [says('Hi.')] }).run[Symbol.asyncIterator]();
    expect(types(await collect(iterator))).toEqual(whole);
  });

  it('return twice, and before the start', async () => {
    const { tools } = recordingTools();
    const { run, prompts } = start({ turns: one(), tools, ...yes });
    expect(await run.return()).toEqual({ value: undefined, done: true });
    expect(await run.return()).toEqual({ value: undefined, done: true });
    expect(await run.next()).toEqual({ value: undefined, done: true });
    expect(prompts).toHaveLength(0);
    await expect(run.result).rejects.toThrow(/left/);
  });

  it('return while next is waiting', async () => {
    const { tools } = recordingTools();
    const { run } = start({
      turns: one(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => new Promise<boolean>(() => {}),
    });
    while ((await run.next()).value?.type !== 'step-finish');
    const waiting = run.next();
    expect(await run.return()).toEqual({ value: undefined, done: true });
    await waiting;
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  it('throw ends it with that error', async () => {
    const { run } = start({ turns: [says('.')] });
    await run.next();
    await expect(run.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  it('return after the end changes nothing', async () => {
    const { run } = start({ turns: [says('Hi.')] });
    await collect(run);
    await run.return();
    expect((await run.result).text).toBe('Hi.');
  });

  it('its event type narrows', async () => {
    for await (const event of streamWithEvents({ model: scripted([says('.')]).model, prompt: 'go' })) {
      if (event.type === 'text') expectTypeOf(event.text).toEqualTypeOf<string>();
    }
  });
});

describe('the result', () => {
  it('awaited without iterating, drives the run', async () => {
    const { ran, tools } = recordingTools();
    const { run } = start({ turns: one(), tools, ...yes });
    expect((await run.result).text).toBe('Done.');
    expect(ran).toEqual(['del /a']);
  });

  it('awaited while somebody iterates, takes no events away', async () => {
    const { tools } = recordingTools();
    const { run } = start({ turns: one(), tools, ...yes });
    const first = await run.next();
    const [{ text: said }, rest] = await Promise.all([run.result, collect(run)]);
    expect(said).toBe('Done.');
    const { events } = await play({ turns: one(), tools: recordingTools().tools, ...yes });
    expect(types([first.value as AgentEvent, ...rest])).toEqual(types(events));
  });

  it('looked at without awaiting, starts nothing', async () => {
    const gate = createGate();
    const { run, prompts } = start({ turns: [says('.')], gate });
    void run.result;
    await afterwards(gate);
    expect(prompts).toHaveLength(0);
  });

  it('works with Promise.all, catch and finally', async () => {
    const ends = (turns: () => ModelPart[]) => start({ turns: [turns], maxRetries: 0 }).run.result;
    const fails = () => {
      throw new Error('down');
    };
    const both = await Promise.all([ends(() => says('Hi.')), ends(() => says('Ho.'))]);
    expect(both.map(({ text }) => text)).toEqual(['Hi.', 'Ho.']);
    expect(await ends(fails).catch((error: unknown) => (error as Error).message)).toBe('down');
    let finished = false;
    await ends(() => says('.')).finally(() => (finished = true));
    expect(finished).toBe(true);
  });

  it('a run that fails unseen is no unhandled rejection', async () => {
    const seen: unknown[] = [];
    const last = new Error('the last one');
    let isOver = () => {};
    const over = new Promise<void>((resolve) => (isOver = resolve));
    const listener = (error: unknown) => {
      seen.push(error);
      if (error === last) isOver();
    };
    // Those of Vitest would count the last one as a failure.
    const others = process.rawListeners('unhandledRejection') as (() => void)[];
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
    try {
      const fails = () => {
        throw new Error('down');
      };
      const iterated = start({ turns: [fails], maxRetries: 0 }).run;
      await collect(iterated);
      const lookedAt = start({ turns: [fails], maxRetries: 0 }).run;
      void lookedAt.result;
      await collect(lookedAt);
      const left = start({ turns: [says('.')] }).run;
      await left.next();
      await left.return();
      const aborted = start({ turns: [says('.')], abortSignal: AbortSignal.abort(new Error('gone')) }).run;
      await collect(aborted);
      const ui = start({ turns: [fails], maxRetries: 0 }).run;
      await collect(ui.toUIMessageStream() as unknown as AsyncIterable<unknown>);
      await collect(start({ turns: [says('.')] }).run);
      // Node tells of them one after the other.
      void Promise.reject(last);
      await over;
    } finally {
      process.off('unhandledRejection', listener);
      for (const other of others) process.on('unhandledRejection', other);
    }
    expect(seen).toEqual([last]);
  });
});

// AI SDK 6 has none of its own: it takes what the model gives, read or not.
describe('back-pressure', () => {
  /** A model that has always one more part to give, and counts those that were taken. */
  const endless = () => {
    let taken = 0;
    const { model } = scripted([]);
    const doStream = async () => ({
      stream: new ReadableStream<ModelPart>(
        {
          pull(controller) {
            if (++taken === 1) controller.enqueue({ type: 'stream-start', warnings: [] });
            else if (taken === 2) controller.enqueue({ type: 'text-start', id: '1' });
            else if (taken > 2_000) controller.close();
            else controller.enqueue({ type: 'text-delta', id: '1', delta: 'x' });
          },
        },
        { highWaterMark: 0 },
      ),
    });
    return {
      model: Object.assign(Object.create(model as object) as typeof model & object, { doStream }),
      taken: () => taken,
    };
  };

  it.each([
    ['ungated', {}],
    ['gated', yes],
  ])('a reader that stops stops the model (%s)', async (_, more) => {
    const { tools } = recordingTools();
    const { model, taken } = endless();
    const { run } = start({ turns: [], model, tools, ...more });
    for (let count = 0; count < 20; count++) await run.next();
    // A handful may stand in the SDK's own transforms.
    expect(await settled(taken)).toBeLessThan(100);
    await run.return();
  });

  it('the UI stream as well', async () => {
    const { model, taken } = endless();
    const { run } = start({ turns: [], model });
    const reader = run.toUIMessageStream().getReader();
    for (let count = 0; count < 20; count++) await reader.read();
    expect(await settled(taken)).toBeLessThan(100);
    await reader.cancel();
  });
});

describe('what it shows of the SDK', () => {
  it('every event has a type, and every call its name and arguments', async () => {
    const { tools } = recordingTools();
    const { events } = await play({
      turns: [
        [...text('I will.'), ...calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/a' }, 'c1'))],
        says('Done.'),
      ],
      tools,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
    });
    const named = events.flatMap((event) => ('toolName' in event ? [`${event.toolCallId} ${event.toolName}`] : []));
    expect(new Set(named)).toEqual(new Set(['c0 read', 'c1 del']));
    expect(events.filter(({ type }) => type === 'tool-call')).toEqual([
      { type: 'tool-call', toolCallId: 'c0', toolName: 'read', args: { path: '/r' } },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'del', args: { path: '/a' } },
    ]);
  });

  it("includeRawParts adds the SDK's own parts, each before the event made of it", async () => {
    const { tools } = recordingTools();
    const { of, events } = await play({
      turns: [[...text('Hi.'), ...calls(call('del', { path: '/a' }, 'c1'))], says('Done.')],
      tools,
      ...yes,
      includeRawParts: true,
    });
    const raw = of('raw-part').map(({ part }) => part.type as string);
    expect(raw).toEqual(
      expect.arrayContaining([
        'start',
        'start-step',
        'text-start',
        'text-delta',
        'text-end',
        'tool-call',
        'tool-approval-request',
        'tool-result',
        'finish-step',
      ]),
    );
    expect(raw.filter((type) => type === 'start')).toHaveLength(1);
    const at = events.findIndex(({ type }) => type === 'tool-call');
    expect(events[at - 1]).toMatchObject({ type: 'raw-part', part: { type: 'tool-call' } });
    const plain = await play({
      turns: [[...text('Hi.'), ...calls(call('del', { path: '/a' }, 'c1'))], says('Done.')],
      tools,
      ...yes,
    });
    expect(plain.of('raw-part')).toEqual([]);
  });

  it('sources, files and others come as raw parts', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'x' };
    const { of } = await play({ turns: [[source, ...says('.')]], includeRawParts: true });
    expect(of('raw-part').map(({ part }) => part.type as string)).toContain('source');
  });

  it(`experimental_transform is applied (AI SDK ${major})`, async () => {
    const upper = () =>
      new TransformStream({
        transform(part: { type: string; text?: string }, controller) {
          controller.enqueue(part.type === 'text-delta' ? { ...part, text: part.text?.toUpperCase() } : part);
        },
      });
    const { tools } = recordingTools();
    const { of } = await play({
      turns: [[...text('hi'), ...calls(call('del', { path: '/a' }, 'c1'))], says('done')],
      tools,
      ...yes,
      experimental_transform: upper,
    });
    expect(of('text').map(({ text }) => text)).toEqual(['HI', 'DONE']);
  });
});
