// @ts-check
// A plain list of regular expressions over the text of the line: what many applications begin with.

import { synchronous } from './runner.mjs';
import { rules } from './task.mjs';

/** @param {number} count */
export function judge(count) {
  const of = (/** @type {string} */ wanted) =>
    rules(count)
      .filter(({ effect }) => effect === wanted)
      .map(({ words }) => new RegExp(`^${words.join('\\s+')}(\\s|$)`));
  const denied = of('deny');
  const allowed = of('allow');
  return (/** @type {import('./task.mjs').Line} */ { text }) => {
    if (denied.some((pattern) => pattern.test(text))) return 'deny';
    return allowed.some((pattern) => pattern.test(text)) ? 'allow' : 'ask';
  };
}

export const run10 = synchronous(() => judge(10));
export const run100 = synchronous(() => judge(100));
export const run1000 = synchronous(() => judge(1_000));
export const run10000 = synchronous(() => judge(10_000));
