import type { RunErrorCode } from '../../index.js';
import { CountersignError } from './countersign-error.js';

const CODES: readonly string[] = [
  'ERR_RUN_ACTIVE',
  'ERR_RUN_EXISTS',
  'ERR_UNKNOWN_RUN',
  'ERR_RUN_OVER',
] satisfies RunErrorCode[];

/** The run cannot be continued. */
export class RunError extends CountersignError {
  declare readonly code: RunErrorCode;

  constructor(options: { code: RunErrorCode; message: string; cause?: unknown }) {
    super({ code: options.code, message: options.message, cause: options.cause });
  }

  static override isInstance(error: unknown): error is RunError {
    return CountersignError.isInstance(error) && CODES.includes(error.code);
  }
}
