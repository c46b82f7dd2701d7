/** What an agent is made of: its prompt, its tools, its subagents, and what is refused. */
import { tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BuiltinToolName, Subagent } from '../../agent.js';
import { createAskUserTool } from '../../ts/agent/index.js';
import { createGate, InvalidConfigError, PolicyError, UnknownToolError } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { of } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { eventsOf, stage, systemOf, type Options } from './deep-stage.js';

describe('what it is told', () => {
  const { tools } = recordingTools();

  test('of itself', () => {
    const { agent } = stage([], { systemPrompt: 'You are Kim.', interruptOn: ['execute'], policy: 'preset:developer' });
    expect(agent.systemPrompt).toMatchSnapshot('with all');
    expect(stage([], { builtinTools: [] }).agent.systemPrompt).toMatchSnapshot('with nothing');
  });

  test('reaches the model', async () => {
    const { agent, prompts } = stage([says('Hi.')], { interruptOn: ['execute'] });
    await agent.generate({ prompt: 'x', onQuestion: () => null });
    expect(systemOf(prompts[0])).toBe(agent.systemPrompt);
    expect(agent.systemPrompt).toContain('Every call of execute needs the approval of a human');
    expect(stage([], { interruptOn: ['execute'], describeApprovals: false }).agent.systemPrompt).not.toContain(
      'approval',
    );
  });

  test.each([
    ['nobody', {}, {}, false],
    ['a callback', {}, { onQuestion: () => null }, true],
    ['a gate', { gate: true }, {}, true],
  ])(
    'speaks of ask_user, and offers it, where %s can answer: %o',
    async (_, { gate }: { gate?: boolean }, run, isOffered) => {
      let offered: string[] = [];
      const turn: ModelTurn = (asked) => {
        offered = (asked as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name);
        return says('Hi.');
      };
      const opened = gate === undefined ? undefined : createGate({ place: { cwd: '/project' } });
      const { agent, prompts } = stage([turn], opened === undefined ? {} : { gate: opened });
      await agent.generate({ prompt: 'x', ...run });
      expect(systemOf(prompts[0]).includes('ask_user')).toBe(isOffered);
      expect(offered.includes('ask_user')).toBe(isOffered);
      expect(offered).toContain('write_todos');
      await opened?.close();
    },
  );

  test('a subagent is told of what it and those above must ask about', async () => {
    const { prompts } = await withSubagent(
      { name: 'worker', description: 'Works.', systemPrompt: 'You work.', interruptOn: { del: true } },
      [says('Worked.')],
      { tools, interruptOn: { execute: true } },
    );
    expect(systemOf(prompts[0])).toMatchSnapshot();
  });
});

/** A main agent that starts one subagent. */
async function withSubagent(subagent: Subagent, turns: ModelTurn[], options: Options = {}, run: object = {}) {
  const { model, prompts } = scripted(turns);
  const start = call('task', { description: 'do it', subagent_type: subagent.name }, 't1');
  const main = stage([calls(start), says('Done.')], { subagents: [{ model, ...subagent }], ...options });
  const events = await eventsOf(main.agent.streamWithEvents({ prompt: 'x', ...run } as never));
  return { prompts, events, main, told: resultsIn(main.prompts[1])['t1'] as { value: string } };
}

