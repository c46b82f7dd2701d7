/** Answers to questions, from the command line. */
import type { Question } from '../../index.js';
import { checkedDecision, questionsOf } from '../gate/questions.js';
import type { KeptRecord } from '../native.js';
import { UsageError } from './exit.js';
import { toJson } from './shown.js';
import type { HumanDecision } from './decisions.js';

/** The answers that were typed, one for each question, as a decision. @throws {UsageError} @throws {InvalidDecisionError} */
export function answering(record: KeptRecord, typed: readonly string[]): HumanDecision {
  const questions = questionsOf(toJson(record));
  if (questions === undefined)
    throw new UsageError('--answer answers questions, and this is not a question: use --text or --json-output');
  if (typed.length !== questions.length)
    throw new UsageError(`there are ${questions.length} questions: give an --answer for each of them, in their order`);
  const answers = questions.map((question, index) => answerIn(question, typed[index] ?? ''));
  return { type: 'respond', output: { answers } };
}

/** A decision as it is to be taken. @throws {InvalidDecisionError} when it answers questions and does not fit them */
export function checked(record: KeptRecord, decision: HumanDecision): HumanDecision {
  // What a ledger lists as waiting has no status of its own.
  const request = toJson(record);
  return request.status === 'pending' ? (checkedDecision(request, decision) as HumanDecision) : decision;
}

/** Nothing is an answer that is left out; labels stand with commas between them. */
function answerIn(question: Question, typed: string): string | string[] | null {
  if (typed.trim() === '') return null;
  if (question.kind !== 'multi_select') return typed;
  if (question.options.some(({ label }) => label === typed)) return [typed];
  return typed.split(',').map((label) => label.trim());
}
