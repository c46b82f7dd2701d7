/** What a person may decide, as it is told to them: the core says it, and what counts is decided in the ledger. */
import type { ApprovalRecord, DecisionType } from '../../index.js';
import { personRights, type NativeRights } from '../native.js';

export interface InboxPerson {
  name: string;
  groups: readonly string[];
  mayDecide: boolean;
  /** `null`: it is not known. */
  session: string | null;
}

/** Who is in which group, as the gate knows. */
export type GroupMembers = Readonly<Record<string, readonly string[]>>;

export interface PersonRights {
  mayDecide: readonly DecisionType[];
  /** Why it is nothing, or less than the request allows; `null`: it is not less. */
  whyNot: string | null;
}

type AskedRequest = Pick<
  ApprovalRecord,
  'status' | 'allowedDecisions' | 'needs' | 'votes' | 'requester' | 'createdAt' | 'expiresAt'
>;

export function mayDecide(request: AskedRequest, person: InboxPerson, known: GroupMembers, now: number): PersonRights {
  const nothing = (whyNot: string): PersonRights => ({ mayDecide: [], whyNot });
  if (request.status !== 'pending') return nothing('It is decided.');
  if (request.expiresAt !== null && request.expiresAt <= now) return nothing('Its deadline has passed.');
  if (!person.mayDecide) return nothing('You may look, and not decide.');
  const { mayDecide: may, lack } = rightsOf(request, person, known, now);
  return { mayDecide: may, whyNot: lack === null ? null : WHY_NOT[lack] };
}

/** How many have approved each need; `null`: that is not known. */
export const approvalsOf = (request: AskedRequest, known: GroupMembers, now: number): NativeRights['approvals'] =>
  rightsOf(request, NOBODY, known, now).approvals;

const WHY_NOT: Readonly<Record<NonNullable<NativeRights['lack']>, string>> = {
  othersNamed: 'Others are named as approvers.',
  hasVoted: 'You have approved it: others must, too.',
  isRequester: 'Who asked for the run may not approve it.',
};

type NamedPerson = Pick<InboxPerson, 'name' | 'groups'>;

const NOBODY: NamedPerson = { name: '', groups: [] };

function rightsOf(
  { allowedDecisions, needs, votes, requester, createdAt }: AskedRequest,
  person: NamedPerson,
  known: GroupMembers,
  now: number,
): NativeRights {
  const groupsOf = (name: string) => Object.keys(known).filter((group) => known[group]?.includes(name) === true);
  const withGroups = ({ name, groups }: NamedPerson) => ({ name, groups: [...groups, ...groupsOf(name)] });
  return personRights({
    allowedDecisions,
    needs,
    voters: votes.map(({ by }) => withGroups({ name: by, groups: [] })),
    requester,
    age: now - createdAt,
    person: withGroups(person),
  });
}
