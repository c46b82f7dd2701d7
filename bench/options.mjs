// @ts-check
// What the benchmark can be told.

import { parseArgs } from 'node:util';

/** What it was told that makes no sense: the message is enough, no stack. */
export class Misunderstood extends Error {}

const USAGE = `
  --only=P1,P2    these measures alone; may stand several times
  --quick         a short run, to see that everything works; too short to trust
  --json          one object on stdout instead of a table
  --out=FILE      where the figures are written as they come, instead of .build/bench/; what is in it is kept
  --show=FILE     measures nothing, and prints the figures of such a file
  --no-build      measures what is built, even when the sources are newer
  --node=PATH     another Node than 24
  --help`;

/**
 * @param {readonly string[]} words
 * @param {readonly string[]} names of the measures
 */
export function readOptions(words, names) {
  const { values, tokens } = parse(words);
  const known = new Map(names.map((name) => [name.toUpperCase(), name]));
  /** @type {Set<string>} */
  const only = new Set();
  for (const word of values.only?.flatMap((list) => list.split(',')) ?? names) {
    const name = known.get(word.trim().toUpperCase());
    if (name === undefined)
      throw new Misunderstood(`there is no measure "${word.trim()}"; there are ${names.join(', ')}`);
    only.add(name);
  }
  const twice = ['out', 'show', 'node'].find((name) => tokens.filter((token) => token.name === name).length > 1);
  if (twice !== undefined) throw new Misunderstood(`--${twice} may stand once`);
  // In their order, whichever way they were named.
  return {
    ...values,
    only: names.filter((name) => only.has(name)),
    usage: `Measures: ${names.join(', ')}\n${USAGE}\n`,
  };
}

/** @param {readonly string[]} words */
function parse(words) {
  try {
    const { values, tokens } = parseArgs({
      args: [...words],
      tokens: true,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        out: { type: 'string' },
        show: { type: 'string' },
        'no-build': { type: 'boolean', default: false },
        node: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return { values, tokens: tokens.filter((token) => token.kind === 'option') };
  } catch (error) {
    const { code = '', message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    throw new Misunderstood(`${message.split('. ')[0]}. There are:\n${USAGE}`);
  }
}
