/** How an error that ends the program is told. */
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { safeText } from '../native.js';
import { ExitError, UsageError } from './exit.js';
import { pageOf } from './manual.js';
import { exitOf } from './open-ledger.js';

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of it is not a directory',
  EEXIST: 'there is such a file by now',
  ENOSPC: 'the disk is full',
  EROFS: 'nothing can be written there',
};

/** An error of the system says the path and what is the matter with it; its own words are those of a function call. */
function inOurWords(error: unknown): string {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const words = error instanceof Error && code !== undefined ? SYSTEM[code] : undefined;
  if (words === undefined) return messageOf(error);
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
