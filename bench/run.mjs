// @ts-check
// The benchmark: `npm run bench`.
//
//   node bench/run.mjs [--json] [--quick] [--only=P1,P2] [--no-build] [--node=<path>]
//
// (npm writes a banner of its own to stdout: a program that reads the JSON calls this file, or `npm run --silent bench`.)
// Progress goes to stderr. stdout gets a table, or with --json one object and nothing else. A goal that is missed is a
// result, not a failure; a contestant that did not do what it was asked fails the whole benchmark.

import { parseArgs } from 'node:util';
import { fail, prepare } from '../scripts/prepare.mjs';
import { installPeers, node24, plainEnvironment, stageApp, versions } from './environment.mjs';
import { progress } from './harness.mjs';
import { measureUngated } from './p1-ungated.mjs';
import { measureGated } from './p2-gated.mjs';
import { measureVerdicts } from './p3-verdicts.mjs';
import { measureDurable } from './p4-durable.mjs';
import { measurePending } from './p5-pending.mjs';
import { measureBytes } from './p6-bytes.mjs';
import { measureImport } from './p7-import.mjs';
import { measureWake } from './p8-wake.mjs';
import { table } from './table.mjs';

/**
 * @typedef {object} Context
 * @property {string} node the Node that everything is measured on
 * @property {NodeJS.ProcessEnv} env the environment of everything that is measured
 * @property {Awaited<ReturnType<typeof stageApp>>} app
 * @property {boolean} quick
 */

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Less than a minute, to see that everything works; too short to trust. */
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'P1,P2,P3,P4,P5,P6,P7,P8' },
    /** Measures what is built, even when the sources are newer. */
    'no-build': { type: 'boolean', default: false },
    /** Another Node than 24. */
    node: { type: 'string' },
  },
});

/** @type {Record<string, (context: Context) => object | Promise<object>>} */
const measures = {
  P1: measureUngated,
  P2: measureGated,
  P3: measureVerdicts,
  P4: measureDurable,
  P5: measurePending,
  P6: measureBytes,
  P7: measureImport,
  P8: measureWake,
};

async function main() {
  const names = options.only.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(measures, name));
  if (unknown.length > 0)
    throw new Error(`there is no measure ${unknown.join(', ')}: ${Object.keys(measures).join(', ')}`);
  if (!options['no-build']) await prepare();
  await installPeers();
  const node = options.node ?? (await node24());
  const app = await stageApp();
  try {
    const context = { node, env: plainEnvironment(app.folder), app, quick: options.quick };
    /** @type {Record<string, object>} */
    const results = {};
    for (const name of names) {
      progress(name);
      results[name] = { ...(await measures[name](context)), quick: options.quick, versions: await versions(node) };
    }
    process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : table(results));
  } finally {
    app.remove();
  }
}

await main().catch(fail);
