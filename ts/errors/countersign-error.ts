/** What every error of this package has in common. */
const MARKER = Symbol.for('countersign.error');

export interface ErrorOptionsWithCode {
  code: string;
  message: string;
  cause?: unknown;
}

/**
 * The base of all errors: a stable `code` and a message that says what to do. `isInstance` looks for a marker symbol, since
 * `instanceof` fails when the package is loaded twice.
 */
export class CountersignError extends Error {
  readonly code: string;

  constructor({ code, message, cause }: ErrorOptionsWithCode) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    Object.defineProperty(this, MARKER, { value: true });
  }

  static isInstance(error: unknown): error is CountersignError {
    return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[MARKER] === true;
  }
}

/** For the `isInstance` of one class. */
export function hasCode(error: unknown, code: string): boolean {
  return CountersignError.isInstance(error) && error.code === code;
}
