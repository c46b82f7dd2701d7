/** Requests of calls with the id of an earlier one. Some models count the ids of their calls again from the start. */
import type { CallQuestion } from '../../gate/call-question.js';
import { existingRecord } from '../../gate/records.js';
import type { Awaitable } from '../../values/awaitable.js';
import { hasCall } from '../messages/messages.js';

/**
 * Makes the request of a call. An earlier one of its id makes place for it, if its call is no longer in the conversation and
 * nothing runs on it: it was cancelled, or somebody decided against it. The core says whether it may. What was said of the
 * earlier one says nothing of the new one.
 */
export async function openAnew<OPENED>(
  question: CallQuestion,
  open: (question: CallQuestion) => Awaitable<OPENED>,
): Promise<OPENED> {
  try {
    return await open(question);
  } catch (error) {
    const { messages, toolCallId } = question;
    const earlier = existingRecord(error);
    if (earlier === undefined || !MAKES_PLACE.has(earlier.status) || hasCall(messages, toolCallId)) throw error;
    const callIsGone = messages !== undefined && messages.length > 0;
    const { approvalId } = earlier;
    const supersedes = { approvalId, reason: SAME_ID, startedBefore: false, takenBack: false, callIsGone };
    return open({ ...question, supersedes });
  }
}

/** One that was interrupted may have done its work, and one that was answered has a result: they stay. */
const MAKES_PLACE: ReadonlySet<string> = new Set(['cancelled', 'rejected', 'skipped', 'expired']);

const SAME_ID = 'The model gave this call the id of an earlier one, which is no longer in the conversation.';
