/** The `countersign` command as a real process. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exec, runOn, runtimes, type ExecOptions, type Finished, type Runtime } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { together } from '../together.js';

export const cli = join(import.meta.dirname, '../../dist/cli.js');
if (!existsSync(cli)) throw new Error('dist/ is missing: run `npm run build`');

/** The command on the Node that runs the tests. */
export const countersign = (args: readonly string[], options?: ExecOptions): Promise<Finished> =>
  exec(process.execPath, [cli, ...args], options);

let asked = 0;

/** The same, where nothing hangs on its having a process of its own; `npm run test:all` starts one for every third. */
export const quickly = (args: readonly string[], options?: ExecOptions): Promise<Finished> =>
  isThorough && asked++ % 3 === 0 ? countersign(args, options) : together(cli, args, options);

/** On the oldest and the newest Node that are here, and on Bun. */
export function someRuntimes(): Runtime[] {
  const nodes = runtimes().filter(({ kind }) => kind === 'node');
  return [...new Set([nodes[0], nodes.at(-1), ...runtimes().filter(({ kind }) => kind !== 'node')])].filter(
    (each) => each !== undefined,
  );
}

export const on = (runtime: Runtime, args: readonly string[], options?: ExecOptions): Promise<Finished> =>
  runOn(runtime, [cli, ...args], options);

/** In a shell, with the command as `$cli` and a file as `$input`. */
export const inShell = (script: string, input: string): Promise<Finished> =>
  exec('bash', ['-c', script], { env: { node: process.execPath, cli, input } });

/** Starts it with stdin open, and ends it with a signal after its first output, or after `ms`. */
export function interrupted(args: readonly string[], signal: NodeJS.Signals, input = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    const stop = () => child.kill(signal);
    child.stdout.on('data', (data: Buffer) => {
      stdout += String(data);
      stop();
    });
    child.stderr.on('data', (data: Buffer) => (stderr += String(data)));
    child.on('close', (code, by) => resolve({ code, signal: by, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.write(input);
  });
}

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
