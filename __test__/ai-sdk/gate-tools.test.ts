/** gateTools in mode 'wait': loops that are not ours, whose `execute` waits for the human. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GateToolsOptions } from '../../index.js';
import { createDeepAgent } from '../../ts/agent/index.js';
import { applyInterruptConfig, createGate, gateTools, isExecutionDenied } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, sleep, stepCount } from '../support/model.js';
import { waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const path = z.object({ path: z.string() });
type Options = GateToolsOptions<ai.ToolSet>;

/** generateText with gated tools. */
async function generate(
  tools: ai.ToolSet,
  options: Options,
  turns = [calls(call('del', { path: '/a' }, 'c1')), says('Done.')],
  more: object = {},
) {
  const { model, prompts } = scripted(turns);
  const result = await ai.generateText({
    model,
    tools: gateTools(tools, options),
    prompt: 'go',
    stopWhen: stepCount(5),
    ...more,
  });
  return { result, prompts, model: resultsIn(prompts[1]) };
}

describe('generateText', () => {
  it.each<[string, unknown, string[], unknown]>([
    ['approve', true, ['del /a'], { type: 'text', value: 'deleted /a' }],
    ['reject', { type: 'reject', reason: 'no' }, [], { type: 'execution-denied', reason: 'no' }],
    ['skip', { type: 'skip', reason: 'no' }, [], { type: 'execution-denied', reason: 'no' }],
    ['respond', { type: 'respond', output: { by: 'hand' } }, [], { type: 'json', value: { by: 'hand' } }],
    ['garbage', 'yes', [], { type: 'execution-denied', reason: expect.stringMatching(/not taken/) as unknown }],
  ])('%s', async (_, answer, runs, told) => {
    const { ran, tools } = recordingTools();
    const { result, model } = await generate(tools, {
      interruptOn: { del: true },
      onApprovalRequest: () => answer as never,
    });
    expect(ran).toEqual(runs);
    expect(model['c1']).toEqual(told);
    expect(result.text).toBe('Done.');
  });

  it('edit: the model is told, since its call stays as it was', async () => {
    const { ran, tools } = recordingTools();
    const { model } = await generate(tools, {
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    });
    expect(ran).toEqual(['del /b']);
    expect(model['c1']).toMatchObject({
      type: 'text',
      value: expect.stringMatching(/^deleted \/b\n\n.*changed/) as unknown,
    });
  });

  it('edit under a schema that changes the arguments: what nobody has seen does not run', async () => {
    const ran: unknown[] = [];
    const del = ai.tool({
      inputSchema: z.object({ path: z.string().transform((path) => `${path}!`) }),
      execute: async (input) => void ran.push(input),
    });
    await generate({ del }, { interruptOn: 'all', onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }) });
    expect(ran).toEqual([]);
  });

  it('nobody to ask', async () => {
    const { ran, tools } = recordingTools();
    const { model } = await generate(tools, { interruptOn: 'all' });
    expect(ran).toEqual([]);
    expect(model['c1']).toMatchObject({ type: 'execution-denied' });
  });

  it('a gate and no callback: waits for the gate', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const going = generate(tools, { interruptOn: 'all', gate, runId: 'chat-1', origin: ['main', 'sub'] });
    let pending = await gate.pending();
    while (pending.length === 0) {
      await sleep(1);
      pending = await gate.pending({ runId: 'chat-1' });
    }
    expect(pending).toMatchObject([{ runId: 'chat-1', toolCallId: 'c1', origin: ['main', 'sub'] }]);
    await gate.approve(pending[0]?.approvalId as string, { by: 'ada' });
    await going;
    expect(ran).toEqual(['del /a']);
    expect((await gate.get(pending[0]?.approvalId as string))?.status).toBe('succeeded');
  });

  it('a deadline', async () => {
    const { ran, tools } = recordingTools();
    const { model } = await generate(tools, {
      interruptOn: 'all',
      approvalTimeout: 20,
      onApprovalRequest: () => new Promise<boolean>(() => {}),
    });
    expect(ran).toEqual([]);
    expect(model['c1']).toMatchObject({ type: 'execution-denied' });
  });

  it('two calls with one id: at most one of them is asked about and runs', async () => {
    const { ran, tools } = recordingTools();
    const asked: unknown[] = [];
    await generate(
      tools,
      {
        interruptOn: 'all',
        runId: 'chat-1',
        gate: createGate(),
        onApprovalRequest: ({ args }) => asked.push(args) > 0,
      },
      [calls(call('del', { path: '/a' }, 'd'), call('del', { path: '/b' }, 'd')), says('.')],
    );
    expect(asked).toHaveLength(1);
    expect(ran).toEqual([`del ${(asked[0] as { path: string }).path}`]);
  });

  it('a call that needs no approval does not wait', async () => {
    const { ran, tools } = recordingTools();
    await generate(tools, { interruptOn: { del: { shouldApprove: () => false } } as never });
    expect(ran).toEqual(['del /a']);
  });
});

