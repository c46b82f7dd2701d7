/** A run of the benchmark with the measures of `programs/bench.mjs`. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { environment, type Finished } from '../runtimes.js';

/** A row of figures, or what stands there instead. */
interface Figure {
  value?: number;
  failed?: string;
}

export interface Result {
  made: {
    commit: string;
    changes: boolean;
    quick: boolean;
    machine: { cpu: string; cores: number; platform: string };
    load: { begin: number; end: number };
    versions: Record<string, string>;
    begun: string;
    seconds: number;
  };
  unfinished?: string;
  failures: { name: string; failed: string; lastLines: string[]; isPeer: boolean }[];
  figures: Record<string, Figure>;
}

export type Results = Partial<Record<string, Result>>;

/** A folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'countersign-benched-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const readResults = (file: string): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;

export interface Running {
  child: ReturnType<typeof spawn>;
  /** Resolves when it has said this on stderr. */
  said: (text: string) => Promise<void>;
  done: Promise<Finished>;
}

/** Starts it; `detached`: as the head of a group of processes. */
export function start(
  args: readonly string[],
  { env = {}, detached = false }: { env?: Record<string, string>; detached?: boolean } = {},
): Running {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'programs', 'bench.mjs'), ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
  const done = new Promise<Finished>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  const said = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (stderr.includes(text) ? resolve() : undefined);
      child.stderr.on('data', look);
      look();
      void done.then(() => reject(new Error(`it ended and never said "${text}":\n${stderr}`)));
    });
  return { child, said, done };
}

/** Runs it to its end; `results`: what is in its file. */
export async function bench(args: readonly string[]): Promise<Finished & { results: Results; file: string }> {
  const file = join(folder(), 'figures.json');
  const finished = await start(['--out', file, ...args]).done;
  return { ...finished, file, results: existsSync(file) ? readResults(file) : {} };
}
