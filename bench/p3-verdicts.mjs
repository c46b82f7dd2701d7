// @ts-check
// P3: a verdict on a short command line, against others that do the same task.

import { join } from 'node:path';
import { hasNumbers, runToEnd, Trouble } from './child.mjs';
import { areAtMost, attempt, figure, hasFailed, ratio, takeTurns } from './harness.mjs';
import { PASSES, VERDICTS } from './verdicts/runner.mjs';
import { lines, paths } from './verdicts/task.mjs';

const GOAL_US = 8;
const GOAL_TIMES = 10;
const SIZES = [10, 100, 1_000, 10_000];

/** Their names are those of the files in `verdicts/`. `given`: what is found for them, and not in their time. */
const PEERS = [
  { name: 'cedar', given: 'the words of each command', sizes: SIZES },
  { name: 'tree-sitter', given: null, sizes: [100] },
  { name: 'tree-sitter-wildcards', given: null, sizes: [100] },
  { name: 'regular-expressions', given: null, sizes: SIZES },
];

/** The peers with which P3 has a goal. */
const RIVALS = ['cedar', 'tree-sitter'];

/** @typedef {import('./harness.mjs').Samples} Samples */

/** @typedef {import('./harness.mjs').Failure | { agrees: number, of: number, looser: string[] }} Agreement */

/** @type {import('./session.mjs').Measure} */
export async function measureVerdicts(context) {
  const { quick } = context;
  const agreement = await agreements(context);
  const file = 'verdicts/countersign.mjs';
  /** @type {Samples} */
  let samples = {};
  // One that could not even be asked is not measured; its row says why.
  const known = (/** @type {string} */ name) => !hasFailed(agreement[name]);
  for (const { name, sizes } of PEERS)
    if (!known(name)) for (const size of sizes) samples[`${name}, ${size}`] = /** @type {any} */ (agreement[name]);
  const peers = (/** @type {(size: number) => boolean} */ isWanted) =>
    PEERS.filter(({ name }) => known(name)).flatMap(({ name, sizes }) =>
      sizes
        .filter(isWanted)
        .map((size) => ({ name: `${name}, ${size}`, file: `verdicts/${name}.mjs`, run: `run${size}`, peer: true })),
    );
  const save = (/** @type {Samples} */ more, /** @type {string} */ unfinished) =>
    context.save(figuresOf({ ...samples, ...more }, agreement), unfinished);

  const short = await perVerdict(
    [
      ...SIZES.map((size) => ({ name: `countersign, ${size}`, file, run: `run${size}` })),
      { name: 'countersign, 100 again', file, run: 'run100' },
      { name: 'crossing', file, run: 'runCrossing' },
      { name: 'native', file, run: 'runNative' },
      { name: 'native, JSON', file, run: 'runNativeJson' },
      ...peers((size) => size === 100),
    ],
    quick ? { generations: 1, rounds: 4, warmUp: 5, batch: 2 } : { generations: 4, rounds: 10, warmUp: 30, batch: 10 },
    VERDICTS,
    context,
    save,
  );
  samples = { ...samples, ...short };
  save({}, 'neither lines that name files nor the peers with other numbers of rules');
  const withPaths = await perVerdict(
    [{ name: 'paths', file, run: 'runPaths' }],
    { generations: quick ? 1 : 3, rounds: quick ? 4 : 12, warmUp: 50, batch: 50 },
    paths.length,
    context,
    save,
  );
  samples = { ...samples, ...withPaths };
  save({}, 'the peers with other numbers of rules are left');
  // A verdict of theirs takes ms with many rules: fewer runs say as much.
  const slow = await perVerdict(
    peers((size) => size !== 100 && !(quick && size === 10_000)),
    { generations: 1, rounds: quick ? 1 : 2, warmUp: 1, batch: 1 },
    VERDICTS,
    context,
    save,
  );
  return figuresOf({ ...samples, ...slow }, agreement);
}

/** @param {Samples} samples taken so far @param {Record<string, Agreement>} agreement */
function figuresOf(samples, agreement) {
  const of = (/** @type {string} */ name) => (samples[name] ? figure(samples[name]) : undefined);
  const ours = samples['countersign, 100'];
  const whole = of('countersign, 100');
  const toOurs = (/** @type {string} */ name) => (samples[name] && ours ? ratio(samples[name], ours) : undefined);
  const peers = Object.fromEntries(
    PEERS.map(({ name, given, sizes }) => [
      name,
      {
        /** How many times as long as countersign it takes. */
        times: toOurs(`${name}, 100`),
        microseconds: Object.fromEntries(sizes.map((size) => [size, of(`${name}, ${size}`)])),
        given,
        agreement: agreement[name],
      },
    ]),
  );
  return {
    whole,
    goal: GOAL_US,
    unit: 'µs',
    goalTimes: GOAL_TIMES,
    met: areAtMost(GOAL_US, whole) && RIVALS.every((name) => peers[name].times?.value >= GOAL_TIMES),
    agreement: agreement.countersign,
    peers,
    bySize: Object.fromEntries(
      SIZES.map((size) => {
        const [taken, least] = [samples[`countersign, ${size}`], samples['countersign, 10']];
        return [size, { microseconds: of(`countersign, ${size}`), ratio: taken && least && ratio(taken, least) }];
      }),
    ),
    parts: Object.fromEntries(['crossing', 'native', 'native, JSON'].map((name) => [name, of(name)])),
    withPaths: of('paths'),
    /** What a difference of nothing looks like here. */
    noise: toOurs('countersign, 100 again'),
    lines: lines.length,
    passes: PASSES,
  };
}

