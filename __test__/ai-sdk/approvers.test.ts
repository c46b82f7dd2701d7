/** Runs whose calls several people decide, or only some. */
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type {
  AgentRun,
  DecideOptions,
  GateOptions,
  InterruptOptions,
  PolicyDocument,
  PolicyRule,
} from '../../index.js';
import { createGate, definePolicy, gateTools, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { of, play, start, until, waiting } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

const one = () => [calls(call('del', { path: '/1' }, 'c1')), says('.')];
const two = { approvers: ['ada', 'bo'], quorum: 2 } satisfies InterruptOptions;

/** A policy with one rule that asks about `del`. */
const asks = (rule: object = {}): PolicyDocument => ({
  version: 1,
  default: 'allow',
  rule: [{ effect: 'ask', tools: ['del'], ...rule }],
});

/** A tool that starts an agent which says these turns. */
const taskTool = ({ turns, ...own }: { turns: ReturnType<typeof one>; tools: ToolSet; [more: string]: unknown }) =>
  tool({
    inputSchema: z.object({ description: z.string() }),
    execute: async ({ description: prompt }, parent) => {
      const run = streamWithEvents({ model: scripted(turns).model, prompt, ...own, parent } as never);
      return (await run.result).text;
    },
  });

async function asked(run: AgentRun) {
  const { approvalId, needs, always, requester } = await until(run, 'approval-requested');
  return { id: approvalId, needs, always, requester };
}

describe('interruptOn', () => {
  it('a quorum: each approval is told, and the last one runs it', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const interruptOn = { del: { ...two, timeout: 60_000 } };
    const { run } = start({ turns: one(), tools, gate, interruptOn, requester: 'eve' });
    const { id, needs, requester } = await asked(run);
    expect([needs, requester]).toEqual([[two], 'eve']);
    await expect(gate.approve(id)).rejects.toMatchObject({ code: 'ERR_NOT_APPROVER' });
    await gate.approve(id, { by: 'bo' });
    expect(ran).toEqual([]);
    await gate.approve(id, { by: 'ada', via: 'inbox' });
    const rest = await collect(run);
    expect(of(rest)('approval-voted')).toMatchObject([
      { approvalId: id, toolCallId: 'c1', toolName: 'del', origin: ['main'], vote: { by: 'bo', via: 'gate' } },
    ]);
    expect(of(rest)('approval-response')).toMatchObject([{ approved: true, decidedBy: 'ada' }]);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('tells of a reminder and of an escalation', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const del = { approvers: ['ada'], escalate: { after: 40, to: ['bo'] }, timeout: 60_000, remind: 59_920 };
    const { run } = start({ turns: one(), tools, gate, interruptOn: { del } });
    const { id } = await asked(run);
    expect(await until(run, 'approval-escalated')).toMatchObject({ approvalId: id, toolName: 'del', to: ['bo'] });
    const { expiresAt } = (await gate.get(id)) ?? {};
    expect(await until(run, 'approval-reminded')).toMatchObject({ approvalId: id, expiresAt });
    await gate.approve(id, { by: 'bo' });
    await collect(run);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it.each<[string, object, string]>([
    ['a quorum of too many', { approvers: ['ada'], quorum: 2 }, 'interruptOn.del: quorum is 2'],
    ['no approvers', { approvers: [] }, 'interruptOn.del: approvers'],
    ['approvers that are none', { approvers: 'ada' }, 'interruptOn.del.approvers must be an array'],
    ['half a quorum', { quorum: 1.5 }, 'interruptOn.del.quorum'],
    ['a flag that is none', { excludeRequester: 'yes' }, 'interruptOn.del.excludeRequester'],
    ['an escalation to nobody', { escalate: { after: 5 } }, 'interruptOn.del.escalate'],
    ['an escalation with more', { escalate: { after: 5, to: ['a'], cc: [] } }, 'interruptOn.del.escalate'],
    ['a reminder that is none', { remind: 0 }, 'interruptOn.del.remind'],
    ['what several cannot decide', { ...two, allowedDecisions: ['edit'] }, 'interruptOn.del.allowedDecisions'],
    ['a word that is not known', { aprovers: ['ada'] }, 'aprovers'],
  ])('%s is refused', (_, del, message) => {
    const { tools } = recordingTools();
    expect(() => start({ turns: one(), tools, interruptOn: { del } as never })).toThrow(message);
  });
});

describe('a callback', () => {
  const withCallback = (answer: unknown, options: object = {}) =>
    play({
      turns: one(),
      ...recordingTools(),
      interruptOn: { del: { approvers: ['ada', 'group:ops'] } },
      onApprovalRequest: () => answer as never,
      ...options,
    });

  it.each<[string, unknown]>([
    ['a name', { type: 'approve', by: 'ada' }],
    ['a name and a group', { approved: true, by: 'cy', groups: ['ops'] }],
  ])('decides with %s beside the decision', async (_, answer) => {
    const { of: events } = await withCallback(answer);
    expect(events('approval-response')).toMatchObject([{ approved: true, decidedBy: (answer as { by: string }).by }]);
  });

  it.each<[string, unknown]>([
    ['nobody', true],
    ['somebody else', { type: 'approve', by: 'bo' }],
    ['no name', { type: 'approve', by: 7 }],
  ])('of %s decides nothing, and where nobody else is there it is rejected', async (_, answer) => {
    const { of: events } = await withCallback(answer);
    expect(events('approval-response')).toMatchObject([{ approved: false, decision: { type: 'reject' } }]);
  });

  it('that is one of several ends it where nobody else is there', async () => {
    const answer = { type: 'approve', by: 'ada' };
    const { ran, tools } = recordingTools();
    const { of: events } = await withCallback(answer, { tools, interruptOn: { del: two } });
    expect(events('approval-voted')).toMatchObject([{ vote: { by: 'ada' } }]);
    expect(events('approval-response')).toMatchObject([
      { approved: false, reason: expect.stringContaining('More people must approve it') as unknown },
    ]);
    expect(ran).toEqual([]);
  });

  it('that is anonymous leaves it to those whom the gate knows', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ groups: { ops: ['cy'] } });
    const interruptOn = { del: { approvers: ['group:ops'], timeout: 60_000 } };
    const { run } = start({ turns: one(), tools, gate, interruptOn, onApprovalRequest: () => true });
    const { id } = await asked(run);
    await expect(gate.approve(id, { by: 'bo' })).rejects.toMatchObject({ code: 'ERR_NOT_APPROVER' });
    expect((await gate.get(id))?.status).toBe('pending');
    await gate.approve(id, { by: 'cy' });
    await collect(run);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });
});

