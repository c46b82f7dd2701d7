/** `toolApproval` of AI SDK 7, asked in the middle of a step. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ToolApprovalOptions } from '../../index.js';
import { createGate, gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
import { call, calls, major, resultsIn, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const LITERALS = ['not-applicable', 'approved', 'denied', 'user-approval'];

async function generate(
  options: ToolApprovalOptions,
  turns = [calls(call('del', { path: '/a' }, 'c1')), says('Done.')],
) {
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted(turns);
  const result = await ai.generateText({
    model,
    tools,
    prompt: 'go',
    stopWhen: ai.isStepCount(5),
    toolApproval: toolApproval(options),
  } as never);
  return { ran, prompts, result, told: resultsIn(prompts[1])['c1'] };
}

describe.runIf(major === 7)('in a step of the SDK', () => {
  it('with a callback, waits: approved calls run in the same step', async () => {
    const { ran, result, prompts } = await generate({ interruptOn: { del: true }, onApprovalRequest: () => true });
    expect(ran).toEqual(['del /a']);
    expect([result.text, prompts.length]).toEqual(['Done.', 2]);
  });

  it('the reason of an approval is in the answer that the SDK keeps, also when the turn ended in between', async () => {
    const approve = { type: 'approve', reason: 'only this once' } as const;
    const { result } = await generate({ interruptOn: 'all', onApprovalRequest: () => approve });
    expect(JSON.stringify(result)).toContain('only this once');
    await using gate = createGate();
    const input = { path: '/a' };
    const status = toolApproval({ interruptOn: 'all', gate, runId: 'r' });
    const asked = { toolCall: { toolCallId: 'c1', toolName: 'del', input }, tools: recordingTools().tools };
    expect(await status({ ...asked, messages: [] })).toMatchObject({ type: 'user-approval' });
    await gate.approve((await gate.pending())[0]?.approvalId as string, { reason: 'only this once' });
    const content = [{ type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }];
    const answered = [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }];
    const messages = [
      { role: 'assistant', content },
      { role: 'tool', content: answered },
    ] as never;
    expect(await status({ ...asked, messages })).toEqual({ type: 'approved', reason: 'only this once' });
  });

  it('a rejection and its reason reach the model', async () => {
    const { ran, told } = await generate({
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
    });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied', reason: 'no' });
  });

  it.each([
    ['edit', { type: 'edit', args: { path: '/b' } }],
    ['respond', { type: 'respond', output: 'x' }],
  ] as const)('%s cannot be carried out here: nothing runs, and the model is told', async (_, answer) => {
    const { ran, told } = await generate({ interruptOn: 'all', onApprovalRequest: () => answer });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied' });
  });

  it('of two calls with one id the second is not asked about: the SDK would run neither, and say nothing', async () => {
    using warnings = listenToWarnings();
    const asked: unknown[] = [];
    const twice = calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c1'));
    const onApprovalRequest = ({ args }: { args: unknown }) => asked.push(args) > 0;
    const { ran, result } = await generate({ interruptOn: { del: true }, onApprovalRequest }, [twice, says('Done.')]);
    expect([ran, asked]).toEqual([[], [{ path: '/a' }]]);
    expect(JSON.stringify(result)).toContain('Two calls have the same tool call id');
    expect(warnings.warnings.filter((text) => text.includes('the id of another call of the same step'))).toHaveLength(
      1,
    );
  });

  it.each([
    ['of its own run', {}],
    ['of a named run', { gate: createGate(), runId: 'r' }],
  ])('a call with the id of one that ran in an earlier step is not taken for that one: %s', async (_, more) => {
    const asked: unknown[] = [];
    const onApprovalRequest = ({ args }: { args: unknown }) => asked.push(args) > 0;
    const again = (path: string) => calls(call('del', { path }, 'c1'));
    const turns = [again('/a'), again('/b'), again('/b'), says('Done.')];
    const { ran, result } = await generate({ interruptOn: ['del'], onApprovalRequest, ...more }, turns);
    const isNamed = 'runId' in more;
    // Under one run the answers to two calls with one id cannot be told apart.
    expect(asked).toEqual([{ path: '/a' }, ...(isNamed ? [] : [{ path: '/b' }, { path: '/b' }])]);
    expect(ran).toEqual(['del /a', ...(isNamed ? [] : ['del /b', 'del /b'])]);
    const told = JSON.stringify(result.steps.map(({ content }) => content));
    expect(told.includes('Two calls have the same tool call id')).toBe(isNamed);
    expect(told).not.toMatch(/could not be decided|was already started/);
  });

  it('nobody to ask: denied', async () => {
    const { ran, told } = await generate({ interruptOn: 'all' });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied' });
  });

  it('with a gate: the turn ends, and the request waits there', async () => {
    const gate = createGate();
    const { ran, result } = await generate({ interruptOn: 'all', gate, runId: 'chat-1' });
    expect(ran).toEqual([]);
    expect(result.finishReason).toBe('tool-calls');
    expect(await gate.pending({ runId: 'chat-1' })).toHaveLength(1);
  });

  it('what is not configured runs', async () => {
    const { ran } = await generate({ interruptOn: { read: true } });
    expect(ran).toEqual(['del /a']);
  });
});

describe.runIf(major === 7)('in a step that has a part of the tools', () => {
  it.each([
    ['a list', ['del']],
    ['an object', { del: true }],
  ] as const)('what is named in %s is elsewhere: no warning says that nothing is gated', async (_, interruptOn) => {
    using heard = listenToWarnings();
    const { ran, tools } = recordingTools();
    const { model } = scripted([
      calls(call('read', { path: '/a' }, 'c1')),
      calls(call('del', { path: '/a' }, 'c2')),
      says('.'),
    ]);
    const asked: string[] = [];
    await ai.generateText({
      model,
      tools,
      prompt: 'go',
      stopWhen: ai.isStepCount(5),
      prepareStep: ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? { activeTools: ['read'] } : {}),
      toolApproval: toolApproval({
        interruptOn,
        unknownTools: 'ignore',
        onApprovalRequest: ({ toolName }) => asked.push(toolName) === 0,
      }),
    } as never);
    expect([ran, asked, heard.warnings]).toEqual([['read /a'], ['del'], []]);
  });

  it('where nothing is named, one warning says that nothing is gated', async () => {
    using heard = listenToWarnings();
    const { ran } = await generate({ interruptOn: { del: false }, onApprovalRequest: () => false });
    expect(ran).toEqual(['del /a']);
    expect(heard.warnings).toEqual([expect.stringMatching(/nothing is gated/)]);
  });
});

describe.runIf(major === 7)('what runs is what was shown', () => {
  /** A run of the SDK whose arguments somebody changes when they are there. */
  const changed = async (change: (input: { path: unknown }) => void, options: Partial<ToolApprovalOptions> = {}) => {
    const { ran, tools } = recordingTools();
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]);
    let answer!: (isApproved: boolean) => void;
    const answered = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const { fullStream } = ai.streamText({
      model,
      tools: {
        ...tools,
        del: ai.dynamicTool({ ...tools.del, inputSchema: ai.jsonSchema({ type: 'object' }) } as never),
      },
      prompt: 'go',
      toolApproval: toolApproval({ interruptOn: 'all', onApprovalRequest: () => answered, ...options }),
    } as never);
    for await (const part of fullStream) {
      if (part.type !== 'tool-call') continue;
      change(part.input as never);
      answer(true);
    }
    return ran;
  };

  it('arguments that are changed while the human thinks: denied', async () => {
    expect(await changed(() => {})).toEqual(['del /a']);
    expect(await changed((input) => (input.path = '/etc'))).toEqual([]);
  });

  it('arguments that are changed after they were approved: they cannot be', async () => {
    const input = { path: '/a', more: [{ deep: 1 }] };
    const approve = toolApproval({ interruptOn: 'all', onApprovalRequest: () => true });
    const status = () =>
      approve({ toolCall: { toolCallId: 'c1', toolName: 'del', input }, tools: recordingTools().tools, messages: [] });
    expect(await status()).toEqual({ type: 'approved' });
    expect(() => (input.path = '/etc')).toThrow(TypeError);
    expect(() => (input.more[0] = { deep: 2 })).toThrow(TypeError);
    expect(() => Object.assign(input.more[0] as object, { deep: 2 })).toThrow(TypeError);
  });

  it('arguments that a policy allows cannot be changed either; those that nothing judges are as they were', async () => {
    const call = (input: object) => ({
      toolCall: { toolCallId: 'c1', toolName: 'del', input },
      tools: recordingTools().tools,
      messages: [],
    });
    const [judged, free] = [{ path: '/a' }, { path: '/a' }];
    const policy = { version: 1, default: 'allow' } as never;
    expect(await toolApproval({ policy })(call(judged))).toEqual({ type: 'not-applicable' });
    expect(Object.isFrozen(judged)).toBe(true);
    expect(await toolApproval({ interruptOn: 'none' })(call(free))).toEqual({ type: 'not-applicable' });
    expect(Object.isFrozen(free)).toBe(false);
  });

  it.each<[string, () => object]>([
    [
      'an instance of a class, which may hold what it does not show',
      () =>
        new (class {
          readonly path = '/a';
          #hidden = '/etc';
          get hidden() {
            return this.#hidden;
          }
        })(),
    ],
    ['a getter', () => ({ get path() { return '/a'; } })], // prettier-ignore
    ['a proxy', () => new Proxy({ path: '/a' }, {})],
    ['a list of them', () => [{ path: new Proxy({}, {}) }]],
    ['a Map of them', () => new Map([['path', new Proxy({}, {})]])],
  ])('arguments that cannot be held: %s', async (_, input) => {
    const approve = toolApproval({ interruptOn: 'all', onApprovalRequest: () => true });
    const toolCall = { toolCallId: 'c1', toolName: 'del', input: input() };
    const { tools } = recordingTools();
    expect(await approve({ toolCall, tools, messages: [] })).toMatchObject({ type: 'denied' });
  });

  it('what the human said with the approval is told to the SDK', async () => {
    const onApprovalRequest = () => ({ type: 'approve', reason: 'just this once' }) as const;
    const approve = toolApproval({ interruptOn: 'all', onApprovalRequest });
    const toolCall = { toolCallId: 'c1', toolName: 'del', input: { path: '/a' } };
    const { tools } = recordingTools();
    const status = await approve({ toolCall, tools, messages: [] });
    expect(status).toEqual({ type: 'approved', reason: 'just this once' });
  });

  it.each<[string, () => unknown]>([
    ['a date', () => new Date(0)],
    ['a URL', () => new URL('file:///a')],
    ['a Map', () => new Map([['a', new Set([1])]])],
    ['bytes', () => new Uint8Array([1, 2])],
    ['no prototype', () => Object.assign(Object.create(null) as object, { a: 1 })],
  ])('arguments that show all that they are run: %s', async (_, path) => {
    const approve = toolApproval({ interruptOn: 'all', onApprovalRequest: () => true });
    const toolCall = { toolCallId: 'c1', toolName: 'del', input: { path: path() } };
    const { tools } = recordingTools();
    expect(await approve({ toolCall, tools, messages: [] })).toEqual({ type: 'approved' });
  });
});

