import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_INVALID_CONFIG';

/** An option has the wrong shape; the message names its place. */
export class InvalidConfigError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is InvalidConfigError {
    return hasCode(error, CODE);
  }
}
