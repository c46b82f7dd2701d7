/** After an abort nothing runs, nobody waits, and what was done stays known. */
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createGate, gateTools } from '../../ts/index.js';
import { afterwards } from '../support/afterwards.js';
import { call, calls, collect, major, says, scripted, sleep, text } from '../support/model.js';
import { of, play, start, types, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const one = () => [calls(call('del', { path: '/a' }, 'c1')), says('.')];
const asksForEver = { interruptOn: 'all', onApprovalRequest: () => new Promise<boolean>(() => {}) } as const;

describe('an abort', () => {
  it('before the start: the model is not called', async () => {
    const { tools } = recordingTools();
    const { events, prompts, run } = await play({
      turns: one(),
      tools,
      ...asksForEver,
      abortSignal: AbortSignal.abort(new Error('gone')),
    });
    expect(types(events)).toEqual(['abort']);
    expect(events[0]).toMatchObject({ messages: [{ role: 'user' }] });
    expect(prompts).toHaveLength(0);
    await expect(run.result).rejects.toThrow('gone');
  });

  it('while the model speaks', async () => {
    const stop = new AbortController();
    const { model } = scripted([[...text('a'), ...text('b', '2'), ...says('c')]], { chunkDelay: 20 });
    const { run } = start({ turns: [], model, abortSignal: stop.signal });
    await until(run, 'text');
    stop.abort(new Error('esc'));
    const rest = await collect(run);
    expect(types(rest)).toEqual(['abort']);
    await expect(run.result).rejects.toThrow('esc');
  });

  // An unhandled rejection ends the process, and these tests with it.
  it.each(['shouldApprove', 'judge'] as const)('while %s fails, which ends no process', async (which) => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const goAway = async (): Promise<never> => {
      stop.abort(new Error('gone'));
      throw new Error('unreachable');
    };
    const { run } = start({
      turns: one(),
      tools,
      abortSignal: stop.signal,
      onApprovalRequest: () => true,
      ...(which === 'judge' ? { gate: createGate({ judge: goAway }) } : {}),
      interruptOn: { del: which === 'judge' ? true : { shouldApprove: goAway } },
    });
    expect(types(await collect(run)).at(-1)).toBe('abort');
    await expect(run.result).rejects.toThrow('gone');
    await new Promise((resolve) => setImmediate(resolve));
    expect(ran).toEqual([]);
  });

  it('while a human is asked: the request is cancelled, the callback is told, nothing runs', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate();
    let told: unknown;
    const { run } = start({
      turns: one(),
      tools,
      interruptOn: 'all',
      gate,
      abortSignal: stop.signal,
      onApprovalRequest: (_, { abortSignal }) =>
        new Promise<boolean>((resolve) => {
          abortSignal.addEventListener('abort', () => {
            told = abortSignal.reason;
            // Too late.
            resolve(true);
          });
        }),
    });
    const { approvalId } = await until(run, 'approval-requested');
    const reason = new Error('esc');
    stop.abort(reason);
    const rest = await collect(run);
    expect(types(rest).filter((type) => type !== 'step-finish')).toEqual(['approval-response', 'abort']);
    expect(of(rest)('abort')).toMatchObject([{ reason }]);
    expect(told).toBe(reason);
    expect(await gate.get(approvalId)).toMatchObject({ status: 'cancelled', via: 'abort' });
    expect(await gate.pending()).toEqual([]);
    await afterwards(gate);
    expect(ran).toEqual([]);
  });

  // `step-finish`: of the step that asks. Until then it is not known to be whole, and not among the messages.
  it.each(['approval-requested', 'step-finish'])('the messages of the event can be continued (%s)', async (when) => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    const { run } = start({
      turns: [[...text('First'), ...calls(call('read', { path: '/r' }, 'c0'))], ...one()],
      tools,
      interruptOn: { del: true },
      abortSignal: stop.signal,
      onApprovalRequest: () => new Promise<boolean>(() => {}),
    });
    await until(run, 'approval-requested');
    if (when === 'step-finish') await until(run, when);
    stop.abort();
    const { messages } = of(await collect(run))('abort')[0] ?? { messages: [] };
    expect(JSON.stringify(messages)).toContain('content of /r');
    expect(JSON.stringify(messages).includes('execution-denied')).toBe(when === 'step-finish');
    const again = await play({
      turns: [says('Hello again.')],
      tools,
      messages: [...messages, { role: 'user', content: 'go on' }],
    });
    expect(again.of('error')).toEqual([]);
    expect(again.of('done')[0]?.text).toBe('Hello again.');
  });

  it('after the approval and before the execution: it does not run', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const gate = createGate();
    const { run } = start({ turns: one(), tools, interruptOn: 'all', gate, abortSignal: stop.signal });
    const { approvalId } = await until(run, 'approval-requested');
    await gate.approve(approvalId);
    stop.abort();
    await collect(run);
    expect(ran).toEqual([]);
    expect((await gate.get(approvalId))?.status).toBe('cancelled');
  });

  it('while the approved tool runs: it is told, and the run ends at once', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    let told = false;
    tools.del.execute = ((_: unknown, { abortSignal }: { abortSignal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal.addEventListener('abort', () => {
          told = true;
          reject(abortSignal.reason as Error);
        });
        setTimeout(() => stop.abort(new Error('esc')), 10);
      })) as never;
    const { events, prompts } = await play({
      turns: one(),
      tools,
      interruptOn: 'all',
      abortSignal: stop.signal,
      onApprovalRequest: () => true,
    });
    expect(told).toBe(true);
    expect(events.at(-1)?.type).toBe('abort');
    expect(prompts).toHaveLength(1);
  });

  it('while the approved tool runs and does not listen: the run ends all the same', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    let finish: () => void = () => {};
    tools.del.execute = () => {
      setTimeout(() => stop.abort(new Error('esc')), 10);
      return new Promise<string>((resolve) => (finish = () => resolve('late')));
    };
    const { events } = await play({
      turns: one(),
      tools,
      interruptOn: 'all',
      abortSignal: stop.signal,
      onApprovalRequest: () => true,
    });
    expect(events.at(-1)?.type).toBe('abort');
    finish();
    await sleep(5);
  });

  it('while a predicate thinks: the run ends at once and nothing runs', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    let signal: AbortSignal | undefined;
    let hasThought = () => {};
    const thinking = new Promise<void>((resolve) => (hasThought = resolve));
    const gate = createGate();
    const { events } = await play({
      turns: one(),
      tools,
      gate,
      interruptOn: {
        del: {
          shouldApprove: async (_: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
            signal = abortSignal;
            setTimeout(() => stop.abort(new Error('esc')), 20);
            await thinking;
            return false;
          },
        },
      } as never,
      abortSignal: stop.signal,
      onApprovalRequest: () => true,
    });
    expect(signal?.aborted).toBe(true);
    expect(events.at(-1)?.type).toBe('abort');
    hasThought();
    await afterwards(gate);
    expect(ran).toEqual([]);
  });

  it('a tool that was not gated does not start any more either', async () => {
    const { ran, tools } = recordingTools();
    const stop = new AbortController();
    const { events } = await play({
      turns: [
        async () => {
          stop.abort(new Error('esc'));
          return calls(call('read', { path: '/r' }, 'c1'));
        },
      ],
      tools,
      interruptOn: { del: true },
      abortSignal: stop.signal,
    });
    expect(events.at(-1)?.type).toBe('abort');
    expect(ran).toEqual([]);
  });

  it('onAbort is called once, with the steps of all rounds', async () => {
    const { tools } = recordingTools();
    const stop = new AbortController();
    const seen: { steps: unknown[] }[] = [];
    let count = 0;
    await play({
      turns: [calls(call('del', { path: '/1' }, 'c1')), calls(call('del', { path: '/2' }, 'c2'))],
      tools,
      interruptOn: 'all',
      abortSignal: stop.signal,
      onAbort: (event: { steps: unknown[] }) => void seen.push(event),
      onApprovalRequest: () => {
        if (++count === 1) return true;
        setTimeout(() => stop.abort(), 30);
        return new Promise<boolean>(() => {});
      },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.steps).toHaveLength(2);
  });
});

