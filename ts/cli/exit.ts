/** How the command ends, and why. */
import { nearestOf } from '../options/nearest.js';

export const Exit = {
  ok: 0,
  failure: 1,
  usage: 2,
  /** `policy check` and `policy explain`: a human would be asked. */
  ask: 3,
  /** `policy check` and `policy explain`: it would not run. */
  deny: 4,
  /** The ledger cannot be used. */
  ledger: 3,
  /** There is no such request or run. */
  unknown: 4,
  /** The decision was not taken: somebody else was first, it is too late, or it is not allowed. */
  refused: 5,
  /** Its only purpose is its output, which is no longer read. As a shell says of a program that SIGPIPE ended. */
  unread: 141,
} as const;

/** The command line is not understood. */
export class UsageError extends Error {}

/** There is no such command. A similar one may be meant. */
export function unknownCommand(typed: string, known: readonly string[]): UsageError {
  const [last = '', ...before] = typed.split(' ').toReversed();
  // What makes allows count is never a guess.
  const meant = nearestOf(
    last,
    known.filter((name) => name !== 'trust'),
  );
  const whole = meant === undefined ? undefined : [...before.toReversed(), meant].join(' ');
  return new UsageError(
    `there is no command ${JSON.stringify(typed)}${whole === undefined ? '' : `: did you mean countersign ${whole}?`}`,
  );
}

/** It ends here, for this reason. */
export class ExitError extends Error {
  readonly exit: number;
  /** Stable, for programs. */
  readonly code: string;

  constructor(exit: number, message: string, code: string) {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}