/**
 * Speed says nothing about a contestant that answers something else.
 *
 * @param {import('./session.mjs').Context} context
 * @returns {Promise<Record<string, Agreement>>}
 */
async function agreements(context) {
  const { node, env, signal } = context;
  /** @type {Record<string, Agreement>} */
  const found = {};
  for (const name of ['countersign', ...PEERS.map((peer) => peer.name)]) {
    const words = [join(import.meta.dirname, 'verdicts', 'agreement.mjs'), name];
    const ask = async () => {
      const answer = await runToEnd(node, words, { env, signal }, hasNumbers('agrees', 'of'));
      if (name === 'countersign' && answer.agrees !== answer.of)
        throw new Trouble(`did not do what it was asked: ${answer.of - answer.agrees} lines are judged otherwise`);
      return answer;
    };
    found[name] = await attempt(context, name, ask, { peer: name !== 'countersign' });
  }
  return found;
}

/**
 * µs for each verdict.
 *
 * @param {import('./harness.mjs').Subject[]} subjects
 * @param {import('./harness.mjs').Effort} effort
 * @param {number} verdicts in one run
 * @param {import('./session.mjs').Context} context
 * @param {(samples: Samples, unfinished: string) => void} soFar
 * @returns {Promise<Samples>}
 */
async function perVerdict(subjects, effort, verdicts, context, soFar) {
  const each = (/** @type {Samples} */ samples) =>
    Object.fromEntries(
      Object.entries(samples).map(([name, taken]) => [
        name,
        hasFailed(taken) ? taken : taken.map((rounds) => rounds.map((ms) => (ms * 1_000) / verdicts)),
      ]),
    );
  return each(await takeTurns(subjects, effort, context, (samples, at) => soFar(each(samples), at)));
}

/** @type {import('./session.mjs').Show} */
export function showVerdicts(sheet, { agreement, whole, parts = {}, noise, withPaths, peers = {}, bySize = {} }) {
  const agrees = (/** @type {any} */ how) =>
    how === undefined
      ? ''
      : (how.failed ??
        `${how.agrees} of ${how.of} agree${how.looser.length > 0 ? `, ${how.looser.length} looser` : ''}`);
  sheet.heading(`P3  a verdict on a short command line, 100 rules, ${lines.length} lines (${agrees(agreement)})`);
  sheet.line('countersign, checkPolicy', whole, { most: GOAL_US, unit: 'µs' });
  sheet.line('  of which: there and back', parts.crossing, { unit: 'µs' });
  sheet.line('  with the verdict, as text', parts.native, { unit: 'µs' });
  sheet.line('  with the text made and read', parts['native, JSON'], { unit: 'µs' });
  sheet.line('countersign / itself (noise)', noise);
  sheet.line('lines that name files', withPaths, { unit: 'µs' });
  sheet.note('how many times as long as countersign (more than 1: countersign is faster)');
  for (const [name, peer] of Object.entries(peers)) {
    const remark = `${agrees(peer.agreement)}${peer.given === null ? '' : `; given ${peer.given}`}`;
    sheet.line(name, peer.times, RIVALS.includes(name) ? { least: GOAL_TIMES, remark } : { remark });
  }
  sheet.note('µs by the number of rules');
  const bySizeOf = (/** @type {string} */ name, /** @type {Record<string, any>} */ sizes) => {
    const told = Object.entries(sizes).flatMap(([size, time]) => (time?.value ? [`${size}: ${time.value}`] : []));
    if (told.length > 0) sheet.note(`  ${name}: ${told.join(', ')}`);
  };
  const ours = Object.entries(bySize).map(([size, { microseconds }]) => [size, microseconds]);
  bySizeOf('countersign', Object.fromEntries(ours));
  for (const [name, { microseconds }] of Object.entries(peers)) bySizeOf(name, microseconds);
  sheet.line('countersign, 10000 / 10 rules', bySize[10_000]?.ratio);
}
