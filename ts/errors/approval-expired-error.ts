import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_EXPIRED';

/** The deadline has passed. */
export class ApprovalExpiredError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly approvalId: string;

  constructor(options: { message: string; approvalId: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.approvalId = options.approvalId;
  }

  static override isInstance(error: unknown): error is ApprovalExpiredError {
    return hasCode(error, CODE);
  }
}
