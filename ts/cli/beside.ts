/** What a ledger knows beside a request: of its run, of its place, and of what came of it. */
import { toldRun } from '../ai-sdk/saved/told-run.js';
import { placeOfCall } from '../gate/call-place.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { boundRecord } from './remember.js';
import type { KeptBeside } from './shown.js';

export async function besideOf(ledger: NativeLedger, record: KeptRecord): Promise<KeptBeside> {
  const [run, kept] = await Promise.all([toldRun(ledger, record, ledger.pending), boundRecord(ledger, record)]);
  return { run, place: placeOfCall(kept), result: kept?.result };
}
