/**
 * The way of a call that is asked about, where its `execute` waits: shown, asked, decided, and looked at once more, since what
 * was shown may have changed meanwhile. What hosts differ in is their port.
 */
import type { ApprovalRecord, DecisionOutcome } from '../../index.js';
import type { CallAsker, OpenedRequest, CallQuestion, SupersededRequest } from './asker.js';
import { lostEditFor, takenBackFor } from './describing.js';
import { isByMode, type CallVerdict } from './judge.js';
import { isApproval, nameOf, type DecidedRecord } from './records.js';
import { answerOf } from './answer-of.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { digestOf, type CheckedEdits, type LostEdit } from './edits.js';

/** What a host does with the requests of one call. */
export interface AskPort {
  asker: CallAsker;
  runId: string;
  signal: AbortSignal;
  /** Ends what the human wants to end. Absent: all that the asker asks for. */
  stop?: (reason: unknown) => void;
  /** Makes the request. */
  open: (question: CallQuestion) => Promise<OpenedRequest>;
  /** It is made: it can be told, and is to be put to a human unless it is answered by now. */
  opened: (opened: OpenedRequest, verdict: CallVerdict, args: ValueSnapshot) => Promise<{ isAnswered: boolean }>;
  /** Why what was decided does not hold; `undefined`: it does. */
  objection: (opened: OpenedRequest, decided: DecidedRecord, args: ValueSnapshot) => Promise<string | undefined>;
  /** Says whether what a human has made of the call can be asked about again. Absent: nothing can be made of it. */
  edits?: Pick<CheckedEdits, 'again'>;
  /** What is said of the call now. Absent: what does not hold is not asked about again. */
  judge?: (args: ValueSnapshot) => Promise<CallVerdict>;
}

/** What a call comes to that was asked about. */
export type AskOutcome =
  /** `args`: what was asked about. */
  | { kind: 'decided'; decided: DecidedRecord; args: ValueSnapshot; isEdited: boolean }
  /** It does not hold, and was taken back. */
  | { kind: 'stale'; reason: string }
  | { kind: 'denied'; reason: string; approvalId: string };

/** How often one call is asked about. */
const MOST_ASKED = 20;

/** How often a call was asked about: a callback whose answers never hold would be asked for ever, and nothing else would run. */
export class AskedTimes {
  #count = 1;

