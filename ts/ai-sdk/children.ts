/** The runs that are a part of one run, while it goes on: each was started by one of its tools. */
import type { AgentEvent, ToolActivityEvent } from '../../index.js';
import type { Asker } from '../gate/asker.js';
import { partOfRun } from '../gate/run-ids.js';
import type { Awaitable } from '../values/awaitable.js';
import type { CallContext } from './call-context.js';
import type { CalledTool } from './guard.js';
import type { Inheritance } from './inheritance.js';
import type { Child, Parent } from './parent.js';

export interface ChildrenOptions {
  asker: Asker;
  signal: AbortSignal;
  tell: (event: AgentEvent) => Awaitable<void>;
  /** @see Parent.keep */
  keep: (toolCallId: string) => Promise<void>;
  leave: (error: unknown) => void;
  endTurn: () => void;
}

export class Children {
  readonly #options: ChildrenOptions;
  readonly #live = new Map<Child, string>();
  /** How many runs each call has started. */
  readonly #counts = new Map<string, number>();
  /** Calls whose child was let go of. */
  readonly #left = new Set<string>();
  /** Calls that were made before the run was continued here. */
  readonly #resumed = new Set<string>();

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** This call was made before the run was continued here: what it had started is continued. */
  resume(toolCallId: string): void {
    this.#resumed.add(toolCallId);
  }

  /** What the `execute` of a tool gets to know. */
  contextOf({ toolCallId, toolName, approved, signal }: CalledTool, inheritance: Inheritance): CallContext {
    const { asker, tell } = this.#options;
    const { runId, origin } = asker;
    let parent: Parent | undefined;
    const make = (): Parent => this.#parent(toolCallId, toolName, signal, inheritance);
    return {
      toolCallId,
      runId,
      origin,
      approved,
      emit: (activity) => void tell({ ...activity, toolCallId, origin } as ToolActivityEvent),
      get parent(): Parent {
        parent ??= make();
        return parent;
      },
    };
  }

  /** Has each end where it can, and let go of what it waits for. */
  suspend(): void {
    for (const child of this.#live.keys()) child.suspend();
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

  #parent(toolCallId: string, toolName: string, callSignal: AbortSignal | undefined, inheritance: Inheritance): Parent {
    const { asker, signal, tell, keep, leave, endTurn } = this.#options;
    let kept: Promise<void> | undefined;
    return {
      asker,
      inheritance,
      toolCallId,
      toolName,
      signal: callSignal === undefined ? signal : AbortSignal.any([signal, callSignal]),
      resumes: this.#resumed.has(toolCallId),
      childId: () => this.#childId(toolCallId),
      adopt: (child) => {
        this.#live.set(child, toolCallId);
        return () => void this.#live.delete(child);
      },
      tell,
      keep: () => (kept ??= keep(toolCallId)),
      leave: (error) => {
        this.#left.add(toolCallId);
        leave(error);
      },
      endTurn,
    };
  }

  #childId(toolCallId: string): string {
    const count = (this.#counts.get(toolCallId) ?? 0) + 1;
    this.#counts.set(toolCallId, count);
    const id = partOfRun(this.#options.asker.runId, toolCallId);
    return count === 1 ? id : `${id}~${count}`;
  }
}
