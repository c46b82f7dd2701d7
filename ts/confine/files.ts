/** Where paths lead on this machine. */
import { dirname, isAbsolute, sep } from 'node:path';

// Loaded when something is confined, not with the package.
const files = () => process.getBuiltinModule('node:fs');

export const exists = (path: string): boolean => files().existsSync(path);

export const isFolder = (path: string): boolean =>
  files().statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Whether it is a symlink to what is not there. */
export const leadsNowhere = (path: string): boolean => !exists(path) && linkTarget(path) !== undefined;

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

/** A path as it is walked, name by name. */
interface PathWay {
  /** Where it leads, as far as there is a way. */
  real: string;
  /** Where the symlinks on it stand. */
  links: string[];
}

/** In one go: what the symlinks say by one look counts for both. It ends at a symlink that is not followed. */
function wayTo(path: string, isEnd = (_link: string): boolean => false): PathWay {
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
    if (isEnd(next)) return { real: next, links };
    if (links.length > MOST_LINKS) break;
    if (isAbsolute(target)) at = '';
    rest.push(...namesOf(target));
  }
  return { real: at || sep, links };
}

export const linksOn = (path: string): string[] => wayTo(path).links;

/** Where a path leads, or would if all of it were there. */
export const whereTo = (path: string): string => wayTo(path).real;

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

/**
 * Where a path leads; `undefined`: by a symlink that stands in one of these places, and the one who may write there says where
 * that leads.
 */
export function steadyPath(path: string, places: readonly string[]): string | undefined {
  const { real, links } = wayTo(path);
  return links.some((link) => isAmong(link, places)) ? undefined : real;
}

/** Where it leads, or the first symlink on the way that is not followed. */
export const wayUpTo = (path: string, isEnd: (link: string) => boolean): string => wayTo(path, isEnd).real;

/** Whether it lies in one of these places, wherever they really are. */
export const isAmong = (path: string, places: readonly string[]): boolean =>
  places.some((place) => isIn(path, realPath(place)));

/** Whether a path is this one, or below it. */
export const isIn = (path: string, place: string): boolean =>
  path === place || place === '/' || path.startsWith(place.endsWith('/') ? place : `${place}/`);
