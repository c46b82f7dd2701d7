// @ts-check

import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

/** LangGraph's saver, with its own settings. @param {string} file */
export function openSaver(file) {
  const saver = SqliteSaver.fromConnString(file);
  // It prepares a statement for each write and for each pragma, and better-sqlite3 12.11 aborts Node 24 when one is garbage
  // collected.
  const prepare = saver.db.prepare.bind(saver.db);
  /** @type {unknown[]} */
  const kept = [];
  saver.db.prepare = /** @type {any} */ (
    (/** @type {string} */ sql) => {
      const statement = prepare(sql);
      kept.push(statement);
      return statement;
    }
  );
  saver.db.pragma = (/** @type {string} */ source) => saver.db.exec(`PRAGMA ${source}`);
  return saver;
}
