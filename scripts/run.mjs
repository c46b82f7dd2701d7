/** Child processes and messages, without a dependency: this runs before `node_modules` exists. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const isWindows = process.platform === 'win32';

/** All messages go to stderr: the stdout of `npm start` belongs to the program. */
export const say = (message) => process.stderr.write(`countersign: ${message}\n`);

export const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** A failure that the user can do something about: its message is enough, no stack. */
export class Failure extends Error {}

const running = new Set();

/**
 * Runs a program to its end. It gets no stdin (what the user types or pipes belongs to the program that runs afterwards),
 * and its output goes to our stderr, or to `print`.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{
 *   cwd?: string,
 *   env?: Record<string, string | undefined>,
 *   shell?: boolean,
 *   quiet?: boolean,
 *   print?: (text: string) => void,
 * }} [options] `quiet`: nothing is printed
 * @returns {Promise<{ code: number, stdout: string, stderr: string, output: string }>} `output` is both streams. All are empty unless
 *   `quiet` or `print` is given
 */
export function run(command, args, { cwd = root, env = {}, shell = false, quiet = false, print } = {}) {
  const isRead = quiet || print !== undefined;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      shell,
      stdio: ['ignore', isRead ? 'pipe' : 2, isRead ? 'pipe' : 2],
    });
    running.add(child);
    let [stdout, stderr, output] = ['', '', ''];
    const read = (text) => {
      output += text;
      print?.(text);
    };
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      read(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      read(text);
    });
    child.on('error', (error) => {
      running.delete(child);
      reject(new Failure(`${command} could not be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      if (signal) output += `\nended by ${signal}\n`;
      resolve({ code: code ?? 1, stdout, stderr, output });
    });
  });
}

/** Ends what is still running, when something else has failed. */
export function endChildren(signal = 'SIGTERM') {
  for (const child of running) child.kill(signal);
}

/**
 * While we build, Ctrl+C and the like end the children too, and the lock is given back. Returns how to undo that.
 *
 * @param {(signal: string) => void} [tell] what there is to say before
 */
export function endChildrenOnSignals(tell) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const handlers = signals.map((signal) => {
    const handler = () => {
      tell?.(signal);
      endChildren(signal);
      process.exit(128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const undo of handlers) undo();
  };
}

/** The program that a package of ours brings, run with this very Node. */
export function bin(packageName, name = packageName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin: bins } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bins === 'string' ? bins : bins[name]);
}

/** @param {readonly string[]} args */
export function npm(args, options) {
  const own = process.env.npm_execpath;
  if (own && /^npm-cli\.[cm]?js$/.test(basename(own))) return run(process.execPath, [own, ...args], options);
  return run('npm', args, { ...options, shell: isWindows });
}
