/** What stands out in an edit of a call that another program has asked about: by the policy files that count where the call came from. */
import { placeOfCall } from '../gate/call-place.js';
import { editedCall, unreadCall, type EditReading } from '../gate/edited-call.js';
import { LocalGate } from '../gate/gate.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { boundRecord } from './remember.js';
import { toJson } from './shown.js';

/** The call as it would run. @param args as JSON */
export async function editedThere(ledger: NativeLedger, record: KeptRecord, args: unknown) {
  const call = toJson(record);
  const bound = await boundRecord(ledger, record);
  const place = placeOfCall(bound);
  // Where it came from is kept where policies had a say.
  if (place === undefined) return unreadCall(call, args);
  const gate = new LocalGate({ ledger: 'memory:', policyFiles: true, place });
  const read = (edited: unknown): Promise<EditReading> => gate.readEditBeside(call, edited, bound);
  try {
    return await editedCall(call, args, read);
  } finally {
    await gate.close();
  }
}
