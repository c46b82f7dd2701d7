/** Tools that the SDK does not simply execute here: the provider's, the client's, dynamic ones, and those with state. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, finish, major, resultsIn, says, scripted, sleep, text } from '../support/model.js';
import { play, start, types } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const yes = { interruptOn: 'all', onApprovalRequest: () => true } as const;
const path = z.object({ path: z.string() });

describe('tools that the provider executes', () => {
  const search = {
    type: 'provider',
    isProviderExecuted: true,
    id: 'prov.search',
    args: {},
    inputSchema: z.object({ q: z.string() }),
    outputSchema: z.any(),
  } as never;
  const turn = [
    call('search', { q: 'x' }, 'p1', { providerExecuted: true }),
    { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { hits: 3 } },
    ...text('found'),
  ];

  it('have run by then: nobody is asked, and the run goes on', async () => {
    let asked = 0;
    const { of, events } = await play({
      turns: [[...turn, finish()]],
      tools: { search },
      interruptOn: 'all',
      onApprovalRequest: () => ++asked > 0,
    });
    expect(asked).toBe(0);
    expect(of('tool-call')).toMatchObject([{ toolCallId: 'p1', providerExecuted: true }]);
    expect(of('tool-result')).toMatchObject([{ toolCallId: 'p1', result: { hits: 3 }, providerExecuted: true }]);
    expect(types(events).slice(-2)).toEqual(['step-finish', 'done']);
  });

  it('beside a gated call', async () => {
    const { ran, tools } = recordingTools();
    const { of, prompts } = await play({
      turns: [[...turn, call('del', { path: '/a' }, 'c1'), finish('tool-calls')], says('.')],
      tools: { ...tools, search },
      ...yes,
    });
    expect(of('approval-requested').map(({ toolName }) => toolName)).toEqual(['del']);
    expect(ran).toEqual(['del /a']);
    expect(prompts).toHaveLength(2);
  });

  it.runIf(major === 7)(
    "a toolApproval of one's own that denies them changes nothing that the provider did",
    async () => {
      const { of, events } = await play({
        turns: [[...turn, finish()]],
        tools: { search },
        toolApproval: () => ({ type: 'denied', reason: 'no web' }),
        onApprovalRequest: () => true,
      });
      expect(of('tool-result')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('done');
    },
  );
});

describe('requests that the provider makes (hosted MCP)', () => {
  const turn = (reason: string) => [
    call('mcp.create', { a: 1 }, 'm1', { providerExecuted: true, dynamic: true }),
    { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'm1' },
    finish(reason),
  ];
  const answers = (prompt: { role: string; content: { type: string }[] }[] | undefined) =>
    (prompt ?? [])
      .flatMap(({ role, content }) => (role === 'tool' ? content : []))
      .filter(({ type }) => type === 'tool-approval-response');

  it.each(['stop', 'tool-calls'])('are put to the human and answered to the provider (%s)', async (reason) => {
    const asked: unknown[] = [];
    const { prompts, of } = await play({
      turns: [turn(reason), says('created')],
      tools: {},
      onApprovalRequest: ({ toolName, args }) => asked.push([toolName, args]) > 0,
    });
    expect(asked).toEqual([['mcp.create', { a: 1 }]]);
    expect(answers(prompts[1])).toMatchObject([{ approvalId: 'mcpr_1', approved: true }]);
    expect(of('approval-requested')[0]?.approvalId).not.toBe('mcpr_1');
    expect(of('done')[0]?.text).toBe('created');
  });

  it('a rejection and its reason reach the provider', async () => {
    const { prompts } = await play({
      turns: [turn('stop'), says('.')],
      tools: {},
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
    });
    expect(answers(prompts[1])).toMatchObject([{ approvalId: 'mcpr_1', approved: false, reason: 'no' }]);
  });

  it.each([
    ['edit', { type: 'edit', args: { a: 2 } }],
    ['respond', { type: 'respond', output: 'by hand' }],
  ] as const)('an answer by %s is not possible: it does not run', async (_, answer) => {
    const { prompts, of, events } = await play({
      turns: [turn('stop'), says('.')],
      tools: {},
      onApprovalRequest: () => answer,
    });
    expect(answers(prompts[1])).toMatchObject([{ approvalId: 'mcpr_1', approved: false }]);
    expect(of('approval-response')).toMatchObject([{ approved: false }]);
    expect(events.at(-1)?.type).toBe('done');
  });

  it('beside a local gated call: both answers reach their places', async () => {
    const { ran, tools } = recordingTools();
    const { prompts } = await play({
      turns: [[...turn('stop').slice(0, 2), call('del', { path: '/a' }, 'c1'), finish('tool-calls')], says('.')],
      tools,
      ...yes,
    });
    expect(ran).toEqual(['del /a']);
    expect(answers(prompts[1])).toMatchObject([{ approvalId: 'mcpr_1', approved: true }]);
    expect(resultsIn(prompts[1])).toMatchObject({ c1: { value: 'deleted /a' } });
  });

  it('nobody to ask: denied at once', async () => {
    const { prompts } = await play({ turns: [turn('stop'), says('.')], tools: {} });
    expect(answers(prompts[1])).toMatchObject([{ approvalId: 'mcpr_1', approved: false }]);
  });
});

describe('tools without execute', () => {
  const ask = ai.tool({ inputSchema: z.object({ question: z.string() }) });
  const turn = () => calls(call('ask', { question: 'which?' }, 'q1'));

  it('ungated: the run ends at the call, as with the SDK', async () => {
    const { events, of } = await play({ turns: [turn()], tools: { ask } });
    expect(of('tool-call')).toMatchObject([{ toolCallId: 'q1' }]);
    expect(of('done')[0]).toMatchObject({ finishReason: 'tool-calls' });
    expect(types(events)).not.toContain('error');
  });

  it('approved: the run ends with the call open for the client', async () => {
    const { events, run } = await play({ turns: [turn()], tools: { ask }, ...yes });
    expect(types(events)).toEqual([
      'step-start',
      'tool-call',
      'approval-requested',
      'approval-response',
      'step-finish',
      'done',
    ]);
    const { messages } = await run.result;
    expect(messages.at(-1)?.role === 'tool' && messages.at(-1)?.content).not.toContainEqual(
      expect.objectContaining({ type: 'tool-result' }),
    );
  });

  it('approved, and the client adds the result to continue', async () => {
    const { run } = await play({ turns: [turn()], tools: { ask }, ...yes });
    const { messages } = await run.result;
    const { prompts, of } = await play({
      turns: [says('Thanks.')],
      tools: { ask },
      ...yes,
      messages: [
        ...messages,
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'q1', toolName: 'ask', output: { type: 'text', value: 'this' } },
          ],
        },
      ],
    });
    expect(of('error')).toEqual([]);
    expect(resultsIn(prompts[0])).toEqual({ q1: { type: 'text', value: 'this' } });
    expect(of('done')[0]?.text).toBe('Thanks.');
  });

  it('answered by respond: the model goes on', async () => {
    const { prompts, of } = await play({
      turns: [turn(), says('Good.')],
      tools: { ask },
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'respond', output: 'this one' }),
    });
    expect(resultsIn(prompts[1])).toEqual({ q1: { type: 'text', value: 'this one' } });
    expect(of('done')[0]?.text).toBe('Good.');
  });

  it('rejected: the model is told', async () => {
    const { prompts } = await play({
      turns: [turn(), says('.')],
      tools: { ask },
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
    });
    expect(resultsIn(prompts[1])).toEqual({ q1: { type: 'execution-denied', reason: 'no' } });
  });

  it('beside an approved call that can run: it runs, then the run ends for the client', async () => {
    const { ran, tools } = recordingTools();
    const { prompts, of, run } = await play({
      turns: [calls(call('ask', { question: '?' }, 'q1'), call('del', { path: '/a' }, 'c1'))],
      tools: { ...tools, ask },
      ...yes,
    });
    expect(ran).toEqual(['del /a']);
    expect(prompts).toHaveLength(1);
    expect(of('error')).toEqual([]);
    expect(of('tool-result')).toMatchObject([{ toolCallId: 'c1' }]);
    const { messages } = await run.result;
    expect(resultsIn(messages as never)).toEqual({ c1: { type: 'text', value: 'deleted /a' } });
  });
});

describe('dynamic tools', () => {
  const dynamic = (ran: unknown[]) =>
    ai.dynamicTool({
      description: 'Anything',
      inputSchema: z.looseObject({}),
      execute: async (input) => {
        ran.push(input);
        return 'ok';
      },
    });

  it('are gated like others, and told as dynamic', async () => {
    const ran: unknown[] = [];
    const { of } = await play({
      turns: [calls(call('any', { x: 1 }, 'd1')), says('.')],
      tools: { any: dynamic(ran) },
      ...yes,
    });
    expect(ran).toEqual([{ x: 1 }]);
    expect(of('tool-call')).toMatchObject([{ dynamic: true, args: { x: 1 } }]);
    expect(of('tool-result')).toMatchObject([{ dynamic: true, result: 'ok' }]);
  });

  it.each([
    ['approved', true],
    ['edited', { type: 'edit', args: { x: 2 } }],
    ['answered by a human', { type: 'respond', output: 'ok' }],
  ] as const)('%s: dynamic in the events, the steps and the UI', async (_, answer) => {
    const options = {
      turns: [calls(call('any', { x: 1 }, 'd1')), says('.')],
      tools: { any: dynamic([]) },
      interruptOn: 'all',
      onApprovalRequest: () => answer,
    } as const;
    const { of, run } = await play(options as never);
    expect(of('tool-result')).toMatchObject([{ dynamic: true, result: 'ok' }]);
    const { steps } = await run.result;
    expect([steps[0]?.dynamicToolResults.length, steps[0]?.staticToolResults.length]).toEqual([1, 0]);
    let message: ai.UIMessage | undefined;
    const stream = start(options as never).run.toUIMessageStream();
    for await (const snapshot of ai.readUIMessageStream({ stream })) message = snapshot;
    const parts = message?.parts.filter(({ type }) => type !== 'text' && type !== 'step-start');
    expect(parts).toMatchObject([{ type: 'dynamic-tool', state: 'output-available', output: 'ok' }]);
  });

  it('with a JSON schema and no validator', async () => {
    const ran: unknown[] = [];
    const any = ai.dynamicTool({
      inputSchema: ai.jsonSchema({ type: 'object' }),
      execute: async (input) => void ran.push(input),
    });
    await play({
      turns: [calls(call('any', { x: 1 }, 'd1')), says('.')],
      tools: { any },
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { x: 2 } }),
    });
    expect(ran).toEqual([{ x: 2 }]);
  });
});

describe('tools as they are written', () => {
  it('a method that uses this and private fields', async () => {
    class Deleter {
      readonly #ran: string[] = [];
      readonly description = 'Deletes';
      readonly inputSchema = path;
      prefix = 'did';
      async execute({ path }: { path: string }) {
        this.#ran.push(path);
        return `${this.prefix} ${this.#ran.join()}`;
      }
      get ran() {
        return this.#ran;
      }
    }
    const del = new Deleter();
    const { of } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del } as never,
      ...yes,
    });
    expect(of('tool-result')).toMatchObject([{ result: 'did /a' }]);
    expect(del.ran).toEqual(['/a']);
  });

  it('methods and getters of a class that use private fields, gated or not', async () => {
    class Secretive {
      readonly #secret = 's';
      get description() {
        return `keeps ${this.#secret}`;
      }
      get inputSchema() {
        return this.#secret === 's' ? path : z.never();
      }
      async execute() {
        return `ran ${this.#secret}`;
      }
      toModelOutput({ output }: { output: string }) {
        return { type: 'text', value: `${this.#secret}: ${output}` };
      }
    }
    const turns = [calls(call('del', { path: '/a' }, 'c1'), call('read', { path: '/a' }, 'c2')), says('.')];
    const { prompts } = await play({
      turns,
      tools: { del: new Secretive(), read: new Secretive() } as never,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
    });
    const told = { type: 'text', value: 's: ran s' };
    expect(resultsIn(prompts[1])).toEqual({ c1: told, c2: told });
    const gated = await play({ turns, tools: gateTools({ del: new Secretive() } as never, yes) as never });
    expect(resultsIn(gated.prompts[1])['c1']).toEqual(told);
  });

  it('a predicate of a class that uses this', async () => {
    class Picky {
      readonly #asks = true;
      readonly inputSchema = path;
      needsApproval() {
        return this.#asks;
      }
      async execute() {
        return 'ran';
      }
    }
    const { of } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del: new Picky() } as never,
      onApprovalRequest: () => true,
    });
    expect(of('approval-requested')[0]?.description).not.toMatch(/failed/);
    expect(of('tool-result')).toMatchObject([{ result: 'ran' }]);
  });

  it('a generator: values before the last are preliminary', async () => {
    const del = ai.tool({
      inputSchema: path,
      async *execute({ path }) {
        yield `deleting ${path}`;
        await sleep(1);
        yield `deleted ${path}`;
      },
    });
    const { of, prompts, run } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del },
      ...yes,
    });
    expect(of('tool-result').map(({ result, preliminary }) => [result, preliminary === true])).toEqual([
      ['deleting /a', true],
      ['deleted /a', true],
      ['deleted /a', false],
    ]);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'deleted /a' } });
    expect((await run.result).steps[0]?.toolResults).toMatchObject([{ output: 'deleted /a' }]);
  });

  it('toModelOutput is kept, for edited calls too', async () => {
    for (const answer of [true, { type: 'edit', args: { path: '/b' } }] as const) {
      const del = ai.tool({
        inputSchema: path,
        execute: async ({ path }) => ({ path, bytes: 'x'.repeat(10) }),
        toModelOutput: ({ output }) => ({ type: 'content', value: [{ type: 'text', text: `gone: ${output.path}` }] }),
      });
      const { prompts } = await play({
        turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
        tools: { del },
        interruptOn: 'all',
        onApprovalRequest: () => answer,
      });
      const { value } = resultsIn(prompts[1])['c1'] as { value: { text: string }[] };
      expect(value[0]?.text).toBe(answer === true ? 'gone: /a' : 'gone: /b');
      expect(value).toHaveLength(answer === true ? 1 : 2);
    }
  });

  it('toModelOutput does not see what a human answered', async () => {
    const del = ai.tool({
      inputSchema: path,
      execute: async () => ({ deep: { value: 1 } }),
      toModelOutput: ({ output }) => ({ type: 'text', value: String(output.deep.value) }),
    });
    const { prompts, of } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del },
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'respond', output: 'by hand' }),
    });
    expect(of('error')).toEqual([]);
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'by hand' } });
  });

  it('an approved tool that throws: the model gets the error, the run goes on', async () => {
    const del = ai.tool({
      inputSchema: path,
      execute: async (): Promise<string> => {
        throw new Error('disk full');
      },
    });
    const { prompts, of, run } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del },
      ...yes,
    });
    expect(of('tool-error')).toMatchObject([{ toolCallId: 'c1', isError: true, args: { path: '/a' } }]);
    expect(resultsIn(prompts[1])).toEqual({
      c1: { type: 'error-text', value: expect.stringContaining('disk full') as unknown },
    });
    expect((await run.result).steps[0]?.content.map(({ type }) => type)).toContain('tool-error');
  });
});

describe('what tools and predicates are given', () => {
  const contexts: Record<string, unknown> =
    major === 7
      ? { toolsContext: { del: { tenant: 't1' } }, runtimeContext: { run: 'r1' } }
      : { experimental_context: { tenant: 't1' } };
  const contextOf = (options: Record<string, unknown>) => options[major === 7 ? 'context' : 'experimental_context'];

  it('their context reaches the predicate and execute', async () => {
    const seen: Record<string, unknown> = {};
    const del = ai.tool({
      inputSchema: path,
      ...(major === 7 ? { contextSchema: z.object({ tenant: z.string() }) } : {}),
      execute: async (_: unknown, options: Record<string, unknown>) => {
        seen['execute'] = contextOf(options);
        seen['call'] = [
          options['toolCallId'],
          Array.isArray(options['messages']),
          options['abortSignal'] instanceof AbortSignal,
        ];
        return 'ok';
      },
    } as never);
    const { events } = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: { del },
      interruptOn: {
        del: {
          shouldApprove: (_: unknown, options: Record<string, unknown>) => {
            seen['shouldApprove'] = contextOf(options);
            seen['signal'] = options['abortSignal'] instanceof AbortSignal;
            return true;
          },
        },
      } as never,
      onApprovalRequest: () => true,
      ...contexts,
    });
    expect(types(events)).not.toContain('error');
    expect(seen).toEqual({
      shouldApprove: { tenant: 't1' },
      signal: true,
      execute: { tenant: 't1' },
      call: ['c1', true, true],
    });
  });

  it('an edit is judged with the same context', async () => {
    const { tools } = recordingTools();
    const seen: unknown[] = [];
    await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools: {
        del: major === 7 ? Object.assign(tools.del, { contextSchema: z.object({ tenant: z.string() }) }) : tools.del,
      },
      interruptOn: {
        del: {
          shouldApprove: ({ path }: { path: string }, options: Record<string, unknown>) => {
            seen.push([path, contextOf(options), Array.isArray(options['messages'])]);
            return true;
          },
        },
      } as never,
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
      ...contexts,
    });
    expect(seen).toEqual([
      ['/a', { tenant: 't1' }, true],
      ['/b', { tenant: 't1' }, true],
    ]);
  });

  it('execution callbacks of the SDK are called once, for approved calls too', async () => {
    const { tools } = recordingTools();
    const seen: string[] = [];
    const [started, ended] =
      major === 7
        ? ['onToolExecutionStart', 'onToolExecutionEnd']
        : ['experimental_onToolCallStart', 'experimental_onToolCallFinish'];
    await play({
      turns: [calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
      [started as string]: ({ toolCall }: { toolCall: { toolCallId: string } }) =>
        void seen.push(`start ${toolCall.toolCallId}`),
      [ended as string]: ({ toolCall }: { toolCall: { toolCallId: string } }) =>
        void seen.push(`end ${toolCall.toolCallId}`),
    });
    expect(seen).toEqual(['start c0', 'end c0', 'start c1', 'end c1']);
  });
});

describe.runIf(major === 7)("a toolApproval of one's own (AI SDK 7)", () => {
  const judged = async (toolApproval: unknown, more: object = {}) => {
    const { ran, tools } = recordingTools();
    const played = await play({
      turns: [calls(call('del', { path: '/a' }, 'c1')), says('.')],
      tools,
      toolApproval,
      onApprovalRequest: () => true,
      ...more,
    });
    return { ...played, ran, asked: played.of('approval-requested').filter(({ isAutomatic }) => !isAutomatic).length };
  };

  it.each([
    ['user-approval', 1, ['del /a']],
    [{ type: 'user-approval', reason: 'destructive' }, 1, ['del /a']],
    ['approved', 0, ['del /a']],
    ['not-applicable', 0, ['del /a']],
    [undefined, 0, ['del /a']],
    ['denied', 0, []],
    [{ type: 'denied', reason: 'no' }, 0, []],
    // Unknown statuses would run the tool in the SDK itself.
    ['maybe', 1, ['del /a']],
    [true, 1, ['del /a']],
    [false, 1, ['del /a']],
    [null, 1, ['del /a']],
    [{}, 1, ['del /a']],
    [{ type: 'nope' }, 1, ['del /a']],
  ])('%j as a function and as an entry', async (status, asks, runs) => {
    const byFunction = await judged(() => status);
    expect([byFunction.asked, byFunction.ran]).toEqual([asks, runs]);
    const byEntry = await judged({ del: () => status });
    expect([byEntry.asked, byEntry.ran]).toEqual([asks, runs]);
  });

  it('gets what the SDK would give it', async () => {
    let seen: Record<string, unknown> = {};
    await judged((options: Record<string, unknown>) => void (seen = options), { runtimeContext: { run: 'r1' } });
    expect(seen).toMatchObject({
      toolCall: { toolCallId: 'c1', toolName: 'del', input: { path: '/a' } },
      runtimeContext: { run: 'r1' },
    });
    expect(Object.keys(seen['tools'] as object)).toEqual(['del', 'read']);
    expect(seen['messages']).toHaveLength(1);
  });

  it('that throws asks instead of ending the run', async () => {
    const { asked, ran, events } = await judged(() => {
      throw new Error('down');
    });
    expect([asked, ran, events.at(-1)?.type]).toEqual([1, ['del /a'], 'done']);
  });

  it.each([
    ['all', 'all'],
    ['*', { '*': { approvers: ['bob'] } }],
    ['the name', { del: true }],
  ])('that approves opens nothing that interruptOn closes (%s)', async (_, interruptOn) => {
    const approves = await judged(() => 'approved', { interruptOn, onApprovalRequest: () => false });
    expect([approves.asked, approves.ran]).toEqual([1, []]);
    const { tools } = recordingTools();
    const model = scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
    const agent = new ai.ToolLoopAgent({ model, tools, toolApproval: () => 'approved' } as never);
    const run = streamWithEvents({ agent, prompt: 'go', interruptOn, onApprovalRequest: () => false } as never);
    expect((await collect(run as AsyncIterable<{ type: string }>)).map(({ type }) => type)).toContain(
      'approval-requested',
    );
  });

  it('that approves does not open a tool that needs approval itself', async () => {
    const { tools } = recordingTools();
    const del = { ...tools.del, needsApproval: true };
    expect((await judged(() => 'approved', { tools: { del } })).asked).toBe(1);
  });

  it('that denies or asks is heard whatever interruptOn says', async () => {
    for (const interruptOn of [{ del: false }, { del: true }, 'none', 'all']) {
      const denies = await judged({ del: 'denied' }, { interruptOn });
      expect([denies.asked, denies.ran]).toEqual([0, []]);
      expect((await judged(() => 'user-approval', { interruptOn })).asked).toBe(1);
    }
  });

  it('is asked once per call', async () => {
    let count = 0;
    await judged(() => {
      count++;
      return 'user-approval';
    });
    expect(count).toBe(1);
  });
});
