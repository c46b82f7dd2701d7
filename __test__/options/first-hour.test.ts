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
  [
    'a gate that is not there',
    () => run({ gate: undefined }),
    /gate is undefined\. Pass a gate, or leave the option out\./,
  ],
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
  [
    'a controller for its signal',
    () => run({ interruptOn: 'all', abortSignal: new AbortController() }),
    /controller\.signal/,
  ],
  [
    'what is like a signal',
    () => run({ interruptOn: 'all', abortSignal: { aborted: true } }),
    /must be an AbortSignal/,
  ],
  ['signal for abortSignal', () => run({ interruptOn: 'all', signal: AbortSignal.abort() }), /give it as abortSignal/],
  ['a number as prompt', () => run({ interruptOn: 'all', prompt: 5 }), /prompt must be a text or a list of messages/],
  [
    'the messages of a UI',
    () => run({ interruptOn: 'all', prompt: undefined, messages: [{ id: '1', role: 'user', parts: [] }] }),
    /convertToModelMessages\(messages\)/,
  ],
  [
    'a message that is none',
    () => run({ prompt: undefined, messages: [null], interruptOn: 'all' }),
    /messages\[0\] must be/,
  ],
  [
    'a message without content',
    () => run({ prompt: undefined, messages: [{ role: 'user' }] }),
    /\[0\] must have content/,
  ],
  [
    'null for a tool',
    () => run({ tools: { del, other: null }, interruptOn: 'all' }),
    /"other" is not a tool of the AI SDK: it is null\. Leave its name out/,
  ],
  [
    'undefined for a tool',
    () => api.gateTools({ del: undefined } as never, no),
    /it is undefined\. Leave its name out/,
  ],
  ['a maker for a tool', () => api.gateTools({ del: () => del } as never, no), /it is a function\. Call it/],
  ['a fraction as maxArgumentBytes', () => api.createGate({ maxArgumentBytes: 1.5 }), /must be a whole number above 0/],
  [
    'a getter as an option',
    () =>
      api.gateTools(
        { del },
        {
          ...no,
          get interruptOn() {
            return 'all' as const;
          },
        },
      ),
    /interruptOn is a getter: write the value itself/,
  ],
  [
    'a Proxy as options',
    () => api.gateTools({ del }, new Proxy(no, { ownKeys: () => [] })),
    /are a Proxy, which may hide/,
  ],
  [
    'a Proxy as interruptOn',
    () => api.applyInterruptConfig({ del }, new Proxy({ del: true } as const, { ownKeys: () => [] })),
    /interruptOn is a Proxy, which may hide/,
  ],
  ['a request for its id', () => api.createGate().approve({ approvalId: 'a' } as never), /Give the approvalId of it/],
];

test.each(PROGRAMS)('%s', async (_, program, instead) => {
  await expect((async () => program())()).rejects.toThrow(
    expect.objectContaining({
      code: expect.stringMatching(/^ERR_/) as unknown,
      message: expect.stringMatching(instead) as unknown,
    }) as Error,
  );
});

test.each<[string, () => unknown]>([
  [
    'one of a package',
    () => Object.assign(new EventTarget(), { aborted: false, reason: undefined, throwIfAborted() {} }),
  ],
  ['an object', () => ({ aborted: false, addEventListener() {}, removeEventListener() {} })],
  ['one that inherits from the real one', () => Object.create(AbortSignal.prototype) as unknown],
])('a signal that is not of this runtime, such as %s, would stop nothing', async (_, make) => {
  const refused = expect.objectContaining({
    code: 'ERR_INVALID_CONFIG',
    message: expect.stringContaining('must be an AbortSignal of this runtime') as unknown,
  });
  expect(() => run({ interruptOn: 'all', abortSignal: make() })).toThrow(refused);
  await using gate = api.createGate();
  const asked = gate.request({ toolName: 'del', args: {} }, { abortSignal: make() as AbortSignal });
  await expect(asked).rejects.toEqual(refused);
});
