// @ts-check
// One subject in a process of its own: `node subject.mjs <file> <export>`. Told a number of runs, it makes them and answers
// with the time of one, in ms, or with what was wrong.

import { setImmediate } from 'node:timers/promises';

const [file, name] = process.argv.slice(2);
const { [name]: run, cleanUp } = await import(`./${file}`);

process.on('message', async (/** @type {number} */ runs) => {
  try {
    const start = performance.now();
    for (let i = 0; i < runs; i++) {
      await run();
      // Nothing here waits for input or output, so the event loop would never turn, and what is left to it (the finalizers
      // of native objects, for one) would pile up as it does in no application. It takes some µs.
      await setImmediate();
    }
    const time = (performance.now() - start) / runs;
    await cleanUp?.();
    process.send?.({ time });
  } catch (error) {
    console.error(error);
    process.send?.({ wrong: error instanceof Error ? error.message : String(error) });
  }
});
