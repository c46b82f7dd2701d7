/** One tool of a loop that is not ours: its `execute` runs what was allowed, and nothing else. */
import type { Tool } from 'ai';
import type {
  ApprovalRecord,
  DecidedVia,
  DecisionOutcome,
  DecisionType,
  ExecutionDenied,
  InterruptOn,
  InterruptOptions,
} from '../../../index.js';
import type { CallAsker, OpenedRequest, CallQuestion } from '../../gate/asker.js';
import { heldTo, runnerOf, type NeededConfinement } from '../../gate/confined-runner.js';
import { reasonOfError } from '../../errors/reason-of.js';
import { existingRecord, isApproval, isTurnEnd } from '../../gate/records.js';
import { isByMode, type CallVerdict, type GrantUse } from '../../gate/judge.js';
import { decideByItself, isByItself } from '../../gate/reviewer/by-itself.js';
import type { ApprovedTool } from '../../gate/tool-identity.js';
import { RefusedExecution } from '../../gate/refused-execution.js';
import { endsAll } from '../../gate/waiters.js';
import type { Gating } from '../../native.js';
import { copyOf, revive, snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { approvedBy, withCallContext, type CallContext } from '../tools/call-context.js';
import { changedTool, isCaller, type CallBody, type GateCalled } from '../tools/callers.js';
import { checkSignal } from './call-signal.js';
import type { ChildRuns } from './children.js';
import { approvedTool } from '../tools/approved-tool.js';
import { askCall, type AskOutcome, objectionTo } from '../../gate/ask-call.js';
import { denied, deniedOutput, isExecutionDenied } from './denied.js';
import { isEnded, lookForEnd, ofEndedTurn, turnOf, withinTurn } from './ended-turns.js';
import { CheckedEdits, digestOf, type CheckedEdit } from '../../gate/edits.js';
import { warnFailedCall, warnOtherMode, warnOtherRun, warnUnanswerable } from './failed-calls.js';
import { follow, lastOf, NotedError } from './follow.js';
import { redeemOrRefuse } from '../../gate/redeem.js';
import { unnamedRun } from '../../gate/run-ids.js';
import { modelOutput, withNote, type ModelOutput } from '../messages/history.js';
import { taking } from '../tools/limits.js';
import type { InheritedRules } from '../tools/inheritance.js';
import type { ParentRun } from '../tools/parent-run.js';
import { parseEdit } from '../tools/edited-args.js';
import { keptResult } from './kept-result.js';
import { digestOrNone, noteCall } from './made-calls.js';
import { isResume, messagesIn } from '../messages/messages.js';
import { isAbout } from '../messages/named-requests.js';
import { DUPLICATE_ID, REJECTED, editNoteWith, noteOn, reasonOf } from '../messages/reasons.js';
import { isOpen } from '../messages/request-acts.js';
import { openAnew } from './open-anew.js';
import { loadAi } from '../sdk/sdk.js';
import { isSearchGated, searchingTool } from './search-gate.js';
import { runOfStep } from './step-runs.js';
import { isSearch } from '../tools/tool-search.js';
import { tellRequest } from './telling.js';
import {
  isAsyncIterable,
  isGenerator,
  isModelOutputOptions,
  isTask,
  withCallId,
  type ExecuteFunction,
  type ExecuteOptions,
} from '../tools/tools.js';

export interface ToolGateOptions {
  name: string;
  tool: Tool;
  gating: Gating;
  entry: InterruptOptions | undefined;
  /** Whether its calls may be asked about, as things are now. */
  isGated: () => boolean;
  asker: CallAsker;
  interruptOn: InterruptOn | undefined;
  /** What the agents that the tool may start inherit. */
  inheritance: InheritedRules;
  /** Those that it has started. */
  children: ChildRuns;
  /** The run that the tools are gated for a part of. */
  parent: ParentRun | undefined;
  /** The run that the user named; without one, the calls of each step are one. */
  runId: string | null;
  gateCalled: GateCalled;
  /** Whether the turn ends at its calls, so that the answers come back in the messages. */
  stops: boolean;
  /** Whether a program calls it, which would take a denial for a result: it is thrown. */
  throwsDenials: boolean;
}

/** What becomes of a call. */
type CallPass =
  /** `note`: what the model is told beside the result. */
  | {
      kind: 'run';
      args: ValueSnapshot;
      approved: CallContext['approved'];
      /** What the verdict rests on, without an approval. */
      confined?: NeededConfinement | undefined;
      note: string | undefined;
    }
  | { kind: 'answer'; output: unknown; note: string | undefined }
  | { kind: 'denial'; denial: ExecutionDenied };

const PLACE = 'gateTools';

type PassFunction = (args: ValueSnapshot, options: ExecuteOptions) => Promise<CallPass>;

export class ToolGate {
  readonly #options: ToolGateOptions;
  /** Within the limits of all that it is a part of. */
  readonly #gating: Gating;
  /** Calls whose result the model gets in another form than the tool's own. */
  readonly #answered = new Set<string>();
  /** Why calls that are about to be executed were not asked about, and do not run. */
  readonly #unasked = new Map<string, UnaskedCall>();
  /** What the model is told beside the result. */
  readonly #notes = new Map<string, string>();
  /** Results of those calls, for frameworks that have nothing but the result. */
  readonly #outputs = new ResultStore();

  constructor(options: ToolGateOptions) {
    this.#options = options;
    const limits = options.inheritance.limitsOf({ toolName: options.name, tool: options.tool });
    const gating = { ...options.gating, ...limits };
    this.#gating = options.stops ? taking(gating, STOP_TAKES) : gating;
  }

  /** The tool with an `execute` that waits for the decision; `undefined` when it has none. */
  waiting(): Tool | undefined {
    const { tool, throwsDenials } = this.#options;
    if (typeof tool.execute !== 'function' && !isCaller(tool)) return undefined;
    if (isSearch(tool)) {
      if (!throwsDenials) return searchingTool(this.#options.name, tool, (body) => this.#function(body, this.#asked));
      // A program calls what the SDK has made of it, which has the function that waits.
      if (isSearchGated(tool)) return tool;
    }
    // Ours decides now: the tool's own `needsApproval` would stop the loop as well.
    const own = tool.needsApproval === undefined ? {} : { needsApproval: false };
    return this.#changed((body) => ({ ...this.#gated(body, this.#asked), ...own }));
  }

  readonly #asked: PassFunction = (args, options) => this.#ask(args, options);

  /** The tool as it is, for calls that need no approval: it knows its caller. */
  known(): Tool {
    return this.#changed((body) => {
      if (body === undefined) return {};
      const execute: ExecuteFunction = (input, given) => this.#callUnasked(body, input, this.#within(input, given));
      return { execute };
    });
  }

  /** This call needs no approval. */
  #callUnasked(body: CallBody, input: unknown, options: ExecuteOptions): unknown {
    options.abortSignal?.throwIfAborted();
    return this.#call(body, input, options, {});
  }

  #changed(change: (body: CallBody | undefined) => Record<string, unknown>): Tool {
    return changedTool(this.#options.tool, change, this.#options.gateCalled);
  }

  /** Calls the tool's own `execute`, which gets to know what it is called by. */
  #call(
    body: CallBody,
    input: unknown,
    options: ExecuteOptions,
    { approved, confined: needed }: Partial<Pick<CallPass & { kind: 'run' }, 'approved' | 'confined'>>,
  ): unknown {
    const { name: toolName, children, inheritance } = this.#options;
    const { toolCallId, abortSignal: signal } = options;
    const confined = heldTo(needed, body.execute, toolName);
    const called = { toolCallId, toolName, approved, confined, signal, options };
    return children.call(called, inheritance, (context) => body.call(input, withCallContext(options, context)));
  }

  /** What ends the parent run ends these calls, even if their loop does not know of it. So does a human who ends the run. */
  #within(input: unknown, given: ExecuteOptions | undefined): ExecuteOptions {
    const options = withCallId(given);
    const { asker, name, parent } = this.#options;
    checkSignal(PLACE, name, options.abortSignal);
    const signals = [options.abortSignal, parent?.signal, asker.human.stopped.signal];
    const called = { ...options, abortSignal: AbortSignal.any(signals.filter((signal) => signal !== undefined)) };
    noteCall(called, { asker, toolName: name, input });
    return called;
  }

  /** The tool for which the SDK ends the turn, with an `execute` that passes only with a decision. */
  stopping(): Tool {
    const needsApproval = (input: unknown, options: ExecuteOptions) => this.#needsApproval(input, options);
    return this.#changed((body) => ({
      ...this.#gated(body, (args, options) => this.#decided(args, options)),
      needsApproval,
    }));
  }

  #gated(body: CallBody | undefined, pass: PassFunction): { execute?: unknown; toModelOutput?: unknown } {
    if (body === undefined) return {};
    return {
      execute: isGenerator(body.execute) ? this.#generator(body, pass) : this.#function(body, pass),
      toModelOutput: (given: unknown) => this.#toModelOutput(given),
    };
  }

  #function(body: CallBody, pass: PassFunction): ExecuteFunction {
    const gated = async (input: unknown, options: ExecuteOptions) => {
      const passed = await this.#pass(input, options, pass);
      if (passed.kind !== 'run') return this.#resultOf(passed, options);
      const result = this.#run(body, passed, options);
      // The SDK has a promise by now and cannot follow a stream: the last value is the result.
      return isAsyncIterable(result) ? lastOf(result) : result;
    };
    return (input, given) => {
      const options = this.#within(input, given);
      const call = () => (this.#mustPass(options) ? gated(input, options) : this.#callUnasked(body, input, options));
      const looked = lookForEnd(this.#options.asker.gate, options);
      return looked === undefined ? call() : looked.then(call);
    };
  }

  #generator(body: CallBody, pass: PassFunction): (input: unknown, options: ExecuteOptions) => AsyncGenerator<unknown> {
    const decide = (input: unknown, options: ExecuteOptions) => this.#pass(input, options, pass);
    const run = (passed: CallPass & { kind: 'run' }, options: ExecuteOptions) => this.#run(body, passed, options);
    const within = (input: unknown, options: ExecuteOptions) => this.#within(input, options);
    const { gate } = this.#options.asker;
    const instead = (passed: Exclude<CallPass, { kind: 'run' }>, options: ExecuteOptions) =>
      this.#resultOf(passed, options);
    const mustPass = (options: ExecuteOptions) => this.#mustPass(options);
    const unasked = (input: unknown, options: ExecuteOptions) => this.#callUnasked(body, input, options);
    return async function* gated(input, given) {
      const options = within(input, given);
      await lookForEnd(gate, options);
      if (!mustPass(options)) return yield* unasked(input, options) as AsyncGenerator<unknown>;
      const passed = await decide(input, options);
      if (passed.kind === 'run') yield* run(passed, options) as AsyncIterable<unknown>;
      else yield instead(passed, options);
    };
  }

  /** Whether this call needs leave: the tool is gated now, the call stands as answered in the messages, or its turn is over. */
  #mustPass(options: ExecuteOptions): boolean {
    const { messages, toolCallId } = options;
    return this.#options.isGated() || isResume(messages, toolCallId) || isEnded(options);
  }

  #run(body: CallBody, passed: CallPass & { kind: 'run' }, options: ExecuteOptions): unknown {
    const { args, approved, note } = passed;
    const call = () => this.#call(body, copyOf(args), options, passed);
    this.#remember(options.toolCallId, note);
    if (approved === undefined) return call();
    const { approvalId } = approved;
    return follow(
      call,
      (outcome) => {
        if (note !== undefined && 'output' in outcome) this.#outputs.add(outcome.output, options.toolCallId);
        return this.#options.asker.gate.settle(approvalId, 'output' in outcome, () =>
          keptResult(this.#options.tool, options.toolCallId, args, outcome),
        );
      },
      note === undefined ? undefined : (error) => new NotedError(error, note),
    );
  }

  #remember(toolCallId: string, note: string | undefined): void {
    if (note === undefined) return;
    forgetOldest(this.#notes);
    this.#notes.set(toolCallId, note);
  }

  #resultOf(passed: Exclude<CallPass, { kind: 'run' }>, { toolCallId }: ExecuteOptions): unknown {
    if (passed.kind === 'denial') {
      const { name, throwsDenials } = this.#options;
      if (throwsDenials) throw new RefusedExecution(`${name} was not run: ${passed.denial.reason ?? 'it was denied.'}`);
      return passed.denial;
    }
    const output = revive(passed.output);
    this.#outputs.add(output, toolCallId);
    return output;
  }

  async #pass(input: unknown, options: ExecuteOptions, pass: PassFunction): Promise<CallPass> {
    options.abortSignal?.throwIfAborted();
    const ended = ofEndedTurn(options);
    if (ended !== undefined) return { kind: 'denial', denial: ended };
    try {
      const passed = await pass(snapshot(input), options);
      // Also after the wait: what was aborted meanwhile must not run.
      if (options.abortSignal?.aborted === true && passed.kind === 'run' && passed.approved !== undefined)
        await this.#options.asker.gate.settle(passed.approved.approvalId, false);
      options.abortSignal?.throwIfAborted();
      if (passed.kind === 'answer') {
        forgetOldest(this.#answered);
        this.#answered.add(options.toolCallId);
        this.#remember(options.toolCallId, passed.note);
      }
      return passed;
    } catch (error) {
      options.abortSignal?.throwIfAborted();
      // What the tool makes of that is no result: the run may go on elsewhere, or not at all.
      const lost = error instanceof RefusedExecution ? error.cause : error;
      if (endsAll(lost)) this.#options.parent?.leave(lost);
      this.#warnFailed(error);
      return denial(reasonOfError(error), 'reject', null);
    }
  }

  // --- waiting ------------------------------------------------------------------------------------------------------

  async #ask(args: ValueSnapshot, options: ExecuteOptions): Promise<CallPass> {
    const { name, asker } = this.#options;
    const { toolCallId, abortSignal = NEVER } = options;
    const usesGrants = grantsOf(options);
    let verdict = await this.#judge(args, options, usesGrants);
    // To judge takes its time, in which a human may end the turn.
    const ended = ofEndedTurn(options);
    if (ended !== undefined) return { kind: 'denial', denial: ended };
    if (verdict.effect === 'allow' && grantsOf(options) !== usesGrants)
      verdict = await this.#judge(args, options, 'only-denials');
    if (verdict.effect === 'allow' && !isByMode(verdict))
      return { kind: 'run', args, approved: undefined, confined: verdict.confined, note: undefined };
    if (verdict.effect === 'deny') return denial(verdict.reason, 'reject', null);
    abortSignal.throwIfAborted();
    const runId = this.#options.runId ?? runOfStep(options);
    const edits = this.#editsOf(options);
    // No grant lets it run once somebody was asked.
    const judgeAgain = () => this.#judge(args, options, 'none');
    const messages = messagesIn(options);
    const question = { ...this.#question(toolCallId, args, verdict, edits), judgeAgain, messages, signal: abortSignal };
    const again = asker.rejections?.reasonFor({ toolName: name, tool: this.#options.tool, args });
    if (again !== undefined) return this.#rejectAgain(question, args, runId, again);
    const asked = await askCall(question, {
      asker,
      runId,
      signal: abortSignal,
      open: (asking) => this.#open(asking, runId),
      opened: async (opened, asks, shown) => {
        const { record } = opened;
        edits.needs = record.needs;
        const isSettled = isByItself(asks, record);
        this.#tell(opened, shown, isSettled || asker.human.isAutomatic);
        withinTurn(asker.gate, opened, options, () => this.#options.parent?.endTurn());
        return { isAnswered: isSettled && (await decideByItself(asker.gate, record)) };
      },
      objection: ({ record, staleness }, { decision, via }, shown) => {
        asker.rejections?.take({ ...record, args: shown.value, contents: 'kept', decision, via });
        return objectionTo(decision, { edits, staleness });
      },
      edits,
      judge: (now) => this.#judge(now, options, 'none'),
    });
    if (asked.kind === 'decided') return this.#carryOut(asked, edits, runId, options);
    return denial(asked.reason, 'reject', asked.kind === 'denied' ? asked.approvalId : null);
  }

  /** What is put to the human. */
  #question(
    toolCallId: string,
    args: ValueSnapshot,
    verdict: CallVerdict,
    edits: CheckedEdits,
  ): CallQuestion & { verdict: CallVerdict } {
    const { name: toolName, tool, inheritance } = this.#options;
    return {
      ...this.#approved,
      toolCallId,
      args,
      gating: this.#gating,
      entry: inheritance.describes({ toolName, tool }),
      verdict,
      checkEdit: (written) => edits.check(written),
    };
  }

  /** A human has rejected the same call before: that stands in the record of this one. */
  async #rejectAgain(question: CallQuestion, args: ValueSnapshot, runId: string, reason: string): Promise<CallPass> {
    const { gate } = this.#options.asker;
    const opened = await this.#open({ ...question, isAnswered: true }, runId);
    const { approvalId } = opened.record;
    this.#tell(opened, args, true);
    await gate.rejectBySystem(approvalId, reason);
    // An approval that came first has approved nothing: this call is over.
    await gate.withdraw(approvalId, reason);
    return denial(reason, 'reject', approvalId);
  }

  async #open(question: CallQuestion, runId: string): Promise<OpenedRequest> {
    // The process that continues the run that this is a part of must find the call that asks.
    await this.#options.parent?.keep();
    try {
      return await openAnew(question, (asking) => this.#options.asker.openAndWait(asking, runId));
    } catch (error) {
      const existing = existingRecord(error);
      if (existing === undefined) throw error;
      const { messages, toolCallId, toolName } = question;
      const isAnswered = isOpen(existing.status) && isResume(messages, toolCallId);
      if (isAnswered) warnOtherMode(PLACE, toolName);
      throw new RefusedExecution(isAnswered ? OTHER_MODE : DUPLICATE_ID);
    }
  }

  /** Tells the run that the tools are gated for a part of. */
  #tell(opened: Pick<OpenedRequest, 'record' | 'decided'>, args: ValueSnapshot, isAutomatic: boolean): void {
    const { asker, parent } = this.#options;
    if (parent !== undefined) tellRequest(asker.gate, opened, args, isAutomatic, (event) => void parent.tell(event));
  }

  async #carryOut(
    { decided: record, args: asked, isEdited }: AskOutcome & { kind: 'decided' },
    edits: CheckedEdits,
    runId: string,
    options: ExecuteOptions,
  ): Promise<CallPass> {
    const { decision, via, approvalId } = record;
    const { toolCallId } = options;
    if (isTurnEnd(decision)) return denial(reasonOf(decision) ?? REJECTED, decision.type, approvalId, true);
    const ended = ofEndedTurn(options, approvalId);
    if (ended !== undefined) {
      if (isApproval(decision)) await this.#options.asker.gate.revoke(approvalId, ended.reason);
      return { kind: 'denial', denial: ended };
    }
    if (decision.type === 'respond')
      return { kind: 'answer', output: decision.output, note: noteFor(decision, via, asked, isEdited) };
    if (!isApproval(decision)) return denial(reasonOf(decision) ?? REJECTED, decision.type, approvalId);
    const args = decision.type === 'edit' ? edits.checked(decision.args)?.args : asked;
    if (args === undefined)
      return denial('The edited arguments were not checked against the tool.', 'cancelled', approvalId);
    await redeemOrRefuse(this.#options.asker, runId, { ...this.#approved, toolCallId, args });
    const edited = this.#options.asker.editedFiles(toolCallId, () => args);
    return { kind: 'run', args, approved: approvedBy(record, edited), note: noteFor(decision, via, args, isEdited) };
  }

  // --- stopping -----------------------------------------------------------------------------------------------------

  async #needsApproval(input: unknown, options: ExecuteOptions): Promise<boolean> {
    const { toolCallId } = options;
    // Asked again on the way to the execution, which looks for the decision itself.
    if (isResume(options['messages'], toolCallId)) return true;
    if (!this.#options.isGated()) return false;
    try {
      checkSignal(PLACE, this.#options.name, options.abortSignal);
      const args = snapshot(input);
      // The execution follows at once and is judged by itself: a grant for a number of calls is used there, or by a denial here.
      const verdict = await this.#judge(args, options, 'denials');
      if (verdict.effect === 'allow' && !isByMode(verdict)) return false;
      // What the mode approves the execution, which comes at once, looks up.
      const isApproved = await this.#openStopped(args, options, verdict);
      return verdict.effect === 'deny' ? this.#leaveUnasked(toolCallId, input, verdict.reason) : !isApproved;
    } catch (error) {
      const existing = existingRecord(error);
      if (existing !== undefined && !(isOpen(existing.status) && this.#isAbout(existing, input))) {
        // No answer could count, or it would count for another call.
        return this.#leaveUnasked(toolCallId, input, DUPLICATE_ID);
      }
      if (existing !== undefined) return true;
      // Unknown to the gate, it cannot be answered.
      this.#warnFailed(error);
      return this.#leaveUnasked(toolCallId, input, reasonOfError(error));
    }
  }

  /**
   * The execution, which comes at once, denies the call. Where somebody else executes the tool, such as a browser, nothing here would:
   * the SDK asks, and no answer counts.
   *
   * @returns whether the SDK is to ask
   */
  #leaveUnasked(toolCallId: string, input: unknown, why: string): boolean {
    const { tool } = this.#options;
    if (typeof tool.execute !== 'function' && !isCaller(tool)) {
      warnUnanswerable(PLACE, this.#options.name, why);
      return true;
    }
    this.#unasked.delete(toolCallId);
    this.#unasked.set(toolCallId, { why, digest: digestOrNone(input) });
    // A call may be aborted before it is executed.
    const [oldest] = this.#unasked.keys();
    if (this.#unasked.size > REMEMBERED_UNASKED && oldest !== undefined) this.#unasked.delete(oldest);
    return false;
  }

  #warnFailed(error: unknown): void {
    // A run that the tools are a part of ends by it, and says so.
    const lost = error instanceof RefusedExecution ? error.cause : error;
    if (this.#options.parent === undefined || !endsAll(lost)) warnFailedCall(PLACE, this.#options.name, error);
  }

  /**
   * Makes the request of a call without a waiting caller, and decides it where no human is needed.
   *
   * @returns whether the mode or a reviewer has approved it
   */
  async #openStopped(args: ValueSnapshot, options: ExecuteOptions, verdict: CallVerdict): Promise<boolean> {
    const { asker } = this.#options;
    const runId = this.#options.runId ?? unnamedRun();
    const edits = this.#editsOf(options);
    const question = this.#question(options.toolCallId, args, verdict, edits);
    const asked = { ...question, messages: messagesIn(options) };
    const record = await openAnew(asked, (asking) => asker.open(asking, runId));
    const { approvalId } = record;
    edits.needs = record.needs;
    if (verdict.effect === 'deny') await asker.gate.rejectBySystem(approvalId, verdict.reason);
    const isSettled = isByItself(verdict, record) && (await decideByItself(asker.gate, record));
    return isSettled && record.review?.answer !== 'reject';
  }

  /** With the decision that the gate has by now. */
  async #decided(args: ValueSnapshot, options: ExecuteOptions): Promise<CallPass> {
    const { asker, runId } = this.#options;
    const { toolCallId } = options;
    const unasked = this.#unasked.get(toolCallId);
    if (unasked !== undefined && (unasked.digest === undefined || unasked.digest === digestOf(args))) {
      this.#unasked.delete(toolCallId);
      return denial(unasked.why, 'reject', null);
    }
    let known = await this.#known(toolCallId);
    if (known.length === 0) {
      // It never passed `needsApproval`, as in the loop of another framework.
      const isAnswered = isResume(options['messages'], toolCallId);
      if (isAnswered) await this.#warnOtherRun(toolCallId, args);
      const verdict = isAnswered ? undefined : await this.#judge(args, options);
      if (verdict?.effect !== 'allow') return denial('No approval of this call is known here.', 'reject', null);
      if (!isByMode(verdict))
        return { kind: 'run', args, approved: undefined, confined: verdict.confined, note: undefined };
      await this.#openStopped(args, options, verdict);
      known = await this.#known(toolCallId);
    }
    const stale = await asker.takeBackStale(known);
    if (stale !== undefined) return denial(`${stale} Call it again to be asked again.`, 'cancelled', null);
    const objection = await this.#takeBackUnfit(known, options);
    if (objection !== undefined) return denial(`${objection} Call it again to be asked again.`, 'cancelled', null);
    const redeemed = { ...this.#approved, toolCallId, args, signal: options.abortSignal };
    const { approvalId } = await redeemOrRefuse(asker, runId, redeemed);
    const record = known.find((each) => each.approvalId === approvalId);
    const note = record?.decision ? noteFor(record.decision, record.via, args) : undefined;
    const approved =
      record === undefined
        ? { approvalId, changes: [], byHuman: false }
        : approvedBy(
            record,
            asker.editedFiles(toolCallId, () => args),
          );
    return { kind: 'run', args, approved, note };
  }

  #warnOtherRun(toolCallId: string, args: ValueSnapshot): Promise<void> {
    const { gate } = this.#options.asker;
    return warnOtherRun(PLACE, gate, toolCallId, (record) => this.#isAbout(record, args.value));
  }

  /** Whether a request is about this call of the tool. */
  #isAbout(record: ApprovalRecord, input: unknown): boolean {
    const { name: toolName, asker } = this.#options;
    return isAbout(asker.gate, record, { toolName, input });
  }

  /** The requests of a call of this tool. */
  async #known(toolCallId: string): Promise<ApprovalRecord[]> {
    const { name, asker, runId } = this.#options;
    return (await asker.gate.find(runId, toolCallId)).filter(({ toolName }) => toolName === name);
  }

  /** Edits may have been decided where the tool is not known: what does not fit it is taken back. Says why. */
  async #takeBackUnfit(records: readonly ApprovalRecord[], options: ExecuteOptions): Promise<string | undefined> {
    for (const record of records) {
      const { approvalId, status, decision, needs } = record;
      if (status !== 'edited' || decision?.type !== 'edit') continue;
      const edits = this.#editsOf(options);
      edits.needs = needs;
      const { toolCallId } = options;
      const staleness = async (edit?: CheckedEdit) =>
        edit && this.#options.asker.editStaleness(record, { ...this.#approved, toolCallId, args: edit.args }, edit);
      const objection = await objectionTo(decision, { edits, staleness });
      if (objection === undefined) continue;
      await this.#options.asker.gate.revoke(approvalId, objection);
      return objection;
    }
    return undefined;
  }

  /** What an edit of this call must pass. */
  #editsOf(options: ExecuteOptions): CheckedEdits {
    const { name, tool, asker } = this.#options;
    const { toolCallId } = options;
    const edited = { toolName: name, inputSchema: tool.inputSchema, ai: loadAi };
    return new CheckedEdits({
      toolName: name,
      parse: (written) => parseEdit(edited, written),
      judge: (args) => this.#judge(args, options, 'none'),
      bound: (args) => asker.boundEdit({ ...this.#approved, toolCallId, args, signal: options.abortSignal }),
    });
  }

  /** What an approval of its calls is for. */
  get #approved(): ApprovedTool {
    const { name, tool } = this.#options;
    return approvedTool(name, tool);
  }

  #judge(args: ValueSnapshot, options: ExecuteOptions, usesGrants: GrantUse = 'all'): Promise<CallVerdict> {
    const { name, tool, entry, asker, interruptOn, parent } = this.#options;
    const inherited = parent?.inheritance;
    const { toolCallId, abortSignal, ...context } = options;
    const call = { toolCallId, toolName: name, args, context };
    return asker.judge(call, {
      gating: this.#gating,
      entry,
      tool,
      hostJudges: [],
      startsAgents: isTask(tool),
      runner: runnerOf(tool.execute),
      usesGrants,
      signal: abortSignal,
      ...(inherited === undefined
        ? {}
        : { inherited: (judged) => inherited.opinionsOn(judged, tool, abortSignal, interruptOn) }),
    });
  }

  /** @param given as the AI SDK calls it; other frameworks pass what the tool gave, and nothing else */
  async #toModelOutput(given: unknown): Promise<ModelOutput> {
    const isSdks = isModelOutputOptions(given);
    const output = isSdks ? given.output : given;
    if (isExecutionDenied(output)) return deniedOutput(this.#options.asker.gate, output);
    const toolCallId = isSdks ? given.toolCallId : this.#outputs.callOf(output);
    const { tool } = this.#options;
    // What a human answered has not the shape that the tool's own function expects.
    const isPlain = (toolCallId !== undefined && this.#answered.has(toolCallId)) || tool.toModelOutput === undefined;
    const shown = isPlain ? modelOutput(output) : ((await tool.toModelOutput?.(given as never)) as ModelOutput);
    const note = toolCallId === undefined ? undefined : this.#notes.get(toolCallId);
    return note === undefined ? shown : withNote(shown, note);
  }
}

