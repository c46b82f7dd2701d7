import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_INTERNAL';

/** The native core failed or answered with something unknown. */
export class InternalError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is InternalError {
    return hasCode(error, CODE);
  }
}
