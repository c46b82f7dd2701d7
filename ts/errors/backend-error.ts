import type { BackendErrorCode } from '../../agent.js';
import { CountersignError } from './countersign-error.js';

const CODES: readonly string[] = [
  'ERR_OUTSIDE_ROOT',
  'ERR_NO_SUCH_FILE',
  'ERR_NOT_A_FILE',
  'ERR_NOT_A_DIRECTORY',
  'ERR_FILE_CHANGED',
  'ERR_FILE_TOO_LARGE',
  'ERR_NOT_TEXT',
  'ERR_NO_MATCH',
  'ERR_PATTERN',
  'ERR_FILE_PERMISSION',
  'ERR_FILE_IO',
] satisfies BackendErrorCode[];

/** A file cannot be read or written as asked; nothing was changed. */
export class BackendError extends CountersignError {
  declare readonly code: BackendErrorCode;
  readonly path: string;

  constructor(options: { code: BackendErrorCode; message: string; path: string; cause?: unknown }) {
    super({ code: options.code, message: options.message, cause: options.cause });
    this.path = options.path;
  }

  static override isInstance(error: unknown): error is BackendError {
    return CountersignError.isInstance(error) && CODES.includes(error.code);
  }
}
