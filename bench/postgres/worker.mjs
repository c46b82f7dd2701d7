// @ts-check
// One of the processes that share a round of P8 on PostgreSQL: `node worker.mjs <file> <export> <url>`. Told how many
// connections it has and how often, it does its contestant's work, that number at a time, and says how long each took, in
// ms.

import { once } from 'node:events';

/**
 * @typedef {object} Opened
 * @property {(() => Promise<any>) | undefined} [prepare] what `run` needs, made before the time is taken
 * @property {() => Promise<unknown>} [prepared] once all is
 * @property {(prepared: any) => Promise<unknown>} run throws when it did not do what it is there for
 * @property {() => Promise<unknown>} close
 */
/**
 * @typedef {object} Contestant
 * @property {(url: string) => Promise<unknown>} setUp its tables
 * @property {(url: string, connections: number) => Promise<Opened>} open
 */

const [file, name, url] = process.argv.slice(2);
/** @type {Contestant} */
const contestant = (await import(`./${file}`))[name];
await contestant.setUp(url);

/** @param {any[]} given @param {number} atOnce @param {(one: any) => Promise<unknown>} work */
async function allOf(given, atOnce, work) {
  const queue = given.values();
  const worker = async () => {
    for (const one of queue) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

process.on('message', async (/** @type {any} */ { connections, count }) => {
  if (connections === undefined) return;
  try {
    await round(connections, count);
  } catch (error) {
    console.error(error);
    process.send?.({ wrong: error instanceof Error ? error.message : String(error) });
  }
});

/** @param {number} connections @param {number} count */
async function round(connections, count) {
  const { prepare, prepared: allPrepared, run, close } = await contestant.open(url, connections);
  const make = async (/** @type {number} */ length) => {
    /** @type {any[]} */
    const made = [];
    await allOf(Array.from({ length }), connections, async () => made.push(await prepare?.()));
    return made;
  };
  // All connections are made, all code has run, and the server has settled on its plans: for the first five times it makes one
  // for each use of a prepared statement.
  await allOf(await make(8 * connections), connections, run);
  const prepared = await make(count);
  await allPrepared?.();
  process.send?.({ ready: true });
  await once(process, 'message');
  /** @type {number[]} */
  const times = [];
  await allOf(prepared, connections, async (one) => {
    const start = performance.now();
    await run(one);
    times.push(performance.now() - start);
  });
  process.send?.({ times });
  await close();
  process.send?.({ closed: true });
}

process.once('disconnect', () => process.exit());
process.send?.({ setUp: true });
