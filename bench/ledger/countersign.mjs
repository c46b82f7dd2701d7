// @ts-check
// countersign, as it would be installed.
//
// `run…`: the addon's own `request`, which the package does not export: the promise resolves when the request is durable.
// `told…`: through the API, until `events()` tells of the request, which it does only after that.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countersign } from '../app.mjs';
import { directory, nextCall, runs, SIZES } from './task.mjs';

async function openNative() {
  const { COUNTERSIGN_BENCH_APP: folder } = process.env;
  assert(folder, 'this file is run by bench/run.mjs');
  const file = join(folder, 'node_modules', 'countersign', 'binding', 'binding.js');
  /** @type {typeof import('../../binding/binding.js')} */
  const { NativeGate } = await import(pathToFileURL(file).href);
  return new NativeGate(
    JSON.stringify({
      maxArgumentBytes: 4_194_304,
      keepDecided: 10_000,
      ledger: `sqlite:${join(directory('native'), 'ledger.db')}`,
      key: null,
      retainContentsMs: null,
      retainRecordsMs: null,
    }),
  );
}

/** @param {Awaited<ReturnType<typeof openNative>>} gate @param {import('./task.mjs').Call} call */
async function keep(gate, call) {
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
  const answer = await gate.call('request', JSON.stringify([request]));
  gate.drain();
  assert(answer.startsWith('{"ok"'), answer);
}

export const { run1, run16, run256 } = runs(openNative, keep);

const told = runs(
  async () => {
    const gate = countersign.createGate({ ledger: `sqlite:${join(directory('gate'), 'ledger.db')}` });
    await gate.ready();
    return { gate, events: gate.events() };
  },
  async ({ gate, events }, call) => {
    // Nobody answers, and it ends with the process.
    gate.request(call).catch(() => {});
    for (;;) {
      const { value: event, done } = await events.next();
      assert(!done, 'the gate was closed');
      if (event.type === 'requested' && event.request.toolCallId === call.toolCallId) return;
    }
  },
);
export const { run1: told1, run16: told16, run256: told256 } = told;

/** So many at once, over and over: 64 requests each time. @param {number} writers */
function together(writers) {
  /** @type {ReturnType<typeof openNative> | undefined} */
  let opened;
  return async () => {
    const gate = await (opened ??= openNative());
    let left = 64;
    const writer = async () => {
      while (left-- > 0) await keep(gate, nextCall(SIZES.run1));
    };
    await Promise.all(Array.from({ length: writers }, writer));
  };
}

export const oneWriter = together(1);
export const sixteenWriters = together(16);
