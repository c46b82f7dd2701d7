/** Runs that are a part of another: what they ask, what they tell, and how they end. */
import { streamText, tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, ApprovalAnswer, ApprovalRequest, RunOptions } from '../../index.js';
import { createGate, gateTools, InvalidConfigError, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, text, type ModelTurn } from '../support/model.js';
import { of, play, start, types, until } from '../support/play.js';
import { polluted } from '../support/pollution.js';
import { recordingTools } from '../support/tools.js';

type Own = Partial<RunOptions<ToolSet>> & { tools: ToolSet; turns: ModelTurn[]; [more: string]: unknown };

/** A tool that starts an agent which says these turns. */
export function taskTool(own: Own | ((description: string) => Own)): ToolSet[string] {
  return tool({
    inputSchema: z.object({ description: z.string() }),
    execute: async ({ description }, options) => {
      const { turns, ...rest } = typeof own === 'function' ? own(description) : own;
      const { model } = scripted(turns);
      const run = streamWithEvents({ model, prompt: description, ...rest, parent: options } as never);
      return (await run.result).text || '(nothing)';
    },
  });
}

const wrapped = (events: readonly AgentEvent[]) =>
  of(events)('subagent-event').map(({ name, event }) => `${name} ${event.type}`);

describe('a subagent', () => {
  it('asks through its parent while the call that started it runs, and its events come out of the one iterator', async () => {
    const { tools, ran } = recordingTools();
    const asked: ApprovalRequest[] = [];
    const child = {
      tools,
      turns: [[...text('Deleting.'), ...calls(call('del', { path: '/a' }, 'k1'))], says('Deleted.')],
    };
    const { events, run, prompts } = await play({
      turns: [calls(call('task', { description: 'delete /a' }, 'c1')), says('All done.')],
      tools: { task: taskTool(child) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      onApprovalRequest: (request) => {
        asked.push(request);
        return true;
      },
    });
    const origin = ['main', 'task:c1', 'task'];
    expect(asked.map(({ toolName, origin: from, runId }) => [toolName, from, runId])).toEqual([
      ['del', origin, `${run.runId}>c1`],
    ]);
    expect(ran).toEqual(['del /a']);
    expect(types(events)).toEqual([
      'step-start',
      'tool-call',
      'subagent-start',
      'subagent-event',
      'subagent-event',
      'approval-requested',
      'approval-response',
      'subagent-step',
      'subagent-event',
      'subagent-event',
      'subagent-step',
      'subagent-finish',
      'tool-result',
      'step-finish',
      'step-start',
      'text',
      'step-finish',
      'done',
    ]);
    expect(wrapped(events)).toEqual(['task text', 'task tool-call', 'task tool-result', 'task text']);
    expect(of(events)('subagent-start')).toEqual([
      { type: 'subagent-start', task: 'delete /a', runId: `${run.runId}>c1`, toolCallId: 'c1', name: 'task', origin },
    ]);
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'Deleted.', origin }]);
    expect(of(events)('approval-response')).toMatchObject([{ origin, approved: true, toolName: 'del' }]);
    expect(resultsIn(prompts.at(-1))).toEqual({ c1: { type: 'text', value: 'Deleted.' } });
  });

  it('a rejection, an edit and an answer reach the right one of several', async () => {
    const { tools, ran } = recordingTools();
    const answers: Record<string, ApprovalAnswer> = {
      '/1': { type: 'reject', reason: 'not this one' },
      '/2': { type: 'edit', args: { path: '/edited' } },
      '/3': { type: 'respond', output: 'answered' },
    };
    const child = (path: string): Own => ({
      tools,
      turns: [
        calls(call('del', { path }, 'k')),
        ({ prompt }) => says(JSON.stringify(Object.values(resultsIn(prompt as never)))),
      ],
    });
    const { prompts } = await play({
      turns: [
        calls(...['/1', '/2', '/3'].map((path, index) => call('task', { description: path }, `c${index + 1}`))),
        says('Done.'),
      ],
      tools: { task: taskTool(child) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      // In the reverse order of the calls.
      onApprovalRequest: async ({ args }) => {
        const { path } = args as { path: string };
        for (let turn = 0; turn < 60 - 20 * Number(path.slice(1)); turn++) await Promise.resolve();
        return answers[path] as ApprovalAnswer;
      },
    });
    expect(ran).toEqual(['del /edited']);
    const results = resultsIn(prompts.at(-1)) as Record<string, { value: string }>;
    expect(results['c1']?.value).toContain('not this one');
    expect(results['c2']?.value).toContain('the human changed the arguments');
    expect(results['c3']?.value).toContain('answered');
  });

  it('nested ones ask through all above, with the whole path', async () => {
    const { tools, ran } = recordingTools();
    const inner: Own = { tools, turns: [calls(call('del', { path: '/deep' }, 'k')), says('inner')] };
    const middle: Own = {
      tools: { task: taskTool(inner) },
      turns: [calls(call('task', { description: 'go deeper' }, 'm')), says('middle')],
    };
    const { events, run } = await play({
      turns: [calls(call('task', { description: 'go' }, 'c')), says('outer')],
      tools: { task: taskTool(middle) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      onApprovalRequest: () => true,
    });
    const [asked] = of(events)('approval-requested');
    expect(asked?.origin).toEqual(['main', 'task:c', 'task', 'task:m', 'task']);
    expect(asked?.runId).toBe(`${run.runId}>c>m`);
    expect(ran).toEqual(['del /deep']);
    expect(of(events)('subagent-finish').map(({ result }) => result)).toEqual(['inner', 'middle']);
    expect(of(events)('done')).toMatchObject([{ text: 'outer' }]);
  });

  it('an abort cancels what it asked, tells so, and ends the run', async () => {
    const { tools, ran } = recordingTools();
    const leaving = new AbortController();
    const gate = createGate();
    const { run } = start({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('never')],
      tools: { task: taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1'))] }) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      gate,
      abortSignal: leaving.signal,
    });
    await until(run, 'approval-requested');
    leaving.abort();
    const events = await collect(run);
    expect(of(events)('approval-response')).toMatchObject([{ decision: { type: 'cancelled' }, toolName: 'del' }]);
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'cancelled' }]);
    expect(events.at(-1)?.type).toBe('abort');
    expect([ran, await gate.pending()]).toEqual([[], []]);
  });

  it('a deadline that passes reaches it, and it goes on', async () => {
    const { tools, ran } = recordingTools();
    const { events } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('ok')],
      tools: { task: taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1')), says('It expired.')] }) },
      interruptOn: { del: { timeout: 20 } },
      unknownTools: 'ignore',
      gate: createGate(),
    });
    expect(of(events)('approval-response')).toMatchObject([{ decision: { type: 'expired' } }]);
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'It expired.' }]);
    expect(ran).toEqual([]);
  });

  it('a human who ends the turn ends it for all above', async () => {
    const { tools, ran } = recordingTools();
    const { events, prompts } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1'))],
      tools: { task: taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1'))] }) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      onApprovalRequest: () => ({ type: 'reject', stop: true }),
    });
    expect([ran, prompts.length, events.at(-1)?.type]).toEqual([[], 1, 'done']);
  });

  it('that fails is an error of the tool that started it', async () => {
    const { events } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('I see.')],
      tools: {
        task: taskTool({
          tools: {},
          turns: [
            () => {
              throw new Error('no model');
            },
          ],
        }),
      },
      interruptOn: {},
    });
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'failed', result: 'no model' }]);
    expect(of(events)('tool-error')).toMatchObject([{ toolCallId: 'c1' }]);
    expect(events.at(-1)?.type).toBe('done');
  });

  it('a reader that leaves the loop leaves nothing behind', async () => {
    const { tools, ran } = recordingTools();
    const gate = createGate();
    const { run } = start({
      turns: [calls(call('task', { description: 'x' }, 'c1'))],
      tools: { task: taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1'))] }) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      gate,
    });
    for await (const event of run) if (event.type === 'approval-requested') break;
    expect([await gate.pending(), ran]).toEqual([[], []]);
  });

  it('that says much is held back by a reader that is slow', async () => {
    const { model } = scripted([
      [...Array.from({ length: 1000 }, (_, index) => text('x', String(index))).flat(), ...says('end')],
    ]);
    const { run } = start({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('ok')],
      tools: {
        task: tool({
          inputSchema: z.object({ description: z.string() }),
          execute: async (_, options) => (await streamWithEvents({ model, prompt: 'x', parent: options }).result).text,
        }),
      },
      interruptOn: {},
    });
    const events = await collect(run);
    expect(of(events)('subagent-event')).toHaveLength(1001);
    expect(of(events)('tool-result')).toMatchObject([{ result: `${'x'.repeat(1000)}end` }]);
  });
});

