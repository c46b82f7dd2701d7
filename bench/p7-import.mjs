// @ts-check
// P7: what `import 'countersign'` costs in a fresh process of Node 24, and how much disk an installation takes.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { PATIENCE } from './child.mjs';
import { areAtMost, difference, digits, medians } from './harness.mjs';

const GOAL_MS = 15;
const GOAL_MB = 12;

/** @type {import('./session.mjs').Measure} */
export async function measureImport({ node, app, env, quick, signal, failed }) {
  const bytes = Object.values(app.bytes).reduce((sum, size) => sum + size, 0);
  const addon = Object.entries(app.bytes).find(([path]) => path.endsWith('.node'));
  const rounds = quick ? 25 : 60;
  /** One generation: here each round is a process of its own. @type {import('./harness.mjs').Samples} */
  const samples = { empty: [[]], countersign: [[]], 'empty, process': [[]], 'countersign, process': [[]] };
  for (let round = -3; round < rounds; round++) {
    const turn = ['empty', 'countersign'];
    if (round % 2 !== 0) turn.reverse();
    for (const name of turn) {
      const start = performance.now();
      const timed = spawnSync(node, [join(app.folder, 'time-import.mjs'), name], {
        env,
        encoding: 'utf8',
        timeout: PATIENCE,
        killSignal: 'SIGKILL',
      });
      const wall = performance.now() - start;
      // While it is waited for no signal is heard.
      await setImmediate();
      signal.throwIfAborted();
      const time = Number(timed.stdout);
      const [inside, whole] = [samples[name], samples[`${name}, process`]];
      if (!Array.isArray(inside) || !Array.isArray(whole)) continue;
      if (timed.status !== 0 || !(time > 0)) {
        const failure = {
          name,
          failed: timed.status === 0 ? 'printed nonsense' : `crashed (${timed.signal ?? `exit code ${timed.status}`})`,
          lastLines: timed.stderr.split('\n').filter((line) => line !== ''),
        };
        failed(failure);
        samples[name] = samples[`${name}, process`] = failure;
        continue;
      }
      // The first ones bring the files into memory.
      if (round < 0) continue;
      inside[0].push(time);
      whole[0].push(wall);
    }
  }

  const inside = difference(samples.countersign, samples.empty);
  const megabytes = bytes / 1e6;
  return {
    inside,
    met: areAtMost(GOAL_MS, inside) && megabytes <= GOAL_MB,
    /** The same, from starting the process to its end. */
    wholeProcess: difference(samples['countersign, process'], samples['empty, process']),
    milliseconds: medians(samples),
    size: {
      value: digits(megabytes),
      bytes,
      addonBytes: addon?.[1],
      files: Object.keys(app.bytes).length,
    },
    effort: { processes: rounds },
  };
}

/** @type {import('./session.mjs').Show} */
export function showImport(sheet, { inside, wholeProcess, size }) {
  sheet.heading("P7  import 'countersign' in a fresh process, less an empty module");
  sheet.line('import', inside, { most: GOAL_MS, unit: 'ms' });
  sheet.line('whole process', wholeProcess, { unit: 'ms' });
  sheet.line('unpacked, one platform', size, { most: GOAL_MB, unit: 'MB' });
  if (size) sheet.note(`of which the addon has ${digits(size.addonBytes / 1e6)} MB`);
}
