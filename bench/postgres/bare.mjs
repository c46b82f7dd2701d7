// @ts-check
// What a decision cannot do without, by hand: a compare-and-set and a row of the audit, in one statement and one transaction. No
// look at what is decided, no seals, no chain. The row is as narrow as countersign's own.

import assert from 'node:assert/strict';
import { Client, Pool } from 'pg';

const decision = `WITH done AS (
    UPDATE bare.request SET status = 1, decider = $2, decided_at = clock_timestamp(), seal = $3
    WHERE id = $1 AND status = 0 AND expires_at > clock_timestamp() RETURNING id)
  INSERT INTO bare.audit (at, request, kind, body) SELECT clock_timestamp(), id, 'decided', $4 FROM done`;
/** As long as countersign's. */
const body = JSON.stringify({ kind: 'decided', by: 'somebody', more: 'x'.repeat(300) });

/** @param {{ sql: string, isPrepared: boolean }} how @returns {import('./worker.mjs').Contestant} */
const bare = ({ sql, isPrepared }) => ({
  async setUp(url) {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE SCHEMA IF NOT EXISTS bare;
      CREATE TABLE IF NOT EXISTS bare.request (id uuid PRIMARY KEY, status bigint NOT NULL, decider text,
        decided_at timestamptz, expires_at timestamptz, seal bytea, asked text) WITH (fillfactor = 70);
      CREATE TABLE IF NOT EXISTS bare.audit (seq bigserial PRIMARY KEY, at timestamptz, request uuid, kind text, body text)`);
    await client.end();
  },
  async open(url, connections) {
    const pool = new Pool({ connectionString: url, max: connections });
    return {
      async prepare() {
        const id = crypto.randomUUID();
        await pool.query("INSERT INTO bare.request VALUES ($1, 0, NULL, NULL, now() + interval '1 h', NULL, $2)", [
          id,
          'x'.repeat(200),
        ]);
        return id;
      },
      async run(id) {
        const values = [id, 'somebody', Buffer.alloc(32, 7), body];
        const { rowCount } = await pool.query({ text: sql, values, ...(isPrepared ? { name: 'decide' } : {}) });
        assert.equal(rowCount, 1);
      },
      close: () => pool.end(),
    };
  },
});

export const update = bare({ sql: decision, isPrepared: true });
/** As it has to be done where a pooler may stand in between. */
export const unprepared = bare({ sql: decision, isPrepared: false });
/** And all who listen are told, in the same transaction. */
export const notify = bare({ sql: `${decision} RETURNING pg_notify('bare', request::text)`, isPrepared: true });
