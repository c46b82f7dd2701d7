/**
 * The tools of a run with a guard on each that may be asked about: the SDK asks it whether a call needs approval, and every
 * execution passes it. The guard, not the message history, knows what may run.
 */
import type { Tool, ToolSet } from 'ai';
import type { ApprovalRecord, InterruptOn, InterruptOptions, Question } from '../../index.js';
import { RefusedByCore } from '../errors/from-native.js';
import { LedgerError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import type { Asker } from '../gate/asker.js';
import type { HostJudge, Verdict } from '../gate/judge.js';
import type { Claim, Gating, InterruptPlan } from '../native.js';
import { after, attempt, isLater, type Awaitable } from '../values/awaitable.js';
import { copyOf, snapshot, trySnapshot, type Snapshot } from '../values/snapshot.js';
import { withCallContext, type CallContext } from './call-context.js';
import { follow, lastLater, noted, Refused, streamLater, type Outcome } from './follow.js';
import { isQuestionTool, questionsIn } from './questions.js';
import { DUPLICATE_ID } from './reasons.js';
import { Inheritance } from './inheritance.js';
import { keptResult } from './kept-result.js';
import {
  copyTool,
  define,
  entryOf,
  executes,
  isGenerator,
  isTask,
  ownTool,
  type Execute,
  type ExecuteOptions,
} from './tools.js';

/** What the guard knows of one call. */
export interface GuardedCall {
  args: Snapshot;
  /** What the SDK told `needsApproval` beside the arguments. */
  context: Record<string, unknown>;
  /** `undefined` while a predicate is thinking. */
  verdict: Verdict | undefined;
  /** What it asks the human, where it runs nothing. */
  questions?: readonly Question[] | undefined;
}

/** An execution that the guard let through because a human allowed it. */
export interface Executed {
  toolCallId: string;
  toolName: string;
  args: unknown;
  outcome: Outcome;
}

/** A call that is about to run. */
export type CalledTool = Pick<CallContext, 'toolCallId' | 'approved'> & {
  toolName: string;
  signal: AbortSignal | undefined;
};

export interface GuardOptions {
  tools: ToolSet;
  plan: InterruptPlan;
  interruptOn: InterruptOn | undefined;
  asker: Asker;
  hostJudge?: HostJudge | undefined;
  /** Whether the host judge has a say about this tool. */
  hostJudges?: (toolName: string) => boolean;
  signal: AbortSignal | undefined;
  /** Of the run that this one is a part of. */
  inherited?: Inheritance | undefined;
  /** Calls an `execute`, which finds the context in its options. */
  call: (call: CalledTool, execute: (context: CallContext) => unknown) => unknown;
  /** Tools whose calls pass the guard whatever is configured now: a run that is continued has asked about them. */
  alsoGuarded?: ReadonlySet<string> | undefined;
  onExecuted?: (executed: Executed) => void;
}

export class Guard {
  /** The tools to give to the SDK. */
  readonly tools: ToolSet;
  readonly #options: GuardOptions;
  readonly #gatings: Map<string, Gating>;
  readonly #calls = new Map<string, GuardedCall>();
  readonly #answered = new Set<string>();
  /** What humans saw of the calls that they were asked about. */
  readonly #shown = new Map<string, ApprovalRecord>();
  /** What the runs that are a part of this one inherit. */
  readonly inheritance: Inheritance;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#gatings = new Map(options.plan.tools);
    this.inheritance = new Inheritance({
      ...options,
      inherited: options.inherited,
      approvalTimeout: options.asker.approvalTimeout,
    });
    this.tools = this.#wrap(options.tools);
  }

  /** Whether any call of any tool may need a human. */
  get guardsAnything(): boolean {
    return [...this.#gatings.keys()].some((name) => this.guards(name));
  }

  guards(toolName: string): boolean {
    const gating = this.#gatings.get(toolName);
    if (gating === undefined) return false;
    if (this.#asksHuman(toolName)) return true;
    const { asker, alsoGuarded, hostJudges, inherited } = this.#options;
    if (asker.judgesAll || alsoGuarded?.has(toolName) === true || inherited?.mayAskAbout(toolName) === true)
      return true;
    return gating.action !== 'allow' || (gating.entry !== toolName && hostJudges?.(toolName) === true);
  }

  /** How calls of this tool are asked about. */
  gatingOf(toolName: string): Gating | undefined {
    const gating = this.#gatings.get(toolName);
    if (gating === undefined || this.#options.inherited === undefined) return gating;
    return { ...gating, ...this.inheritance.limitsOf(toolName) };
  }

  /** The entry that describes calls of this tool to the human. */
  describes(toolName: string): InterruptOptions | undefined {
    return this.inheritance.describes(toolName);
  }

  /** A human is shown this call. */
  showed(record: ApprovalRecord): void {
    this.#shown.set(record.toolCallId, record);
  }

  entryOf(toolName: string): InterruptOptions | undefined {
    return entryOf(this.#options.interruptOn, this.#gatings.get(toolName)?.entry ?? null);
  }

  call(toolCallId: string): GuardedCall | undefined {
    return this.#calls.get(toolCallId);
  }

  /** A call that was made before the run was continued here: it runs only on an approval of its own. */
  restore(toolCallId: string, args: Snapshot, context: Record<string, unknown>, toolName?: string): void {
    const call: GuardedCall = { args, context, verdict: { effect: 'ask', floor: true } };
    if (toolName !== undefined && this.#asksHuman(toolName)) this.#readQuestions(call, toolName);
    this.#calls.set(toolCallId, call);
  }

  #asksHuman(toolName: string): boolean {
    return isQuestionTool(ownTool(this.#options.tools, toolName));
  }

  /** Whether its arguments are questions. If not, its execution says why not, and nobody is asked. */
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
   * What everything says now of a call that nobody had to approve and that was cut off: an `allow` lets it run again.
   */
  async judgeRerun(toolCallId: string, toolName: string, args: Snapshot): Promise<Verdict> {
    if (!this.guards(toolName)) return { effect: 'allow' };
    const verdict = await this.#judge(toolCallId, toolName, args, this.#calls.get(toolCallId)?.context ?? {});
    const call = this.#calls.get(toolCallId);
    if (call !== undefined) call.verdict = verdict;
    return verdict;
  }

  /** The answer of this call is in the messages: the SDK may ask again whether it needed one. */
  markAnswered(toolCallId: string): void {
    this.#answered.add(toolCallId);
  }

  /** What the configuration says about arguments that a human wrote. */
  async judgeEdit(toolCallId: string, toolName: string, args: Snapshot): Promise<Verdict> {
    return this.#judge(toolCallId, toolName, args, this.#calls.get(toolCallId)?.context ?? {});
  }

  /** What everything says now about a call that was approved before. */
  async judgeAgain(toolCallId: string, toolName: string, args: Snapshot): Promise<Verdict> {
    const call = this.#calls.get(toolCallId);
    const isUnreadable = this.#asksHuman(toolName) && call?.questions === undefined;
    if (isUnreadable) return { effect: 'deny', reason: 'Its arguments are not questions.' };
    const verdict = await this.#judge(toolCallId, toolName, args, call?.context ?? {});
    // What a human was asked about goes on being asked about: nothing may run on an approval that was taken back.
    if (call !== undefined) call.verdict = verdict.effect === 'allow' ? { effect: 'ask', floor: true } : verdict;
    return verdict;
  }

  async needsApproval(toolName: string, input: unknown, options: { toolCallId: string }): Promise<boolean> {
    const { toolCallId } = options;
    // AI SDK 6 denies an approved call whose tool says at the resume that it needs no approval.
    if (this.#answered.has(toolCallId)) return true;
    const verdict = await this.#verdictOn(toolCallId, toolName, input, { ...options });
    return verdict.effect !== 'allow';
  }

  async #verdictOn(
    toolCallId: string,
    toolName: string,
    input: unknown,
    context: Record<string, unknown>,
  ): Promise<Verdict> {
    if (this.#calls.has(toolCallId)) return { effect: 'deny', reason: DUPLICATE_ID };
    let args: Snapshot;
    try {
      args = snapshot(input);
    } catch {
      // It cannot be shown: the run denies it when the request is made.
      return { effect: 'ask' };
    }
    const call: GuardedCall = { args, context, verdict: undefined };
    this.#calls.set(toolCallId, call);
    if (this.#asksHuman(toolName) && !this.#readQuestions(call, toolName)) return (call.verdict = { effect: 'allow' });
    call.verdict = await this.#judge(toolCallId, toolName, args, context);
    return call.verdict;
  }

  #judge(toolCallId: string, toolName: string, args: Snapshot, context: Record<string, unknown>): Promise<Verdict> {
    const { tools, asker, interruptOn, hostJudge, hostJudges, signal, inherited } = this.#options;
    const gating = this.#gatings.get(toolName) ?? ASK;
    return asker.judge(
      { toolCallId, toolName, args, context },
      {
        gating,
        entry: this.entryOf(toolName),
        tool: ownTool(tools, toolName),
        hostJudge: hostJudges?.(toolName) === true ? hostJudge : undefined,
        signal,
        ...(inherited === undefined ? {} : { inherited: (judged) => inherited.verdictOn(judged, signal, interruptOn) }),
        isQuestion: this.#asksHuman(toolName),
        startsAgents: isTask(ownTool(tools, toolName)),
      },
    );
  }

  #wrap(tools: ToolSet): ToolSet {
    // By the plan, which knows the names that are not enumerable too: a model may call what it was not offered.
    const names = [...this.#gatings.keys()].filter(
      (name) => this.guards(name) || this.#mustLoosen(tools, name) || executes(tools, name),
    );
    if (names.length === 0) return tools;
    // Without a prototype, a tool that is only inherited cannot be called past the guard.
    const wrapped = Object.create(null, Object.getOwnPropertyDescriptors(tools)) as ToolSet;
    for (const name of names) define(wrapped, name, this.#wrapTool(name, ownTool(tools, name) as Tool));
    return wrapped;
  }

  /** An explicit `false` wins over the tool's own `needsApproval`. */
  #mustLoosen(tools: ToolSet, name: string): boolean {
    const gating = this.#gatings.get(name);
    return gating?.action === 'allow' && gating.entry === name && Boolean(ownTool(tools, name)?.needsApproval);
  }

  #wrapTool(name: string, tool: Tool): Tool {
    if (!this.guards(name)) return copyTool(tool, this.#unguarded(name, tool));
    const changes: Record<string, unknown> = {
      needsApproval: (input: unknown, options: { toolCallId: string }) => this.needsApproval(name, input, options),
    };
    const { execute } = tool;
    // It has nothing to run: the answer is its result.
    if (isQuestionTool(tool)) changes['execute'] = (input: unknown) => notAsked(tool, input);
    else if (typeof execute === 'function') {
      // Called on the tool itself: a method of a class may need its private fields.
      const original = this.#original(name, tool, execute);
      const later = isGenerator(execute) ? streamLater : lastLater;
      changes['execute'] = (input: unknown, options: ExecuteOptions) => {
        const run = this.#mayRun(name, original, input, options);
        return isLater(run) ? later(run) : run();
      };
    }
    return copyTool(tool, changes);
  }

  /** The tool's own `execute`, which gets the context of the call. */
  #original(toolName: string, tool: Tool, execute: unknown): Execute {
    return (input, options) => {
      const { toolCallId, abortSignal: signal } = options;
      const record = this.#shown.get(toolCallId);
      const approved = record && { approvalId: record.approvalId, changes: record.changes };
      return this.#options.call({ toolCallId, toolName, approved, signal }, (context) =>
        Reflect.apply(execute as Execute, tool, [input, withCallContext(options, context)]),
      );
    };
  }

  /** Nobody is asked, but after an abort it does not start: the SDK would run it all the same. */
  #unguarded(name: string, tool: Tool): Record<string, unknown> {
    const { execute } = tool;
    const loose = isTask(tool)
      ? { needsApproval: this.#isRerun }
      : this.#mustLoosen(this.#options.tools, name)
        ? { needsApproval: false }
        : {};
    if (typeof execute !== 'function') return loose;
    const run = this.#original(name, tool, execute);
    const original: Execute = (input, options) => {
      this.#throwIfAborted(options);
      return run(input, options);
    };
    if (!this.#options.asker.gate.lasts) return { ...loose, execute: original };
    const later = isGenerator(execute) ? streamLater : lastLater;
    const noted: Execute = (input, options) => later(this.#noted(name, original, input, options));
    return { ...loose, execute: noted };
  }

  /** AI SDK 6 denies a call that is run again, as approved, when its tool says that it needs no approval. */
  readonly #isRerun = (_input: unknown, { toolCallId }: { toolCallId: string }): boolean =>
    this.#answered.has(toolCallId);

  /** What is to be run, once it stands in the audit that it does. */
  async #noted(toolName: string, execute: Execute, input: unknown, options: ExecuteOptions): Promise<() => unknown> {
    this.#throwIfAborted(options);
    const { toolCallId, ...context } = options;
    // What cannot be taken a copy of is nobody's to approve, but may well run.
    const args = trySnapshot(input) ?? snapshot(null);
    await this.#options.asker.noteUnjudged({ toolCallId, toolName, args, context });
    return () => execute(input, options);
  }

  /** What is to be run, when it may be. @throws {Refused} */
  #mayRun(toolName: string, execute: Execute, input: unknown, options: ExecuteOptions): Awaitable<() => unknown> {
    const { toolCallId } = options;
    this.#throwIfAborted(options);
    const args = snapshot(input);
    const call = this.#calls.get(toolCallId);
    const run = () => execute(copyOf(args), options);
    if (call?.verdict?.effect === 'allow' && sameJson(call.args, args)) return run;
    if (call !== undefined) return this.#claimed(toolName, run, args, options);
    const { gate, runId } = this.#options.asker;
    return after(gate.find(runId, toolCallId), (known): Awaitable<() => unknown> => {
      this.#throwIfAborted(options);
      return known.length === 0
        ? this.#unasked(toolName, run, args, options)
        : this.#claimed(toolName, run, args, options);
    });
  }

  /** A call that never passed `needsApproval`, e.g. one that stands approved in messages from elsewhere. */
  async #unasked(
    toolName: string,
    run: () => unknown,
    args: Snapshot,
    options: ExecuteOptions,
  ): Promise<() => unknown> {
    const verdict = await this.#verdictOn(options.toolCallId, toolName, args.value, { ...options });
    if (verdict.effect !== 'allow')
      throw new Refused(`${toolName} was not run: no approval of this call is known here.`);
    this.#throwIfAborted(options);
    return run;
  }

  #claimed(toolName: string, run: () => unknown, args: Snapshot, options: ExecuteOptions): Awaitable<() => unknown> {
    const { asker, onExecuted, tools } = this.#options;
    const { toolCallId } = options;
    return after(claimOrRefuse(asker, asker.runId, toolCallId, toolName, args), ({ approvalId, edited }) => {
      if (this.#isAborted(options)) {
        // The claim came back too late.
        return after(asker.gate.settle(approvalId, false), () => {
          this.#throwIfAborted(options);
          throw new Refused(`${toolName} was not run: the run was aborted.`);
        });
      }
      const end = (outcome: Outcome) => {
        const result = () => keptResult(ownTool(tools, toolName), toolCallId, args, outcome);
        const settled = asker.gate.settle(approvalId, 'output' in outcome, result);
        onExecuted?.({ toolCallId, toolName, args: copyOf(args), outcome });
        return settled;
      };
      return () => follow(run, end, edited ? noted : undefined);
    });
  }

  #isAborted({ abortSignal }: ExecuteOptions): boolean {
    return abortSignal?.aborted === true || this.#options.signal?.aborted === true;
  }

  #throwIfAborted({ abortSignal }: ExecuteOptions): void {
    abortSignal?.throwIfAborted();
    this.#options.signal?.throwIfAborted();
  }
}

/** For a tool that the plan does not know: it is asked about. */
export const ASK: Gating = { action: 'ask', entry: null, allowedDecisions: null, timeout: null };

/** Claims the approval of a call, or says why there is none. Fails with {@link Refused}. */
export function claimOrRefuse(
  asker: Asker,
  runId: string | null,
  toolCallId: string,
  toolName: string,
  args: Snapshot,
): Awaitable<Claim> {
  return attempt(
    () => asker.gate.claim(runId, toolCallId, toolName, args, asker.context(toolName)),
    (error) => {
      if (error instanceof RefusedByCore || LedgerError.isInstance(error))
        throw new Refused(`${toolName} was not run: ${error.message}`, { cause: error });
      throw error;
    },
  );
}

function sameJson(left: Snapshot, right: Snapshot): boolean {
  return JSON.stringify(left.json) === JSON.stringify(right.json);
}

/** @throws what is wrong with the questions; that they were not asked, when nothing is */
function notAsked(tool: Tool, input: unknown): never {
  questionsIn(tool, input);
  throw new Refused('The questions were not asked: nobody has answered this call here.');
}
