import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_NOT_APPROVER';

/** The request names who may decide, and this person is not named, or is unknown; the request goes on waiting. */
export class NotApproverError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly approvalId: string;
  readonly by: string | null;
  readonly approvers: readonly string[];

  constructor(options: {
    message: string;
    approvalId: string;
    by: string | null;
    approvers: readonly string[];
    cause?: unknown;
  }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.approvalId = options.approvalId;
    this.by = options.by;
    this.approvers = options.approvers;
  }

  static override isInstance(error: unknown): error is NotApproverError {
    return hasCode(error, CODE);
  }
}
