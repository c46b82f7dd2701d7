// @ts-check
// The benchmark: `npm run bench`.
//
//   node bench/run.mjs [--only=P1,P2] [--quick] [--json] [--out=FILE] [--show=FILE] [--no-build] [--node=PATH]
//
// (npm writes a banner of its own to stdout: a program that reads the JSON calls this file, or `npm run --silent bench`.)
// Progress goes to stderr. stdout gets a table, or with --json one object and nothing else. The figures are in a file as they
// come: what is interrupted loses the part under way. A goal that is missed is a result, not a failure, and so is a peer that
// crashes, hangs or does not do what it was asked. Without a contestant of ours, or one that all are compared with, it exits
// with 1.

import { fail, prepare } from '../scripts/prepare.mjs';
import { installPeers, node24, plainEnvironment, stageApp, versions } from './environment.mjs';
import { measureLarge, showLarge } from './g15-large.mjs';
import { measureUngated, showUngated } from './p1-ungated.mjs';
import { measureGated, showGated } from './p2-gated.mjs';
import { measureVerdicts, showVerdicts } from './p3-verdicts.mjs';
import { measureDurable, showDurable } from './p4-durable.mjs';
import { measurePending, showPending } from './p5-pending.mjs';
import { measureBytes, showBytes } from './p6-bytes.mjs';
import { measureImport, showImport } from './p7-import.mjs';
import { measureWake, showWake } from './p8-wake.mjs';
import { bench, refuse } from './session.mjs';

/** @type {Parameters<typeof bench>[0]} */
const measures = {
  P1: { measure: measureUngated, show: showUngated },
  P2: { measure: measureGated, show: showGated },
  P3: { measure: measureVerdicts, show: showVerdicts },
  G15: { measure: measureLarge, show: showLarge },
  P4: { measure: measureDurable, show: showDurable },
  P5: { measure: measurePending, show: showPending },
  P6: { measure: measureBytes, show: showBytes },
  P7: { measure: measureImport, show: showImport },
  P8: { measure: measureWake, show: showWake },
};

/** @type {Parameters<typeof bench>[2]} */
async function setUp({ build, node: given }) {
  if (build) await prepare();
  await installPeers();
  const node = given ?? (await node24());
  const { remove, ...app } = await stageApp();
  return { node, app, env: plainEnvironment(app.folder), versions: await versions(node), remove };
}

await bench(measures, process.argv.slice(2), setUp)
  .catch(refuse)
  .then((code) => (process.exitCode = code), fail);
