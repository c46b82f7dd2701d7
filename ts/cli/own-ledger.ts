/**
 * Whose ledger it is. A ledger that came with a project may hold approvals that others gave, and runs that they let go on: only
 * what this program made for this user is taken without being named.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path, { basename, dirname, join } from 'node:path';
import { ExitError, Exit } from './exit.js';
import { oneLine } from './style.js';

/**
 * The ledger of a project, as it is named elsewhere. First use creates it; its folder is created now.
 *
 * @param settings the user's folder of settings; `undefined`: no such folder
 * @param file absolute; else the usual one
 * @throws {ExitError} (`ERR_LEDGER_OWNER`) for an existing ledger that this user did not make here
 */
export async function ownLedger(
  project: string,
  settings: string | undefined,
  file = join(project, '.countersign', 'ledger.db'),
): Promise<`sqlite:${string}`> {
  const directory = join(project, '.countersign');
  // The prompts of an agent are private, and must not be committed.
  if ((await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined)
    await writeFile(join(directory, '.gitignore'), 'ledger.db*\n', { flag: 'wx' });
  await claim(file, project, settings);
  return `sqlite:${file}`;
}

/**
 * Marks the ledger that is about to be made, and knows it again by its mark: only the user has the secret in their folder.
 *
 * @param file absolute; its folder is there
 * @param settings the user's folder of settings; `undefined`: no such folder, and no ledger is known again
 * @throws {ExitError} (`ERR_LEDGER_OWNER`) for an existing ledger without such a mark
 */
async function claim(file: string, project: string, settings: string | undefined): Promise<void> {
  const mark = `${file}-owner`;
  const place = join(await realpath(dirname(file)), basename(file));
  // A symlink that came with the project leads wherever its author wants, and hidden folders belong to other programs.
  if (!isOfProject(await realpath(project), place))
    throw new ExitError(
      Exit.failure,
      `the ledger ${oneLine(file)} is ${oneLine(place)}, and a project's ledger must lie in the project, in no hidden folder ` +
        `but .countersign: name another one with --ledger`,
      'ERR_LEDGER_OWNER',
    );
  // A link that leads nowhere is there, too.
  const isThere = await lstat(file).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const secret = await secretIn(settings, 'make').catch(() => undefined);
    // A mark that cannot be kept will be missed the next time: then the ledger has to be named.
    if (secret !== undefined) await writeFile(mark, markOf(secret, place), { mode: 0o600 });
    return;
  }
  const secret = await secretIn(settings, 'look').catch(() => undefined);
  const found = await readMark(mark);
  if (secret !== undefined && found === markOf(secret, place)) return;
  throw new ExitError(
    Exit.failure,
    `the ledger ${oneLine(file)} was not made here by you: it may hold approvals that you never gave. ` +
      `Remove it, or if you trust the person who made it, name it: --ledger ${oneLine(`sqlite:${file}`)}`,
    'ERR_LEDGER_OWNER',
  );
}

/** Whether a ledger has the mark of another user or another place: it was copied, with the decisions of the person who made it. */
export async function isForeign(file: string, settings: string | undefined): Promise<boolean> {
  const found = await readMark(`${file}-owner`);
  if (found === undefined) return false;
  const secret = await secretIn(settings, 'look').catch(() => undefined);
  return secret === undefined || found !== markOf(secret, join(await realpath(dirname(file)), basename(file)));
}

/** Whether a file lies in the project, in no hidden folder of another program. Both without symlinks. */
export function isOfProject(project: string, file: string, { relative, isAbsolute, sep } = path): boolean {
  const way = relative(project, file);
  // No relative path leads to another drive. `..` counts as hidden as well.
  return !isAbsolute(way) && !way.split(sep).some((part) => part.startsWith('.') && part !== '.countersign');
}

const markOf = (secret: string, place: string): string =>
  createHmac('sha256', secret).update(`countersign ledger 1\0${place}`).digest('hex');

const BYTES = 32;

async function secretIn(settings: string | undefined, what: 'make' | 'look'): Promise<string | undefined> {
  if (settings === undefined) return undefined;
  const file = join(settings, 'ledgers.key');
  if (what === 'make') {
    await mkdir(settings, { recursive: true, mode: 0o700 });
    // An existing one stays.
    await writeFile(file, randomBytes(BYTES).toString('hex'), { flag: 'wx', mode: 0o600 }).catch(() => {});
  }
  const secret = await readFile(file, 'utf8');
  return secret.length === 2 * BYTES ? secret : undefined;
}

/** What came with a project may be anything: a pipe would keep us waiting. */
async function readMark(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > 1_000) return undefined;
  return readFile(file, 'utf8');
}
