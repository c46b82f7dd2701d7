/** Which tests are running, for the process that ends them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** Where a lane of tests keeps what runs in it. */
export const runningFile = (lane) => join(root, '.build', `${lane}-running.txt`);

/** The files whose tests run in a lane. */
export function runningIn(lane) {
  const file = runningFile(lane);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}