describe('an abort', () => {
  it('while the human is asked: nothing runs, the request is cancelled', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const stop = new AbortController();
    const asked = waiting(gate).finally(() => stop.abort(new Error('esc')));
    await expect(
      generate(tools, { interruptOn: 'all', gate }, undefined, { abortSignal: stop.signal }),
    ).rejects.toThrow('esc');
    expect(await gate.pending()).toEqual([]);
    expect(await asked).toMatchObject([{ toolCallId: 'c1' }]);
    await gate.close();
    expect(ran).toEqual([]);
  });

  it('before: nobody is asked', async () => {
    const { ran, tools } = recordingTools();
    let asked = 0;
    const gated = gateTools(tools as ai.ToolSet, { interruptOn: 'all', onApprovalRequest: () => ++asked > 0 });
    const execute = gated['del']?.execute as (input: unknown, options: object) => Promise<unknown>;
    await expect(
      execute({ path: '/a' }, { toolCallId: 'c1', messages: [], abortSignal: AbortSignal.abort(new Error('gone')) }),
    ).rejects.toThrow('gone');
    expect([asked, ran]).toEqual([0, []]);
  });
});

describe('ToolLoopAgent.generate and stream', () => {
  it('waits in both', async () => {
    const { ran, tools } = recordingTools();
    const { model } = scripted([
      calls(call('del', { path: '/1' }, 'c1')),
      says('one'),
      calls(call('del', { path: '/2' }, 'c2')),
      says('two'),
    ]);
    const agent = new ai.ToolLoopAgent({
      model,
      tools: gateTools(tools, { interruptOn: { del: true }, onApprovalRequest: ({ args }) => args.path === '/1' }),
    });
    expect((await agent.generate({ prompt: 'go' })).text).toBe('one');
    const stream = await agent.stream({ prompt: 'go' });
    expect(await stream.text).toBe('two');
    expect(ran).toEqual(['del /1']);
  });

  it('at once: two calls of a step wait at the same time', async () => {
    const { tools } = recordingTools();
    let waiting = 0;
    let most = 0;
    await generate(
      tools,
      {
        interruptOn: 'all',
        askOrder: 'at-once',
        onApprovalRequest: async () => {
          most = Math.max(most, ++waiting);
          await sleep(10);
          waiting--;
          return true;
        },
      },
      [calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')), says('.')],
    );
    expect(most).toBe(2);
  });
});

describe('tools as they are written', () => {
  it('a generator stays one: preliminary results come through', async () => {
    const del = ai.tool({
      inputSchema: path,
      async *execute({ path }) {
        yield `deleting ${path}`;
        yield `deleted ${path}`;
      },
    });
    const { model } = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    const { fullStream } = ai.streamText({
      model,
      tools: gateTools({ del }, { interruptOn: 'all', onApprovalRequest: () => true }),
      prompt: 'go',
      stopWhen: stepCount(5),
    });
    const results: unknown[] = [];
    for await (const part of fullStream)
      if (part.type === 'tool-result') results.push([part.output, part.preliminary === true]);
    expect(results).toEqual([
      ['deleting /a', true],
      ['deleted /a', true],
      ['deleted /a', false],
    ]);
  });

  it('a generator that is denied', async () => {
    const del = ai.tool({
      inputSchema: path,
      async *execute() {
        yield 'never';
      },
    });
    const { model } = await generate(
      { del },
      { interruptOn: 'all', onApprovalRequest: () => ({ type: 'reject', reason: 'no' }) },
    );
    expect(model['c1']).toEqual({ type: 'execution-denied', reason: 'no' });
  });

  it('a method that uses this and private fields', async () => {
    class Deleter {
      readonly #ran: string[] = [];
      readonly inputSchema = path;
      async execute({ path }: { path: string }) {
        this.#ran.push(path);
        return this.#ran.join();
      }
    }
    const { model } = await generate({ del: new Deleter() } as never, {
      interruptOn: 'all',
      onApprovalRequest: () => true,
    });
    expect(model['c1']).toEqual({ type: 'text', value: '/a' });
  });

  it('every other property is kept; ungated tools are the very same', () => {
    const mark = Symbol('mark');
    const { tools } = recordingTools();
    class Base {
      readonly kind = 'base';
    }
    const del = Object.assign(Object.create(Base.prototype) as object, tools.del, {
      [mark]: 1,
      onInputStart: () => {},
      title: 'Delete',
    });
    const gated = gateTools({ ...tools, del } as never as typeof tools, {
      interruptOn: { del: true },
      onApprovalRequest: () => true,
    });
    expect(gated.read).toBe(tools.read);
    expect(gated.del).toMatchObject({ [mark]: 1, title: 'Delete', description: 'Deletes a file' });
    expect(gated.del.inputSchema).toBe(tools.del.inputSchema);
    expect(gated.del).toBeInstanceOf(Base);
    expect(tools.del).not.toHaveProperty('needsApproval');
  });

  it('toModelOutput is kept, and does not see what is not the tool’s', async () => {
    const del = ai.tool({
      inputSchema: path,
      execute: async ({ path }) => ({ deep: { path } }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `gone: ${output.deep.path}` }),
    });
    const told = async (answer: unknown) =>
      (await generate({ del }, { interruptOn: 'all', onApprovalRequest: () => answer as never })).model['c1'];
    expect(await told(true)).toEqual({ type: 'text', value: 'gone: /a' });
    expect(await told(false)).toMatchObject({ type: 'execution-denied' });
    expect(await told({ type: 'respond', output: 'by hand' })).toEqual({ type: 'text', value: 'by hand' });
  });

  it("the tool's own needsApproval decides who is asked, and does not stop the loop", async () => {
    const { ran, tools } = recordingTools();
    const del = { ...tools.del, needsApproval: ({ path }: { path: string }) => path === '/a' };
    let asked = 0;
    const { result } = await generate({ del } as never, { onApprovalRequest: () => ++asked > 0 });
    expect([asked, ran, result.text]).toEqual([1, ['del /a'], 'Done.']);
  });

  it('a denial is told apart by isExecutionDenied', async () => {
    const { tools } = recordingTools();
    const { result } = await generate(tools, {
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
    });
    const output = result.steps[0]?.toolResults[0]?.output as unknown;
    expect(isExecutionDenied(output)).toBe(true);
    expect(output).toMatchObject({
      type: 'execution-denied',
      reason: 'no',
      decision: 'reject',
      approvalId: expect.any(String) as unknown,
    });
    expect(isExecutionDenied('denied')).toBe(false);
  });

  it('called by another framework, without the SDK', async () => {
    const { ran, tools } = recordingTools();
    const gated = gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => true });
    const output = await gated.del.execute?.({ path: '/x' }, { toolCallId: 'x1', messages: [] } as never);
    expect([output, ran]).toEqual(['deleted /x', ['del /x']]);
  });

  it('nothing to gate: a set of its own, with the very same tools', () => {
    const { tools } = recordingTools();
    for (const gated of [gateTools(tools, {}), gateTools(tools, { interruptOn: 'none' })]) {
      expect(gated).not.toBe(tools);
      expect([gated.del, gated.read]).toEqual([tools.del, tools.read]);
      expect(gated.del).toBe(tools.del);
      expect(Object.isFrozen(gated)).toBe(true);
    }
  });
});

