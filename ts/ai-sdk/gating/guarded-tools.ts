/**
 * The tools of a run with a guard on each that may be asked about: the SDK asks it whether a call needs approval, and every
 * execution passes it.
 */
import type { Tool, ToolSet } from 'ai';
import { heldTo } from '../../gate/confined-runner.js';
import { isByMode } from '../../gate/judge.js';
import { RefusedExecution } from '../../gate/refused-execution.js';
import { endsAll } from '../../gate/waiters.js';
import { after, attempt, isLater, type Awaitable } from '../../values/awaitable.js';
import { copyOf, snapshot, trySnapshot, type ValueSnapshot } from '../../values/snapshot.js';
import { approvedTool } from '../tools/approved-tool.js';
import { approvedBy, withCallContext } from '../tools/call-context.js';
import { boundBody, changedTool, isCaller, type CallBody } from '../tools/callers.js';
import { redeemOrRefuse } from '../../gate/redeem.js';
import { warnFailedCall } from './failed-calls.js';
import { follow, lastLater, NotedError, streamLater, type ExecutionOutcome } from './follow.js';
import type { CallGuard, GuardOptions } from './guard.js';
import { gateCalled } from './gate-tools.js';
import { keptResult } from './kept-result.js';
import { isQuestionTool, questionsIn } from '../tools/questions.js';
import {
  executes,
  isGenerator,
  isRecord,
  isTask,
  ownTool,
  type ExecuteFunction,
  type ExecuteOptions,
} from '../tools/tools.js';
import { isDeferred, isSearch } from '../tools/tool-search.js';

/** The tools to give to the SDK. */
export const guardTools = (guard: CallGuard, options: GuardOptions): ToolSet =>
  new GuardedTools(guard, options).wrapped();

class GuardedTools {
  readonly #guard: CallGuard;
  readonly #options: GuardOptions;

  constructor(guard: CallGuard, options: GuardOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  /** All of them, wrapped, and nothing else: what is not in it the SDK cannot run. */
  wrapped(): ToolSet {
    const { tools, plan } = this.#options;
    const wrapped = Object.create(null) as ToolSet;
    // By the plan, which knows the names that are not enumerable too: a model may call what it was not offered.
    for (const [name] of plan.tools) {
      const tool = ownTool(tools, name);
      if (!isRecord(tool)) continue;
      const enumerable = Object.prototype.propertyIsEnumerable.call(tools, name);
      Object.defineProperty(wrapped, name, { value: this.#wrapTool(name, tool), enumerable });
    }
    return Object.freeze(wrapped);
  }

  #wrapTool(name: string, tool: Tool): Tool {
    const isGuarded = this.#guard.guards(name);
    const mayBeGuarded = this.#guard.mayGuard(name);
    const changes = (body: CallBody | undefined): GuardedTool | UnguardedTool => {
      if (isGuarded) return this.#guarded(name, tool, body);
      return mayBeGuarded ? this.#watched(name, tool, body) : this.#unguarded(name, tool, body);
    };
    // What has nothing to run now has nothing to run later, unless the SDK gives it something.
    const isEmpty = (body: CallBody | undefined) => body === undefined && !isSearch(tool) && !isCaller(tool);
    const change = (body: CallBody | undefined) => ({
      ...(isEmpty(body) ? { execute: undefined } : {}),
      ...changes(body),
    });
    // An approved call is run by the SDK without the tools that it is bound to; a search that is never asked about, in its own way.
    const { searches } = this.#guard;
    const found = isGuarded || mayBeGuarded ? searches.bodyOf(name, tool) : undefined;
    const body = isSearch(tool) ? found : boundBody(tool, () => this.#calledBy(name), gateCalled);
    const changed = changedTool(tool, change, gateCalled, body);
    return isDeferred(tool) ? searches.show(name, changed) : changed;
  }

  #guarded(name: string, tool: Tool, body: CallBody | undefined): GuardedTool {
    const changes: GuardedTool = {
      needsApproval: (input, options) => this.#guard.needsApproval(name, input, options),
    };
    // It has nothing to run: the answer is its result.
    if (isQuestionTool(tool)) changes.execute = (input) => notAsked(tool, input);
    else if (body !== undefined) {
      const original = this.#original(name, body);
      const later = isGenerator(body.execute) ? streamLater : lastLater;
      changes.execute = (input, options) => {
        const run = this.#mayRun(name, original, input, options);
        return isLater(run) ? later(run) : run();
      };
    }
    return changes;
  }

  /** Not guarded, until the gate has something to say of all calls, or the tool of its own. */
  #watched(name: string, tool: Tool, body: CallBody | undefined): GuardedTool {
    const open = this.#unguarded(name, tool, body);
    const guarded = this.#guarded(name, tool, body);
    const isGuarded = (toolCallId: string) => this.#guard.guards(name) || this.#guard.call(toolCallId) !== undefined;
    const needsApproval: NeedsApproval = (input, options) => {
      if (isGuarded(options.toolCallId)) return guarded.needsApproval(input, options);
      return typeof open.needsApproval === 'function' && open.needsApproval(input, options);
    };
    const { execute } = open;
    if (execute === undefined) return { needsApproval };
    const gated = guarded.execute ?? execute;
    return {
      needsApproval,
      execute: (input: unknown, options: ExecuteOptions) =>
        (isGuarded(options.toolCallId) ? gated : execute)(input, options),
    };
  }

  /** The tools that this one may call in the place of the model. */
  #calledBy(caller: string): ToolSet {
    const { tools, toolCallers } = this.#options;
    const called = Object.entries(isRecord(toolCallers) ? toolCallers : {})
      .filter(([name, callers]) => Array.isArray(callers) && callers.includes(caller) && executes(tools, name))
      .map(([name]) => [name, ownTool(tools, name) as Tool]);
    return Object.fromEntries(called) as ToolSet;
  }

