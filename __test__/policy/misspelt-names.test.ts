/** A rule that names a tool, or a server of tools, which there is not: it never fires, and that is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool, type ToolSet } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { PolicyDocument } from '../../index.js';
import { createDeepAgent, createLocalBackend, createTaskTool } from '../../ts/agent/index.js';
import { confinementReport, createGate, gateTools, parsePolicy, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const of = (...names: string[]): ToolSet =>
  Object.fromEntries(
    names.map((name) => [name, tool({ inputSchema: z.object({}), execute: async () => name })]),
  ) as ToolSet;

/** A tool as the client of a server hands it on. */
const ofServer = (server: string, name: string): ToolSet =>
  ({ [name]: { ...of(name)[name], type: 'dynamic', metadata: { clientName: server, toolName: name } } }) as never;

const deny = (rule: object): PolicyDocument => ({
  version: 1,
  default: 'allow',
  rule: [{ effect: 'deny', reason: 'no', ...rule }],
});

const { model } = scripted([]);

describe('a deny for a misspelt name does not let the tool run in silence', () => {
  const policy = deny({ tools: 'delet_file' });
  const tools = of('delete_file', 'read');

  test.each<[string, () => unknown]>([
    ['gateTools', () => gateTools(tools, { policy })],
    ['streamWithEvents', () => streamWithEvents({ model, tools, prompt: 'x', policy })],
    ['createDeepAgent', () => createDeepAgent({ model, tools, generalPurposeAgent: false, policy })],
    ['createDeepAgent, which starts others', () => createDeepAgent({ model, tools, policy })],
    [
      'a subagent of its own policy',
      () => createDeepAgent({ model, tools, subagents: [{ name: 'a', description: 'a', policy }] }),
    ],
    [
      'createDeepAgent, of a tool that only a subagent of a subagent has',
      () => {
        const last = { name: 'b', description: 'b', tools };
        const subagents = [{ name: 'a', description: 'a', subagents: [last] }];
        return createDeepAgent({ model, subagents, policy });
      },
    ],
    [
      'of a text',
      () => gateTools(tools, { policy: parsePolicy('version = 1\n[[rule]]\neffect = "deny"\ntools = "delet_file"\n') }),
    ],
  ])('%s', (_, start) => {
    expect(start).toThrow(
      expect.objectContaining({
        code: 'ERR_UNKNOWN_TOOL',
        toolName: 'delet_file',
        nearest: 'delete_file',
        message: expect.stringContaining(
          'policy names "delet_file", but there is no such tool: did you mean "delete_file"?',
        ) as unknown,
      }) as Error,
    );
  });

  test('at a gate, which other tools may share, it is a warning', async () => {
    using heard = listenToWarnings();
    await using gate = createGate({ policy: deny({ tools: 'raed_file' }) });
    gateTools(of('read_file'), { gate });
    await expect
      .poll(() => heard.warnings)
      .toEqual([
        expect.stringContaining(
          'The policy of the gate names "raed_file", but there is no such tool: did you mean "read_file"?',
        ),
      ]);
  });
});

test.each([
  ['a name that is there', { tools: 'delete_file' }, of('delete_file')],
  ['a pattern', { tools: 'delete_*' }, of('delete_file')],
  ['what a server calls its tool', { tools: 'create_issue' }, ofServer('github', 'create_issue')],
  ['a server', { mcp: 'github' }, ofServer('github', 'create_issue')],
  ['a preset', undefined, of('delete_file')],
])('%s is told nobody', async (_, rule, tools) => {
  using heard = listenToWarnings();
  gateTools(tools, { policy: rule === undefined ? 'preset:developer' : deny(rule) });
  expect(heard.warnings).toEqual([]);
});

test('a misspelt server is told with the one that is meant', () => {
  expect(() => gateTools(ofServer('github', 'create_issue'), { policy: deny({ mcp: 'gihub' }) })).toThrow(
    'policy names "gihub", but there is no such server of tools: did you mean "github"?',
  );
});