describe('policies', () => {
  const running = (options: GateOptions, own: object = {}) => {
    const gate = createGate(options);
    const { ran, tools } = recordingTools();
    return { gate, ran, run: start({ turns: one(), tools, gate, ...own }).run };
  };

  it('all that ask say who must agree, and each must be satisfied', async () => {
    const policy = [asks({ approvers: 'ada', remind: '1s' }), asks({ quorum: 2, excludeRequester: true })];
    const own = { policy: asks({ approvers: ['bo', 'cy'] }), interruptOn: { del: { approvers: ['bo', 'ada'] } } };
    const { gate, ran, run } = running({ policy }, { ...own, requester: 'eve' });
    const { id, needs, always } = await asked(run);
    expect(needs).toEqual(
      expect.arrayContaining([
        { approvers: ['ada'] },
        { quorum: 2, excludeRequester: true },
        { approvers: ['bo', 'cy'] },
        { approvers: ['bo', 'ada'] },
      ]),
    );
    expect(needs).toHaveLength(4);
    expect(always).toEqual({ allow: null, deny: null });
    expect(await gate.approve(id, { by: 'ada' })).toMatchObject({ status: 'pending' });
    expect(await gate.approve(id, { by: 'bo' })).toMatchObject({ status: 'approved' });
    await collect(run);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('neither the mode nor a grant answers for people', async () => {
    const { gate, ran, run } = running({ policy: asks({ approvers: ['ada'] }), mode: 'auto' });
    const { id } = await asked(run);
    await expect(gate.approve(id, { by: 'ada', remember: 'session' })).rejects.toMatchObject({
      code: 'ERR_INVALID_DECISION',
    });
    await gate.reject(id, { by: 'ada' });
    await collect(run);
    expect(ran).toEqual([]);
    await gate.close();
    const nobody = running({ policy: asks({ approvers: ['ada'] }), mode: 'deny-all-asks' });
    expect(of(await collect(nobody.run))('approval-response')).toMatchObject([{ approved: false }]);
    await nobody.gate.close();
  });

  it('what was granted before people were named does not answer now', async () => {
    const policy = asks();
    const { gate, ran, run } = running({ policy });
    const { id } = await asked(run);
    await gate.approve(id, { by: 'eve', remember: 'session' });
    await collect(run);
    const { tools } = recordingTools();
    const again = start({ turns: one(), tools, gate, policy: asks({ approvers: ['ada'] }) });
    const { needs } = await asked(again.run);
    expect(needs).toEqual([{ approvers: ['ada'] }]);
    await again.run.return();
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('excludeRequester of a rule in code is exclude_requester of one in a file; both at once are an error', async () => {
    const call = { toolName: 'del', args: {} };
    for (const named of [{ excludeRequester: true }, { exclude_requester: true }]) {
      const gate = createGate({ policy: [asks(named), definePolicy([{ effect: 'ask', tools: 'del', ...named }])] });
      await expect(gate.request(call)).rejects.toMatchObject({
        message: expect.stringContaining('requester') as unknown,
      });
      await gate.close();
    }
    expect(() => createGate({ policy: asks({ excludeRequester: true, exclude_requester: false }) })).toThrow(
      'policy.rule[0] has excludeRequester and exclude_requester',
    );
  });

  it('a requester who is not to count must be known', async () => {
    const { gate, ran, run } = running({ policy: asks({ excludeRequester: true }) });
    const events = await collect(run);
    expect(ran).toEqual([]);
    expect(of(events)('tool-denied')).toMatchObject([{ reason: expect.stringContaining('requester') as unknown }]);
    await gate.close();
  });

  it('a subagent needs what its parent needs, too, and its requester is that of the parent', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const child = { tools, turns: one(), interruptOn: { del: { approvers: ['bo'] } } };
    const { run } = start({
      turns: [calls(call('task', { description: 'delete /1' }, 't1')), says('.')],
      tools: { task: taskTool(child) },
      interruptOn: { del: { approvers: ['ada'] } },
      unknownTools: 'ignore',
      gate,
      requester: 'eve',
    });
    const { id, needs, requester } = await asked(run);
    expect(requester).toBe('eve');
    expect(needs).toEqual([{ approvers: ['bo'] }, { approvers: ['ada'] }]);
    await gate.approve(id, { by: 'ada' });
    expect(await until(run, 'approval-voted')).toMatchObject({
      vote: { by: 'ada' },
      origin: ['main', 'task:t1', 'task'],
    });
    await gate.approve(id, { by: 'bo' });
    await collect(run);
    expect(ran).toEqual(['del /1']);
    await gate.close();
  });

  it('a part of a run names no requester of its own', async () => {
    const { tools } = recordingTools();
    const errors: unknown[] = [];
    const child = (options: object) => {
      try {
        streamWithEvents({ model: scripted(one()).model, prompt: 'x', tools, ...options, requester: 'bo' } as never);
      } catch (error) {
        errors.push(error);
      }
      return 'tried';
    };
    await play({
      turns: [calls(call('task', { path: '/1' }, 't1')), says('.')],
      tools: { task: { ...tools.del, execute: async (_: unknown, parent: object) => child({ parent }) } as never },
    });
    expect(errors).toMatchObject([
      { code: 'ERR_INVALID_CONFIG', message: expect.stringContaining('requester') as unknown },
    ]);
  });
});

describe('other loops', () => {
  it('gated tools wait for all', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const gated = gateTools(tools, { interruptOn: { del: two }, gate, requester: 'eve' });
    const execute = gated.del.execute as (input: unknown, options: object) => Promise<unknown>;
    const result = execute({ path: '/1' }, { toolCallId: 'c1', messages: [] });
    const [request] = await waiting(gate);
    const { approvalId: id, requester } = request!;
    expect(requester).toBe('eve');
    await gate.approve(id, { by: 'ada' });
    expect(ran).toEqual([]);
    await gate.approve(id, { by: 'bo' });
    expect(await result).toBe('deleted /1');
    await gate.close();
  });

  it('an answer in messages that is one of several does not let it run', async () => {
    const { tools } = recordingTools();
    const gate = createGate();
    gateTools(tools, { interruptOn: { del: two }, gate, mode: 'stop', runId: 'chat' });
    const asking = gateTools(tools, { interruptOn: { del: two }, gate, mode: 'stop', runId: 'chat' }).del;
    const needsApproval = asking.needsApproval as unknown as (input: unknown, options: object) => Promise<boolean>;
    expect(await needsApproval({ path: '/1' }, { toolCallId: 'c1', messages: [] })).toBe(true);
    const messages = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/1' } },
          { type: 'tool-approval-request', approvalId: 'sdk', toolCallId: 'c1' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'sdk', approved: true }] },
    ];
    const verified = await verifyApprovals(messages as never, gate, { runId: 'chat', by: 'ada' });
    expect(JSON.stringify(verified)).toContain('more are needed');
    const [record] = await gate.pending();
    expect(record).toMatchObject({ votes: [{ by: 'ada', via: 'messages' }] });
    await gate.close();
  });
});

