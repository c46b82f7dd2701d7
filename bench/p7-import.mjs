// @ts-check
// P7: what `import 'countersign'` costs in a fresh process of Node 24, and how much disk an installation takes.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { difference, digits, machine, medians } from './harness.mjs';

const GOAL_MS = 15;
const GOAL_MB = 12;

/** @param {import('./run.mjs').Context} context */
export function measureImport({ node, app, env, quick }) {
  const rounds = quick ? 25 : 60;
  /** @type {Record<string, number[]>} */
  const times = { empty: [], countersign: [], 'empty, process': [], 'countersign, process': [] };
  for (let round = -3; round < rounds; round++) {
    const turn = ['empty', 'countersign'];
    if (round % 2 !== 0) turn.reverse();
    for (const name of turn) {
      const start = performance.now();
      const child = spawnSync(node, [join(app.folder, 'time-import.mjs'), name], { env, encoding: 'utf8' });
      const wall = performance.now() - start;
      if (child.status !== 0) throw new Error(`import '${name}' failed:\n${child.stderr}`);
      // The first ones bring the files into memory.
      if (round < 0) continue;
      times[name].push(Number(child.stdout));
      times[`${name}, process`].push(wall);
    }
  }

  // One generation: here each round is a process of its own.
  /** @type {import('./harness.mjs').Samples} */
  const samples = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, [values]]));
  const inside = difference(samples.countersign, samples.empty);
  const bytes = Object.values(app.bytes).reduce((sum, size) => sum + size, 0);
  const addon = Object.entries(app.bytes).find(([path]) => path.endsWith('.node'));
  const megabytes = bytes / 1e6;
  return {
    ...inside,
    goal: GOAL_MS,
    unit: 'ms',
    met: inside.value <= GOAL_MS && megabytes <= GOAL_MB,
    /** The same, from starting the process to its end. */
    wholeProcess: difference(samples['countersign, process'], samples['empty, process']),
    milliseconds: medians(samples),
    size: {
      value: digits(megabytes),
      goal: GOAL_MB,
      unit: 'MB',
      bytes,
      addonBytes: addon?.[1],
      files: Object.keys(app.bytes).length,
    },
    effort: { processes: rounds },
    machine: machine(),
  };
}