describe('leaving the loop', () => {
  it('break cancels what waits', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const { run } = start({ turns: one(), tools, interruptOn: 'all', gate });
    for await (const event of run) if (event.type === 'approval-requested') break;
    expect(await gate.pending()).toEqual([]);
    await expect(run.result).rejects.toThrow(/left/);
    expect(ran).toEqual([]);
  });

  it('an exception in the body cancels too', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    const { run } = start({ turns: one(), tools, interruptOn: 'all', gate });
    const body = async () => {
      for await (const event of run) if (event.type === 'approval-requested') throw new Error('mine');
    };
    await expect(body()).rejects.toThrow('mine');
    expect(await gate.pending()).toEqual([]);
  });

  it('await using cancels too', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    {
      const { run } = start({ turns: one(), tools, interruptOn: 'all', gate });
      await using scoped = run;
      await until(scoped, 'approval-requested');
    }
    expect(await gate.pending()).toEqual([]);
  });

  it('stops the model', async () => {
    const { model } = scripted(
      [[...Array.from({ length: 50 }, (_, index) => text('x', String(index))).flat(), ...says('end')]],
      { chunkDelay: 2 },
    );
    const { run } = start({ turns: [], model });
    await until(run, 'text');
    await run.return();
    expect(await run.next()).toEqual({ value: undefined, done: true });
  });

  it('an abandoned ungated sibling may finish, but nothing gated starts', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const { run } = start({
      turns: [calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      gate,
      interruptOn: { del: true },
      onApprovalRequest: () => sleep(10).then(() => true),
    });
    await until(run, 'approval-requested');
    await run.return();
    await afterwards(gate, 40);
    expect(ran).not.toContain('del /a');
  });
});