  /** @returns why it is not asked about once more; `undefined`: it is, and what else is due has come round first */
  async noMore(reason: string): Promise<string | undefined> {
    if (this.#count === MOST_ASKED)
      return `It was asked about ${MOST_ASKED} times, and no answer held. The last time: ${reason}`;
    this.#count++;
    await new Promise<void>((resolve) => setImmediate(resolve));
    return undefined;
  }
}

/** What asking about a call once more takes. */
export interface OnceMoreOptions {
  /** The request whose decision does not hold. */
  record: ApprovalRecord;
  decision: DecisionOutcome | undefined;
  /** Who made it. */
  by: string | undefined;
  /** Why it does not hold. */
  reason: string;
  times: AskedTimes;
  toolName: string;
  /** Takes the approval back. @returns why it could not be: then it is not asked about again */
  takeBack: (why: string) => Promise<string | undefined>;
  judge: (edited: { args: unknown } | undefined) => Promise<JudgedAgain>;
}

/** What is said of a call now. `lost`: of it as it was before, since the tool cannot run what a human had made of it. */
export interface JudgedAgain {
  verdict: CallVerdict;
  lost?: LostEdit | undefined;
}

/** What becomes of a call whose decision does not hold. */
export type OnceMore =
  /** It is not asked about again. */
  | { kind: 'ended'; reason: string }
  /** What is said of it now, and what the next request has to know. */
  | { kind: 'judged'; verdict: CallVerdict; supersedes: SupersededRequest };

/** The step between two requests of one call, the same in every loop: taken back, counted, judged anew. */
export async function onceMore(options: OnceMoreOptions): Promise<OnceMore> {
  const { record, decision, reason, times, toolName, takeBack, judge } = options;
  const edited = editIn(decision);
  const why = takenBackFor(reason, toolName, edited);
  const failure = decision !== undefined && isApproval(decision) ? await takeBack(why) : undefined;
  const ended = failure ?? (await times.noMore(reason));
  if (ended !== undefined) return { kind: 'ended', reason: ended };
  const { verdict, lost } = await judge(edited);
  const by = edited === undefined ? undefined : options.by;
  const supersedes = {
    ...supersededBy(record, lost === undefined ? reason : why, decision !== undefined),
    editedBy: by,
  };
  return {
    kind: 'judged',
    supersedes,
    verdict: lost?.isRedacted === true ? lostVerdict(toolName, edited, lost) : verdict,
  };
}

/** Asks until there is a decision that holds, or it was asked too often: then the call is denied. */
export async function askCall(question: CallQuestion & { verdict: CallVerdict }, port: AskPort): Promise<AskOutcome> {
  const { asker, signal, stop } = port;
  let { verdict, args, editedFrom } = question;
  let supersedes: SupersededRequest | undefined;
  const times = new AskedTimes();
  for (;;) {
    signal.throwIfAborted();
    const opened = await port.open({ ...question, args, editedFrom, verdict, supersedes, signal });
    const { isAnswered } = await port.opened(opened, verdict, args);
    const decided = isAnswered ? await opened.decided : await answerOf(asker, opened, args, signal, stop);
    const reason = await port.objection(opened, decided, args);
    signal.throwIfAborted();
    if (reason === undefined) return { kind: 'decided', decided, args, isEdited: editedFrom !== undefined };
    const { approvalId, decision } = decided;
    const { judge } = port;
    const { toolName } = question;
    const takeBack = async (why: string): Promise<undefined> => void (await asker.gate.revoke(approvalId, why));
    if (judge === undefined) {
      if (isApproval(decision)) await takeBack(takenBackFor(reason, toolName, editIn(decision)));
      return { kind: 'stale', reason };
    }
    const judgeAgain = async (edited: { args: unknown } | undefined): Promise<JudgedAgain> => {
      const { lost, ...again } = await asEdited({ args, editedFrom }, edited, port.edits);
      ({ args, editedFrom } = again);
      return { verdict: await judge(args), lost };
    };
    const next = await onceMore({
      record: decided,
      decision,
      by: nameOf(decided),
      reason,
      times,
      toolName,
      takeBack,
      judge: judgeAgain,
    });
    if (next.kind === 'ended') return { kind: 'denied', reason: next.reason, approvalId };
    if (next.verdict.effect === 'deny') return { kind: 'denied', reason: next.verdict.reason, approvalId };
    verdict = stillAsked(next.verdict);
    supersedes = next.supersedes;
  }
}

/** The edit that a decision is. */
export const editIn = (decision: DecisionOutcome | undefined): { args: unknown } | undefined =>
  decision?.type === 'edit' ? decision : undefined;

/** A call that is asked about. */
export interface AskedArgs {
  args: ValueSnapshot;
  /** What the model wrote, where a human had changed it. */
  editedFrom: ValueSnapshot | undefined;
  /** What the human wrote, where the tool's schema makes something else of it. */
  written?: ValueSnapshot | undefined;
}

/** A call that is asked about again. `lost`: as it was before, since the tool cannot run what a human had made of it. */
export type AgainArgs = AskedArgs & { lost?: LostEdit | undefined };

/** The call is denied, since no person has approved what the model wrote. */
export const lostVerdict = (
  toolName: string,
  edited: { args: unknown } | undefined,
  { lost }: LostEdit,
): CallVerdict & { effect: 'deny' } => ({ effect: 'deny', reason: lostEditFor(toolName, edited, lost) });

/** The call that is asked about again: as a human had changed it, unless the tool cannot run that. */
export async function asEdited(
  asked: AskedArgs,
  edited: { args: unknown } | undefined,
  edits: Pick<CheckedEdits, 'again'> | undefined,
): Promise<AgainArgs> {
  const edit = edited && (await edits?.again(edited.args));
  if (edit === undefined) return asked;
  if ('lost' in edit) return { ...asked, lost: edit };
  const from = asked.editedFrom ?? asked.args;
  return { ...edit, editedFrom: digestOf(from) === digestOf(edit.args) ? undefined : from };
}

/** What a human was asked about goes on being asked about: nothing may run on an approval that was taken back. */
export const stillAsked = (verdict: CallVerdict): CallVerdict =>
  verdict.effect === 'allow' && !isByMode(verdict) ? { effect: 'ask', floor: true } : verdict;

/** What the request that is made in the place of this one knows of it. */
const supersededBy = (
  { approvalId, needs, startedBefore }: ApprovalRecord,
  reason: string,
  takenBack: boolean,
): SupersededRequest => ({ approvalId, reason, needs, startedBefore, takenBack });

/** Why an approval does not hold; `undefined`: it does, or it is not an approval. */
export async function objectionTo(
  decision: DecisionOutcome | undefined,
  {
    edits,
    staleness,
  }: { edits: Pick<CheckedEdits, 'objection' | 'checked'>; staleness: OpenedRequest['staleness'] | undefined },
): Promise<string | undefined> {
  if (decision === undefined || !isApproval(decision)) return undefined;
  if (decision.type !== 'edit') return staleness?.();
  return (await edits.objection(decision.args)) ?? (await staleness?.(edits.checked(decision.args)));
}
