// @ts-check
// P5: very many requests that wait, in the core by itself and through JavaScript.

import { join } from 'node:path';
import { hasNumbers, runToEnd } from './child.mjs';
import { coreMeasures } from './core-measures.mjs';
import { areAtMost, attempt, digits, hasFailed, progress } from './harness.mjs';

const GOAL_BYTES = 600;
const GOAL_RATIO = 3;

/** @type {import('./session.mjs').Measure} */
export async function measurePending(context) {
  const { node, env, signal, quick } = context;
  const requests = quick ? '20000' : '1000000';
  const isRight = hasNumbers('requests', 'payload', 'memoryEach', 'p50Ratio', 'p99Ratio');
  /** @type {any} */
  const figures = { goalBytes: GOAL_BYTES, goalRatio: GOAL_RATIO };
  figures.memory = await attempt(context, 'memory, Rust', () =>
    coreMeasures(context, isRight, 'pending', 'memory', requests),
  );
  context.save(figures, 'memory in Rust is the last of it');
  figures.sqlite = await attempt(context, 'SQLite, Rust', () =>
    coreMeasures(context, isRight, 'pending', 'sqlite', requests),
  );
  context.save(figures, 'nothing through JavaScript');
  progress('  through JavaScript');
  const program = ['--expose-gc', join(import.meta.dirname, 'ledger', 'pending.mjs'), requests];
  figures.javaScript = await attempt(context, 'memory, through JavaScript', () =>
    runToEnd(node, program, { env, signal }, isRight),
  );
  const all = [figures.memory, figures.sqlite, figures.javaScript];
  const over = [figures.memory, figures.javaScript].map(overPayload);
  return {
    ...figures,
    met: areAtMost(GOAL_BYTES, ...over) && areAtMost(GOAL_RATIO, ...all.map(({ p99Ratio }) => ({ value: p99Ratio }))),
  };
}

/** Bytes of the process for each request, over its payload. @param {any} side */
const overPayload = (side) =>
  side === undefined || hasFailed(side) ? side : { value: Math.round(side.memoryEach - side.payload) };

/** @type {import('./session.mjs').Show} */
export function showPending(sheet, { memory, sqlite, javaScript }) {
  const sides = { 'memory, Rust': memory, 'memory, through JavaScript': javaScript, 'SQLite, Rust': sqlite };
  const [one] = Object.values(sides).filter((side) => side && !hasFailed(side));
  sheet.heading(`P5  ${one?.requests ?? 'many'} requests that wait, with ${one?.payload ?? '?'} bytes each`);
  for (const [name, side] of Object.entries(sides)) {
    if (side === undefined) continue;
    if (hasFailed(side)) {
      sheet.line(name, side);
      continue;
    }
    if (side === sqlite) {
      sheet.line(`${name}: of the process`, { value: Math.round(side.memoryEach) }, { unit: 'B' });
      sheet.line(`${name}: of the file, over that`, { value: Math.round(side.fileEach - side.payload) }, { unit: 'B' });
    } else sheet.line(`${name}: of the process, over that`, overPayload(side), { most: GOAL_BYTES, unit: 'B' });
    sheet.line(`${name}: a decision, p50 / p50 among 1,000`, { value: digits(side.p50Ratio) });
    sheet.line(`${name}: a decision, p99 / p99 among 1,000`, { value: digits(side.p99Ratio) }, { most: GOAL_RATIO });
  }
}
