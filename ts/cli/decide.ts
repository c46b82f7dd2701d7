/** `countersign approve | reject | respond | skip`. */
import { text } from 'node:stream/consumers';
import type { KeptRecord, NativeLedger } from '../native.js';
import { messageOf } from '../errors/message-of.js';
import { misfitIn, revive, snapshot } from '../values/snapshot.js';
import { canAsk, confirm } from './ask.js';
import { decide, groupsIn, tellRefused, tellTaken, whoDecides, type HumanDecision } from './decisions.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { recordOf, shortId } from './ids.js';
import { LEDGER, withLedger, type LedgerValues } from './open-ledger.js';
import { readJson, readOptions } from './options.js';
import { print } from './print.js';
import { answering, checked } from './questions.js';
import { editedThere } from './read-edit.js';
import { offered, placeOf, readRemember, refuseIfForgotten, remember, type RememberOptions } from './remember.js';
import { isAlike } from '../gate/batch.js';
import { againLine } from '../gate/asked-again.js';
import { dangersInWords } from '../gate/danger.js';
import { unreadCall } from '../gate/edited-call.js';
import { callInALine } from '../gate/in-a-line.js';
import type { SeenEdit } from '../gate/seen-edit.js';
import { startedFirst, unforeseen } from '../gate/stands-out.js';
import { CONTENTS, summary, toJson } from './shown.js';
import { columns, fit, oneLine } from './style.js';

export const DECIDE = {
  ...LEDGER,
  by: { type: 'string' },
  group: { type: 'string', multiple: true },
  reason: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
} as const;

const REMEMBER = { remember: { type: 'string' }, exact: { type: 'boolean' } } as const;

export interface DecideValues extends LedgerValues {
  by?: string | undefined;
  group?: string[] | undefined;
  reason?: string | undefined;
  yes?: boolean | undefined;
  /** Those that wait and are like it, too. */
  like?: boolean | undefined;
}

export async function approve(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { ...DECIDE, ...REMEMBER, like: { type: 'boolean' } });
  const remembered = readRemember(values.remember, values.exact);
  if (values.like === true && remembered !== undefined)
    throw new UsageError('--like approves what waits, and --remember what comes: pass one of them');
  return decideAll(positionals, values, { type: 'approve' }, remembered);
}

export async function reject(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...DECIDE,
    ...REMEMBER,
    stop: { type: 'boolean' },
  });
  const decision: HumanDecision = values.stop === true ? { type: 'reject', stop: true } : { type: 'reject' };
  return decideAll(positionals, values, decision, readRemember(values.remember, values.exact));
}

export async function skip(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, DECIDE);
  return decideAll(positionals, values, { type: 'skip' });
}

export async function respond(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, {
    ...DECIDE,
    text: { type: 'string' },
    'json-output': { type: 'string' },
    answer: { type: 'string', multiple: true },
  });
  const [id, dash, ...more] = positionals;
  const { answer } = values;
  const given = [values.text, values['json-output'], answer, dash].filter((each) => each !== undefined);
  if (id === undefined || more.length > 0 || given.length !== 1 || (dash !== undefined && dash !== '-'))
    throw new UsageError(
      'respond needs an id, and --text TEXT, --json-output JSON, --answer TEXT for each question, or - to read a text from stdin',
    );
  if (answer !== undefined) return decideAll([id], values, (record) => answering(record, answer));
  const json = values['json-output'];
  const output =
    json === undefined
      ? (values.text ?? (await text(process.stdin)))
      : readJson(json === '-' ? await text(process.stdin) : json, '--json-output');
  const misfit = misfitIn(output);
  if (misfit !== undefined) throw new UsageError(`--json-output has a ${misfit} that is not valid: correct it`);
  // An earlier part of the pipe failed, and wrote nothing.
  if (dash === '-' && typeof output === 'string' && output.trim() === '')
    throw new UsageError('respond -: stdin is empty; for an empty answer pass --text ""');
  return decideAll([id], values, { type: 'respond', output: snapshot(revive(output)).json });
}

