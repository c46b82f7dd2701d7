// @ts-check
// The addon's own `request`, which the package does not export.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @param {string} ledger */
export async function openNative(ledger) {
  const { COUNTERSIGN_BENCH_APP: folder } = process.env;
  assert(folder, 'this file is run by bench/run.mjs');
  const file = join(folder, 'node_modules', 'countersign', 'binding', 'binding.js');
  /** @type {typeof import('../../binding/binding.js')} */
  const { NativeGate } = await import(pathToFileURL(file).href);
  return new NativeGate(
    JSON.stringify({
      maxArgumentBytes: 4_194_304,
      keepDecided: 10_000,
      ledger,
      key: null,
      retainContentsMs: null,
      retainRecordsMs: null,
    }),
  );
}

/**
 * Resolves with its id when the request is durable.
 *
 * @param {Awaited<ReturnType<typeof openNative>>} gate
 * @param {import('./task.mjs').Call} call
 * @returns {Promise<string>}
 */
export async function keep(gate, call) {
  const request = {
    ...call,
    origin: ['main'],
    description: null,
    allowedDecisions: null,
    timeoutMs: 300_000,
    context: null,
    details: null,
    page: null,
    supersedes: null,
  };
  const answer = await gate.call(JSON.stringify({ request: { requests: [request] } }));
  gate.callNow('{"drain":{}}');
  const [{ ok: record }] = JSON.parse(answer).ok ?? [{}];
  assert(record, answer);
  return record.approvalId;
}
