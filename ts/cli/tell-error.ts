/** How an error that ends the program is told. */
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { safeText } from '../native.js';
import { ExitError, UsageError } from './exit.js';
import { exitOf } from './open-ledger.js';

/** On stderr, as text that is safe to show. @returns the exit code */
export function tellError(error: unknown): number {
  const hint = error instanceof UsageError ? '\nSee `countersign --help`.' : '';
  const named = CountersignError.isInstance(error) || error instanceof ExitError ? error.code : undefined;
  const code = named === undefined ? '' : `${named}: `;
  process.stderr.write(`countersign: ${code}${safeText(messageOf(error))}${hint}\n`);
  return exitOf(error);
}
