// @ts-check
// What an application would write by hand over a driver of SQLite: one table, one row, an index for what waits. No audit, no
// seals, no redemption; one transaction on the JavaScript thread. FULL: it is on the disk when the call returns. NORMAL: the last
// ones are gone after a power failure.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { directory, runs } from './task.mjs';

const schema = `
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY, run_id TEXT, tool_call_id TEXT, tool_name TEXT, args TEXT, status TEXT, created_at INTEGER,
    UNIQUE (run_id, tool_call_id)
  );
  CREATE INDEX waiting ON approvals (status, created_at);`;

/** @typedef {{ exec: (sql: string) => unknown, prepare: (sql: string) => any }} Driver */

/** better-sqlite3 12.11 aborts Node 24 when a statement is garbage collected. @type {any} */
let kept;

/**
 * @param {string} name
 * @param {(file: string) => Driver | Promise<Driver>} open
 * @param {'FULL' | 'NORMAL'} synchronous
 */
export const byHand = (name, open, synchronous) =>
  runs(
    async () => {
      const db = await open(join(directory(name), 'approvals.db'));
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; ${schema}`);
      kept = db.prepare('PRAGMA synchronous');
      const [set] = Object.values(kept.get());
      assert.equal(set, synchronous === 'FULL' ? 2 : 1);
      return db.prepare("INSERT INTO approvals VALUES (?, ?, ?, ?, ?, 'pending', ?)");
    },
    (insert, { runId, toolCallId, toolName, args }) =>
      insert.run(crypto.randomUUID(), runId, toolCallId, toolName, JSON.stringify(args), Date.now()),
  );
