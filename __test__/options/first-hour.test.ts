/** What people write in their first hour: the message shows what to write instead. */
import { ToolLoopAgent, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDeepAgent, createLocalBackend, createTaskTool } from '../../ts/agent/index.js';
import * as api from '../../ts/index.js';
import { major, scripted } from '../support/model.js';

const { model } = scripted([]);
const no = { onApprovalRequest: () => false } as const;
const del = tool({ inputSchema: z.object({}), execute: async () => 'ran' });
const of = { model, tools: { del }, prompt: 'x', ...no };
const run = (more: object) => api.streamWithEvents({ ...of, ...more } as never);

const PROGRAMS: [string, () => unknown, RegExp][] = [
  ['the name of a tool as interruptOn', () => run({ interruptOn: 'del' }), /write \["del"\]/],
  ['interruptOn: true', () => run({ interruptOn: true }), /write 'all'/],
  ['a function as interruptOn', () => run({ interruptOn: () => true }), /NAME: \{ shouldApprove/],
  ['createGate, not called', () => run({ interruptOn: 'all', gate: api.createGate }), /what createGate\(\) gives/],
  ['one tool for a set of them', () => run({ tools: del, interruptOn: 'all' }), /not one tool: name it/],
  ['one tool to gateTools', () => api.gateTools(del as never, no), /not one tool: name it/],
  ['gateTools without options', () => api.gateTools({ del }, undefined as never), /gateTools\(tools, \{ interruptOn/],
  ['a ledger alone', () => api.createGate('sqlite:x.db' as never), /createGate\(\{ ledger: 'sqlite:/],
  ['a folder alone', () => createLocalBackend('/tmp' as never), /createLocalBackend\(\{ root \}\)/],
  ['no options for a deep agent', () => createDeepAgent(undefined as never), /createDeepAgent\(\{ model \}\)/],
  ['subagents alone', () => createTaskTool([] as never), /createTaskTool\(\{ subagents: \[\{ name, description/],
  ['a prompt alone', () => createDeepAgent({ model }).streamWithEvents('x' as never), /\(\{ prompt \}\)/],
  ['input for prompt', () => createDeepAgent({ model }).streamWithEvents({ input: 'x' } as never), /mean "prompt"/],
  [
    'a deep agent for agent',
    () => api.streamWithEvents({ agent: createDeepAgent({ model }), prompt: 'x' } as never),
    /agent\.streamWithEvents\(\{ prompt \}\)/,
  ],
  [
    'a deep agent as a subagent',
    () => createTaskTool({ subagents: [createDeepAgent({ model }) as never] }),
    /is not a subagent: write/,
  ],
  [
    'an agent in the place of the options',
    () => api.streamWithEvents(new ToolLoopAgent({ model, tools: { del } }) as never),
    /streamWithEvents\(\{ model, tools, prompt/,
  ],
  ...(major === 7
    ? ([
        [
          'toolApproval, not called',
          () => api.toolApproval({ toolCall: {}, tools: {}, messages: [] } as never),
          /write toolApproval: toolApproval\(\{ interruptOn \}\)/,
        ],
      ] as [string, () => unknown, RegExp][])
    : []),
  ['a request for its id', () => api.createGate().approve({ approvalId: 'a' } as never), /Give the approvalId of it/],
];

test.each(PROGRAMS)('%s', async (_, program, instead) => {
  await expect((async () => program())()).rejects.toThrow(instead);
});
