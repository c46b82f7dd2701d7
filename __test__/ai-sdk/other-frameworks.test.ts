/** Tools that the AI SDK does not run as it runs its own: of other frameworks, called by them, run by the provider. */
import * as ai from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  applyInterruptConfig,
  createGate,
  gateTools,
  isCallOfRun,
  isExecutionDenied,
  streamWithEvents,
} from '../../ts/index.js';
import { call, calls, collect, major, says, scripted, stepCount } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const no = { onApprovalRequest: () => false } as const;
const schema = z.object({ path: z.string() });
const functions = () =>
  Object.fromEntries(
    ['description', 'needsApproval', 'toModelOutput', 'onInputStart', 'onInputDelta', 'onInputAvailable'].map(
      (name) => [name, () => {}],
    ),
  );

describe('a gated entry that is no tool of the AI SDK is an error, and not handed back ungated', () => {
  const foreign: [string, unknown][] = [
    ['a tool of LangChain', { name: 'del', schema, func: () => 'ran', invoke: () => 'ran', lc_namespace: [] }],
    [
      'a tool of OpenAI Agents',
      { type: 'function', name: 'del', parameters: {}, invoke: () => 'ran', needsApproval: async () => false },
    ],
    ['a function', () => 'ran'],
    ['a tool of LlamaIndex', { metadata: { name: 'del' }, call: () => 'ran' }],
    ['what has a schema of ours, and runs on a way of its own', { inputSchema: schema, handler: () => 'ran' }],
    ['what has an execute that nobody need call', { execute: () => 'ran', invoke: () => 'ran' }],
    ['what runs on a way that nobody has heard of', { inputSchema: schema, executor: () => 'ran' }],
    ['what inherits such a way', Object.create({ perform: () => 'ran' }, { inputSchema: { value: schema } })],
    ['an empty object', {}],
    ['a text', 'del'],
    ['undefined, as in { del: isAdmin ? del : undefined }', undefined],
    ['null', null],
  ];

  it.each(foreign)('%s', (_, tool) => {
    const tools = { del: tool } as never;
    const refused = expect.objectContaining({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining('"del" is not a tool of the AI SDK') as unknown,
    });
    expect(() => gateTools(tools, { interruptOn: 'all', ...no })).toThrow(refused);
    expect(() => gateTools(tools, { policy: 'preset:read-only', ...no })).toThrow(refused);
    expect(() => applyInterruptConfig(tools, ['del'] as never)).toThrow(refused);
    expect(() =>
      streamWithEvents({ model: scripted([]).model, prompt: 'go', tools, interruptOn: 'all' } as never),
    ).toThrow(refused);
  });

  it('nor is a tool whose execute is gated, and another way is not', () => {
    const { tools } = recordingTools();
    const both = { del: { ...tools.del, invoke: () => 'ran' } };
    expect(() => gateTools(both, { interruptOn: 'all', ...no })).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringMatching(/"del" has the function "invoke" beside its execute/) as unknown,
      }),
    );
  });

  it.each(foreign)('%s, gated by what it is a part of', async (_, foreignTool) => {
    const refusals: unknown[] = [];
    const agent = ai.tool({
      inputSchema: schema,
      execute: async (_input, options) => {
        try {
          gateTools({ del: foreignTool } as never, { parent: options, interruptOn: {} });
        } catch (error) {
          refusals.push(error);
        }
        return 'done';
      },
    });
    await play({
      turns: [calls(call('agent', { path: '/a' }, 'c1')), says('.')],
      tools: { agent },
      interruptOn: { del: true } as never,
      unknownTools: 'ignore',
    });
    expect(refusals).toMatchObject([{ code: 'ERR_INVALID_CONFIG' }]);
  });

  it.each<[string, unknown]>([
    ['a tool without a schema', { execute: async () => 'ran' }],
    ['a tool that the client runs', { inputSchema: schema }],
    [
      'a tool with all that the AI SDK calls',
      { inputSchema: () => schema, ...functions(), execute: async () => 'ran' },
    ],
    [
      'a tool of a class with methods of its own',
      new (class {
        inputSchema = schema;
        async execute(): Promise<string> {
          return this.help();
        }
        help(): string {
          return 'ran';
        }
      })(),
    ],
  ])('but not %s', (_, tool) => {
    const tools = { del: tool } as never;
    expect(() => gateTools(tools, { interruptOn: 'all', ...no })).not.toThrow();
    expect(() => applyInterruptConfig(tools, 'all')).not.toThrow();
  });

  it('a class runs nothing by its other methods, once it is gated, and its execute may call them', async () => {
    const ran: string[] = [];
    class Del {
      readonly inputSchema = schema;
      async execute(): Promise<string> {
        return this.invoke();
      }
      invoke(): string {
        ran.push('ran');
        return 'gone';
      }
      get handler() {
        return () => this.invoke();
      }
      readonly field = () => this.invoke();
    }
    let says = false;
    const gated = gateTools(
      { del: new Del() } as never,
      { interruptOn: 'all', onApprovalRequest: () => says } as never,
    );
    const { del } = gated as Record<string, Record<string, (input: object, options: object) => unknown>>;
    for (const way of ['invoke', 'handler', 'field'])
      expect(() => del?.[way]?.({}, {})).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
    const options = (toolCallId: string) => ({ toolCallId, messages: [] });
    await del?.['execute']?.({}, options('c1'));
    expect(ran).toEqual([]);
    says = true;
    expect(await del?.['execute']?.({}, options('c2'))).toBe('gone');
  });

  it('a getter of a tool makes no function that would run unasked', () => {
    const tool = Object.defineProperty({ inputSchema: schema, execute: async () => 'x' }, 'handler', {
      enumerable: true,
      get: () => () => 'ran',
    });
    const { del } = gateTools({ del: tool } as never, { interruptOn: 'all', ...no }) as Record<string, typeof tool>;
    const handler = (del as unknown as { handler: () => unknown }).handler;
    expect(handler).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
  });

  it('a function that a look at all of a tool does not show runs nothing', () => {
    const hidden = Object.defineProperty({ inputSchema: schema, execute: async () => 'x' }, 'run', {
      value: () => 'ran',
    }) as object as { run: () => unknown };
    const { del } = gateTools({ del: hidden } as never, { interruptOn: 'all', ...no }) as { del: typeof hidden };
    expect(() => del.run()).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
  });

  it('nor what is not gated', () => {
    const tools = { del: recordingTools().tools.del, theirs: { invoke: () => 'ran' } as never };
    expect(gateTools(tools, { interruptOn: { del: true }, ...no }).theirs).toBe(tools.theirs);
  });
});

