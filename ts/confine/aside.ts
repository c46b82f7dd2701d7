/** What a command made and must not have made: it gets another name, by which nobody runs or obeys it. */
import { basename, dirname, join, sep } from 'node:path';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { realPath } from './files.js';

/** How many names are tried. */
const MOST = 100;

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

/** Where these lie that are not there: no symlink leads to them yet. */
export const realAbsent = (paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => join(realPath(dirname(path)), basename(path)))),
];

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
    const about = files().lstatSync(at, { throwIfNoEntry: false });
    if (about === undefined) return undefined;
    if (index === parts.length - 1 || !about.isDirectory()) return at;
  }
  return undefined;
}

function rename(path: string): void {
  try {
    for (let number = 1; number <= MOST; number += 1) {
      const other = asideOf(path, number);
      if (files().lstatSync(other, { throwIfNoEntry: false }) !== undefined) continue;
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
