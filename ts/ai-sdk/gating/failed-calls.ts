/** Why a call did not run, told to the developer where the AI SDK tells the model alone. */
import type { ApprovalRecord } from '../../../index.js';
import { CountersignError } from '../../errors/countersign-error.js';
import { RefusedByCore } from '../../errors/from-native.js';
import { messageOf } from '../../errors/message-of.js';
import { warnOnce, warnSeldom } from '../../errors/warn-once.js';
import type { LocalGate } from '../../gate/gate.js';
import { RefusedExecution } from '../../gate/refused-execution.js';
import { isOpen } from '../messages/request-acts.js';

/** What the model brings about, or a human, and what the model is told: nothing has to be fixed. */
const EXPECTED: ReadonlySet<string> = new Set([
  'ERR_ALREADY_DECIDED',
  'ERR_DECISION_NOT_ALLOWED',
  'ERR_DUPLICATE_REQUEST',
  'ERR_EXPIRED',
  'ERR_INVALID_ARGUMENTS',
  'ERR_UNKNOWN_APPROVAL',
]);

/** Warns of what kept a call from running: a ledger that cannot be used, a gate that is closed, a mistake in the tools. */
export function warnFailedCall(place: string, toolName: string, error: unknown): void {
  const failure = failureOf(error);
  if (failure === undefined) return;
  const why = toldFailure(failure.error);
  warnSeldom(
    `failed-call:${place}:${why}`,
    `${place}: a call of ${JSON.stringify(toolName)} did not run, and only the model was told why: ${why}`,
  );
}

/** Warns of an answer in messages that counts as a no regardless of its content, or could not be kept. */
export function warnFailedAnswer(place: string, toolName: string, error: unknown): void {
  const failure = failureOf(error);
  if (failure === undefined) return;
  const why = toldFailure(failure.error);
  warnSeldom(
    `failed-answer:${place}:${why}`,
    `${place}: what was answered to a call of ${JSON.stringify(toolName)} could not be taken, so that it does not run: ${why}`,
  );
}

/**
 * Warns of a call whose request the gate has under another run than that of an answer: else the model alone hears of it, for each
 * answer of each user.
 *
 * @param isMeant whether this request is about the very call
 */
export async function warnOtherRun(
  place: string,
  gate: LocalGate,
  toolCallId: string,
  isMeant: (record: ApprovalRecord) => boolean,
): Promise<void> {
  const records = await gate.find(null, toolCallId);
  const record = records.find((each) => isOpen(each.status) && isMeant(each));
  if (record === undefined) return;
  warnOnce(
    `other-run:${place}`,
    `${place}: an answer to a call of ${JSON.stringify(record.toolName)} did not count, since the gate has its request under another runId. Pass one and the same runId to gateTools or toolApproval and to verifyApprovals, in each request of a chat: its id, for example. If you do, somebody has sent an answer to a call of another chat.`,
  );
}

/** Warns of an answer in messages for tools that look for none there. */
export const warnOtherMode = (place: string, toolName: string): void =>
  warnOnce(
    `other-mode:${place}`,
    `${place}: an answer to a call of ${JSON.stringify(toolName)} came back in the messages and did not count, since these tools were made without mode: 'stop'. Pass mode: 'stop' in each request of a chat whose answers come back in the messages.`,
  );

/** Warns of a yes to arguments that do not come back from a browser as they were. */
export const warnMadeValues = (place: string, toolName: string): void =>
  warnOnce(
    `made-values:${place}:${toolName}`,
    `${place}: a yes to a call of ${JSON.stringify(toolName)} did not count: the schema of the tool makes values such as dates, which do not come back in the messages. Leave the arguments as JSON in the schema, and make the values in execute.`,
  );

/** Warns of a call that is shown as a request although no answer to it can count. */
export const warnUnanswerable = (place: string, toolName: string, why: string): void =>
  warnOnce(
    `unanswerable:${place}:${toolName}`,
    `${place}: a call of ${JSON.stringify(toolName)} cannot be approved: ${why} The tool has no execute, so that the page shows a request, and a yes to it is refused.`,
  );

/** What somebody has to mend; `undefined`: nothing. */
function failureOf(error: unknown): { error: unknown } | undefined {
  // What an execution was refused for.
  const cause = error instanceof RefusedExecution ? error.cause : error;
  const isExpected =
    (cause === undefined && error instanceof RefusedExecution) ||
    cause instanceof RefusedByCore ||
    (CountersignError.isInstance(cause) && EXPECTED.has(cause.code));
  return isExpected ? undefined : { error: cause };
}

/** With its code, by which the documents know it. */
const toldFailure = (error: unknown): string =>
  CountersignError.isInstance(error) ? `${messageOf(error)} (${error.code})` : messageOf(error);
