/** What a command made and must not have made: it gets another name, by which nobody runs or obeys it. */
import type { Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { isAmong, linksOn, realPath } from './files.js';
import { opened, reaching } from './reaching.js';

/** How many other names have a number. A command can take those before, but none that is made up afterwards. */
const NUMBERED = 5;
const RANDOM_NAMES = 20;
/** How much of a name stays in the other one, in characters. */
const LONGEST_KEPT = 50;

/** How many names are looked at behind folders that a command closed. */
const MOST_NAMES = 100_000;

/** Nothing of the user's own lies there. */
const PACKAGES = 'node_modules';
const GIT = '.git';

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

/**
 * Where those of these would lie that are not there: no symlink leads to them yet. Folders on the way may be missing as well. In what is
 * no folder there is never anything.
 */
export const realAbsent = (paths: readonly string[]): string[] => [
  ...new Set(paths.map(realOfMissing).filter((path) => path !== undefined)),
];

/** `undefined`: it is there, or cannot be made. What cannot be looked at now, a command of the same user cannot make. */
function realOfMissing(path: string): string | undefined {
  try {
    const above = dirname(path);
    const folder = about(above);
    if (folder === undefined) {
      const real = above === path ? undefined : realOfMissing(above);
      return real === undefined ? undefined : join(real, basename(path));
    }
    const real = join(realPath(above), basename(path));
    return files().statSync(above).isDirectory() && about(real) === undefined ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The symlinks in these places on the way to these paths, with where each leads: what they lead to is kept, they cannot be. */
export function linksTo(paths: readonly string[], places: readonly string[]): Map<string, string> {
  const links = new Set(paths.flatMap(linksOn).filter((link) => isAmong(link, places)));
  return new Map([...links].map((link) => [link, targetOf(link)]));
}

/** Of what is no symlink any more, nothing. */
function targetOf(link: string): string {
  try {
    return reaching(link, () => files().readlinkSync(link));
  } catch {
    return '';
  }
}

/** Nothing: it is not there, nor can it be below what is no folder. */
function about(path: string): Stats | undefined {
  try {
    return reaching(path, () => files().lstatSync(path));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw cause;
  }
}

/** What else is put aside. */
export interface AsideOptions {
  /** Symlinks that were there, with where each led: what stands in their place. */
  links?: ReadonlyMap<string, string>;
  /** What is found when the rest is put aside, and hides nothing any more. */
  others?: () => readonly string[];
}

/**
 * Puts aside each of these that is there by now, or the symlink on the way to it, which was not there before. Where one cannot be, all
 * others are all the same.
 *
 * @returns what they were called
 * @throws {ConfinementError} that names all that cannot be
 */
export function putAside(paths: readonly string[], { links = new Map(), others }: AsideOptions = {}): string[] {
  const made: string[] = [];
  const failed: { path: string; cause: unknown }[] = [];
  const put = (path: string, find: () => string | undefined) => {
    let found: string | undefined;
    try {
      found = find();
      if (found === undefined) return;
      rename(found);
      made.push(found);
    } catch (cause) {
      failed.push({ path: found ?? path, cause });
    }
  };
  for (const path of paths) put(path, () => planted(path));
  for (const [link, target] of links) put(link, () => replaced(link, target));
  for (const path of others?.() ?? []) put(path, () => planted(path));
  if (failed.length > 0) throw notPutAside(failed, made);
  return made;
}

/** The path, or the first symlink on its way. */
function planted(path: string): string | undefined {
  const parts = path.split(sep).slice(1);
  let at = '';
  for (const [index, part] of parts.entries()) {
    at += `${sep}${part}`;
    const found = about(at);
    if (found === undefined) return undefined;
    if (index === parts.length - 1 || found.isSymbolicLink()) return at;
  }
  return undefined;
}

/** The path, where something else stands there than a symlink that leads there. */
function replaced(link: string, target: string): string | undefined {
  const found = about(link);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() && targetOf(link) === target ? undefined : link;
}

function rename(path: string): void {
  for (const other of otherNames(path)) {
    if (about(other) !== undefined) continue;
    // A folder that goes elsewhere must be open itself.
    opened(path, () => files().renameSync(path, other));
    return;
  }
  throw new Error('all other names are taken');
}

function* otherNames(path: string): Generator<string> {
  const [folder, own] = placeOf(path);
  // What is longer has no room for more.
  const name = join(folder, `${own.slice(0, LONGEST_KEPT)}.unchecked`);
  yield name;
  for (let number = 2; number <= NUMBERED; number += 1) yield `${name}-${number}`;
  for (let tries = 0; tries < RANDOM_NAMES; tries += 1) yield `${name}-${crypto.randomUUID()}`;
}

/** In which folder it gets which name. Where git keeps submodules, any name is that of one which somebody can make. */
function placeOf(path: string): [folder: string, name: string] {
  const [, git, rest] = /^(.*\/\.git)\/((?:modules|worktrees)\/.+)$/.exec(path) ?? [];
  if (git === undefined || rest === undefined) return [dirname(path), basename(path)];
  return [git, rest.replaceAll('/', '-')];
}

function notPutAside(failed: readonly { path: string; cause: unknown }[], made: readonly string[]): ConfinementError {
  const paths = failed.map(({ path, cause }) => `${path} (${messageOf(cause)})`).join(', ');
  const others = made.length === 0 ? '' : ` These have other names now: ${made.join(', ')}.`;
  return new ConfinementError({
    message: `A confined command made what git would obey, or closed the way to it, and it cannot be put aside: ${paths}. Look at it, and remove it, before anybody uses git there.${others}`,
    cause: failed[0]?.cause,
  });
}

/** What is behind folders that nobody could list. */
export interface FoundBehind {
  /** Each `.git`. */
  repositories: string[];
  /** Whether all could be looked at. */
  isAll: boolean;
}

/** Looks for repositories in folders that a command closed, or hid by their names: as far as this user may open them. */
export function repositoriesBehind(folders: readonly string[]): FoundBehind {
  const found: FoundBehind = { repositories: [], isAll: true };
  const waiting = [...folders];
  let left = MOST_NAMES;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = namesIn(folder);
    left -= names?.length ?? 0;
    if (names === undefined || left < 0) {
      found.isAll = false;
      if (left < 0) break;
      continue;
    }
    for (const { name, isFolder } of names) {
      if (name === GIT) found.repositories.push(join(folder, name));
      else if (isFolder && name !== PACKAGES) waiting.push(join(folder, name));
    }
  }
  return found;
}

/** Of what is no folder there are none; `undefined`: they cannot be told. */
function namesIn(folder: string): { name: string; isFolder: boolean }[] | undefined {
  try {
    const found = about(folder);
    if (found?.isDirectory() !== true) return found && [];
    const entries = opened(folder, () => files().readdirSync(folder, { withFileTypes: true }));
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return undefined;
  }
}
