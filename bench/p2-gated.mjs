// @ts-check
// P2: one gated call, approved at once: the whole run, against the AI SDK's own two calls by hand, and against the peers.

import { areAtMost, difference, figure, medians, ratio, takeTurns } from './harness.mjs';

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
    { name, file: `peers/${name}.mjs`, run: 'run', peer: true },
    { name: `${name}, without streaming`, file: `peers/${name}.mjs`, run: 'runWithoutStreaming', peer: true },
    { name: `${name}, ungated`, file: `peers/${name}.mjs`, run: 'runUngated', peer: true },
  ]),
];

/** @type {import('./session.mjs').Measure} */
export async function measureGated(context) {
  // Batches long enough to hold several of the garbage collector's turns: its work is part of the price.
  const effort = context.quick
    ? { generations: 1, rounds: 4, warmUp: 50, batch: 20 }
    : { generations: 6, rounds: 8, warmUp: 800, batch: 100 };
  const samples = await takeTurns(subjects, effort, context, (soFar, at) => context.save(figuresOf(soFar, effort), at));
  return figuresOf(samples, effort);
}

/** @param {import('./harness.mjs').Samples} samples @param {import('./harness.mjs').Effort} effort */
function figuresOf(samples, effort) {
  /** The faster one of a contestant's ways. */
  const fastest = (/** @type {string[]} */ ...names) =>
    Math.min(...names.map((name) => figure(samples[name]).value ?? Infinity));
  /** `null`: one of them has no figure. */
  const isFaster = (/** @type {number} */ one, /** @type {number} */ other) =>
    one < Infinity && other < Infinity ? one < other : null;
  const whole = ratio(samples.countersign, samples['by hand']);
  const peers = Object.fromEntries(
    PEERS.map((name) => [
      name,
      {
        /** To the two calls by hand. */
        streaming: ratio(samples[name], samples['by hand']),
        withoutStreaming: ratio(samples[`${name}, without streaming`], samples['by hand']),
        /** Whether the streaming countersign is faster than whichever way of the peer is the faster one. */
        countersignIsFaster: isFaster(fastest('countersign'), fastest(name, `${name}, without streaming`)),
        /** How many times as long as countersign it takes: both streaming, and both without. */
        toCountersign: {
          streaming: ratio(samples[name], samples.countersign),
          withoutStreaming: ratio(samples[`${name}, without streaming`], samples['countersign, without streaming']),
        },
        /** What asking the human adds to the peer's own ungated run, in ms. */
        askingAdds: difference(samples[name], samples[`${name}, ungated`]),
      },
    ]),
  );
  const fasterThanAllPeers = Object.values(peers).every(({ countersignIsFaster }) => countersignIsFaster);
  return {
    whole,
    met: areAtMost(GOAL, whole) && fasterThanAllPeers,
    metAgainstByHand: areAtMost(GOAL, whole),
    fasterThanAllPeers,
    throughGate: ratio(samples['countersign, through a gate'], samples['by hand']),
    withoutStreaming: ratio(samples['countersign, without streaming'], samples['by hand, without streaming']),
    /** What asking adds to one ungated `streamText` of two steps, in ms. */
    askingAdds: {
      countersign: difference(samples.countersign, samples['by hand, ungated']),
      byHand: difference(samples['by hand'], samples['by hand, ungated']),
    },
    peers,
    /** What a difference of nothing looks like here. */
    noise: ratio(samples['by hand again'], samples['by hand']),
    milliseconds: medians(samples),
    effort,
  };
}

/** @type {import('./session.mjs').Show} */
export function showGated(sheet, { whole, throughGate, withoutStreaming, noise, peers = {}, askingAdds }) {
  sheet.heading("P2  one gated call, the whole run / the AI SDK's two calls by hand");
  sheet.line('countersign', whole, { most: GOAL });
  sheet.line('countersign, answered through a gate', throughGate);
  sheet.line('gateTools + generateText / two generateText', withoutStreaming);
  sheet.line('by hand / itself (noise)', noise);
  for (const [name, peer] of Object.entries(peers)) {
    sheet.line(name, peer.streaming);
    sheet.line(`${name}, without streaming`, peer.withoutStreaming);
  }
  sheet.note('how many times as long as countersign (more than 1: countersign is faster)');
  for (const [name, { toCountersign }] of Object.entries(peers)) {
    sheet.line(`${name}, both streaming`, toCountersign.streaming);
    sheet.line(`${name}, both without streaming`, toCountersign.withoutStreaming);
  }
  sheet.note('what asking the human adds to the same run that asks nobody');
  sheet.line('by hand', askingAdds?.byHand, { unit: 'ms' });
  sheet.line('countersign', askingAdds?.countersign, { unit: 'ms' });
  for (const [name, peer] of Object.entries(peers)) sheet.line(name, peer.askingAdds, { unit: 'ms' });
}
