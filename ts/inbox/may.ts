/** What a person may decide, as far as it is told to them: what counts is decided in the ledger. */
import type { ApprovalNeed, ApprovalRecord, DecisionType } from '../../index.js';
import { isSamePerson } from '../gate/person-name.js';

export interface InboxPerson {
  name: string;
  groups: readonly string[];
  mayDecide: boolean;
  /** `null`: it is not known. */
  session: string | null;
}

/** Who is in which group, as the gate knows. */
export type GroupMembers = Readonly<Record<string, readonly string[]>>;

const GROUP = 'group:';

const isNamed = (names: readonly string[], { name, groups }: InboxPerson, known: GroupMembers): boolean =>
  names.some((each) => {
    if (!each.startsWith(GROUP)) return each === name;
    const group = each.slice(GROUP.length);
    return groups.includes(group) || (Object.hasOwn(known, group) && known[group]?.includes(name) === true);
  });

/** Whether this person is among those that a need names, so long after it was asked, in ms. */
export function isMeant(
  { approvers, escalate }: ApprovalNeed,
  person: InboxPerson,
  known: GroupMembers,
  age: number,
): boolean {
  if (approvers === undefined || isNamed(approvers, person, known)) return true;
  return escalate !== undefined && escalate.after <= age && isNamed(escalate.to, person, known);
}

export interface PersonRights {
  mayDecide: readonly DecisionType[];
  /** Why it is nothing, or less than the request allows; `null`: it is not less. */
  whyNot: string | null;
}

type AskedRequest = Pick<
  ApprovalRecord,
  'status' | 'allowedDecisions' | 'needs' | 'votes' | 'requester' | 'createdAt' | 'expiresAt' | 'escalatedAt'
>;

export function mayDecide(request: AskedRequest, person: InboxPerson, known: GroupMembers, now: number): PersonRights {
  const { allowedDecisions, needs, votes, requester, status, expiresAt } = request;
  const nothing = (whyNot: string): PersonRights => ({ mayDecide: [], whyNot });
  if (status !== 'pending') return nothing('It is decided.');
  if (expiresAt !== null && expiresAt <= now) return nothing('Its deadline has passed.');
  if (!person.mayDecide) return nothing('You may look, and not decide.');
  if (needs.length === 0) return { mayDecide: allowedDecisions, whyNot: null };
  const meant = needs.filter((need) => isMeant(need, person, known, now - request.createdAt));
  const isRequester = requester !== null && isSamePerson(requester, person.name);
  if (meant.length === 0 && !isRequester) return nothing('Others are named as approvers.');
  const [only, ...more] = needs;
  const isAlone = more.length === 0 && (only?.quorum ?? 1) === 1;
  const counts = meant.some(({ excludeRequester = false }) => !(excludeRequester && isRequester));
  const hasVoted = votes.some(({ by }) => isSamePerson(by, person.name));
  const may = allowedDecisions.filter((type) => {
    // With several needs, somebody who is named later may count for more than before.
    if (type === 'approve') return counts && !(hasVoted && more.length === 0);
    return type === 'reject' || type === 'skip' || (isAlone && counts);
  });
  if (hasVoted) return { mayDecide: may, whyNot: 'You have approved it: others must, too.' };
  if (counts) return { mayDecide: may, whyNot: null };
  return {
    mayDecide: may,
    whyNot: meant.length === 0 ? 'Others are named as approvers.' : 'Who asked for the run may not approve it.',
  };
}
