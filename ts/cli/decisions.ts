/** How a decision from a terminal is taken, and what is said of it. */
import { userInfo } from 'node:os';
import type { ApprovalRecord, DecisionOutcome } from '../../index.js';
import { becomes, toldRun } from '../ai-sdk/saved/told-run.js';
import { AlreadyDecidedError, CountersignError, NotApproverError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { contextWith, type SeenEdit } from '../gate/seen-edit.js';
import { standing } from '../gate/standing.js';
import type { KeptRecord, NativeLedger } from '../native.js';
import { ExitError, UsageError } from './exit.js';
import { shortId } from './ids.js';
import { exitOf } from './open-ledger.js';
import { print, printJson } from './print.js';
import { outcome, toJson } from './shown.js';
import { oneLine, style } from './style.js';

/** Who decides by default: the user of the system. */
export function whoDecides(option: string | undefined): string {
  if (option === undefined) return userName();
  if (option.trim() === '') throw new UsageError('--by needs a name');
  if (isGroupName(option))
    throw new UsageError(`--by is the name of a person: say --by NAME --group ${groupsIn([option])[0]}`);
  return option;
}

/** Whether a name is written as those of groups are. */
const isGroupName = (name: string): boolean => /^group:/iu.test(name.normalize('NFKC').trim());

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry, as in containers.
    return 'terminal';
  }
}

/** Who decides, and in which groups they say that they are. */
export interface DecidingPerson {
  by: string;
  groups: readonly string[];
}

/** What is said when a decision was taken. */
export const TAKEN = {
  approve: 'approved',
  edit: 'edited and approved',
  reject: 'rejected',
  respond: 'answered',
  skip: 'skipped',
} as const;
export type HumanDecision = DecisionOutcome & { type: keyof typeof TAKEN };

/**
 * Takes the decision, in one step of the ledger: only the first of several counts.
 *
 * @param seen what was shown of an edit
 */
export const decide = (
  ledger: NativeLedger,
  id: string,
  decision: HumanDecision,
  who: DecidingPerson,
  seen: SeenEdit | undefined,
): Promise<KeptRecord> =>
  ledger.decide(id, decision, {
    ...who,
    via: 'terminal',
    ...(seen === undefined ? {} : { editedContext: contextWith(seen) }),
  });

/** The groups of `--group`, which may be written as approvers are. */
export function groupsIn(options: readonly string[] = []): string[] {
  const groups = options.map((group) => group.replace(/^group:/u, ''));
  if (groups.some((group) => group.trim() === '')) throw new UsageError('--group needs the name of a group');
  return groups;
}

/** Says that it was taken, and what becomes of it. */
export async function tellTaken(
  ledger: NativeLedger,
  record: KeptRecord,
  decision: HumanDecision,
  asJson: boolean,
): Promise<void> {
  if (asJson) await printJson({ approvalId: record.approvalId, taken: true, record: toJson(record) });
  else if (record.status === 'pending')
    await print(`${style('yellow', 'counted')}  ${shortId(record.approvalId)}  ${standing(toJson(record))}`);
  else {
    const then = becomes(record, await toldRun(ledger, record, ledger.pending));
    const more = then === '' ? '' : `  ${then}`;
    await print(`${style('green', TAKEN[decision.type])}  ${shortId(record.approvalId)}${more}`);
    if (decision.type === 'edit') await print('You are asked again if the tool does not accept these arguments.');
  }
}

/** Says why it was not taken, and with which exit code that ends. What has nothing to do with this request is thrown on. */
export async function tellRefused(typed: string, error: unknown, asJson: boolean): Promise<number> {
  const isOurs = error instanceof UsageError || error instanceof ExitError || CountersignError.isInstance(error);
  if (!isOurs || (CountersignError.isInstance(error) && error.code.startsWith('ERR_LEDGER_'))) throw error;
  const code = error instanceof UsageError ? 'ERR_USAGE' : (error.code ?? 'ERR_REFUSED');
  const winner = AlreadyDecidedError.isInstance(error) ? error.winner : undefined;
  if (asJson) {
    const record = winner === undefined ? {} : { winner: toJson(winner as KeptRecord) };
    await printJson({ approvalId: typed, taken: false, code, message: messageOf(error), ...record });
  } else {
    const told = why(error, winner);
    const which = told.includes(JSON.stringify(typed)) ? '' : `${oneLine(typed)}: `;
    process.stderr.write(`countersign: ${which}${told}\n`);
  }
  return exitOf(error);
}

function why(error: Error, winner: ApprovalRecord | undefined): string {
  if (winner === undefined) {
    const cure = NotApproverError.isInstance(error) ? '. Say who you are with --by NAME --group GROUP' : '';
    return `${oneLine(messageOf(error)).replace(/\.$/, '')}${cure}`;
  }
  const since = ['started', 'succeeded', 'failed', 'interrupted'].includes(winner.status) ? `; ${winner.status}` : '';
  return `already ${outcome(winner)}${since}`;
}
