import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_UNKNOWN_APPROVAL';

/** The gate knows no such request. */
export class UnknownApprovalError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly approvalId: string;

  constructor(options: { message: string; approvalId: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.approvalId = options.approvalId;
  }

  static override isInstance(error: unknown): error is UnknownApprovalError {
    return hasCode(error, CODE);
  }
}
