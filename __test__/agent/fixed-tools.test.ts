/** What an agent is made with counts as it was: what becomes of a tool later opens nothing in a run that begins later. */
import { tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer } from '../../index.js';
import { createDeepAgent, createTaskTool } from '../../ts/agent/index.js';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';

/** A tool that says of itself that it must be asked about. */
function asking() {
  const ran: unknown[] = [];
  const execute = async (args: unknown) => void ran.push(args);
  const del = tool({ inputSchema: z.object({ path: z.string() }), needsApproval: true, execute });
  return { ran, del };
}

const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const starting = () =>
  scripted([calls(call('task', { subagent_type: 'helper', description: 'go' }, 't1')), says('.')]).model;
const helper = (del: object) => ({ name: 'helper', description: 'helps', model: deleting(), tools: { del } as never });

const changes: [string, (del: object) => void][] = [
  ['false', (del) => void Object.assign(del, { needsApproval: false })],
  ['nothing', (del) => void Reflect.deleteProperty(del, 'needsApproval')],
  ['another at each look', (del) => void Object.defineProperty(del, 'needsApproval', { get: () => false })],
];

describe.each(changes)('needsApproval that becomes %s', (_, change) => {
  test.each(['agent', 'subagent', 'both'])('of a tool of the %s asks all the same', async (whose) => {
    const { ran, del } = asking();
    const asked: string[] = [];
    const agent = createDeepAgent({
      model: whose === 'agent' ? deleting() : starting(),
      ...(whose === 'subagent' ? {} : { tools: { del } }),
      ...(whose === 'agent' ? {} : { subagents: [helper(del)] }),
    });
    change(del);
    const onApprovalRequest = ({ toolName }: { toolName: string }): ApprovalAnswer => asked.push(toolName) < 0;
    await agent.generate({ prompt: 'go', onApprovalRequest });
    expect([asked, ran]).toEqual([['del'], []]);
  });

  test('of a tool of createTaskTool asks all the same', async () => {
    const { ran, del } = asking();
    const tools = { task: createTaskTool({ subagents: [helper(del)] }) };
    change(del);
    const run = streamWithEvents({ model: starting(), prompt: 'go', tools, onApprovalRequest: () => false });
    await collect(run);
    expect(ran).toEqual([]);
  });
});

/** Asks at the first looks, and does not at those that come later. */
const flapping = (asks: unknown, looks: number) => {
  const { ran, del } = asking();
  let seen = 0;
  Object.defineProperty(del, 'needsApproval', { get: () => (seen++ < looks ? asks : false), enumerable: true });
  return { ran, tools: { del } };
};

describe.each([
  ['true', true],
  ['a function', () => true],
])('needsApproval that is %s at the first look alone', (_, asks) => {
  test.each([1, 2, 3, 4])('and at %d looks, asks in an agent', async (looks) => {
    const { ran, tools } = flapping(asks, looks);
    await createDeepAgent({ model: deleting(), tools }).generate({ prompt: 'go', onApprovalRequest: () => false });
    expect(ran).toEqual([]);
  });

  test.each([1, 2, 3, 4])('and at %d looks, asks in a run', async (looks) => {
    const { ran, tools } = flapping(asks, looks);
    const run = streamWithEvents({ model: deleting(), prompt: 'go', tools, onApprovalRequest: () => false });
    await collect(run);
    expect(ran).toEqual([]);
  });
});

describe('a proxy that says needsApproval, and does not show it', () => {
  const hidden = (del: object) =>
    new Proxy(del, {
      get: (own, key, receiver) => (key === 'needsApproval' ? true : (Reflect.get(own, key, receiver) as unknown)),
    });
  const open = () => {
    const { ran, del } = asking();
    Reflect.deleteProperty(del, 'needsApproval');
    return { ran, tools: { del: hidden(del) as typeof del } };
  };
  const no = { onApprovalRequest: () => false };

  test('asks in a run', async () => {
    const { ran, tools } = open();
    await collect(streamWithEvents({ model: deleting(), prompt: 'go', tools, ...no }));
    expect(ran).toEqual([]);
  });

  test('asks in another loop', async () => {
    const { ran, tools } = open();
    const { del } = gateTools(tools, no);
    await del.execute?.({ path: '/a' }, { toolCallId: 'c1', messages: [] } as never);
    expect(ran).toEqual([]);
  });

  test('asks in a deep agent', async () => {
    const { ran, tools } = open();
    await createDeepAgent({ model: deleting(), tools }).generate({ prompt: 'go', ...no });
    expect(ran).toEqual([]);
  });
});