/** The messages of a loop that is not ours keep the arguments that the model wrote: it is told those that ran. */
const noteFor = (
  decision: DecisionOutcome,
  via: DecidedVia | null,
  args: ValueSnapshot,
  wasEdited = false,
): string | undefined =>
  noteOn(decision, via, { editNote: editNoteWith(args.json), isEdited: wasEdited || decision.type === 'edit' });

/** The next turn runs a call or does not: what a human answers in its place has nowhere to go. */
const STOP_TAKES: DecisionType[] = ['approve', 'edit', 'reject', 'skip'];

const OTHER_MODE =
  'It was approved in the messages, and these tools wait for an answer of their own: it did not run. Call the tool again to be asked again.';

/** A call that is denied when it is executed. */
interface UnaskedCall {
  readonly why: string;
  /** Of its input, which tells calls of one id apart; `undefined`: it has none. */
  readonly digest: string | undefined;
}

const REMEMBERED_UNASKED = 1_000;

const NEVER = new AbortController().signal;

/** In doubt whether its turn is over, a call is asked about. */
const grantsOf = (options: ExecuteOptions): GrantUse => (turnOf(options) === 'unclear' ? 'only-denials' : 'all');

/** Results and their calls. A framework may ask what the model gets for a result without naming the call. */
class ResultStore {
  readonly #calls: { output: unknown; toolCallId: string }[] = [];

  add(output: unknown, toolCallId: string): void {
    this.#calls.push({ output, toolCallId });
    if (this.#calls.length > HELD) this.#calls.shift();
  }

  callOf(output: unknown): string | undefined {
    return this.#calls.findLast((call) => Object.is(call.output, output))?.toolCallId;
  }
}

/** They may be large. */
const HELD = 20;

/** Calls whose results are remembered per tool: the SDK asks for them right after the call, a chat perhaps again later. */
const REMEMBERED = 1_000;

function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (kept.size >= REMEMBERED && oldest !== undefined) kept.delete(oldest);
}

function denial(...parts: Parameters<typeof denied>): CallPass {
  return { kind: 'denial', denial: denied(...parts) };
}
