// @ts-check
// better-sqlite3 is native code for one version of Node: it is fetched or compiled for the one that measures.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { progress } from '../harness.mjs';

const bench = dirname(import.meta.dirname);

/** @param {string} node */
export async function prepareDriver(node) {
  const loads = ['-e', "new (require('better-sqlite3'))(':memory:').close()"];
  try {
    await promisify(execFile)(node, loads, { cwd: bench });
    return;
  } catch {
    progress('  building better-sqlite3, which takes some minutes');
  }
  const folder = dirname(node);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  // The npm packages of Node bring their headers.
  if (existsSync(`${dirname(folder)}/include/node/node.h`)) env.npm_config_nodedir = dirname(folder);
  await promisify(execFile)('npm', ['rebuild', 'better-sqlite3'], {
    cwd: bench,
    env,
    shell: process.platform === 'win32',
    maxBuffer: 2 ** 26,
  });
  await promisify(execFile)(node, loads, { cwd: bench });
}
