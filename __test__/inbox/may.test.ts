/** What a person is told that they may decide. What counts is decided in the ledger: see the tests of who may decide. */
import { describe, expect, it } from 'vitest';
import type { ApprovalNeed, ApprovalRecord, Vote } from '../../index.js';
import { mayDecide } from '../../ts/inbox/may.js';

const ALL = ['approve', 'edit', 'reject', 'respond', 'skip'] as const;
const FEW = ['approve', 'reject', 'skip'];
const NOW = 10_000;

const asked = (needs: ApprovalNeed[], more: Partial<ApprovalRecord> = {}) => ({
  status: 'pending' as const,
  allowedDecisions: needs.length > 1 || (needs[0]?.quorum ?? 1) > 1 ? (FEW as (typeof ALL)[number][]) : ALL,
  needs,
  votes: [],
  requester: null,
  createdAt: 0,
  expiresAt: null,
  escalatedAt: null,
  startedBefore: false,
  proven: null,
  ...more,
});

const person = (name: string, groups: string[] = [], decides = true) => ({
  name,
  groups,
  mayDecide: decides,
  session: null,
});

const may = (request: ReturnType<typeof asked>, name: string, groups: string[] = [], known = {}) =>
  mayDecide(request, person(name, groups), known, NOW);

const vote = (by: string): Vote => ({ by, via: 'inbox', at: 1 });

describe('without needs', () => {
  it('everybody may do everything that the request allows', () => {
    expect(may(asked([]), 'mia')).toEqual({ mayDecide: ALL, whyNot: null });
    expect(may(asked([], { allowedDecisions: ['reject'] }), 'mia').mayDecide).toEqual(['reject']);
  });

  it('nobody may who only looks, or where it is over', () => {
    expect(mayDecide(asked([]), person('mia', [], false), {}, NOW)).toMatchObject({ mayDecide: [] });
    expect(may(asked([], { status: 'approved' }), 'mia')).toMatchObject({ mayDecide: [] });
    expect(may(asked([], { expiresAt: NOW }), 'mia')).toMatchObject({ mayDecide: [] });
    expect(may(asked([], { expiresAt: NOW + 1 }), 'mia')).toMatchObject({ mayDecide: ALL });
  });
});

describe('with one need', () => {
  it.each([
    ['a name', { approvers: ['mia'] }, [], {}],
    ['a group, as the caller knows', { approvers: ['group:ops'] }, ['ops'], {}],
    ['a group, as the gate knows', { approvers: ['group:ops'] }, [], { ops: ['mia'] }],
    ['nobody', { excludeRequester: true }, [], {}],
    ['others, but escalated', { approvers: ['noah'], escalate: { after: NOW, to: ['mia'] } }, [], {}],
  ])('that names %s: all of it', (_, need, groups, known) => {
    expect(may(asked([need]), 'mia', groups, known)).toEqual({ mayDecide: ALL, whyNot: null });
  });

  it.each([
    ['others', { approvers: ['noah'] }],
    ['another group', { approvers: ['group:ops'] }],
    ['a group of that name', { approvers: ['group:mia'] }],
    ['a group as a property has', { approvers: ['group:constructor'] }],
    ['others, not yet escalated', { approvers: ['noah'], escalate: { after: NOW + 1, to: ['mia'] } }],
  ])('that names %s: nothing', (_, need) => {
    expect(may(asked([need]), 'mia', ['security'])).toEqual({
      mayDecide: [],
      whyNot: 'Others are named as approvers.',
    });
  });

  it('the requester who is excluded may end it, and not let it run', () => {
    const request = asked([{ approvers: ['mia'], excludeRequester: true }], { requester: 'Mia ' });
    expect(may(request, 'mia').mayDecide).toEqual(['reject', 'skip']);
    expect(may(request, 'mia').whyNot).toContain('asked for the run');
  });

  it('the requester who is not named may end it', () => {
    expect(may(asked([{ approvers: ['noah'] }], { requester: 'mia' }), 'mia').mayDecide).toEqual(['reject', 'skip']);
  });

  it('whoever has approved may still end it', () => {
    const request = asked([{ quorum: 2 }], { votes: [vote('MIA')] });
    expect(may(request, 'mia').mayDecide).toEqual(['reject', 'skip']);
    expect(may(request, 'noah').mayDecide).toEqual(FEW);
  });
});

it('with several needs each who is named by one may approve, and nobody may edit', () => {
  const request = asked([{ approvers: ['mia'] }, { approvers: ['group:ops'], quorum: 2 }]);
  expect(may(request, 'mia').mayDecide).toEqual(FEW);
  expect(may(request, 'noah', ['ops']).mayDecide).toEqual(FEW);
  expect(may(request, 'ada').mayDecide).toEqual([]);
});
