/** Who may decide: names, groups, quorums, escalation, reminders, and what a gate's own function says. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Gate, GateEvent, GateOptions, GateRequest } from '../../index.js';
import { createGate, NotApproverError, NotAuthorizedError, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { isSamePerson } from '../../ts/gate/person-name.js';
import { toPermissionRequest } from '../../ts/protocols/acp.js';
import { mcpApprover } from '../../ts/protocols/mcp.js';
import { isDurable } from '../support/ledger.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { polluted } from '../support/pollution.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const code = (name: string) => expect.objectContaining({ code: `ERR_${name}` }) as unknown;

const gates: Gate[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
});

/** A gate with one request that waits, and its promise. */
async function asking(request: Partial<GateRequest> = {}, options: GateOptions = {}) {
  const gate = createGate(options);
  gates.push(gate);
  const answer = gate.request({ toolName: 'deploy', args: { to: 'prod' }, ...request });
  // A caller who ignores it must not be ended by it.
  answer.catch(() => {});
  const [pending] = await gate.pending();
  if (pending === undefined) throw await answer.catch((error: unknown) => error);
  return { gate, answer, id: pending.approvalId, pending };
}

const kinds = async (gate: Gate): Promise<string[]> =>
  (await collect(gate.audit.list())).map(({ kind }) => kind).filter((kind) => kind !== 'opened');

describe('a group that the gate does not have', () => {
  it('is told to the developer, once', async () => {
    using warned = listenToWarnings();
    const groups = { ops: ['cy'] };
    for (const approvers of [['group:opps'], ['group:opps'], ['group:ops', 'ada']])
      await asking({ approvers }, { groups });
    await asking({ approvers: ['group:caller'] });
    const told = warned.warnings.filter((message) => message.includes('does not have that group'));
    expect(told).toEqual([expect.stringMatching(/group:opps, .*did you mean group:ops\?.*with the members \[\]/)]);
  });

  it('is not a person', async () => {
    const { gate, id } = await asking({ approvers: ['ada', 'group:ops'] });
    await expect(gate.approve(id, { by: 'group:ops' })).rejects.toThrow(
      /group:ops is the name of a group: say which person/,
    );
  });
});

