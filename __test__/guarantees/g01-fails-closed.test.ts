/**
 * G1. Fails closed: an error, throw, timeout, unknown status or malformed input anywhere on the path never runs the tool.
 */
import { tool, type ModelMessage, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  applyInterruptConfig,
  createGate,
  gateTools,
  streamWithEvents,
  toolApproval,
  verifyApprovals,
} from '../../ts/index.js';
import { afterwards } from '../support/afterwards.js';
import { sample } from '../support/effort.js';
import {
  answer,
  continueUnguarded,
  stoppingEntries,
  waitingEntries,
  type Entry,
  type EntryCall,
} from '../support/entries.js';
import { PATIENTLY } from '../runtimes.js';
import { lazy } from '../support/lazy-model.js';
import { call, calls, collect, finish, major, says } from '../support/model.js';
import { of, play, start, until } from '../support/play.js';
import { polluted } from '../support/pollution.js';
import { recordingTools } from '../support/tools.js';
import { fakeClock } from '../support/fake-clock.js';

const turns = [calls(call('del', { path: '/a' }, 'c1')), says('.')];

/** One call of `del`, which must not run, through one entry. Whether the entry itself fails does not matter. */
async function mustNotRun(
  entry: (call: EntryCall) => Promise<unknown>,
  gating: Omit<EntryCall, 'turns' | 'tools'>,
): Promise<void> {
  const { ran, tools } = recordingTools();
  await entry({ turns, tools, ...gating });
  expect(ran).toEqual([]);
}

/** For entries that the AI SDK itself lets fail. */
const quiet =
  (entry: Entry): Entry =>
  (call) =>
    entry(call).catch(() => {});

const thrower = () => {
  throw new Error('broken');
};
const hostile = new Proxy({}, { get: thrower, has: thrower, ownKeys: thrower, getPrototypeOf: thrower });
const thenable = (then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => void) =>
  // oxlint-disable-next-line unicorn/no-thenable -- it is what is to be tested
  ({ then });

const nothing: unknown = undefined;

/** Anything that is no decision. */
const garbage: [name: string, value: () => unknown][] = [
  ...[
    undefined,
    null,
    0,
    1,
    Number.NaN,
    1n,
    '',
    'yes',
    'true',
    'approve',
    [],
    [true],
    ['approve'],
    [{ type: 'approve' }],
    {},
  ].map((value): [string, () => unknown] => [
    `${typeof value} ${JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v))}`,
    () => value,
  ]),
  ...[
    { approved: 'true' },
    { approved: 1 },
    { approved: {} },
    { approved: null },
    { type: 'APPROVE' },
    { type: 'approve ' },
    { type: 'approved' },
    { type: ['approve'] },
    { type: true },
    { type: 'approve', approved: false },
    { type: 'approve', decision: 'deny' },
    { type: 'approve', stop: true },
    { type: 'approve', args: { path: '/b' } },
    { type: 'approve', output: 1 },
    { type: 'approve', reason: {} },
    { type: 'approve', reason: '\ud800' },
    { type: 'edit' },
    { type: 'edit', args: 'rm' },
    { type: 'edit', args: { path: { $countersign: 'bigint', value: 'x' } } },
    { type: 'edit', editedAction: { name: 'read', args: { path: '/b' } } },
    { type: 'respond', output: { $countersign: 'Map', value: 1 } },
    { type: 'expired' },
    { type: 'cancelled' },
    { decision: 'yes' },
    { decision: true },
    { decisions: [{ type: 'approve' }] },
  ].map((value): [string, () => unknown] => [JSON.stringify(value), () => value]),
  ['an object around true', () => Object(true) as unknown],
  ['a field around true', () => ({ approved: Object(true) as unknown })],
  ['a type around a text', () => ({ type: Object('approve') as unknown })],
  ['a function', () => () => true],
  ['a symbol', () => Symbol('approve')],
  ['a Map', () => new Map([['type', 'approve']])],
  ['a cycle', () => Object.assign([], { 0: [] }, { type: 'approve' })],
  [
    'an object that cannot be read',
    () => ({
      get type(): string {
        return thrower();
      },
    }),
  ],
  ['a proxy that throws', () => hostile],
  ['a throw', thrower],
  [
    'a throw of undefined',
    () => {
      throw nothing;
    },
  ],
  [
    'a throw of a proxy',
    () => {
      throw hostile;
    },
  ],
  [
    'an error that is no text',
    () => {
      throw Object.assign(new Error('x'), { message: Symbol('x') });
    },
  ],
  [
    'an error that is no Unicode',
    () => {
      throw new Error('\ud800');
    },
  ],
  ['a rejection', () => Promise.reject(new Error('broken'))],
  ['a rejection of nothing', () => Promise.reject(undefined)],
  ['a promise of nothing', () => Promise.resolve()],
  ['a promise of garbage', () => Promise.resolve('approve')],
  ['a thenable that throws', () => thenable(thrower)],
  ['a thenable that rejects', () => thenable((_, reject) => reject(hostile))],
  ['a thenable of garbage', () => thenable((resolve) => resolve({ approved: 'true' }))],
];

