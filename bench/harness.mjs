// @ts-check
// How a measurement is made, and what is said about it.
//
// - Each subject has a process of its own. The code that two of them share (the AI SDK) would otherwise be compiled for
//   both, which slows down the simpler one more; and one would pay for the other's garbage.
// - The processes live at the same time and take turns, batch by batch: a shared machine is fast in one second and slow in
//   the next, and must be so for all.
// - That is done with several generations of processes, since the compiler is luckier in some than in others.
//
// What is reported is a ratio, and how far it scattered.

import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { Child, hasNumbers, Trouble } from './child.mjs';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} file relative to this folder
 * @property {string} run the export that is one whole run; it throws when it did not do what it is there for
 * @property {boolean} [peer] somebody else's, with which nothing but its own figures is lost
 * @property {number} [patience] in ms: without an answer for longer, it hangs
 */

/** @typedef {{ generations: number, rounds: number, warmUp: number, batch: number }} Effort `warmUp`, `batch`: in runs */

/** @typedef {{ name: string, failed: string, lastLines: string[] }} Failure what stands where a figure would: whose, and why */

/** @typedef {number[][] | Failure} Taken ms per run: by generation, then round */

/** @typedef {Record<string, Taken>} Samples by subject */

/**
 * @typedef {object} Around what a measurement has around it
 * @property {string} node
 * @property {NodeJS.ProcessEnv} env
 * @property {AbortSignal} signal aborted when the benchmark is interrupted
 * @property {(failure: Failure, isPeer?: boolean) => void} failed a contestant has no figures
 */

/**
 * Lets the subjects take turns. One that fails is out; the others go on.
 *
 * @param {readonly Subject[]} subjects
 * @param {Effort} effort
 * @param {Around} around
 * @param {(samples: Samples, unfinished: string) => void} [soFar] after each generation but the last
 * @returns {Promise<Samples>}
 */
export async function takeTurns(subjects, { generations, rounds, warmUp, batch }, around, soFar) {
  /** @type {Record<string, number[][]>} */
  const times = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  /** @type {Record<string, Failure>} */
  const failures = {};
  for (let generation = 0; generation < generations; generation++) {
    progress(`  processes ${generation + 1} of ${generations}`);
    const players = subjects
      .filter(({ name }) => !Object.hasOwn(failures, name))
      .map((subject) => ({ subject, child: startSubject(subject, around) }));
    /** @param {typeof players[number]} player @param {number} runs @param {(time: number) => void} keep */
    const play = async ({ subject: { name, peer }, child }, runs, keep) => {
      if (Object.hasOwn(failures, name)) return;
      try {
        const time = child.next('time', hasNumbers('time'));
        child.send(runs);
        keep((await time).time);
      } catch (error) {
        failures[name] = failureOf(error, name);
        around.failed(failures[name], peer);
      }
    };
    try {
      for (const player of players) await play(player, warmUp, () => times[player.subject.name].push([]));
      for (let round = 0; round < rounds; round++) {
        for (const player of round % 2 === 0 ? players : players.toReversed())
          await play(player, batch, (time) => times[player.subject.name][generation].push(time));
      }
    } finally {
      await Promise.all(players.map(({ child }) => child.end()));
    }
    if (generation + 1 < generations)
      soFar?.({ ...times, ...failures }, `${generation + 1} of ${generations} generations`);
  }
  return { ...times, ...failures };
}

/** It answers each number of runs with the time of one (see `subject.mjs`). @param {Subject} subject @param {Around} around */
const startSubject = ({ file, run, patience }, { node, env, signal }) =>
  new Child(node, [join(import.meta.dirname, 'subject.mjs'), file, run], { env, signal, patience });

/**
 * What stands where the figure would; what is no contestant's failure is thrown on.
 *
 * @param {unknown} error
 * @param {string} name
 * @returns {Failure}
 */
export function failureOf(error, name) {
  if (!(error instanceof Trouble)) throw error;
  return { name, failed: error.message, lastLines: error.lastLines };
}