it("mode 'stop' without a gate, and an unknown mode, are errors at the call", () => {
  const { tools } = recordingTools();
  expect(() => gateTools(tools, { interruptOn: 'all', mode: 'stop' } as never)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }) as Error,
  );
  expect(() => gateTools(tools, { interruptOn: 'all', mode: 'later' as never })).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }) as Error,
  );
});

describe('a gated tool stays gated, whatever is made of it', () => {
  type Run = (input: unknown, options: object) => unknown;
  const copies: [string, (gated: ai.Tool) => Run][] = [
    ['itself', (gated) => gated.execute as Run],
    ['a spread of it', (gated) => ({ ...gated }).execute as Run],
    ['an object that inherits from it', (gated) => (Object.create(gated) as ai.Tool).execute as Run],
    [
      'a copy of its descriptors',
      (gated) => Object.create(null, Object.getOwnPropertyDescriptors(gated)).execute as Run,
    ],
    ['a new tool with its execute', (gated) => ai.tool({ ...gated, description: 'new' } as ai.Tool).execute as Run],
    ['its execute, taken out', ({ execute }) => execute as Run],
    ['its execute, bound', (gated) => (gated.execute as Run).bind(gated)],
    ['its execute, bound to another', (gated) => (gated.execute as Run).bind({})],
    ['its execute, behind a proxy', (gated) => new Proxy(gated, {}).execute as Run],
  ];
  class DelTool {
    readonly description = 'Deletes a file';
    readonly inputSchema = path;
    readonly #ran: string[];
    constructor(ran: string[]) {
      this.#ran = ran;
    }
    execute({ path: given }: { path: string }): string {
      this.#ran.push(`del ${given}`);
      return 'deleted';
    }
  }

  const modes = ['wait', 'stop'] as const;
  it.each(modes.flatMap((mode) => copies.map(([name, copy]) => [mode, name, copy] as const)))(
    "mode '%s', %s",
    async (mode, _, copy) => {
      const { ran, tools } = recordingTools();
      const gate = createGate();
      const set = { del: tools.del, own: new DelTool(ran) as unknown as ai.Tool };
      const gated = gateTools(set, {
        gate,
        mode,
        interruptOn: 'all',
        ...(mode === 'wait' ? { onApprovalRequest: () => false } : {}),
      });
      for (const [index, tool] of Object.values(gated).entries()) {
        const result = await copy(tool)({ path: '/a' }, { toolCallId: `c${index}`, messages: [] });
        expect(isExecutionDenied(result)).toBe(true);
      }
      expect(ran).toEqual([]);
      await gate.close();
    },
  );
});

