// @ts-check
// The benchmark: `npm run bench`.
//
//   node bench/run.mjs [--json] [--quick] [--only=P1,P2] [--no-build] [--node=<path>]
//
// Progress goes to stderr. stdout gets a table, or with --json one object and nothing else. A goal that is missed is a
// result, not a failure; a contestant that did not do what it was asked fails the whole benchmark.

import { parseArgs } from 'node:util';
import { fail, prepare } from '../scripts/prepare.mjs';
import { installPeers, measureIn, node24, stageApp, versions } from './environment.mjs';
import { progress } from './harness.mjs';
import { measureGated } from './p2-gated.mjs';
import { measureImport } from './p7-import.mjs';
import { table } from './table.mjs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** A minute, to see that everything works; too short to trust. */
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'P1,P2,P7' },
    /** Measures what is built, even when the sources are newer. */
    'no-build': { type: 'boolean', default: false },
    /** Another Node than 24. */
    node: { type: 'string' },
  },
});

/** @typedef {{ node: string, app: Awaited<ReturnType<typeof stageApp>>, quick: boolean }} Context */

/** @type {Record<string, (context: Context) => any>} */
const measures = {
  P1: (context) =>
    measureIn(context.node, ['p1-ungated.mjs', ...(context.quick ? ['--quick'] : [])], context.app.folder),
  P2: measureGated,
  P7: measureImport,
};

async function main() {
  if (!options['no-build']) await prepare();
  await installPeers();
  const node = options.node ?? (await node24());
  const app = await stageApp();
  try {
    /** @type {Record<string, object>} */
    const results = {};
    for (const name of options.only.split(',')) {
      progress(name);
      results[name] = { ...(await measures[name]({ node, app, quick: options.quick })), versions: versions() };
    }
    process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : table(results));
  } finally {
    app.remove();
  }
}

await main().catch(fail);
