// @ts-check
// countersign, as it would be installed.
//
// `run…`: the addon's own `request`, which the package does not export: the promise resolves when the request is durable.
// `told…`: through the API, until `events()` tells of the request, which it does only after that.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { countersign } from '../app.mjs';
import { keep, openNative } from './native.mjs';
import { directory, nextCall, runs, SIZES } from './task.mjs';

const openFile = () => openNative(`sqlite:${join(directory('native'), 'ledger.db')}`);

export const { run1, run16, run256 } = runs(openFile, keep);

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

/** This number of writers at once, over and over: 64 requests each time. @param {number} writers */
function together(writers) {
  /** @type {ReturnType<typeof openFile> | undefined} */
  let opened;
  return async () => {
    const gate = await (opened ??= openFile());
    let left = 64;
    const writer = async () => {
      while (left-- > 0) await keep(gate, nextCall(SIZES.run1));
    };
    await Promise.all(Array.from({ length: writers }, writer));
  };
}

export const oneWriter = together(1);
export const sixteenWriters = together(16);
