// @ts-check
// P8 on PostgreSQL: how soon another process goes on, and how many decisions a second there are, beside what can be had by hand
// and beside LangGraph's saver, all on one server, which starts with this and whose fsync is on.

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../scripts/postgres.mjs';
import { Child, Trouble } from './child.mjs';
import {
  areAtMost,
  attempt,
  digits,
  failureOf,
  figure,
  hasFailed,
  median,
  progress,
  quantile,
  ratio,
} from './harness.mjs';
import { meetings, showSide } from './meetings.mjs';

const GOAL_WAKE = 2;
/** Of the rate of the same update without any NOTIFY. */
const GOAL_RATE = 0.8;
/** Over all processes of a contestant. */
const CONNECTIONS = [8, 32, 128];
const PROCESSES = 4;

const CONTESTANTS = [
  { name: 'countersign', file: 'countersign', run: 'decide' },
  { name: 'update', file: 'bare', run: 'update' },
  { name: 'update, not prepared', file: 'bare', run: 'unprepared', peer: true },
  { name: 'update and NOTIFY', file: 'bare', run: 'notify', peer: true },
  { name: 'LangGraph put, putWrites', file: 'langgraph', run: 'putAndWrites', peer: true },
  { name: 'countersign, whole', file: 'countersign', run: 'whole' },
  { name: 'LangGraph, whole', file: 'langgraph', run: 'whole', peer: true },
];

/** With which one a contestant is compared. */
const baseOf = (/** @type {string} */ name) => (name.endsWith('whole') ? 'LangGraph, whole' : 'update');

/** @param {import('./session.mjs').Context} context @param {(figures: object, unfinished: string) => void} save */
export async function measurePostgres(context, save) {
  progress('  PostgreSQL');
  return attempt(context, 'PostgreSQL', async () => {
    const { url, unavailable, end } = await startPostgres();
    try {
      context.signal.throwIfAborted();
      if (url === undefined) throw new Trouble(`could not be started: ${unavailable}`);
      return await onServer(url, context, save);
    } finally {
      await end();
    }
  });
}

/** @param {string} url @param {import('./session.mjs').Context} context @param {(figures: object, unfinished: string) => void} save */
async function onServer(url, context, save) {
  const { quick } = context;
  const sides = [
    { name: 'countersign, PostgreSQL', file: 'wake-countersign.mjs', place: `${url}?schema=wake` },
    { name: 'UPDATE and NOTIFY / LISTEN', file: 'wake-bare-postgres.mjs', place: url },
  ];
  const wake = await meetings(sides, { ...context, turns: quick ? 3 : 20 });
  /** @type {Record<string, object>} */
  const decisions = {};
  const figures = () => ({
    wake: { ...wake, goal: GOAL_WAKE, met: areAtMost(GOAL_WAKE, wake.toBare) },
    goalRate: GOAL_RATE,
    decisions,
    /** Processes that waited for a processor, at the end, ours among them. */
    load: digits(loadavg()[1]),
  });
  save(figures(), 'no decisions a second');
  for (const connections of CONNECTIONS) {
    progress(`  ${connections} connections`);
    decisions[connections] = await rates(url, connections, quick ? 2 : 4, context);
    save(figures(), `${connections} connections are the last of it`);
  }
  return figures();
}

/** @typedef {{ name: string, peer?: boolean, processes: Child[], each: number[][], times: number[] }} Team */

