// @ts-check
// P8: from the moment a human decides in one process until the iterator of the agent in another goes on. Nothing that was
// compared elsewhere has this: LangGraph's savers notify no one, so a waiting process has to poll.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { areAtMost } from './harness.mjs';
import { meetings, showSide } from './meetings.mjs';
import { measurePostgres, showPostgres } from './p8-postgres.mjs';

const GOAL_MS = 2;

/** @type {import('./session.mjs').Measure} */
export async function measureWake(context) {
  const folder = join(context.temporary, 'wake');
  mkdirSync(folder);
  const sides = [
    { name: 'countersign', file: 'wake-countersign.mjs', place: `sqlite:${join(folder, 'ledger.db')}` },
    { name: 'the bare mechanism', file: 'wake-bare.mjs', place: folder },
  ];
  const sqlite = await meetings(sides, { ...context, turns: context.quick ? 3 : 40 });
  const { countersign } = /** @type {any} */ (sqlite);
  const met = areAtMost(GOAL_MS, { value: countersign.whole?.p50 });
  const figures = { goal: GOAL_MS, unit: 'ms', met, sqlite };
  context.save(figures, 'nothing over PostgreSQL');
  const postgres = await measurePostgres(context, (soFar, at) => context.save({ ...figures, postgres: soFar }, at));
  return { ...figures, postgres };
}

/** @type {import('./session.mjs').Show} */
export function showWake(sheet, { sqlite, postgres }) {
  const rounds = sqlite?.countersign.rounds ?? sqlite?.bare.rounds ?? 'no';
  sheet.heading(`P8  a decision in another process until the iterator goes on, ${rounds} rounds`);
  showSide(sheet, 'countersign', sqlite?.countersign, { most: GOAL_MS });
  showSide(sheet, 'the bare mechanism', sqlite?.bare);
  sheet.line('countersign / the bare mechanism', sqlite?.toBare);
  if (postgres) showPostgres(sheet, postgres);
}
