/**
 * The tools of a run with a guard on each that may be asked about: the SDK asks it whether a call needs approval, and every
 * execution passes it.
 */
import type { Tool, ToolSet } from 'ai';
import { isByMode } from '../gate/judge.js';
import { after, isLater, type Awaitable } from '../values/awaitable.js';
import { copyOf, snapshot, trySnapshot, type Snapshot } from '../values/snapshot.js';
import { withCallContext } from './call-context.js';
import { claimOrRefuse } from './claim.js';
import { follow, lastLater, noted, Refused, streamLater, type Outcome } from './follow.js';
import type { Guard, GuardOptions } from './guard.js';
import { keptResult } from './kept-result.js';
import { isQuestionTool, questionsIn } from './questions.js';
import {
  copyTool,
  define,
  executes,
  isGenerator,
  isTask,
  ownTool,
  type Execute,
  type ExecuteOptions,
} from './tools.js';

/** The tools to give to the SDK. */
export const guardTools = (guard: Guard, options: GuardOptions): ToolSet => new GuardedTools(guard, options).wrapped();

class GuardedTools {
  readonly #guard: Guard;
  readonly #options: GuardOptions;

  constructor(guard: Guard, options: GuardOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  /** All of them, those with a guard wrapped. */
  wrapped(): ToolSet {
    const { tools, plan } = this.#options;
    // By the plan, which knows the names that are not enumerable too: a model may call what it was not offered.
    const names = plan.tools
      .map(([name]) => name)
      .filter((name) => this.#guard.guards(name) || this.#guard.mustLoosen(name) || executes(tools, name));
    if (names.length === 0) return tools;
    // Without a prototype, a tool that is only inherited cannot be called past the guard.
    const wrapped = Object.create(null, Object.getOwnPropertyDescriptors(tools)) as ToolSet;
    for (const name of names) define(wrapped, name, this.#wrapTool(name, ownTool(tools, name) as Tool));
    return wrapped;
  }

  #wrapTool(name: string, tool: Tool): Tool {
    if (!this.#guard.guards(name)) return copyTool(tool, this.#unguarded(name, tool));
    const changes: Record<string, unknown> = {
      needsApproval: (input: unknown, options: { toolCallId: string }) =>
        this.#guard.needsApproval(name, input, options),
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
      const record = this.#guard.shown(toolCallId);
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
      : this.#guard.mustLoosen(name)
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
    this.#guard.isAnswered(toolCallId);

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
    const call = this.#guard.call(toolCallId);
    const run = () => execute(copyOf(args), options);
    if (call?.verdict?.effect === 'allow' && !isByMode(call.verdict) && sameJson(call.args, args)) return run;
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
    const verdict = await this.#guard.judgeNew(options.toolCallId, toolName, args.value, { ...options });
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

function sameJson(left: Snapshot, right: Snapshot): boolean {
  return JSON.stringify(left.json) === JSON.stringify(right.json);
}

/** @throws what is wrong with the questions; that they were not asked, when nothing is */
function notAsked(tool: Tool, input: unknown): never {
  questionsIn(tool, input);
  throw new Refused('The questions were not asked: nobody has answered this call here.');
}
