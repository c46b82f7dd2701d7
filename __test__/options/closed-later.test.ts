/**
 * What a tool says of being asked about may change at any time: a setting is switched on, a tool is replaced. The AI SDK looks at each
 * call. So do we: what closes a tool later counts from then on.
 */
import { generateText, isStepCount, tool, type Tool, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer } from '../../index.js';
import { createDeepAgent, createTaskTool } from '../../ts/agent/index.js';
import { createGate, gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted } from '../support/model.js';

const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const starting = () =>
  scripted([calls(call('task', { subagent_type: 'helper', description: 'go' }, 't1')), says('.')]).model;

function open() {
  const ran: unknown[] = [];
  const asked: string[] = [];
  const del = tool({ inputSchema: z.object({ path: z.string() }), execute: async (args) => void ran.push(args) });
  const onApprovalRequest = ({ toolName }: { toolName: string }): ApprovalAnswer => asked.push(toolName) < 0;
  return { ran, asked, del: del as Tool, onApprovalRequest };
}

/** How a tool comes to ask. Each prepares it, and gives what switches it on. */
const WAYS: [string, (del: Tool) => () => void][] = [
  ['a field, from false', (del) => (Object.assign(del, { needsApproval: false }), () => assign(del, true))],
  ['a field, from nothing', (del) => () => assign(del, true)],
  ['a field, from a function', (del) => (assign(del, () => false), () => assign(del, () => true))],
  [
    'a getter',
    (del) => {
      let isOn = false;
      Object.defineProperty(del, 'needsApproval', { get: () => isOn, enumerable: true, configurable: true });
      return () => void (isOn = true);
    },
  ],
];

function assign(del: Tool, needsApproval: unknown): void {
  Object.assign(del, { needsApproval });
}

describe.each(WAYS)('needsApproval that is switched on later, %s, is asked about', (_, prepare) => {
  test('in a run that begins later of an agent that was made before', async () => {
    const { ran, asked, del, onApprovalRequest } = open();
    const switchOn = prepare(del);
    const agent = createDeepAgent({ model: deleting(), tools: { del } });
    switchOn();
    await agent.generate({ prompt: 'go', onApprovalRequest });
    expect([asked, ran]).toEqual([['del'], []]);
  });

  test('in a subagent', async () => {
    const { ran, asked, del, onApprovalRequest } = open();
    const switchOn = prepare(del);
    const helper = { name: 'helper', description: 'helps', model: deleting(), tools: { del } };
    const tools = { task: createTaskTool({ subagents: [helper] }) };
    switchOn();
    await collect(streamWithEvents({ model: starting(), prompt: 'go', tools, onApprovalRequest }));
    expect([asked, ran]).toEqual([['del'], []]);
  });

  test.each([
    ['without a gate', undefined],
    ['with a gate', createGate()],
  ])('in the middle of a run, %s', async (__, gate) => {
    const { ran, asked, del, onApprovalRequest } = open();
    const switchOn = prepare(del);
    const free = tool({ inputSchema: z.object({}), execute: async () => switchOn() });
    const { model } = scripted([calls(call('free', {}, 'c0')), calls(call('del', { path: '/a' }, 'c1')), says('.')]);
    await collect(
      streamWithEvents({ model, prompt: 'go', tools: { del, free }, onApprovalRequest, ...(gate && { gate }) }),
    );
    expect([asked, ran]).toEqual([['del'], []]);
  });

  test('in tools that gateTools has made', async () => {
    const { ran, asked, del, onApprovalRequest } = open();
    const switchOn = prepare(del);
    const tools = gateTools({ del }, { gate: createGate(), onApprovalRequest });
    switchOn();
    await generateText({ model: deleting(), tools, prompt: 'go' });
    expect([asked, ran]).toEqual([['del'], []]);
  });

  test("in tools that gateTools has made, mode 'stop'", async () => {
    const { ran, del } = open();
    const switchOn = prepare(del);
    const gate = createGate();
    const tools = gateTools({ del }, { gate, mode: 'stop', runId: 'r' });
    switchOn();
    await generateText({ model: deleting(), tools, prompt: 'go' });
    expect([(await gate.pending()).length, ran]).toEqual([1, []]);
  });
});

/** Only AI SDK 7 has the option. */
describe.runIf(major === 7)('a tool that toolApproval has seen', () => {
  const twice = async (change: (tools: ToolSet, ran: unknown[]) => void, interruptOn?: Record<string, boolean>) => {
    const { ran, asked, del, onApprovalRequest } = open();
    const tools: ToolSet = { del };
    const approval = toolApproval({ onApprovalRequest, ...(interruptOn && { interruptOn }) });
    const go = () =>
      generateText({
        model: deleting(),
        tools,
        prompt: 'go',
        stopWhen: isStepCount(2),
        toolApproval: approval,
      } as never);
    await go();
    expect(ran.splice(0)).toHaveLength(1);
    change(tools, ran);
    await go();
    return { ran, asked };
  };
  const other = (ran: unknown[], more: object) =>
    ({
      ...tool({ inputSchema: z.object({ path: z.string() }), execute: async (args) => void ran.push(args) }),
      ...more,
    }) as Tool;

  test.each<[string, (tools: ToolSet, ran: unknown[]) => void, Record<string, boolean>?]>([
    ['that is switched on', (tools) => assign(tools['del'] as Tool, true)],
    ['whose function is another one', (tools) => assign(tools['del'] as Tool, () => true)],
    ['that is replaced in the set', (tools, ran) => void (tools['del'] = other(ran, { needsApproval: true }))],
    [
      'that is replaced by one of a server',
      (tools, ran) =>
        void (tools['del'] = other(ran, { type: 'dynamic', metadata: { clientName: 'evil', toolName: 'del' } })),
      { del: false, '*': true },
    ],
  ])('%s, is asked about', async (_, change, interruptOn) => {
    expect(await twice(change, interruptOn)).toEqual({ ran: [], asked: ['del'] });
  });

  test('that is added to the set runs as one that was there', async () => {
    const { ran, asked } = await twice((tools, all) => {
      const del = tools['del'] as Tool;
      delete tools['del'];
      tools['more'] = other(all, {});
      tools['del'] = del;
    });
    expect([ran.length, asked]).toEqual([1, []]);
  });
});
