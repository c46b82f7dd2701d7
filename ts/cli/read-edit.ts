/** What stands out in an edit of a call that another program has asked about: by the policy files that count where the call came from. */
import { placeOfCall } from '../gate/call-place.js';
import { editedCall, unreadCall, type EditReading } from '../gate/edited-call.js';
import type { SeenEdit } from '../gate/seen-edit.js';
import { LocalGate } from '../gate/gate.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { boundRecord } from './remember.js';
import { toJson } from './shown.js';

/** The call as it would run, and what a decision for it is bound to; `seen` absent: not all of it was looked at. @param args as JSON */
export async function editedThere(ledger: NativeLedger, record: KeptRecord, args: unknown) {
  const call = toJson(record);
  const bound = await boundRecord(ledger, record);
  const place = placeOfCall(bound);
  // Where it came from is kept where policies had a say.
  if (place === undefined) return { call: unreadCall(call, args), seen: undefined };
  const gate = new LocalGate({ ledger: 'memory:', policyFiles: true, place });
  let seen: SeenEdit | undefined;
  const read = async (edited: unknown): Promise<EditReading> => {
    const beside = await gate.editBeside(call, edited, bound);
    seen = beside.seen;
    return beside.reading;
  };
  try {
    return { call: await editedCall(call, args, read), seen };
  } finally {
    await gate.close();
  }
}
