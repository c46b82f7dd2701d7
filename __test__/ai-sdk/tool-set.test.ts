/** A set of tools is taken once: what it is not, or gets later, does not run. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { GateToolsOptions } from '../../index.js';
import { createDeepAgent, createTaskTool, describeApprovals } from '../../ts/agent/index.js';
import { applyInterruptConfig, createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const DENY = { version: 1, default: 'deny' } as const;
const invalid = (said: RegExp) =>
  expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(said) as unknown }) as Error;
const deletes = () => scripted([calls(call('del', { path: '/' }, 'c1')), says('Done.')]).model;

/** A run with options of the SDK. */
async function run(options: object): Promise<void> {
  await streamWithEvents({ model: deletes(), prompt: 'go', ...options } as never).result.catch(() => {});
}

async function generate(tools: ai.ToolSet): Promise<void> {
  await ai.generateText({ model: deletes(), tools, prompt: 'go', stopWhen: stepCount(5) }).catch(() => {});
}

describe('what is no set of tools is an error that says what to write', () => {
  const { tools } = recordingTools();
  const wrong: [string, unknown, RegExp][] = [
    ['a promise', Promise.resolve(tools), /await it/],
    ['a thenable', Object.create(Promise.prototype), /await it/],
    ['a Map', new Map(Object.entries(tools)), /Object\.fromEntries/],
    ['a Set', new Set([tools.del]), /Object\.fromEntries/],
    ['an array', [tools.del], /name each/],
    ['a function', () => tools, /call it/],
    ['null', null, /not null/],
    ['a text', 'del', /not del/],
  ];
  const model = {} as never;
  const entries: [string, (tools: never) => unknown][] = [
    ['gateTools', (given) => gateTools(given, { interruptOn: 'all' })],
    ["gateTools in mode 'stop'", (given) => gateTools(given, { mode: 'stop', gate: createGate() })],
    ['applyInterruptConfig', (given) => applyInterruptConfig(given, 'all')],
    [
      'streamWithEvents',
      (given) => streamWithEvents({ model, prompt: 'x', tools: given, interruptOn: 'all' } as never),
    ],
    [
      'streamWithEvents with an agent',
      (given) => streamWithEvents({ agent: new ai.ToolLoopAgent({ model, tools: given } as never), prompt: 'x' }),
    ],
    ['createDeepAgent', (given) => createDeepAgent({ model, tools: given })],
    [
      'a subagent',
      (given) => createDeepAgent({ model, subagents: [{ name: 'a', description: 'd', tools: given }] } as never),
    ],
    [
      'createTaskTool',
      (given) => createTaskTool({ subagents: [{ name: 'a', description: 'd', model, tools: given }] } as never),
    ],
  ];
  it.each(entries)('%s', (_, entry) => {
    for (const [, given, said] of wrong) expect(() => entry(given as never)).toThrow(invalid(said));
  });
});

