import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_INVALID_DECISION';

/** The decision is malformed; the request goes on waiting. */
export class InvalidDecisionError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is InvalidDecisionError {
    return hasCode(error, CODE);
  }
}