/** Decides one after the other, once each is known to be the id of a request. It ends as the first that was not taken. */
async function decideAll(
  ids: readonly string[],
  values: DecideValues,
  decision: HumanDecision | ((record: KeptRecord) => HumanDecision),
  remembered?: RememberOptions,
): Promise<number> {
  const make = typeof decision === 'function' ? decision : () => ({ ...decision });
  const name = typeof decision === 'function' ? 'respond' : decision.type;
  if (ids.length === 0) throw new UsageError(`${name} needs the id of a request: countersign ${name} ID`);
  const by = whoDecides(values.by);
  return withLedger(values, 'change', async (ledger) => {
    const strange = await tellStrange(ledger, ids, values.json === true);
    if (strange !== Exit.ok) return strange;
    let exit: number = Exit.ok;
    for (const typed of values.like === true ? await withAlike(ledger, ids) : ids) {
      const ended = await decideOne(ledger, typed, make, values, by, remembered);
      if (exit === Exit.ok) exit = ended;
    }
    return exit;
  });
}

/** What is the id of no request was perhaps meant to be a reason, or a no: then nothing is decided. */
async function tellStrange(ledger: NativeLedger, ids: readonly string[], asJson: boolean): Promise<number> {
  let exit: number = Exit.ok;
  for (const typed of ids) {
    const ended = await recordOf(ledger, typed, false).then(
      () => Exit.ok,
      (error: unknown) => tellRefused(typed, error, asJson),
    );
    if (exit === Exit.ok) exit = ended;
  }
  if (exit !== Exit.ok && ids.length > 1 && !asJson)
    process.stderr.write('countersign: nothing was decided, for none of the ids. Give a reason with --reason TEXT.\n');
  return exit;
}

/** With those that wait and are like them: of one tool, in one run, that the same "always" would answer. None stands out. */
async function withAlike(ledger: NativeLedger, ids: readonly string[]): Promise<string[]> {
  const waiting = (await ledger.pending(null)).map(toJson);
  const all = [...ids];
  for (const typed of ids) {
    const { approvalId } = await recordOf(ledger, typed, false);
    const one = waiting.find((each) => each.approvalId === approvalId);
    const alike = one === undefined ? [] : waiting.filter((other) => isAlike(one, other));
    all.push(...alike.map((other) => other.approvalId));
  }
  return [...new Set(all)];
}

/** Shows what it is about, and decides. */
export async function decideOne(
  ledger: NativeLedger,
  typed: string,
  make: (record: KeptRecord) => HumanDecision | Promise<HumanDecision>,
  values: DecideValues,
  by: string,
  remembered?: RememberOptions,
): Promise<number> {
  const asJson = values.json === true;
  try {
    const record = await recordOf(ledger, typed, false);
    if (!asJson) await tellWhat(record);
    const decision = checked(record, await make(record));
    if (!asJson && decision.type === 'edit') await print(editedSummary(record, decision.args));
    const seen = record.status === 'pending' ? await bewareOf(ledger, record, decision, values) : undefined;
    const effect = decision.type === 'approve' ? 'allow' : 'deny';
    if (remembered !== undefined) await beforeRemembering(ledger, record, effect, remembered, values);
    if (values.reason !== undefined) decision.reason = values.reason.toWellFormed();
    const taken = await decide(ledger, record.approvalId, decision, { by, groups: groupsIn(values.group) }, seen);
    await tellTaken(ledger, taken, decision, asJson);
    return remembered === undefined || taken.status === 'pending'
      ? Exit.ok
      : await rememberAfter(ledger, record, effect, remembered, by);
  } catch (error) {
    return tellRefused(typed, error, asJson);
  }
}

