// @ts-check
// P5: very many requests that wait. The core by itself: a request of JavaScript waits in the same place.

import { coreMeasures } from './core-measures.mjs';
import { machine } from './harness.mjs';

const GOAL_BYTES = 600;
const GOAL_RATIO = 3;

/** @param {import('./run.mjs').Context} context */
export async function measurePending({ quick }) {
  const requests = quick ? '20000' : '1000000';
  const memory = await coreMeasures('pending', 'memory', requests);
  const sqlite = await coreMeasures('pending', 'sqlite', requests);
  const over = memory.memoryEach - memory.payload;
  return {
    memory,
    sqlite,
    goalBytes: GOAL_BYTES,
    goalRatio: GOAL_RATIO,
    met: over <= GOAL_BYTES && [memory, sqlite].every(({ p99Ratio }) => p99Ratio <= GOAL_RATIO),
    machine: machine(),
  };
}