describe('approvers', () => {
  it('only those decide that a request names, and nobody without a name', async () => {
    const groups = { ops: ['cy'] };
    const { gate, answer, id, pending } = await asking({ approvers: ['ada', 'group:ops'] }, { groups });
    expect(pending).toMatchObject({ needs: [{ approvers: ['ada', 'group:ops'] }], requester: null, votes: [] });
    expect(pending.allowedDecisions).toEqual(['approve', 'edit', 'reject', 'respond', 'skip']);
    const approvers = ['ada', 'group:ops'];
    await expect(gate.approve(id)).rejects.toMatchObject({
      code: 'ERR_NOT_APPROVER',
      by: null,
      approvers,
      approvalId: id,
    });
    for (const by of ['bo', 'ops', 'group:ops', 'ADA', ' ada'])
      await expect(gate.approve(id, { by }), by).rejects.toThrow(NotApproverError);
    await expect(gate.approve(id, { by: 'bo', groups: ['group:ops'] })).rejects.toEqual(code('NOT_APPROVER'));
    await expect(gate.edit(id, { to: 'x' }, { by: 'bo' })).rejects.toEqual(code('NOT_APPROVER'));
    await expect(gate.reject(id, { by: 'bo' })).rejects.toEqual(code('NOT_APPROVER'));
    expect(await gate.get(id)).toMatchObject({ status: 'pending', votes: [] });
    const record = await gate.edit(id, { to: 'staging' }, { by: 'cy' });
    expect(record).toMatchObject({ status: 'edited', decidedBy: 'cy', votes: [] });
    expect(await answer).toMatchObject({ approved: true, args: { to: 'staging' }, decidedBy: 'cy' });
    if (isDurable) expect((await kinds(gate)).filter((kind) => kind === 'refused')).toHaveLength(9);
  });

  it.each([{ approvers: null }, { approvers: [] }, { approvers: ['ada'], quorum: null }])(
    '%j is no list of people: nobody is asked, and nothing is let through',
    async (need) => {
      const gate = createGate();
      gates.push(gate);
      await expect(gate.request({ toolName: 'x', args: 1, ...need } as never)).rejects.toEqual(code('INVALID_CONFIG'));
      expect(await gate.pending()).toEqual([]);
    },
  );

  it('a caller may say which groups a person is in', async () => {
    const { gate, answer, id } = await asking({ approvers: ['group:ops'] });
    await gate.approve(id, { by: 'dee', groups: ['ops', 'all'], via: 'inbox' });
    expect(await answer).toMatchObject({ approved: true, decidedBy: 'dee' });
    expect(await gate.get(id)).toMatchObject({ via: 'inbox' });
  });

  it.each([
    ['José', 'Jose\u0301'],
    ['ada', 'a\u00ad\u200bd\u2060a'],
    ['ada', 'ada\u0000'],
    ['ada', 'ａｄａ\u3164'],
    ['straße', 'STRASSE'],
    ['Ada Lovelace', 'ada\u00a0lovelace\u2800'],
  ])('%j is no second person as %j, for the gate and for a page', async (name, other) => {
    const { gate, id, answer } = await asking({ requester: name, excludeRequester: true, quorum: 2 });
    await expect(gate.approve(id, { by: other })).rejects.toEqual(code('NOT_APPROVER'));
    expect(isSamePerson(name, other)).toBe(true);
    await gate.approve(id, { by: 'bo' });
    expect(await gate.approve(id, { by: 'b\u200bo' })).toMatchObject({ status: 'pending' });
    await gate.reject(id, { by: other });
    expect(await answer).toMatchObject({ approved: false });
  });

  it.each(['', ' ', '\u200b', '\u3164\u2800', '\u0000', 'group:ops', '\ufeffGroup：ops'])(
    '%j is nobody',
    async (by) => {
      const { gate, id } = await asking({ quorum: 2 });
      const isGroup = by.endsWith('ops');
      const refused = isGroup ? code('NOT_APPROVER') : code('INVALID_DECISION');
      await expect(gate.approve(id, { by })).rejects.toEqual(refused);
      await expect(gate.reject(id, { by })).rejects.toEqual(refused);
      await expect(gate.request({ toolName: 'x', args: 1, requester: by })).rejects.toEqual(code('INVALID_CONFIG'));
      if (!by.startsWith('group:'))
        await expect(gate.request({ toolName: 'x', args: 1, approvers: [by] })).rejects.toEqual(code('INVALID_CONFIG'));
    },
  );

  it.each(['', ' \t', '\u200b', '\u3164\u2800'])('nothing is decided in a name that is blank: %j', async (by) => {
    const { gate, id, answer } = await asking();
    for (const decide of [
      () => gate.approve(id, { by }),
      () => gate.reject(id, { by }),
      () => gate.edit(id, {}, { by }),
      () => gate.respond(id, 'x', { by }),
      () => gate.skip(id, { by }),
      () => gate.decide(id, true, { by }),
    ])
      await expect(decide()).rejects.toEqual(code('INVALID_DECISION'));
    for (const take of [
      () => verifyApprovals([], gate, { by }),
      async () => toPermissionRequest({} as never, 's', { by }),
      async () => mcpApprover({ elicitInput: async () => null }, { by }),
    ])
      await expect(take()).rejects.toEqual(code('INVALID_CONFIG'));
    expect((await gate.get(id))?.status).toBe('pending');
    await gate.reject(id);
    await answer;
  });

  it('a callback that answers in a blank name approves nothing', async () => {
    const { tools, ran } = recordingTools();
    const { model } = scripted([calls(call('del', { path: 'a' }, 'd1')), says('Done.')]);
    const onApprovalRequest = () => ({ type: 'approve', by: ' ' }) as const;
    await collect(
      streamWithEvents({ model, tools, prompt: 'go', interruptOn: { del: true }, onApprovalRequest } as never),
    );
    expect(ran).toEqual([]);
  });

  it('nobody decides in a name that is inherited', async () => {
    const { gate, id } = await asking({ approvers: ['ada'], requester: 'eve' });
    const inherits = Object.create({ by: 'ada' }) as { by: string };
    await expect(gate.approve(id, inherits)).rejects.toEqual(code('INVALID_CONFIG'));
    for (const by of ['ada', 'eve'])
      await polluted({ by, groups: ['ops'] }, async () => {
        await expect(gate.approve(id)).rejects.toEqual(code('NOT_APPROVER'));
        await expect(gate.decide(id, true)).rejects.toEqual(code('NOT_APPROVER'));
        await expect(gate.decide(id, { type: 'reject' }, {})).rejects.toEqual(code('NOT_APPROVER'));
        await expect(gate.reject(id, 'no')).rejects.toEqual(code('NOT_APPROVER'));
      });
    expect((await gate.get(id))?.status).toBe('pending');
  });

  it('nothing but what people decide through may be named', async () => {
    const { gate, id } = await asking();
    for (const via of ['system', 'deadline', 'callback', 1])
      await expect(gate.approve(id, { via } as never)).rejects.toEqual(code('INVALID_DECISION'));
    await expect(gate.approve(id, { by: 7 } as never)).rejects.toEqual(code('INVALID_DECISION'));
    await expect(gate.approve(id, { by: 'a', groups: 'ops' } as never)).rejects.toEqual(code('INVALID_DECISION'));
  });

  it('what names nobody is decided by anybody, once, as ever', async () => {
    const { gate, id, pending } = await asking({ quorum: 1, excludeRequester: false });
    expect(pending).toMatchObject({ needs: [], votes: [], requester: null, escalatedAt: null });
    expect(await gate.approve(id)).toMatchObject({ status: 'approved', decidedBy: 'gate' });
  });

  it('the end of a gate, of a run and of time ends it as ever', async () => {
    const abort = new AbortController();
    const gate = createGate();
    gates.push(gate);
    const late = gate.request({ toolName: 't', args: {}, approvers: ['ada'], timeout: 30 });
    expect(await late).toMatchObject({ approved: false, decision: { type: 'expired' } });
    const aborted = gate.request({ toolName: 't', args: {}, quorum: 2 }, { abortSignal: abort.signal });
    await gate.pending();
    abort.abort();
    expect(await aborted).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
  });

  it.each([
    [{ approvers: [] }, 'approvers'],
    [{ approvers: ['ada'], quorum: 2 }, 'only 1 person is named'],
    [{ quorum: 1.5 }, 'whole'],
    [{ quorum: 0 }, 'quorum'],
    [{ approvers: 'ada' as never }, 'approvers'],
    [{ escalate: { after: 0, to: ['ada'] } }, 'escalate.after'],
    [{ escalate: { after: 5, to: [] } }, 'escalate.to'],
    [{ quorum: 2, allowedDecisions: ['respond'] }, 'approve'],
    [{ quorum: 2, excludeRequester: true }, 'requester'],
    [{ requester: '' }, 'requester'],
    [{ remind: -1 }, 'remind'],
    [{ excludeRequester: 'yes' as never, requester: 'ada' }, 'boolean'],
    [{ runId: 5 as never }, 'runId must be a text'],
    [{ toolCallId: 5 as never }, 'toolCallId must be a text'],
    [{ toolName: 5 as never }, 'toolName must be a text'],
    [{ description: 5 as never }, 'description must be a text'],
  ] as [Partial<GateRequest>, string][])('%j is refused, with policies and without', async (request, why) => {
    for (const options of [{}, { policy: { version: 1, default: 'ask' } }])
      await expect(asking(request, options as GateOptions)).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringContaining(why) as unknown,
      });
  });

  it('groups are checked', () => {
    for (const groups of [{ ops: 'ada' }, { ops: [7] }, { '': ['ada'] }, []])
      expect(() => createGate({ groups } as never)).toThrow(code('INVALID_CONFIG'));
    expect(() => createGate({ authorize: true } as never)).toThrow(code('INVALID_CONFIG'));
  });
});

