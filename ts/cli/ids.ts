/**
 * Ids as they are typed. An approval id begins with the time it was made at, so that ids of one day begin alike: its end is
 * what tells it from others, and what lists show.
 */
import type { KeptRecord, NativeLedger } from '../native.js';
import { entriesBackwards } from './entries.js';
import { ExitError, Exit, UsageError } from './exit.js';

/** Fewer characters of an id are too few. */
const LEAST = 6;

/** What lists show of an approval id. */
export const shortId = (approvalId: string): string => approvalId.slice(-8);

export { shortRun } from '../gate/run-ids.js';

const FULL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The record that an id, or its beginning or end, stands for. `decided`: also among those that no longer wait. */
export async function recordOf(ledger: NativeLedger, typed: string, decided: boolean): Promise<KeptRecord> {
  const record = await ledger.get(await idOf(ledger, typed, decided));
  if (record === null) throw unknown(typed);
  return record;
}

async function idOf(ledger: NativeLedger, typed: string, decided: boolean): Promise<string> {
  const id = typed.toLowerCase();
  if (FULL.test(id)) return id;
  if (!/^[0-9a-f-]+$/.test(id)) throw unknown(typed);
  if (id.length < LEAST)
    throw new UsageError(`${JSON.stringify(typed)} is too short for an id: give ${LEAST} characters or more`);
  const found = matching(
    (await ledger.pending(null)).map(({ approvalId }) => approvalId),
    id,
  );
  // A decision is for what waits; to say that it was decided already, all are looked through.
  if (found.length === 0 || decided) found.push(...(await everRequested(ledger, id)));
  const [first, ...others] = new Set(found);
  if (first === undefined) throw unknown(typed);
  if (others.length === 0) return first;
  const all = [first, ...others];
  const some = all.slice(0, 5).map(shortId).join(', ');
  throw new UsageError(
    `${JSON.stringify(typed)} is a part of ${all.length} ids: give the last eight characters of one, ${some}${all.length > 5 ? ', …' : ''}`,
  );
}

/** The ids that begin or end so. */
export const matching = (ids: readonly string[], part: string): string[] =>
  ids.filter((id) => id.startsWith(part) || id.endsWith(part));

/** Among all that was ever asked, the newest first. */
async function everRequested(ledger: NativeLedger, part: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of entriesBackwards(ledger)) {
    if (entry.kind !== 'requested' || entry.approvalId === undefined) continue;
    found.push(...matching([entry.approvalId], part));
  }
  return found;
}

const unknown = (typed: string): ExitError =>
  new ExitError(
    Exit.unknown,
    `there is no request ${JSON.stringify(typed)}: see countersign pending`,
    'ERR_UNKNOWN_APPROVAL',
  );
