import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_UNKNOWN_TOOL';

/** `interruptOn` names a tool that does not exist. */
export class UnknownToolError extends CountersignError {
  declare readonly code: typeof CODE;
  readonly toolName: string;
  readonly nearest: string | null;

  constructor(options: { message: string; toolName: string; nearest: string | null; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
    this.toolName = options.toolName;
    this.nearest = options.nearest;
  }

  static override isInstance(error: unknown): error is UnknownToolError {
    return hasCode(error, CODE);
  }
}