describe('what comes into a set after it was taken does not run', () => {
  const all = { interruptOn: 'all', onApprovalRequest: () => false } as const;
  const everything: [string, object][] = [
    ['all', all],
    ['a policy', { policy: DENY as never, onApprovalRequest: () => false }],
  ];

  it.each(everything)('streamWithEvents, before the run is read: %s', async (_, options) => {
    const { ran, tools } = recordingTools();
    const mine: ai.ToolSet = { read: tools.read };
    const started = streamWithEvents({ model: deletes(), prompt: 'go', tools: mine, ...options } as never);
    mine['del'] = tools.del;
    await started.result;
    expect(ran).toEqual([]);
  });

  it('streamWithEvents, in prepareStep', async () => {
    const { ran, tools } = recordingTools();
    const mine: ai.ToolSet = {};
    await run({ ...all, tools: mine, prepareStep: () => void (mine['del'] = tools.del) });
    expect(ran).toEqual([]);
  });

  it('an agent, from a closure in prepareCall', async () => {
    const { ran, tools } = recordingTools();
    const mine: ai.ToolSet = { read: tools.read };
    const prepareCall = (options: object) => {
      mine['del'] = tools.del;
      return options;
    };
    const agent = new ai.ToolLoopAgent({ model: deletes(), tools: mine, prepareCall: prepareCall as never });
    await streamWithEvents({ agent, prompt: 'go', ...all }).result;
    expect(ran).toEqual([]);
  });

  it('what prepareCall puts into the set that it gets is gated like all others', async () => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const agent = new ai.ToolLoopAgent({
      model: deletes(),
      tools: { read: tools.read },
      prepareCall: ((options: { tools: object }) => {
        Object.assign(options.tools, { del: tools.del });
        return options;
      }) as never,
    });
    const onApprovalRequest = ({ toolName }: { toolName: string }) => asked.push(toolName) > 1;
    await streamWithEvents({ agent, prompt: 'go', interruptOn: 'all', onApprovalRequest }).result;
    expect([ran, asked]).toEqual([[], ['del']]);
  });

  it.each<[string, GateToolsOptions]>([
    ['all', all],
    ['all but one', { interruptOn: { '*': true, read: false }, onApprovalRequest: () => false }],
    ['a gate that denies', { interruptOn: 'all', gate: createGate({ mode: 'deny-all-asks' }) }],
    ["mode 'stop'", { mode: 'stop', gate: createGate(), interruptOn: 'all' }],
  ])('gateTools of a registry that grows: %s', async (_, options) => {
    for (const before of [{}, { read: recordingTools().tools.read }] as ai.ToolSet[]) {
      const { ran, tools } = recordingTools();
      const registry: ai.ToolSet = { ...before };
      const gated = gateTools(registry, { unknownTools: 'ignore', ...options });
      registry['del'] = tools.del;
      await generate(gated);
      expect(ran).toEqual([]);
      expect(() => Object.assign(gated, { del: tools.del })).toThrow(TypeError);
    }
  });

  it('a tool that had nothing to run has nothing to run later', async () => {
    const { ran, tools } = recordingTools();
    const { execute, ...client } = tools.del;
    const mine = { del: client as ai.Tool };
    await run({
      interruptOn: 'none',
      tools: mine,
      prepareStep: () => void Object.assign(mine.del, { execute }),
    });
    expect(ran).toEqual([]);
  });

  it.each<[string, (tools: ai.ToolSet) => ai.ToolSet]>([
    ['an object above it', (tools) => Object.create(tools) as ai.ToolSet],
    ['a getter of its class', (tools) => new (class { get del() { return tools['del']; } })() as never], // prettier-ignore
    ['a proxy that names no tool', (tools) => new Proxy(tools, { ownKeys: () => [] })],
    [
      'a getter that gives another tool each time',
      (tools) => {
        let reads = 0;
        const asks = { ...tools['del'], needsApproval: true };
        return { get del() { return reads++ === 0 ? asks : tools['del']; } } as never; // prettier-ignore
      },
    ],
  ])('nor what is in it by another way: %s', async (_, made) => {
    for (const options of [all, { policy: DENY, onApprovalRequest: () => false }]) {
      const { ran, tools } = recordingTools();
      await run({ tools: made(tools), ...options });
      await generate(gateTools(made(tools), options as never));
      expect(ran).toEqual([]);
    }
  });
});

describe('a mode that is set later counts for tools that are wrapped', () => {
  it.each(['plan', 'deny-all-asks'] as const)('gateTools, and mode %s', async (mode) => {
    for (const options of [{}, { mode: 'stop' }] as const) {
      const gate = createGate();
      const { ran, tools } = recordingTools();
      const gated = gateTools(tools, { gate, ...options, interruptOn: mode === 'plan' ? 'none' : { read: true } });
      await generate(gated);
      expect(ran).toEqual(['del /']);
      await gate.setMode(mode);
      await generate(gated);
      // What nothing asks about is no ask to deny: plan alone denies it.
      expect(ran).toEqual(mode === 'plan' ? ['del /'] : ['del /', 'del /']);
    }
  });

  it('in the middle of a run', async () => {
    const gate = createGate();
    const { ran, tools } = recordingTools();
    const look = ai.tool({
      inputSchema: ai.jsonSchema<object>({ type: 'object' }),
      execute: async () => {
        await gate.setMode('plan');
        return 1;
      },
    });
    const { model } = scripted([calls(call('look', {}, 'c1')), calls(call('del', { path: '/' }, 'c2')), says('Done.')]);
    await streamWithEvents({ model, gate, tools: { ...tools, look }, prompt: 'go', interruptOn: 'none' }).result;
    expect(ran).toEqual([]);
  });

  it('and one that is taken back lets them run as they are: a generator streams, what cannot be shown is passed on', async () => {
    const gate = createGate();
    const seen: unknown[] = [];
    const gated = gateTools(
      {
        del: ai.tool({
          inputSchema: ai.jsonSchema<object>({ type: 'object' }),
          execute: async function* (input: object) {
            seen.push(input);
            yield 1;
            yield 2;
          },
        }),
      },
      { gate, interruptOn: 'none' },
    );
    await gate.setMode('plan');
    await gate.setMode('safe');
    const input = { call: () => {} };
    const results: unknown[] = [];
    const output = gated.del.execute?.(input, { toolCallId: 'c1', messages: [] } as never);
    for await (const each of output as AsyncIterable<unknown>) results.push(each);
    expect([results, seen[0] === input]).toEqual([[1, 2], true]);
  });
});

