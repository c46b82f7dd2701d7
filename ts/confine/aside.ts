/** What a command made and must not have made: it gets another name, under which no program runs or obeys it. */
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warn } from '../errors/warn-once.js';
import { isAmong, isIn, linksOn, wayUpTo, whereTo } from './files.js';
import { holding, reaching, renameHeld, type HeldFolder } from './held.js';

/** How many other names have a number. A command can take those before, but none that is made up afterwards. */
const NUMBERED = 5;
const RANDOM_NAMES = 20;
/** How often the way to something is looked for, while others change it. */
const MOST_TRIES = 20;
/** How much of a name stays in the other one, in characters. */
const LONGEST_KEPT = 50;

/** How long others wait while much is put aside, in ms. */
const MOST_AT_ONCE = 20;

/** How many names are looked at behind folders that a command closed, and how deep: each folder on the way is held. */
const MOST_NAMES = 100_000;
const MOST_DEPTH = 100;

/** Nothing of the user's own lies there. */
const PACKAGES = 'node_modules';
const GIT = '.git';
/** Where the folders of other repositories lie in one. */
const OTHERS = ['modules', 'worktrees'];

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

/**
 * Where those of these would lie that are not there. Folders on the way may be missing as well. A file on the way may become a
 * folder.
 */
export const realAbsent = (paths: readonly string[]): string[] => [
  ...new Set(paths.map(realOfMissing).filter((path) => path !== undefined)),
];

/** `undefined`: it is there, or cannot be made. What cannot be looked at now, a command of the same user cannot make. */
function realOfMissing(path: string): string | undefined {
  try {
    const above = dirname(path);
    const real = whereTo(above);
    const folder = about(real);
    if (folder === undefined) {
      const missing = above === path ? undefined : realOfMissing(above);
      return missing === undefined ? undefined : join(missing, basename(path));
    }
    const own = join(real, basename(path));
    if (!folder.isDirectory()) return own;
    const there = about(own);
    if (there === undefined) return own;
    const target = there.isSymbolicLink() ? whereTo(own) : own;
    // As many symlinks as lead in a circle lead to one.
    return target === own || linksOn(target).length > 0 ? undefined : realOfMissing(target);
  } catch {
    return undefined;
  }
}

/** The symlinks in these places on the way to these paths, with where each leads: what they lead to is kept, they cannot be. */
export function linksTo(paths: readonly string[], places: readonly string[]): Map<string, string> {
  const links = new Set(paths.flatMap(linksOn).filter((link) => isAmong(link, places)));
  return new Map([...links].map((link) => [link, targetOf(link)]));
}

/** The symlinks by which these repositories keep others elsewhere, with where each leads: what is new there, git finds by them. */
export const linksOfGit = (repositories: readonly string[], places: readonly string[]): Map<string, string> =>
  linksTo(
    repositories.flatMap((git) => OTHERS.map((name) => join(git, name))),
    places,
  );

/** Of what is no symlink any more, nothing. */
function targetOf(link: string): string {
  try {
    return reaching(link, (there) => files().readlinkSync(there));
  } catch {
    return '';
  }
}

/** Nothing: it is not there, nor can it be below what is no folder, or behind a symlink. */
function about(path: string): Stats | undefined {
  try {
    return reaching(path, (there) => files().lstatSync(there));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw cause;
  }
}

/** What else is put aside. */
export interface AsideOptions {
  /** Where the command could write. A symlink on the way to one of these is followed, since it made none there. */
  places: readonly string[];
  /** Symlinks that were there, with where each led: what stands in their place. */
  links?: ReadonlyMap<string, string>;
  /** Symlinks that were there, with where each led: as long as they do, they are followed. */
  followed?: ReadonlyMap<string, string>;
  /** What is found when the rest is put aside, and hides nothing any more. */
  others?: () => readonly string[];
}

/**
 * Puts aside each of these that is there by now, or the symlink on the way to it, which was not there before. Where one cannot be, all
 * others are all the same. What another command changes meanwhile leads to nothing outside of the places.
 *
 * @returns what they were called
 * @throws {ConfinementError} that names all that cannot be
 */
export function putAside(paths: readonly string[], options: AsideOptions): string[] {
  const putting = puttingAside(paths, options);
  for (;;) {
    const { done, value } = putting.next();
    if (done === true) return value;
  }
}

/** The model is told as well, unless the call was aborted: then nothing of it is read. */
export function warnOfAside(made: readonly string[]): void {
  if (made.length === 0) return;
  warn(`A confined command made what commands must not make. It has other names now: ${made.join(', ')}.`);
}

