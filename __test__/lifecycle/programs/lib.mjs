/** What the programs share: a scripted model without a test library, a tool that tells what it runs, and small helpers. */
import { writeSync } from 'node:fs';
import * as ai from 'ai';

/** Written at once, also when the process ends right afterwards. */
export const say = (...words) => void writeSync(1, `${words.join(' ')}\n`);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Numbers from 0 to less than 1, the same for each name: who fails is started again with the same. */
export function randomOf(name) {
  let state = 0;
  for (const letter of name) state = (Math.imul(state, 31) + letter.codePointAt(0)) >>> 0;
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
export const finish = (unified) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
export const call = (path, toolCallId = path) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'del',
  input: JSON.stringify({ path }),
});
export const calls = (...paths) => [...paths.map((path) => call(path)), finish('tool-calls')];
export const says = (text) => [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: text },
  { type: 'text-end', id: '1' },
  finish('stop'),
];

/** A model that says these turns, one per call. A turn is a list of parts or makes one. */
export function scripted(...turns) {
  let next = 0;
  return {
    specificationVersion: 'isStepCount' in ai ? 'v4' : 'v3',
    provider: 'test',
    modelId: 'scripted',
    supportedUrls: {},
    async doStream() {
      const turn = turns[next++] ?? says('?');
      const parts = (typeof turn === 'function' ? turn() : turn)[Symbol.iterator]();
      return {
        stream: new ReadableStream(
          {
            start: (controller) => controller.enqueue({ type: 'stream-start', warnings: [] }),
            pull(controller) {
              const { done, value } = parts.next();
              if (done) controller.close();
              else controller.enqueue(value);
            },
          },
          { highWaterMark: 0 },
        ),
      };
    },
  };
}

/** Says `RAN <path>` when it runs. */
export const del = ai.tool({
  inputSchema: ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
  execute: async ({ path }) => {
    say('RAN', path);
    return path;
  },
});

/** A full collection, in Node (with --expose-gc) and in Bun. */
export const gc = () => (globalThis.Bun ? globalThis.Bun.gc(true) : globalThis.gc());

/**
 * Collects until `isDone`. Finalizers run between two turns of the event loop, and what `isDone` looked at through a
 * WeakRef is kept for the turn in which it did.
 */
export async function gcUntil(isDone, times = 2000) {
  for (let time = 0; time < times; time++) {
    await sleep(5);
    gc();
    await sleep(5);
    if (await isDone()) return true;
  }
  return false;
}

/** Bytes of the heap that are in use after a collection. */
export function heapUsed() {
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}