describe('a framework that asks what the model is to get of a result, with nothing but the result', () => {
  type Bare = (output: unknown) => Promise<unknown>;
  type Execute = (input: unknown, options: object) => Promise<unknown>;

  /** As Mastra calls a tool: `toModelOutput(await execute(…))`. */
  async function told(options: Parameters<typeof gateTools>[1], tool: object = {}): Promise<unknown> {
    const { tools } = recordingTools();
    const gated = gateTools({ del: { ...tools.del, ...tool } }, options as never).del;
    const result = await (gated.execute as Execute)({ path: '/a' }, { toolCallId: 'c1', messages: [] });
    return (gated.toModelOutput as unknown as Bare)(result);
  }

  it('gives the model the result', async () => {
    expect(await told({ interruptOn: 'all', onApprovalRequest: () => true })).toEqual({
      type: 'text',
      value: 'deleted /a',
    });
    const execute = () => ({ output: 5 });
    expect(await told({ interruptOn: 'all', onApprovalRequest: () => true }, { execute })).toEqual({
      type: 'json',
      value: { output: 5 },
    });
  });

  it('gives the model the denial, with its reason', async () => {
    const onApprovalRequest = () => ({ type: 'reject', reason: 'keep it' }) as const;
    expect(await told({ interruptOn: 'all', onApprovalRequest })).toEqual({
      type: 'execution-denied',
      reason: 'keep it',
    });
  });

  it('gives the model what the human answered, and not what the tool would make of it', async () => {
    const onApprovalRequest = () => ({ type: 'respond', output: { by: 'hand' } }) as const;
    const toModelOutput = () => {
      throw new Error('it expects another shape');
    };
    expect(await told({ interruptOn: 'all', onApprovalRequest }, { toModelOutput })).toEqual({
      type: 'json',
      value: { by: 'hand' },
    });
  });

  it('tells the model that its arguments were edited', async () => {
    const onApprovalRequest = () => ({ type: 'edit', args: { path: '/b' } }) as const;
    expect(await told({ interruptOn: 'all', onApprovalRequest })).toMatchObject({
      type: 'text',
      value: expect.stringMatching(/^deleted \/b\n\n.*changed the arguments/s) as unknown,
    });
  });

  it("calls the tool's own function as it was called itself", async () => {
    const toModelOutput = vi.fn((output: unknown) => ({ type: 'text', value: `own: ${output as string}` }));
    expect(await told({ interruptOn: 'all', onApprovalRequest: () => true }, { toModelOutput })).toEqual({
      type: 'text',
      value: 'own: deleted /a',
    });
    expect(toModelOutput.mock.calls).toEqual([['deleted /a']]);
  });
});