describe('a quorum', () => {
  it('different people approve, each once, and the last one decides', async () => {
    const { gate, answer, id, pending } = await asking({ approvers: ['ada', 'bo', 'cy'], quorum: 2 });
    const events: GateEvent[] = [];
    const reading = (async () => {
      for await (const event of gate.events()) events.push(event);
    })();
    expect(pending.allowedDecisions).toEqual(['approve', 'reject', 'skip']);
    const first = await gate.approve(id, { by: 'ada', reason: 'looks fine', via: 'link' });
    expect(first).toMatchObject({ status: 'pending', decision: null });
    expect(first.votes).toMatchObject([{ by: 'ada', via: 'link', reason: 'looks fine' }]);
    expect(await gate.approve(id, { by: 'ada' })).toMatchObject({ status: 'pending', votes: first.votes });
    expect(await gate.pending()).toMatchObject([{ votes: first.votes }]);
    expect(await gate.history()).toEqual([]);
    await expect(gate.edit(id, {}, { by: 'bo' })).rejects.toEqual(code('DECISION_NOT_ALLOWED'));
    // Over a ledger an event has its request as it is when it is told: with the next vote, if that was quicker.
    await expect.poll(() => events.map(({ type }) => type)).toContain('voted');
    const last = await gate.approve(id, { by: 'bo' });
    expect(last).toMatchObject({ status: 'approved', decidedBy: 'bo', votes: [{ by: 'ada' }, { by: 'bo' }] });
    await expect(gate.approve(id, { by: 'cy' })).rejects.toEqual(code('ALREADY_DECIDED'));
    expect(await answer).toMatchObject({ approved: true, decidedBy: 'bo' });
    expect(await gate.history()).toMatchObject([{ approvalId: id, votes: [{ by: 'ada' }, { by: 'bo' }] }]);
    if (isDurable) {
      expect(await kinds(gate)).toEqual(['requested', 'voted', 'decided', 'started', 'settled']);
      expect(await gate.audit.verify()).toMatchObject({ ok: true });
    }
    await gate.close();
    await reading;
    // What was asked a moment before may still be told.
    const told = events.filter(({ type }) => type !== 'requested');
    expect(told.map(({ type }) => type)).toEqual(['voted', 'decided', 'started', 'settled']);
    expect(told[0]).toMatchObject({ vote: { by: 'ada' }, request: { approvalId: id, votes: [{ by: 'ada' }] } });
    expect(told[1]).toMatchObject({ request: { votes: [{ by: 'ada' }, { by: 'bo' }] } });
  });

  it('one who is named ends it', async () => {
    const { gate, answer, id } = await asking({ approvers: ['ada', 'bo'], quorum: 2, requester: 'eve' });
    await gate.approve(id, { by: 'ada' });
    expect(await gate.reject(id, 'no', { by: 'bo' })).toMatchObject({ status: 'rejected', votes: [{ by: 'ada' }] });
    expect(await answer).toMatchObject({ approved: false, reason: 'no', decidedBy: 'bo' });
  });

  it('who asked for it may take it back, and does not approve it', async () => {
    const { gate, answer, id } = await asking({ quorum: 2, excludeRequester: true, requester: 'ada' });
    await expect(gate.approve(id, { by: 'Ada' })).rejects.toEqual(code('NOT_APPROVER'));
    await gate.approve(id, { by: 'bo' });
    expect(await gate.approve(id, { by: 'BO ' })).toMatchObject({ votes: [{ by: 'bo' }] });
    await gate.skip(id, { by: 'ada' });
    expect(await answer).toMatchObject({ approved: false, decision: { type: 'skip' } });
  });

  it('what several approve at once is approved once', async () => {
    const { gate, answer, id } = await asking({ quorum: 3 });
    const people = Array.from({ length: 12 }, (_, index) => `p${index % 6}`);
    const said = await Promise.allSettled(people.map((by) => gate.approve(id, { by })));
    const records = said.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(records.filter(({ status }) => status === 'approved')).toHaveLength(1);
    expect(await answer).toMatchObject({ approved: true });
    expect(new Set((await gate.get(id))?.votes.map(({ by }) => by)).size).toBe(3);
  });
});