describe('subagents', () => {
  test('have the tools of the one that starts them, but neither task nor questions', async () => {
    const { tools } = recordingTools();
    const ask = createAskUserTool();
    const model = scripted([]).model;
    const names = (subagent: Partial<Subagent>, options: Options = {}): Promise<string[]> =>
      toolsSeenBy({ name: 'worker', description: 'Works.', ...subagent }, { tools: { ...tools, ask }, ...options });
    const files = ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep', 'execute'];
    expect(await names({})).toEqual([...files, 'write_todos', 'del', 'read']);
    expect(await names({ tools: {} })).toEqual([...files, 'write_todos']);
    expect(await names({ builtinTools: ['ls'], tools: { del: tools.del } })).toEqual(['ls', 'del']);
    expect(await names({ builtinTools: [], subagents: [{ name: 'deep', description: 'Is deep.', model }] })).toEqual([
      'task',
      'del',
      'read',
    ]);
  });

  test('general-purpose has the tools of the agent itself', async () => {
    const seen = (options: Options) => toolsSeenBy(undefined, options);
    expect(await seen({ builtinTools: ['ls', 'task', 'ask_user'] })).toEqual(['ls']);
    expect(await seen({ builtinTools: ['task'], tools: recordingTools().tools })).toEqual(['del', 'read']);
  });

  test('ask through the agent, with their origin, and write to the same files', async () => {
    const asked: unknown[] = [];
    const { main, events } = await withSubagent(
      { name: 'worker', description: 'Works.' },
      [calls(call('write_file', { file_path: 'a.txt', content: 'x' }, 'k1')), says('Written.')],
      { interruptOn: { write_file: true } },
      {
        onApprovalRequest: ({ origin, toolName }: { origin: string[]; toolName: string }) => {
          asked.push([toolName, origin]);
          return true;
        },
      },
    );
    const origin = ['main', 'task:t1', 'worker'];
    expect(asked).toEqual([['write_file', origin]]);
    expect(main.backend.files.get('a.txt')).toBe('x');
    expect(of(events)('file-written')).toMatchObject([{ toolCallId: 'k1', origin }]);
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'Written.' }]);
  });

  test.each<[string, Subagent[], string]>([
    ['without a name', [{ name: '', description: 'x' }], 'must have a name'],
    ['without a description', [{ name: 'a', description: '' }], 'must have a description'],
    [
      'of one name',
      [
        { name: 'a', description: 'x' },
        { name: 'a', description: 'y' },
      ],
      'two subagents with the name "a"',
    ],
    [
      'that ask',
      [{ name: 'a', description: 'x', tools: { ask: createAskUserTool() } as never }],
      'puts questions to the human',
    ],
    [
      'that have ask_user',
      [{ name: 'a', description: 'x', builtinTools: ['ask_user' as 'ls'] }],
      'puts questions to the human',
    ],
    ['without steps', [{ name: 'a', description: 'x', maxSteps: 0 }], 'maxSteps must be a whole number above 0'],
    ['with no such tool', [{ name: 'a', description: 'x', builtinTools: ['lss' as 'ls'] }], 'there is no "lss"'],
    ['with nothing to start', [{ name: 'a', description: 'x', builtinTools: ['task'] }], 'no subagents to start'],
    ['with a typo', [{ name: 'a', description: 'x', interruptOn: { write_fil: true } }], 'write_fil'],
    ['with a policy that is none', [{ name: 'a', description: 'x', policy: { version: 2 } as never }], 'version'],
    ['that start themselves', [endless()], 'without end'],
  ])('%s are refused', (_what, subagents, why) => {
    expect(() => stage([], { subagents })).toThrow(why);
  });

  test('general-purpose is told what the agent is', async () => {
    const prompts: string[] = [];
    const look: ModelTurn = ({ prompt }) => {
      prompts.push(systemOf(prompt as never));
      return says('Seen.');
    };
    const start = call('task', { description: 'x', subagent_type: 'general-purpose' }, 't1');
    await stage([calls(start), look, says('Done.')], { systemPrompt: 'You are Kim.' }).agent.generate({ prompt: 'x' });
    expect(prompts[0]).toMatch(/^You are Kim\.\n\n- [^]*Another agent started you/);
  });

  test('one named general-purpose takes the place of the built-in one', () => {
    const subagents = [{ name: 'general-purpose', description: 'My own.' }];
    const { agent } = stage([], { subagents });
    expect(String(agent.tools.task.description).split('\n').slice(1)).toEqual(['- general-purpose: My own.']);
  });
});

function endless(): Subagent {
  const agent: Subagent & { subagents: Subagent[] } = { name: 'a', description: 'x', subagents: [] };
  agent.subagents.push(agent);
  return agent;
}

/** The names of the tools that a subagent's model is offered. `undefined`: general-purpose. */
async function toolsSeenBy(subagent: Subagent | undefined, options: Options): Promise<string[]> {
  const seen: string[][] = [];
  const look = ({ tools }: { tools?: { name: string }[] }) => {
    seen.push((tools ?? []).map(({ name }) => name));
    return says('Seen.');
  };
  const start = call('task', { description: 'x', subagent_type: subagent?.name ?? 'general-purpose' }, 't1');
  const main: ModelTurn[] = [calls(start), look as ModelTurn, says('Done.')];
  const { agent } = stage(main, { ...options, ...(subagent === undefined ? {} : { subagents: [subagent] }) });
  await agent.generate({ prompt: 'x' });
  return seen[0] ?? [];
}

