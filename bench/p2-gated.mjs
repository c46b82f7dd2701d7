// @ts-check
// P2: one gated call, approved at once: the whole run, against the AI SDK's own two calls by hand, and against the peers.
//
// Each peer is measured in a process of its own, where it takes turns with countersign and with the two calls by hand.
// So no peer runs in a process that another one has burdened, and each comparison is made within one process.

import { measureIn } from './environment.mjs';
import { difference, interleave, machine, median, medians, print, progress, ratio } from './harness.mjs';

const GOAL = 1.1;

/** Their names are those of the files in `peers/`. */
const PEERS = ['langgraph', 'openai-agents', 'combycode'];

/** The samples of the two ways that every process measures, and of all that this contestant can do. */
async function measureContestant(/** @type {string} */ name, { quick = false }) {
  const byHand = await import('./peers/by-hand.mjs');
  const countersign = await import('./peers/countersign.mjs');
  const contestant = name === 'countersign' ? countersign : await import(`./peers/${name}.mjs`);
  const subjects = [
    { name: 'by hand', run: byHand.run },
    { name: 'countersign', run: countersign.run },
    { name: 'countersign, without streaming', run: countersign.runWithoutStreaming },
    ...(name === 'countersign'
      ? [
          { name: 'by hand again', run: byHand.run },
          { name: 'by hand, without streaming', run: byHand.runWithoutStreaming },
          { name: 'by hand, ungated', run: byHand.runUngated },
          { name: 'countersign, through a gate', run: countersign.runThroughGate },
        ]
      : [
          { name, run: contestant.run, cleanUp: contestant.cleanUp },
          { name: `${name}, without streaming`, run: contestant.runWithoutStreaming, cleanUp: contestant.cleanUp },
          { name: `${name}, ungated`, run: contestant.runUngated },
        ]),
  ];
  // Samples long enough to hold several of the garbage collector's own turns: its work is part of the price.
  const effort = quick ? { rounds: 10, warmUp: 5, batch: 8 } : { rounds: 40, warmUp: 5, batch: 100 };
  return interleave(subjects, effort);
}

/** @param {{ node: string, app: { folder: string }, quick: boolean }} options */
export async function measureGated({ node, app, quick }) {
  const measure = (/** @type {string} */ name) => {
    progress(`P2: ${name}`);
    return measureIn(node, ['p2-gated.mjs', name, ...(quick ? ['--quick'] : [])], app.folder);
  };

  const { samples: own, machine } = await measure('countersign');
  const whole = ratio(own.countersign, own['by hand']);

  /** @type {Record<string, object>} */
  const peers = {};
  let isFastest = true;
  for (const name of PEERS) {
    const { samples } = await measure(name);
    const fasterWay =
      median(samples[name]) <= median(samples[`${name}, without streaming`]) ? name : `${name}, without streaming`;
    const countersignIsFaster = median(samples.countersign) < median(samples[fasterWay]);
    isFastest &&= countersignIsFaster;
    peers[name] = {
      /** To the two calls by hand. */
      streaming: ratio(samples[name], samples['by hand']),
      withoutStreaming: ratio(samples[`${name}, without streaming`], samples['by hand']),
      /** Whether the streaming countersign is faster than whichever way of the peer is the faster one. */
      countersignIsFaster,
      /** How many times as long as countersign it takes: both streaming, and both without. */
      toCountersign: {
        streaming: ratio(samples[name], samples.countersign),
        withoutStreaming: ratio(samples[`${name}, without streaming`], samples['countersign, without streaming']),
      },
      /** What asking the human adds to the peer's own run that asks nobody, in ms. */
      askingAdds: difference(samples[name], samples[`${name}, ungated`]),
      milliseconds: medians(samples),
    };
  }

  return {
    ...whole,
    goal: GOAL,
    met: whole.value <= GOAL && isFastest,
    metAgainstByHand: whole.value <= GOAL,
    fasterThanAllPeers: isFastest,
    throughGate: ratio(own['countersign, through a gate'], own['by hand']),
    withoutStreaming: ratio(own['countersign, without streaming'], own['by hand, without streaming']),
    /** What asking adds to one `streamText` of two steps that asks nobody, in ms. */
    askingAdds: {
      countersign: difference(own.countersign, own['by hand, ungated']),
      byHand: difference(own['by hand'], own['by hand, ungated']),
    },
    peers,
    /** What a difference of nothing looks like here. */
    noise: ratio(own['by hand again'], own['by hand']),
    milliseconds: medians(own),
    rounds: own.countersign.length,
    machine,
  };
}

const [contestant] = process.argv.slice(2);
if (import.meta.filename === process.argv[1]) {
  await print(async ({ quick }) => ({ samples: await measureContestant(contestant, { quick }), machine: machine() }));
}
