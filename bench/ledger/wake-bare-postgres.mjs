// @ts-check
// Both sides of P8 on the bare mechanism of PostgreSQL, with `pg` in Node: one prepared compare-and-set that notifies in
// its transaction, and a connection that listens. The listener does not even look at the row.

import { Client } from 'pg';
import { setTimeout } from 'node:timers/promises';
import { now, pause } from './wake-task.mjs';

const [role, url] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS bare_wake (id uuid PRIMARY KEY, status text)');
const tell = (/** @type {object} */ what) => process.send?.(what);

/** @type {string | undefined} */
let waiting;
if (role === 'agent') {
  client.on('notification', ({ payload }) => {
    if (payload === waiting) tell({ told: now() });
  });
  await client.query('LISTEN bare_wake');
}

process.on('message', async (/** @type {any} */ { round, id }) => {
  if (role === 'agent') {
    waiting = crypto.randomUUID();
    await client.query({ name: 'ask', text: "INSERT INTO bare_wake VALUES ($1, 'pending')", values: [waiting] });
    tell({ asked: waiting });
    return;
  }
  await setTimeout(pause(round));
  const start = now();
  await client.query({
    name: 'decide',
    text: `WITH done AS (UPDATE bare_wake SET status = 'approved' WHERE id = $1 AND status = 'pending' RETURNING id)
      SELECT pg_notify('bare_wake', id::text) FROM done`,
    values: [id],
  });
  tell({ start, done: now() });
});
process.once('disconnect', () => process.exit());
tell({ ready: true });
