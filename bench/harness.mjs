// @ts-check
// How a measurement is made, and what is said about it.
//
// A shared machine is fast in one second and slow in the next. So nothing is measured after the other: the subjects take
// turns, round by round, and are compared within the round. What is reported is a ratio, and how far it scattered.

import { arch, cpus, platform } from 'node:os';
import { setImmediate } from 'node:timers/promises';

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {() => Promise<void>} run one whole run; it throws when it did not do what it is there for
 * @property {(() => Promise<void>) | undefined} [cleanUp] between samples, untimed
 */

/**
 * Runs the subjects in turn and returns the time of one run in ms, one sample per round.
 *
 * @param {readonly Subject[]} subjects
 * @param {{ rounds: number, warmUp: number, batch?: number }} options `batch`: runs per sample; `warmUp`: rounds that do not count
 * @returns {Promise<Record<string, number[]>>}
 */
export async function interleave(subjects, { rounds, warmUp, batch = 1 }) {
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    // Everybody gets to go first, and to come after everybody else: what one leaves behind must not always hit the same.
    const turn = subjects.map((_, index) => subjects[(index + round + warmUp) % subjects.length]);
    if (round % 2 !== 0) turn.reverse();
    for (const { name, run, cleanUp } of turn) {
      // Nobody pays for the garbage of the one before. Not a full collection: that ages compiled code, which is thrown
      // away when it goes unused for a few of them, and with many subjects everybody would start cold each time.
      globalThis.gc?.({ type: 'minor' });
      const start = performance.now();
      for (let i = 0; i < batch; i++) {
        await run();
        // Nothing here waits for input or output, so the event loop would never turn, and what is left to it (the
        // finalizers of native objects, for one) would pile up as it does in no application. It takes some µs.
        await setImmediate();
      }
      const time = (performance.now() - start) / batch;
      if (round >= 0) samples[name].push(time);
      await cleanUp?.();
    }
  }
  return samples;
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
 * How many times as long `values` took as `base`, which must come from the same rounds.
 *
 * `value` is the ratio of the medians. `spread` is the 10th and the 90th percentile of the rounds' own ratios: what a single
 * comparison would have said. `confidence` is the 95 % interval of `value` (bootstrap over rounds): how well it is known.
 *
 * @param {readonly number[]} values
 * @param {readonly number[]} base
 */
export function ratio(values, base) {
  const perRound = values.map((value, round) => value / base[round]);
  return {
    value: digits(median(values) / median(base)),
    spread: [digits(quantile(perRound, 0.1)), digits(quantile(perRound, 0.9))],
    confidence: bootstrap(
      values.length,
      (rounds) => median(rounds.map((r) => values[r])) / median(rounds.map((r) => base[r])),
    ),
  };
}

/**
 * {@link ratio} for what is compared by subtraction.
 *
 * @param {readonly number[]} values
 * @param {readonly number[]} base
 */
export function difference(values, base) {
  const perRound = values.map((value, round) => value - base[round]);
  return {
    value: digits(median(values) - median(base)),
    spread: [digits(quantile(perRound, 0.1)), digits(quantile(perRound, 0.9))],
    confidence: bootstrap(
      values.length,
      (rounds) => median(rounds.map((r) => values[r])) - median(rounds.map((r) => base[r])),
    ),
  };
}

/**
 * @param {number} size
 * @param {(rounds: number[]) => number} statistic
 */
function bootstrap(size, statistic) {
  // A fixed seed: the same samples always give the same interval.
  let state = 1;
  const random = () => (state = (Math.imul(state, 48271) >>> 0) % 2147483647) / 2147483647;
  const values = Array.from({ length: 1000 }, () =>
    statistic(Array.from({ length: size }, () => Math.floor(random() * size))),
  );
  return [digits(quantile(values, 0.025)), digits(quantile(values, 0.975))];
}

/** Four significant digits: more would be noise. @param {number} value */
export const digits = (value) => Number(value.toPrecision(4));

/** @param {Record<string, number[]>} samples */
export const medians = (samples) =>
  Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, digits(median(values))]));

/** On what it was measured. */
export function machine() {
  const [cpu, ...others] = cpus();
  return {
    cpu: cpu.model.trim(),
    cores: others.length + 1,
    platform: `${platform()}-${arch()}`,
    node: process.versions.node,
  };
}

/** Runs a measure when its file is the program, and prints what it found. @param {(options: { quick: boolean }) => Promise<object>} measure */
export async function print(measure) {
  process.stdout.write(`${JSON.stringify(await measure({ quick: process.argv.includes('--quick') }))}\n`);
}

/** @param {string} text */
export const progress = (text) => process.stderr.write(`bench: ${text}\n`);
