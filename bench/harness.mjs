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

import { spawn } from 'node:child_process';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} file relative to this folder
 * @property {string} run the export that is one whole run; it throws when it did not do what it is there for
 */

/** @typedef {{ generations: number, rounds: number, warmUp: number, batch: number }} Effort `warmUp`, `batch`: in runs */

/** @typedef {Record<string, number[][]>} Samples ms per run: by subject, then generation, then round */

/**
 * Lets the subjects take turns.
 *
 * @param {readonly Subject[]} subjects
 * @param {Effort} effort
 * @param {{ node: string, env: NodeJS.ProcessEnv }} context
 * @returns {Promise<Samples>}
 */
export async function takeTurns(subjects, { generations, rounds, warmUp, batch }, { node, env }) {
  /** @type {Samples} */
  const samples = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  for (let generation = 0; generation < generations; generation++) {
    progress(`  processes ${generation + 1} of ${generations}`);
    const players = subjects.map((subject) => new Player(subject, node, env));
    try {
      for (const player of players) await player.play(warmUp);
      for (const { name } of players) samples[name].push([]);
      for (let round = 0; round < rounds; round++) {
        for (const player of round % 2 === 0 ? players : players.toReversed()) {
          samples[player.name][generation].push(await player.play(batch));
        }
      }
    } finally {
      for (const player of players) player.end();
    }
  }
  return samples;
}

/** One subject in its process (see `subject.mjs`). */
class Player {
  #child;
  /** @type {Promise<never>} */
  #broken;

  /** @param {Subject} subject @param {string} node @param {NodeJS.ProcessEnv} env */
  constructor({ name, file, run }, node, env) {
    this.name = name;
    this.#child = spawn(node, [join(import.meta.dirname, 'subject.mjs'), file, run], {
      env,
      // stdout belongs to the results.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    this.#broken = new Promise((_, reject) => {
      this.#child.once('error', reject);
      this.#child.once('exit', (code, signal) => reject(new Error(`"${name}" failed (${signal ?? code})`)));
    });
    this.#broken.catch(() => {});
  }

  /** @param {number} runs @returns {Promise<number>} ms per run */
  play(runs) {
    const time = new Promise((resolve) => this.#child.once('message', resolve));
    this.#child.send(runs);
    return Promise.race([time, this.#broken]);
  }

  end() {
    if (this.#child.connected) this.#child.disconnect();
  }
}

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
 * How many times as long one subject took as another.
 *
 * `value` is the ratio of the medians. `spread` is the 10th and the 90th percentile of the rounds' own ratios: what a single
 * comparison would have said. `confidence` is the 95 % interval of `value` (bootstrap over generations and their rounds):
 * how well it is known.
 *
 * @param {number[][]} values
 * @param {number[][]} base
 */
export const ratio = (values, base) => compare(values, base, (one, other) => one / other);

/**
 * {@link ratio} for what is compared by subtraction.
 *
 * @param {number[][]} values
 * @param {number[][]} base
 */
export const difference = (values, base) => compare(values, base, (one, other) => one - other);

/**
 * @param {number[][]} values
 * @param {number[][]} base
 * @param {(one: number, other: number) => number} by
 */
function compare(values, base, by) {
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
  Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, digits(median(values.flat()))]));

/** On what it was measured. */
export function machine() {
  const [cpu, ...others] = cpus();
  return { cpu: cpu.model.trim(), cores: others.length + 1, platform: `${platform()}-${arch()}` };
}

/** @param {string} text */
export const progress = (text) => process.stderr.write(`bench: ${text}\n`);
