import { CountersignError, hasCode } from './countersign-error.js';

const CODE = 'ERR_EVENTS_LOST';

/** A reader of `gate.events()` fell too far behind. */
export class EventsLostError extends CountersignError {
  declare readonly code: typeof CODE;

  constructor(options: { message: string; cause?: unknown }) {
    super({ code: CODE, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is EventsLostError {
    return hasCode(error, CODE);
  }
}
