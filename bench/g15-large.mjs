// @ts-check
// G15: a verdict on inputs of 64 KiB, of each kind that an attacker could send.

import { areAtMost, digits, figure, median, quantile, takeTurns } from './harness.mjs';

const GOAL_MS = 1;

/** Their names are those of the exports of `verdicts/large.mjs`. */
const KINDS = {
  here: 'a here-document',
  quoted: 'one quoted word',
  word: 'one plain word',
  commands: 'commands (`git status; `, 5,400 of them)',
  pipes: 'pipes',
  nested: 'substitutions nested in each other',
  substitutions: 'substitutions (`echo $(git log); `)',
  umlauts: 'commands with a letter that is not ASCII',
  args: 'arguments that could be files (`git log word word …`)',
};

/** ms for each verdict, each one taken by itself. @type {import('./session.mjs').Measure} */
export async function measureLarge(context) {
  const subjects = Object.keys(KINDS).map((run) => ({ name: run, file: 'verdicts/large.mjs', run }));
  const effort = context.quick
    ? { generations: 1, rounds: 20, warmUp: 5, batch: 1 }
    : { generations: 2, rounds: 400, warmUp: 50, batch: 1 };
  const figures = (/** @type {import('./harness.mjs').Samples} */ samples) => {
    const kinds = Object.fromEntries(
      Object.entries(samples).map(([name, taken]) => [
        name,
        figure(taken, (times) => ({ p50: digits(median(times)), p99: digits(quantile(times, 0.99)) })),
      ]),
    );
    const met = areAtMost(GOAL_MS, ...Object.values(kinds).map(({ p99 }) => ({ value: p99 })));
    return { kinds, goal: GOAL_MS, met, effort };
  };
  return figures(await takeTurns(subjects, effort, context, (samples, at) => context.save(figures(samples), at)));
}

/** @type {import('./session.mjs').Show} */
export function showLarge(sheet, { kinds = {} }) {
  sheet.heading('G15  a verdict on 64 KiB, p99, of …');
  for (const [name, what] of Object.entries(KINDS)) {
    const kind = kinds[name];
    if (kind?.failed) sheet.line(what, kind);
    else if (kind) sheet.line(what, { value: kind.p99 }, { most: GOAL_MS, unit: 'ms', remark: `p50 ${kind.p50} ms` });
  }
}