describe('a framework that calls a tool without an id', () => {
  type Execute = (input: unknown, options?: object) => Promise<unknown>;

  it.each([
    ['with no options', undefined],
    ['with others', { requestContext: {} }],
    ['with an id that is none', { toolCallId: 5 }],
  ])('%s: it asks, and each call is one of its own', async (_, options) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const gated = gateTools(tools, {
      interruptOn: { del: true },
      onApprovalRequest: ({ toolCallId }) => {
        asked.push(toolCallId);
        return asked.length === 1;
      },
      runId: 'chat-1',
    });
    const execute = gated.del.execute as Execute;
    expect(await execute({ path: '/a' }, options)).toBe('deleted /a');
    expect(await execute({ path: '/b' }, options)).toSatisfy(isExecutionDenied);
    expect(ran).toEqual(['del /a']);
    expect(new Set(asked).size).toBe(2);
    // Calls that need no approval run as well.
    expect(await (gated.read.execute as Execute)({ path: '/c' }, options)).toBe('content of /c');
  });

  it('which has it elsewhere, as Mastra: by that id', async () => {
    const asked: string[] = [];
    const { tools } = recordingTools();
    const gated = gateTools(tools, {
      interruptOn: 'all',
      onApprovalRequest: ({ toolCallId }) => asked.push(toolCallId) > 0,
    });
    await (gated.del.execute as Execute)({ path: '/a' }, { agent: { toolCallId: 'm1', messages: [] } });
    expect(asked).toEqual(['m1']);
  });
});

describe('what an execute is given', () => {
  /** The options of a call of `del`, when the run is over. */
  async function optionsOf(gated: boolean): Promise<object> {
    const execute = vi.fn(async (_input: unknown, _options: object) => 'done');
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    const tools = { del: ai.tool({ inputSchema: schema, execute: execute as never }) };
    await collect(
      streamWithEvents({
        model,
        prompt: 'go',
        tools,
        interruptOn: gated ? 'all' : 'none',
        onApprovalRequest: () => true,
      }),
    );
    return execute.mock.calls[0]![1];
  }

  it.each([true, false])('can be printed and compared when the call is over (gated: %j)', async (gated) => {
    const options = await optionsOf(gated);
    expect(() => expect([[{ path: '/a' }, options]]).toEqual([['other', {}]])).toThrow(/to deeply equal/);
    expect(() => expect(options).toStrictEqual({ toolCallId: 'x' })).toThrow(/to strictly equal/);
    expect(options).toMatchObject({ toolCallId: 'c1' });
    expect(structuredClone(Object.keys(options))).toContain('toolCallId');
    expect(() => JSON.stringify(options)).not.toThrow();
    for (const key of Reflect.ownKeys(options)) {
      const value = (options as Record<PropertyKey, unknown>)[key];
      if (typeof value !== 'object' || value === null) continue;
      expect(() => Reflect.ownKeys(value).map((name) => Reflect.get(value, name) as unknown)).not.toThrow();
    }
  });
});

