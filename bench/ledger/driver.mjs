// @ts-check
// better-sqlite3 is native code for one version of Node: it is fetched or compiled for the one that measures.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { Trouble } from '../child.mjs';
import { progress } from '../harness.mjs';

const bench = dirname(import.meta.dirname);

/** Rejects with a {@link Trouble} where it cannot be had. @param {{ node: string, signal: AbortSignal }} around */
export async function prepareDriver({ node, signal }) {
  const load = () =>
    promisify(execFile)(node, ['-e', "new (require('better-sqlite3'))(':memory:').close()"], { cwd: bench, signal });
  try {
    await load();
    return;
  } catch {
    signal.throwIfAborted();
    progress('  building better-sqlite3, which takes some minutes');
  }
  const folder = dirname(node);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  // The npm packages of Node bring their headers.
  if (existsSync(`${dirname(folder)}/include/node/node.h`)) env.npm_config_nodedir = dirname(folder);
  try {
    await promisify(execFile)('npm', ['rebuild', 'better-sqlite3'], {
      cwd: bench,
      env,
      signal,
      shell: process.platform === 'win32',
      maxBuffer: 2 ** 26,
    });
    await load();
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '', message } = /** @type {{ stderr?: string, message: string }} */ (error);
    throw new Trouble('could not be built', (stderr || message).trimEnd().split('\n').slice(-30));
  }
}
