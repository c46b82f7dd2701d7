/** What a command made and must not have made: it gets another name, by which nobody runs or obeys it. */
import type { Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { realPath } from './files.js';

/** How many names are tried. */
const MOST = 100;

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

/** Where those of these would lie that are not there: no symlink leads to them yet. In what is no folder there is never anything. */
export const realAbsent = (paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => join(realPath(dirname(path)), basename(path))).filter(canBeMade)),
];

/**
 * Nothing: it is not there, nor can it be below what is no folder.
 *
 * @throws {ConfinementError} where it cannot be told: a command may have closed the folder on purpose
 */
function about(path: string): Stats | undefined {
  try {
    return files().lstatSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfinementError({
      message: `Nobody can tell whether a confined command made ${path}, which git would obey: ${messageOf(cause)}. Look at it before anybody uses git there.`,
      cause,
    });
  }
}

/** What cannot be looked at now, a command of the same user cannot make. */
function canBeMade(path: string): boolean {
  try {
    return about(dirname(path))?.isDirectory() === true && about(path) === undefined;
  } catch {
    return false;
  }
}

/**
 * Puts aside each of these that is there by now, or the symlink on the way to it, which was not there before.
 *
 * @returns what they were called
 * @throws {ConfinementError} when one cannot be
 */
export function putAside(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = planted(path);
    if (found === undefined) return [];
    rename(found);
    return [found];
  });
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

function rename(path: string): void {
  try {
    for (let number = 1; number <= MOST; number += 1) {
      const other = asideOf(path, number);
      if (about(other) !== undefined) continue;
      files().renameSync(path, other);
      return;
    }
    throw new Error('all other names are taken');
  } catch (cause) {
    throw new ConfinementError({
      message: `A confined command made ${path}, which git would obey, and it cannot be put aside: ${messageOf(cause)}. Look at it, and remove it, before anybody uses git there.`,
      cause,
    });
  }
}

const asideOf = (path: string, number = 1): string => `${path}.unchecked${number === 1 ? '' : `-${number}`}`;
