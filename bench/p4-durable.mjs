// @ts-check
// P4: a request made durable, against a bare append and sync of the same bytes, and against what others keep it in.

import { coreMeasures } from './core-measures.mjs';
import { digits, machine, median, quantile, ratio, takeTurns } from './harness.mjs';
import { prepareDriver } from './ledger/driver.mjs';

const GOAL = 1.3;
const GOAL_WRITERS = 5;
const KIB = [1, 16, 256];

/** `durable`: what it acknowledged is there after a power failure. */
const SUBJECTS = [
  { name: 'append', file: 'append', run: 'run', durable: true },
  { name: 'append again', file: 'append', run: 'run', durable: true },
  { name: 'countersign', file: 'countersign', run: 'run', durable: true },
  { name: 'countersign, until told', file: 'countersign', run: 'told', durable: true },
  { name: 'better-sqlite3 FULL', file: 'better-sqlite3-full', run: 'run', durable: true },
  { name: 'node:sqlite FULL', file: 'node-sqlite-full', run: 'run', durable: true },
  { name: 'JSON file, synced', file: 'json-file', run: 'run', durable: true },
  { name: 'better-sqlite3 NORMAL', file: 'better-sqlite3-normal', run: 'run', durable: false },
  { name: 'node:sqlite NORMAL', file: 'node-sqlite-normal', run: 'run', durable: false },
  { name: 'LangGraph SqliteSaver', file: 'langgraph', run: 'run', durable: false },
  { name: 'JSON file, not synced', file: 'json-file', run: 'unsynced', durable: false },
];

/** @param {import('./run.mjs').Context} context */
export async function measureDurable(context) {
  const { quick } = context;
  await prepareDriver(context.node);
  /** @type {Record<string, object>} */
  const sizes = {};
  for (const kib of KIB) {
    const few = kib === 256;
    const samples = await takeTurns(
      SUBJECTS.map(({ name, file, run }) => ({ name, file: `ledger/${file}.mjs`, run: `${run}${kib}` })),
      quick
        ? { generations: 1, rounds: 3, warmUp: 10, batch: 5 }
        : { generations: 2, rounds: few ? 10 : 20, warmUp: few ? 20 : 80, batch: few ? 5 : 10 },
      context,
    );
    sizes[kib] = Object.fromEntries(
      SUBJECTS.map(({ name, durable }) => [
        name,
        {
          ...ratio(samples[name], samples.append),
          microseconds: digits(median(samples[name].flat()) * 1_000),
          p99: digits(quantile(samples[name].flat(), 0.99) * 1_000),
          durable,
        },
      ]),
    );
  }
  const file = 'ledger/countersign.mjs';
  const writers = await takeTurns(
    [
      { name: '1', file, run: 'oneWriter' },
      { name: '16', file, run: 'sixteenWriters' },
    ],
    quick ? { generations: 1, rounds: 3, warmUp: 1, batch: 1 } : { generations: 2, rounds: 15, warmUp: 8, batch: 2 },
    context,
  );
  const core = {
    durable: await coreMeasures('durable', quick ? '3' : '20'),
    writers: await coreMeasures('writers', quick ? '1' : '9'),
  };
  return {
    goal: GOAL,
    goalWriters: GOAL_WRITERS,
    sizes,
    /** How many times as many requests 16 writers make in the same time. */
    writers: ratio(writers['1'], writers['16']),
    core,
    machine: machine(),
  };
}
