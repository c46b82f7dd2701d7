/** What `agent.tools` hands out keeps to the rules of the agent in a loop that is not the agent's. */
import * as ai from 'ai';
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted, stepCount, type ModelTurn } from '../support/model.js';
import { waiting } from '../support/play.js';
import { stage, type Options } from './deep-stage.js';

const LOOPS: [name: string, (tools: object, turns: ModelTurn[]) => Promise<unknown>][] = [
  [
    'streamText',
    async (tools, turns) =>
      ai
        .streamText({ model: scripted(turns).model, tools, prompt: 'go', stopWhen: stepCount(3) } as never)
        .consumeStream(),
  ],
  [
    'generateText',
    (tools, turns) =>
      ai.generateText({ model: scripted(turns).model, tools, prompt: 'go', stopWhen: stepCount(3) } as never),
  ],
];

/** The tools of an agent, and what they ran. */
function handedOut(options: Options, turns: ModelTurn[] = []) {
  const ran: string[] = [];
  const del = tool({
    inputSchema: z.looseObject({}),
    execute: async () => {
      ran.push('del');
      return 'deleted';
    },
  });
  const { agent, backend } = stage(turns, { tools: { del }, ...options });
  const { execute } = backend;
  backend.execute = (...given: Parameters<typeof execute>) => {
    ran.push('execute');
    return Reflect.apply(execute, backend, given);
  };
  return { agent, ran };
}

const ALL = calls(call('del', {}, 'c1'), call('execute', { command: 'echo hi' }, 'c2'));
const closed: [string, Options][] = [
  ['interruptOn', { interruptOn: 'all' }],
  ['a policy', { policy: { version: 1, default: 'deny' } }],
  ['a policy that asks', { policy: { version: 1, default: 'ask' } }],
];

describe.each(LOOPS)('%s', (_, loop) => {
  it.each(closed)('runs none of them that %s closes', async (__, options) => {
    const { agent, ran } = handedOut(options);
    await loop(agent.tools, [ALL, says('.')]);
    await loop({ ...agent.tools }, [ALL, says('.')]);
    expect(ran).toEqual([]);
  });

  it('asks at the gate of the agent', async () => {
    const gate = createGate({ place: { cwd: '/project' } });
    const { agent, ran } = handedOut({ gate, interruptOn: { del: true } } as Options);
    const over = loop(agent.tools, [calls(call('del', {}, 'c1')), says('.')]);
    const [request] = await waiting(gate);
    expect(ran).toEqual([]);
    await gate.approve(request!.approvalId);
    await over;
    expect(ran).toEqual(['del']);
    await gate.close();
  });

  it('starts no subagent that does what the agent asks about', async () => {
    const task = calls(call('task', { description: 'x', subagent_type: 'general-purpose' }, 't1'));
    const { agent, ran } = handedOut({ interruptOn: { del: true, execute: true } } as Options, [ALL, says('.')]);
    await loop(agent.tools, [task, says('.')]);
    expect(ran).toEqual([]);
  });

  it('runs what the agent itself would not ask about', async () => {
    const { agent, ran } = handedOut({ interruptOn: { execute: true } });
    await loop(agent.tools, [ALL, says('.')]);
    expect(ran).toEqual(['del']);
  });
});

it.each(closed)('called by hand, none runs that %s closes', async (_, options) => {
  const { agent, ran } = handedOut(options);
  const { del } = agent.tools as unknown as Record<string, { execute: (input: object, options?: object) => unknown }>;
  await Promise.allSettled([del!.execute({}), del!.execute({}, { toolCallId: 'x' })]);
  expect(ran).toEqual([]);
});

it('another run does not run what only its own human approves, and says that they are gated already', async () => {
  const { agent, ran } = handedOut({ interruptOn: 'all' });
  const run = (interruptOn: 'all' | 'none') =>
    streamWithEvents({
      model: scripted([ALL, says('.')]).model,
      tools: agent.tools,
      prompt: 'go',
      interruptOn,
      onApprovalRequest: () => true,
    } as never);
  expect(() => run('all')).toThrow('is gated already, by gateTools or by its agent');
  await collect(run('none'));
  expect(ran).toEqual([]);
});

it('the agent’s own runs ask their own human, once', async () => {
  const { agent, ran } = handedOut({ interruptOn: { del: true } } as Options, [
    calls(call('del', {}, 'c1')),
    says('.'),
  ]);
  expect(Object.keys(agent.tools)).toContain('ask_user');
  let asked = 0;
  await agent.generate({ prompt: 'go', onApprovalRequest: () => ++asked > 0 });
  expect([asked, ran]).toEqual([1, ['del']]);
});
