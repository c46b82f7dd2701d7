/** How the command ends. */
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
  /** All that it is for is what it prints, and nobody reads that any more. As a shell says of a program that SIGPIPE ended. */
  unread: 141,
} as const;

/** The command line is not understood. */
export class UsageError extends Error {}

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