describe.runIf(major === 7)('the tool that runs is the one that was approved', () => {
  type Tools = Record<string, ai.Tool>;
  /** A run of the SDK in which `change` is called at some time. */
  async function changing(
    optionsOf: (change: () => void, tools: Tools) => ToolApprovalOptions,
    change: (tools: Tools, wipe: ai.Tool) => void,
    turn = [call('del', { path: '/a' }, 'c1')],
    stream = false,
  ) {
    const ran: string[] = [];
    const tools = recordingTools(ran).tools as unknown as Tools;
    const wipe = { ...tools['del'], description: 'Wipes the disk', execute: () => ran.push('wipe') } as ai.Tool;
    const { model, prompts } = scripted([calls(...turn), says('Done.')]);
    const options = {
      model,
      tools,
      prompt: 'go',
      stopWhen: ai.isStepCount(3),
      toolApproval: toolApproval(optionsOf(() => change(tools, wipe), tools)),
      onError: () => {},
    };
    const run = async () =>
      stream ? ai.streamText(options as never).consumeStream() : ai.generateText(options as never);
    const error = await run().then(
      () => undefined,
      (thrown: unknown) => thrown as { code?: string },
    );
    return { ran, told: resultsIn(prompts[1])['c1'], code: error?.code };
  }

  const changes: [string, (tools: Tools, wipe: ai.Tool) => void][] = [
    ['replaced', (tools, wipe) => (tools['del'] = wipe)],
    [
      'replaced by one that looks the same',
      (tools, { execute }) => (tools['del'] = { ...tools['del'], execute } as never),
    ],
    ['given another execute', (tools, { execute }) => Object.assign(tools['del']!, { execute })],
    ['given another schema', (tools) => Object.assign(tools['del']!, { inputSchema: ai.jsonSchema({}) })],
    ['given another description', (tools) => Object.assign(tools['del']!, { description: 'Wipes' })],
    ['taken away', (tools) => delete tools['del']],
  ];
  const times: [string, (change: () => void, tools: Tools) => ToolApprovalOptions][] = [
    ['while the human thinks', (change) => ({ interruptOn: 'all', onApprovalRequest: () => (change(), true) })],
    [
      'while shouldApprove thinks',
      (change) => ({
        interruptOn: { del: { shouldApprove: () => (change(), false) } } as never,
        onApprovalRequest: () => false,
      }),
    ],
    [
      'while its needsApproval thinks',
      (change, tools) => {
        Object.assign(tools['del']!, { needsApproval: () => (change(), false) });
        return { onApprovalRequest: () => false };
      },
    ],
  ];
  it.each(times.flatMap(([when, at]) => changes.map(([how, change]) => [how, when, change, at] as const)))(
    'a tool that is %s %s runs nothing, and the model is told',
    async (_how, _when, change, at) => {
      for (const stream of [false, true]) {
        const { ran, told } = await changing(at, change, undefined, stream);
        expect(ran).toEqual([]);
        expect(told).toMatchObject({ reason: expect.stringContaining('no longer the one') as unknown });
      }
    },
  );

  const two = [call('del', { path: '/a' }, 'c1'), call('read', { path: '/b' }, 'c2')];
  it.each([
    ['approved', { interruptOn: 'all' }],
    ['let through by a predicate', { interruptOn: { del: { shouldApprove: () => false }, read: true } }],
    ['let through, and is one by now that asks', { interruptOn: { read: true } }],
  ])(
    'a tool that was %s, and is replaced while another call of the step is asked about, runs nothing',
    async (_, options) => {
      const at = (change: () => void) =>
        ({
          ...options,
          onApprovalRequest: ({ toolName }: { toolName: string }) => (toolName === 'read' && change(), true),
        }) as never;
      const change = (tools: Tools, wipe: ai.Tool) => (tools['del'] = { ...wipe, needsApproval: true } as never);
      for (const stream of [false, true]) expect((await changing(at, change, two, stream)).ran).toEqual([]);
      expect((await changing(at, change, two)).code).toBe('ERR_INVALID_CONFIG');
      expect((await changing(at, () => {}, two)).ran).toEqual(['del /a', 'read /b']);
    },
  );
});