test('a name that is near to none is a warning, as in interruptOn; unknownTools says otherwise', async () => {
  using heard = listenToWarnings();
  const policy = deny({ tools: 'launch_rockets' });
  gateTools(of('read_file'), { policy, unknownTools: 'ignore' });
  gateTools(of('read_file'), { policy });
  await expect
    .poll(() => heard.warnings)
    .toEqual([
      expect.stringContaining(
        'policy names tools that these tools do not have: "launch_rockets". Rules that name them decide nothing.',
      ),
    ]);
  expect(() => gateTools(of('read_file'), { policy, unknownTools: 'error' })).toThrow(
    'names "launch_rockets", but there is no such tool. A rule for',
  );
  const near = deny({ tools: 'raed_file' });
  for (const unknownTools of ['warn', 'ignore'] as const)
    expect(gateTools(of('read_file'), { policy: near, unknownTools })).toHaveProperty('read_file');
});

test.runIf(confinementReport().supported)('`network` is what confined commands call, and no others', () => {
  const policy = deny({ tools: 'network' });
  const root = mkdtempSync(join(tmpdir(), 'named-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const told = (more: object) => {
    using heard = listenToWarnings();
    createDeepAgent({ model: scripted([]).model, backend: createLocalBackend({ root }), policy, ...more });
    createDeepAgent({
      model: scripted([]).model,
      backend: createLocalBackend({ root }),
      subagents: [{ name: 's', description: 'd', policy }],
      ...more,
    });
    return heard.warnings.filter((each) => each.includes('"network"'));
  };
  expect(told({ confine: true })).toEqual([]);
  expect(told({ backend: createLocalBackend({ root, confine: { network: 'ask' } }) })).toEqual([]);
  const far = expect.stringContaining('do not have: "network". Rules that name them decide nothing.') as unknown;
  // Of each of the two agents.
  expect(told({})).toEqual([far, far]);
  expect(() => gateTools(of('execute'), { policy, unknownTools: 'error' })).toThrow('no such tool');
});

test('rules for several sets of tools, which name the near one as well, are told as far ones', () => {
  using heard = listenToWarnings();
  gateTools(of('read_file'), { policy: deny({ tools: ['read_file', 'read_files'] }) });
  expect(heard.warnings).toEqual([expect.stringContaining('do not have: "read_files"')]);
});

test('rules may name what the agents below and above have', async () => {
  using heard = listenToWarnings();
  const tools = recordingTools().tools as ToolSet;
  const policy = deny({ tools: ['read_files', 'del', 'task'] });
  const helper = { name: 'a', description: 'a', tools: of('read_files'), policy: deny({ tools: ['del', 'task'] }) };
  const turns = [
    calls(call('task', { subagent_type: 'a', description: 'go' }, 't1')),
    calls(call('read_files', {}, 'c1')),
    says('.'),
    says('.'),
  ];
  const agent = createDeepAgent({ model: scripted(turns).model, tools, subagents: [helper], policy });
  const { text } = await agent.generate({ prompt: 'x' });
  expect([text, heard.warnings]).toEqual(['.', []]);
});

test('a far name is told when the agent is made', () => {
  using heard = listenToWarnings();
  createDeepAgent({ model, policy: deny({ tools: 'launch_rockets' }) });
  expect(heard.warnings).toEqual([expect.stringContaining('createDeepAgent: policy names tools')]);
});

describe('a part of a run', () => {
  const tools = of('delete_file');
  const policy = deny({ tools: 'delete_fil' });
  const starting = () =>
    scripted([calls(call('task', { subagent_type: 'a', description: 'go' }, 't1')), says('.')]).model;

  test('of createTaskTool, whose policy has a typo, runs nothing', async () => {
    const deleting = scripted([calls(call('delete_file', {}, 'c1')), says('.')]).model;
    const helper = { name: 'a', description: 'a', tools, policy, model: deleting };
    const run = streamWithEvents({
      model: starting(),
      prompt: 'x',
      interruptOn: 'none',
      tools: { ...tools, task: createTaskTool({ subagents: [helper] }) },
    });
    const results = (await collect(run)).filter(({ type }) => type === 'tool-error' || type === 'tool-result');
    expect(results).toMatchObject([{ type: 'tool-error', toolName: 'task' }]);
    expect(JSON.stringify(results)).not.toContain('"delete_file"');
  });

  test.each(['gateTools', 'streamWithEvents'])('of %s is refused', async (name) => {
    const thrown: unknown[] = [];
    const outer = {
      outer: tool({
        inputSchema: z.object({}),
        execute: async (_: unknown, options: object) => {
          const parent = options as never;
          try {
            if (name === 'gateTools') gateTools(tools, { parent, policy });
            else streamWithEvents({ model, prompt: 'x', tools, parent, policy });
          } catch (error) {
            thrown.push(error);
          }
        },
      }),
    };
    const { model: calling } = scripted([calls(call('outer', {}, 'c1')), says('.')]);
    await collect(streamWithEvents({ model: calling, prompt: 'x', tools: outer, interruptOn: 'none' }));
    expect(thrown).toMatchObject([{ code: 'ERR_UNKNOWN_TOOL', nearest: 'delete_file' }]);
  });
});

describe('interruptOn of an agent', () => {
  const helper = { name: 'a', description: 'a', tools: of('delete_file'), model };
  const tools = { task: createTaskTool({ subagents: [helper] }) };
  const start = (interruptOn: Record<string, boolean>) =>
    streamWithEvents({ model, prompt: 'x', tools, unknownTools: 'error', interruptOn, onApprovalRequest: () => false });

  test('may name the tools of those that it starts', () => {
    using heard = listenToWarnings();
    expect(start({ delete_file: true })).toHaveProperty('runId');
    expect(heard.warnings).toEqual([]);
  });

  test('does not misspell them', () => {
    expect(() => start({ delete_fil: true })).toThrow(expect.objectContaining({ code: 'ERR_UNKNOWN_TOOL' }) as Error);
  });
});

describe('a table that says how the arguments of a tool are read', () => {
  const reading = (name: string, rule: PolicyDocument['rule'] = []): PolicyDocument => ({
    version: 1,
    tools: { [name]: { command: 'cmd' } },
    rule: [...rule, { effect: 'deny', commands: ['git push'] }],
  });

  test.each(['run_itt', 'Run_It', 'run-it'])('for %s, which there is not, is refused', (name) => {
    expect(() => gateTools(of('run_it'), { policy: reading(name) })).toThrow(
      expect.objectContaining({ code: 'ERR_UNKNOWN_TOOL', nearest: 'run_it' }) as Error,
    );
    using heard = listenToWarnings();
    gateTools(of('run_it'), { gate: createGate({ policy: reading(name) }) });
    expect(heard.warnings.join()).toContain(`names "${name}", but there is no such tool: did you mean "run_it"?`);
  });

  test('is told where rules name the near tool as well', () => {
    using heard = listenToWarnings();
    gateTools(of('run_it'), { policy: reading('run_itt', [{ effect: 'allow', tools: 'run_it' }]) });
    expect(heard.warnings).toEqual([expect.stringContaining('do not have: "run_itt"')]);
  });

  test('for one that is there is told nobody', () => {
    using heard = listenToWarnings();
    gateTools(of('run_it'), { policy: reading('run_it') });
    expect(heard.warnings).toEqual([]);
  });
});

test.each([
  ['as its client hands it on', ofServer('github', 'create_issue')],
  ['under its full name', of('mcp__github__create_issue')],
])('the full name of the tool of a misspelt server is told at a gate, and refused elsewhere: %s', async (_, tools) => {
  using heard = listenToWarnings();
  const policy = deny({ tools: 'mcp__gihub__create_issue' });
  gateTools(tools, { gate: createGate({ policy }) });
  await expect.poll(() => heard.warnings.join()).toContain('did you mean "mcp__github__create_issue"?');
  expect(() => gateTools(tools, { policy })).toThrow('did you mean "mcp__github__');
});

test.each([
  ['interruptOn', { interruptOn: { delet_file: true } }],
  ['a policy', { policy: { version: 1, rule: [{ effect: 'ask', tools: ['delet_file'] }] } }],
] as const)('a typo in %s is corrected, and not ignored: the tool would run unasked', (_, options) => {
  const gated = () => gateTools(of('delete_file', 'read_file'), options as never);
  expect(gated).toThrow('did you mean "delete_file"?');
  expect(gated).not.toThrow("'ignore'");
});
