import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_INVALID_ARGUMENTS';

/** The arguments cannot be shown and bound as they are. */
export class InvalidArgumentsError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is InvalidArgumentsError {
    return hasCode(error, CODE);
  }
}
