import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_AUDIT_HEAD';

/** A signed head of an audit, or a key for one, is not what it should be. */
export class AuditHeadError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is AuditHeadError {
    return hasCode(error, CODE);
  }
}
