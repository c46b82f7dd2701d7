// @ts-check
// Very many requests that wait in memory, asked and decided through the addon: `node pending.mjs <requests>`.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quantile } from '../harness.mjs';

const many = Number(process.argv[2]);
const { COUNTERSIGN_BENCH_APP: app } = process.env;
assert(app, 'this file is run by bench/run.mjs');
/** @type {typeof import('../../binding/binding.js')} */
const { NativeGate } = await import(
  pathToFileURL(join(app, 'node_modules', 'countersign', 'binding', 'binding.js')).href
);
const options = { maxArgumentBytes: 4_194_304, keepDecided: 10_000, ledger: 'memory:', cwd: process.cwd(), key: null };
const open = () => new NativeGate(JSON.stringify({ ...options, retainContentsMs: null, retainRecordsMs: null }));
const content = 'The quick brown fox jumps over the lazy dog. '.repeat(4);

let asked = 0;
let payload = 0;
/** @param {InstanceType<typeof NativeGate>} gate @returns {string} its id */
function ask(gate) {
  asked += 1;
  const call = {
    runId: `run-${Math.ceil(asked / 10)}`,
    toolCallId: `call_${crypto.randomUUID()}`,
    toolName: 'write_file',
    args: { content, path: `notes/${asked}.md` },
  };
  const more = {
    description: null,
    allowedDecisions: null,
    context: null,
    details: null,
    page: null,
    supersedes: null,
  };
  const answer = JSON.parse(
    gate.callNow(
      JSON.stringify({ request: { requests: [{ ...call, ...more, origin: ['main'], timeoutMs: 86_400_000 }] } }),
    ),
  );
  gate.callNow('{"drain":{}}');
  const { approvalId, preview } = answer.ok[0].ok;
  payload = JSON.stringify(call.args).length + call.runId.length + call.toolCallId.length + preview.length + 10;
  return approvalId;
}

/** @param {InstanceType<typeof NativeGate>} gate @param {string} id @returns {number} µs */
function approve(gate, id) {
  const start = performance.now();
  const answer = gate.callNow(
    `{"decide":{"approvalId":"${id}","decision":{"type":"approve"},"meta":{"by":"somebody","via":"gate"}}}`,
  );
  const time = (performance.now() - start) * 1_000;
  assert(answer.startsWith('{"ok"'), answer);
  gate.callNow('{"drain":{}}');
  return time;
}

const [small, large] = [open(), open()];
const fewIds = Array.from({ length: 1_000 }, () => ask(small));
globalThis.gc?.();
const before = process.memoryUsage();
// A sample of the ids: those of JavaScript are not the ledger's.
const every = Math.max(1, Math.floor(many / 4_000));
const manyIds = [];
for (let at = 0; at < many; at++) {
  const id = ask(large);
  if (at % every === 0) manyIds.push(id);
}
globalThis.gc?.();
const after = process.memoryUsage();
const native = (/** @type {NodeJS.MemoryUsage} */ { rss, heapTotal }) => rss - heapTotal;

/** @type {[number[], number[]]} */
const times = [[], []];
for (let turn = 0; turn < 80; turn++) {
  for (const [side, gate, ids] of /** @type {const} */ ([
    [0, small, fewIds],
    [1, large, manyIds],
  ])) {
    for (let at = 0; at < 25; at++) {
      const which = ((turn * 25 + at) * 7919) % ids.length;
      times[side].push(approve(gate, ids[which]));
      ids[which] = ask(gate);
    }
  }
}
const of = (/** @type {number[]} */ side) => ({ p50: quantile(side, 0.5), p99: quantile(side, 0.99) });
const [few, lots] = times.map(of);
process.stdout.write(
  JSON.stringify({
    ledger: 'memory, through JavaScript',
    requests: many,
    payload,
    memoryEach: (native(after) - native(before)) / many,
    few,
    many: lots,
    p50Ratio: lots.p50 / few.p50,
    p99Ratio: lots.p99 / few.p99,
  }),
);
process.exit();
