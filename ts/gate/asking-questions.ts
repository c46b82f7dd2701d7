/** How questions are put to a human: what is asked, and by whom it is answered. */
import type { ApprovalRecord, Question, QuestionRequest } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { preview, safeText } from '../native.js';
import type { Question as Asked } from './asker.js';
import type { LocalGate } from './gate.js';
import { inOneLine, QUESTION_DECISIONS, readable } from './questions.js';
import type { OpenRequest } from './requests.js';

export type QuestionCallback = (request: QuestionRequest, options: { abortSignal: AbortSignal }) => unknown;

/** @throws {InvalidConfigError} */
export function checkQuestionCallback(callback: unknown, place: string): void {
  if (callback === undefined || typeof callback === 'function') return;
  throw new InvalidConfigError({ message: `${place}: onQuestion must be a function.` });
}

/** A request that has no deadline, nothing to be bound to, and nothing that could be remembered. */
export function questionRequest(
  { toolCallId, toolName, args, verdict, supersedes }: Asked,
  questions: readonly Question[],
  of: Pick<OpenRequest, 'runId' | 'origin' | 'logger'>,
): OpenRequest {
  const again = supersedes === undefined ? '' : `Asked again: ${supersedes.reason} `;
  const nothing = { allow: null, deny: null };
  return {
    ...of,
    toolCallId,
    toolName,
    args,
    description: `${again}The agent asks: ${safeText(inOneLine(questions))}`,
    allowedDecisions: QUESTION_DECISIONS,
    timeoutMs: null,
    context: null,
    details: { kind: 'question', verdict: verdict?.said ?? null, always: nothing, changes: [] },
    page: preview(toolName, readable(questions)),
    supersedes: supersedes?.approvalId ?? null,
  };
}

/** Only a human answers questions: without one, what approves calls does not. */
export function askQuestions(
  gate: LocalGate,
  record: ApprovalRecord,
  callback: ((abortSignal: AbortSignal) => unknown) | undefined,
  hasGate: boolean,
  abortSignal: AbortSignal,
): void {
  const nobody =
    gate.control.mode === 'deny-all-asks'
      ? 'Nobody is there to be asked: the mode is deny-all-asks.'
      : callback === undefined && !hasGate
        ? 'Nobody can be asked: the run has neither onQuestion nor a gate.'
        : undefined;
  if (nobody !== undefined) void gate.rejectBySystem(record.approvalId, nobody);
  else if (callback !== undefined) void call(gate, record, callback, abortSignal);
}

async function call(
  gate: LocalGate,
  record: ApprovalRecord,
  callback: (abortSignal: AbortSignal) => unknown,
  abortSignal: AbortSignal,
): Promise<void> {
  let answers: unknown;
  let reason: string | undefined;
  try {
    answers = await callback(abortSignal);
  } catch (error) {
    answers = null;
    reason = messageOf(error);
  }
  // Then it is cancelled, which is not to be forestalled by those who notice that.
  if (!abortSignal.aborted) await gate.answerByCallback(record, answers, reason);
}
