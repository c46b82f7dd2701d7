/** The calls that a run must ask about: taken in, and put to somebody. What becomes of them is in `decisions.ts`. */
import type { ApprovalRecord, DecisionType, QuestionAskedEvent } from '../../../index.js';
import { type CallAsker, type CallQuestion, type OpenedRequest, type SupersededRequest } from '../../gate/asker.js';
import { requestOf } from '../../gate/human-asker.js';
import { reasonOfError } from '../../errors/reason-of.js';
import { warnFailedCall } from '../gating/failed-calls.js';
import type { CallVerdict } from '../../gate/judge.js';
import { decideByItself, isByItself } from '../../gate/reviewer/by-itself.js';
import { questionsOf } from '../../gate/questions.js';
import { existingRecord, isDecided, toRecord } from '../../gate/records.js';
import type { Gating, RawRecord } from '../../native.js';
import { snapshot, trySnapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { approvedTool } from '../tools/approved-tool.js';
import { asEdited, AskedTimes, lostVerdict, objectionTo, onceMore, type JudgedAgain } from '../../gate/ask-call.js';
import type { CallDecisions } from './decisions.js';
import { takenBackFor } from '../../gate/describing.js';
import { digestOf, type CheckedEdits } from '../../gate/edits.js';
import { ASK, type CallGuard } from '../gating/guard.js';
import { openAnew } from '../gating/open-anew.js';
import type { OpenCallPlan } from '../messages/open-step.js';
import type { OwnEvent } from '../sdk/own-events.js';
import { CallQuestions } from '../tools/questions.js';
import { messagesIn } from '../messages/messages.js';
import { DUPLICATE_ID } from '../messages/reasons.js';
import { requestedEvent } from '../gating/telling.js';
import { valueOf, type RequestedCall, type ModelRound } from './round.js';
import type { StreamPart } from '../sdk/sdk.js';
import { isComplete } from '../sdk/turn.js';
import { warnForgedRun, warnProviderRuns } from '../tools/provider-tools.js';
import { warnCut } from '../tools/warnings.js';

export interface RequestsOptions {
  asker: CallAsker;
  guard: CallGuard;
  decisions: CallDecisions;
  signal: AbortSignal;
  tell: (event: OwnEvent) => void;
  editsOf: (toolCallId: string, toolName: string) => CheckedEdits;
}

export class RunRequests {
  readonly #options: RequestsOptions;
  /** How often the run saw each tool call id. */
  readonly #seen = new Map<string, number>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  saw(toolCallId: string): void {
    this.#seen.set(toolCallId, (this.#seen.get(toolCallId) ?? 0) + 1);
  }

  /** Whether such a call was read, now or before the run was continued here. */
  hasSeen(toolCallId: string): boolean {
    return this.#seen.has(toolCallId);
  }

  /** Whether several calls have this id. */
  isAmbiguous(toolCallId: string): boolean {
    return (this.#seen.get(toolCallId) ?? 0) > 1;
  }

  /** Takes a request of the SDK's in; `undefined`: it is not one, and not shown. */
  add(round: ModelRound, part: StreamPart): StreamPart | undefined {
    const { toolCallId = '', toolName = '', input, providerExecuted = false } = part.toolCall ?? {};
    const known = this.#options.guard.call(toolCallId);
    if (providerExecuted && known !== undefined) {
      // The SDK asks about a tool that the provider has already run: there is nothing left to decide.
      if (this.#options.guard.toolOf(toolName)?.execute !== undefined) warnForgedRun(toolName);
      else warnProviderRuns(toolName);
      return undefined;
    }
    if (providerExecuted) round.providerRequestsSeen++;
    round.requested.push({
      part,
      toolCallId,
      toolName,
      step: round.stepsBefore + round.stepsStarted,
      args: known?.args ?? trySnapshot(input),
      editedFrom: undefined,
      written: undefined,
      started: [],
      providerExecuted,
      record: undefined,
      decision: undefined,
      via: undefined,
      by: undefined,
      decided: Promise.resolve(),
      staleness: undefined,
      edits: this.#options.editsOf(toolCallId, toolName),
      times: new AskedTimes(),
      questioning: undefined,
    });
    return part;
  }

  /** Makes all requests of the step, then asks about all of them at once. */
  async askAll(round: ModelRound): Promise<void> {
    const unasked = round.requested.slice(round.askedAbout);
    round.askedAbout = round.requested.length;
    const reason = round.turn?.ended === true ? round.turn.finishReason : round.finishReason;
    const cut = isComplete(reason)
      ? undefined
      : `The model's turn is incomplete (${typeof reason === 'string' ? reason : JSON.stringify(reason)}), so its calls may be cut short.`;
    round.cut = cut;
    const { signal } = this.#options;
    if (signal.aborted) return;
    if (cut !== undefined && unasked.length > 0) warnCut(reason, unasked);
    const prepared = unasked.map((asked) => this.#prepare(asked, cut ?? this.#denialOf(asked)));
    // Made at one moment, in the order of the calls: they share a write to the disk.
    const opening = (await Promise.all(prepared)).map((open) => !signal.aborted && open(round));
    const isOpen = await Promise.all(opening);
    this.#callHumans(unasked.filter((_, index) => isOpen[index]));
  }

  /**
   * Asks once more about what was approved and is no longer what was shown: a file has changed, or the policy; and about
   * questions whose answer does not fit them.
   *
   * @returns whether there is anything to wait for
   */
  async askAgain(round: ModelRound): Promise<boolean> {
    const open: RequestedCall[] = [];
    const { signal } = this.#options;
    let isSettled = false;
    for (const asked of round.requested) {
      const { record } = asked;
      const reason = await objectionOf(asked);
      if (record === undefined || reason === undefined || signal.aborted) continue;
      const { decision, by, times, toolName } = asked;
      const takeBack = (why: string) => this.#takeBack(asked, record, why);
      const judge = (edited: { args: unknown } | undefined) => {
        asked.decision = undefined;
        return this.#judgedAgain(asked, edited);
      };
      const next = await onceMore({ record, decision, by, reason, times, toolName, takeBack, judge });
      if (next.kind === 'ended') this.#deny(asked, next.reason);
      else if (await this.#openRequest(round, asked, denialBy(next.verdict), next.supersedes)) open.push(asked);
      else isSettled = true;
    }
    this.#callHumans(open);
    // What a reviewer or the mode has approved by now may be something else again.
    return round.waiting > 0 || (isSettled && this.askAgain(round));
  }

  /** Goes on with what was asked before the run was continued here: each call as its plan says. */
  async resume(round: ModelRound, calls: readonly { asked: RequestedCall; plan: OpenCallPlan }[]): Promise<void> {
    round.askedAbout = round.requested.length;
    const open: RequestedCall[] = [];
    for (const { asked, plan } of calls) {
      if (plan.do === 'wait') {
        this.#attach(round, asked, plan.record);
        open.push(asked);
      } else if (plan.do === 'follow') this.#attach(round, asked, plan.record);
      else if (plan.do === 'ask' && (await this.#askInstead(round, asked, plan))) open.push(asked);
      else if (plan.do === 'rerun' && (await this.#rerun(round, asked))) open.push(asked);
      else if (plan.do === 'deny') {
        if (plan.takeBack !== undefined) await this.#options.asker.gate.withdraw(plan.takeBack.approvalId, plan.reason);
        this.#deny(asked, plan.reason);
      }
    }
    this.#callHumans(open);
  }

  #attach(round: ModelRound, asked: RequestedCall, raw: RawRecord): void {
    const record = toRecord(raw);
    const questions = questionsOf(record);
    if (questions !== undefined) asked.questioning = new CallQuestions(questions);
    const kept = snapshot(record.args);
    const wrote = record.editedFrom === null ? kept : snapshot(record.editedFrom);
    const same = asked.args !== undefined && digestOf(asked.args) === digestOf(wrote);
    if (same && record.editedFrom !== null) Object.assign(asked, { args: kept, editedFrom: asked.args });
    const { decided, staleness } = this.#options.asker.attach(
      raw,
      record,
      {
        ...approvedTool(asked.toolName, this.#options.guard.toolOf(asked.toolName)),
        toolCallId: asked.toolCallId,
        args: shownArgs(asked),
        signal: this.#options.signal,
      },
      (written) => asked.edits.check(written),
      () => this.#judgeNow(asked),
    );
    asked.record = record;
    asked.edits.needs = record.needs;
    this.#options.guard.showed(record);
    // What was approved is in the ledger, what would run is in the messages.
    asked.staleness = same ? staleness : async () => 'The call in the messages is not the one that was asked about.';
    // What was answered before the run went on is not asked again.
    this.#tellAsked(asked, record, isDecided(record));
    this.#options.decisions.wait(round, asked, record, decided);
  }

  async #askInstead(
    round: ModelRound,
    asked: RequestedCall,
    { instead, takeBack, edited }: OpenCallPlan & { do: 'ask' },
  ): Promise<boolean> {
    if (instead !== undefined && takeBack) {
      const why = takenBackFor(instead.reason, asked.toolName, edited);
      await this.#options.asker.gate.withdraw(instead.approvalId, why);
    }
    const { verdict, lost } = await this.#judgedAgain(asked, edited);
    // What was started may have had its effect, so that a human must hear of it.
    const isOver = lost !== undefined && (lost.isRedacted || instead?.startedBefore !== true);
    const denied =
      denialBy(isOver ? lostVerdict(asked.toolName, edited, lost) : verdict) ?? this.#rejectedBefore(asked);
    return this.#openRequest(round, asked, denied, instead);
  }

  /** Whether a human is to be called first. */
  async #rerun(round: ModelRound, asked: RequestedCall): Promise<boolean> {
    const { toolCallId, toolName, args } = asked;
    const verdict = args && (await this.#options.guard.judgeRerun(toolCallId, toolName, args));
    if (verdict?.effect !== 'allow')
      return this.#openRequest(round, asked, verdict?.effect === 'ask' ? undefined : (verdict?.reason ?? UNSHOWABLE));
    asked.decision = { type: 'approve' };
    return false;
  }

  #tellAsked(asked: RequestedCall, record: ApprovalRecord, isAutomatic: boolean): void {
    const { asker, tell } = this.#options;
    const shown = shownArgs(asked);
    if (asked.questioning === undefined) return tell(requestedEvent(record, shown, asker.gate, isAutomatic));
    const { args, ...rest } = Object.getOwnPropertyDescriptors(requestOf(record, shown, asker.gate));
    const questions = Object.defineProperties({ type: 'question-asked' }, rest);
    tell(Object.assign(questions, args.value as object) as QuestionAskedEvent);
  }

  /** @returns why it could not be taken back: then it does not run in this run */
  async #takeBack(asked: RequestedCall, { approvalId }: ApprovalRecord, why: string): Promise<string | undefined> {
    try {
      await this.#options.asker.gate.revoke(approvalId, why);
      return undefined;
    } catch (error) {
      this.#warn(asked, error);
      return `${why} It cannot be asked about again: ${reasonOfError(error)}`;
    }
  }

  /** Of what does not end the run: who takes its result alone would hear of nothing. */
  #warn({ toolName }: RequestedCall, error: unknown): void {
    const { asker, signal } = this.#options;
    if (!signal.aborted && asker.gate.closing?.aborted !== true) warnFailedCall(asker.place, toolName, error);
  }

  /** It does not run in this run. */
  #deny(asked: RequestedCall, reason: string): void {
    asked.decision = { type: 'cancelled', reason };
    this.#options.decisions.deny(asked.toolCallId, { args: valueOf(asked.args), reason });
  }

  /** What everything says now of a call that is asked about again: as a human had changed it, unless the tool cannot run that. */
  async #judgedAgain(asked: RequestedCall, edited: { args: unknown } | undefined): Promise<JudgedAgain> {
    const { toolCallId, toolName, args, editedFrom, written, edits } = asked;
    if (args === undefined) return { verdict: { effect: 'deny', reason: UNSHOWABLE } };
    const { lost, ...again } = await asEdited({ args, editedFrom, written }, edited, edits);
    Object.assign(asked, again);
    return { verdict: await this.#options.guard.judgeAgain(toolCallId, toolName, again.args), lost };
  }

  #callHumans(open: readonly RequestedCall[]): void {
    const { asker, signal } = this.#options;
    if (signal.aborted) return;
    for (const asked of open) asker.human.ask(asked.record as ApprovalRecord, shownArgs(asked), asked.decided, signal);
  }

  /** Why the call is denied without a question. */
  #denialOf(asked: RequestedCall): string | undefined {
    const { toolCallId, args, part } = asked;
    if (part.toolCall?.toolCallId === undefined) return NO_ID;
    if ((this.#seen.get(toolCallId) ?? 0) > 1) return DUPLICATE_ID;
    if (args === undefined) return UNSHOWABLE;
    const verdict = this.#options.guard.call(toolCallId)?.verdict;
    return verdict?.effect === 'deny' ? verdict.reason : this.#rejectedBefore(asked);
  }

  /** Why a human is not asked the same once more. */
  #rejectedBefore({ toolName, args }: RequestedCall): string | undefined {
    const { asker, guard } = this.#options;
    return args && asker.rejections?.reasonFor({ toolName, tool: guard.toolOf(toolName), args });
  }

  /** Whether a human is to be called. */
  async #openRequest(
    round: ModelRound,
    asked: RequestedCall,
    denied: string | undefined,
    supersedes?: SupersededRequest,
  ): Promise<boolean> {
    return (await this.#prepare(asked, denied, supersedes))(round);
  }

  /** What makes the request, and says whether a human is to be called. */
  async #prepare(
    asked: RequestedCall,
    denied: string | undefined,
    supersedes?: SupersededRequest,
  ): Promise<(round: ModelRound) => Promise<boolean>> {
    const { toolCallId, toolName } = asked;
    const questions = denied === undefined ? this.#options.guard.call(toolCallId)?.questions : undefined;
    asked.questioning = questions === undefined ? undefined : new CallQuestions(questions);
    const question: CallQuestion = {
      ...approvedTool(toolName, this.#options.guard.toolOf(toolName)),
      toolCallId,
      args: shownArgs(asked),
      editedFrom: asked.editedFrom,
      started: asked.started,
      step: asked.step,
      questions,
      gating: this.#gatingOf(asked),
      entry: this.#options.guard.describes(toolName),
      verdict: this.#options.guard.call(toolCallId)?.verdict,
      messages: messagesIn(this.#options.guard.call(toolCallId)?.context),
      isAnswered: denied !== undefined,
      supersedes,
      checkEdit: (written: unknown) => asked.edits.check(written),
      judgeAgain: questions === undefined ? () => this.#judgeNow(asked) : undefined,
      signal: this.#options.signal,
    };
    const prepared = this.#options.asker.prepare(question);
    // What went wrong is told when the request is made.
    await prepared.catch(() => {});
    const open = async (asking: CallQuestion) => {
      const make = await (asking === question ? prepared : this.#options.asker.prepare(asking));
      return make();
    };
    // What takes the place of another request says so itself.
    const opening = () => (supersedes === undefined ? openAnew(question, open) : open(question));
    return (round) => this.#open(round, asked, denied, opening);
  }

  async #open(
    round: ModelRound,
    asked: RequestedCall,
    denied: string | undefined,
    opening: () => Promise<OpenedRequest>,
  ): Promise<boolean> {
    const { toolCallId, args } = asked;
    try {
      const { record, decided, staleness } = await opening();
      asked.record = record;
      asked.edits.needs = record.needs;
      this.#options.guard.showed(record);
      asked.staleness = staleness;
      const { verdict } = this.#options.guard.call(toolCallId) ?? {};
      const isSettled = denied === undefined && isByItself(verdict, record);
      const isAutomatic = denied !== undefined || isSettled || this.#options.asker.human.isAutomatic;
      this.#tellAsked(asked, record, isAutomatic);
      this.#options.decisions.wait(round, asked, record, decided);
      if (isSettled) return !(await decideByItself(this.#options.asker.gate, record));
      if (denied === undefined) return true;
      // The run goes on when the decision is told, which it is when it is kept.
      void this.#options.asker.gate.rejectBySystem(record.approvalId, denied);
    } catch (error) {
      // Without a request there is nothing that anybody could approve.
      this.#warn(asked, error);
      const reason = denied ?? (existingRecord(error) === undefined ? reasonOfError(error) : DUPLICATE_ID);
      asked.decision = { type: 'reject', reason };
      asked.questioning?.fail(reason);
      this.#options.decisions.deny(toolCallId, { args: valueOf(args), reason });
    }
    return false;
  }

  /** What would be said of it now. */
  async #judgeNow({ toolCallId, toolName, args }: RequestedCall): Promise<CallVerdict> {
    if (args === undefined) return { effect: 'deny', reason: UNSHOWABLE };
    return this.#options.guard.judgeEdit(toolCallId, toolName, args);
  }

  #gatingOf({ toolName, providerExecuted }: RequestedCall): Gating | undefined {
    const gating = this.#options.guard.gatingOf(toolName);
    if (!providerExecuted) return gating;
    const allowed = gating?.allowedDecisions ?? PROVIDER_TAKES;
    return { ...(gating ?? ASK), allowedDecisions: allowed.filter((type) => PROVIDER_TAKES.includes(type)) };
  }
}

const NO_ID = 'The call has no id, so that an answer could not be told to be for it.';

/** Why the call is denied without a question. */
const denialBy = (verdict: CallVerdict): string | undefined => (verdict.effect === 'deny' ? verdict.reason : undefined);

/** What a human is shown of a call. */
const shownArgs = ({ args, questioning }: RequestedCall): ValueSnapshot => questioning?.args ?? args ?? snapshot(null);

/** Why what was decided does not hold; `undefined`: it does, or nothing follows from it. */
const objectionOf = async (asked: RequestedCall): Promise<string | undefined> =>
  asked.questioning === undefined ? objectionTo(asked.decision, asked) : asked.questioning.objection;

/** What a provider that runs the tool itself can be told: yes or no. */
const PROVIDER_TAKES: DecisionType[] = ['approve', 'reject', 'skip'];

const UNSHOWABLE = 'Its arguments cannot be shown as they are.';
