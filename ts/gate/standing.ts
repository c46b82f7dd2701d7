/** Who must agree to a request, and how far that is, in words for a human. */
import type { ApprovalNeed, ApprovalRequest } from '../../index.js';
import { safeText } from '../native.js';

type StandingRequest = Pick<ApprovalRequest, 'needs' | 'requester' | 'votes'>;

/** `1 of 2 approvals (ada), needs group:ops`; nothing of a request that anybody decides. */
export function standing({ needs, votes, requester }: StandingRequest): string {
  if (needs.length === 0) return '';
  const said = needs.map((need) => needInWords(need, requester)).join('; ');
  const [only] = needs;
  const quorum = only?.quorum ?? 1;
  if (needs.length > 1 || quorum === 1) return `${counted(votes)}needs ${said}`;
  return `${votes.length} of ${quorum} approvals${by(votes)}, needs ${said}`;
}

/** `2 of: ada, group:ops, not bo`. */
function needInWords(
  { approvers, quorum = 1, excludeRequester, escalate }: ApprovalNeed,
  requester: string | null,
): string {
  const names = approvers === undefined ? 'anybody with a name' : list(approvers);
  const several = quorum > 1 && (approvers === undefined || approvers.length > 1) ? `${quorum} of: ` : '';
  const not = excludeRequester === true && requester !== null ? `, not ${safeText(requester)}` : '';
  const later = escalate === undefined ? '' : `, later ${list(escalate.to)}`;
  return `${several}${names}${not}${later}`;
}

const counted = (votes: StandingRequest['votes']): string =>
  votes.length === 0 ? '' : `${votes.length} ${votes.length === 1 ? 'approval' : 'approvals'}${by(votes)}, `;
const by = (votes: StandingRequest['votes']): string =>
  votes.length === 0 ? '' : ` (${list(votes.map((vote) => vote.by))})`;
const list = (names: readonly string[]): string => names.map((name) => safeText(name)).join(', ');
