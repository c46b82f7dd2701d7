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

/** What is answered without a human; `undefined`: a human is asked. */
const automatic = ['approve', 'reject'].find((answer) => answer === process.env.COUNTERSIGN_AUTO);

/**
 * @param {Pick<ApprovalRequest, 'preview'> & Partial<ApprovalRequest>} request
 * @param {{ abortSignal?: AbortSignal }} [options]
 * @returns {Promise<Decision>}
 */
export async function askOnTerminal(request, { abortSignal = NEVER } = {}) {
  if (automatic === undefined) {
    return human(request, { abortSignal }).catch(nobody({ type: 'reject', reason: 'there is nobody to ask' }));
  }
  // The preview is safe to print: characters that a terminal would obey are shown as text.
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
  if (automatic === undefined) return human(request, { abortSignal }).catch(nobody(null));
  console.log(`\n${request.preview}`);
  return automatic === 'approve' ? request.args.questions.map(answerTo) : null;
}

/** What the answer is when the input has ended. @template T @param {T} answer @returns {(error: unknown) => T} */
function nobody(answer) {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_INPUT_ENDED') return answer;
    throw error;
  };
}

/** @param {Question} question @returns {string | string[] | null} */
function answerTo(question) {
  if (question.required === false) return null;
  if (question.kind === 'text') return 'as you like';
  const [first] = question.options.map(({ label }) => label);
  return question.kind === 'multi_select' ? [first ?? ''] : (first ?? '');
}
