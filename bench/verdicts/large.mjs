// @ts-check
// Inputs of 64 KiB: one verdict for each run.

import { countersign } from '../app.mjs';
import { rules } from './task.mjs';

const { checkPolicy, parsePolicy } = countersign;
const SIZE = 64 * 1024;

const filled = (/** @type {string} */ part, start = '', end = '') =>
  start + part.repeat(Math.floor((SIZE - start.length - end.length) / part.length)) + end;

/** @param {string} command */
function verdictOn(command) {
  const rule = rules(100).map(({ effect, words }) => ({ tools: ['bash'], effect, commands: [words.join(' ')] }));
  const policy = parsePolicy(JSON.stringify({ version: 1, rule }), { format: 'json' });
  return () => checkPolicy(policy, { toolName: 'bash', args: { command } });
}

export const shapes = /** @type {Record<string, string>} */ ({
  word: filled('a', 'echo '),
  quoted: filled('a b; c ', "echo '", "'"),
  arguments: filled('word ', 'git log '),
  commands: filled('git status; '),
  pipes: filled('git log | ', '', 'git log'),
  substitutions: filled('echo $(git log); '),
  nested: filled('$(echo ', 'echo '),
  here: filled('some text of a file\n', "git log <<'END'\n", 'END\n'),
  umlauts: filled('echo ü; '),
});

export const word = verdictOn(shapes.word);
export const quoted = verdictOn(shapes.quoted);
export const args = verdictOn(shapes.arguments);
export const commands = verdictOn(shapes.commands);
export const pipes = verdictOn(shapes.pipes);
export const substitutions = verdictOn(shapes.substitutions);
export const nested = verdictOn(shapes.nested);
export const here = verdictOn(shapes.here);
export const umlauts = verdictOn(shapes.umlauts);
