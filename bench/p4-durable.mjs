// @ts-check
// P4: a request made durable, against a bare append and sync of the same bytes, and against what others keep it in.

import { coreMeasures } from './core-measures.mjs';
import {
  areAtMost,
  attempt,
  digits,
  figure,
  hasFailed,
  median,
  progress,
  quantile,
  ratio,
  spreadOf,
  takeTurns,
} from './harness.mjs';
import { prepareDriver } from './ledger/driver.mjs';

const GOAL = 1.3;
const GOAL_WRITERS = 5;
const KIB = [1, 16, 256];

/** `durable`: what it acknowledged is there after a power failure. `driver`: it uses better-sqlite3. */
const SUBJECTS = [
  { name: 'append', file: 'append', run: 'run', durable: true },
  { name: 'append again', file: 'append', run: 'run', durable: true },
  { name: 'countersign', file: 'countersign', run: 'run', durable: true },
  { name: 'countersign, until told', file: 'countersign', run: 'told', durable: true },
  { name: 'better-sqlite3 FULL', file: 'better-sqlite3-full', run: 'run', durable: true, peer: true, driver: true },
  { name: 'node:sqlite FULL', file: 'node-sqlite-full', run: 'run', durable: true, peer: true },
  { name: 'JSON file, synced', file: 'json-file', run: 'run', durable: true, peer: true },
  {
    name: 'better-sqlite3 NORMAL',
    file: 'better-sqlite3-normal',
    run: 'run',
    durable: false,
    peer: true,
    driver: true,
  },
  { name: 'node:sqlite NORMAL', file: 'node-sqlite-normal', run: 'run', durable: false, peer: true },
  { name: 'LangGraph SqliteSaver', file: 'langgraph', run: 'run', durable: false, peer: true, driver: true },
  { name: 'JSON file, not synced', file: 'json-file', run: 'unsynced', durable: false, peer: true },
];

const RUST = { request: 'request', decide: 'decide', overwrite: 'overwrite', bareSqlite: 'bare SQLite' };

/** @type {import('./session.mjs').Measure} */
export async function measureDurable(context) {
  const { quick } = context;
  const driver = await attempt(context, 'better-sqlite3', () => prepareDriver(context), { peer: true });
  /** @type {Record<string, Record<string, any>>} */
  const sizes = {};
  /** @type {any} */
  const figures = { goal: GOAL, goalWriters: GOAL_WRITERS, sizes };
  for (const kib of KIB) {
    progress(`  ${kib} KiB`);
    const few = kib === 256;
    const effort = quick
      ? { generations: 1, rounds: 3, warmUp: 10, batch: 5 }
      : { generations: 2, rounds: few ? 10 : 20, warmUp: few ? 20 : 80, batch: few ? 5 : 10 };
    const there = SUBJECTS.filter((subject) => !(subject.driver && hasFailed(driver)));
    const samples = await takeTurns(
      there.map(({ name, file, run, peer }) => ({ name, peer, file: `ledger/${file}.mjs`, run: `${run}${kib}` })),
      effort,
      context,
    );
    sizes[kib] = Object.fromEntries(
      SUBJECTS.map(({ name, durable }) => {
        const taken = samples[name] ?? driver;
        return [name, { ...ratio(taken, samples.append), ...figure(taken, timesOf), durable }];
      }),
    );
    context.save(figures, `${kib} KiB through JavaScript is the last of it`);
  }
  const file = 'ledger/countersign.mjs';
  progress('  many writers');
  const writers = await takeTurns(
    [
      { name: '1', file, run: 'oneWriter' },
      { name: '16', file, run: 'sixteenWriters' },
    ],
    quick ? { generations: 1, rounds: 3, warmUp: 1, batch: 1 } : { generations: 2, rounds: 15, warmUp: 8, batch: 2 },
    context,
  );
  /** How many times as many requests 16 writers make in the same time. */
  figures.writers = ratio(writers['1'], writers['16']);
  context.save(figures, 'without the core by itself');
  const isDurable = (/** @type {any} */ { sizes: list }) => Array.isArray(list);
  figures.rust = await attempt(context, 'the core by itself', async () =>
    inAppends(await coreMeasures(context, isDurable, 'durable', quick ? '3' : '20')),
  );
  context.save(figures, 'without the writers of the core by itself');
  const isWriters = (/** @type {any} */ printed) => ['1', '4', '16', '64'].every((count) => count in printed);
  figures.rustWriters = await attempt(context, 'the writers of the core by itself', () =>
    coreMeasures(context, isWriters, 'writers', quick ? '1' : '9'),
  );
  const isFast = areAtMost(GOAL, ...Object.values(sizes).map((contestants) => contestants.countersign));
  return { ...figures, met: isFast && figures.writers.value >= GOAL_WRITERS };
}

/** @param {readonly number[]} times in ms */
const timesOf = (times) => ({
  microseconds: digits(median(times) * 1_000),
  p99: digits(quantile(times, 0.99) * 1_000),
});

/** What the core says of each size, in times of the bare append of the same round. @param {{ sizes: any[] }} printed */
const inAppends = ({ sizes }) =>
  sizes.map(({ bytes, append, pages, ...others }) => ({
    bytes,
    pages,
    append,
    ...Object.fromEntries(
      Object.entries(others).map(([name, { p50, p99, rounds }]) => [
        name,
        {
          value: digits(p50 / append.p50),
          spread: spreadOf(
            rounds.map((/** @type {number} */ round, /** @type {number} */ at) => round / append.rounds[at]),
          ),
          p50,
          p99,
        },
      ]),
    ),
  }));

/** @type {import('./session.mjs').Show} */
export function showDurable(sheet, { sizes = {}, writers, rust, rustWriters }) {
  sheet.heading('P4  a request made durable / a bare append and sync of the same bytes, through JavaScript');
  for (const [kib, contestants] of Object.entries(sizes)) {
    sheet.note(`${kib} KiB of arguments (* is lost in a power failure)`);
    for (const [name, contestant] of Object.entries(contestants)) {
      if (name === 'append' && contestant.failed === undefined) continue;
      sheet.line(`${name}${contestant.durable ? '' : ' *'}`, contestant, name === 'countersign' ? { most: GOAL } : {});
    }
  }
  if (rust) sheet.note('the same in Rust');
  if (hasFailed(rust)) sheet.line('all of it', rust);
  for (const size of Array.isArray(rust) ? rust : []) {
    for (const [name, what] of Object.entries(RUST)) {
      const remark = name in size.pages ? `${size.pages[name]} pages` : '';
      sheet.line(`${what}, ${size.bytes / 1024} KiB`, size[name], {
        remark,
        ...(name === 'request' && { most: GOAL }),
      });
    }
  }
  if (writers) sheet.note('as many requests at once / one after the other');
  sheet.line('16 writers, through JavaScript', writers, { least: GOAL_WRITERS });
  if (hasFailed(rustWriters)) sheet.line('writers, Rust', rustWriters);
  else if (rustWriters) {
    for (const count of ['4', '16', '64']) {
      const { times: value, spread } = rustWriters[count];
      sheet.line(`${count} writers, Rust`, { value, spread }, count === '16' ? { least: GOAL_WRITERS } : {});
    }
  }
}