describe.runIf(major === 7)('approved after an abort, of which the SDK tells it nothing', () => {
  const after = () => {
    const abort = new AbortController();
    const { ran, tools } = recordingTools();
    const execute = tools.del.execute!;
    const del = {
      ...tools.del,
      execute: (input: { path: string }, options: ai.ToolExecutionOptions<never>) => {
        options.abortSignal?.throwIfAborted();
        return execute(input as never, options as never);
      },
    };
    const approve = () => {
      abort.abort();
      return true;
    };
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    const rules = { interruptOn: 'all', onApprovalRequest: approve } as const;
    const options = { model, prompt: 'go', abortSignal: abort.signal };
    return { ran, tools, del, rules, options };
  };

  it('nothing runs in streamText', async () => {
    const { ran, tools, rules, options } = after();
    const result = ai.streamText({ ...options, tools, toolApproval: toolApproval(rules) as never });
    for await (const part of result.fullStream) void part;
    expect(ran).toEqual([]);
  });

  it('nothing runs in generateText under gateTools, or where the tool looks at its signal', async () => {
    const looking = after();
    const tools = { del: looking.del };
    await ai
      .generateText({ ...looking.options, tools, toolApproval: toolApproval(looking.rules) as never } as never)
      .catch(() => {});
    expect(looking.ran).toEqual([]);
    const gated = after();
    await ai.generateText({ ...gated.options, tools: gateTools(gated.tools, gated.rules) }).catch(() => {});
    expect(gated.ran).toEqual([]);
  });
});

