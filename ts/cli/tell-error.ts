/** How an error that ends the program is told. */
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { systemWords } from '../errors/system-words.js';
import { safeText } from '../native.js';
import { ExitError, UsageError } from './exit.js';
import { pageOf } from './manual.js';
import { exitOf } from './open-ledger.js';

/** An error of the system says the path and what is the matter with it; its own words are those of a function call. */
function inOurWords(error: unknown): string {
  const words = systemWords(error);
  if (words === undefined) return messageOf(error);
  const { path } = error as NodeJS.ErrnoException;
  return path === undefined ? words : `${path}: ${words}`;
}

/** On stderr, as text that is safe to show. @param command what was typed, for its page of help @returns the exit code */
export function tellError(error: unknown, command: readonly string[] = []): number {
  const page = pageOf(command)?.name;
  const hint = error instanceof UsageError ? `\nSee \`countersign help${page === undefined ? '' : ` ${page}`}\`.` : '';
  const named = CountersignError.isInstance(error) || error instanceof ExitError ? error.code : undefined;
  const code = named === undefined ? '' : `${named}: `;
  process.stderr.write(`countersign: ${code}${safeText(inOurWords(error))}${hint}\n`);
  return exitOf(error);
}
