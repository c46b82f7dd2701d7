/** `--remember`: a decision that also answers the next such calls. */
import { homedir } from 'node:os';
import type { Grant } from '../../index.js';
import { placeOfCall, placeToRemember, type CallPlace } from '../gate/call-place.js';
import { narrowed } from '../gate/remember.js';
import { NativePolicies, type KeptRecord, type NativeLedger } from '../native.js';
import { readDuration } from './duration.js';
import { ExitError, Exit, UsageError } from './exit.js';
import { toJson } from './shown.js';

/** For how long, and of what. */
export interface RememberOptions {
  /** In ms; `null`: until it is revoked. */
  ms: number | null;
  /** How many calls it answers; absent: any number. */
  times?: number;
  /** The very words of the call. */
  exact?: boolean;
}

/** @throws {UsageError} */
export function readRemember(text: string | undefined, exact = false): RememberOptions | undefined {
  if (text === undefined) {
    if (exact) throw new UsageError('--exact is for what is remembered: pass --remember as well');
    return undefined;
  }
  const of = exact ? { exact } : {};
  if (text === 'always') return { ms: null, ...of };
  const [, times] = /^(\d{1,6})x$/.exec(text) ?? [];
  if (times !== undefined && Number(times) > 0) return { ms: null, times: Number(times), ...of };
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0) return { ms, ...of };
  const why =
    text === 'run' || text === 'session' ? ': what a run or a session remembers lives in its own process' : '';
  throw new UsageError(
    `--remember takes always, a duration such as 30d or a number of calls such as 5x, not ${JSON.stringify(text)}${why}`,
  );
}

/** What would be remembered. @throws {ExitError} when the request does not offer it: nothing is decided then */
export function offered(
  record: KeptRecord,
  effect: 'allow' | 'deny',
  { exact = false }: Partial<RememberOptions> = {},
) {
  // Where people are named, they are asked each time.
  const offer = (record.needs ?? []).length > 0 ? null : (record.details?.always?.[effect] ?? null);
  if (offer !== null) return narrowed(effect, offer, { exact }, toJson(record));
  throw new ExitError(
    Exit.refused,
    'this request offers nothing to remember: decide without --remember',
    'ERR_INVALID_DECISION',
  );
}

/** A record with what it is bound to. */
export const boundRecord = async (ledger: NativeLedger, { runId, approvalId }: KeptRecord) =>
  (await ledger.records(runId)).find((each) => each.approvalId === approvalId);

/** Where the call came from. @throws {ExitError} where that is unknown @throws {InvalidDecisionError} where it leads elsewhere by now */
export async function placeOf(ledger: NativeLedger, record: KeptRecord): Promise<CallPlace> {
  const bound = await boundRecord(ledger, record);
  if (placeOfCall(bound) !== undefined) return placeToRemember(bound);
  throw new ExitError(
    Exit.refused,
    'the project of this call is not known, because no policy judged it: decide without --remember',
    'ERR_INVALID_DECISION',
  );
}

const policiesAt = ({ cwd, project }: CallPlace): NativePolicies =>
  new NativePolicies({ documents: [], files: 'all', cwd, project, home: homedir() });

/** @throws {ExitError} where a policy says that nothing is remembered: nothing is decided then */
export async function refuseIfForgotten(place: CallPlace): Promise<void> {
  const why = await policiesAt(place).forgets();
  if (why !== null) throw new ExitError(Exit.refused, `${why}: decide without --remember`, 'ERR_INVALID_DECISION');
}

/** Remembers it in the user's file, for the project that the call came from. */
export async function remember(
  ledger: NativeLedger,
  record: KeptRecord,
  effect: 'allow' | 'deny',
  remembered: RememberOptions,
  by: string,
): Promise<Grant> {
  const { label, rules, within } = offered(record, effect, remembered);
  const { ms, times } = remembered;
  const policies = policiesAt(await placeOf(ledger, record));
  const createdAt = Date.now();
  const grant = await policies.grant({
    effect,
    scope: 'always',
    runId: null,
    project: null,
    label,
    rules,
    ...(within === undefined ? {} : { within }),
    by,
    createdAt,
    expiresAt: ms === null ? null : createdAt + ms,
    ...(times === undefined ? {} : { times }),
  });
  const { approvalId, runId, toolCallId, toolName } = record;
  await ledger.note({
    kind: 'granted',
    approvalId,
    runId,
    toolCallId,
    toolName,
    by,
    effect,
    label,
    scope: 'always',
    grantId: grant.id,
  });
  return grant;
}