describe.runIf(major === 7)('where the caller has another copy of the SDK', () => {
  it('of version 6, which would pass over it: an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-caller-'));
    try {
      const own = join(folder, 'node_modules', 'ai');
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'ai', version: '6.0.1' }));
      const file = join(folder, 'caller.mjs');
      writeFileSync(file, 'export const call = (entry, options) => entry(options);');
      const { call } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
        call: (...given: unknown[]) => unknown;
      };
      expect(() => call(toolApproval, { interruptOn: 'all' })).toThrow(
        expect.objectContaining({
          code: 'ERR_UNSUPPORTED_SDK',
          message: expect.stringContaining('6.0.1') as unknown,
        }) as Error,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('one of the SDK, given to streamWithEvents', () => {
  const tools = () => recordingTools().tools;
  const run = (toolApproval: unknown, given: { ran: string[]; tools: object } = recordingTools(), more: object = {}) =>
    streamWithEvents({
      model: scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]).model,
      tools: given.tools,
      prompt: 'go',
      toolApproval,
      onApprovalRequest: () => false,
      ...more,
    } as never);

  it.each<[string, unknown]>([
    ['a text', 'denied'],
    ['another', 'user-approval'],
    ['true', true],
    ['a list', ['del']],
    ['a Map', new Map([['del', 'denied']])],
    ['a promise', Promise.resolve({ del: 'denied' })],
    ['a status that is none', { del: 'deny' }],
    ['an object that is none', { del: { type: 'deny' } }],
    ['true for a tool', { del: true }],
    ['statuses that it inherits, which the SDK does not read', Object.create({ del: 'denied' })],
    [
      'a class with a getter',
      new (class {
        get del() {
          return 'denied';
        }
      })(),
    ],
    ['an entry for all tools, of which the SDK knows none', { '*': 'denied' }],
  ])('%s is an error at the call', (_, toolApproval) => {
    const wrong = expect.objectContaining({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining('toolApproval') as unknown,
    }) as Error;
    expect(() => run(toolApproval)).toThrow(wrong);
    const agent = new ai.ToolLoopAgent({ model: {} as never, tools: tools(), toolApproval } as never);
    expect(() => streamWithEvents({ agent, prompt: 'go' })).toThrow(wrong);
  });

  it.each([['Del'], ['del '], ['dell']])('a misspelt name is an error: %j', (name) => {
    expect(() => run({ [name]: 'denied' })).toThrow(
      expect.objectContaining({
        code: 'ERR_UNKNOWN_TOOL',
        message: expect.stringContaining('toolApproval') as unknown,
      }) as Error,
    );
  });

  it('an entry that no tool has gates nothing: the warning says so', async () => {
    using heard = listenToWarnings();
    await run({ elsewhere: 'denied' }).result;
    expect(heard.warnings.join('\n')).toMatch(/toolApproval names tools[^]*nothing is gated/);
  });

  it.each(['denied', 'user-approval', { type: 'denied', reason: 'no' }])(
    '%j for a tool: it does not run',
    async (status) => {
      using heard = listenToWarnings();
      const given = recordingTools();
      await run({ del: status }, given).result;
      expect([given.ran, heard.warnings]).toEqual([[], []]);
    },
  );
});

