/** Each `sql run` block of the documents is asked of a ledger in PostgreSQL that has something in every table. */
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createGate } from '../../ts/index.js';
import { freshLedger, isMissing, shared, titled } from '../support/postgres.js';
import { blocks } from './blocks.js';

const queries = blocks.filter(({ kind }) => kind === 'sql run');

describe.skipIf(isMissing)(titled('what is asked of the tables'), () => {
  it('is what the ledger knows', async () => {
    expect(queries.length).toBeGreaterThan(4);
    const ledger = freshLedger();
    await using gate = createGate({ ledger });
    const ask = (toolCallId: string) => gate.request({ toolName: 'deploy', args: {}, toolCallId, runId: 'r' });
    const asking = [ask('a'), ask('b')];
    await expect.poll(async () => (await gate.pending()).length).toBe(2);
    const [first] = await gate.pending();
    await gate.approve(first!.approvalId, { by: 'mia' });
    await Promise.race(asking);

    const schema = new URL(ledger).searchParams.get('schema');
    const client = new Client({ connectionString: shared.url, options: `-c search_path=${schema}` });
    await client.connect();
    try {
      const found: Record<string, unknown> = {};
      for (const { place, code } of queries) {
        const { rows } = await client.query<Record<string, unknown>>(code);
        expect([place, rows.length > 0]).toEqual([place, true]);
        Object.assign(found, rows[0]);
      }
      expect(found).toMatchObject({ waiting: '1', overdue: '0', processes: '1', lost: '0' });
      // Of the whole server, on which other tests notify, too.
      expect(found.queue_used).toBeLessThan(0.5);
      expect(Number(found.behind_ms)).toBeLessThan(600_000);
      expect(found.oldest).toBeInstanceOf(Date);
      expect(Number(found.connections)).toBeGreaterThan(1);
    } finally {
      await client.end();
      for (const each of asking) each.catch(() => {});
    }
  });
});
