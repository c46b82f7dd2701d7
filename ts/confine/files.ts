/** Where paths lead on this machine. */

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

/** Whether a path is this one, or below it. */
export const isIn = (path: string, place: string): boolean =>
  path === place || place === '/' || path.startsWith(place.endsWith('/') ? place : `${place}/`);