describe('time', () => {
  it('escalates to others, reminds, and tells each once', async () => {
    const escalate = { after: 60, to: ['group:leads'] };
    const gate = createGate();
    gates.push(gate);
    // Who begins to read later may be too late on a busy machine.
    const events = gate.events();
    await gate.ready();
    const answer = gate.request({
      toolName: 'deploy',
      args: { to: 'prod' },
      approvers: ['ada'],
      escalate,
      timeout: 600_000,
      remind: 599_900,
    });
    const told: GateEvent[] = [];
    for await (const event of events) {
      told.push(event);
      if (told.length === 3) break;
    }
    const [asked] = told.splice(0, 1);
    if (asked?.type !== 'requested') throw new Error('it was not asked first');
    const pending = asked.request;
    const id = pending.approvalId;
    expect(pending).toMatchObject({ needs: [{ approvers: ['ada'], escalate }] });
    expect(told.map(({ type }) => type)).toEqual(['escalated', 'reminded']);
    expect(told[0]).toMatchObject({ to: ['group:leads'], request: { escalatedAt: pending.createdAt + 60 } });
    expect(await gate.get(id)).toMatchObject({ status: 'pending', escalatedAt: pending.createdAt + 60 });
    await gate.approve(id, { by: 'lea', groups: ['leads'] });
    expect(await answer).toMatchObject({ approved: true, decidedBy: 'lea' });
    if (isDurable) expect((await kinds(gate)).slice(0, 4)).toEqual(['requested', 'escalated', 'reminded', 'decided']);
  });
});

