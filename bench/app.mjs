// @ts-check
// countersign, as it would be installed (see `stageApp`).

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = process.env.COUNTERSIGN_BENCH_APP;
assert(folder, 'this file is run by bench/run.mjs');

const app = await import(pathToFileURL(join(folder, 'index.mjs')).href);

// Two copies would compare two warm-ups, and perhaps two versions.
assert.equal(app.ai, import.meta.resolve('ai'), 'countersign and the comparison would run different copies of `ai`');

/** @type {typeof import('../index.d.ts')} */
export const countersign = app.countersign;
