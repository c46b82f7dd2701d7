/** The runtimes that the package supports, and how to run something on one of them. */
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { runtimes, type Runtime } from '../scripts/runtimes.mjs';

export { runtimes, type Runtime };

export interface Finished {
  /** `null` when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ExecOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  /** What it reads on stdin. */
  input?: string;
  /** In ms; then it is killed. @default 540,000: for what hangs, and sooner than its test ends */
  timeout?: number;
}

/** For `expect.poll` and `vi.waitFor`: for what hangs, and sooner than its test ends. */
export const PATIENTLY = { timeout: 500_000 } as const;

/** What npm and vitest tell their own children must not reach the programs under test. */
const OURS =
  /^(npm_(package|lifecycle|command|config_local_prefix|config_dry_run)|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|CI$|INIT_CWD$|AI_MAJOR$)/;

/** What a program under test has in its environment, with this beside it; `undefined` takes something away. */
export function environment(more: ExecOptions['env'] = {}): Record<string, string> {
  const all = Object.entries({ ...process.env, ...more });
  return Object.fromEntries(
    all.flatMap(([name, value]) =>
      value === undefined || (!Object.hasOwn(more, name) && OURS.test(name)) ? [] : [[name, value]],
    ),
  );
}

export function exec(file: string, args: readonly string[], options: ExecOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      {
        cwd: options.cwd,
        env: environment(options.env),
        timeout: options.timeout ?? 540_000,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        // An error that is not an exit code, e.g. a missing program, belongs to what the test prints.
        const message = error && child.exitCode === null && child.signalCode === null ? `${error.message}\n` : '';
        resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr: stderr + message });
      },
    );
    child.stdin?.end(options.input ?? '');
  });
}

/** Runs a script on one of the runtimes. */
export function runOn(runtime: Runtime, args: readonly string[], options?: ExecOptions): Promise<Finished> {
  return exec(runtime.path, args, options);
}

/** Installs into a folder what its `package.json` and these arguments name. */
export const npmInstall = (cwd: string, ...args: readonly string[]): Promise<Finished> =>
  npm(['install', ...args, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd,
    timeout: 600_000,
  });

/** npm itself, run with this very Node. Throws unless it succeeds. */
export async function npm(args: readonly string[], options?: ExecOptions): Promise<Finished> {
  const cli = process.env.npm_execpath;
  const isNpm = cli !== undefined && /^npm-cli\.[cm]?js$/.test(basename(cli));
  const done = isNpm
    ? await exec(process.execPath, [cli, ...args], options)
    : process.platform === 'win32'
      ? await exec('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], options)
      : await exec('npm', args, options);
  if (done.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${done.stdout}\n${done.stderr}`);
  return done;
}