describe('its tools', () => {
  test('are the built-in ones and its own, which take their place', async () => {
    const ls = tool({ inputSchema: z.object({}), execute: async () => 'mine' });
    const { agent, prompts } = stage([calls(call('ls', {}, 'c1')), says('Done.')], { tools: { ls } });
    expect(Object.keys(agent.tools).toSorted()).toEqual(
      [
        'ls',
        'read_file',
        'write_file',
        'edit_file',
        'glob',
        'grep',
        'execute',
        'write_todos',
        'ask_user',
        'task',
      ].toSorted(),
    );
    await agent.generate({ prompt: 'x' });
    expect(resultsIn(prompts[1])).toEqual({ c1: { type: 'text', value: 'mine' } });
  });

  test.each<[Options, string[]]>([
    [{ builtinTools: ['ls', 'task'] }, ['ls', 'task']],
    [{ builtinTools: [] }, []],
    [{ builtinTools: ['ls'], generalPurposeAgent: false }, ['ls']],
  ])('can be chosen: %j', (options, names) => {
    expect(Object.keys(stage([], options).agent.tools)).toEqual(names);
  });

  test('task is left out when there is nothing to start', () => {
    expect(Object.keys(stage([], { generalPurposeAgent: false }).agent.tools)).not.toContain('task');
  });

  test('cut their results where the agent says', async () => {
    const turns = [calls(call('read_file', { file_path: 'a' }, 'c1')), says('Done.')];
    const { agent, prompts } = stage(turns, { files: { a: 'x\n'.repeat(1_000) }, maxResultCharacters: 100 });
    await agent.generate({ prompt: 'x' });
    expect(JSON.stringify(resultsIn(prompts[1])['c1'])).toContain('are left out');
  });
});

describe('is refused', () => {
  test.each<[string, Options, new (...parts: never) => Error, string]>([
    ['a typo', { interruptOn: { write_fil: true } as never }, UnknownToolError, 'write_fil'],
    [
      'a typo in a subagent, which is named',
      { subagents: [{ name: 'writer', description: 'x', interruptOn: { write_fil: true } as never }] },
      UnknownToolError,
      'createDeepAgent: the subagent "writer": interruptOn names "write_fil"',
    ],
    ['a policy that is none', { policy: { version: 1, rule: [{}] } as never }, PolicyError, 'rule[0]'],
    ['an unknown built-in tool', { builtinTools: ['lss' as BuiltinToolName] }, InvalidConfigError, 'there is no "lss"'],
    ['task for nobody', { builtinTools: ['task'], generalPurposeAgent: false }, InvalidConfigError, 'at least one'],
    [
      'subagents without task',
      { builtinTools: ['ls'], subagents: [{ name: 'a', description: 'x' }] },
      InvalidConfigError,
      "must have 'task'",
    ],
    ['half a step', { maxSteps: 0.5 }, InvalidConfigError, 'maxSteps must be a whole number above 0, not 0.5'],
    ['no model', { model: undefined as never }, InvalidConfigError, 'model must be given'],
    ['results of no length', { maxResultCharacters: 0 }, InvalidConfigError, 'maxResultCharacters'],
    [
      'a gate of another place',
      { gate: createGate({ ledger: 'memory:', place: { cwd: '/dev/null/other' } }) },
      InvalidConfigError,
      'place.cwd is /dev/null/other, but files are below /project',
    ],
    ['a gate of no place', { gate: createGate({ ledger: 'memory:' }) }, InvalidConfigError, 'place.cwd'],
  ])('%s', (_what, options, kind, why) => {
    expect(() => stage([], options)).toThrow(kind);
    expect(() => stage([], options)).toThrow(why);
  });

  test('resuming without a durable ledger', () => {
    expect(() => stage([]).agent.resume({ runId: 'r' })).toThrow(InvalidConfigError);
  });
});