describe.each(waitingEntries.map(([name, entry], turn) => [name, entry, turn] as const))('%s', (_name, entry, turn) => {
  it.each(sample(garbage, 1, turn))('takes no answer for an approval that is %s', async (_, value) => {
    await mustNotRun(entry, { interruptOn: { del: true }, onApprovalRequest: value as never });
  });

  it.each([
    ['callback', { onApprovalRequest: () => new Promise<boolean>(() => {}), approvalTimeout: 30 }],
    [
      'callback of the tool',
      { interruptOn: { del: { timeout: 30 } }, onApprovalRequest: () => new Promise<boolean>(() => {}) },
    ],
  ])('runs nothing when the %s never answers', async (_, gating) => {
    await mustNotRun(entry, { interruptOn: 'all', ...gating });
  });

  it('runs nothing when there is nobody to ask', () => mustNotRun(entry, { interruptOn: { del: true } }));

  const pollutions: [string, unknown][] = [
    ['approved', true],
    ['type', 'approve'],
    ['decision', 'approve'],
    ['args', {}],
    ['reason', 'ok'],
    ['shouldApprove', () => false],
    ['description', 'harmless'],
  ];
  it.each(sample(pollutions, 1, turn))('runs nothing with a polluted %s', async (property, value) => {
    for (const given of [undefined, {}, [], { reason: 'no' }, { approved: false }]) {
      await polluted({ [property]: value }, () =>
        mustNotRun(quiet(entry), { interruptOn: { del: {} }, onApprovalRequest: () => given as never }),
      );
    }
  });

  // The AI SDK reads `needsApproval` through the prototype of a tool, which for plain objects is Object.prototype.
  it('asks with a polluted needsApproval', async () => {
    await polluted({ needsApproval: false }, () =>
      mustNotRun(entry, { interruptOn: 'all', onApprovalRequest: () => false }),
    );
  });

  const unsure: [string, () => unknown][] = [
    ...[undefined, null, 0, 1, '', 'false', Number.NaN, 0n, [], {}, { approved: true }].map(
      (value): [string, () => unknown] => [`${typeof value} ${String(value)}`, () => value],
    ),
    ...garbage.filter(([kind]) => /throw|reject|prom|thenable|proxy|read|error/.test(kind)),
    ['a promise of null', () => Promise.resolve(null)],
    ['a boxed false', () => Object(false) as unknown],
  ];

  it.each(sample(unsure, 1, turn))('asks when shouldApprove or needsApproval gives %s', async (_, value) => {
    for (const own of [false, true]) {
      const { ran, tools } = recordingTools();
      const gated = own ? { del: { ...tools.del, needsApproval: value as never } } : tools;
      const onApprovalRequest = vi.fn(() => false);
      await entry({
        turns,
        tools: gated,
        interruptOn: own ? {} : { del: { shouldApprove: value as never } },
        onApprovalRequest,
      });
      expect([ran, onApprovalRequest.mock.calls.length]).toEqual([[], 1]);
    }
  });

  it.each(sample(garbage, 1, turn + 1))('asks, and runs nothing, when the description is %s', async (_, value) => {
    const onApprovalRequest = vi.fn(() => false);
    await mustNotRun(entry, { interruptOn: { del: { description: value as never } }, onApprovalRequest });
    expect(onApprovalRequest).toHaveBeenCalledOnce();
  });

  it.each([['shouldApprove'], ['description']])('runs nothing when it is aborted during %s', async (option) => {
    const stop = new AbortController();
    const hang = () => {
      stop.abort(new Error('enough'));
      return new Promise<never>(() => {});
    };
    const { ran, tools } = recordingTools();
    const gate = createGate();
    // Whether it ends is another promise: here it must only not run.
    void entry({
      turns,
      tools,
      gate,
      interruptOn: { del: { [option]: hang } },
      onApprovalRequest: () => true,
      abortSignal: stop.signal,
    }).catch(() => {});
    await vi.waitFor(() => expect(stop.signal.aborted).toBe(true), PATIENTLY);
    await afterwards(gate);
    expect(ran).toEqual([]);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const unkept: [string, unknown, number][] = [
    ['a cycle', cycle, 1000],
    ['a function', () => {}, 1000],
    ['a symbol', Symbol('x'), 1000],
    ['a lone surrogate', '\ud800', 1000],
    ['a promise', [Promise.resolve()], 1000],
    ['a boxed number', Object(1), 1000],
    [
      'an object that cannot be read',
      {
        get x(): string {
          return thrower();
        },
      },
      1000,
    ],
    ['a proxy that throws', hostile, 1000],
    ['too deep', JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`), 1000],
    ['too large', 'x'.repeat(100), 100],
    ['shared memory', new Int32Array(new SharedArrayBuffer(8)), 1000],
  ];
  it.each(sample(unkept, 1, turn))(
    'neither asks about arguments that hold %s nor runs with them',
    async (_, value, maxArgumentBytes) => {
      await using gate = createGate({ maxArgumentBytes });
      const onApprovalRequest = vi.fn(() => true);
      const execute = vi.fn(() => 'ran');
      const del = tool({ inputSchema: z.object({ path: z.string().transform(() => value) }), execute });
      // The SDK itself cannot carry some of these on to the next call of the model.
      await entry({ turns, tools: { del } as ToolSet, gate, interruptOn: 'all', onApprovalRequest }).catch(() => {});
      expect([onApprovalRequest.mock.calls.length, execute.mock.calls.length]).toEqual([0, 0]);
    },
  );

  it.each([
    ['before', 0],
    ['while it waits', 1],
  ])('runs nothing when the gate is closed %s', async (_, when) => {
    const gate = createGate();
    if (when === 0) await gate.close();
    const running = async () =>
      mustNotRun(entry, {
        interruptOn: 'all',
        gate,
        onApprovalRequest: async () => {
          await gate.close();
          return true;
        },
      });
    if (when === 0) await expect(running()).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
    else await running();
  });
});

it('asks when shouldApprove or the description takes longer than 10 seconds', async () => {
  // Only what measures these seconds. Anything else may happen.
  const clock = fakeClock();
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  let hanging = 0;
  let asked = 0;
  const hang = () => {
    hanging++;
    return new Promise<never>(() => {});
  };
  const onApprovalRequest = () => {
    asked++;
    return false;
  };
  const waits = waitingEntries.flatMap(([, entry]) =>
    [{ shouldApprove: hang }, { description: hang }].map((del) =>
      mustNotRun(entry, { interruptOn: { del }, onApprovalRequest }),
    ),
  );
  while (hanging < waits.length) await turns(1);
  clock.tick(9_900);
  await turns(50);
  expect(asked).toBe(0);
  clock.tick(200);
  await Promise.all(waits);
  expect(asked).toBe(waits.length);
});

describe.runIf(major === 7)('the toolApproval option of AI SDK 7', () => {
  const forms: [string, (value: () => unknown) => unknown][] = [
    ['a function', (value) => value],
    ['a function of the tool', (value) => ({ del: value })],
  ];
  const statuses = [
    ...garbage.filter(
      ([name]) =>
        !name.startsWith('undefined') && !name.startsWith('a promise of nothing') && name !== '{"type":"approved"}',
    ),
    ...[
      true,
      false,
      'maybe',
      'Approved',
      { type: 'nope' },
      { type: null },
      { type: { type: 'approved' } },
      ['approved'],
    ].map((value): [string, () => unknown] => [`status ${JSON.stringify(value)}`, () => value]),
  ];
  it.each(
    sample(
      forms.flatMap(([form, make]) => statuses.map(([name, value]) => [form, name, make(value)] as const)),
      3,
    ),
  )('given as %s: a status that is %s asks', async (_form, _name, toolApprovalOption) => {
    const { ran, tools } = recordingTools();
    const onApprovalRequest = vi.fn(() => false);
    await play({ turns, tools, onApprovalRequest, toolApproval: toolApprovalOption });
    expect([ran, onApprovalRequest.mock.calls.length]).toEqual([[], 1]);
  });

  it('does not take a polluted type for a status', async () => {
    const { ran, tools } = recordingTools();
    await polluted({ type: 'approved' }, () =>
      play({ turns, tools, onApprovalRequest: () => false, toolApproval: () => ({}) }),
    );
    expect(ran).toEqual([]);
  });
});

describe('the model fails', () => {
  const failing: [string, () => Generator<ReturnType<typeof finish>>][] = [
    [
      'with an error after the call',
      function* () {
        yield call('del', { path: '/a' }, 'c1');
        throw new Error('lost');
      },
    ],
    [
      'with an error part after the call',
      function* () {
        yield call('del', { path: '/a' }, 'c1');
        yield { type: 'error', error: new Error('lost') };
      },
    ],
    [
      'with an error part and an end',
      function* () {
        yield call('del', { path: '/a' }, 'c1');
        yield { type: 'error', error: new Error('lost') };
        yield finish('tool-calls');
      },
    ],
    [
      'without an end',
      function* () {
        yield call('del', { path: '/a' }, 'c1');
      },
    ],
    [
      'with an error after its end',
      function* () {
        yield* calls(call('del', { path: '/a' }, 'c1'));
        throw new Error('lost');
      },
    ],
    ...['length', 'content-filter', 'error', 'other', 'unknown'].map(
      (reason): [string, () => Generator<ReturnType<typeof finish>>] => [
        `with the finish reason ${reason}`,
        function* () {
          yield call('del', { path: '/a' }, 'c1');
          yield finish(reason);
        },
      ],
    ),
  ];
  it.each(failing)('%s: nothing runs', async (_, turn) => {
    const { ran, tools } = recordingTools();
    const { model } = lazy((number) => (number === 0 ? turn() : says('.')));
    await collect(
      streamWithEvents({
        model,
        tools,
        prompt: 'go',
        interruptOn: 'all',
        maxRetries: 0,
        onApprovalRequest: () => true,
      }),
    );
    expect(ran).toEqual([]);
  });

  it('between the approval and the end of its stream: nothing runs', async () => {
    const { ran, tools } = recordingTools();
    let answered = () => {};
    const untilAnswered = new Promise<void>((resolve) => (answered = resolve));
    const { model } = lazy(async function* () {
      yield* calls(call('del', { path: '/a' }, 'c1'));
      await untilAnswered;
      throw new Error('lost');
    });
    const run = streamWithEvents({
      model,
      tools,
      prompt: 'go',
      interruptOn: 'all',
      maxRetries: 0,
      onApprovalRequest: () => true,
    });
    const events = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'approval-response') answered();
    }
    expect(of(events)('approval-response')).toMatchObject([{ approved: true }]);
    expect(ran).toEqual([]);
    await expect(run.result).rejects.toThrow('lost');
  });
});

it.each([
  ['a number', 1],
  ['true', true],
  ['another word', 'All'],
  ['a function', () => {}],
  ['a Map', new Map([['del', true]])],
  ['an entry that is a word', { del: 'yes' }],
  ['an entry that is null', { del: null }],
  ['an entry that is a number', { del: 0 }],
  ['an entry that is an array', { del: [] }],
  ['an entry that is a function', { del: () => false }],
  ['no function', { del: { shouldApprove: false } }],
  ['no decisions', { del: { allowedDecisions: [] } }],
  ['unknown decisions', { del: { allowedDecisions: ['approve', 'maybe'] } }],
  ['no time', { del: { timeout: 0 } }],
  ['endless time', { del: { timeout: Number.POSITIVE_INFINITY } }],
  ['no description', { del: { description: 1 } }],
  ['no name', [1]],
  ['a typo', ['Del']],
  ['a typo of the only entry', { dell: true }],
])('an interruptOn that is %s is no configuration', async (_, interruptOn) => {
  const { tools } = recordingTools();
  const options = { interruptOn } as never;
  expect(() => applyInterruptConfig(tools, interruptOn as never)).toThrow(/interruptOn|broken/);
  expect(() => streamWithEvents({ model: 'x', prompt: 'go', tools, ...(options as object) } as never)).toThrow(
    /interruptOn|broken/,
  );
  expect(() => gateTools(tools, options)).toThrow(/interruptOn|broken/);
  // What is wrong for these tools is found when they are known: it has them at the first call.
  const status = async () =>
    toolApproval(options)({ toolCall: { toolCallId: 'c1', toolName: 'del', input: {} }, tools, messages: [] });
  expect(await status().then(({ type }) => type, String)).toMatch(/^denied$|interruptOn/);
});

describe('toolApproval gives one of the four statuses', () => {
  const { tools } = recordingTools();
  const plain = { toolCallId: 'c1', toolName: 'del', input: { path: '/a' } };
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no call', { tools, messages: [] }],
    ['a call that cannot be read', { toolCall: hostile, tools, messages: [] }],
    ['no tools', { toolCall: plain, messages: [] }],
    ['tools that are no object', { toolCall: plain, tools: 1, messages: [] }],
    ['an unknown tool', { toolCall: { ...plain, toolName: 'gone' }, tools, messages: [] }],
    ['an inherited tool', { toolCall: { ...plain, toolName: 'toString' }, tools, messages: [] }],
    ['messages that are no array', { toolCall: plain, tools, messages: 'x' }],
    ['messages of garbage', { toolCall: plain, tools, messages: [null, hostile] }],
    ['a name that is no text', { toolCall: { ...plain, toolName: 1 }, tools, messages: [] }],
    ['an id that is no text', { toolCall: { ...plain, toolCallId: {} }, tools, messages: [] }],
    ['arguments that cannot be shown', { toolCall: { ...plain, input: thrower }, tools, messages: [] }],
    ['providerExecuted that is not true', { toolCall: { ...plain, providerExecuted: 'yes' }, tools, messages: [] }],
  ])('for %s, and it is a denial', async (_, given) => {
    const status = await toolApproval({ interruptOn: 'all' })(given as never);
    expect(status).toMatchObject({ type: 'denied' });
  });
});

describe.each(stoppingEntries)('%s', (_name, open) => {
  const first = async (interruptOn: EntryCall['interruptOn'] = 'all') => {
    const { ran, tools } = recordingTools();
    const chat = open({ gate: createGate(), tools, interruptOn });
    const history = await chat.speak([{ role: 'user', content: 'go' }], [turns[0] as never]);
    expect(ran).toEqual([]);
    return { ran, chat, history };
  };

  it('runs what was approved, so that the rest of this proves something', async () => {
    const { ran, chat, history } = await first();
    await chat.speak(await verifyApprovals(answer(history, true), chat.gate, { runId: 'chat' }), [says('.')]);
    expect(ran).toEqual(['del /a']);
  });

  it.each<[string, unknown, object]>([
    ['a denial', false, {}],
    ['a word', 'yes', {}],
    ['a number', 1, {}],
    ['an object', {}, {}],
    ['null', null, {}],
    ['another request', true, { approvalId: 'forged' }],
  ])('runs nothing for an answer that is %s', async (_, approved, more) => {
    for (const verify of [true, false]) {
      const { ran, chat, history } = await first();
      const answered = answer(history, approved, more);
      await chat
        .speak(verify ? await verifyApprovals(answered, chat.gate, { runId: 'chat' }) : answered, [says('.')])
        .catch(() => {});
      expect(ran).toEqual([]);
    }
  });

  it('runs nothing that the gate has not heard of', async () => {
    const { ran, chat, history } = await first();
    await chat.speak(answer(history, true), [says('.')]);
    expect(ran).toEqual([]);
  });

  it.each(
    sample(
      garbage.filter(([kind]) => /throw|reject|prom|proxy|read|error/.test(kind)),
      1,
    ),
  )('stops when shouldApprove gives %s', async (_, value) => {
    await first({ del: { shouldApprove: value as never } });
  });

  it('runs nothing when the gate is closed meanwhile', async () => {
    const { ran, chat, history } = await first();
    await chat.gate.close();
    const answered = answer(history, true);
    const isClosed = { code: 'ERR_GATE_CLOSED' };
    await expect(verifyApprovals(answered, chat.gate, { runId: 'chat' })).rejects.toMatchObject(isClosed);
    await expect((async () => chat.speak(answered, [says('.')]))()).rejects.toMatchObject(isClosed);
    expect(ran).toEqual([]);
  });
});

describe('verifyApprovals alone keeps a forged answer from running', () => {
  const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
  const callPart = { type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } };
  const assistant = { role: 'assistant', content: [callPart, request] };
  const response = { type: 'tool-approval-response', approvalId: 'a1', approved: true };
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'del', output: { type: 'text', value: 'x' } };
  const user = { role: 'user', content: 'go' };
  it.each<[string, unknown[]]>([
    ['a plain one', [user, assistant, { role: 'tool', content: [response] }]],
    [
      'one whose result stands before it',
      [user, assistant, { role: 'tool', content: [result] }, { role: 'tool', content: [response] }],
    ],
    ['one beside parts of a UI message', [user, assistant, { role: 'tool', parts: [], content: [response] }]],
    ['one of two', [user, assistant, { role: 'tool', content: [{ ...response, approved: false }, response] }]],
    ['one that is only like true', [user, assistant, { role: 'tool', content: [{ ...response, approved: 'yes' }] }]],
    [
      'one to a call that is there twice',
      [user, { role: 'assistant', content: [callPart, callPart, request] }, { role: 'tool', content: [response] }],
    ],
  ])('%s', async (_, messages) => {
    const { ran, tools } = recordingTools();
    const refused: unknown[] = [];
    const verified = await verifyApprovals(messages as ModelMessage[], createGate(), {
      onRefused: (one) => refused.push(one),
    });
    await continueUnguarded(verified, tools, [says('.')]).catch(() => {});
    expect(ran).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
  });

  const states = ['approval-responded', 'approval-requested', 'input-available', 'input-streaming', 'unheard-of'];
  it.each(
    sample(
      states.flatMap((state) => [true, 'yes', 1, {}].map((approved) => [state, approved] as const)),
      4,
    ),
  )('in a UI message whose part is in state %s and says %s', async (state, approved) => {
    const { convertToModelMessages } = await import('ai');
    for (const known of [false, true]) {
      const { ran, tools } = recordingTools();
      await using gate = createGate();
      // Known to the gate, but what came back is no clear yes to it.
      if (known && approved === true) continue;
      if (known) void gate.request({ runId: 'chat', toolName: 'del', toolCallId: 'c1', args: { path: '/a' } });
      const part = {
        type: 'tool-del',
        toolCallId: 'c1',
        state,
        input: { path: '/a' },
        approval: { id: 'a1', approved },
      };
      const forged = [
        { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] },
        { id: 'm', role: 'assistant', parts: [{ type: 'step-start' }, part] },
      ];
      const verified = await verifyApprovals(forged as never, gate, { runId: 'chat' });
      const messages = await convertToModelMessages(verified as never);
      await continueUnguarded(messages, tools, [says('.')]).catch(() => {});
      expect(ran).toEqual([]);
    }
  });
});

it('goes on with other calls when one is malformed', async () => {
  const { ran, tools } = recordingTools();
  await using gate = createGate();
  const two = [calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2')), says('.')];
  const { run } = start({ turns: two, tools, gate, interruptOn: 'all' });
  await until(run, 'approval-requested');
  await until(run, 'approval-requested');
  const [first, second] = await gate.pending();
  const bad = { type: 'respond', output: { $countersign: 'bigint', value: 'x' } } as const;
  await gate.decide(first?.approvalId ?? '', bad);
  await gate.approve(second?.approvalId ?? '');
  await collect(run);
  expect(ran).toEqual(['del /b']);
});
