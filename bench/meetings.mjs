// @ts-check
// Two processes of each contestant of P8: an agent that asks, and a human who decides.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { digits, median, quantile, ratio } from './harness.mjs';

/** Rounds of one kind before it is the other's turn. */
const TURN = 10;

/**
 * Lets countersign and what it is compared with take turns.
 *
 * @param {readonly { file: string, place: string }[]} sides countersign first
 * @param {{ node: string, env: NodeJS.ProcessEnv, turns: number }} how
 */
export async function meetings(sides, { node, env, turns }) {
  /** @type {Pair[]} */
  const pairs = [];
  try {
    for (const { file, place } of sides) {
      const start = (/** @type {string} */ role) => side(node, env, file, role, place);
      // One after the other: the first makes the tables.
      pairs.push({ agent: await start('agent'), human: await start('human'), whole: [], after: [], decide: [] });
    }
    for (let turn = 0; turn <= turns; turn++) {
      for (const pair of pairs) {
        const times = [];
        for (let round = 0; round < TURN; round++) times.push(await meet(pair, turn * TURN + round));
        // The first turn warms up.
        if (turn > 0) {
          pair.whole.push(times.map(({ whole }) => whole));
          pair.after.push(times.map(({ after }) => after));
          pair.decide.push(times.map(({ decide }) => decide));
        }
      }
    }
  } finally {
    for (const { agent, human } of pairs) for (const process of [agent, human]) process.disconnect();
    await Promise.all(pairs.flatMap(({ agent, human }) => [once(agent, 'exit'), once(human, 'exit')]));
  }
  const told = (/** @type {Pair} */ { whole, after, decide }) => ({
    rounds: whole.flat().length,
    whole: summary(whole),
    decide: summary(decide),
    after: summary(after),
  });
  const [ours, bare] = pairs;
  return { countersign: told(ours), bare: told(bare), toBare: ratio(ours.whole, bare.whole) };
}

/**
 * @typedef {object} Pair times in ms: `whole` from the start of the decision until the agent was told, `decide` until the
 *   decision was durable and acknowledged, `after` from there on, which can be less than nothing
 * @property {import('node:child_process').ChildProcess} agent
 * @property {import('node:child_process').ChildProcess} human
 * @property {number[][]} whole
 * @property {number[][]} decide
 * @property {number[][]} after
 */

/** @param {Pair} pair @param {number} round */
async function meet({ agent, human }, round) {
  const asked = next(agent, 'asked');
  agent.send({ round });
  const { asked: id } = await asked;
  const [told, decided] = [next(agent, 'told'), next(human, 'done')];
  human.send({ round, id });
  const [{ told: at }, { start, done }] = await Promise.all([told, decided]);
  return { whole: (at - start) / 1_000, after: (at - done) / 1_000, decide: (done - start) / 1_000 };
}

/** @param {string} node @param {NodeJS.ProcessEnv} env @param {string} file @param {string} role @param {string} place */
async function side(node, env, file, role, place) {
  const words = [join(import.meta.dirname, 'ledger', file), role, place];
  const child = spawn(node, words, { env, stdio: ['ignore', 2, 2, 'ipc'] });
  await next(child, 'ready');
  return child;
}

/** Its next message with this in it. @param {import('node:child_process').ChildProcess} child @param {string} what @returns {Promise<any>} */
export function next(child, what) {
  return new Promise((resolve, reject) => {
    const listen = (/** @type {any} */ message) => (what in message ? end(resolve, message) : undefined);
    const fail = (/** @type {unknown} */ code) => end(reject, new Error(`a process of the bench ended with ${code}`));
    const end = (/** @type {(value: any) => void} */ settle, /** @type {unknown} */ value) => {
      child.off('message', listen).off('exit', fail);
      settle(value);
    };
    child.on('message', listen).on('exit', fail);
  });
}

/** @param {number[][]} times */
const summary = (times) => ({
  p50: digits(median(times.flat())),
  p90: digits(quantile(times.flat(), 0.9)),
  p99: digits(quantile(times.flat(), 0.99)),
});
