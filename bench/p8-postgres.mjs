// @ts-check
// P8 on PostgreSQL: how soon another process goes on, and how many decisions a second there are, beside what can be had by hand
// and beside LangGraph's saver, all on one server, which starts with this and whose fsync is on.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.mjs';
import { digits, median, progress, quantile, ratio } from './harness.mjs';
import { meetings, next } from './meetings.mjs';

const GOAL_WAKE = 2;
/** Of the rate of the same update without any NOTIFY. */
const GOAL_RATE = 0.8;
/** Over all processes of a contestant. */
const CONNECTIONS = [8, 32, 128];
const PROCESSES = 4;

const CONTESTANTS = [
  { name: 'countersign', file: 'countersign', run: 'decide' },
  { name: 'update', file: 'bare', run: 'update' },
  { name: 'update, not prepared', file: 'bare', run: 'unprepared' },
  { name: 'update and NOTIFY', file: 'bare', run: 'notify' },
  { name: 'LangGraph put, putWrites', file: 'langgraph', run: 'putAndWrites' },
  { name: 'countersign, whole', file: 'countersign', run: 'whole' },
  { name: 'LangGraph, whole', file: 'langgraph', run: 'whole' },
];

/** @param {{ node: string, env: NodeJS.ProcessEnv, quick: boolean }} context */
export async function measurePostgres({ node, env, quick }) {
  progress('  PostgreSQL');
  const { url, unavailable, end } = await startPostgres();
  if (url === undefined) throw new Error(`P8 needs PostgreSQL: ${unavailable}`);
  try {
    const sides = [
      { file: 'wake-countersign.mjs', place: `${url}?schema=wake` },
      { file: 'wake-bare-postgres.mjs', place: url },
    ];
    const wake = await meetings(sides, { node, env, turns: quick ? 3 : 20 });
    /** @type {Record<string, object>} */
    const decisions = {};
    for (const connections of CONNECTIONS) {
      progress(`  ${connections} connections`);
      decisions[connections] = await rates(url, connections, { node, env, rounds: quick ? 2 : 4 });
    }
    return {
      wake: { ...wake, goal: GOAL_WAKE, met: wake.toBare.value <= GOAL_WAKE },
      goalRate: GOAL_RATE,
      decisions,
      /** Processes that waited for a processor, at the end, ours among them. */
      load: digits(loadavg()[1]),
    };
  } finally {
    await end();
  }
}

/** @param {string} url @param {number} connections @param {{ node: string, env: NodeJS.ProcessEnv, rounds: number }} how */
async function rates(url, connections, { node, env, rounds }) {
  /** @type {Record<string, { each: number[][], times: number[] }>} */
  const samples = Object.fromEntries(CONTESTANTS.map(({ name }) => [name, { each: [[]], times: [] }]));
  /** @type {Team[]} */
  const teams = [];
  try {
    for (const { name, file, run } of CONTESTANTS) {
      /** @type {Team} */
      const team = { name, processes: [] };
      teams.push(team);
      // One after the other: the first makes the tables.
      for (let number = 0; number < PROCESSES; number++) {
        const words = [join(import.meta.dirname, 'postgres', 'worker.mjs'), `${file}.mjs`, run, url];
        const child = spawn(node, words, { env, stdio: ['ignore', 2, 2, 'ipc'] });
        team.processes.push(child);
        await next(child, 'setUp');
      }
    }
    for (let round = 0; round < rounds; round++) {
      for (const { name, processes } of round % 2 === 0 ? teams : teams.toReversed()) {
        const { each, times } = await compete(processes, connections / PROCESSES);
        samples[name].each[0].push(each);
        samples[name].times.push(...times);
      }
    }
  } finally {
    const all = teams.flatMap(({ processes }) => processes).filter(({ connected }) => connected);
    const gone = all.map((child) => once(child, 'exit'));
    for (const child of all) child.disconnect();
    await Promise.all(gone);
  }
  const { update } = samples;
  const whole = samples['LangGraph, whole'];
  return Object.fromEntries(
    Object.entries(samples).map(([name, { each, times }]) => [
      name,
      {
        perSecond: digits(1_000 / median(each.flat())),
        p50: digits(median(times)),
        p99: digits(quantile(times, 0.99)),
        /** Its rate, in rates of what it is compared with. */
        rate: ratio(name.endsWith('whole') ? whole.each : update.each, each),
      },
    ]),
  );
}

/** @typedef {{ name: string, processes: import('node:child_process').ChildProcess[] }} Team */

/**
 * One round: ms for each decision, by the clock on the wall, and how long each took.
 *
 * @param {Team['processes']} processes
 * @param {number} connections of each of them
 */
async function compete(processes, connections) {
  const count = Math.max(50, 8 * connections);
  await all(processes, 'ready', { connections, count });
  const closed = Promise.all(processes.map((child) => next(child, 'closed')));
  const start = performance.now();
  const done = await all(processes, 'times', { go: true });
  const each = (performance.now() - start) / (count * processes.length);
  await closed;
  return { each, times: done.flatMap(({ times }) => times) };
}

/** @param {Team['processes']} processes @param {string} answer @param {object} message */
function all(processes, answer, message) {
  const answers = processes.map((child) => next(child, answer));
  for (const child of processes) child.send(message);
  return Promise.all(answers);
}
