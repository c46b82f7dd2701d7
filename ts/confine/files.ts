/** Where paths lead on this machine. */
import { dirname, isAbsolute, sep } from 'node:path';

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

export const exists = (path: string): boolean => files().existsSync(path);

export const isFolder = (path: string): boolean =>
  files().statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The path itself where it leads nowhere. */
export function realPath(path: string): string {
  try {
    return files().realpathSync(path);
  } catch {
    return path;
  }
}

/** As many symlinks as systems follow. */
const MOST_LINKS = 40;

/** Where the symlinks stand on the way to a path, as far as there is one. */
export function linksOn(path: string): string[] {
  const links: string[] = [];
  const rest = namesOf(path);
  let at = '';
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const next = name === '..' ? dirname(at || sep) : `${at}${sep}${name}`;
    const target = linkTarget(next);
    if (target === undefined) {
      at = next === sep ? '' : next;
      continue;
    }
    links.push(next);
    if (links.length > MOST_LINKS) break;
    if (isAbsolute(target)) at = '';
    rest.push(...namesOf(target));
  }
  return links;
}

/** The last one first. */
const namesOf = (path: string): string[] =>
  path
    .split(sep)
    .filter((name) => name !== '' && name !== '.')
    .toReversed();

function linkTarget(path: string): string | undefined {
  try {
    return files().readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Whether no symlink is on the way that stands in one of these places: whoever may write there says where it leads. */
export function isSteady(path: string, places: readonly string[]): boolean {
  const real = places.map(realPath);
  return !linksOn(path).some((link) => real.some((place) => isIn(link, place)));
}

/** Whether a path is this one, or below it. */
export const isIn = (path: string, place: string): boolean =>
  path === place || place === '/' || path.startsWith(place.endsWith('/') ? place : `${place}/`);