it('a call of a run that is not known takes no approval away from the runs that have asked about its id', async () => {
  await using gate = createGate();
  const { ran, tools } = recordingTools();
  const options = { toolCallId: 'c1', messages: [] };
  const stopping = (more: object) => gateTools(tools, { gate, mode: 'stop', interruptOn: 'all', ...more } as never).del;
  type Needs = (input: object, options: object) => Promise<boolean>;
  for (const runId of ['a', 'b'])
    expect(await (stopping({ runId }).needsApproval as unknown as Needs)({ path: '/a' }, options)).toBe(true);
  for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
  await gate.setMode('deny-all-asks');
  const execute = (tool: object) => (tool as { execute: Needs }).execute({ path: '/a' }, options);
  await execute(stopping({}));
  expect((await gate.history()).map(({ status }) => status)).toEqual(['approved', 'approved']);
  // In a run that is known it is over: it does not run when the mode is another one.
  await execute(stopping({ runId: 'a' }));
  expect((await gate.history()).map(({ runId, status }) => [runId, status]).toSorted()).toEqual([
    ['a', 'cancelled'],
    ['b', 'approved'],
  ]);
  expect(ran).toEqual([]);
});

describe('a tool that is gated cannot be changed afterwards', () => {
  const rules: Options = { interruptOn: 'all', onApprovalRequest: () => false };
  class Deleter {
    description = 'deletes';
    inputSchema = path;
    readonly #ran: string[];
    constructor(ran: string[]) {
      this.#ran = ran;
    }
    async execute() {
      this.#ran.push('own');
    }
  }

  it.each<[string, (tools: ai.ToolSet) => ai.ToolSet]>([
    ['gateTools', (tools) => gateTools(tools, rules)],
    ['gateTools in mode stop', (tools) => gateTools(tools, { interruptOn: 'all', gate: createGate(), mode: 'stop' })],
    ['applyInterruptConfig', (tools) => applyInterruptConfig(tools, 'all')],
    [
      'agent.tools',
      (tools) => createDeepAgent({ model: says('.') as never, tools, interruptOn: 'all' } as never).tools,
    ],
  ])('%s', async (_, gate) => {
    const { tools } = recordingTools();
    const ran: string[] = [];
    const gated = gate({ del: tools.del, made: new Deleter(ran) as never });
    for (const name of ['del', 'made'] as const) {
      const tool = gated[name] as unknown as Record<string, unknown>;
      for (const field of ['execute', 'needsApproval', 'toModelOutput', 'another']) {
        const other = () => ran.push(`other ${field}`);
        expect(() => (tool[field] = other), field).toThrow(TypeError);
        expect(() => Object.defineProperty(tool, field, { value: other }), field).toThrow(TypeError);
      }
    }
    expect(() => delete (gated['del'] as { execute?: unknown }).execute).toThrow(TypeError);
    await ai.generateText({
      model: scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model,
      tools: gated,
      prompt: 'x',
      stopWhen: stepCount(3),
    });
    expect(ran).toEqual([]);
    // Its owner's own stays as it was.
    expect(Object.isFrozen(tools.del)).toBe(false);
  });
});
