/**
 * Folders that are held: one stays the same, even if a command gives its name away meanwhile, and no symlink leads to it. Also
 * folders that are closed to their own user: they are open meanwhile.
 */
import { basename, dirname, join, sep } from 'node:path';

const files = () => process.getBuiltinModule('node:fs');

/** What a user needs to list a folder, to enter it and to rename what is in it. */
const OPEN = 0o700;
const MODES = 0o7777;
/** `O_PATH` of Linux: a descriptor that needs no right to read. */
const ONLY_PATH = 0o10000000;

/** Where a descriptor has a path. Elsewhere a folder is used by its name, and a name can be given to something else. */
const HAS_PATHS = process.platform === 'linux';

export class HeldFolder {
  readonly #name: string;
  /** `null`: it is used by its name. */
  readonly #descriptor: number | null;
  /** What it is reached through by its name. */
  #above: HeldFolder | null = null;
  /** The mode to give back. */
  #mode: number | null = null;

  private constructor(name: string, there: string) {
    const { O_DIRECTORY, O_NOFOLLOW } = files().constants;
    this.#name = name;
    this.#descriptor = HAS_PATHS ? files().openSync(there, ONLY_PATH | O_DIRECTORY | O_NOFOLLOW) : null;
    if (!HAS_PATHS && !files().lstatSync(name).isDirectory())
      throw Object.assign(new Error(`ENOTDIR: not a directory, '${name}'`), { code: 'ENOTDIR' });
  }

  /** The folder at an absolute path. @throws `ENOTDIR` where a symlink is on the way, or at its end */
  static at(path: string): HeldFolder {
    let held = new HeldFolder(sep, sep);
    for (const name of path.split(sep).filter((each) => each !== '')) {
      const above = held;
      try {
        held = above.folder(name);
      } catch (error) {
        above.release();
        throw error;
      }
      if (HAS_PATHS) above.release();
      else held.#above = above;
    }
    return held;
  }

  /** The folder of this name in it. @throws `ENOTDIR` where that is not a folder, or a symlink */
  folder(name: string): HeldFolder {
    return this.opening(() => new HeldFolder(join(this.#name, name), this.child(name)));
  }

  /** The folder itself. */
  get there(): string {
    return this.#descriptor === null ? this.#name : `/proc/self/fd/${this.#descriptor}`;
  }

  /** What has this name in it. */
  child(name: string): string {
    return join(this.there, name);
  }

  /** Does something in it. Where it is closed and this user's, it is open from then on, until it is released. */
  opening<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES' || !this.#open()) throw error;
    }
    return act();
  }

  #open(): boolean {
    const { uid, mode } =
      this.#descriptor === null ? files().lstatSync(this.#name) : files().fstatSync(this.#descriptor);
    if (uid !== process.geteuid?.() || (mode & OPEN) === OPEN) return false;
    this.#setMode((mode & MODES) | OPEN);
    this.#mode = mode & MODES;
    return true;
  }

  /** Never that of what a symlink leads to, which may stand there by now. */
  #setMode(mode: number): void {
    if (this.#descriptor === null) files().lchmodSync(this.#name, mode);
    else files().chmodSync(this.there, mode);
  }

  /** It has its mode again, and is not to be used any more. */
  release(): void {
    try {
      if (this.#mode !== null) this.#setMode(this.#mode);
    } finally {
      if (this.#descriptor !== null) files().closeSync(this.#descriptor);
      this.#above?.release();
    }
  }
}

/** Does something in a folder, which is open meanwhile. */
export function holding<T>(path: string, act: (folder: HeldFolder) => T): T {
  const folder = HeldFolder.at(path);
  try {
    return folder.opening(() => act(folder));
  } finally {
    folder.release();
  }
}

/** Does something with what lies at a path. */
export const reaching = <T>(path: string, act: (there: string) => T): T =>
  holding(dirname(path), (folder) => act(folder.child(basename(path))));

/** Gives something another name. */
export function renameHeld(path: string, other: string): void {
  const rename = () =>
    holding(dirname(path), (from) =>
      holding(dirname(other), (to) => files().renameSync(from.child(basename(path)), to.child(basename(other)))),
    );
  try {
    rename();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    // A folder that goes elsewhere must be open itself.
    holding(path, rename);
  }
}
