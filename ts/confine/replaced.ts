/**
 * What is kept from a command, by the files that were there when it began. A wall is on the file: where another program gives the
 * name to a new file meanwhile, as editors do and `git config`, the new one has none.
 */
import { isIn } from './files.js';

const files = () => process.getBuiltinModule('node:fs');

export interface KeptPaths {
  /** Absolute. */
  hide: readonly string[];
  /** Absolute. */
  protect: readonly string[];
}

export class KeptFiles {
  readonly #paths: KeptPaths;
  readonly #before: ReadonlyMap<string, string>;

  constructor(paths: KeptPaths) {
    this.#paths = paths;
    const all = [...paths.hide, ...paths.protect];
    this.#before = new Map(
      all.map((path) => [path, identityOf(path)] as const).filter(([, identity]) => identity !== ''),
    );
  }

  /** Those that are not there any more, or that other files have taken the place of. */
  replaced(): string[] {
    const { hide, protect } = this.#paths;
    // What is gone may have been replaced first: the command can remove the new file.
    const now = new Set([...this.#before].flatMap(([path, before]) => (identityOf(path) === before ? [] : [path])));
    const stands = protect.filter((path) => this.#before.has(path) && !now.has(path));
    const isHeld = (path: string) => !hide.includes(path) && stands.some((place) => isIn(path, place));
    return [...now].filter((path) => !isHeld(path));
  }
}

/** Numbers of files are used again: when it was made belongs to it. Empty: nothing is there. */
function identityOf(path: string): string {
  try {
    const about = files().statSync(path, { bigint: true, throwIfNoEntry: false });
    return about === undefined ? '' : `${about.dev} ${about.ino} ${about.birthtimeNs}`;
  } catch {
    return '';
  }
}
