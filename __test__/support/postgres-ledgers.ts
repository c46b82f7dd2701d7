/** In the project `postgres`: each gate that is told of no ledger has one of its own on the server that tests share. */
import { afterAll, vi } from 'vitest';
import { freshLedger, isMissing, query, shared } from './postgres.js';

// There it comes with what is installed, and what is skipped would not be missed.
if (isMissing && process.env.CI) throw new Error(`PostgreSQL did not start: ${shared.unavailable}`);

const made: string[] = [];

vi.mock(import('../../ts/gate/ledger-options.js'), async (original) => {
  const actual = await original();
  const ledgerOptions: typeof actual.ledgerOptions = (options) => {
    if (options.ledger !== undefined || isMissing) return actual.ledgerOptions(options);
    const ledger = freshLedger({ pool: 2 });
    made.push(ledger);
    return actual.ledgerOptions({ ...options, ledger });
  };
  return { ...actual, ledgerOptions };
});

// The server of the tests themselves goes as a whole.
if (process.env.COUNTERSIGN_TEST_PG) {
  afterAll(async () => {
    for (const ledger of made) {
      const schema = new URL(ledger).searchParams.get('schema');
      await query(shared.url as string, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    }
  });
}
