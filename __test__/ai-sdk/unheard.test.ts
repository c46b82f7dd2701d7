/** A run that fails, and who hears of it: somebody always does, once. */
import { setImmediate as tick, setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { AgentEvent, AgentRun } from '../../index.js';
import { InvalidConfigError, resume, streamWithEvents, createGate } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { play, start } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const overloaded = () => {
  throw new Error('overloaded');
};
const failing = (more: object = {}): AgentRun => start({ turns: [overloaded], maxRetries: 0, ...more }).run;

let printed: unknown[];
beforeEach(() => {
  printed = [];
  const spy = vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => void printed.push(...said));
  onTestFinished(() => spy.mockRestore());
});
/** When all that is printed later was printed. */
const later = async (): Promise<unknown[]> => {
  await tick();
  await tick();
  return printed;
};
const message = (error: unknown): string => (error as Error).message;

test('the JSON of the event of an error says what went wrong, and is heard', async () => {
  const failed = () => {
    throw Object.assign(new Error('overloaded'), { code: 529 });
  };
  const events = await collect(failing({ turns: [failed] }));
  const told: unknown = JSON.parse(JSON.stringify(events.find(({ type }) => type === 'error')));
  expect(told).toEqual({ type: 'error', error: { name: 'Error', message: 'overloaded', code: 529 } });
  expect(await later()).toEqual([]);
});

describe('a run that fails and that nobody looks at prints its error, once', () => {
  it('in a loop that reads the text alone, as that of the quickstart', async () => {
    for await (const event of failing()) if (event.type === 'text') throw new Error('no text was said');
    expect((await later()).map(message)).toEqual(['overloaded']);
    await tick();
    expect(printed).toHaveLength(1);
  });

  it('in a loop that is left at the error', async () => {
    for await (const event of failing()) if (event.type === 'error') break;
    expect((await later()).map(message)).toEqual(['overloaded']);
  });

  it('in a second round, and in a run that goes wrong before the model is called', async () => {
    const { tools } = recordingTools();
    const second = { turns: [calls(call('del', { path: '/a' }, 'c1')), overloaded], tools, maxRetries: 0 };
    for await (const _ of start({ ...second, interruptOn: 'all', onApprovalRequest: () => true }).run);
    expect((await later()).map(message)).toEqual(['overloaded']);
    const gate = createGate({ ledger: 'sqlite:' });
    const { model } = scripted([]);
    for await (const _ of resume({ gate, runId: 'nobody', model }));
    await gate.close();
    expect((await later()).map((error) => (error as { code?: string }).code)).toEqual([undefined, 'ERR_UNKNOWN_RUN']);
  });

  it('as a stream for useChat', async () => {
    const reader = failing().toUIMessageStream().getReader();
    while (!(await reader.read()).done);
    expect((await later()).map(message)).toEqual(['overloaded']);
  });

  it.each<[string, (error: unknown) => string]>([
    ['does not look at it', () => 'sorry'],
    [
      'fails itself',
      (error) => {
        throw new Error(`no page for ${String(error)}`);
      },
    ],
  ])('as a stream for useChat whose onError %s', async (_, onError) => {
    const reader = failing().toUIMessageStream({ onError }).getReader();
    const read = async () => {
      while (!(await reader.read()).done);
    };
    await read().catch(() => {});
    expect((await later()).map(message)).toEqual(['overloaded']);
  });

  it('when the process ends at once', async () => {
    const run = failing();
    for (;;) {
      const { value } = await run.next();
      if (value?.type === 'error') break;
    }
    expect(await later()).toEqual([]);
    const [told] = process.listeners('exit').slice(-1);
    told?.call(process, 0);
    expect(printed.map(message)).toEqual(['overloaded']);
    await run.return();
    expect(await later()).toHaveLength(1);
  });
});

