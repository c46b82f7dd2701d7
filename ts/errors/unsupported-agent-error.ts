import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_UNSUPPORTED_AGENT';

/** The agent is not a `ToolLoopAgent`, or runs in a way of its own. */
export class UnsupportedAgentError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is UnsupportedAgentError {
    return hasCode(error, CODE);
  }
}
