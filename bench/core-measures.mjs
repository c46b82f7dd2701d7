// @ts-check
// The measurements that the core makes of itself, without JavaScript: `crates/core/examples/ledger_speed`.

import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { findCargo } from '../scripts/cargo.mjs';
import { runToEnd, Trouble } from './child.mjs';
import { progress } from './harness.mjs';

/**
 * The program that makes them, of a release build. It is called by itself, since cargo would hide how it ends.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
async function build(signal) {
  const { cargo, env } = findCargo();
  const words = ['build', '--release', '-p', 'countersign-core', '--example', 'ledger_speed', '--message-format=json'];
  const how = { cwd: dirname(import.meta.dirname), env: { ...process.env, ...env }, signal, maxBuffer: 2 ** 28 };
  try {
    const { stdout } = await promisify(execFile)(cargo, words, how);
    const artifacts = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    return artifacts.findLast(({ target }) => target?.name === 'ledger_speed').executable;
  } catch (error) {
    signal.throwIfAborted();
    const { stderr = '', message } = /** @type {{ stderr?: string, message: string }} */ (error);
    throw new Trouble('could not be built', (stderr || message).trimEnd().split('\n').slice(-30));
  }
}

/**
 * @param {import('./harness.mjs').Around} around
 * @param {(printed: any) => boolean} isRight
 * @param {...string} words
 * @returns {Promise<any>}
 */
export async function coreMeasures({ env, signal }, isRight, ...words) {
  progress(`  the core by itself: ${words.join(' ')}`);
  return runToEnd(await build(signal), words, { env, signal }, isRight);
}
