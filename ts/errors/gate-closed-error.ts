import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_GATE_CLOSED';

/** The gate was closed. */
export class GateClosedError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is GateClosedError {
    return hasCode(error, CODE);
  }
}
