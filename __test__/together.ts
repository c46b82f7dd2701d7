/**
 * Programs one after the other in one process beside that of the tests, for tests in which nothing hangs on each having a process
 * of its own: a command takes a few ms then instead of a hundred and more. What needs a process are signals, terminals, what
 * is typed as an answer to what was said, and several at once.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { environment, type ExecOptions, type Finished } from './runtimes.js';

export interface TogetherOptions extends ExecOptions {
  /** Modules that are loaded before it, as with `--import`. */
  before?: readonly string[];
}

interface Program {
  id: number;
  file: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  input: string;
  before: readonly string[];
}

interface Answer {
  id: number;
  code: number;
  stdout: string;
  stderr: string;
  /** Whether it takes no more programs. */
  isHeld: boolean;
}

let child: ChildProcess | undefined;
/** What each program that was given to it resolves with. */
const waiting = new Map<number, { program: Program; resolve(done: Finished): void; reject(error: Error): void }>();
let last = 0;

/** As `exec` with the Node that runs us. @param file a module */
export function together(file: string, args: readonly string[], options: TogetherOptions = {}): Promise<Finished> {
  const { cwd = process.cwd(), env, input = '', before = [] } = options;
  child ??= start();
  const id = (last += 1);
  const program: Program = { id, file, args, cwd, env: environment(env), input, before };
  child.send(program);
  return new Promise((resolve, reject) => waiting.set(id, { program, resolve, reject }));
}

function start(): ChildProcess {
  const started = fork(join(import.meta.dirname, 'together.mjs'));
  started.unref();
  started.channel?.unref();
  started.on('message', ({ id, isHeld, ...done }: Answer) => {
    waiting.get(id)?.resolve({ ...done, signal: null });
    waiting.delete(id);
    if (!isHeld) return;
    child = waiting.size > 0 ? start() : undefined;
    for (const { program } of waiting.values()) child?.send(program);
  });
  started.on('exit', (code, signal) => {
    if (child !== started) return;
    child = undefined;
    for (const { reject } of waiting.values())
      reject(new Error(`what runs programs together ended: ${code ?? signal}`));
    waiting.clear();
  });
  return started;
}

// It lives as long as this process, which runs several files.
process.once('exit', () => child?.kill('SIGKILL'));
