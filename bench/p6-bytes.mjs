// @ts-check
// P6: what a run with n approvals leaves in the ledger, which must be linear in n.

import { join } from 'node:path';
import { hasNumbers, runToEnd } from './child.mjs';
import { areAtMost, attempt, digits, hasFailed, progress } from './harness.mjs';
import { prepareDriver } from './ledger/driver.mjs';

const APPROVALS = [10, 50, 100, 200];
/** More of LangGraph's would fill disks: it takes about a hundred KB for each approval that came before, at each approval. */
const LANGGRAPH_MOST = 100;
/** Bytes are linear when twenty times as many approvals take no more than this many times as much each. */
const GOAL = 1.2;

/** @type {import('./session.mjs').Measure} */
export async function measureBytes(context) {
  const { node, env, signal, quick } = context;
  const driver = await attempt(context, 'better-sqlite3', () => prepareDriver(context), { peer: true });
  const counts = quick ? [10, 20] : APPROVALS;
  /** @param {string} file @param {number} approvals @param {...string} figures */
  const measured = (file, approvals, ...figures) => {
    progress(`  ${file}, ${approvals} approvals`);
    const words = [join(import.meta.dirname, 'ledger', file), String(approvals)];
    return runToEnd(node, words, { env, signal }, hasNumbers('approvals', 'file', ...figures));
  };
  /** @type {any[]} */
  const runs = [];
  /** @type {any} */
  const figures = { goal: GOAL, runs };
  for (const approvals of counts) {
    const ours = await attempt(context, `countersign, ${approvals} approvals`, () =>
      measured('bytes-countersign.mjs', approvals, 'history', 'fullJson', 'fullJsonZstd'),
    );
    const run = { approvals, ours, langGraph: /** @type {any} */ (null) };
    runs.push(run);
    context.save(figures, `countersign, ${approvals} approvals, is the last of it`);
    if (approvals > LANGGRAPH_MOST) continue;
    run.langGraph = hasFailed(driver)
      ? driver
      : await attempt(
          context,
          `LangGraph SqliteSaver, ${approvals} approvals`,
          () => measured('bytes-langgraph.mjs', approvals),
          { peer: true },
        );
    context.save(figures, `LangGraph, ${approvals} approvals, is the last of it`);
  }
  // The conversations differ in length a little, so what is compared is bytes of the ledger for each byte of the history.
  const [least, most] = [runs[0].ours, runs.at(-1).ours];
  const growth = [most, least].find(hasFailed) ?? {
    value: digits(most.file / most.history / (least.file / least.history)),
  };
  return { growth, ...figures, met: areAtMost(GOAL, growth) };
}

/** @type {import('./session.mjs').Show} */
export function showBytes(sheet, { growth, runs: made = [] }) {
  /** @type {any[]} */
  const runs = made;
  const kb = (/** @type {any} */ side, /** @type {string} */ name) =>
    hasFailed(side) ? side : { value: Math.round(side[name] / 1_000) };
  const unit = 'KB';
  sheet.heading('P6  what a run leaves on the disk');
  sheet.line('bytes per byte of history, most approvals / fewest', growth, { most: GOAL });
  for (const { approvals, ours, langGraph } of runs) {
    sheet.note(
      `${approvals} approvals${hasFailed(ours) ? '' : `, a history of ${Math.round(ours.history / 1_000)} KB`}`,
    );
    sheet.line('countersign', kb(ours, 'file'), { unit });
    if (langGraph) sheet.line('LangGraph SqliteSaver', kb(langGraph, 'file'), { unit });
    else if (approvals > LANGGRAPH_MOST) sheet.line('LangGraph SqliteSaver', { value: 'not made' });
    if (hasFailed(ours)) continue;
    sheet.line('the history as JSON at each approval', kb(ours, 'fullJson'), { unit });
    sheet.line('the same, each compressed', kb(ours, 'fullJsonZstd'), { unit });
  }
  const tables = Object.entries(runs.findLast(({ ours }) => !hasFailed(ours))?.ours.tables ?? {});
  if (tables.length > 0)
    sheet.note(
      `the largest by table, KB: ${tables.map(([name, bytes]) => `${name} ${Math.round(bytes / 1_000)}`).join(', ')}`,
    );
}
