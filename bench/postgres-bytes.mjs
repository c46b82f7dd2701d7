// @ts-check
// What an approval takes in PostgreSQL: bytes on the disk by table, bytes of the write-ahead log, rates of one process, and
// what a process writes that does nothing.
//
//   node bench/postgres-bytes.mjs [--approvals=2000] [--args=1000] [--url=postgres://…] [--json]
//
// It takes what is built. Without a URL it starts a server of its own with the settings of PostgreSQL, but for those that
// scripts/postgres.mjs names; with one, the server must do nothing else meanwhile, for its whole log is counted. Its ledgers are
// in schemas that are dropped afterwards.

import { tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { createGate, gateTools, streamWithEvents } from '../dist/index.js';
import { startPostgres } from '../scripts/postgres.mjs';

const { values: given } = parseArgs({
  options: {
    approvals: { type: 'string', default: '2000' },
    /** Length of the arguments of a call, in characters. */
    args: { type: 'string', default: '1000' },
    url: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const approvals = Number(given.approvals);
/** How many calls are on their way at the same time. */
const AT_ONCE = 64;
/** Calls before and beside each that is asked about, in a run. */
const READS = 2;
const IDLE_S = 20;

const server = given.url === undefined ? await startPostgres() : undefined;
const url = given.url ?? server?.url;
if (url === undefined) throw new Error(`no PostgreSQL: ${server?.unavailable}`);
const database = new Client({ connectionString: url });
await database.connect();

/** @param {string} sql @param {unknown[]} [values] @returns {Promise<any[]>} */
const rows = async (sql, values) => (await database.query(sql, values)).rows;

/** Real text, so that it can be compressed as such: the pages of this project, over and over. */
const pages = join(import.meta.dirname, '..', 'docs');
const text = readdirSync(pages)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join(pages, name), 'utf8'))
  .join('\n');
let at = 0;
/** The next `length` characters. @param {number} length */
function next(length) {
  if (at + length > text.length) at = (at * 7) % 1_000;
  at += length;
  return text.slice(at - length, at);
}

/** @typedef {{ rows: number, heap: number, indexes: number }} Size bytes, for each approval; `rows` in all */

/** The tables of a ledger, its partitions put together. @param {string} schema @returns {Promise<Record<string, Size>>} */
async function sizes(schema) {
  await rows('VACUUM (ANALYZE)');
  const found = await rows(
    `SELECT regexp_replace(c.relname, '_([0-9]{8}|rest)$', '') AS name, sum(greatest(c.reltuples, 0)) AS rows,
       sum(pg_table_size(c.oid)) AS heap, sum(pg_indexes_size(c.oid)) AS indexes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r' GROUP BY 1`,
    [schema],
  );
  return Object.fromEntries(
    found.map(({ name, ...size }) => [
      name,
      { rows: Number(size.rows), heap: Number(size.heap), indexes: Number(size.indexes) },
    ]),
  );
}

/** Transactions so far. A connection that does nothing tells of its last ones after 10 s. */
async function transactions() {
  await sleep(10_500);
  await rows('SELECT pg_stat_force_next_flush()');
  return Number((await rows('SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()'))[0].n);
}

/** Bytes of the log so far. */
const logged = async () => Number((await rows("SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes"))[0].bytes);

/** What some work writes, divided by `per`. @param {() => Promise<unknown>} work @param {number} per */
async function logOf(work, per) {
  const [begun, before] = [await transactions(), await logged()];
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const wal = Math.round(((await logged()) - before) / per);
  return { wal, transactions: digits(((await transactions()) - begun) / per), perSecond: digits(per / seconds) };
}

const digits = (/** @type {number} */ value) => Number(value.toPrecision(2));

/** @param {Iterable<() => Promise<unknown>>} jobs */
async function allOf(jobs, atOnce = AT_ONCE) {
  const queue = jobs[Symbol.iterator]();
  const worker = async () => {
    for (let job = queue.next(); !job.done; job = queue.next()) await job.value();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

let ledgers = 0;
/**
 * Something on a ledger of its own; what its tables have grown by, for each approval.
 *
 * @template RESULT
 * @param {number} count of approvals
 * @param {(gate: import('../index.js').Gate, schema: string) => Promise<RESULT>} work
 */
async function onLedger(count, work) {
  const schema = `bench_bytes_${++ledgers}`;
  await rows(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  const ledger = /** @type {`postgres://${string}`} */ (`${url}?schema=${schema}`);
  const gate = createGate({ ledger, timeout: 86_400_000 });
  try {
    await gate.ready();
    const empty = await sizes(schema);
    await rows('CHECKPOINT');
    const result = await work(gate, schema);
    const tables = Object.entries(await sizes(schema)).map(([name, { rows: count_, heap, indexes }]) => ({
      name,
      rows: count_,
      heap: Math.round((heap - (empty[name]?.heap ?? 0)) / count),
      indexes: Math.round((indexes - (empty[name]?.indexes ?? 0)) / count),
    }));
    const used = tables.filter(({ heap, indexes }) => heap + indexes > 0);
    return { ...result, bytes: used.reduce((sum, { heap, indexes }) => sum + heap + indexes, 0), tables: used };
  } finally {
    await gate.close();
    await rows(`DROP SCHEMA ${schema} CASCADE`);
  }
}

/** Asked, approved and taken, without a tool. */
const steps = () =>
  onLedger(approvals, async (gate, schema) => {
    /** @type {Promise<{ approved: boolean }>[]} */
    const asking = [];
    const requested = await logOf(async () => {
      for (let number = 0; number < approvals; number++)
        asking.push(gate.request({ toolName: 'deploy', args: { notes: next(Number(given.args)) } }));
      while (Number((await rows(`SELECT count(*) AS n FROM ${schema}.waiting`))[0].n) < approvals) await sleep(50);
    }, approvals);
    const ids = await rows(`SELECT id FROM ${schema}.waiting`);
    const waiting = (await sizes(schema)).waiting;
    const connections = Number(
      (await rows("SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'countersign'"))[0].n,
    );
    const decided = await logOf(
      () =>
        allOf(
          ids.map(
            ({ id }) =>
              () =>
                gate.approve(id, { by: 'mia', reason: 'looks right' }),
          ),
        ),
      approvals,
    );
    assert((await Promise.all(asking)).every(({ approved }) => approved));
    const [{ hot, updates }] = await rows(
      `SELECT sum(n_tup_hot_upd) AS hot, sum(n_tup_upd) AS updates FROM pg_stat_user_tables WHERE schemaname = $1 AND relname LIKE 'approval%'`,
      [schema],
    );
    const chained = await logOf(() => gate.audit.head(), approvals);
    return {
      requested,
      decided,
      chained,
      waiting: Math.round((waiting.heap + waiting.indexes) / approvals),
      hot: Math.round((100 * Number(hot)) / Number(updates)),
      connections,
    };
  });

const inputSchema = z.object({ notes: z.string() });

/** Asked, approved, started, settled: a gated tool in a loop of one's own. */
const executed = () =>
  onLedger(approvals, async (gate) => {
    let ran = 0;
    const { deploy } = gateTools(
      { deploy: tool({ inputSchema, execute: async () => `done ${++ran}: ${next(200)}` }) },
      { gate, interruptOn: { deploy: true }, onApprovalRequest: () => true },
    );
    const calls = Array.from({ length: approvals }, (_, number) => async () => {
      const options = { toolCallId: `call_${number}`, messages: [], context: {} };
      await deploy.execute?.({ notes: next(Number(given.args)) }, /** @type {any} */ (options));
    });
    const log = await logOf(async () => {
      await allOf(calls);
      await gate.audit.head();
    }, approvals);
    assert.equal(ran, approvals);
    return log;
  });

/** The same in runs that can be continued, each with `each` approvals. @param {number} each */
const inRuns = (each) => {
  const runs = Math.max(AT_ONCE, Math.round(approvals / 4 / each));
  return onLedger(runs * each, async (gate) => {
    let ran = 0;
    const tools = {
      read: tool({ inputSchema: z.object({ path: z.string() }), execute: async () => next(2_500) }),
      deploy: tool({ inputSchema, execute: async () => `done ${++ran}: ${next(200)}` }),
    };
    const one = async () => {
      const run = streamWithEvents({
        model: modelOf(each),
        tools,
        system: next(8_192),
        prompt: 'Please bring this project up to date.',
        interruptOn: { deploy: true },
        onApprovalRequest: () => true,
        maxSteps: each * (READS + 1) + 2,
        gate,
      });
      await run.result;
    };
    const log = await logOf(async () => {
      await allOf(Array.from({ length: runs }, () => one));
      await gate.audit.head();
    }, runs * each);
    assert.equal(ran, runs * each);
    return { runs, ...log };
  });
};

/** Two reads, then what is asked about; so often. @param {number} each */
function modelOf(each) {
  let turn = 0;
  return new MockLanguageModelV4({
    doStream: async () => {
      const number = turn++;
      const isOver = number >= each * (READS + 1);
      const call =
        number % (READS + 1) < READS
          ? { toolName: 'read', input: JSON.stringify({ path: `src/part-${number}.ts` }) }
          : { toolName: 'deploy', input: JSON.stringify({ notes: next(Number(given.args)) }) };
      const usage = {
        inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 5, text: 5, reasoning: undefined },
      };
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: next(160) },
        { type: 'text-end', id: '1' },
        ...(isOver ? [] : [{ type: 'tool-call', toolCallId: `call_${number}`, ...call }]),
        { type: 'finish', finishReason: { unified: isOver ? 'stop' : 'tool-calls', raw: 'stop' }, usage },
      ];
      return { stream: convertArrayToReadableStream(/** @type {any[]} */ (parts)) };
    },
  });
}

/** What a process costs that has the ledger open and waits, in a second; without what the server does by itself. */
const idle = () =>
  onLedger(1, async (gate) => {
    const stop = new AbortController();
    const asking = gate.request({ toolName: 'deploy', args: {} }, { abortSignal: stop.signal });
    await sleep(2_000);
    const open = await logOf(() => sleep(IDLE_S * 1_000), IDLE_S);
    stop.abort();
    await asking;
    await gate.close();
    const closed = await logOf(() => sleep(IDLE_S * 1_000), IDLE_S);
    return { wal: open.wal - closed.wal, transactions: digits(open.transactions - closed.transactions) };
  });

try {
  const [{ version }] = await rows("SELECT current_setting('server_version') AS version");
  const result = {
    postgres: version,
    approvals,
    argsLength: Number(given.args),
    idle: await idle(),
    steps: await steps(),
    executed: await executed(),
    runsOfOne: await inRuns(1),
    runsOfTen: await inRuns(10),
  };
  if (given.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else console.dir(result, { depth: 5, breakLength: 120 });
} finally {
  await database.end();
  await server?.end();
}
