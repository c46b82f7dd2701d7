/** Whose the lines of a pipe are: what was decided elsewhere leaves its lines to nothing else. */
import type { ApprovalRequest, QuestionRequest } from '../../index.js';
import { againLine } from '../gate/asked-again.js';
import { questionsOf } from '../gate/questions.js';
import { ANSWER_ELSEWHERE } from './answers.js';

/** Lines that are yet to come, and belong to what took none of them. */
export class OwedLines {
  #count = 0;

  owe(count: number): void {
    this.#count += count;
  }

  /** Whether the next line is one of them, which answers nothing. It is counted as come. */
  pass(): boolean {
    if (this.#count === 0) return false;
    this.#count--;
    return true;
  }
}

/** A request, as much of it as says how many lines it has. */
type LinedRequest = Partial<Pick<ApprovalRequest, 'kind' | 'askedAgain' | 'createdAt'>>;

/** How many piped lines belong to it: one to a call, one to each question, and none to what no line was written for. */
export function linesFor(request: LinedRequest): number {
  if (isUnwritten(request)) return 0;
  return request.kind === 'question' ? (questionsOf(request as QuestionRequest) ?? []).length : 1;
}

/**
 * Whether no line was written for it: its call had its answer, and that was taken back while this process ran. What had waited before
 * that is known to wait.
 */
const isUnwritten = ({ askedAgain = null, createdAt = Infinity }: LinedRequest): boolean =>
  askedAgain?.takenBack === true && createdAt >= Math.floor(performance.timeOrigin);

/** Why a request is rejected on a pipe before a line is read; `undefined`: a line is. The next one belongs to the next call. */
export const unlined = (request: LinedRequest): string | undefined =>
  isUnwritten(request)
    ? `It is asked about again, and no piped line was written for that. ${againLine(request)} ${ANSWER_ELSEWHERE}`
    : undefined;

/** Said of what was asked, on a pipe. */
export const NO_LONGER_PIPED = '(This is no longer asked. The line that belongs to it answers nothing else.)';
