/** Another call in the place of one that waits, made in the user's editor. */
import { doubtsAbout } from '../gate/danger.js';
import { shownPreview } from '../gate/agent-reason.js';
import { isUnchanged } from '../gate/edited-call.js';
import type { SeenEdit } from '../gate/seen-edit.js';
import { textOfCall, withText } from '../gate/text-field.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { revive, snapshot } from '../values/snapshot.js';
import { inEditor, isOpen, notEdited } from './edit.js';
import { readJson } from './options.js';
import { editedThere } from './read-edit.js';

/** The changed arguments: edited as text where one argument is a text, otherwise all of them as JSON. @throws {ExitError} */
export async function changedIn(record: KeptRecord): Promise<unknown> {
  const { args } = record;
  if (!isOpen(record)) return args;
  const field = textOfCall(args);
  const before = field?.text ?? `${JSON.stringify(args, null, 2)}\n`;
  const after = await inEditor(before, field?.extension);
  if (after.trim() === '' || after === before) throw notEdited();
  if (field === undefined) {
    const changed = revive(readJson(after, 'what you wrote'));
    if (isUnchanged(args, changed)) throw notEdited();
    return snapshot(changed).json;
  }
  // Editors end the last line.
  const text = before.endsWith('\n') ? after : after.replace(/\r?\n$/, '');
  if (text === before) throw notEdited();
  return withText(args, field.name, text);
}

/** It as it would run, what stands out in it, and what a decision for it is bound to. */
export async function editedAsk(
  ledger: NativeLedger,
  record: KeptRecord,
  args: unknown,
): Promise<{ lines: string[]; doubts: string[]; shown: SeenEdit | undefined }> {
  const { call, seen } = await editedThere(ledger, record, args);
  return {
    lines: ['It would run like this:', '', ...shownPreview(call).split('\n')],
    doubts: doubtsAbout(call),
    shown: seen,
  };
}
