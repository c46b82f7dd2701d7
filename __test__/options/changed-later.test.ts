/**
 * What a user gave is what it was when they gave it: who changes an object of theirs later, neither opens nor closes anything that was
 * made of it before.
 */
import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../index.js';
import { createDeepAgent, createTaskTool } from '../../ts/agent/index.js';
import { applyInterruptConfig, gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

type Entry = Record<string, unknown>;
interface Given {
  interruptOn?: { del: Entry } & Record<string, unknown>;
  policy?: { version: 1; default?: string; rule: Record<string, unknown>[] };
}

/** Makes what is to be run, and gives what runs it. */
type Made = (given: Given, tools: ReturnType<typeof recordingTools>['tools'], asked: Asked) => () => Promise<unknown>;
type Asked = (request: ApprovalRequest) => boolean;

const model = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const starting = () =>
  scripted([calls(call('task', { description: 'x', subagent_type: 'child' }, 't1')), says('.')]).model;
const prompt = 'go';

const entries: [name: string, made: Made][] = [
  [
    'streamWithEvents',
    (given, tools, onApprovalRequest) => {
      const run = streamWithEvents({ model: model(), prompt, tools, onApprovalRequest, ...given } as never);
      return () => collect(run);
    },
  ],
  [
    'gateTools',
    (given, tools, onApprovalRequest) => {
      const gated = gateTools(tools, { onApprovalRequest, ...given } as never);
      return () => generateText({ model: model(), prompt, tools: gated, maxRetries: 0 } as never);
    },
  ],
  [
    'createDeepAgent',
    (given, tools, onApprovalRequest) => {
      const agent = createDeepAgent({ model: model(), tools, ...given } as never);
      return () => collect(agent.streamWithEvents({ prompt, onApprovalRequest }));
    },
  ],
  [
    'a subagent',
    (given, tools, onApprovalRequest) => {
      const child = { name: 'child', description: 'x', model: model(), tools, ...given };
      const agent = createDeepAgent({ model: starting(), subagents: [child] } as never);
      return () => collect(agent.streamWithEvents({ prompt, onApprovalRequest }));
    },
  ],
  [
    'createTaskTool',
    (given, tools, onApprovalRequest) => {
      const child = { name: 'child', description: 'x', systemPrompt: 'x', model: model(), tools, ...given };
      const task = createTaskTool({ subagents: [child] as never });
      const options = { model: starting(), prompt, tools: { task }, onApprovalRequest, interruptOn: 'none' };
      return () => collect(streamWithEvents(options as never));
    },
  ],
];
if (major === 7)
  entries.push([
    'toolApproval',
    (given, tools, onApprovalRequest) => {
      const approval = toolApproval({ onApprovalRequest, ...given } as never);
      return () => generateText({ model: model(), prompt, tools, toolApproval: approval, maxRetries: 0 } as never);
    },
  ]);

/** What asks about the call, and what somebody does to it later. */
const changes: [name: string, given: () => Given, change: (given: Given) => void][] = [
  [
    'an entry that is taken out',
    () => ({ interruptOn: { del: {} } }),
    ({ interruptOn }) => void delete (interruptOn as Entry)['del'],
  ],
  [
    'an entry that is replaced',
    () => ({ interruptOn: { del: {} } }),
    ({ interruptOn }) => void ((interruptOn as Entry)['del'] = false),
  ],
  [
    'a shouldApprove that is replaced',
    () => ({ interruptOn: { del: { shouldApprove: () => true } } }),
    ({ interruptOn }) => void (interruptOn!.del['shouldApprove'] = () => false),
  ],
  [
    'a shouldApprove that is put in',
    () => ({ interruptOn: { del: {} } }),
    ({ interruptOn }) => void (interruptOn!.del['shouldApprove'] = () => false),
  ],
  [
    'a rule that is turned round',
    () => ({ policy: { version: 1, default: 'allow', rule: [{ effect: 'ask', tools: 'del' }] } }),
    ({ policy }) => void (policy!.rule[0]!['effect'] = 'allow'),
  ],
  [
    'a rule that is taken out',
    () => ({ policy: { version: 1, default: 'allow', rule: [{ effect: 'ask', tools: 'del' }] } }),
    ({ policy }) => void policy!.rule.pop(),
  ],
];

describe.each(entries)('%s', (_, make) => {
  it.each(changes)('asks all the same: %s', async (_name, given, change) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const options = given();
    const run = make(options, tools, ({ toolName }) => (asked.push(toolName), false));
    change(options);
    await run();
    expect(asked).toEqual(['del']);
    expect(ran).toEqual([]);
  });

  it('asks those who must agree, though they are changed later', async () => {
    const { ran, tools } = recordingTools();
    const options = { interruptOn: { del: { approvers: ['ada'], quorum: 1 } } };
    const seen: unknown[] = [];
    const run = make(options, tools, (request) => (seen.push(request.needs), false));
    options.interruptOn.del.approvers[0] = 'eve';
    options.interruptOn.del.approvers.push('mallory');
    await run();
    expect(seen).toMatchObject([[{ approvers: ['ada'] }]]);
    expect(ran).toEqual([]);
  });

  it('asks no more than it was told to', async () => {
    const { ran, tools } = recordingTools();
    const options: Given = { interruptOn: { del: { shouldApprove: () => false } } };
    const asked: string[] = [];
    const run = make(options, tools, ({ toolName }) => (asked.push(toolName), false));
    options.interruptOn!.del['shouldApprove'] = () => true;
    await run();
    expect(asked).toEqual([]);
    expect(ran.length).toBe(1);
  });

  it.each([
    ['a getter', Object.defineProperty({}, 'shouldApprove', { get: () => () => false, enumerable: true })],
    [
      'a getter that throws',
      Object.defineProperty({}, 'shouldApprove', {
        get: () => {
          throw new Error('broken');
        },
        enumerable: true,
      }),
    ],
    ['a symbol', { [Symbol('quorum')]: 2 }],
    ['what is not enumerable', Object.defineProperty({}, 'quorum', { value: 2 })],
  ])('refuses %s in an entry', (_name, entry) => {
    const { tools } = recordingTools();
    expect(() => make({ interruptOn: { del: entry } }, tools, () => false)).toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringContaining('interruptOn.del') as string,
      }) as Error,
    );
  });
});

it('applyInterruptConfig marks tools as it was told to', async () => {
  const { tools } = recordingTools();
  const interruptOn = { del: { shouldApprove: () => true } };
  const { del } = applyInterruptConfig(tools, interruptOn);
  interruptOn.del.shouldApprove = () => false;
  const asks = (del as unknown as { needsApproval: (args: unknown, options: unknown) => unknown }).needsApproval;
  expect(await asks({ path: '/a' }, { toolCallId: 'c1', messages: [] })).toBe(true);
});
