/** Tests that run over a durable ledger as well: `createGate()` makes one where `COUNTERSIGN_LEDGER` says so. */
import { join } from 'node:path';
import { freshLedger, type PostgresUrl } from './postgres.js';

/** Whether a gate that is told nothing of a ledger has one that outlives its process. */
export const isDurable = (process.env.COUNTERSIGN_LEDGER ?? 'memory:') !== 'memory:';

/** Whether tests that hold over any durable ledger run over PostgreSQL; else over files. */
export const isOverPostgres = process.env.COUNTERSIGN_LEDGER === 'postgres:';

/** How long a process may be silent on PostgreSQL before it counts as gone, in ms. */
const LEASE_MS = 3_000;

/** The name of a ledger that several gates or processes share: a new one in PostgreSQL, or the one in this folder. */
export const ledgerIn = (folder: string): PostgresUrl | `sqlite:${string}` =>
  isOverPostgres ? freshLedger({ lease: LEASE_MS }) : `sqlite:${join(folder, 'ledger.db')}`;

/**
 * The name of a test for what holds in `memory:` alone: `it.skipIf(isDurable)(inMemoryOnly(name, why), …)`. Where it is skipped,
 * it says why.
 *
 * @param why what is so over a durable ledger, and where that is tested
 */
export const inMemoryOnly = (name: string, why: string): string =>
  isDurable ? `${name} (in memory only: ${why})` : name;