/**
 * A figure, or what went wrong with it.
 *
 * @template FIGURE
 * @param {Around} around
 * @param {string} name
 * @param {() => Promise<FIGURE>} make
 * @param {{ peer?: boolean }} [more]
 * @returns {Promise<FIGURE | Failure>}
 */
export async function attempt(around, name, make, { peer = false } = {}) {
  try {
    return await make();
  } catch (error) {
    const failure = failureOf(error, name);
    around.failed(failure, peer);
    return failure;
  }
}

/** @param {unknown} taken @returns {taken is Failure} */
export const hasFailed = (taken) => typeof taken === 'object' && taken !== null && 'failed' in taken;

/** Whether all these are figures, and none is greater than that. @param {number} most @param {...any} figures */
export const areAtMost = (most, ...figures) => figures.every((figure) => figure?.value <= most);

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * @param {readonly number[]} values
 * @param {number} q
 */
export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const below = Math.floor(position);
  return sorted[below] + (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]) * (position - below);
}

/**
 * One subject by itself.
 *
 * @param {Taken} taken
 * @param {(figures: number[]) => object} [of]
 * @returns {any}
 */
export function figure(taken, of = (all) => ({ value: digits(median(all)), spread: spreadOf(all) })) {
  return hasFailed(taken) ? taken : of(taken.flat());
}

/** @param {readonly number[]} all */
export const spreadOf = (all) => [digits(quantile(all, 0.1)), digits(quantile(all, 0.9))];

/**
 * How many times as long one subject took as another.
 *
 * `value` is the ratio of the medians. `spread` is the 10th and the 90th percentile of the rounds' own ratios: what a single
 * comparison would have said. `confidence` is the 95 % interval of `value` (bootstrap over generations and their rounds):
 * how well it is known.
 *
 * @param {Taken} values
 * @param {Taken} base
 */
export const ratio = (values, base) => compare(values, base, (one, other) => one / other);

/**
 * {@link ratio} for what is compared by subtraction.
 *
 * @param {Taken} values
 * @param {Taken} base
 */
export const difference = (values, base) => compare(values, base, (one, other) => one - other);

/**
 * @param {Taken} values
 * @param {Taken} base
 * @param {(one: number, other: number) => number} by
 * @returns {any} a figure or a {@link Failure}
 */
function compare(values, base, by) {
  if (hasFailed(values)) return values;
  if (hasFailed(base)) return { ...base, failed: `nothing to compare with: ${base.name} ${base.failed}` };
  const perRound = values.flatMap((rounds, g) => rounds.map((value, r) => by(value, base[g][r])));
  // A fixed seed: the same samples always give the same interval.
  let state = 1;
  const below = (/** @type {number} */ size) => {
    state = Math.imul(state, 48271) >>> 0;
    return Math.floor((state / 2 ** 32) * size);
  };
  const resampled = Array.from({ length: 1000 }, () => {
    const picks = values.flatMap(() => {
      const g = below(values.length);
      return values[g].map(() => [g, below(values[g].length)]);
    });
    return by(median(picks.map(([g, r]) => values[g][r])), median(picks.map(([g, r]) => base[g][r])));
  });
  return {
    value: digits(by(median(values.flat()), median(base.flat()))),
    spread: [digits(quantile(perRound, 0.1)), digits(quantile(perRound, 0.9))],
    confidence: [digits(quantile(resampled, 0.025)), digits(quantile(resampled, 0.975))],
  };
}

/** Four significant digits: more would be noise. @param {number} value */
export const digits = (value) => Number(value.toPrecision(4));

/** @param {Samples} samples */
export const medians = (samples) =>
  Object.fromEntries(
    Object.entries(samples).map(([name, taken]) => [name, hasFailed(taken) ? null : digits(median(taken.flat()))]),
  );

/** On what it was measured. */
export function machine() {
  const [cpu, ...others] = cpus();
  return { cpu: cpu.model.trim(), cores: others.length + 1, platform: `${platform()}-${arch()}` };
}

/** @param {string} text */
export const progress = (text) => void process.stderr.write(`bench: ${text}\n`);
