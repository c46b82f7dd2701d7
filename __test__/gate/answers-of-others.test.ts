/** An answer that names another call than the request does: mixing up two calls approves neither. */
import { expect, test } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Gate } from '../../index.js';
import { createGate, InvalidDecisionError, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

type GateAnswer = Parameters<Gate['decide']>[1];

const OTHERS = ['approvalId', 'toolCallId', 'toolName', 'runId', 'id'] as const;

test.each(OTHERS)('at the gate: %s', async (name) => {
  await using gate = createGate();
  const asked = [1, 2].map((path) =>
    gate.request({ runId: `r${path}`, toolCallId: `c${path}`, toolName: `t${path}`, args: { path } }),
  );
  const [one, other] = (await gate.pending()) as [ApprovalRequest, ApprovalRequest];
  const of = (request: ApprovalRequest) => (name === 'id' ? request.toolCallId : request[name]);
  const answer = (id: string) => ({ type: 'approve', [name]: id }) as GateAnswer;
  await expect(gate.decide(one.approvalId, answer(of(other)))).rejects.toThrow(InvalidDecisionError);
  await expect(gate.decide(one.approvalId, answer(of(other)))).rejects.toThrow('is for another call');
  await expect(gate.decide(one.approvalId, { approved: true, request: other } as never)).rejects.toThrow('request.');
  expect(await gate.pending()).toHaveLength(2);
  await gate.decide(one.approvalId, answer(of(one)));
  await gate.decide(other.approvalId, { approved: true, request: other } as never);
  expect((await Promise.all(asked)).map(({ approved }) => approved)).toEqual([true, true]);
});

test.each(OTHERS)('of a callback: %s', async (name) => {
  const ran: string[] = [];
  const { model, prompts } = scripted([
    calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
    says('.'),
  ]);
  const onApprovalRequest = (request: ApprovalRequest) =>
    ({
      type: 'approve',
      [name]: request.toolCallId === 'c1' ? 'c2' : name === 'id' ? 'c2' : request[name],
    }) as ApprovalAnswer;
  await collect(
    streamWithEvents({
      model,
      prompt: 'go',
      tools: recordingTools(ran).tools,
      interruptOn: { del: true },
      onApprovalRequest,
    } as never),
  );
  expect(ran).toEqual(['del /2']);
  expect(JSON.stringify(prompts.at(-1))).toContain('it is for another call');
});

/** Objects that name the other call out of sight. */
const HIDDEN: Record<string, (id: string, other: ApprovalRequest) => unknown> = {
  'a getter of its class': (id) =>
    new (class {
      approved = true;
      get approvalId() {
        return id;
      }
    })(),
  'what it inherits': (id) => Object.assign(Object.create({ approvalId: id }) as object, { approved: true }),
  'what is not enumerable': (id) => Object.defineProperty({ approved: true }, 'approvalId', { value: id }),
  'a symbol': (id) => ({ approved: true, [Symbol('approvalId')]: id }),
  'one of several requests': (_, other) => ({ approved: true, request: [other] }),
  'the request of a request': (_, other) => ({ approved: true, request: { request: other } }),
  'a text for its request': (id) => ({ approved: true, request: id }),
  'a request in other words': (id) => ({ approved: true, request: { approval: { id } } }),
  'a request that hides it': (id) => ({
    approved: true,
    request: Object.defineProperty({}, 'approvalId', { value: id }),
  }),
  'the action that it gives instead': (id) => ({
    type: 'edit',
    editedAction: { name: 't1', args: { path: 3 }, approvalId: id },
  }),
  'what it inherits from no other object': (id) =>
    Object.assign(Object.create(Object.assign(Object.create(null) as object, { approvalId: id })) as object, {
      approved: true,
    }),
};

test.each(Object.entries(HIDDEN))('at the gate, by %s', async (_, answer) => {
  await using gate = createGate();
  for (const path of [1, 2])
    void gate.request({ runId: `r${path}`, toolCallId: `c${path}`, toolName: `t${path}`, args: { path } });
  const [one, other] = (await gate.pending()) as [ApprovalRequest, ApprovalRequest];
  const decided = gate.decide(one.approvalId, answer(other.approvalId, other) as GateAnswer);
  await expect(decided).rejects.toThrow(InvalidDecisionError);
  expect(await gate.pending()).toHaveLength(2);
});

test('an answer without a prototype is as plain as another one', async () => {
  await using gate = createGate();
  const asked = gate.request({ toolName: 't', args: {} });
  const [one] = await gate.pending();
  await gate.decide(one!.approvalId, Object.assign(Object.create(null) as object, { type: 'approve' }) as GateAnswer);
  expect((await asked).approved).toBe(true);
});

test.each<[string, () => unknown, string]>([
  ['a getter', () => ({ get type() { return 'approve'; } }), 'it.type is a getter'], // prettier-ignore
  ['a Proxy', () => new Proxy({ type: 'approve', comment: 'no' }, { ownKeys: () => ['type'] }), 'it is a Proxy'],
  ['a key that no decision has', () => ({ type: 'approve', reasn: 'keep a backup' }), 'reasn'],
  ['through what it came', () => ({ type: 'approve', via: 'inbox' }), 'the decision has `via`'],
  ['a reason that nobody reads', () => ({ type: 'approve', note: 'keep a backup' }), 'call it `reason`'],
])('of a callback: %s in its answer runs nothing, and is told', async (_, answer, said) => {
  const ran: string[] = [];
  const { model, prompts } = scripted([calls(call('del', { path: '/1' }, 'c1')), says('.')]);
  const { tools } = recordingTools(ran);
  const onApprovalRequest = answer as () => ApprovalAnswer;
  await collect(streamWithEvents({ model, prompt: 'go', tools, interruptOn: { del: true }, onApprovalRequest }));
  expect(ran).toEqual([]);
  expect(JSON.stringify(prompts.at(-1))).toContain(said);
});

test('of a callback: who answers stands in the answer', async () => {
  await using gate = createGate();
  const { model } = scripted([calls(call('del', { path: '/1' }, 'c1')), says('.')]);
  const { tools } = recordingTools([]);
  const onApprovalRequest = (): ApprovalAnswer => ({ type: 'approve', by: 'ada', groups: ['ops'] });
  await collect(streamWithEvents({ model, prompt: 'go', tools, gate, interruptOn: { del: true }, onApprovalRequest }));
  expect(await gate.history()).toMatchObject([{ decidedBy: 'ada', via: 'callback' }]);
});
