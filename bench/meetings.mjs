// @ts-check
// Two processes of each contestant of P8: an agent that asks, and a human who decides.

import { join } from 'node:path';
import { Child, hasNumbers } from './child.mjs';
import { digits, failureOf, figure, hasFailed, median, quantile, ratio } from './harness.mjs';

/** Rounds of one kind before it is the other's turn. */
const TURN = 10;

/** @typedef {{ whole: number[][], decide: number[][], after: number[][] }} Times in ms, by turn: see {@link meet} */

/** @typedef {{ agent: Child, human: Child, times: Times }} Pair */

/**
 * Lets countersign and what it is compared with take turns. When one of them fails, the other goes on.
 *
 * @param {readonly { name: string, file: string, place: string }[]} sides countersign first
 * @param {import('./harness.mjs').Around & { turns: number }} around
 */
export async function meetings(sides, { node, env, signal, failed, turns }) {
  /** @type {Record<string, Pair | import('./harness.mjs').Failure>} */
  const pairs = {};
  /** @type {Child[]} */
  const all = [];
  /** @param {string} name @param {() => Promise<void>} work */
  const attempt = async (name, work) => {
    try {
      await work();
    } catch (error) {
      const failure = failureOf(error, name);
      pairs[name] = failure;
      failed(failure);
    }
  };
  try {
    for (const { name, file, place } of sides) {
      const start = async (/** @type {string} */ role) => {
        const child = new Child(node, [join(import.meta.dirname, 'ledger', file), role, place], { env, signal });
        all.push(child);
        await child.next('ready');
        return child;
      };
      await attempt(name, async () => {
        // One after the other: the first makes the tables.
        const [agent, human] = [await start('agent'), await start('human')];
        pairs[name] = { agent, human, times: { whole: [], after: [], decide: [] } };
      });
    }
    for (let turn = 0; turn <= turns; turn++) {
      for (const { name } of sides) {
        const pair = pairs[name];
        if (hasFailed(pair)) continue;
        await attempt(name, async () => {
          const met = [];
          for (let round = 0; round < TURN; round++) met.push(await meet(pair, turn * TURN + round));
          // The first turn warms up.
          if (turn === 0) return;
          for (const key of /** @type {const} */ (['whole', 'after', 'decide']))
            pair.times[key].push(met.map((times) => times[key]));
        });
      }
    }
  } finally {
    await Promise.all(all.map((child) => child.end()));
  }
  const taken = sides.map(({ name }) => {
    const pair = pairs[name];
    return hasFailed(pair) ? { whole: pair, decide: pair, after: pair } : pair.times;
  });
  const [countersign, bare] = taken.map(({ whole, decide, after }) =>
    hasFailed(whole)
      ? whole
      : {
          rounds: whole.flat().length,
          whole: figure(whole, summary),
          decide: figure(decide, summary),
          after: figure(after, summary),
        },
  );
  return { countersign, bare, toBare: ratio(taken[0].whole, taken[1].whole) };
}

/**
 * One round, in ms: `whole` from the start of the decision until the agent was told, `decide` until the decision was durable and
 * acknowledged, `after` from there on, which can be less than nothing.
 *
 * @param {Pair} pair
 * @param {number} round
 */
async function meet({ agent, human }, round) {
  const asked = agent.next('asked', ({ asked: id }) => typeof id === 'string');
  agent.send({ round });
  const { asked: id } = await asked;
  const answers = Promise.all([
    agent.next('told', hasNumbers('told')),
    human.next('done', hasNumbers('start', 'done')),
  ]);
  human.send({ round, id });
  const [{ told: at }, { start, done }] = await answers;
  return { whole: (at - start) / 1_000, after: (at - done) / 1_000, decide: (done - start) / 1_000 };
}

/**
 * What P8 shows of both.
 *
 * @param {import('./sheet.mjs').Sheet} sheet
 * @param {string} name
 * @param {any} side
 * @param {{ most?: number }} [goal]
 */
export function showSide(sheet, name, side, goal = {}) {
  if (side === undefined || hasFailed(side)) return sheet.line(name, side);
  const { whole, decide, after } = side;
  sheet.line(`${name}, p50`, { value: whole.p50 }, { ...goal, unit: 'ms' });
  sheet.line(`${name}, p99`, { value: whole.p99 }, { unit: 'ms' });
  sheet.line('  of which until it is durable, p50', { value: decide.p50 }, { unit: 'ms' });
  sheet.line('  from there on, p50', { value: after.p50 }, { unit: 'ms' });
}

/** @param {readonly number[]} times */
const summary = (times) => ({
  p50: digits(median(times)),
  p90: digits(quantile(times, 0.9)),
  p99: digits(quantile(times, 0.99)),
});
