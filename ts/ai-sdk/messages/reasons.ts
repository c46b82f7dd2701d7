/** What the model and the human are told. */
import type { DecidedVia, DecisionOutcome } from '../../../index.js';
import { isApproval } from '../../gate/records.js';

export const CANCELLED = 'The run was cancelled.';
/** Of a call to which somebody said no in the messages, and no more. */
export const REJECTED_IN_CHAT = 'The user rejected this call in the chat.';
/** Of a call that a human rejected without a reason. */
export const REJECTED = 'Rejected.';
export const TURN_ENDED = 'The human ended the turn.';
export const DUPLICATE_ID =
  'Two calls have the same tool call id, so an answer cannot be told apart. Call the tool again with an id of its own.';
export const EDIT_NOTE =
  'Note: the human changed the arguments of this call before it ran; the call above shows what ran.';
/** The same where the loop is not ours: its messages keep the arguments that the model wrote. */
export const editNoteWith = (args: unknown): string =>
  `Note: the human changed the arguments of this call before it ran. It ran with: ${JSON.stringify(args)}`;

/**
 * What the model is told beside the result of a call that was allowed, or that a human answered; `undefined`: nothing. What a machine gave as its reason
 * is no word of a human.
 *
 * @param about `isEdited`: a human has changed its arguments, with this decision or before
 */
export function noteOn(
  decision: DecisionOutcome,
  via: DecidedVia | null | undefined,
  about: { editNote?: string; isEdited: boolean },
): string | undefined {
  const { editNote = EDIT_NOTE, isEdited } = about;
  const said = via === 'system' ? '' : (decision.reason?.trim() ?? '');
  if (isEdited && isApproval(decision)) return said === '' ? editNote : `${editNote} They said: ${said}`;
  if (said === '') return undefined;
  if (decision.type === 'respond') return `Note: a human gave this result, and said: ${said}`;
  return decision.type === 'approve' ? `Note: the human who approved this call said: ${said}` : undefined;
}

/** Why a call does not run; `undefined` without a given reason. */
export function reasonOf(decision: DecisionOutcome): string | undefined {
  if (decision.reason !== undefined || isApproval(decision)) return decision.reason;
  if (decision.type === 'skip') return 'The human skipped this call. Go on without it.';
  if (decision.type === 'expired') return 'Nobody answered in time.';
  return decision.type === 'cancelled' ? CANCELLED : undefined;
}

/** Of a call that a human allowed: it is asked about again. */
export const INTERRUPTED_CALL = 'It was started before, by a process that is gone, and nobody knows how far it came.';
/** Beside the result of a call that runs with other arguments, or that a human answered. @param started those, as JSON */
export const startedNoteWith = (started: readonly string[]): string =>
  `Note: ${INTERRUPTED_CALL} It was started with: ${started.join('; ')}`;
/** Of a call that may have had its effect, and is not asked about again: beside why it does not run. */
export const NOT_RUN_AGAIN = `${INTERRUPTED_CALL} It was not run again.`;
/** Of a call that needed no approval: it is not run again. */
export const INTERRUPTED_TOOL =
  'This call was interrupted: its process ended before it had a result, and nobody knows how far it came. It was not run again.';
export const LOST_RESULT = 'This call has run to its end, but its result was lost. It was not run again.';
export const REDACTED =
  'Its arguments were redacted before they were stored, so that it cannot be continued. Call the tool again if it is still needed.';
