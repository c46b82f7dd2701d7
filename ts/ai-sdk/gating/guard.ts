/**
 * What is known of the calls of a run: whether they may run, what is said of them, what humans saw. The guard, not the message
 * history, knows what may run. The tools that ask it are in `guarded-tools.ts`.
 */
import type { Tool, ToolSet } from 'ai';
import type { ApprovalRecord, InterruptOn, InterruptOptions, Question } from '../../../index.js';
import { messageOf } from '../../errors/message-of.js';
import type { CallAsker } from '../../gate/asker.js';
import { runnerOf } from '../../gate/confined-runner.js';
import { asksByNow, isByMode, isByName, type CallVerdict, type GrantUse } from '../../gate/judge.js';
import type { Gating, InterruptPlan } from '../../native.js';
import type { CallableTool } from '../../policy/foreign.js';
import { copyOf, snapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { stillAsked } from '../../gate/ask-call.js';
import type { CalledTool, CallContext } from '../tools/call-context.js';
import type { ExecutionOutcome } from './follow.js';
import type { HostJudges } from '../tools/host-judge.js';
import { InheritedRules } from '../tools/inheritance.js';
import { isQuestionTool, questionsIn } from '../tools/questions.js';
import { DUPLICATE_ID } from '../messages/reasons.js';
import { RunSearches } from '../tools/tool-search.js';
import { entryOf, isTask, ownTool } from '../tools/tools.js';

/** What the guard knows of one call. */
export interface GuardedCall {
  args: ValueSnapshot;
  /** What the SDK told `needsApproval` beside the arguments. */
  context: Record<string, unknown>;
  /** `undefined` while a predicate is thinking. */
  verdict: CallVerdict | undefined;
  /** What it asks the human, where it runs nothing. */
  questions?: readonly Question[] | undefined;
}

/** An execution that the guard let through because a human allowed it. */
export interface GuardedExecution {
  toolCallId: string;
  toolName: string;
  args: unknown;
  outcome: ExecutionOutcome;
}

export interface GuardOptions {
  tools: ToolSet;
  /** Of these, those that are given to the SDK. */
  makeTools: (guard: CallGuard, options: GuardOptions) => ToolSet;
  plan: InterruptPlan;
  interruptOn: InterruptOn | undefined;
  asker: CallAsker;
  hostJudges?: HostJudges | undefined;
  signal: AbortSignal | undefined;
  /** Of the run that this one is a part of. */
  inherited?: InheritedRules | undefined;
  /** Calls an `execute`, which finds the context in its options. */
  call: (call: CalledTool, execute: (context: CallContext) => unknown) => unknown;
  /** Tools whose calls pass the guard even if they no longer need to: a run that is continued has asked about them. */
  alsoGuarded?: ReadonlySet<string> | undefined;
  /** `experimental_toolCallers` of the run: which tools call which others. */
  toolCallers?: unknown;
  onExecuted?: (executed: GuardedExecution) => void;
  /** The gate or its ledger is gone, which was found when a call was about to run. */
  onLost?: (error: unknown) => void;
}

export class CallGuard {
  /** The tools to give to the SDK. */
  readonly tools: ToolSet;
  readonly #options: GuardOptions;
  readonly #gatings: Map<string, Gating>;
  readonly #calls = new Map<string, GuardedCall>();
  readonly #answered = new Map<string, string | undefined>();
  /** What humans saw of the calls that they were asked about. */
  readonly #shown = new Map<string, ApprovalRecord>();
  /** What the model has found with `toolSearch`. */
  readonly searches: RunSearches;
  /** What the runs that are a part of this one inherit. */
  readonly inheritance: InheritedRules;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#gatings = new Map(options.plan.tools);
    this.inheritance = new InheritedRules({
      ...options,
      inherited: options.inherited,
      approvalTimeout: options.asker.approvalTimeout,
    });
    this.searches = new RunSearches(options.tools, options.toolCallers);
    this.tools = options.makeTools(this, options);
  }

  /** Whether any call of any tool may need a human. */
  get guardsAnything(): boolean {
    return [...this.#gatings.keys()].some((name) => this.guards(name));
  }

  /** Whether calls of this tool pass the guard as things are now: the mode of the gate may change at any time. */
  guards(toolName: string): boolean {
    return (this.#options.alsoGuarded?.has(toolName) === true && this.#gatings.has(toolName)) || this.asks(toolName);
  }

  /** Whether a new call of this tool may be asked about as things are now. */
  asks(toolName: string): boolean {
    const gating = this.#gatings.get(toolName);
    if (gating === undefined) return false;
    if (this.#asksHuman(toolName)) return true;
    const { asker, hostJudges, inherited } = this.#options;
    const called = this.#callable(toolName);
    if (asker.judgesAll || inherited?.mayAskAbout(called) === true) return true;
    if (gating.action !== 'allow' || asksByNow(gating, called.tool)) return true;
    return (hostJudges?.(called) ?? []).length > 0;
  }

  /** Whether it may come to that calls of this tool are asked about: anything but its own entry may come to say so. */
  mayGuard(toolName: string): boolean {
    const gating = this.#gatings.get(toolName);
    return this.#options.asker.mayJudgeAll || (gating !== undefined && !isByName(gating));
  }

  /** An explicit `false` wins over the tool's own `needsApproval`. */
  mustLoosen(toolName: string): boolean {
    const gating = this.#gatings.get(toolName);
    const isAllowed = gating?.action === 'allow' && isByName(gating);
    return isAllowed && Boolean(ownTool(this.#options.tools, toolName)?.needsApproval);
  }

  /** How calls of this tool are asked about. */
  gatingOf(toolName: string): Gating | undefined {
    const gating = this.#gatings.get(toolName);
    if (gating === undefined || this.#options.inherited === undefined) return gating;
    return { ...gating, ...this.inheritance.limitsOf(this.#callable(toolName)) };
  }

  /** The entry that describes calls of this tool to the human. */
  describes(toolName: string): InterruptOptions | undefined {
    return this.inheritance.describes(this.#callable(toolName));
  }

  #callable(toolName: string): CallableTool {
    return { toolName, tool: this.toolOf(toolName) };
  }

  /** The tool as it was given. */
  toolOf(toolName: string): Tool | undefined {
    return ownTool(this.#options.tools, toolName);
  }

  /** A human is shown this call, or has decided about it. */
  showed(record: ApprovalRecord): void {
    this.#shown.set(record.toolCallId, record);
  }

  /** What a human saw of this call. */
  shown(toolCallId: string): ApprovalRecord | undefined {
    return this.#shown.get(toolCallId);
  }

  entryOf(toolName: string): InterruptOptions | undefined {
    return entryOf(this.#options.interruptOn, this.#gatings.get(toolName)?.entry ?? null);
  }

  call(toolCallId: string): GuardedCall | undefined {
    return this.#calls.get(toolCallId);
  }

  /** A call that was made before the run was continued here: it runs only on an approval of its own. */
  restore(toolCallId: string, args: ValueSnapshot, context: Record<string, unknown>, toolName?: string): void {
    const call: GuardedCall = { args, context, verdict: { effect: 'ask', floor: true } };
    if (toolName !== undefined && this.#asksHuman(toolName)) this.#readQuestions(call, toolName);
    this.#calls.set(toolCallId, call);
  }

  #asksHuman(toolName: string): boolean {
    return isQuestionTool(ownTool(this.#options.tools, toolName));
  }

  /** Whether its arguments are questions. If not, no human is asked, and its execution says why. */
  #readQuestions(call: GuardedCall, toolName: string): boolean {
    try {
      call.questions = questionsIn(ownTool(this.#options.tools, toolName), copyOf(call.args));
      return true;
    } catch (error) {
      call.verdict = { effect: 'deny', reason: messageOf(error) };
      return false;
    }
  }

  /**
   * The verdict now for a call that needed no approval and was cut off: an `allow` lets it run again.
   */
  async judgeRerun(toolCallId: string, toolName: string, args: ValueSnapshot): Promise<CallVerdict> {
    if (!this.guards(toolName)) return { effect: 'allow' };
    const verdict = await this.#judge(toolCallId, toolName, args, this.#calls.get(toolCallId)?.context ?? {});
    const call = this.#calls.get(toolCallId);
    // It gets no second approval, not from the mode either.
    if (call !== undefined) call.verdict = isByMode(verdict) ? { effect: 'allow', said: verdict.said } : verdict;
    return verdict;
  }

  /** The answer of this call is in the messages: the SDK may ask again whether it needed one. */
  markAnswered(toolCallId: string, note?: string): void {
    this.#answered.set(toolCallId, note);
  }

  /** What the model is told beside what comes of this call. */
  noteOn(toolCallId: string): string | undefined {
    return this.#answered.get(toolCallId);
  }

  isAnswered(toolCallId: string): boolean {
    return this.#answered.has(toolCallId);
  }

  /** What the configuration says about arguments that a human wrote. */
  async judgeEdit(toolCallId: string, toolName: string, args: ValueSnapshot): Promise<CallVerdict> {
    return this.#judge(toolCallId, toolName, args, this.#calls.get(toolCallId)?.context ?? {}, { usesGrants: 'none' });
  }

  /** What everything says now about a call that was approved before. */
  async judgeAgain(toolCallId: string, toolName: string, args: ValueSnapshot): Promise<CallVerdict> {
    const call = this.#calls.get(toolCallId);
    const isUnreadable = this.#asksHuman(toolName) && call?.questions === undefined;
    if (isUnreadable) return { effect: 'deny', reason: 'Its arguments are not questions.' };
    // No grant lets it run.
    const verdict = await this.#judge(toolCallId, toolName, args, call?.context ?? {}, { usesGrants: 'none' });
    if (call !== undefined) call.verdict = stillAsked(verdict);
    return verdict;
  }

  async needsApproval(toolName: string, input: unknown, options: { toolCallId: string }): Promise<boolean> {
    const { toolCallId } = options;
    // AI SDK 6 denies an approved call whose tool says at the resume that it needs no approval.
    if (this.isAnswered(toolCallId)) return true;
    const verdict = await this.judgeNew(toolCallId, toolName, input, { ...options });
    // What a mode approves is approved as a human would have done it: it is told, and it is once.
    return verdict.effect !== 'allow' || isByMode(verdict);
  }

  /** What everything says about a call that was not seen before. */
  async judgeNew(
    toolCallId: string,
    toolName: string,
    input: unknown,
    context: Record<string, unknown>,
  ): Promise<CallVerdict> {
    if (this.#calls.has(toolCallId)) return { effect: 'deny', reason: DUPLICATE_ID };
    let args: ValueSnapshot;
    try {
      args = snapshot(input);
    } catch {
      // It cannot be shown: the run denies it when the request is made.
      return { effect: 'ask' };
    }
    const call: GuardedCall = { args, context, verdict: undefined };
    this.#calls.set(toolCallId, call);
    if (this.#asksHuman(toolName) && !this.#readQuestions(call, toolName)) return (call.verdict = { effect: 'allow' });
    call.verdict = await this.#judge(toolCallId, toolName, args, context, { isKept: true });
    return call.verdict;
  }

  #judge(
    toolCallId: string,
    toolName: string,
    args: ValueSnapshot,
    context: Record<string, unknown>,
    { isKept = false, usesGrants }: { isKept?: boolean; usesGrants?: GrantUse } = {},
  ): Promise<CallVerdict> {
    const { tools, asker, interruptOn, hostJudges, signal, inherited } = this.#options;
    const gating = this.gatingOf(toolName) ?? ASK;
    const tool = ownTool(tools, toolName);
    return asker.judge(
      { toolCallId, toolName, args, context },
      {
        gating,
        entry: this.entryOf(toolName),
        tool,
        hostJudges: hostJudges?.({ toolName, tool }) ?? [],
        signal,
        ...(inherited === undefined
          ? {}
          : { inherited: (judged) => inherited.opinionsOn(judged, tool, signal, interruptOn) }),
        isQuestion: this.#asksHuman(toolName),
        startsAgents: isTask(tool),
        runner: runnerOf(tool?.execute),
        usesGrants,
      },
      isKept,
    );
  }
}

/** For a tool that the plan does not know: it is asked about, and shown whole. */
export const ASK: Gating = { action: 'ask', entry: null, allowedDecisions: null, timeout: null, changesFile: true };