// Of a call in a loop that is not ours nothing else looks at the signal before the tool runs.
it.each(['judged', 'asked'] as const)('while a call of a gated tool is %s: it does not run', async (when) => {
  const { ran, tools } = recordingTools();
  const stop = new AbortController();
  const ends = () => stop.abort(new Error('gone'));
  await using gate = createGate({
    judge: () => {
      if (when === 'judged') ends();
      return 'allow';
    },
  });
  const onApprovalRequest = () => {
    ends();
    return true;
  };
  const interruptOn = when === 'asked' ? 'all' : { del: false, read: false };
  const { del } = gateTools(tools, { gate, interruptOn, onApprovalRequest });
  const execute = del.execute as (input: unknown, options: object) => Promise<unknown>;
  const options = { toolCallId: 'c1', messages: [], abortSignal: stop.signal };
  await expect(execute({ path: '/a' }, options)).rejects.toThrow('gone');
  expect(ran).toEqual([]);
});

it(`leaves no listener on the caller's signal (AI SDK ${major})`, async () => {
  const { tools } = recordingTools();
  const stop = new AbortController();
  for (let count = 0; count < 3; count++)
    await play({ turns: one(), tools, interruptOn: 'all', onApprovalRequest: () => true, abortSignal: stop.signal });
  expect(getEventListeners(stop.signal, 'abort').length).toBeLessThanOrEqual(1);
});

it('a time limit holds no timer when the run is over', async () => {
  const LIMIT = 3_600_123;
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  try {
    const { tools } = recordingTools();
    await play({ turns: one(), tools, interruptOn: ['del'], timeout: LIMIT, onApprovalRequest: () => true } as never);
    const timers = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === LIMIT);
    const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer));
    expect(timers.length).toBeGreaterThan(0);
    expect(timers.filter(({ value }) => !cleared.has(value))).toEqual([]);
  } finally {
    set.mockRestore();
    clear.mockRestore();
  }
});
