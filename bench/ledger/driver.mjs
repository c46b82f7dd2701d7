// @ts-check
// better-sqlite3 is native code for one version of Node: it is fetched or compiled for the one that measures.

import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { build, Trouble } from '../child.mjs';
import { progress } from '../harness.mjs';

const bench = dirname(import.meta.dirname);

/** Rejects with a {@link Trouble} where it cannot be had. @param {{ node: string, signal: AbortSignal }} around */
export async function prepareDriver({ node, signal }) {
  const words = ['-e', "new (require('better-sqlite3'))(':memory:').close()"];
  const load = () => build(node, words, { cwd: bench, env: process.env, signal });
  try {
    await load();
    return;
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    progress('  building better-sqlite3, which takes some minutes');
  }
  const folder = dirname(node);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  // The npm packages of Node bring their headers.
  if (existsSync(`${dirname(folder)}/include/node/node.h`)) env.npm_config_nodedir = dirname(folder);
  await build('npm', ['rebuild', 'better-sqlite3'], { cwd: bench, env, signal, shell: process.platform === 'win32' });
  await load();
}
