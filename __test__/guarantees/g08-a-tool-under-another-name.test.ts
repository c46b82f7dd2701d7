/** G8: a tool that an agent is asked about is asked about in the agents that it starts, whatever they call it and however it was copied. */
import { generateText, tool, type Tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { InterruptOn } from '../../index.js';
import { applyInterruptConfig, gateTools, streamWithEvents } from '../../ts/index.js';
import { createTaskTool } from '../../ts/agent/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { withoutUndefined } from '../../ts/values/without-undefined.js';

class Deleting {
  readonly inputSchema = z.object({});
  readonly #ran: string[];
  constructor(ran: string[]) {
    this.#ran = ran;
  }
  execute() {
    return void this.#ran.push('deleted');
  }
}

const plain = (ran: string[]): Tool =>
  tool({ inputSchema: z.object({}), execute: async () => void ran.push('deleted') }) as Tool;

/** What a program may give to a subagent in the place of its tool. */
const copies: Record<string, (own: Tool) => Tool> = {
  'the tool': (own) => own,
  'a copy': (own) => ({ ...own }) as Tool,
  'a copy that needs no approval': (own) => ({ ...own, needsApproval: false }) as Tool,
  'a tool with its execute': ({ execute }) => tool({ inputSchema: z.object({}), execute: execute as never }) as Tool,
  'one that was made from it': (own) => Object.create(own as object) as Tool,
  'what applyInterruptConfig made of it': (own) =>
    (applyInterruptConfig({ it: own } as ToolSet, { it: { shouldApprove: () => false } }) as ToolSet)['it'] as Tool,
  'what gateTools made of it': (own) =>
    (
      gateTools({ it: own } as ToolSet, {
        interruptOn: { it: { shouldApprove: () => false } },
        onApprovalRequest: () => true,
      }) as ToolSet
    )['it'] as Tool,
};

type Way = 'run' | 'tools' | 'task';

interface Given {
  own: (ran: string[]) => Tool;
  copy: (own: Tool) => Tool;
  way: Way;
  inside: InterruptOn | undefined;
  between?: boolean;
}

async function asked({ own, copy, way, inside, between = false }: Given) {
  const ran: string[] = [];
  const about: string[] = [];
  const erases = own(ran);
  const tools = { wipe: copy(erases) } as ToolSet;
  const gating = withoutUndefined({ interruptOn: inside });
  const wipes = () => scripted([calls(call('wipe', {}, 'k')), says('.')]).model;
  const child = async (parent: object): Promise<string> => {
    if (way === 'run')
      await collect(streamWithEvents({ model: wipes(), prompt: 'x', tools, ...gating, parent } as never));
    else
      await generateText({
        model: wipes(),
        prompt: 'x',
        tools: gateTools(tools, { ...gating, parent } as never),
        stopWhen: ({ steps }: { steps: unknown[] }) => steps.length > 1,
      } as never);
    return '.';
  };
  const down = (execute: (options: object) => Promise<string>) =>
    tool({ inputSchema: z.object({}), execute: async (_, options) => execute(options) });
  const middle = async (parent: object): Promise<string> => {
    const { model } = scripted([calls(call('down', {}, 'm')), says('.')]);
    await collect(
      streamWithEvents({ model, prompt: 'x', tools: { down: down(child) }, interruptOn: 'none', parent } as never),
    );
    return '.';
  };
  const task = () =>
    createTaskTool({
      subagents: [
        { name: 'sub', description: 'Deletes.', model: wipes(), tools, ...gating, systemPrompt: 's' } as never,
      ],
    });
  const [name, args] = way === 'task' ? ['task', { description: 'x', subagent_type: 'sub' }] : ['down', {}];
  const { model } = scripted([calls(call(name, args, 'c')), says('.')]);
  await collect(
    streamWithEvents({
      model,
      prompt: 'go',
      tools: { delete_file: erases, [name]: way === 'task' ? task() : down(between ? middle : child) },
      interruptOn: ['delete_file'],
      onApprovalRequest: ({ toolName }: { toolName: string }) => {
        about.push(toolName);
        return false;
      },
    } as never),
  );
  return { about, ran };
}

describe.each<Way>(['run', 'tools', 'task'])('a subagent by %s', (way) => {
  describe.each(Object.keys(copies))('with %s under another name', (kind) => {
    it.each<InterruptOn | undefined>([undefined, 'none', { wipe: false }, { '*': false }])(
      'asks, with interruptOn %j',
      async (inside) => {
        const given = { own: plain, copy: copies[kind] as (own: Tool) => Tool, way, inside };
        expect(await asked(given)).toEqual({ about: ['wipe'], ran: [] });
        if (way !== 'task') expect(await asked({ ...given, between: true })).toEqual({ about: ['wipe'], ran: [] });
      },
    );
  });

  it.each([
    'the tool',
    'what applyInterruptConfig made of it',
    'what gateTools made of it',
    'one that was made from it',
  ])('asks about a tool of a class, %s', async (kind) => {
    const own = (ran: string[]) => new Deleting(ran) as unknown as Tool;
    const copy = copies[kind] as (own: Tool) => Tool;
    expect(await asked({ own, copy, way, inside: 'none' })).toEqual({ about: ['wipe'], ran: [] });
  });
});

it('tools that share an execute are told apart by the names that they have above', async () => {
  const ran: string[] = [];
  const shared = async (_: unknown, { toolCallId }: { toolCallId: string }) => void ran.push(toolCallId);
  const one = () => tool({ inputSchema: z.object({}), execute: shared as never }) as Tool;
  const { model } = scripted([calls(call('down', {}, 'c')), says('.')]);
  const down = tool({
    inputSchema: z.object({}),
    execute: async (_, parent) => {
      const { model: inner } = scripted([
        calls(call('read_file', {}, 'read'), call('delete_file', {}, 'del')),
        says('.'),
      ]);
      const tools = { read_file: one(), delete_file: one() };
      await collect(streamWithEvents({ model: inner, prompt: 'x', tools, parent } as never));
      return '.';
    },
  });
  await collect(
    streamWithEvents({
      model,
      prompt: 'go',
      tools: { delete_file: one(), read_file: one(), down },
      interruptOn: ['delete_file'],
      onApprovalRequest: () => false,
    } as never),
  );
  expect(ran).toEqual(['read']);
});
