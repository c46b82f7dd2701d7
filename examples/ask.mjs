// @ts-check
/**
 * Asks on the terminal about one tool call (y, n, or a reason not to), or what a model wants to know.
 *
 * With COUNTERSIGN_AUTO=approve or COUNTERSIGN_AUTO=reject it answers itself, so that the examples can run unattended.
 */
import { terminalApprover } from 'countersign';

/** @import { ApprovalRequest, Decision, Question, QuestionRequest, QuestionsAnswered } from 'countersign' */

const human = terminalApprover();
const NEVER = new AbortController().signal;

/**
 * @param {Pick<ApprovalRequest, 'preview'> & Partial<ApprovalRequest>} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<Decision>}
 */
export async function askOnTerminal(request, { abortSignal = NEVER } = {}) {
  const automatic = process.env.COUNTERSIGN_AUTO;
  if (automatic === undefined) return human(request, { abortSignal });
  // The preview is safe to print: whatever a terminal would obey is shown as text.
  console.log(`\n${request.preview}`);
  return automatic === 'approve' ? { type: 'approve' } : { type: 'reject', reason: 'not today' };
}

/**
 * `null`: the human does not want to answer.
 *
 * @param {QuestionRequest} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<QuestionsAnswered['answers'] | null>}
 */
export async function answerOnTerminal(request, { abortSignal = NEVER } = {}) {
  const automatic = process.env.COUNTERSIGN_AUTO;
  if (automatic === undefined) return human(request, { abortSignal });
  console.log(`\n${request.preview}`);
  return automatic === 'approve' ? request.args.questions.map(answerTo) : null;
}

/** @param {Question} question @returns {string | string[] | null} */
function answerTo(question) {
  if (question.required === false) return null;
  if (question.kind === 'text') return 'as you like';
  const [first] = question.options.map(({ label }) => label);
  return question.kind === 'multi_select' ? [first ?? ''] : (first ?? '');
}
