// @ts-check
// One run of a contestant: each line is judged this many times, so that what is around a run does not count.

import { lines } from './task.mjs';

/** @typedef {import('./task.mjs').Line} Line */

export const PASSES = 10;

/** How many verdicts one run gives. */
export const VERDICTS = PASSES * lines.length;

/**
 * A run of a contestant that answers at once.
 *
 * @param {() => (line: Line) => unknown} make with its rules, once
 */
export function synchronous(make) {
  /** @type {((line: Line) => unknown) | undefined} */
  let judge;
  return () => {
    judge ??= make();
    for (let pass = 0; pass < PASSES; pass++) for (const line of lines) judge(line);
  };
}

/**
 * A run of a contestant that answers with a promise: as in an agent, one verdict is awaited before the next is asked for.
 *
 * @param {() => Promise<(line: Line) => Promise<unknown>>} make
 */
export function asynchronous(make) {
  /** @type {((line: Line) => Promise<unknown>) | undefined} */
  let judge;
  return async () => {
    judge ??= await make();
    for (let pass = 0; pass < PASSES; pass++) for (const line of lines) await judge(line);
  };
}
