// @ts-check
// P1: what the iterator costs when nobody has to be asked. One long text, `streamWithEvents` against `fullStream`.

import { longTextParts } from './conversation.mjs';
import { machine, medians, ratio, takeTurns } from './harness.mjs';

const GOAL = 1.05;

const file = 'long-text.mjs';
const subjects = [
  { name: 'fullStream', file, run: 'fullStream' },
  { name: 'streamWithEvents', file, run: 'withEvents' },
  { name: 'fullStream again', file, run: 'fullStream' },
  { name: 'fullStream, tool with needsApproval', file, run: 'fullStreamWithTool' },
  { name: 'streamWithEvents, interruptOn', file, run: 'withEventsAndInterruptOn' },
];

/** @param {import('./run.mjs').Context} context */
export async function measureUngated(context) {
  const effort = context.quick
    ? { generations: 1, rounds: 4, warmUp: 1, batch: 1 }
    : { generations: 6, rounds: 12, warmUp: 3, batch: 1 };
  const samples = await takeTurns(subjects, effort, context);
  const ungated = ratio(samples.streamWithEvents, samples.fullStream);
  const withInterruptOn = ratio(
    samples['streamWithEvents, interruptOn'],
    samples['fullStream, tool with needsApproval'],
  );
  return {
    ...ungated,
    goal: GOAL,
    met: ungated.value <= GOAL && withInterruptOn.value <= GOAL,
    withInterruptOn,
    /** What a difference of nothing looks like here. */
    noise: ratio(samples['fullStream again'], samples.fullStream),
    milliseconds: medians(samples),
    parts: longTextParts,
    effort,
    machine: machine(),
  };
}
