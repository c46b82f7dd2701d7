import type { DecisionType } from '../../index.js';
import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_DECISION_NOT_ALLOWED';

/** The request does not allow this decision; it goes on waiting. */
export class DecisionNotAllowedError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly approvalId: string;
  readonly allowedDecisions: readonly DecisionType[];

  constructor(options: {
    message: string;
    approvalId: string;
    allowedDecisions: readonly DecisionType[];
    cause?: unknown;
  }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.approvalId = options.approvalId;
    this.allowedDecisions = options.allowedDecisions;
  }

  static override isInstance(error: unknown): error is DecisionNotAllowedError {
    return hasCode(error, CODE);
  }
}
