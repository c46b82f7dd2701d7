/** Processes that share a ledger: how they are started, heard, stopped and killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, TestRunner } from 'vitest';
import type { Gate, GateOptions } from '../../index.js';
import { createGate, listRuns } from '../../ts/index.js';
import { makeSandbox, type Sandbox } from '../lifecycle/sandbox.js';
import { runtimes, type Runtime } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { ledgerIn } from '../support/ledger.js';

const PROGRAMS = join(import.meta.dirname, '../guarantees/programs');

/** A process that says lines of words on its standard output. */
export class Worker {
  readonly lines: string[] = [];
  stderr = '';
  /** Resolves when it is gone and all it said was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  readonly #name: string;
  #changed: () => void = () => {};
  #isOver = false;

  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#name = args.join(' ');
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      const lines = (rest + more).split('\n');
      // What it was killed in the middle of saying was not said.
      rest = lines.pop() ?? '';
      this.lines.push(...lines);
      this.#changed();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (more: string) => (this.stderr += more));
    // It may be gone by the time it is told something.
    this.#child.stdin?.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#isOver = true;
        this.#changed();
        resolve({ code, signal });
      });
    });
  }

  /** The first line that begins with this word, without it. Rejects when the process ends before it says that. */
  async says(word: string): Promise<string> {
    for (;;) {
      const line = this.lines.find((one) => one === word || one.startsWith(`${word} `));
      if (line !== undefined) return line.slice(word.length + 1);
      if (this.#isOver) throw new Error(`it ended without saying ${word}: ${this.all}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }

  /** The lines that begin with this word, as the words after it. */
  said(word: string): string[][] {
    return this.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ').slice(1));
  }

  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Gone for certain when it resolves. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  get all(): string {
    return `${this.#name}\n${this.lines.join('\n')}\n${this.stderr}`;
  }
}

export interface StartOptions {
  runtime?: Runtime;
  env?: NodeJS.ProcessEnv;
  /** Not on Windows. */
  umask?: number;
}

export interface Stage {
  /** A new path, in an empty folder of its own. */
  path(): string;
  /** The name of a new ledger: in PostgreSQL where the tests run over it, else in a file. */
  ledger(): string;
  /** A program of `guarantees/programs/` in a process of its own, on Node 24 (or what is there) unless told otherwise. */
  start(program: string, args?: readonly string[], options?: StartOptions): Worker;
  /** The same, in a file system of its own of that many bytes at `/mnt`. */
  startOnDisk(bytes: number, program: string, args?: readonly string[]): Worker;
  /** Lets another program's SQLite do this to a file. */
  sql(path: string, statements: string): Promise<void>;
  /** A gate in this process on the ledger of that name, or in the file with that path. */
  gate(ledger: string, options?: GateOptions): Gate;
  /** The lines of a file; none for a missing file. */
  lines(path: string): string[];
}

/** Sets a stage for the tests of a file, and clears it after each of them. */
export function stage(): Stage {
  let sandbox: Sandbox | undefined;
  const workers: Worker[] = [];
  const gates: Gate[] = [];
  const folders: string[] = [];
  beforeAll(() => void (sandbox = makeSandbox('ai7', PROGRAMS)));
  afterAll(() => sandbox?.remove());
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    await Promise.allSettled(gates.splice(0).map((gate) => gate.close()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const file = (program: string) => {
    if (sandbox === undefined) throw new Error('no sandbox');
    return join(sandbox.folder, `${program}.mjs`);
  };
  const kept = (worker: Worker) => {
    workers.push(worker);
    return worker;
  };
  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-ledger-'));
    folders.push(folder);
    return folder;
  };
  return {
    path: () => join(newFolder(), 'approvals.db'),
    ledger: () => ledgerIn(newFolder()),
    start(program, args = [], { runtime = node(), env, umask } = {}) {
      const command = [runtime.path, file(program), ...args];
      if (umask === undefined) return kept(new Worker(command[0] as string, command.slice(1), env));
      const shell = `umask ${umask.toString(8)} && exec "$@"`;
      return kept(new Worker('sh', ['-c', shell, 'sh', ...command], env));
    },
    startOnDisk(bytes, program, args = []) {
      const mount = `mount -t tmpfs -o size=${bytes} none /mnt && exec "$@"`;
      const inside = [...OWN_MOUNTS, 'sh', '-c', mount, 'sh', node().path, file(program), ...args];
      return kept(new Worker('unshare', inside));
    },
    async sql(path, statements) {
      const worker = kept(new Worker(withSqlite().path, [file('sql'), path, statements]));
      const { code } = await worker.ended;
      if (code !== 0) throw new Error(worker.all);
    },
    gate(ledger, options = {}) {
      const name = /^(sqlite|postgres):/.test(ledger) ? ledger : `sqlite:${ledger}`;
      const gate = createGate({ ledger: name as GateOptions['ledger'], ...options });
      gates.push(gate);
      return gate;
    },
    lines(path) {
      try {
        return readFileSync(path, 'utf8').split('\n').slice(0, -1);
      } catch {
        return [];
      }
    },
  };
}

/** Mounts that only the process itself sees; who is not root becomes it, in a namespace of its own. */
export const OWN_MOUNTS = process.getuid?.() === 0 ? ['-m'] : ['-Urm'];

/** The Node that most run. */
export function node(): Runtime {
  const all = runtimes().filter(({ kind }) => kind === 'node');
  return all.find(({ name }) => name === 'node24') ?? (all[0] as Runtime);
}

/** A Node that brings an SQLite of its own. Where `npm test` runs on an older one, the test that asks for it is skipped. */
export function withSqlite(): Runtime {
  const found = runtimes().find(({ kind, version }) => kind === 'node' && Number(version.split('.')[0]) >= 24);
  if (found !== undefined) return found;
  if (!isThorough) TestRunner.getCurrentTest()?.context.skip('needs a Node with node:sqlite: npm run test:all');
  throw new Error('no Node that has node:sqlite');
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when the ledger knows that no process that lives has this run. On a server that takes as long as a lease. */
export const left = (gate: Gate, runId: string): Promise<true> =>
  eventually(async () => {
    const run = (await listRuns(gate)).find((one) => one.runId === runId);
    return (run !== undefined && run.status !== 'active') || undefined;
  });

/** Looks again until there is something. */
export async function eventually<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(5);
  }
}
