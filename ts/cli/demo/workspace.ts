/** The temporary folder of a demo: the project that the agent works on, and what has changed in it. */
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { SAMPLE } from './sample.js';

export interface Change {
  kind: 'created' | 'changed' | 'deleted';
  path: string;
  detail: string;
}

interface FileContent {
  hash: string;
  detail: string;
}

/** Removes itself when the process exits, however that comes about; a `kill -9` is the exception. */
export class Workspace {
  /** What the agent works on. */
  readonly project: string;
  readonly #folder: string;
  readonly #before: ReadonlyMap<string, FileContent>;
  #isRemoved = false;

  constructor() {
    // The real path: on some systems the temporary folder is itself behind a symlink.
    this.#folder = mkdtempSync(join(realpathSync(tmpdir()), 'countersign-demo-'));
    process.on('exit', this.#remove);
    this.project = join(this.#folder, 'greetings');
    for (const [path, text] of Object.entries(SAMPLE)) {
      const file = join(this.project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    this.#before = snapshot(this.project);
  }

  /** The files of the project at the beginning, by their paths. */
  get files(): string[] {
    return [...this.#before.keys()];
  }

  /** By path. @param counts which files do */
  changes(counts: (file: string) => boolean): Change[] {
    const after = snapshot(this.project);
    const paths = [...new Set([...this.#before.keys(), ...after.keys()])].filter(counts).toSorted();
    return paths.flatMap((path) => {
      const [was, is] = [this.#before.get(path), after.get(path)];
      if (was?.hash === is?.hash) return [];
      const kind = was === undefined ? 'created' : is === undefined ? 'deleted' : 'changed';
      return [{ kind, path, detail: is?.detail ?? '' }];
    });
  }

  /** Leaves the folder where it is. */
  keep(): void {
    process.off('exit', this.#remove);
  }

  /** Synchronous, since an `exit` handler cannot wait. */
  readonly #remove = (): void => {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

function snapshot(root: string): Map<string, FileContent> {
  const files = new Map<string, FileContent>();
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).toSorted()) {
      const file = posix.join(folder, name);
      if (lstatSync(join(root, file)).isDirectory()) visit(file);
      else files.set(file, seen(join(root, file)));
    }
  };
  visit('');
  return files;
}

function seen(file: string): FileContent {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) {
    // Not followed: a link that a command made may point anywhere.
    const target = readlinkSync(file);
    return { hash: `-> ${target}`, detail: `link to ${target}` };
  }
  if (!stat.isFile()) return { hash: 'special', detail: 'not a regular file' };
  const bytes = readFileSync(file);
  return {
    hash: createHash('sha256').update(bytes).digest('hex'),
    detail: bytes.length === 1 ? '1 byte' : `${bytes.length} bytes`,
  };
}