describe('parent', () => {
  it.each([{}, { toolCallId: 'c1' }, null, 'c1'])('is refused when it is %j', (parent) => {
    const { model } = scripted([]);
    expect(() => streamWithEvents({ model, prompt: 'x', parent: parent as never })).toThrow(InvalidConfigError);
    expect(() => gateTools({}, { parent: parent as never })).toThrow(InvalidConfigError);
  });

  it.each([{ gate: createGate() }, { onApprovalRequest: () => true }])('does not go with %o', async (more) => {
    const { events } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('I see.')],
      tools: { task: taskTool({ tools: {}, turns: [], ...more }) },
    });
    expect(of(events)('tool-error')).toMatchObject([{ error: { code: 'ERR_INVALID_CONFIG' } }]);
  });

  it('its path cannot be another', async () => {
    const { events } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('I see.')],
      tools: { task: taskTool({ tools: {}, turns: [], origin: ['main'] }) },
    });
    expect(of(events)('tool-error')).toMatchObject([{ error: { code: 'ERR_INVALID_CONFIG' } }]);
  });
});

describe('gateTools', () => {
  /** Its calls are gated for a part of the run, its loop is the SDK's own. */
  const ownLoop = (tools: ToolSet, turns: ModelTurn[]) =>
    tool({
      inputSchema: z.object({ description: z.string() }),
      execute: async (_, options) => {
        const { model } = scripted(turns);
        return await streamText({
          model,
          prompt: 'x',
          tools: gateTools(tools, { parent: options }),
          stopWhen: [() => false],
        }).text;
      },
    });

  it('lets a subagent with a loop of its own ask through its parent', async () => {
    const { tools, ran } = recordingTools();
    const { events, run } = await play({
      turns: [calls(call('task', { description: 'x' }, 'c1')), says('ok')],
      tools: { task: ownLoop(tools, [calls(call('del', { path: '/a' }, 'k1')), says('gone')]) },
      interruptOn: { del: true },
      unknownTools: 'ignore',
      onApprovalRequest: () => true,
    });
    expect(of(events)('approval-requested')).toMatchObject([
      { toolName: 'del', origin: ['main', 'task:c1', 'task'], runId: `${run.runId}>c1` },
    ]);
    expect(of(events)('approval-response')).toMatchObject([{ approved: true, toolName: 'del' }]);
    expect(ran).toEqual(['del /a']);
  });

  it('starts subagents from a loop that is not ours', async () => {
    const { tools, ran } = recordingTools();
    const asked: (readonly string[])[] = [];
    const task = Object.assign(taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1')), says('gone')] }), {
      [Symbol.for('countersign.task')]: true,
    });
    const { model, prompts } = scripted([calls(call('task', { description: 'x' }, 'c1')), says('ok')]);
    const gated = gateTools(
      { task },
      {
        interruptOn: { del: true } as never,
        unknownTools: 'ignore',
        onApprovalRequest: ({ origin }) => {
          asked.push(origin);
          return true;
        },
      },
    );
    await streamText({ model, prompt: 'go', tools: gated, stopWhen: ({ steps }) => steps.length === 2 }).text;
    expect([asked, ran]).toEqual([[['main', 'task:c1', 'task']], ['del /a']]);
    expect(resultsIn(prompts.at(-1))).toEqual({ c1: { type: 'text', value: 'gone' } });
  });
});

