import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_UNSUPPORTED_SDK';

/** The installed `ai` is neither version 6 nor 7. */
export class UnsupportedSdkError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is UnsupportedSdkError {
    return hasCode(error, CODE);
  }
}
