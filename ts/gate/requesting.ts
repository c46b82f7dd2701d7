/** `gate.request`: code asks about a call by itself. It is judged, asked about and redeemed like the call of a tool. */
import type {
  DecisionType,
  ApprovalNeed,
  ApprovalRecord,
  Gate,
  GateRequest,
  InterruptOptions,
  Resolution,
} from '../../index.js';
import { DuplicateRequestError, GateClosedError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { warnOnce } from '../errors/warn-once.js';
import type { Gating } from '../native.js';
import { takeNeeded, takeOptions } from '../options/check.js';
import { plainData } from '../options/plain.js';
import { attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { snapshot, type ValueSnapshot } from '../values/snapshot.js';
import { whenAborted } from '../values/when-aborted.js';
import { askCall, objectionTo } from './ask-call.js';
import { CallAsker, type CallQuestion, type OpenedRequest } from './asker.js';
import type { ServerCaller } from './caller.js';
import { checkText } from './check-arguments.js';
import { checkPositive } from './check-positive.js';
import { redeemOrRefuse } from './redeem.js';
import { CheckedEdits } from './edits.js';
import type { LocalGate } from './gate.js';
import { withoutLines } from './in-a-line.js';
import type { CallVerdict, GrantUse } from './judge.js';
import { existingRecord, isApproval, resolutionOf, toRecord } from './records.js';
import { checkRequester } from './requester.js';
import { decideByItself, isByItself } from './reviewer/by-itself.js';
import { DEFAULT_TIMEOUT_MS, UNWANTED, type OpenRequest, type WaitedRequest } from './requests.js';
import { mainRunOf, unnamedRun } from './run-ids.js';
import { whoOf } from './who.js';

const PLACE = 'gate.request';

/** A request that no policy has a say about. */
const PLAIN = { context: null, details: null, page: null, supersedes: null };

interface RequestOptions {
  abortSignal?: AbortSignal;
}

/** @param caller the call of a tool that asks */
export function requestApproval(
  gate: Gate & LocalGate,
  request: GateRequest,
  options: RequestOptions = {},
  caller?: ServerCaller,
): Promise<Resolution> {
  // If the answer is not looked at, it would go unnoticed.
  if (gate.isClosing)
    warnOnce(`closed:${PLACE}`, `${PLACE}: the gate is closed, so that nobody is asked, and nothing is approved.`);
  const resolution = new Promise<Resolution>((resolve, reject) => {
    new CodeRequest(gate, caller).resolve(request, options).then(resolve, (error: unknown) => {
      // A process that closes its gate must not be ended by an answer that it no longer waits for.
      if (GateClosedError.isInstance(error)) resolution.catch(() => {});
      reject(error);
    });
  });
  return resolution;
}

/** What a call of a tool does meanwhile, such as a connection of its command: what rules, grants and the mode allow need not be asked. */
export interface DoneMeanwhile extends GateRequest {
  /** Whether the program names it: then it is asked about only where a rule asks. */
  isNamed: boolean;
  /** A human is asked even if something allows it; a text: for this reason. */
  asksAlways?: boolean | string;
}

/**
 * Says whether it may be done. A human is asked in the name of the call where nothing allows it; without anyone to ask, it may
 * not.
 *
 * @param signal the end of what wants it
 */
export async function mayMeanwhile(
  caller: ServerCaller,
  { isNamed, asksAlways = false, ...request }: DoneMeanwhile,
  signal: AbortSignal,
): Promise<{ allowed: boolean; reason: string | null }> {
  const { gate } = caller.asker;
  const asked = new CodeRequest(gate as Gate & LocalGate, caller, { isNamed, asksAlways });
  const { approved, reason, decision } = await asked.resolve(request, { abortSignal: signal });
  return { allowed: approved, reason: approved ? null : (reason ?? `The decision is ${decision.type}.`) };
}

/** What needs no human where something allows it. */
interface MeanwhileRules {
  isNamed: boolean;
  asksAlways: boolean | string;
}

class CodeRequest {
  readonly #gate: Gate & LocalGate;
  readonly #caller: ServerCaller | undefined;
  /** Absent: a human is asked even if something allows it. */
  readonly #meanwhile: MeanwhileRules | undefined;

  constructor(gate: Gate & LocalGate, caller: ServerCaller | undefined, meanwhile?: MeanwhileRules) {
    this.#gate = gate;
    this.#caller = caller;
    this.#meanwhile = meanwhile;
  }

  async resolve(wanted: GateRequest, options: RequestOptions): Promise<Resolution> {
    const request = takeNeeded(PLACE, wanted);
    const { abortSignal: given } = takeOptions(`${PLACE}: options`, options);
    const caller = this.#caller;
    const abortSignal = caller === undefined ? given : AbortSignal.any([caller.signal, ...(given ? [given] : [])]);
    abortSignal?.throwIfAborted();
    const args = snapshot(request.args);
    const asked: OpenRequest = {
      runId: checkText(`${PLACE}: runId`, request.runId ?? caller?.asker.runId ?? unnamedRun()),
      toolCallId: checkText(`${PLACE}: toolCallId`, request.toolCallId ?? crypto.randomUUID()),
      toolName: checkText(`${PLACE}: toolName`, request.toolName),
      args,
      origin: request.origin ?? caller?.asker.origin ?? ['main'],
      description: request.description === undefined ? null : withoutLines(request.description),
      allowedDecisions: plainData(request.allowedDecisions ?? null, `${PLACE}: allowedDecisions`) as
        | DecisionType[]
        | null,
      timeoutMs: checkPositive(`${PLACE}: timeout`, request.timeout ?? this.#gate.timeout ?? DEFAULT_TIMEOUT_MS),
      ...PLAIN,
      needs: needsOf(request),
      remindMs: request.remind === undefined ? null : checkPositive(`${PLACE}: remind`, request.remind),
      requester: checkRequester(PLACE, request.requester) ?? caller?.asker.requester ?? null,
    };
    const judges = caller?.asker.judgesAll ?? this.#gate.control.tightens([]);
    const isJudged =
      this.#meanwhile !== undefined || judges || (caller?.asker.hasReviewer ?? this.#gate.reviewer !== undefined);
    return isJudged ? this.#judged(asked, abortSignal) : this.#unjudged(asked, abortSignal);
  }

  // --- with policies, a judge or a mode -----------------------------------------------------------------------------

  async #judged(request: OpenRequest, abortSignal: AbortSignal = NEVER): Promise<Resolution> {
    const { runId, toolCallId, toolName, args, origin, description } = request;
    const gating = gatingOf(request);
    const asker = new CallAsker(
      runId,
      { gate: this.#gate, parent: this.#caller?.asker, origin, requester: request.requester ?? undefined },
      PLACE,
    );
    const judge = async (judged: ValueSnapshot, usesGrants: GrantUse = 'none'): Promise<CallVerdict> => {
      const by = {
        gating,
        entry: undefined,
        tool: undefined,
        hostJudges: [],
        signal: abortSignal,
        asksAs: 'program' as const,
        usesGrants,
      };
      const call = { toolCallId, toolName, args: judged, context: {} };
      const asksAlways = this.#meanwhile?.asksAlways ?? true;
      if (asksAlways !== false) {
        const asked = alwaysAsked(await asker.judge(call, by), gating);
        return asksAlways === true ? asked : becauseOf(asksAlways, asked);
      }
      const ruled = await asker.judge(call, { ...by, gating: { ...gating, action: 'allow' } });
      const isNamed = this.#meanwhile?.isNamed === true;
      // A rule that asks has its say; that no rule speaks of it is no objection to what the program names.
      if (isNamed && (ruled.effect === 'allow' || (ruled.effect === 'ask' && !isAskedByRule(ruled))))
        return { effect: 'allow', said: ruled.said };
      // Without policies, nothing has allowed it yet.
      return ruled.effect === 'allow' && !isSaid(ruled) ? asker.judge(call, by) : ruled;
    };
    const bound = (edited: ValueSnapshot) =>
      asker.boundEdit({ toolCallId, toolName, args: edited, signal: abortSignal });
    const edits = new CheckedEdits({ toolName, parse: async (written) => written, judge, bound });
    // Where a human is always asked, no grant lets it run, though one may deny it.
    const verdict = await judge(args, this.#meanwhile?.asksAlways === false ? 'all' : 'denials');
    const question: CallQuestion & { verdict: CallVerdict } = {
      toolCallId,
      toolName,
      args,
      gating,
      entry: description === null ? undefined : ({ description } as InterruptOptions),
      verdict,
      isOnce: this.#meanwhile?.asksAlways !== false,
      checkEdit: (written) => edits.check(written),
      signal: abortSignal,
    };
    if (this.#meanwhile !== undefined) {
      if (verdict.effect === 'allow') return unasked(args, true, undefined);
      if (verdict.effect === 'deny') return unasked(args, false, verdict.reason);
      if (asker.human.isAutomatic) return unasked(args, false, 'Nobody is there to be asked about it.');
    }
    const open = async (asking: CallQuestion) => openOnce(toolCallId, () => asker.openAndWait(asking, runId));
    if (verdict.effect === 'deny') return this.#denied(await open(question), args, verdict.reason);
    let last: OpenedRequest | undefined;
    try {
      const asked = await askCall(question, {
        asker,
        runId,
        signal: abortSignal,
        open,
        opened: async (opened, _, shown) => {
          last = opened;
          edits.needs = opened.record.needs;
          const isSettled = isByItself(undefined, opened.record);
          this.#caller?.tell(opened, shown, isSettled);
          return { isAnswered: isSettled && (await decideByItself(this.#gate, opened.record)) };
        },
        objection: ({ staleness }, { decision }) => objectionTo(decision, { edits, staleness }),
        edits,
        judge,
      });
      if (asked.kind !== 'decided') return cancelled((last as OpenedRequest).record, args, asked.reason);
      const { decided } = asked;
      const resolution = resolutionOf(decided, asked.args);
      if (!resolution.approved) return resolution;
      const runs = decided.decision.type === 'edit' ? edits.checked(decided.decision.args)?.args : asked.args;
      if (runs === undefined) return cancelled(decided, args, 'The edited arguments were not checked.');
      const redeem = () => redeemOrRefuse(asker, runId, { toolCallId, toolName, args: runs });
      return await this.#handOver(resolution, redeem, abortSignal);
    } catch (error) {
      if (!abortSignal.aborted || last === undefined) throw error;
      // When the caller learns that it was cancelled, it is.
      await this.#gate.withdraw(last.record.approvalId, UNWANTED);
      const decided = await last.decided;
      return isApproval(decided.decision) ? cancelled(decided, args, UNWANTED) : resolutionOf(decided, args);
    }
  }

  /** It stands in the ledger, and is not put to a human. */
  async #denied(opened: OpenedRequest, args: ValueSnapshot, reason: string): Promise<Resolution> {
    const { approvalId } = opened.record;
    this.#caller?.tell(opened, args, true);
    await this.#gate.rejectBySystem(approvalId, reason);
    const decided = await opened.decided;
    if (!isApproval(decided.decision)) return resolutionOf(decided, args);
    // An approval that came first has approved nothing.
    await this.#gate.withdraw(approvalId, reason);
    return cancelled(opened.record, args, reason);
  }

  // --- without ------------------------------------------------------------------------------------------------------

  async #unjudged(request: OpenRequest, abortSignal: AbortSignal | undefined): Promise<Resolution> {
    const { args } = request;
    const opened = openOnce(request.toolCallId, () => this.#gate.openAndWait(request, undefined, abortSignal));
    const waited = isLater(opened) ? await opened : opened;
    const { record, decided } = waited;
    this.#putToRun(waited, args);
    let withdrawn: Awaitable<void> = undefined;
    const withdraw = () => {
      withdrawn = this.#gate.withdraw(record.approvalId, UNWANTED);
    };
    const forget = whenAborted(abortSignal, withdraw);
    if (abortSignal?.aborted) withdraw();
    try {
      const resolution = resolutionOf(await decided, args);
      if (!resolution.approved) return resolution;
      const runs = resolution.decision.type === 'edit' ? snapshot(resolution.args) : args;
      return await this.#handOver(resolution, () => this.#redeem(record, runs), abortSignal);
    } finally {
      forget();
      // When the caller learns that it was cancelled, it is.
      if (isLater(withdrawn)) await withdrawn;
    }
  }

  /** What answers for the run answers for this: perhaps no one looks at the gate. */
  #putToRun(waited: WaitedRequest, args: ValueSnapshot): void {
    if (this.#caller === undefined) return;
    const { asker, signal, tell } = this.#caller;
    tell(waited, args, false);
    asker.human.ask(waited.record, args, waited.decided, signal);
  }

  /** The mode may be another one by now. */
  async #redeem({ approvalId, runId, toolCallId, toolName }: ApprovalRecord, args: ValueSnapshot): Promise<void> {
    const call = { toolCallId, toolName, args, runId: mainRunOf(runId) };
    const objection = await this.#gate.control.objectionTo(() => call, []);
    if (objection !== undefined) {
      await this.#gate.revoke(approvalId, objection);
      throw new Error(objection);
    }
    await this.#gate.redeem(runId, toolCallId, toolName, args, null);
  }

  /** Uses the approval up: what the caller does with it cannot be seen from here. */
  async #handOver(
    resolution: Resolution,
    redeem: () => Awaitable<unknown>,
    abortSignal: AbortSignal | undefined,
  ): Promise<Resolution> {
    const unwanted = () => new DOMException(UNWANTED, 'AbortError');
    try {
      if (abortSignal?.aborted) throw unwanted();
      await redeem();
      const isWanted = abortSignal?.aborted !== true;
      await this.#gate.settle(resolution.approvalId, isWanted);
      if (isWanted) return resolution;
      throw unwanted();
    } catch (error) {
      // Taken back in the meantime, e.g. by the end of the gate; or the ledger cannot say that it was not.
      const reason = messageOf(error);
      return { ...resolution, approved: false, decision: { type: 'cancelled', reason }, reason };
    }
  }
}

const NEVER = new AbortController().signal;

/** Whether policies have said something of it. */
const isSaid = ({ said }: CallVerdict): boolean => said != null && said.actions.length > 0;

/** Whether it is a rule, a judge or a person's need that asks, and not only the lack of a rule. */
const isAskedByRule = ({ said, who, reason }: CallVerdict & { effect: 'ask' }): boolean =>
  who !== undefined || said == null || said.rule !== null || said.effect !== 'ask' || reason !== said.reason;

/** What was not asked about. */
const unasked = (args: ValueSnapshot, approved: boolean, reason: string | undefined): Resolution => ({
  approvalId: '',
  approved,
  decision: approved ? { type: 'approve' } : { type: 'reject', ...(reason === undefined ? {} : { reason }) },
  args: snapshot(args.value).value,
  ...(reason === undefined ? {} : { reason }),
  decidedBy: 'countersign',
});

/** How calls are asked about that the code itself puts to a human. */
function gatingOf({ allowedDecisions, timeoutMs, needs = [], remindMs }: OpenRequest): Gating {
  return {
    action: 'ask',
    entry: null,
    allowedDecisions,
    timeout: timeoutMs,
    changesFile: true,
    ...(needs.length === 0 ? {} : { needs }),
    ...(remindMs == null ? {} : { remind: remindMs }),
  };
}

/** Who asks by code wants a human: a rule, a grant or a mode that allows does not answer in their place. */
function alwaysAsked(verdict: CallVerdict, gating: Gating): CallVerdict {
  if (verdict.effect !== 'allow') return verdict;
  return verdict.instead ?? { effect: 'ask', floor: true, said: verdict.said, who: whoOf(gating), askedBy: 'program' };
}

/** What the policies say of it is not why it is asked about. */
function becauseOf(why: string, verdict: CallVerdict): CallVerdict {
  if (verdict.effect !== 'ask') return verdict;
  const { said } = verdict;
  return { ...verdict, reason: why, ...(said == null ? {} : { said: { ...said, reason: `${why}; ${said.reason}` } }) };
}

/** @throws {DuplicateRequestError} */
function openOnce<T>(toolCallId: string, open: () => Awaitable<T>): Awaitable<T> {
  return attempt(open, (error) => {
    const existing = existingRecord(error);
    if (existing === undefined) throw error;
    throw new DuplicateRequestError({
      message: `This run has asked about the call ${JSON.stringify(toolCallId)} before. Leave toolCallId out, or give each request one of its own.`,
      existing: toRecord(existing),
      cause: error,
    });
  });
}

/** What may no longer be done, even if it was approved. */
const cancelled = ({ approvalId }: Pick<ApprovalRecord, 'approvalId'>, args: ValueSnapshot, reason: string) =>
  ({
    approvalId,
    approved: false,
    decision: { type: 'cancelled', reason },
    args: snapshot(args.value).value,
    reason,
    decidedBy: 'countersign',
  }) satisfies Resolution;

/**
 * Who must agree, beside whom a rule names. A need that anybody satisfies is dropped; the core refuses invalid values. A missing
 * list where one was meant names no one.
 */
function needsOf({ approvers, quorum = 1, excludeRequester = false, escalate }: ApprovalNeed): ApprovalNeed[] {
  const named = approvers === undefined ? {} : { approvers: (approvers as typeof approvers | null) ?? [] };
  const later = escalate === undefined ? {} : { escalate };
  const isNone = approvers === undefined && quorum === 1 && excludeRequester === false && escalate === undefined;
  // Written as JSON, what is no plain data would be left out: then fewer people would have to agree, or anybody could.
  return isNone ? [] : [plainData({ ...named, quorum, excludeRequester, ...later }, PLACE) as ApprovalNeed];
}
