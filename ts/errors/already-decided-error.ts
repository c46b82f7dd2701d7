import type { ApprovalRecord } from '../../index.js';
import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_ALREADY_DECIDED';

/** Somebody else was first; `winner` is what stands. */
export class AlreadyDecidedError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly winner: ApprovalRecord;

  constructor(options: { message: string; winner: ApprovalRecord; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.winner = options.winner;
  }

  static override isInstance(error: unknown): error is AlreadyDecidedError {
    return hasCode(error, CODE);
  }
}
