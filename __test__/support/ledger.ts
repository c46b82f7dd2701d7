/** Tests that run over a ledger that lasts as well: `createGate()` makes one where `COUNTERSIGN_LEDGER` says so. */

/** Whether a gate that is told nothing of a ledger has one that outlives its process. */
export const lasts = (process.env.COUNTERSIGN_LEDGER ?? 'memory:') !== 'memory:';

/**
 * The name of a test for what holds in `memory:` alone: `it.skipIf(lasts)(inMemoryOnly(name, why), …)`. Where it is skipped,
 * it says why.
 *
 * @param why what is so over a ledger that lasts, and where that is tested
 */
export const inMemoryOnly = (name: string, why: string): string => (lasts ? `${name} (in memory only: ${why})` : name);
