/** Requests that say who must agree, decided in the inbox. */
import { describe, expect, it } from 'vitest';
import type { GateOptions, GateRequest } from '../../index.js';
import type { BulkResults, DecideAnswer, RequestDetail, ErrorBody, PendingAnswer } from '../../ts/inbox/protocol.js';
import { ask, gateOf, inboxOf, Person } from './support.js';

type Failed = { error: ErrorBody };

async function setUp(request: Partial<GateRequest>, options: GateOptions = {}) {
  const gate = gateOf(options);
  const inbox = inboxOf(gate);
  const { approvalId } = await ask(gate, request);
  const as = (name: string) => new Person(inbox, name);
  return { gate, as, approvalId };
}

const approve = { type: 'approve' };

describe('a request that names approvers', () => {
  it('is decided by one of them alone, and each is told what they may do', async () => {
    const { gate, as, approvalId } = await setUp({ approvers: ['mia', 'group:ops'] });
    const seen = async (name: string) => (await as(name).get<PendingAnswer>('api/pending')).body.items[0];
    expect((await seen('mia'))?.mayDecide).toContain('approve');
    expect((await seen('noah/ops'))?.mayDecide).toContain('approve');
    expect(await seen('ada')).toMatchObject({ mayDecide: [], whyNot: 'Others are named as approvers.' });
    for (const type of ['approve', 'reject', 'skip']) {
      const { status, body } = await as('ada').decide<Failed>(approvalId, { type });
      expect([status, body.error.code]).toEqual([403, 'ERR_NOT_APPROVER']);
    }
    expect(await gate.pending()).toHaveLength(1);
    const { status, body } = await as('noah/ops').decide<DecideAnswer>(approvalId, approve);
    expect([status, body.counted, body.record.decision?.by]).toEqual([200, true, 'noah']);
  });

  it('knows the groups of the gate, too', async () => {
    const { as, approvalId } = await setUp({ approvers: ['group:ops'] }, { groups: { ops: ['mia'] } });
    expect((await as('ada').decide(approvalId, approve)).status).toBe(403);
    expect((await as('mia').get<PendingAnswer>('api/pending')).body.items[0]?.mayDecide).toContain('edit');
    expect((await as('mia').decide(approvalId, approve)).status).toBe(200);
  });

  it('is not decided by who asked for the run, where they are excluded', async () => {
    const { as, approvalId } = await setUp({ excludeRequester: true, requester: 'mia' });
    const [item] = (await as('mia').get<PendingAnswer>('api/pending')).body.items;
    expect(item).toMatchObject({ mayDecide: ['reject', 'skip'], requester: 'mia' });
    expect((await as('mia').decide(approvalId, approve)).status).toBe(403);
    expect((await as('noah').decide(approvalId, approve)).status).toBe(200);
  });
});

describe('a request that needs several', () => {
  it('waits on until they are enough, and the same person counts once', async () => {
    const { gate, as, approvalId } = await setUp({ quorum: 2 });
    const first = (await as('mia').decide<DecideAnswer>(approvalId, { ...approve, reason: 'looks right' })).body;
    expect([first.counted, first.record.status]).toEqual([true, 'pending']);
    expect(first.record.votes).toMatchObject([{ by: 'mia', via: 'inbox', reason: 'looks right' }]);
    expect(first.record.needs).toMatchObject([{ quorum: 2, approved: 1 }]);
    const again = (await as('mia').decide<DecideAnswer>(approvalId, approve)).body;
    expect([again.counted, again.record.votes.length]).toEqual([false, 1]);
    expect((await as('mia').get<RequestDetail>(`api/requests/${approvalId}`)).body.record).toMatchObject({
      mayDecide: ['reject', 'skip'],
      whyNot: 'You have approved it: others must, too.',
    });
    expect((await as('noah').decide(approvalId, { type: 'edit', args: {} })).status).toBe(422);
    const last = (await as('noah').decide<DecideAnswer>(approvalId, approve)).body;
    expect([last.counted, last.record.status]).toEqual([true, 'approved']);
    expect(await gate.get(approvalId)).toMatchObject({ decidedBy: 'noah', via: 'inbox' });
  });

  it('is ended by one who rejects', async () => {
    const { as, approvalId } = await setUp({ quorum: 2 });
    await as('mia').decide(approvalId, approve);
    expect((await as('noah').decide<DecideAnswer>(approvalId, { type: 'reject' })).body.record.status).toBe('rejected');
    expect((await as('ada').decide<Failed>(approvalId, approve)).body.error).toMatchObject({
      code: 'ERR_ALREADY_DECIDED',
      winner: { decision: { by: 'noah' } },
    });
  });

  it('is put to others after a while', async () => {
    const { gate, as, approvalId } = await setUp({ approvers: ['mia'], escalate: { after: 50, to: ['noah'] } });
    await expect.poll(async () => (await gate.get(approvalId))?.escalatedAt).toBeTypeOf('number');
    const { body } = await as('noah').get<RequestDetail>(`api/requests/${approvalId}`);
    expect(body.record.needs[0]?.escalate).toMatchObject({ to: ['noah'] });
    expect((await as('noah').decide(approvalId, approve)).status).toBe(200);
  });

  it('and others with it are decided together, each as it stands', async () => {
    const make = { args: { command: 'make' } };
    const { gate, as, approvalId } = await setUp({ quorum: 2, ...make });
    const { approvalId: other } = await ask(gate, { approvers: ['ada'], ...make });
    const body = { ids: [approvalId, other], decision: approve };
    const { results } = (await as('mia').post<BulkResults>('api/decisions', body)).body;
    expect(results.map(({ ok, record, error }) => [ok, record?.status, error?.code])).toEqual([
      [true, 'pending', undefined],
      [false, undefined, 'ERR_NOT_APPROVER'],
    ]);
  });
});

describe('the gate that is asked first', () => {
  it('says why not, safely, and the request waits', async () => {
    const { gate, as, approvalId } = await setUp(
      {},
      { authorize: (_, { by, groups, via }) => (by === 'mia' ? `not ${via} of ${groups.join()}\u202e` : true) },
    );
    const { status, body } = await as('mia/ops').decide<Failed>(approvalId, approve);
    expect([status, body.error.code]).toEqual([403, 'ERR_NOT_AUTHORIZED']);
    expect(body.error.message).toContain('not inbox of ops');
    expect(body.error.message).not.toContain('\u202e');
    expect(await gate.pending()).toHaveLength(1);
    expect((await as('noah').decide(approvalId, approve)).status).toBe(200);
  });
});
