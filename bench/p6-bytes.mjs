// @ts-check
// P6: what a run with n approvals leaves in the ledger, which must be linear in n.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { digits, machine, progress } from './harness.mjs';
import { prepareDriver } from './ledger/driver.mjs';

const APPROVALS = [10, 50, 100, 200];
/** More of LangGraph's would fill disks: it takes about a hundred KB for each approval that came before, at each approval. */
const LANGGRAPH_MOST = 100;
/** Bytes are linear when twenty times as many approvals take no more than this many times as much each. */
const GOAL = 1.2;

/** @param {import('./run.mjs').Context} context */
export async function measureBytes({ node, env, quick }) {
  await prepareDriver(node);
  const counts = quick ? [10, 20] : APPROVALS;
  /** @param {string} file @param {number} approvals */
  const measured = async (file, approvals) => {
    progress(`  ${file}, ${approvals} approvals`);
    const words = [join(import.meta.dirname, 'ledger', file), String(approvals)];
    const { stdout } = await promisify(execFile)(node, words, { env });
    return JSON.parse(stdout);
  };
  const runs = [];
  for (const approvals of counts) {
    const ours = await measured('bytes-countersign.mjs', approvals);
    const langGraph = approvals > LANGGRAPH_MOST ? null : (await measured('bytes-langgraph.mjs', approvals)).file;
    runs.push({ ...ours, langGraph, perHistory: digits(ours.file / ours.history) });
  }
  // The conversations differ in length a little, so what is compared is bytes of the ledger for each byte of the history.
  const value = digits(/** @type {any} */ (runs.at(-1)).perHistory / runs[0].perHistory);
  return { value, goal: GOAL, met: value <= GOAL, runs, machine: machine() };
}