async function tellWhat(record: KeptRecord): Promise<void> {
  const again = againLine(toJson(record));
  if (again !== undefined) await print(again);
  await print(summary(record, Math.min(columns(), 400)));
  const { contents } = record;
  if (contents !== undefined && contents !== 'kept') await print(`  ${CONTENTS[contents]}`);
}

/** What it is edited to, in a line as {@link summary} is of the call. */
function editedSummary(record: KeptRecord, args: unknown): string {
  const call = unreadCall(toJson(record), args);
  return fit(
    `edited to: ${oneLine(call.toolName)} ${callInALine({ ...call, contents: 'kept' })}`,
    Math.min(columns(), 400),
  );
}

/**
 * A call that may not be what it seems, or may do what cannot be undone, is approved only by a person who says so. Programs say so
 * of what they cannot know of it.
 *
 * @returns what was seen of an edit, which the decision is bound to
 */
async function bewareOf(
  ledger: NativeLedger,
  record: KeptRecord,
  decision: HumanDecision,
  { yes, json }: DecideValues,
): Promise<SeenEdit | undefined> {
  if (decision.type !== 'approve' && decision.type !== 'edit') return undefined;
  const asked = { call: toJson(record), seen: undefined };
  const { call: shown, seen } = decision.type === 'edit' ? await editedThere(ledger, record, decision.args) : asked;
  const doubts = unforeseen(shown, false);
  const dangers = startedFirst(dangersInWords(shown)).others;
  if (doubts.length + dangers.length === 0 || yes === true) return seen;
  const asks = json !== true && canAsk();
  if (doubts.length === 0 && !asks) return seen;
  const what = [...doubts, ...dangers].join('; ');
  const isEdit = decision.type === 'edit';
  if (asks) {
    if (await confirm(`${shortId(record.approvalId)}: ${what}. ${isEdit ? 'Run it as edited?' : 'Approve it?'}`))
      return seen;
    throw new ExitError(
      Exit.refused,
      `not ${isEdit ? 'edited' : 'approved'}: it still waits for you to decide`,
      'ERR_NOT_CONFIRMED',
    );
  }
  throw new ExitError(
    Exit.refused,
    `not ${isEdit ? 'edited' : 'approved'}: ${what}. Look at it with \`countersign show\`, then pass --yes`,
    'ERR_NOT_CONFIRMED',
  );
}

/** What is remembered is said before anything is decided. It answers calls that no person has seen yet: that needs a yes of its own. */
async function beforeRemembering(
  ledger: NativeLedger,
  record: KeptRecord,
  effect: 'allow' | 'deny',
  remembered: RememberOptions,
  { yes, json }: DecideValues,
): Promise<void> {
  const label = oneLine(offered(record, effect, remembered).label);
  const place = await placeOf(ledger, record);
  await refuseIfForgotten(place);
  const times = remembered.times === undefined ? '' : ` (for ${remembered.times} calls)`;
  process.stderr.write(`to be remembered in ${oneLine(place.project)}: ${label}${times}\n`);
  if (yes === true) return;
  const asks = json !== true && canAsk();
  if (asks && (await confirm('Decide this, and remember it?'))) return;
  const cure = asks ? 'it still waits for you to decide' : 'without a terminal, or with --json, pass --yes as well';
  throw new ExitError(Exit.refused, `nothing was decided or remembered: ${cure}`, 'ERR_NOT_CONFIRMED');
}

/** The decision stands, even if it cannot be remembered. */
async function rememberAfter(
  ledger: NativeLedger,
  record: KeptRecord,
  effect: 'allow' | 'deny',
  remembered: RememberOptions,
  by: string,
): Promise<number> {
  try {
    const { label } = await remember(ledger, record, effect, remembered, by);
    process.stderr.write(`remembered: ${oneLine(label)}\n`);
    return Exit.ok;
  } catch (error) {
    process.stderr.write(`countersign: decided, but not remembered: ${oneLine(messageOf(error))}\n`);
    return Exit.failure;
  }
}
