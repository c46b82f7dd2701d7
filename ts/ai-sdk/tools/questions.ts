/** Tools whose calls are questions to the human: they run nothing, and only a human answers them. */
import type { Tool, ToolSet } from 'ai';
import type { Question, QuestionsAnswer } from '../../../index.js';
import { InvalidArgumentsError, InvalidConfigError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { questionsOf, readAnswers, readQuestions, type QuestionAnswers } from '../../gate/questions.js';
import type { DecidedRecord } from '../../gate/records.js';
import { snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { reasonOf } from '../messages/reasons.js';
import { ownTool } from './tools.js';

/** The property by which such a tool is known. Registered: a tool may come from another copy of this package. */
export const QUESTIONS = Symbol.for('countersign.questions');

/** Marks a question tool that is always there. Leaving out `onQuestion` then does not mean that questions are expected. */
export const ALWAYS_THERE = Symbol.for('countersign.questions.always-there');

/** Whether calls of a tool are questions. */
export function isQuestionTool(tool: Tool | undefined): boolean {
  return tool !== undefined && Object.hasOwn(tool, QUESTIONS);
}

/**
 * The questions of a call.
 *
 * @throws what the model is told: its arguments are no questions
 */
export function questionsIn(tool: Tool | undefined, input: unknown): Question[] {
  const read: unknown = (tool as { [QUESTIONS]?: unknown } | undefined)?.[QUESTIONS];
  if (typeof read !== 'function')
    throw new InvalidArgumentsError({ message: 'The tool does not say what its questions are.' });
  return readQuestions(Reflect.apply(read, tool, [input]));
}

/** @throws {InvalidConfigError} for the tools of a subagent: a human is asked by the main agent only */
export function refuseQuestions(tools: ToolSet, place: string): void {
  const name = Object.keys(tools).find((each) => isQuestionTool(ownTool(tools, each)));
  if (name === undefined) return;
  throw new InvalidConfigError({
    message: `${place}: the tool ${JSON.stringify(name)} puts questions to the human, which a subagent cannot do. Leave it out of the tools of the subagent.`,
  });
}

type ToldDecision = Pick<DecidedRecord, 'decision'> & Partial<Pick<DecidedRecord, 'via' | 'args'>>;

/** The questions of one call, and what becomes of them. */
export class CallQuestions {
  readonly questions: readonly Question[];
  /** What the request shows and keeps. */
  readonly args: ValueSnapshot;
  #answer: QuestionsAnswer = { status: 'error', reason: 'Nobody could be asked.' };
  #objection: string | undefined;

  constructor(questions: readonly Question[]) {
    this.questions = questions;
    this.args = snapshot({ questions });
  }

  get answer(): QuestionsAnswer {
    return this.#answer;
  }

  /** Why the same questions must be asked again: the answer was not checked where it was given, and does not fit. */
  get objection(): string | undefined {
    return this.#objection;
  }

  /** What a decision means for the questions. */
  take(told: ToldDecision): QuestionsAnswer {
    this.#objection = undefined;
    this.#answer = this.#answerIn(told);
    return this.#answer;
  }

  /** No request could be made of them. */
  fail(reason: string): void {
    this.#answer = { status: 'error', reason };
  }

  #answerIn({ decision, via, args }: ToldDecision): QuestionsAnswer {
    const reason = reasonOf(decision);
    switch (decision.type) {
      case 'respond':
        try {
          return { status: 'answered', answers: this.#checked(decision.output, args) };
        } catch (error) {
          this.#objection = `The answer did not fit the questions: ${messageOf(error)}`;
          return { status: 'error', reason: this.#objection };
        }
      case 'reject':
        // Said by a machine: no human could be asked.
        if (via === 'system') return { status: 'error', reason: reason ?? 'Nobody could be asked.' };
        return reason === undefined ? { status: 'cancelled' } : { status: 'cancelled', reason };
      case 'skip':
        return decision.reason === undefined
          ? { status: 'cancelled' }
          : { status: 'cancelled', reason: decision.reason };
      case 'cancelled':
        // Without a decision there is nothing to report any more.
        return { status: via === undefined ? 'error' : 'cancelled', reason: reason ?? 'It was cancelled.' };
      default:
        return { status: 'error', reason: `The questions were ${decision.type}d, which answers nothing.` };
    }
  }

  /** The questions may have been shown without the secrets in them: then those labels are right, too. */
  #checked(output: unknown, kept: unknown): QuestionAnswers {
    try {
      return readAnswers(this.questions, output);
    } catch (error) {
      const others = questionsOf({ kind: 'question', args: kept });
      if (others?.length !== this.questions.length) throw error;
      return readAnswers(others, output);
    }
  }
}

/** What the model is told of the questions: each with its answer. */
export function answerText(questions: readonly Question[], answer: QuestionsAnswer): string {
  switch (answer.status) {
    case 'answered':
      return questions
        .map(({ question }, index) => `Q: ${question}\nA: ${shown(answer.answers[index] ?? null)}`)
        .join('\n\n');
    case 'cancelled': {
      const why = answer.reason === undefined ? '' : ` The reason: ${answer.reason}`;
      return `The human did not answer the questions.${why} Go on without the answers.`;
    }
    case 'error':
      return `The questions could not be put to the human: ${answer.reason} Go on without the answers.`;
  }
}

function shown(answer: QuestionAnswers[number]): string {
  if (answer === null) return '(left out)';
  if (typeof answer === 'string') return answer;
  return answer.length === 0 ? '(none)' : answer.join(', ');
}
