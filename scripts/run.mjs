/** Child processes and messages, without a dependency: this runs before `node_modules` exists. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
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
 * and its output goes to our stderr.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, shell?: boolean, onStdout?: (text: string) => void, quiet?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` only when `quiet`
 */
export function run(command, args, { cwd = root, env = {}, shell = false, onStdout, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      shell,
      stdio: ['ignore', onStdout || quiet ? 'pipe' : 2, quiet ? 'pipe' : 2],
    });
    running.add(child);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (onStdout) {
        process.stderr.write(text);
        onStdout(text);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => {
      running.delete(child);
      reject(new Failure(`${command} could not be started: ${error.message}`));
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      if (signal) output += `\nended by ${signal}\n`;
      resolve({ code: code ?? 1, output });
    });
  });
}

/** While we build, Ctrl+C and the like end the children too, and the lock is given back. Returns how to undo that. */
export function endChildrenOnSignals() {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const handlers = signals.map((signal) => {
    const handler = () => {
      for (const child of running) child.kill(signal);
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

/** Where cargo is; rustup's own folder counts too, since a fresh installation is not yet on the PATH of an open terminal. */
export function findCargo() {
  const name = isWindows ? 'cargo.exe' : 'cargo';
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'bin'),
  ];
  const folder = folders.find((folder) => folder !== '' && existsSync(join(folder, name)));
  if (folder === undefined) {
    throw new Failure(
      'cargo was not found. The core of countersign is written in Rust: install Rust 1.89 or later from https://rustup.rs and run this again.',
    );
  }
  return { cargo: join(folder, name), env: { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` } };
}
