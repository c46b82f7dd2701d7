/** Reaches what lies behind folders that are closed to their own user: they are open meanwhile. */
import { dirname } from 'node:path';

const files = () => process.getBuiltinModule('node:fs');

/** What a user needs to list a folder, to enter it and to rename what is in it. */
const OPEN = 0o700;
const MODES = 0o7777;
/** `O_PATH` of Linux: a descriptor of what nobody may read. */
const ONLY_PATH = 0o10000000;

/** Does something at a path. A folder on the way that is closed is opened first, where it is this user's. */
export const reaching = <T>(path: string, act: () => T): T => opened(dirname(path), act);

/** The same in a folder. */
export function opened<T>(folder: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
  const closers: (() => void)[] = [];
  try {
    for (const each of wayTo(folder)) closers.push(open(each));
    return act();
  } finally {
    for (const close of closers.toReversed()) close();
  }
}

/** The outermost first: who is in the inner one came through it. */
function wayTo(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [...wayTo(above), folder];
}

/** Opens a folder; the answer gives it its mode back. What is open, somebody else's, or none stays as it is. */
function open(folder: string): () => void {
  const found = files().lstatSync(folder);
  const { uid, mode } = found;
  const isOurs = uid === process.geteuid?.() && found.isDirectory();
  if (!isOurs || (mode & OPEN) === OPEN) return () => {};
  if (process.platform !== 'linux') {
    files().lchmodSync(folder, (mode & MODES) | OPEN);
    return () => files().lchmodSync(folder, mode & MODES);
  }
  // By a descriptor: somebody may put something else in its place meanwhile, which must not get its mode.
  const { O_DIRECTORY, O_NOFOLLOW } = files().constants;
  const descriptor = files().openSync(folder, ONLY_PATH | O_DIRECTORY | O_NOFOLLOW);
  const there = `/proc/self/fd/${descriptor}`;
  const before = files().fstatSync(descriptor).mode & MODES;
  files().chmodSync(there, before | OPEN);
  return () => {
    try {
      files().chmodSync(there, before);
    } finally {
      files().closeSync(descriptor);
    }
  };
}
