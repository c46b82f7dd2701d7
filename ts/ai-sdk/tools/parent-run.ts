/** What a run, or a set of gated tools, is to the runs that are a part of it, started by one of its tools. */
import type { AgentEvent } from '../../../index.js';
import type { CallAsker } from '../../gate/asker.js';
import type { Awaitable } from '../../values/awaitable.js';
import type { InheritedRules } from './inheritance.js';

export interface ParentRun {
  readonly asker: CallAsker;
  readonly inheritance: InheritedRules;
  /** The call of the tool that started it. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Aborted when the run or the call is. */
  readonly signal: AbortSignal;
  /** Whether the call was made before, by a process that may have started the same run. */
  readonly resumes: boolean;
  /** The id for the next run that this call starts: the same in each process. */
  childId(): string;
  /** It has begun. @returns to be called when it has ended */
  adopt(child: ChildRun): () => void;
  /** Yields an event among the parent's own; to be waited for where many come. */
  tell(event: AgentEvent): Awaitable<void>;
  /**
   * Resolves when the ledger has the call, so that the process that continues the parent finds the child. Fails when it cannot.
   */
  keep(): Promise<void>;
  /** The child was let go of: neither it nor its parent goes on in this process. */
  leave(error: unknown): void;
  /** A human ended the turn. */
  endTurn(): void;
}

/** A run, for its parent. */
export interface ChildRun {
  suspend(): void;
  /** Resolves when all of it is cancelled that was aborted. */
  cancelled(): Promise<void>;
}
