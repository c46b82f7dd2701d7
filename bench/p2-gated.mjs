// @ts-check
// P2: one gated call, approved at once: the whole run, against the AI SDK's own two calls by hand, and against the peers.

import { difference, machine, median, medians, ratio, takeTurns } from './harness.mjs';

const GOAL = 1.1;

/** Their names are those of the files in `peers/`. */
const PEERS = ['langgraph', 'openai-agents', 'combycode'];

const byHand = 'peers/by-hand.mjs';
const countersign = 'peers/countersign.mjs';
const subjects = [
  { name: 'by hand', file: byHand, run: 'run' },
  { name: 'countersign', file: countersign, run: 'run' },
  { name: 'by hand again', file: byHand, run: 'run' },
  { name: 'countersign, through a gate', file: countersign, run: 'runThroughGate' },
  { name: 'by hand, without streaming', file: byHand, run: 'runWithoutStreaming' },
  { name: 'countersign, without streaming', file: countersign, run: 'runWithoutStreaming' },
  { name: 'by hand, ungated', file: byHand, run: 'runUngated' },
  ...PEERS.flatMap((name) => [
    { name, file: `peers/${name}.mjs`, run: 'run' },
    { name: `${name}, without streaming`, file: `peers/${name}.mjs`, run: 'runWithoutStreaming' },
    { name: `${name}, ungated`, file: `peers/${name}.mjs`, run: 'runUngated' },
  ]),
];

/** @param {import('./run.mjs').Context} context */
export async function measureGated(context) {
  // Batches long enough to hold several of the garbage collector's turns: its work is part of the price.
  const effort = context.quick
    ? { generations: 1, rounds: 4, warmUp: 50, batch: 20 }
    : { generations: 6, rounds: 8, warmUp: 800, batch: 100 };
  const samples = await takeTurns(subjects, effort, context);
  const fastest = (/** @type {string[]} */ ...names) => Math.min(...names.map((name) => median(samples[name].flat())));
  const whole = ratio(samples.countersign, samples['by hand']);
  const peers = Object.fromEntries(
    PEERS.map((name) => [
      name,
      {
        /** To the two calls by hand. */
        streaming: ratio(samples[name], samples['by hand']),
        withoutStreaming: ratio(samples[`${name}, without streaming`], samples['by hand']),
        /** Whether the streaming countersign is faster than whichever way of the peer is the faster one. */
        countersignIsFaster: fastest('countersign') < fastest(name, `${name}, without streaming`),
        /** How many times as long as countersign it takes: both streaming, and both without. */
        toCountersign: {
          streaming: ratio(samples[name], samples.countersign),
          withoutStreaming: ratio(samples[`${name}, without streaming`], samples['countersign, without streaming']),
        },
        /** What asking the human adds to the peer's own run that asks nobody, in ms. */
        askingAdds: difference(samples[name], samples[`${name}, ungated`]),
      },
    ]),
  );
  const fasterThanAllPeers = Object.values(peers).every(({ countersignIsFaster }) => countersignIsFaster);

  return {
    ...whole,
    goal: GOAL,
    met: whole.value <= GOAL && fasterThanAllPeers,
    metAgainstByHand: whole.value <= GOAL,
    fasterThanAllPeers,
    throughGate: ratio(samples['countersign, through a gate'], samples['by hand']),
    withoutStreaming: ratio(samples['countersign, without streaming'], samples['by hand, without streaming']),
    /** What asking adds to one `streamText` of two steps that asks nobody, in ms. */
    askingAdds: {
      countersign: difference(samples.countersign, samples['by hand, ungated']),
      byHand: difference(samples['by hand'], samples['by hand, ungated']),
    },
    peers,
    /** What a difference of nothing looks like here. */
    noise: ratio(samples['by hand again'], samples['by hand']),
    milliseconds: medians(samples),
    effort,
    machine: machine(),
  };
}
