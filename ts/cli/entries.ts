/** Entries of the audit, the newest first: most who look want the end of it, and it may be long. */
import type { AuditEntry } from '../../index.js';
import { entryOf } from '../gate/audit.js';
import type { NativeLedger } from '../native.js';

const AT_ONCE = 1000;

export async function* entriesBackwards(ledger: NativeLedger): AsyncGenerator<AuditEntry> {
  const { size } = await ledger.head();
  for (let end = size; end > 0; end -= AT_ONCE) {
    const after = Math.max(0, end - AT_ONCE);
    const some = await ledger.audit(after, end - after);
    for (const entry of some.toReversed()) yield entryOf(entry);
  }
}