it('what waits in a run is also what waits in its subagents', async () => {
  const { tools } = recordingTools();
  const gate = createGate();
  const { run } = start({
    turns: [calls(call('task', { description: 'x' }, 'c/1>2'), call('del', { path: '/main' }, 'm'))],
    tools: { ...tools, task: taskTool({ tools, turns: [calls(call('del', { path: '/a' }, 'k1'))] }) },
    interruptOn: { del: true },
    gate,
    runId: 'the-run',
  });
  await until(run, 'approval-requested');
  await until(run, 'approval-requested');
  const runs = (await gate.pending({ runId: 'the-run' })).map(({ runId }) => runId);
  expect(runs.toSorted()).toEqual(['the-run', 'the-run>c%2F1%3E2']);
  await run.return();
  const its = { gate, runId: 'the-run>c' };
  for (const way of [
    () => streamWithEvents({ model: scripted([]).model, prompt: 'x', ...its }),
    () => gateTools({}, its),
  ])
    expect(way).toThrow(/main run "the-run"/);
});

it('plan mode lets agents be started, and judges what they do', async () => {
  const tools: ToolSet = {
    read_file: tool({ inputSchema: z.object({ file_path: z.string() }), execute: async () => 'content' }),
    write_file: tool({
      inputSchema: z.object({ file_path: z.string(), content: z.string() }),
      execute: async () => 'written',
    }),
  };
  const child: Own = {
    tools,
    turns: [
      calls(call('read_file', { file_path: 'a' }, 'k1'), call('write_file', { file_path: 'a', content: 'x' }, 'k2')),
      says('done'),
    ],
  };
  const gate = createGate({ mode: 'plan' });
  const marked = Object.assign(taskTool(child), { [Symbol.for('countersign.task')]: true });
  const ran = async (task: ToolSet[string]) => {
    const turns = [calls(call('task', { description: 'x' }, 'c1')), says('ok')];
    const { events } = await play({ turns, tools: { task }, gate });
    return [
      ...of(events)('tool-denied').map(({ toolName }) => toolName),
      ...wrapped(events).filter((each) => !each.endsWith(' text')),
    ];
  };
  expect((await ran(marked)).toSorted()).toEqual([
    'task tool-call',
    'task tool-call',
    'task tool-denied',
    'task tool-result',
  ]);
  // A tool that does not say so itself may do anything.
  expect(await ran(taskTool(child))).toEqual(['task']);
  expect(await polluted({ [Symbol.for('countersign.task')]: true }, () => ran(taskTool(child)))).toEqual(['task']);
});

it('what a call tells comes after the call, also to a reader who is slow', async () => {
  const { run } = start({
    turns: [
      [
        ...Array.from({ length: 8 }, (_, index) => text('x', String(index))).flat(),
        ...calls(call('task', { description: 'x' }, 'c1')),
      ],
      says('ok'),
    ],
    tools: { task: taskTool({ tools: {}, turns: [says('child')] }) },
    interruptOn: {},
  });
  const seen: string[] = [];
  for await (const event of run) {
    seen.push(event.type);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen.filter((type) => type !== 'text' && !type.startsWith('step'))).toEqual([
    'tool-call',
    'subagent-start',
    'subagent-event',
    'subagent-step',
    'subagent-finish',
    'tool-result',
    'done',
  ]);
});
