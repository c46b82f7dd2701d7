// @ts-check
// P8: from the moment a human decides in one process until the iterator of the agent in another goes on. Nothing that was
// compared elsewhere has this: LangGraph's savers tell nobody, so whoever waits has to ask again and again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machine } from './harness.mjs';
import { meetings } from './meetings.mjs';
import { measurePostgres } from './p8-postgres.mjs';

const GOAL_MS = 2;

/** @param {import('./run.mjs').Context} context */
export async function measureWake({ node, env, quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-wake-'));
  try {
    const sides = [
      { file: 'wake-countersign.mjs', place: `sqlite:${join(folder, 'ledger.db')}` },
      { file: 'wake-bare.mjs', place: folder },
    ];
    const { countersign, bare, toBare } = await meetings(sides, { node, env, turns: quick ? 3 : 40 });
    const { p50 } = countersign.whole;
    const met = p50 <= GOAL_MS;
    const postgres = await measurePostgres({ node, env, quick });
    return { value: p50, goal: GOAL_MS, unit: 'ms', met, countersign, bare, toBare, postgres, machine: machine() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
