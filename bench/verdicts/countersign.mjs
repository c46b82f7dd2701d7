// @ts-check
// countersign, as it would be installed: `checkPolicy`, and what stands below it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { countersign } from '../app.mjs';
import { enterProject } from './project.mjs';
import { asynchronous, synchronous } from './runner.mjs';
import { lines, paths, rules } from './task.mjs';

const { checkPolicy, parsePolicy } = countersign;

enterProject();

/** @typedef {import('./task.mjs').Line} Line */

const document = (/** @type {number} */ count) =>
  /** @type {import('../../index.d.ts').PolicyDocument} */ ({
    version: 1,
    rule: rules(count).map(({ effect, words }) => ({ tools: ['bash'], effect, commands: [words.join(' ')] })),
  });

/** Through the API. @param {number} count */
export async function judge(count) {
  const policy = parsePolicy(JSON.stringify(document(count)), { format: 'json' });
  return async (/** @type {Line} */ { text }) =>
    (await checkPolicy(policy, { toolName: 'bash', args: { command: text } })).effect;
}

export const run10 = asynchronous(() => judge(10));
export const run100 = asynchronous(() => judge(100));
export const run1000 = asynchronous(() => judge(1_000));
export const run10000 = asynchronous(() => judge(10_000));

/** Each names a file: the file system is asked, on another thread. */
export const runPaths = (() => {
  /** @type {Awaited<ReturnType<typeof judge>> | undefined} */
  let ready;
  return async () => {
    ready ??= await judge(100);
    for (const text of paths) await ready({ text, effect: 'ask', commands: [] });
  };
})();

/** The addon's own class, which takes and gives text: the package does not export it. */
async function native() {
  const { COUNTERSIGN_BENCH_APP: folder } = process.env;
  assert(folder, 'this file is run by bench/run.mjs');
  const file = join(folder, 'node_modules', 'countersign', 'binding', 'binding.js');
  /** @type {typeof import('../../binding/binding.js')} */
  const { NativePolicies } = await import(pathToFileURL(file).href);
  const documents = [{ name: 'policy', format: 'object', text: JSON.stringify(document(100)) }];
  const policies = new NativePolicies(
    JSON.stringify({ documents, files: 'none', cwd: process.cwd(), project: null, home: '/home/user' }),
  );
  // The first verdict makes them ready.
  await policies.call(textOf(lines[0]));
  return policies;
}

const textOf = (/** @type {Line} */ { text }) =>
  JSON.stringify({ judge: { toolName: 'bash', args: { command: text }, now: Date.now() } });

/** There and back, with nothing to do. */
export const runCrossing = (() => {
  /** @type {(() => void) | undefined} */
  let run;
  return async () => {
    if (run === undefined) {
      const policies = await native();
      run = synchronous(() => () => policies.callNow('{"grantCount":{}}'));
    }
    run();
  };
})();

/** The verdict as text from the call as text. One that looks at files, as those on git do, comes from another thread. */
export const runNative = asynchronous(async () => {
  const policies = await native();
  const texts = new Map(lines.map((line) => [line.text, textOf(line)]));
  return async ({ text }) => policies.call(/** @type {string} */ (texts.get(text)));
});

/** The same, with the text made and read. */
export const runNativeJson = asynchronous(async () => {
  const policies = await native();
  return async (line) => JSON.parse(await policies.call(textOf(line)));
});
