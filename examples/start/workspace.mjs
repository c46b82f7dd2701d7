// @ts-check
/** The throw-away copy of the sample project that the agent works on, and what has changed in it. */
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLE = fileURLToPath(new URL('./sample-project/', import.meta.url));

/** @typedef {{ kind: 'created' | 'changed' | 'deleted', path: string, detail: string }} Change */

/** Removes itself when the process exits, however that comes about; a `kill -9` is the exception. */
export class Workspace {
  #removed = false;

  constructor() {
    // The real path: on some systems the temporary folder is itself behind a symlink.
    this.root = mkdtempSync(path.join(realpathSync(tmpdir()), 'countersign-start-'));
    process.on('exit', this.remove);
    cpSync(SAMPLE, this.root, { recursive: true });
    this.before = snapshot(this.root);
  }

  /** The files of the sample, by their path. */
  get files() {
    return [...this.before.keys()];
  }

  /** @param {(file: string) => boolean} [counts] Which files do; default: all. @returns {Change[]} By path. */
  changes(counts = () => true) {
    const after = snapshot(this.root);
    const paths = [...new Set([...this.before.keys(), ...after.keys()])].filter(counts).toSorted();
    return paths.flatMap((file) => {
      const [was, is] = [this.before.get(file), after.get(file)];
      if (was?.hash === is?.hash) return [];
      const kind = was === undefined ? 'created' : is === undefined ? 'deleted' : 'changed';
      return [{ kind, path: file, detail: is?.detail ?? '' }];
    });
  }

  /** Leaves the copy where it is. */
  keep() {
    process.off('exit', this.remove);
  }

  /** Synchronous, since an `exit` handler cannot wait. */
  remove = () => {
    if (this.#removed) return;
    this.#removed = true;
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** @param {string} root @returns {Map<string, { hash: string, detail: string }>} */
function snapshot(root) {
  const files = new Map();
  const visit = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(path.join(root, folder)).toSorted()) {
      const file = path.posix.join(folder, entry);
      const absolute = path.join(root, file);
      const stat = lstatSync(absolute);
      if (stat.isDirectory()) {
        visit(file);
      } else if (stat.isSymbolicLink()) {
        // Not followed: a link that a command made may point anywhere.
        const target = readlinkSync(absolute);
        files.set(file, { hash: `-> ${target}`, detail: `link to ${target}` });
      } else if (stat.isFile()) {
        const bytes = readFileSync(absolute);
        files.set(file, {
          hash: createHash('sha256').update(bytes).digest('hex'),
          detail: bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`,
        });
      } else {
        files.set(file, { hash: 'special', detail: 'not a regular file' });
      }
    }
  };
  visit('');
  return files;
}
