// @ts-check
// The conversation of P6: a system prompt of 8 KB, and three turns for each approval: the first two read something, the
// third asks to run a command. What tools answer is real text, 2.5 KB in the middle case. Always the same.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', 'node_modules');

/** Documentation and code of peers, whose versions are pinned. */
const text = ['zod', '@langchain/core', 'langchain', '@openai/agents']
  .flatMap((name) =>
    readdirSync(join(packages, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
  )
  .filter((file) => /\.(md|js|d\.ts)$/.test(file))
  .toSorted()
  .slice(0, 1_500)
  .map((file) => readFileSync(join(packages, file), 'utf8'))
  .join('\n');

let at = 0;
/** The next `length` characters, never the same twice. @param {number} length */
function next(length) {
  if (at + length > text.length) throw new Error('there is not enough text');
  at += length;
  return text.slice(at - length, at);
}

export const system = next(8_192);
export const question = 'Please bring this project up to date, one step after the other.';
export const gatedTool = 'execute';

/** @typedef {{ text: string, id: string, tool: string, args: Record<string, string> }} Turn */

/** The turns of the model: three per approval. @param {number} approvals @returns {Turn[]} */
export function turns(approvals) {
  return Array.from({ length: approvals }, (_, approval) => [
    { text: next(180), id: `call_${approval}_a`, tool: 'read_file', args: { path: `src/part-${approval}.ts` } },
    { text: next(90), id: `call_${approval}_b`, tool: 'read_file', args: { path: `docs/part-${approval}.md` } },
    {
      text: next(220),
      id: `call_${approval}_c`,
      tool: gatedTool,
      args: { command: `./update.sh ${JSON.stringify(next(120))}` },
    },
  ]).flat();
}

let state = 1;
/** What a tool answers: from 0.6 to 10 KB, with 2.5 KB in the middle. */
export function toolResult() {
  state = Math.imul(state, 48271) >>> 0;
  return next(Math.round(2_500 * 4 ** ((state / 2 ** 32) * 2 - 1)));
}

export const lastWords = 'All of it is done.';