describe('a copy of the event of an error is no look at it', () => {
  const copies: [string, (event: AgentEvent) => unknown][] = [
    ['spread into a log', (event) => ({ ...event, at: 1 })],
    ['assigned to a line of a log', (event) => Object.assign({ at: 1 }, event)],
    ['taken apart', ({ type, ...rest }) => [type, rest]],
    ['spread into JSON, where an error says nothing', (event) => JSON.stringify({ ...event, at: 1 })],
  ];

  it.each(copies)('%s, it is printed, once', async (_, copy) => {
    const log: unknown[] = [];
    for await (const event of failing()) log.push(copy(event));
    expect((await later()).map(message)).toEqual(['overloaded']);
    await tick();
    expect(printed).toHaveLength(1);
  });

  it.each(copies)('%s before the process ends at once, it is printed', async (_, copy) => {
    const run = failing();
    for (;;) {
      const { value } = await run.next();
      if (value === undefined) break;
      copy(value);
      if (value.type === 'error') break;
    }
    process.listeners('exit').at(-1)?.call(process, 0);
    expect(printed.map(message)).toEqual(['overloaded']);
    await run.return();
    expect(await later()).toHaveLength(1);
  });

  it.each(copies)('%s by who looks at the event as well, before or after, it is theirs', async (_, copy) => {
    const seen: unknown[] = [];
    for (const isBefore of [true, false])
      for await (const event of failing()) {
        if (isBefore) copy(event);
        if (event.type === 'error') seen.push(event.error);
        if (!isBefore) copy(event);
      }
    expect(seen.map(message)).toEqual(['overloaded', 'overloaded']);
    expect(await later()).toEqual([]);
  });
});

describe('a failure that somebody looks at is theirs', () => {
  it.each<[string, (run: AgentRun) => Promise<unknown>]>([
    ['whose result is taken', (run) => run.result],
    ['whose result is taken after the loop', async (run) => collect(run).then(() => run.result)],
    ['whose result is taken before the loop', async (run) => Promise.all([run.result, collect(run)])],
    [
      'whose error event is read',
      async (run) => {
        for await (const event of run) if (event.type === 'error') throw event.error;
      },
    ],
    ['whose events are printed', async (run) => inspect(await collect(run)).includes('overloaded')],
  ])('one %s', async (_, look) => {
    await look(failing()).catch(() => {});
    expect(await later()).toEqual([]);
  });

  it('one with an onError, which hears of what is not the SDK’s as well', async () => {
    const heard: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void heard.push(error);
    for await (const _ of failing({ onError }));
    expect(heard.map(message)).toEqual(['overloaded']);
    const gate = createGate({ ledger: 'sqlite:' });
    for await (const _ of resume({ gate, runId: 'nobody', model: scripted([]).model, onError }));
    await gate.close();
    expect(heard).toHaveLength(2);
    expect(await later()).toEqual([]);
  });

  it('one of a stream for useChat that has an onError of its own', async () => {
    const reader = failing()
      .toUIMessageStream({ onError: (error) => String(error) })
      .getReader();
    while (!(await reader.read()).done);
    expect(await later()).toEqual([]);
  });

  it('an abort is no failure, and neither is a run that comes to its end', async () => {
    const abort = new AbortController();
    abort.abort();
    for await (const _ of failing({ abortSignal: abort.signal }));
    await play({ turns: [says('.')] });
    await sleep(1);
    expect(await later()).toEqual([]);
  });
});

it('an error event is what it was: it prints, compares and copies with its error', async () => {
  const [event] = (await collect(failing())).filter(({ type }) => type === 'error');
  expect(inspect(event)).toContain('Error: overloaded');
  expect(event).toEqual({ type: 'error', error: expect.objectContaining({ message: 'overloaded' }) as unknown });
  expect({ ...event }).toMatchObject({ error: { message: 'overloaded' } });
  expect(structuredClone(event)).toMatchObject({ type: 'error', error: { message: 'overloaded' } });
});

describe('what cannot work says what to do, at once', () => {
  const { model } = scripted([]);

  it.each<[string, object, RegExp]>([
    ['a missing model', { prompt: 'x' }, /model must be given: a model of a provider's package, or its name/],
    [
      'prompt with messages',
      { model, prompt: 'x', messages: [] },
      /prompt or messages, not both: messages: \[\.\.\.messages, \{ role: 'user', content: prompt \}\]/,
    ],
    ['neither of them', { model }, /prompt or messages must be given/],
  ])('%s', (_, options, said) => {
    const make = () => streamWithEvents(options as never);
    expect(make).toThrow(InvalidConfigError);
    expect(make).toThrow(said);
  });
});
