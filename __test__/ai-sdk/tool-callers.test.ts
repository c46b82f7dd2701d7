/** Tools that call other tools, which the AI SDK binds to them: they pass the gate, and so does each call of theirs. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, InterruptOn } from '../../index.js';
import { createDeepAgent, createTaskTool } from '../../ts/agent/index.js';
import { applyInterruptConfig, createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { denying, human, toolEntries } from '../support/entries.js';
import { call, calls, major, resultsIn, says, scripted } from '../support/model.js';
import { play } from '../support/play.js';
import { programCaller, type ProgramCall } from '../support/tool-caller.js';
import { recordingTools } from '../support/tools.js';

const program = (...made: ProgramCall[]) => call('program', { calls: made }, 'c1');
const del = (path: string): ProgramCall => ({ tool: 'del', input: { path } });
const toolCallers = { experimental_toolCallers: { del: ['program'], read: ['program'] } };

function set() {
  const { ran, tools } = recordingTools();
  return { ran, tools: { program: programCaller(ran), ...tools } as ai.ToolSet };
}

describe.runIf(major === 7)('a tool that calls others', () => {
  const turns = () => [calls(program(del('/a'))), says('Done.')];

  it.each(toolEntries)('does not run when a human rejects it: %s', async (_, run) => {
    const { ran, tools } = set();
    const { asked, onApprovalRequest } = human(false);
    await run({ turns: turns(), tools, ...toolCallers, interruptOn: { program: true }, onApprovalRequest });
    expect({ ran, asked }).toEqual({ ran: [], asked: ['program'] });
  });

  it.each(toolEntries)('does not run when a policy denies it: %s', async (_, run) => {
    const { ran, tools } = set();
    await using gate = denying('program');
    await run({ turns: turns(), tools, ...toolCallers, gate });
    expect(ran).toEqual([]);
  });

  it.each(toolEntries)('asks about each of its calls, and waits: %s', async (_, run) => {
    const { ran, tools } = set();
    const asked: ApprovalRequest[] = [];
    await run({
      turns: [calls(program(del('/a'), { tool: 'read', input: { path: '/r' } }, del('/b'), del('/c'))), says('Done.')],
      tools,
      ...toolCallers,
      interruptOn: { del: true },
      onApprovalRequest: (request) => {
        asked.push(request);
        return (request.args as { path: string }).path === '/a' ? true : { type: 'reject', reason: 'keep it' };
      },
    });
    expect(ran).toEqual(['program', 'del /a', 'read /r']);
    expect(asked.map(({ toolCallId, args }) => [toolCallId, args])).toEqual([
      ['c1:tool-1', { path: '/a' }],
      ['c1:tool-3', { path: '/b' }],
    ]);
    expect(asked[0]?.origin).toEqual(['main', 'task:c1', 'program']);
  });

  it('a call that is rejected throws where it was made: no program takes the denial for a result', async () => {
    const { ran, tools } = set();
    const { prompts } = await play({
      turns: [calls(program(del('/a'), del('/b'))), says('Done.')],
      tools,
      ...toolCallers,
      interruptOn: { del: true },
      onApprovalRequest: () => ({ type: 'reject', reason: 'keep it' }),
    });
    expect(ran).toEqual(['program']);
    expect(resultsIn(prompts[1])['c1']).toEqual({
      type: 'error-text',
      value: expect.stringMatching(/del was not run: keep it/) as unknown,
    });
  });

  it.each(toolEntries)('is asked about itself and about its calls: %s', async (_, run) => {
    const { ran, tools } = set();
    const { asked, onApprovalRequest } = human(true);
    await run({ turns: turns(), tools, ...toolCallers, interruptOn: 'all', onApprovalRequest });
    expect(asked).toEqual(['program', 'del']);
    expect(ran).toEqual(['program', 'del /a']);
  });

  it.each(toolEntries)('makes no call that a policy denies, whoever allows the tool itself: %s', async (_, run) => {
    const { ran, tools } = set();
    await using gate = denying('del');
    await run({ turns: turns(), tools, ...toolCallers, gate });
    expect(ran).toEqual(['program']);
  });

  it.each(toolEntries)('asks about a call whose own tool says that it needs approval: %s', async (_, run) => {
    const { ran, tools } = set();
    const own = { ...tools, del: { ...tools['del'], needsApproval: true } } as ai.ToolSet;
    const { asked, onApprovalRequest } = human(true);
    await run({ turns: turns(), tools: own, ...toolCallers, onApprovalRequest });
    expect({ asked, ran }).toEqual({ asked: ['del'], ran: ['program', 'del /a'] });
  });

  it.each(toolEntries)(
    'edits: what the human wrote runs, in the call of the tool and in the call that it makes: %s',
    async (_, run) => {
      const { ran, tools } = set();
      await run({
        turns: turns(),
        tools,
        ...toolCallers,
        interruptOn: { del: true },
        onApprovalRequest: () => ({ type: 'edit', args: { path: '/edited' } }),
      });
      expect(ran).toEqual(['program', 'del /edited']);
    },
  );

  it('calls made at once are asked about at once', async () => {
    const { ran, tools } = set();
    const asked: string[] = [];
    let answer!: (approved: boolean) => void;
    const both = new Promise<boolean>((resolve) => (answer = resolve));
    await play({
      turns: [calls(call('program', { calls: [del('/a'), del('/b')], atOnce: true }, 'c1')), says('Done.')],
      tools,
      ...toolCallers,
      interruptOn: { del: true },
      askOrder: 'at-once',
      onApprovalRequest: ({ toolCallId }) => {
        if (asked.push(toolCallId) === 2) answer(true);
        return both;
      },
    });
    expect(asked.toSorted()).toEqual(['c1:tool-1', 'c1:tool-2']);
    expect(ran.toSorted()).toEqual(['del /a', 'del /b', 'program']);
  });

  it('the run tells what was asked, and the model gets what came of it', async () => {
    const { tools } = set();
    const { events, prompts } = await play({
      turns: turns(),
      tools,
      ...toolCallers,
      interruptOn: { del: true },
      onApprovalRequest: () => true,
    });
    const told = events.flatMap((event) =>
      event.type === 'approval-requested' || event.type === 'approval-response' ? [[event.type, event.toolCallId]] : [],
    );
    expect(told).toEqual([
      ['approval-requested', 'c1:tool-1'],
      ['approval-response', 'c1:tool-1'],
    ]);
    expect(resultsIn(prompts[1])['c1']).toEqual({ type: 'json', value: ['deleted /a'] });
  });

  it('a tool that can be called both ways is asked about both ways', async () => {
    const { ran, tools } = set();
    const asked: string[] = [];
    await play({
      turns: [calls(call('del', { path: '/x' }, 'd1'), program(del('/y'))), says('Done.')],
      tools,
      experimental_toolCallers: { del: ['program', 'AI_SDK_DIRECT_TOOL_CALL'] },
      interruptOn: { del: true },
      onApprovalRequest: ({ toolCallId }) => asked.push(toolCallId) > 0,
    });
    expect(asked.toSorted()).toEqual(['c1:tool-1', 'd1']);
    expect(ran.toSorted()).toEqual(['del /x', 'del /y', 'program']);
  });

  it('an abort ends the call that waits', async () => {
    const { ran, tools } = set();
    const abort = new AbortController();
    await play({
      turns: turns(),
      tools,
      ...toolCallers,
      interruptOn: { del: true },
      abortSignal: abort.signal,
      onApprovalRequest: () => {
        abort.abort();
        return true;
      },
    });
    expect(ran).toEqual(['program']);
  });

  it('applyInterruptConfig: the SDK asks about the tool itself', async () => {
    const { ran, tools } = set();
    const { content } = await ai.generateText({
      model: scripted([calls(program(del('/a')))]).model,
      prompt: 'go',
      tools: applyInterruptConfig(tools, { program: true }),
      ...(toolCallers as object),
    });
    expect(content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
    expect(ran).toEqual([]);
  });

  it.each<[string, InterruptOn]>([
    ['the called tool', { del: true }],
    ['the called tool by a function', { del: { shouldApprove: () => true } }],
    ['all but the caller', { '*': true, program: false }],
    ['all', 'all'],
  ])('applyInterruptConfig refuses a caller beside a tool that needs approval: %s', (_, interruptOn) => {
    const { tools } = set();
    expect(() => applyInterruptConfig(tools, interruptOn)).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringMatching(/"program" may call other tools itself.*gateTools.*streamWithEvents/) as unknown,
      }),
    );
  });

  it('applyInterruptConfig refuses a caller beside a tool that says itself that it needs approval', () => {
    const { tools } = set();
    const own = { ...tools, del: { ...tools['del'], needsApproval: true } } as ai.ToolSet;
    expect(() => applyInterruptConfig(own, { read: false })).toThrow('"program" may call other tools itself');
    expect(() => applyInterruptConfig(own, { del: false })).not.toThrow();
  });

  it("gateTools, mode 'stop': the SDK ends its turn at the tool", async () => {
    const { ran, tools } = set();
    const gate = createGate();
    const { content } = await ai.generateText({
      model: scripted([calls(program(del('/a')))]).model,
      prompt: 'go',
      tools: gateTools(tools, { gate, mode: 'stop', interruptOn: { program: true } }),
      ...(toolCallers as object),
    });
    expect(content.map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
    expect(ran).toEqual([]);
    await gate.close();
  });

  it('what needs approval only once it is bound is refused', () => {
    const late = ai.experimental_toolCaller(programCaller(), {
      type: 'local',
      bind: () => ({ ...programCaller(), needsApproval: true }) as ai.Tool,
    });
    const gated = gateTools({ late }, { interruptOn: 'all', onApprovalRequest: () => false }) as unknown as {
      late: { experimental_toolCaller: { bind(tools: object): unknown } };
    };
    expect(() => gated.late.experimental_toolCaller.bind({})).toThrow(/needsApproval only once/);
  });

  it('a copy of the tool is no caller, as the SDK makes it, and stays gated', async () => {
    const { ran, tools } = set();
    const { program: gated } = gateTools(tools, { interruptOn: 'all', onApprovalRequest: () => false });
    const copy = { ...gated } as ai.Tool & { experimental_toolCaller?: unknown };
    expect(copy.experimental_toolCaller).toBeUndefined();
    const execute = copy.execute as (input: unknown, options: object) => Promise<unknown>;
    expect(await execute({ calls: [] }, { toolCallId: 'c1', messages: [] })).toMatchObject({
      type: 'execution-denied',
    });
    expect(ran).toEqual([]);
  });
});

describe('what the SDK may run in a later version', () => {
  const { del } = recordingTools().tools;
  class Remote {
    start() {}
  }
  const round: Record<string, unknown> = {};
  round['self'] = round;
  class Data {
    readonly a = 1;
  }
  /** As the SDK makes its own, and otherwise. */
  const shapes: [string, object][] = [
    ['a function', { ...del, experimental_remote: () => {} }],
    ['an object of functions', { ...del, experimental_remote: { start: () => {} } }],
    ['functions further inside', { ...del, experimental_remote: { a: [{ start: () => {} }] } }],
    ['a list of functions', { ...del, experimental_remote: [() => {}] }],
    ['an instance with methods', { ...del, experimental_remote: new Remote() }],
    [
      'a function that is not enumerable',
      Object.defineProperty({ ...del }, 'experimental_remote', { value: () => {} }),
    ],
    [
      'an object of functions that is not enumerable',
      Object.defineProperty({ ...del }, 'experimental_remote', {
        value: Object.defineProperty({}, 'start', { value: () => {} }),
      }),
    ],
    ['an inherited function', Object.assign(Object.create({ experimental_remote() {} }) as object, del)],
    ['a getter', Object.defineProperty({ ...del }, 'experimental_remote', { get: () => () => {} })],
    ['a symbol', { ...del, [Symbol('experimental_remote')]: () => {} }],
  ];
  const options = { interruptOn: { tool: true }, onApprovalRequest: () => false };
  const { model } = scripted([]);
  const entries: [string, (tools: ai.ToolSet) => unknown][] = [
    ['gateTools', (tools) => gateTools(tools, options as never)],
    ['gateTools, which does not gate it', (tools) => gateTools(tools, { interruptOn: 'none' })],
    ['applyInterruptConfig', (tools) => applyInterruptConfig(tools, options.interruptOn as never)],
    ['streamWithEvents', (tools) => streamWithEvents({ model, prompt: 'go', tools, ...options } as never)],
    ['createDeepAgent', (tools) => createDeepAgent({ model, tools })],
    [
      'createTaskTool',
      (tools) => createTaskTool({ subagents: [{ name: 'a', description: 'a', model, tools } as never] }),
    ],
  ];

  it.each(entries)('%s refuses the tool at once', (_, use) => {
    for (const [shape, tool] of shapes)
      expect(() => use({ tool: tool as ai.Tool }), shape).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_CONFIG', message: expect.stringMatching(/experimental_remote/) }),
      );
  });

  it.each(entries)('%s takes a tool with data under such a name', (_, use) => {
    for (const data of [true, 'x', ['x'], { a: 1 }, { a: { b: [1] } }, round, new Data(), null, undefined])
      expect(() => use({ tool: { ...del, experimental_remote: data } as object as ai.Tool })).not.toThrow();
  });
});
