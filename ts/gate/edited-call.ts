/** A call with other arguments, as a person wants to let it run. */
import type { ApprovalRequest, PolicyVerdict } from '../../index.js';
import { preview } from '../native.js';
import { isSame } from '../values/same.js';
import { snapshot } from '../values/snapshot.js';
import { shownArgs, type ReasonedCall } from './agent-reason.js';
import type { DangerousCall } from './danger.js';

/** Said where arguments were edited, and are what they were. */
export const NOTHING_CHANGED = 'Nothing was changed: it goes on waiting';

/**
 * Whether arguments that somebody wrote are those that were asked for, in any order of names: that is no edit, and no yes.
 *
 * @param before as JSON
 * @param args as the tool would get them
 */
export const isUnchanged = (before: unknown, args: unknown): boolean =>
  isSame(plain(before), plain(snapshot(args).json));

const plain = (json: unknown): unknown => (json === undefined ? undefined : JSON.parse(JSON.stringify(json)));

/**
 * The call as it would run: what stands out in it is looked at twice, as of any call. That it was started before, and that a rule
 * marks it as a risk, holds on.
 *
 * @param args as JSON
 */
export function editedCall<CALL extends DangerousCall & ReasonedCall & Pick<ApprovalRequest, 'flags'>>(
  call: CALL,
  args: unknown,
): CALL & Pick<ApprovalRequest, 'preview'> {
  const { toolName, agentReason = null, verdict } = call;
  const { text, flags } = preview(toolName, shownArgs({ args, agentReason }));
  // What policies have read, and what would change, is of the call that was asked for.
  return {
    ...call,
    args,
    preview: text,
    flags,
    verdict: verdict === null ? null : unread(verdict),
    changes: [],
  };
}

function unread(verdict: PolicyVerdict): PolicyVerdict {
  const { more: _, ...rest } = verdict;
  return { ...rest, actions: [] };
}
