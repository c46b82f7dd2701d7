/** How often a person approved what one "always" would have answered: counted when a request is shown, which then points at it. */
import type { ApprovalRecord, ApprovalRequest } from '../../index.js';
import type { ProjectLookup } from './call-place.js';
import { doubtsAbout } from './danger.js';
import { isByHuman } from './records.js';

/** How often is often: the prompt speaks of it then. */
const OFTEN = 3;

/** How many of the latest requests of the same tool are looked at. */
export const LOOKED_AT = 200;

/** What counts of a request. */
type CountedRequest = Pick<ApprovalRequest, 'approvalId' | 'runId' | 'toolName' | 'always'>;

/** What counts of what was decided. */
export type CountedRecord = CountedRequest & Pick<ApprovalRecord, 'decision' | 'via'>;

/**
 * How many of these a person approved, in the same project, and the same "always allow" would have answered. None where a person
 * also rejected one of them: what is decided this way and that is not to be remembered.
 *
 * @param earlier of the same tool
 */
export async function askedBefore(
  request: CountedRequest,
  earlier: readonly CountedRecord[],
  projectOf: ProjectLookup,
): Promise<number> {
  const { allow } = request.always;
  if (allow === null) return 0;
  const isLike = ({ approvalId, toolName, always, decision, via }: CountedRecord): boolean =>
    approvalId !== request.approvalId &&
    toolName === request.toolName &&
    always.allow?.label === allow.label &&
    (decision?.type === 'approve' || decision?.type === 'reject') &&
    isByHuman(via ?? undefined);
  const like = earlier.filter(isLike);
  if (like.length === 0) return 0;
  // The same words mean something else where the files are others.
  const project = await projectOf(request);
  let count = 0;
  for (const each of like) {
    if ((await projectOf(each)) !== project) continue;
    if (each.decision?.type === 'reject') return 0;
    count++;
  }
  return count;
}

/** What a prompt says of it, without how it is done there; `undefined`: it was not often, or the call wants a look each time. */
export const askedOften = (times: number, call: Parameters<typeof doubtsAbout>[0]): string | undefined =>
  times < OFTEN || doubtsAbout(call).length > 0 ? undefined : `approved ${times} times before`;
