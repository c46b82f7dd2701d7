// @ts-check
// Both sides of P8 on the bare mechanism: one row, a compare-and-set with `synchronous = FULL`, one byte into a file that the
// other side watches, and the look at the row. No gate, no audit, no run; what nothing can be faster than in JavaScript.

import { openSync, watch, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { now, pause } from './wake-task.mjs';

const [role, folder] = process.argv.slice(2);
const db = new DatabaseSync(join(folder, 'bare.db'));
db.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS request (id TEXT PRIMARY KEY, status TEXT)`);
const bell = join(folder, 'bare-bell');
const handle = openSync(bell, 'a');
const ask = db.prepare("INSERT INTO request VALUES (?, 'pending')");
const decide = db.prepare("UPDATE request SET status = 'approved' WHERE id = ? AND status = 'pending'");
const look = db.prepare("SELECT 1 FROM request WHERE id = ? AND status = 'approved'");
const tell = (/** @type {object} */ what) => process.send?.(what);

/** @type {string | undefined} */
let waiting;
function see() {
  if (waiting === undefined || look.get(waiting) === undefined) return;
  waiting = undefined;
  tell({ told: now() });
}
if (role === 'agent') watch(bell, see);

process.on('message', async (/** @type {any} */ { round, id }) => {
  if (role === 'agent') {
    waiting = crypto.randomUUID();
    ask.run(waiting);
    tell({ asked: waiting });
    return;
  }
  await setTimeout(pause(round));
  const start = now();
  decide.run(id);
  writeSync(handle, '.');
  tell({ start, done: now() });
});
process.once('disconnect', () => process.exit());
tell({ ready: true });