describe('isCallOfRun', () => {
  const seen: boolean[] = [];
  let options: unknown;
  const note = ai.tool({
    inputSchema: schema,
    execute: async (_, given) => {
      options = given;
      seen.push(isCallOfRun(given), isCallOfRun({ ...given }));
      return 'noted';
    },
  });
  const turns = () => [calls(call('note', { path: '/a' }, 'c1')), says('.')];

  it('in a run: until the call is over', async () => {
    seen.length = 0;
    await play({ turns: turns(), tools: { note }, interruptOn: 'none' });
    expect(seen).toEqual([true, true]);
    expect(isCallOfRun(options)).toBe(false);
  });

  it('among tools of gateTools', async () => {
    seen.length = 0;
    const tools = gateTools({ note }, { interruptOn: 'all', onApprovalRequest: () => true });
    await ai.generateText({ model: scripted(turns()).model, prompt: 'go', tools, stopWhen: stepCount(2) });
    expect(seen).toEqual([true, true]);
  });

  it('not in the loop of the SDK alone, where parent would be an error', async () => {
    seen.length = 0;
    await ai.generateText({
      model: scripted(turns()).model,
      prompt: 'go',
      tools: { note },
      stopWhen: stepCount(2),
    });
    expect(seen).toEqual([false, false]);
    expect(() => gateTools({ note }, { parent: options as never })).toThrow(/parent must be/);
  });

  it.each([undefined, null, 5, 'c1', {}])('%j is none', (given) => {
    expect(isCallOfRun(given)).toBe(false);
  });
});

describe("'all' leaves alone what the provider runs", () => {
  const provider = (id: string, more: object) =>
    ({ type: 'provider', id, args: {}, inputSchema: z.object({ q: z.string() }), ...more }) as never;

  it.each([
    ['as AI SDK 7 marks it', provider('any.thing', { isProviderExecuted: true })],
    ['as AI SDK 6 marks some', provider('any.thing', { supportsDeferredResults: true })],
    ['by its id', provider('anthropic.web_search_20250305', {})],
  ])('%s', (_, search) => {
    const tools = { search, del: recordingTools().tools.del };
    for (const interruptOn of ['all', { '*': true }] as const) {
      const applied = applyInterruptConfig(tools, interruptOn);
      expect(applied.search).toBe(search);
      expect(applied.del.needsApproval).toBe(true);
      for (const mode of ['wait', 'stop'] as const)
        expect(gateTools(tools, { interruptOn, mode, gate: createGate({ ledger: 'memory:' }) }).search).toBe(search);
    }
  });

  it.each([
    ['what it only describes, and runs here', { execute: async () => 'ran' }],
    ['what AI SDK 7 says that runs here', { isProviderExecuted: false }],
    ['what may run anywhere', {}],
  ])('but not %s', (_, more) => {
    const tools = { bash: provider('anthropic.bash_20250124', more) as ai.Tool };
    expect(applyInterruptConfig(tools, 'all').bash.needsApproval).toBe(true);
  });

  it('an entry of its name is a wish that cannot be met: one warning', () => {
    using heard = listenToWarnings();
    const tools = { search: provider('openai.web_search', {}) as ai.Tool };
    applyInterruptConfig(tools, { search: true });
    applyInterruptConfig(tools, ['search']);
    expect(heard.warnings).toEqual([expect.stringContaining('countersign cannot gate "search"')]);
  });

  it.runIf(major === 7)('no request is left that nobody can answer', async () => {
    const search = provider('any.thing', { isProviderExecuted: true, outputSchema: z.any() });
    const turn = [
      call('search', { q: 'x' }, 'p1', { providerExecuted: true }),
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { hits: 3 } },
      ...says('found'),
    ];
    const gate = createGate({ ledger: 'memory:' });
    const tools = gateTools({ search } as ai.ToolSet, { interruptOn: 'all', mode: 'stop', gate });
    const { content } = await ai.generateText({ model: scripted([turn]).model, prompt: 'go', tools });
    expect(content.map(({ type }) => type)).not.toContain('tool-approval-request');
    expect(await gate.pending()).toEqual([]);
  });
});
