import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_NOT_AUTHORIZED';

/** The gate's `authorize` does not let this person take this decision; the request goes on waiting. */
export class NotAuthorizedError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly approvalId: string;

  constructor(options: { message: string; approvalId: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.approvalId = options.approvalId;
  }

  static override isInstance(error: unknown): error is NotAuthorizedError {
    return hasCode(error, CODE);
  }
}