describe('an edit', () => {
  /** Anybody decides what `del` does, but for `/prod`. */
  const policy = (prod: Partial<PolicyRule>) =>
    definePolicy([
      { effect: 'ask', tools: 'del', if: ({ args }) => (args as { path: string }).path === '/prod', ...prod },
      { effect: 'ask', tools: 'del' },
    ]);
  const refused = { code: 'ERR_INVALID_DECISION', message: expect.stringContaining('Others must approve') as unknown };

  it.each<[string, Partial<PolicyRule>, DecideOptions]>([
    ['several people', { approvers: ['ada', 'bo'], quorum: 2 }, { by: 'ada' }],
    ['somebody else', { approvers: ['ada'] }, { by: 'eve' }],
    ['anybody with a name', { quorum: 2 }, {}],
  ])('makes no call of it that %s must approve', async (_, prod, who) => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ policy: policy(prod) });
    const { run } = start({ turns: one(), tools, gate });
    const { id, needs } = await asked(run);
    expect(needs).toEqual([]);
    await expect(gate.edit(id, { path: '/prod' }, who)).rejects.toMatchObject(refused);
    expect((await gate.get(id))?.status).toBe('pending');
    await gate.edit(id, { path: '/2' }, who);
    await collect(run);
    expect(ran).toEqual(['del /2']);
    await gate.close();
  });

  it('by whom the request names makes one of it that names them in the same way', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const interruptOn = { del: { approvers: ['bo', 'ada'], allowedDecisions: ['edit' as const] } };
    const { run } = start({ turns: one(), tools, gate, interruptOn, policy: policy({ approvers: ['ada', 'bo'] }) });
    const { id } = await asked(run);
    await gate.edit(id, { path: '/prod' }, { by: 'ada' });
    await collect(run);
    expect(ran).toEqual(['del /prod']);
    await gate.close();
  });

  it('of a callback does not either, nor one of gated tools', async () => {
    const { ran, tools } = recordingTools();
    const own = { policy: policy({ approvers: ['ada'] }) };
    const onApprovalRequest = () => ({ type: 'edit', args: { path: '/prod' } }) as const;
    const { of: events } = await play({ turns: one(), tools, onApprovalRequest, ...own });
    expect(events('approval-response')).toMatchObject([{ approved: false, decision: { type: 'reject' } }]);
    const gated = gateTools(tools, { onApprovalRequest, ...own });
    const execute = gated.del.execute as (input: unknown, options: object) => Promise<unknown>;
    await execute({ path: '/1' }, { toolCallId: 'c1', messages: [] });
    expect(ran).toEqual([]);
  });

  it('is one of those that authorize has its say of, also when a callback says no more than yes', async () => {
    const { ran, tools } = recordingTools();
    const heard: (string | null)[] = [];
    const authorize: GateOptions['authorize'] = (_, { request, by }) => {
      heard.push(by);
      if (by === 'eve') setImmediate(() => void gate.approve(request.approvalId, { by: 'ada' }));
      return by === 'ada';
    };
    const gate = createGate({ authorize });
    const onApprovalRequest = () => ({ type: 'approve', by: 'eve' }) as const;
    await play({ turns: one(), tools, gate, interruptOn: { del: true }, onApprovalRequest });
    expect([heard, ran]).toEqual([['eve', 'ada'], ['del /1']]);
    await gate.close();
  });

  it('is let through, or not, as what the tool would get', async () => {
    const asked: unknown[] = [];
    const inputSchema = z.object({
      path: z.string().trim(),
      at: z
        .string()
        .default('2021')
        .transform((text) => new Date(text)),
    });
    const tools = { del: tool({ inputSchema, execute: async ({ path }) => path }) };
    const authorize: GateOptions['authorize'] = (decision) => {
      asked.push(decision);
      return decision.type !== 'edit' || (decision.args as { path: string }).path !== '/prod';
    };
    const gate = createGate({ authorize });
    const { run } = start({ turns: one(), tools, gate, interruptOn: { del: true } });
    const { approvalId: id } = await until(run, 'approval-requested');
    const at = '2020-01-01T00:00:00.000Z';
    await expect(gate.edit(id, { path: '/prod', at }, { by: 'eve' })).rejects.toMatchObject({
      code: 'ERR_NOT_AUTHORIZED',
    });
    await gate.edit(id, { path: '/2', at }, { by: 'eve' });
    await collect(run);
    expect(asked.at(-1)).toEqual({ type: 'edit', args: { path: '/2', at: new Date('2020-01-01') } });
    await gate.close();
  });
});
