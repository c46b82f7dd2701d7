import type { PolicyMode } from '../../index.js';
import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_MODE_FORBIDDEN';

/** A policy forbids this mode. */
export class ModeForbiddenError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly mode: PolicyMode;
  readonly source: string;

  constructor(options: { message: string; mode: PolicyMode; source: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.mode = options.mode;
    this.source = options.source;
  }

  static override isInstance(error: unknown): error is ModeForbiddenError {
    return hasCode(error, CODE);
  }
}