describe('authorize', () => {
  it('is asked before each decision of a person, with all there is to know', async () => {
    const seen: unknown[] = [];
    const authorize: GateOptions['authorize'] = (decision, { request, by, groups, via }) => {
      seen.push([decision.type, request.toolName, by, groups, via]);
      return by === 'ada' ? true : 'only Ada may';
    };
    const { gate, answer, id } = await asking({}, { authorize, groups: { ops: ['ada'] } });
    await expect(gate.approve(id)).rejects.toThrow(NotAuthorizedError);
    await expect(gate.reject(id, { by: 'bo' })).rejects.toMatchObject({
      code: 'ERR_NOT_AUTHORIZED',
      approvalId: id,
      message: expect.stringContaining('only Ada may') as unknown,
    });
    await gate.approve(id, { by: 'ada', groups: ['all'], via: 'protocol' });
    expect(await answer).toMatchObject({ approved: true });
    expect(seen).toEqual([
      ['approve', 'deploy', null, [], 'gate'],
      ['reject', 'deploy', 'bo', [], 'gate'],
      ['approve', 'deploy', 'ada', ['all', 'ops'], 'protocol'],
    ]);
    await expect(gate.approve(id, { by: 'bo' })).rejects.toEqual(code('ALREADY_DECIDED'));
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no connection'))],
    ['says nothing', () => undefined],
    ['says something else', () => 1],
    ['says false', () => false],
    ['says an empty text', () => ''],
  ])('where it %s, nobody decides', async (_, authorize) => {
    const { gate, id } = await asking({}, { authorize: authorize as never });
    await expect(gate.approve(id, { by: 'ada' })).rejects.toEqual(code('NOT_AUTHORIZED'));
    expect(await gate.get(id)).toMatchObject({ status: 'pending' });
  });

  it('lets nobody decide who is not named', async () => {
    const { gate, id } = await asking({ approvers: ['ada'] }, { authorize: () => true });
    await expect(gate.approve(id, { by: 'bo' })).rejects.toEqual(code('NOT_APPROVER'));
  });
});