/** As {@link putAside}; where there are many, what else is due comes round meanwhile. */
export async function putAsideInTime(paths: readonly string[], options: AsideOptions): Promise<string[]> {
  const putting = puttingAside(paths, options);
  let since = performance.now();
  for (;;) {
    const { done, value } = putting.next();
    if (done === true) return value;
    if (performance.now() - since < MOST_AT_ONCE) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

/** One after the other. What another command changes meanwhile, each looks at anew. */
function* puttingAside(
  paths: readonly string[],
  { places, links = new Map(), followed = new Map(), others }: AsideOptions,
): Generator<void, string[]> {
  const made: string[] = [];
  const failed: { path: string; cause: unknown }[] = [];
  const put = (path: string, find: () => string | undefined) => {
    try {
      const found = renamed(find, path);
      if (found !== undefined) made.push(found);
    } catch (cause) {
      failed.push({ path, cause });
    }
  };
  const real = places.map(whereTo);
  const isFollowed = (link: string) => followed.has(link) && targetOf(link) === followed.get(link);
  const isEnd = (link: string) => real.some((place) => isIn(link, place)) && !isFollowed(link);
  const putPlanted = (path: string) => put(path, () => planted(path, isEnd));
  for (const path of paths) yield putPlanted(path);
  for (const [link, target] of links) yield put(link, () => replaced(link, target));
  for (const path of others?.() ?? []) yield putPlanted(path);
  if (failed.length > 0) throw notPutAside(failed, made);
  return made;
}

/** The path, or the first symlink on its way that a command could make. */
function planted(path: string, isEnd: (link: string) => boolean): string | undefined {
  const way = wayUpTo(path, isEnd);
  return about(way) === undefined ? undefined : way;
}

/** The path, where something else stands there than a symlink that leads there. */
function replaced(link: string, target: string): string | undefined {
  const found = about(link);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() && targetOf(link) === target ? undefined : link;
}

/** @returns what had that name, if anything did */
function renamed(find: () => string | undefined, named: string): string | undefined {
  for (let tries = 1; ; tries += 1) {
    const found = find();
    if (found === undefined) return undefined;
    try {
      rename(found, named);
      return found;
    } catch (error) {
      // Another command changes the way to it.
      const isChanged = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isChanged || tries === MOST_TRIES) throw error;
    }
  }
}

function rename(path: string, named: string): void {
  for (const other of otherNames(path, named)) {
    if (about(other) === undefined) return renameHeld(path, other);
  }
  throw new Error('all other names are taken');
}

function* otherNames(path: string, named: string): Generator<string> {
  const [folder, own] = placeOf(path, named);
  // What is longer has no room for more.
  const name = join(folder, `${own.slice(0, LONGEST_KEPT)}.unchecked`);
  yield name;
  for (let number = 2; number <= NUMBERED; number += 1) yield `${name}-${number}`;
  for (let tries = 0; tries < RANDOM_NAMES; tries += 1) yield `${name}-${crypto.randomUUID()}`;
}

/**
 * In which folder it gets which name. Where git keeps submodules, any name is that of one which somebody can make: by the path itself,
 * or by that by which it was named.
 */
function placeOf(path: string, named: string): [folder: string, name: string] {
  // A symlink on the way has its own path in the named one.
  for (const each of named.startsWith(`${path}/`) ? [path] : [path, named]) {
    const [, git, rest] = /^(.*\/\.git)\/((?:modules|worktrees)\/.+)$/.exec(each) ?? [];
    if (git !== undefined && rest !== undefined) return [git, rest.replaceAll('/', '-')];
  }
  return [dirname(path), basename(path)];
}

function notPutAside(failed: readonly { path: string; cause: unknown }[], made: readonly string[]): ConfinementError {
  const paths = failed.map(({ path, cause }) => `${path} (${messageOf(cause)})`).join(', ');
  const others = made.length === 0 ? '' : ` These have other names now: ${made.join(', ')}.`;
  return new ConfinementError({
    message: `A confined command made what git would obey, or closed the way to it, and it cannot be put aside: ${paths}. Look at it, and remove it, before anybody uses git there.${others}`,
    cause: failed[0]?.cause,
  });
}

/** What is behind folders that could not be listed. */
export interface FoundBehind {
  /** Each `.git`. */
  repositories: string[];
  /** Whether all could be looked at. */
  isAll: boolean;
}

/** Looks for repositories in folders that a command closed, or hid by their names: as far as this user may open them. */
export function repositoriesBehind(folders: readonly string[]): FoundBehind {
  const look = new LookBehind();
  for (const folder of folders) look.at(folder);
  return look.found;
}

/** Each folder is entered from the one above it, which is held meanwhile: the work grows with the names alone. */
class LookBehind {
  readonly found: FoundBehind = { repositories: [], isAll: true };
  #left = MOST_NAMES;

  /** Anything but a folder has no repositories. */
  at(path: string): void {
    this.#trying(() => {
      const there = about(path);
      if (there === undefined) this.found.isAll = false;
      else if (there.isDirectory()) holding(path, (folder) => this.#within(folder, path, 0));
    });
  }

  #within(folder: HeldFolder, path: string, depth: number): void {
    const entries = folder.opening(() => files().readdirSync(folder.there, { withFileTypes: true }));
    this.#left -= entries.length;
    if (this.#left < 0) {
      this.found.isAll = false;
      return;
    }
    for (const entry of entries) {
      const below = join(path, entry.name);
      if (entry.name === GIT) this.found.repositories.push(below);
      else if (!entry.isDirectory() || entry.name === PACKAGES) continue;
      else if (depth === MOST_DEPTH) this.found.isAll = false;
      else this.#trying(() => this.#enter(folder.folder(entry.name), below, depth + 1));
    }
  }

  #enter(folder: HeldFolder, path: string, depth: number): void {
    try {
      this.#within(folder, path, depth);
    } finally {
      folder.release();
    }
  }

  /** What cannot be looked at may hold some. */
  #trying(look: () => void): void {
    try {
      look();
    } catch {
      this.found.isAll = false;
    }
  }
}
