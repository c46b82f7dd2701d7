// @ts-check
// web-tree-sitter with the grammar of bash, as coding agents use it: parse the line, take the words of each command in the
// tree, and look for a rule that they begin with. The rules are found by their first word, so that only the reading counts.

import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';
import { synchronous } from './runner.mjs';
import { rules, strictest } from './task.mjs';

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
);

const WORDS = new Set(['command_name', 'word', 'string', 'raw_string', 'concatenation', 'number']);

/** @param {string} text */
export function commandsOf(text) {
  const tree = parser.parse(text);
  if (tree === null) return [];
  try {
    return tree.rootNode.descendantsOfType('command').flatMap((node) => {
      if (node === null) return [];
      /** @type {string[]} */
      const words = [];
      for (let index = 0; index < node.childCount; index++) {
        const child = node.child(index);
        if (child !== null && WORDS.has(child.type)) words.push(child.text);
      }
      return [words];
    });
  } finally {
    // Its memory is not JavaScript's.
    tree.delete();
  }
}

/** @param {number} count */
export function judge(count) {
  /** @type {Map<string, import('./task.mjs').PrefixRule[]>} */
  const byProgram = new Map();
  for (const rule of rules(count)) byProgram.set(rule.words[0], [...(byProgram.get(rule.words[0]) ?? []), rule]);
  const judgeCommand = (/** @type {string[]} */ command) => {
    const matching = (byProgram.get(command[0]) ?? []).filter(({ words }) =>
      words.every((word, index) => command[index] === word),
    );
    if (matching.some(({ effect }) => effect === 'deny')) return 'deny';
    return matching.length > 0 ? 'allow' : 'ask';
  };
  return (/** @type {import('./task.mjs').Line} */ { text }) => strictest(commandsOf(text).map(judgeCommand));
}

export const run10 = synchronous(() => judge(10));
export const run100 = synchronous(() => judge(100));
export const run1000 = synchronous(() => judge(1_000));
export const run10000 = synchronous(() => judge(10_000));
