/** A restriction in a place where it is not read is an error: the tool would run unasked, in silence. */
import { ToolLoopAgent, tool, type Tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';

function open() {
  const ran: unknown[] = [];
  const inputSchema = z.object({ path: z.string() });
  const del = tool({ inputSchema, execute: async (args) => void ran.push(args) });
  const asks = tool({ inputSchema, needsApproval: true, execute: async (args) => void ran.push(args) });
  return { ran, tools: { del, asks } };
}
const deleting = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model;
const no = { onApprovalRequest: () => false };

/** What fails, at once or in the run, by its text. */
async function failureOf(make: () => AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const event of make() as AsyncIterable<{ type: string; error?: unknown }>)
      if (event.type === 'error') throw event.error;
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('streamWithEvents refuses what is nearly toolApproval, or speaks of approval', () => {
  test.each([
    'ToolApproval',
    'tool_approval',
    'toolAproval',
    'toolApprove',
    'toolsApproval',
    'toolApprovals',
    'experimental_toolApproval',
    'interruptOnTools',
    'approvalPolicy',
    'gateTools',
    'onToolApproval',
    'approveToolCall',
  ])('%s', async (name) => {
    const { ran, tools } = open();
    const options = { model: deleting(), prompt: 'go', tools, ...no, [name]: () => 'denied' };
    expect(() => streamWithEvents(options as never)).toThrow(`has no option "${name}"`);
    expect(ran).toEqual([]);
  });
});

describe('an option that nobody knows is refused where its value names a tool', () => {
  const VALUES: [string, unknown][] = [
    ['readOnly', { del: true }],
    ['breakpoints', ['del']],
    ['pauseOn', 'del'],
    ['humanReview', { tools: ['asks', 'del'] }],
    ['intercept', new Set(['del'])],
    ['hold', new Map([['del', true]])],
  ];
  test.each(VALUES)('%s', (name, value) => {
    const { ran, tools } = open();
    const options = { model: deleting(), prompt: 'go', tools, ...no, [name]: value };
    const refused = new RegExp(`has no option "${name}": it names the tool "(?:del|asks)"[^]*interruptOn`);
    expect(() => streamWithEvents(options as never)).toThrow(refused);
    const agent = new ToolLoopAgent({ model: deleting(), tools, [name]: value } as never);
    expect(() => streamWithEvents({ agent, prompt: 'go', ...no } as never)).toThrow(refused);
    expect(ran).toEqual([]);
  });

  test.each([{ tier: 1 }, ['other'], 'del everything', { deep: { deeper: { deepest: ['del'] } } }, undefined])(
    'and only there: %j',
    (value) => {
      const { tools } = open();
      const options = { model: deleting(), prompt: 'go', tools, ...no, interruptOn: 'all', frobnicate: value };
      expect(() => streamWithEvents(options as never)).not.toThrow();
    },
  );
});

describe('an option of ours is refused where the AI SDK passes it over', () => {
  const OURS: [string, unknown][] = [
    ['interruptOn', { del: true }],
    ['interrupt_on', { del: true }],
    ['policy', { version: 1, rule: [] }],
    ['gate', {}],
    ['onApprovalRequest', () => false],
    ['toolAproval', () => 'denied'],
    ['needsApproval', true],
  ];

  test.each(OURS)('%s in the settings of a ToolLoopAgent', async (name, value) => {
    const { ran, tools } = open();
    const agent = new ToolLoopAgent({ model: deleting(), tools, [name]: value } as never);
    expect(await failureOf(() => streamWithEvents({ agent, prompt: 'go', ...no } as never))).toContain(
      `agent.settings has no option "${name}"`,
    );
    expect(ran).toEqual([]);
  });

  test.each(OURS)('%s from prepareCall', async (name, value) => {
    const { ran, tools } = open();
    const prepareCall = (options: object) => ({ ...options, [name]: value });
    const agent = new ToolLoopAgent({ model: deleting(), tools, prepareCall } as never);
    expect(await failureOf(() => streamWithEvents({ agent, prompt: 'go', ...no } as never))).toContain(name);
    expect(ran).toEqual([]);
  });

  test.each([...OURS, ['toolApproval', () => 'denied'] as [string, unknown]])(
    '%s from prepareStep',
    async (name, value) => {
      const { ran, tools } = open();
      const prepareStep = () => ({ [name]: value });
      const options = { model: deleting(), prompt: 'go', tools, prepareStep, ...no };
      expect(await failureOf(() => streamWithEvents(options as never))).toContain(name);
      expect(ran).toEqual([]);
    },
  );
});

describe('a tool that only looks as if it were asked about is refused', () => {
  const { del } = open().tools;
  class Inherited {
    inputSchema = del.inputSchema;
    execute = del.execute;
    get requiresApproval() {
      return true;
    }
  }
  const named = (name: string): [string, object] => [name, { ...del, [name]: true }];
  test.each<[string, object]>([
    ...[
      'needsHumanApproval',
      'requireHumanApproval',
      'needsUserApproval',
      'humanApproval',
      'askApproval',
      'shouldAsk',
      'shouldInterrupt',
      'confirm',
      'toolApproval',
      'approvers',
      'quorum',
      'allowedDecisions',
      'policy',
      'requiresPermission',
      'requires_approval',
    ].map(named),
    ['requiresApproval of a class', new Inherited()],
    [
      'requiresApproval that is hidden from loops',
      Object.defineProperty({ ...del }, 'requiresApproval', { value: true }),
    ],
  ])('%s', (_, slip) => {
    const { tools } = open();
    const set = { ...tools, slip: slip as Tool };
    expect(() => gateTools(set, { interruptOn: { asks: true }, ...no } as never)).toThrow('which asks nobody');
  });

  test('not one whose class has a method of such a name', async () => {
    class Confirming {
      inputSchema = del.inputSchema;
      execute = del.execute;
      confirm() {}
    }
    const { model } = scripted([says('.')]);
    const tools = { slip: new Confirming() as Tool };
    await collect(streamWithEvents({ model, prompt: 'go', tools, interruptOn: { slip: true }, ...no }));
  });
});