describe('the function by itself', () => {
  const { tools } = recordingTools();
  const status = (options: ToolApprovalOptions, more: object = {}, messages: unknown[] = []) =>
    toolApproval(options)({
      toolCall: { toolCallId: 'c1', toolName: 'del', input: { path: '/a' }, ...more },
      tools,
      messages,
    } as never);

  it('is not applicable to what the provider executes', async () => {
    expect(await status({ interruptOn: 'all' }, { providerExecuted: true })).toEqual({ type: 'not-applicable' });
  });

  it.each<[string, ToolApprovalOptions, object]>([
    [
      'a predicate that throws',
      {
        interruptOn: {
          del: {
            shouldApprove: () => {
              throw new Error('down');
            },
          },
        } as never,
      },
      {},
    ],
    [
      'a callback that throws',
      {
        interruptOn: 'all',
        onApprovalRequest: () => {
          throw new Error('down');
        },
      },
      {},
    ],
    ['a tool that is not there', { interruptOn: 'all', unknownTools: 'ignore' }, { toolName: 'nope' }],
    ['a typo in the configuration', { interruptOn: { dell: true } }, {}],
    [
      'arguments that cannot be shown',
      { interruptOn: 'all', onApprovalRequest: () => true },
      { input: { f: () => {} } },
    ],
    [
      'arguments with a cycle',
      { interruptOn: 'all', onApprovalRequest: () => true },
      {
        input: Object.assign(
          {},
          {
            get self() {
              return this;
            },
          },
        ),
      },
    ],
    [
      'an answer in the messages to what nobody asked',
      { interruptOn: 'all', onApprovalRequest: () => true },
      { resumed: true },
    ],
  ])('%s: denied, one of the four literals, no throw', async (_, options, more) => {
    const messages =
      'resumed' in more
        ? [
            { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c1' }] },
            { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
          ]
        : [];
    const answer = await status(options, more, messages);
    expect(LITERALS).toContain(answer.type);
    expect(answer.type).toBe('denied');
  });

  it.each([undefined, null, 5])('a call whose id is %s is denied and the model is told why', async (toolCallId) => {
    const options: ToolApprovalOptions = { interruptOn: 'all', onApprovalRequest: () => true };
    expect(await status(options, { toolCallId })).toEqual({
      type: 'denied',
      reason: expect.stringContaining('has no id') as unknown,
    });
  });

  it('anything at all in place of a call does not throw', async () => {
    const approval = toolApproval({ interruptOn: 'all' });
    for (const given of [undefined, null, {}, { toolCall: null }, { toolCall: {}, tools: null, messages: null }]) {
      expect(await approval(given as never)).toMatchObject({ type: 'denied' });
    }
  });
});
