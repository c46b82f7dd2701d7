import type { ApprovalRecord } from '../../index.js';
import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_DUPLICATE_REQUEST';

/** This run has asked about this call before; `existing` is that request. */
export class DuplicateRequestError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly existing: ApprovalRecord;

  constructor(options: { message: string; existing: ApprovalRecord; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.existing = options.existing;
  }

  static override isInstance(error: unknown): error is DuplicateRequestError {
    return hasCode(error, CODE);
  }
}
