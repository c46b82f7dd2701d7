/** Real processes on every runtime, with the built package and either AI SDK, as an application would have them. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOn, type ExecOptions, type Finished, type Runtime } from '../runtimes.js';
import { installIn, linkIn } from '../support/installed.js';

export interface Sandbox {
  /** Where the programs are, with a `node_modules` folder of their own. */
  folder: string;
  remove(): void;
}

/** @param more folders whose programs are there too */
export function makeSandbox(ai: 'ai6' | 'ai7', ...more: string[]): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lifecycle-'));
  installIn(folder);
  linkIn(folder, 'ai', ai);
  for (const programs of [join(import.meta.dirname, 'programs'), ...more])
    cpSync(programs, folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Ran extends Finished {
  /** ms from the start of the process to its end. */
  took: number;
  /** Lines of stdout. */
  lines: string[];
  /** Everything, to be shown when something is not as expected. */
  all: string;
}

export interface ProgramOptions extends ExecOptions {
  args?: readonly string[];
  /** Flags for Node; Bun gets none. */
  flags?: readonly string[];
}

/** Processes at once, for each file of tests: several files run beside each other. */
let free = Math.max(2, Math.floor(availableParallelism() / 2));
const queue: (() => void)[] = [];

/** Runs a program of `programs/`. */
export async function runProgram(
  sandbox: Sandbox,
  runtime: Runtime,
  name: string,
  options: ProgramOptions = {},
): Promise<Ran> {
  const { args = [], flags = [], ...rest } = options;
  if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
  else free--;
  try {
    const since = performance.now();
    const nodeFlags = runtime.kind === 'node' ? flags : [];
    const done = await runOn(runtime, [...nodeFlags, join(sandbox.folder, `${name}.mjs`), ...args], rest);
    const took = performance.now() - since;
    const all = `${runtime.name} ${name} ${args.join(' ')}: code ${done.code} signal ${done.signal} after ${Math.round(took)} ms\n${done.stdout}${done.stderr}`;
    return { ...done, took, all, lines: done.stdout.split('\n').filter((line) => line !== '') };
  } finally {
    const next = queue.shift();
    if (next === undefined) free++;
    else next();
  }
}
