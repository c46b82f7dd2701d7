// @ts-check
// The same reading, and the rules as coding agents keep them: a list of wildcards. Each becomes a regular expression when
// it is compared.

import { synchronous } from './runner.mjs';
import { rules, strictest } from './task.mjs';
import { commandsOf } from './tree-sitter.mjs';

/** @param {string} text @param {string} wildcard */
function matches(text, wildcard) {
  const pattern = wildcard.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`, 's').test(text);
}

/** @param {number} count */
export function judge(count) {
  const wildcards = rules(count).flatMap(({ effect, words }) => [
    { effect, wildcard: words.join(' ') },
    { effect, wildcard: `${words.join(' ')} *` },
  ]);
  const judgeCommand = (/** @type {string[]} */ command) => {
    const text = command.join(' ');
    return wildcards.findLast(({ wildcard }) => matches(text, wildcard))?.effect ?? 'ask';
  };
  return (/** @type {import('./task.mjs').Line} */ { text }) => strictest(commandsOf(text).map(judgeCommand));
}

export const run100 = synchronous(() => judge(100));