  /** The tool's own `execute`, which gets the context of the call. */
  #original(toolName: string, body: CallBody): ExecuteFunction {
    return (input, options) => {
      const { toolCallId, abortSignal: signal } = options;
      const record = this.#guard.shown(toolCallId);
      const edited = this.#options.asker.editedFiles(toolCallId, () => snapshot(input));
      const approved = record && approvedBy(record, edited);
      const verdict = this.#guard.call(toolCallId)?.verdict;
      const needed = verdict?.effect === 'allow' ? verdict.confined : undefined;
      const confined = heldTo(needed, body.execute, toolName);
      return this.#options.call({ toolCallId, toolName, approved, confined, signal }, (context) =>
        body.call(input, withCallContext(options, context)),
      );
    };
  }

  /** Runs unasked, but does not start after an abort: the SDK would run it all the same. */
  #unguarded(name: string, tool: Tool, body: CallBody | undefined): UnguardedTool {
    const loose: UnguardedTool = isTask(tool)
      ? { needsApproval: this.#isRerun }
      : this.#guard.mustLoosen(name)
        ? { needsApproval: false }
        : {};
    if (body === undefined) return loose;
    const run = this.#original(name, body);
    const original: ExecuteFunction = (input, options) => {
      this.#throwIfAborted(options);
      return run(input, options);
    };
    if (!this.#options.asker.gate.isDurable) return { ...loose, execute: original };
    const later = isGenerator(body.execute) ? streamLater : lastLater;
    const noted: ExecuteFunction = (input, options) => later(this.#noted(name, original, input, options));
    return { ...loose, execute: noted };
  }

  /** AI SDK 6 denies a call that is run again, as approved, when its tool says that it needs no approval. */
  readonly #isRerun = (_input: unknown, { toolCallId }: { toolCallId: string }): boolean =>
    this.#guard.isAnswered(toolCallId);

  /** What is to be run, once it stands in the audit that it does. */
  async #noted(
    toolName: string,
    execute: ExecuteFunction,
    input: unknown,
    options: ExecuteOptions,
  ): Promise<() => unknown> {
    this.#throwIfAborted(options);
    const { toolCallId, ...context } = options;
    // Arguments that cannot be copied cannot be approved, but may run.
    const args = trySnapshot(input) ?? snapshot(null);
    await this.#options.asker.noteUnjudged({ toolCallId, toolName, args, context });
    return () => execute(input, options);
  }

  /** What is to be run, when it may be. @throws {RefusedExecution} */
  #mayRun(
    toolName: string,
    execute: ExecuteFunction,
    input: unknown,
    options: ExecuteOptions,
  ): Awaitable<() => unknown> {
    const { toolCallId } = options;
    this.#throwIfAborted(options);
    const args = snapshot(input);
    const call = this.#guard.call(toolCallId);
    const run = () => execute(copyOf(args), options);
    if (call?.verdict?.effect === 'allow' && !isByMode(call.verdict) && sameJson(call.args, args)) return run;
    if (call !== undefined) return this.#redeemed(toolName, run, args, options);
    const { gate, runId } = this.#options.asker;
    return after(gate.find(runId, toolCallId), (known): Awaitable<() => unknown> => {
      this.#throwIfAborted(options);
      return known.length === 0
        ? this.#unasked(toolName, run, args, options)
        : this.#redeemed(toolName, run, args, options);
    });
  }

  /** A call that never passed `needsApproval`, e.g. one that stands approved in messages from elsewhere. */
  async #unasked(
    toolName: string,
    run: () => unknown,
    args: ValueSnapshot,
    options: ExecuteOptions,
  ): Promise<() => unknown> {
    const verdict = await this.#guard.judgeNew(options.toolCallId, toolName, args.value, { ...options });
    if (verdict.effect !== 'allow')
      throw new RefusedExecution(`${toolName} was not run: no approval of this call is known here.`);
    this.#throwIfAborted(options);
    return run;
  }

  #redeemed(
    toolName: string,
    run: () => unknown,
    args: ValueSnapshot,
    options: ExecuteOptions,
  ): Awaitable<() => unknown> {
    const { asker, onExecuted, onLost, tools } = this.#options;
    const { toolCallId } = options;
    const tool = ownTool(tools, toolName);
    const redeemed = { ...approvedTool(toolName, tool), toolCallId, args, signal: options.abortSignal };
    const redeem = attempt(
      () => redeemOrRefuse(asker, asker.runId, redeemed),
      (error) => {
        // The run ends by it, and says so.
        if (error instanceof RefusedExecution && endsAll(error.cause)) onLost?.(error.cause);
        else if (!this.#isAborted(options) && asker.gate.closing?.aborted !== true)
          warnFailedCall(asker.place, toolName, error);
        throw error;
      },
    );
    return after(redeem, ({ approvalId }) => {
      if (this.#isAborted(options)) {
        // The redemption came back too late.
        return after(asker.gate.settle(approvalId, false), () => {
          this.#throwIfAborted(options);
          throw new RefusedExecution(`${toolName} was not run: the run was aborted.`);
        });
      }
      const end = (outcome: ExecutionOutcome) => {
        const result = () => keptResult(tool, toolCallId, args, outcome);
        const settled = asker.gate.settle(approvalId, 'output' in outcome, result);
        onExecuted?.({ toolCallId, toolName, args: copyOf(args), outcome });
        return settled;
      };
      const note = this.#guard.noteOn(toolCallId);
      return () => follow(run, end, note === undefined ? undefined : (error) => new NotedError(error, note));
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

type NeedsApproval = (input: unknown, options: { toolCallId: string }) => unknown;

/** What is changed of a tool. */
interface GuardedTool {
  needsApproval: NeedsApproval;
  execute?: ExecuteFunction;
}

/** What is changed in a tool whose calls need no approval. */
interface UnguardedTool {
  needsApproval?: NeedsApproval | false;
  execute?: ExecuteFunction;
}

function sameJson(left: ValueSnapshot, right: ValueSnapshot): boolean {
  return JSON.stringify(left.json) === JSON.stringify(right.json);
}

/** @throws what is wrong with the questions; that they were not asked, when nothing is */
function notAsked(tool: Tool, input: unknown): never {
  questionsIn(tool, input);
  throw new RefusedExecution('The questions were not asked: nobody has answered this call here.');
}
