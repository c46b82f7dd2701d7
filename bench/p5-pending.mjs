// @ts-check
// P5: very many requests that wait, in the core by itself and through JavaScript.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { coreMeasures } from './core-measures.mjs';
import { machine, progress } from './harness.mjs';

const GOAL_BYTES = 600;
const GOAL_RATIO = 3;

/** @param {import('./run.mjs').Context} context */
export async function measurePending({ node, env, quick }) {
  const requests = quick ? '20000' : '1000000';
  const memory = await coreMeasures('pending', 'memory', requests);
  const sqlite = await coreMeasures('pending', 'sqlite', requests);
  progress('  through JavaScript');
  const program = ['--expose-gc', join(import.meta.dirname, 'ledger', 'pending.mjs'), requests];
  const javaScript = JSON.parse((await promisify(execFile)(node, program, { env })).stdout);
  const over = memory.memoryEach - memory.payload;
  return {
    memory,
    sqlite,
    javaScript,
    goalBytes: GOAL_BYTES,
    goalRatio: GOAL_RATIO,
    met: over <= GOAL_BYTES && [memory, sqlite, javaScript].every(({ p99Ratio }) => p99Ratio <= GOAL_RATIO),
    machine: machine(),
  };
}
