/** Questions to a human: what they must be, what answers them, and how they are read. */
import type { ApprovalRequest, DecisionOutcome, Question, QuestionOption, QuestionsAnswered } from '../../index.js';
import { InvalidArgumentsError, InvalidDecisionError } from '../errors/index.js';
import { safeText } from '../native.js';

export type QuestionAnswers = QuestionsAnswered['answers'];

/** What may be decided about questions. */
export const QUESTION_DECISIONS = ['respond', 'reject', 'skip'] as const;

/**
 * A copy of questions, checked.
 *
 * @throws {InvalidArgumentsError} which the model is shown: it says what is wrong with them
 */
export function readQuestions(value: unknown): Question[] {
  if (!Array.isArray(value) || value.length === 0) throw unfit('questions', 'a list of at least one question');
  return value.map(readQuestion);
}

function readQuestion(value: unknown, index: number): Question {
  const place = `questions[${index}]`;
  if (!isRecord(value)) throw unfit(place, 'an object');
  const { question, header, required, kind, options } = value;
  if (!isText(question)) throw unfit(`${place}.question`, 'a text that is not empty');
  if (header !== undefined && typeof header !== 'string') throw unfit(`${place}.header`, 'a text');
  if (required !== undefined && typeof required !== 'boolean') throw unfit(`${place}.required`, 'true or false');
  const common = {
    question,
    ...(header === undefined ? {} : { header }),
    ...(required === undefined ? {} : { required }),
  };
  if (kind === 'text') return { ...common, kind };
  if (kind === 'multiple_choice' || kind === 'multi_select')
    return { ...common, kind, options: readOptions(options, `${place}.options`) };
  throw unfit(`${place}.kind`, '"text", "multiple_choice" or "multi_select"');
}

function readOptions(value: unknown, place: string): QuestionOption[] {
  if (!Array.isArray(value) || value.length === 0) throw unfit(place, 'a list of at least one option');
  const options = value.map((option: unknown, index): QuestionOption => {
    if (!isRecord(option) || !isText(option['label']))
      throw unfit(`${place}[${index}].label`, 'a text that is not empty');
    const { label, description } = option;
    if (description === undefined) return { label };
    if (typeof description !== 'string') throw unfit(`${place}[${index}].description`, 'a text');
    return { label, description };
  });
  if (new Set(options.map(({ label }) => label)).size < options.length)
    throw unfit(place, 'a list without two options of the same label');
  return options;
}

/**
 * The answers that a human gave, one for each question.
 *
 * @param output what was responded: `{ answers }`
 * @param anyLabel whether labels are not looked at, since the questions are not here as they were asked
 * @throws {InvalidDecisionError}
 */
export function readAnswers(questions: readonly Question[], output: unknown, anyLabel = false): QuestionAnswers {
  const given = isRecord(output) && Object.hasOwn(output, 'answers') ? output['answers'] : undefined;
  if (!Array.isArray(given) || given.length !== questions.length)
    throw wrong(`Answer with { answers: […] }: a list of ${questions.length}, one for each question, in their order.`);
  return questions.map((question, index) => readAnswer(question, given[index], `answers[${index}]`, anyLabel));
}

function readAnswer(question: Question, given: unknown, place: string, anyLabel: boolean): QuestionAnswers[number] {
  const of = `${place} (${safeText(question.header ?? question.question)})`;
  if (given === null || given === undefined || given === '') {
    if (question.required === false) return null;
    throw wrong(`${of} is missing, and this question must be answered.`);
  }
  if (question.kind !== 'multi_select') {
    if (isText(given)) return given;
    throw wrong(`${of} must be a text that is not empty.`);
  }
  if (!Array.isArray(given)) throw wrong(`${of} must be a list of labels.`);
  const labels = question.options.map(({ label }) => label);
  for (const label of given as unknown[]) {
    if (typeof label !== 'string' || !(anyLabel || labels.includes(label)))
      throw wrong(`${of} must have labels of its options only: ${labels.map((each) => safeText(each)).join(', ')}.`);
  }
  if (new Set(given).size < given.length) throw wrong(`${of} has a label twice.`);
  if (given.length === 0 && question.required !== false) throw wrong(`${of} must have at least one label.`);
  return given as string[];
}

type QuestionRequest = Pick<ApprovalRequest, 'kind' | 'args'>;

/** Whether this is a question, and not something to approve. */
export const isQuestion = ({ kind }: Pick<QuestionRequest, 'kind'>): boolean => kind === 'question';

/** The questions of a request; `undefined`: it has none, or they cannot be read any more. */
export function questionsOf({ kind, args }: QuestionRequest): Question[] | undefined {
  if (kind !== 'question' || !isRecord(args)) return undefined;
  try {
    return readQuestions(args['questions']);
  } catch {
    return undefined;
  }
}

/**
 * A decision about a request as it is to be taken: answers to questions are checked.
 *
 * @throws {InvalidDecisionError}
 */
export function checkedDecision(request: ApprovalRequest, decision: DecisionOutcome): DecisionOutcome {
  if (!isQuestion(request) || decision.type !== 'respond') return decision;
  const questions = questionsOf(request);
  // Where secrets were taken out of the questions, a human may have seen others: the loop, which has them, looks.
  if (questions === undefined) return decision;
  return { ...decision, output: { answers: readAnswers(questions, decision.output, request.contents === 'redacted') } };
}

/** Questions as a call that a preview can show: each in a line, its options below it. */
export function readable(questions: readonly Question[]): Record<string, unknown> {
  const digits = String(questions.length).length;
  const lines = questions.flatMap((question, index): [string, string][] => {
    const number = String(index + 1).padStart(digits, '0');
    const notes = [NOTES[question.kind], ...(question.required === false ? ['may be left out'] : [])];
    const title = question.header === undefined ? '' : `[${question.header}] `;
    const first: [string, string] = [number, `${title}${question.question} (${notes.join('; ')})`];
    if (question.kind === 'text') return [first];
    const places = String(question.options.length).length;
    const options = question.options.map(({ label, description }, at): [string, string] => [
      `${number}-${String(at + 1).padStart(places, '0')}`,
      description === undefined ? label : `${label}: ${description}`,
    ]);
    return [first, ...options];
  });
  return Object.fromEntries(lines);
}

const NOTES = {
  text: 'a text',
  multiple_choice: 'one of these, or other words',
  multi_select: 'any of these',
} as const satisfies Record<Question['kind'], string>;

/** What is asked, in one line. */
export function inOneLine([first, ...more]: readonly Question[]): string {
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${first?.question ?? ''}${others}`;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const unfit = (place: string, what: string): InvalidArgumentsError =>
  new InvalidArgumentsError({ message: `${place} must be ${what}.` });
const wrong = (message: string): InvalidDecisionError => new InvalidDecisionError({ message });
