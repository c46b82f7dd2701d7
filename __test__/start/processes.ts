/** The real programs, as child processes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { together } from '../together.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const SERVE = fileURLToPath(new URL('../../examples/start/serve.mjs', import.meta.url));

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The throw-away copy that it worked on. */
  copy: string;
  copyExists: boolean;
  /** What it has left in the home and in the temporary folder that it was given. */
  left: string[];
}

type Environment = Readonly<Record<string, string>>;

/** Removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `countersign demo` on these lines of stdin, to its end. */
export async function start(lines: string[], args: string[] = [], more: Environment = {}): Promise<Ended> {
  const run = open(args, more);
  run.child.stdin!.end(inputOf(lines));
  return run.ended;
}

/** The same without a process of its own. */
export async function quickly(lines: string[], args: string[] = [], more: Environment = {}): Promise<Ended> {
  const { env, ended } = place(more);
  return ended(await together(CLI, ['demo', ...args], { env, input: inputOf(lines) }));
}

const inputOf = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');

/** Where it finds a home and a temporary folder of its own, and what it has left there. */
function place(more: Environment) {
  const [HOME, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const env = { ...nothing, PATH: process.env.PATH, HOME, TMPDIR, OPENAI_API_KEY: 'not-for-commands', ...more };
  const ended = ({ code, stdout, stderr }: Pick<Ended, 'code' | 'stdout' | 'stderr'>): Ended => {
    const copy = /^ {2}project: (\S+)/m.exec(stdout)?.[1] ?? '';
    // A test that failed is over, and its folders are gone.
    const left = [HOME, TMPDIR].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
    return { code, stdout, stderr, copy, copyExists: copy !== '' && existsSync(copy), left };
  };
  return { env, ended };
}

export interface Opened {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves with all of stdout so far, once it contains the text. */
  shows(text: string): Promise<string>;
}

/** The same, with stdin left open. */
export function open(args: string[] = [], more: Environment = {}): Opened {
  const { env, ended: endedWith } = place(more);
  const child = spawn(process.execPath, [CLI, 'demo', ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  // It may end, and close its stdin, before it has read everything.
  child.stdin.on('error', () => {});
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => endedWith({ code: code as number | null, stdout, stderr }));
  return {
    child,
    ended,
    async shows(text) {
      while (!stdout.includes(text)) {
        const more = await Promise.race([once(child.stdout, 'data'), ended]);
        if ('code' in more) throw new Error(`It ended without "${text}":\n${stdout}${stderr}`);
      }
      return stdout;
    },
  };
}

/** The embedded model in a process of its own; its base URL. */
export async function serve(): Promise<string> {
  const child = spawn(process.execPath, [SERVE], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return /^(\S+)/.exec(line as string)![1]!;
}