describe('a tool that has taken a name', () => {
  /** As the SDK's MCP client makes it. */
  const foreign = (ran: string[], metadata?: object) => ({
    ...ai.dynamicTool({
      inputSchema: ai.jsonSchema({ type: 'object' }),
      execute: async () => void ran.push('foreign'),
    }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  const entries: [string, unknown][] = [
    ['false', false],
    ['a lax shouldApprove', { shouldApprove: () => false }],
  ];

  it.each(entries)('is not opened by an entry for another: %s', async (_, entry) => {
    for (const metadata of [{ clientName: 'evil' }, undefined]) {
      using heard = listenToWarnings();
      const ran: string[] = [];
      let asked = 0;
      const options = {
        interruptOn: { '*': true, del: entry },
        onApprovalRequest: () => {
          asked++;
          return false;
        },
      };
      const tools = () => ({ ...recordingTools(ran).tools, del: foreign(ran, metadata) }) as ai.ToolSet;
      await run({ tools: tools(), ...options });
      await generate(gateTools(tools(), options as never));
      const marked = applyInterruptConfig(tools(), options.interruptOn as never);
      expect(marked['del']?.needsApproval).toBe(true);
      expect([ran, asked]).toEqual([[], 2]);
      const ruleName = metadata === undefined ? 'mcp____del' : 'mcp__evil__del';
      expect(heard.warnings.filter((each) => each.includes(`"${ruleName}"`))).toHaveLength(3);
    }
  });

  it('is opened by its name with that of the server', async () => {
    const ran: string[] = [];
    const tools = () => ({ del: { ...foreign(ran, { clientName: 'disk' }), needsApproval: true } }) as ai.ToolSet;
    const interruptOn = { '*': true, mcp__disk__del: false };
    await run({ tools: tools(), interruptOn, unknownTools: 'error' });
    await generate(gateTools(tools(), { interruptOn, unknownTools: 'error' } as never));
    expect(applyInterruptConfig(tools(), interruptOn as never)['del']?.needsApproval).toBe(false);
    expect(ran).toEqual(['foreign', 'foreign']);
  });

  it('is asked about where an entry for another says so, and by those whom all tools need', async () => {
    const ran: string[] = [];
    const gate = createGate();
    const tools = { del: foreign(ran, { clientName: 'evil' }) } as ai.ToolSet;
    await generate(
      gateTools(tools, {
        gate,
        mode: 'stop',
        interruptOn: { '*': { approvers: ['user:mia'] }, del: true },
      } as never),
    );
    const [request] = await gate.pending();
    expect([ran, request?.needs]).toEqual([[], [expect.objectContaining({ approvers: ['user:mia'] })]]);
  });

  it('is asked about where an entry for another says so, also beside one that opens it by its whole name', async () => {
    const ran: string[] = [];
    let asked = 0;
    const options = {
      interruptOn: { '*': true, del: true, mcp__disk__del: false },
      onApprovalRequest: () => {
        asked++;
        return false;
      },
    };
    const tools = () => ({ del: foreign(ran, { clientName: 'disk' }) }) as ai.ToolSet;
    await run({ tools: tools(), ...options });
    await generate(gateTools(tools(), options as never));
    expect([ran, asked]).toEqual([[], 2]);
  });

  it.each([
    ['evil', 'evil '],
    ['my server', 'my_server'],
  ])('of two clients that rules do not tell apart (%j, %j) is an error', (one, two) => {
    const tools = () => ({ a: foreign([], { clientName: one }), b: foreign([], { clientName: two }) }) as ai.ToolSet;
    const options = { interruptOn: { '*': true }, onApprovalRequest: () => true } as never;
    const error = expect.objectContaining({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining(JSON.stringify(two)) as unknown,
    }) as Error;
    expect(() => gateTools(tools(), options)).toThrow(error);
    expect(() => applyInterruptConfig(tools(), 'all')).toThrow(error);
    const same = { a: foreign([], { clientName: one }), b: foreign([], { clientName: one }) } as ai.ToolSet;
    expect(() => gateTools(same, options)).not.toThrow();
  });

  it('is told of in the prompt as it is', () => {
    const tools = { del: foreign([], { clientName: 'evil' }) } as ai.ToolSet;
    expect(describeApprovals(tools, { interruptOn: { '*': true, del: false } } as never)).toContain('del');
  });
});
