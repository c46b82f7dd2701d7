/** `--remember`: a decision that also answers the next such calls. */
import { homedir } from 'node:os';
import type { Grant } from '../../index.js';
import { placeToRemember } from '../gate/call-place.js';
import { NativePolicies, type KeptRecord, type NativeLedger } from '../native.js';
import { readDuration } from './duration.js';
import { ExitError, Exit, UsageError } from './exit.js';

/** For how long, in ms; `null`: until it is revoked. */
export interface RememberOptions {
  ms: number | null;
}

/** @throws {UsageError} */
export function readRemember(text: string | undefined): RememberOptions | undefined {
  if (text === undefined) return undefined;
  if (text === 'always') return { ms: null };
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0) return { ms };
  const why =
    text === 'run' || text === 'session' ? ': what a run or a session remembers lives in its own process' : '';
  throw new UsageError(`--remember takes always or a duration such as 30d, not ${JSON.stringify(text)}${why}`);
}

/** What would be remembered. @throws {ExitError} when the request does not offer it: nothing is decided then */
export function offered(record: KeptRecord, effect: 'allow' | 'deny') {
  // Where people are named, they are asked each time.
  const offer = (record.needs ?? []).length > 0 ? null : (record.details?.always?.[effect] ?? null);
  if (offer !== null) return offer;
  throw new ExitError(
    Exit.refused,
    'this request offers nothing to remember: decide without --remember',
    'ERR_INVALID_DECISION',
  );
}

/** A record with what it is bound to. */
export const boundRecord = async (ledger: NativeLedger, { runId, approvalId }: KeptRecord) =>
  (await ledger.records(runId)).find((each) => each.approvalId === approvalId);

/** Remembers it in the user's file, for the project that the call came from. */
export async function remember(
  ledger: NativeLedger,
  record: KeptRecord,
  effect: 'allow' | 'deny',
  { ms }: RememberOptions,
  by: string,
): Promise<Grant> {
  const { label, rules } = offered(record, effect);
  const { cwd, project } = placeToRemember(await boundRecord(ledger, record));
  const policies = new NativePolicies({ documents: [], files: 'all', cwd, project, home: homedir() });
  const createdAt = Date.now();
  const grant = await policies.grant({
    effect,
    scope: 'always',
    runId: null,
    project: null,
    label,
    rules,
    by,
    createdAt,
    expiresAt: ms === null ? null : createdAt + ms,
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
