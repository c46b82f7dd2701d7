// @ts-check
// What every contestant of P4 does: it keeps one call that waits for a human, so that it is there after the power has gone,
// or as far as the contestant promises that.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of the one text in a call's arguments. */
export const SIZES = { run1: 1024, run16: 16 * 1024, run256: 256 * 1024 };

const sentence = 'The quick brown fox jumps over the lazy dog; packing my box with five dozen jugs. ';

let calls = 0;

/** A new call. @param {number} bytes */
export function nextCall(bytes) {
  calls += 1;
  const start = calls % sentence.length;
  return {
    runId: `run-${Math.ceil(calls / 10)}`,
    toolCallId: `call_${crypto.randomUUID()}`,
    toolName: 'write_file',
    args: {
      path: `notes/${calls}.md`,
      content: sentence.repeat(Math.ceil(bytes / sentence.length) + 1).slice(start, start + bytes),
    },
  };
}

/** @typedef {ReturnType<typeof nextCall>} Call */

/** A directory for one contestant's files: of the process, gone with it. @param {string} name */
export function directory(name) {
  const folder = mkdtempSync(join(tmpdir(), `countersign-bench-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  // The measuring process disconnects. Not by `process.exit`, in which better-sqlite3 aborts.
  process.once('disconnect', () => {
    remove();
    process.kill(process.pid, 'SIGKILL');
  });
  return folder;
}

/**
 * One function per size.
 *
 * @template T
 * @param {() => T | Promise<T>} open once, before the first call
 * @param {(store: T, call: Call) => unknown} keep
 */
export function runs(open, keep) {
  /** @type {Promise<T> | undefined} */
  let opened;
  return Object.fromEntries(
    Object.entries(SIZES).map(([name, bytes]) => [
      name,
      async () => keep(await (opened ??= Promise.resolve(open())), nextCall(bytes)),
    ]),
  );
}