/** @param {string} url @param {number} connections @param {number} rounds @param {import('./session.mjs').Context} context */
async function rates(url, connections, rounds, { node, env, signal, failed }) {
  /** @type {Team[]} */
  const teams = [];
  /** @type {Record<string, import('./harness.mjs').Failure>} */
  const failures = {};
  /** @param {Team} team @param {() => Promise<void>} work */
  const tried = async (team, work) => {
    if (Object.hasOwn(failures, team.name)) return;
    try {
      await work();
    } catch (error) {
      failures[team.name] = failureOf(error, `${team.name}, ${connections} connections`);
      failed(failures[team.name], team.peer);
      await Promise.all(team.processes.map((child) => child.end()));
    }
  };
  try {
    for (const { name, file, run, peer } of CONTESTANTS) {
      /** @type {Team} */
      const team = { name, peer, processes: [], each: [[]], times: [] };
      teams.push(team);
      await tried(team, async () => {
        // One after the other: the first makes the tables.
        for (let number = 0; number < PROCESSES; number++) {
          const words = [join(import.meta.dirname, 'postgres', 'worker.mjs'), `${file}.mjs`, run, url];
          const child = new Child(node, words, { env, signal });
          team.processes.push(child);
          await child.next('setUp');
        }
      });
    }
    for (let round = 0; round < rounds; round++) {
      for (const team of round % 2 === 0 ? teams : teams.toReversed())
        await tried(team, async () => {
          const { each, times } = await compete(team.processes, connections / PROCESSES);
          team.each[0].push(each);
          team.times.push(...times);
        });
    }
  } finally {
    await Promise.all(teams.flatMap(({ processes }) => processes.map((child) => child.end())));
  }
  const each = Object.fromEntries(teams.map((team) => [team.name, failures[team.name] ?? team.each]));
  return Object.fromEntries(
    teams.map(({ name, times }) => [
      name,
      figure(each[name], (all) => ({
        perSecond: digits(1_000 / median(all)),
        p50: digits(median(times)),
        p99: digits(quantile(times, 0.99)),
        /** Its rate, in rates of what it is compared with. */
        rate: ratio(each[baseOf(name)], each[name]),
      })),
    ]),
  );
}

/**
 * One round: ms for each decision, by the clock on the wall, and how long each took.
 *
 * @param {Child[]} processes
 * @param {number} connections of each of them
 */
async function compete(processes, connections) {
  const count = Math.max(50, 8 * connections);
  await all(processes, 'ready', { connections, count });
  const closed = Promise.all(processes.map((child) => child.next('closed')));
  // When one fails, it is told once.
  closed.catch(() => {});
  const start = performance.now();
  const areTimes = (/** @type {any} */ { times }) => Array.isArray(times) && times.length === count;
  const done = await all(processes, 'times', { go: true }, areTimes);
  const each = (performance.now() - start) / (count * processes.length);
  await closed;
  return { each, times: done.flatMap(({ times }) => times) };
}

/** @param {Child[]} processes @param {string} answer @param {object} message @param {(message: any) => boolean} [isRight] */
function all(processes, answer, message, isRight) {
  const answers = Promise.all(processes.map((child) => child.next(answer, isRight)));
  for (const child of processes) child.send(message);
  return answers;
}

/** @type {import('./session.mjs').Show} */
export function showPostgres(sheet, postgres) {
  if (hasFailed(postgres)) return sheet.line('PostgreSQL', postgres);
  const { wake, load, decisions = {} } = postgres;
  sheet.note(`the same over PostgreSQL, ${wake.countersign.rounds ?? 'no'} rounds; processes that waited: ${load}`);
  showSide(sheet, 'countersign', wake.countersign);
  showSide(sheet, 'UPDATE and NOTIFY / LISTEN', wake.bare);
  sheet.line('countersign / UPDATE and NOTIFY', wake.toBare, { most: GOAL_WAKE });
  for (const [connections, contestants] of Object.entries(decisions)) {
    sheet.note(`${connections} connections: decisions a second / those of "update", and whole / LangGraph's`);
    for (const [name, contestant] of Object.entries(contestants)) {
      if (hasFailed(contestant)) {
        sheet.line(name, contestant);
        continue;
      }
      const { rate, perSecond, p50, p99 } = contestant;
      const what = `${name} (${perSecond} /s, p50 ${p50} ms, p99 ${p99} ms)`;
      sheet.line(what, rate, name === 'countersign' ? { least: GOAL_RATE } : {});
    }
  }
}
