// @ts-check
// The measurements that the core makes of itself, without JavaScript: `crates/core/examples/ledger_speed`.

import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { findCargo } from '../scripts/run.mjs';
import { progress } from './harness.mjs';

const build = ['run', '--quiet', '--release', '-p', 'countersign-core', '--example', 'ledger_speed', '--'];

/** @param {string[]} words @returns {Promise<any>} */
export async function coreMeasures(...words) {
  progress(`  the core by itself: ${words.join(' ')}`);
  const { cargo: program, env } = findCargo();
  const { stdout } = await promisify(execFile)(program, [...build, ...words], {
    cwd: dirname(import.meta.dirname),
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}
