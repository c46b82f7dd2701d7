// @ts-check
// The measurements that the core makes of itself, without JavaScript: `crates/core/examples/ledger_speed`.

import { dirname } from 'node:path';
import { findCargo } from '../scripts/cargo.mjs';
import { build, runToEnd } from './child.mjs';
import { progress } from './harness.mjs';

/**
 * The program that makes them, of a release build. It is called by itself, since cargo would hide how it ends.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function buildProgram(signal) {
  const { cargo, env } = findCargo();
  const words = ['build', '--release', '-p', 'countersign-core', '--example', 'ledger_speed', '--message-format=json'];
  const cwd = dirname(import.meta.dirname);
  const told = await build(cargo, words, { cwd, env: { ...process.env, ...env }, signal });
  const artifacts = told.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return artifacts.findLast(({ target }) => target?.name === 'ledger_speed').executable;
}

/**
 * @param {import('./harness.mjs').Around} around
 * @param {(printed: any) => boolean} isRight
 * @param {...string} words
 * @returns {Promise<any>}
 */
export async function coreMeasures({ env, signal }, isRight, ...words) {
  progress(`  the core by itself: ${words.join(' ')}`);
  return runToEnd(await buildProgram(signal), words, { env, signal }, isRight);
}
