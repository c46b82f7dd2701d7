// @ts-check
// P3: a verdict on a short command line, against others that do the same task; G15: verdicts on inputs of 64 KiB.

import { digits, machine, median, quantile, ratio, takeTurns } from './harness.mjs';
import { PASSES, VERDICTS } from './verdicts/runner.mjs';
import { compare, lines, paths } from './verdicts/task.mjs';

const GOAL_US = 8;
const GOAL_TIMES = 10;
const GOAL_LARGE_MS = 1;
const SIZES = [10, 100, 1_000, 10_000];

/** Their names are those of the files in `verdicts/`. `given`: what is found for them, and not in their time. */
const PEERS = [
  { name: 'cedar', given: 'the words of each command', sizes: SIZES },
  { name: 'tree-sitter', given: null, sizes: [100] },
  { name: 'tree-sitter-wildcards', given: null, sizes: [100] },
  { name: 'regular-expressions', given: null, sizes: SIZES },
];

const LARGE = ['word', 'quoted', 'args', 'commands', 'pipes', 'substitutions', 'nested', 'here', 'umlauts'];

/** @typedef {import('./harness.mjs').Samples} Samples */

/** @param {import('./run.mjs').Context} context */
export async function measureVerdicts(context) {
  const { quick } = context;
  const agreement = await agreements(context);
  const file = 'verdicts/countersign.mjs';
  const short = await perVerdict(
    [
      ...SIZES.map((size) => ({ name: `countersign, ${size}`, file, run: `run${size}` })),
      { name: 'countersign, 100 again', file, run: 'run100' },
      { name: 'crossing', file, run: 'runCrossing' },
      { name: 'native', file, run: 'runNative' },
      { name: 'native, JSON', file, run: 'runNativeJson' },
      ...PEERS.map(({ name }) => ({ name: `${name}, 100`, file: `verdicts/${name}.mjs`, run: 'run100' })),
    ],
    quick ? { generations: 1, rounds: 4, warmUp: 5, batch: 2 } : { generations: 4, rounds: 10, warmUp: 30, batch: 10 },
    VERDICTS,
    context,
  );
  // A verdict of theirs takes ms with many rules: fewer runs say as much.
  const slow = await perVerdict(
    PEERS.flatMap(({ name, sizes }) =>
      sizes
        .filter((size) => size !== 100)
        .map((size) => ({ name: `${name}, ${size}`, file: `verdicts/${name}.mjs`, run: `run${size}` })),
    ),
    { generations: 1, rounds: quick ? 1 : 2, warmUp: 1, batch: 1 },
    VERDICTS,
    context,
  );
  const withPaths = await perVerdict(
    [{ name: 'paths', file, run: 'runPaths' }],
    { generations: quick ? 1 : 3, rounds: quick ? 4 : 12, warmUp: 50, batch: 50 },
    paths.length,
    context,
  );

  const ours = short['countersign, 100'];
  const value = digits(median(ours.flat()));
  const toPeers = Object.fromEntries(
    PEERS.map(({ name, given }) => [
      name,
      {
        /** How many times as long as countersign it takes. */
        times: ratio(short[`${name}, 100`], ours),
        microseconds: Object.fromEntries(
          SIZES.flatMap((size) => {
            const samples = short[`${name}, ${size}`] ?? slow[`${name}, ${size}`];
            return samples === undefined ? [] : [[size, digits(median(samples.flat()))]];
          }),
        ),
        given,
        ...agreement[name],
      },
    ]),
  );
  const large = await largeInputs(context);
  return {
    value,
    spread: spreadOf(ours),
    goal: GOAL_US,
    unit: 'µs',
    goalTimes: GOAL_TIMES,
    met:
      value <= GOAL_US &&
      ['cedar', 'tree-sitter'].every((name) => toPeers[name].times.value >= GOAL_TIMES) &&
      Object.values(large).every(({ p99 }) => p99 <= GOAL_LARGE_MS),
    agrees: agreement.countersign,
    peers: toPeers,
    bySize: Object.fromEntries(
      SIZES.map((size) => [
        size,
        {
          ...ratio(short[`countersign, ${size}`], short['countersign, 10']),
          microseconds: digits(median(short[`countersign, ${size}`].flat())),
        },
      ]),
    ),
    parts: Object.fromEntries(
      ['crossing', 'native', 'native, JSON'].map((name) => [
        name,
        { value: digits(median(short[name].flat())), spread: spreadOf(short[name]) },
      ]),
    ),
    withPaths: { value: digits(median(withPaths.paths.flat())), spread: spreadOf(withPaths.paths) },
    large,
    goalLarge: GOAL_LARGE_MS,
    /** What a difference of nothing looks like here. */
    noise: ratio(short['countersign, 100 again'], ours),
    lines: lines.length,
    passes: PASSES,
    machine: machine(),
  };
}

/** Speed says nothing about a contestant that answers something else. @param {import('./run.mjs').Context} context */
async function agreements({ env }) {
  Object.assign(process.env, { COUNTERSIGN_BENCH_APP: env.COUNTERSIGN_BENCH_APP });
  /** @type {Record<string, Awaited<ReturnType<typeof compare>>>} */
  const found = {};
  for (const name of ['countersign', ...PEERS.map((peer) => peer.name)]) {
    const { judge } = await import(`./verdicts/${name}.mjs`);
    found[name] = await compare(await judge(100));
  }
  const { agrees, of } = found.countersign;
  if (agrees !== of) throw new Error(`countersign judges ${of - agrees} lines otherwise than the table says`);
  return found;
}

/**
 * µs for each verdict.
 *
 * @param {import('./harness.mjs').Subject[]} subjects
 * @param {import('./harness.mjs').Effort} effort
 * @param {number} verdicts in one run
 * @param {import('./run.mjs').Context} context
 * @returns {Promise<Samples>}
 */
async function perVerdict(subjects, effort, verdicts, context) {
  const samples = await takeTurns(subjects, effort, context);
  return Object.fromEntries(
    Object.entries(samples).map(([name, generations]) => [
      name,
      generations.map((rounds) => rounds.map((ms) => (ms * 1_000) / verdicts)),
    ]),
  );
}

/** ms for each verdict, each one taken by itself. @param {import('./run.mjs').Context} context */
async function largeInputs(context) {
  const subjects = LARGE.map((run) => ({ name: run, file: 'verdicts/large.mjs', run }));
  const effort = context.quick
    ? { generations: 1, rounds: 20, warmUp: 5, batch: 1 }
    : { generations: 2, rounds: 400, warmUp: 50, batch: 1 };
  const samples = await takeTurns(subjects, effort, context);
  return Object.fromEntries(
    Object.entries(samples).map(([name, rounds]) => {
      const times = rounds.flat();
      return [name, { p50: digits(median(times)), p99: digits(quantile(times, 0.99)) }];
    }),
  );
}

/** @param {number[][]} samples */
const spreadOf = (samples) => [digits(quantile(samples.flat(), 0.1)), digits(quantile(samples.flat(), 0.9))];
