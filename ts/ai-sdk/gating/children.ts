/** The runs that are a part of one run, while it goes on: each was started by one of its tools. */
import type { AgentEvent, ToolActivity, ToolActivityEvent } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import type { CallAsker } from '../../gate/asker.js';
import { asCaller, type ServerCaller } from '../../gate/caller.js';
import { partOfRun } from '../../gate/run-ids.js';
import type { Awaitable } from '../../values/awaitable.js';
import { EndSignal } from '../../values/end-signal.js';
import { isActivity, type CalledTool, type CallContext } from '../tools/call-context.js';
import { follow } from './follow.js';
import type { InheritedRules } from '../tools/inheritance.js';
import { cancelParts } from './left-parts.js';
import type { ChildRun, ParentRun } from '../tools/parent-run.js';
import { tellRequest } from './telling.js';

export interface ChildrenOptions {
  asker: CallAsker;
  signal: AbortSignal;
  /** @param toolCallId the call that tells it, or that started what does */
  tell: (event: AgentEvent, toolCallId: string) => Awaitable<void>;
  /** @see ParentRun.keep */
  keep: (toolCallId: string) => Promise<void>;
  leave: (error: unknown) => void;
  /** @param call what the loop has told the call in which that was decided */
  endTurn: (call: object | undefined) => void;
}

export class ChildRuns {
  readonly #options: ChildrenOptions;
  readonly #live = new Map<ChildRun, string>();
  /** How many runs each call has started. */
  readonly #counts = new Map<string, number>();
  /** Calls whose child was let go of. */
  readonly #left = new Set<string>();
  /** Calls that were made before the run was continued here. */
  readonly #resumed = new Set<string>();
  /** Aborted when the run is over. */
  readonly #over = new EndSignal('The run that started it is over.');
  #isMute = false;
  #isSuspended = false;
  readonly #dropping: Promise<void>[] = [];

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** This call was made before the run was continued here: what it had started is continued. */
  resume(toolCallId: string): void {
    this.#resumed.add(toolCallId);
  }

  /** Runs the `execute` of a tool with its call context; subagents that it starts are ended when it returns. */
  call(
    { toolCallId, toolName, approved, confined, signal, options }: CalledTool,
    inheritance: InheritedRules,
    execute: (context: CallContext) => unknown,
  ): unknown {
    const { runId, origin } = this.#options.asker;
    const call = new RunningCall({
      toolCallId,
      runId,
      origin,
      approved,
      confined,
      emit: (activity) => {
        if (isActivity(activity)) void this.#tell({ ...activity, toolCallId, origin } as ToolActivityEvent, toolCallId);
      },
      makeParent: (over) => {
        if (this.#over.isOver) throw callIsOver(toolCallId);
        const own = signal === undefined ? [] : [signal];
        const any = AbortSignal.any([over, this.#over.signal, this.#options.signal, ...own]);
        return this.#parent(toolCallId, toolName, any, inheritance, options);
      },
    });
    const { asker } = this.#options;
    const caller: ServerCaller = {
      asker,
      signal: this.#options.signal,
      tell: (waited, args, isAutomatic) =>
        tellRequest(asker.gate, waited, args, isAutomatic, (event) => void this.#tell(event, toolCallId)),
    };
    return follow(
      () => asCaller(caller, () => execute(call)),
      () => call.end(),
    );
  }

  /** Has each end where it can, and let go of what it waits for. */
  suspend(): void {
    this.#isSuspended = true;
    for (const child of this.#live.keys()) child.suspend();
  }

  /** The run is over: nothing that it started goes on, and nothing more is told. */
  end(): void {
    this.#over.end();
  }

  /** The run goes on elsewhere, or may: so may what it started. Nothing more is told here. */
  leave(): void {
    this.#isMute = true;
    this.suspend();
  }

  /** These calls do not run again: what they had started before the run was continued here is cancelled. Never rejects. */
  async drop(toolCallIds: Iterable<string> = this.#resumed): Promise<void> {
    const { gate, runId } = this.#options.asker;
    const dropped = [...toolCallIds].filter((toolCallId) => this.#resumed.delete(toolCallId));
    // A second call waits as well.
    if (dropped.length > 0) this.#dropping.push(cancelParts(gate, runId, dropped));
    await Promise.all(this.#dropping);
  }

  /** Resolves when all that was aborted is cancelled. */
  async cancelled(): Promise<void> {
    await Promise.all([...this.#live.keys()].map((child) => child.cancelled()));
  }

  /** Whether at least one was let go of, and none goes on. */
  get areLeft(): boolean {
    return this.#left.size > 0 && this.#live.size === 0;
  }

  wasLeft(toolCallId: string): boolean {
    return this.#left.has(toolCallId);
  }

  #tell(event: AgentEvent, toolCallId: string): Awaitable<void> {
    return this.#isMute || this.#over.isOver ? undefined : this.#options.tell(event, toolCallId);
  }

  #parent(
    toolCallId: string,
    toolName: string,
    signal: AbortSignal,
    inheritance: InheritedRules,
    options: object | undefined,
  ): ParentRun {
    const { asker, keep, leave, endTurn } = this.#options;
    let kept: Promise<void> | undefined;
    return {
      asker,
      inheritance,
      toolCallId,
      toolName,
      signal,
      resumes: this.#resumed.has(toolCallId),
      childId: () => this.#childId(toolCallId),
      adopt: (child) => {
        this.#live.set(child, toolCallId);
        // A call that was on its way may still start one: it is told what the others were told.
        if (this.#isSuspended) child.suspend();
        return () => void this.#live.delete(child);
      },
      tell: (event) => this.#tell(event, toolCallId),
      keep: () => (kept ??= keep(toolCallId)),
      leave: (error) => {
        this.#left.add(toolCallId);
        leave(error);
      },
      endTurn: () => endTurn(options),
    };
  }

  #childId(toolCallId: string): string {
    const { runId } = this.#options.asker;
    // Ids of calls that differ may come to the same.
    const first = partOfRun(runId, toolCallId);
    const count = (this.#counts.get(first) ?? 0) + 1;
    this.#counts.set(first, count);
    return partOfRun(runId, toolCallId, count);
  }
}

interface CallOptions extends Pick<CallContext, 'toolCallId' | 'runId' | 'origin' | 'approved' | 'confined' | 'emit'> {
  /** @param over aborted when the execution has ended */
  makeParent: (over: AbortSignal) => ParentRun;
}

/** One execution, for the tool that is executed. */
class RunningCall implements CallContext {
  readonly #of: CallOptions;
  readonly #over = new EndSignal('The call that started it is over.');
  #parent: ParentRun | undefined;

  constructor(of: CallOptions) {
    this.#of = of;
  }

  get toolCallId(): string {
    return this.#of.toolCallId;
  }

  get runId(): string {
    return this.#of.runId;
  }

  get origin(): readonly string[] {
    return this.#of.origin;
  }

  get approved(): CallContext['approved'] {
    return this.#of.approved;
  }

  get confined(): CallContext['confined'] {
    return this.#of.confined;
  }

  get isOver(): boolean {
    return this.#over.isOver;
  }

  emit(event: ToolActivity): void {
    this.#of.emit(event);
  }

  parent(): ParentRun {
    if (this.isOver) throw callIsOver(this.toolCallId);
    this.#parent ??= this.#of.makeParent(this.#over.signal);
    return this.#parent;
  }

  end(): void {
    this.#over.end();
  }
}

const callIsOver = (toolCallId: string) =>
  new InvalidConfigError({
    message: `parent: the call ${JSON.stringify(toolCallId)} is over: start a run in the execute of its tool, and wait for its result there.`,
  });
