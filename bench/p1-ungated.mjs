// @ts-check
// P1: what the iterator costs when nobody has to be asked. One long text, `streamWithEvents` against `fullStream`.

import { longTextParts } from './conversation.mjs';
import { areAtMost, medians, ratio, takeTurns } from './harness.mjs';

const GOAL = 1.05;

const file = 'long-text.mjs';
const subjects = [
  { name: 'fullStream', file, run: 'fullStream' },
  { name: 'streamWithEvents', file, run: 'withEvents' },
  { name: 'fullStream again', file, run: 'fullStream' },
  { name: 'fullStream, tool with needsApproval', file, run: 'fullStreamWithTool' },
  { name: 'streamWithEvents, interruptOn', file, run: 'withEventsAndInterruptOn' },
];

/** @type {import('./session.mjs').Measure} */
export async function measureUngated(context) {
  const effort = context.quick
    ? { generations: 1, rounds: 4, warmUp: 1, batch: 1 }
    : { generations: 6, rounds: 12, warmUp: 3, batch: 1 };
  const figures = (/** @type {import('./harness.mjs').Samples} */ samples) => {
    const withoutInterruptOn = ratio(samples.streamWithEvents, samples.fullStream);
    const withInterruptOn = ratio(
      samples['streamWithEvents, interruptOn'],
      samples['fullStream, tool with needsApproval'],
    );
    return {
      withoutInterruptOn,
      withInterruptOn,
      met: areAtMost(GOAL, withoutInterruptOn, withInterruptOn),
      /** What a difference of nothing looks like here. */
      noise: ratio(samples['fullStream again'], samples.fullStream),
      milliseconds: medians(samples),
      parts: longTextParts,
      effort,
    };
  };
  return figures(await takeTurns(subjects, effort, context, (samples, at) => context.save(figures(samples), at)));
}

/** @type {import('./session.mjs').Show} */
export function showUngated(sheet, { parts = longTextParts, withoutInterruptOn, withInterruptOn, noise }) {
  sheet.heading(`P1  ${parts} parts of text through streamWithEvents / fullStream`);
  sheet.line('no interruptOn', withoutInterruptOn, { most: GOAL });
  sheet.line('interruptOn, tool never called', withInterruptOn, { most: GOAL });
  sheet.line('fullStream / itself (noise)', noise);
}
