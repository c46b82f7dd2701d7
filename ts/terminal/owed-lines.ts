/** Whose the lines of a pipe are: what was decided elsewhere leaves its lines to nothing else. */
import type { ApprovalRequest, QuestionRequest } from '../../index.js';
import { questionsOf } from '../gate/questions.js';

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

/** How many piped lines belong to it: one to a call, and one to each question. */
export const linesFor = (request: Partial<Pick<ApprovalRequest, 'kind'>>): number =>
  request.kind === 'question' ? (questionsOf(request as QuestionRequest) ?? []).length : 1;

/** Said of what was asked, on a pipe. */
export const NO_LONGER_PIPED = '(This is no longer asked. The line that belongs to it answers nothing else.)';
