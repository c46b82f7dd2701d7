/** What a run, or a set of gated tools, is to the runs that are a part of it, started by one of its tools. */
import type { AgentEvent } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import type { CallAsker } from '../gate/asker.js';
import type { Awaitable } from '../values/awaitable.js';
import { callContextOf } from './call-context.js';
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
  /** Resolves when the ledger has the call, so that whoever continues the parent finds the child. Fails when it cannot. */
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

/**
 * The parent that the options of a run speak of.
 *
 * @throws {InvalidConfigError}
 */
export function parentOf(
  options: { parent?: unknown } & { [NAME in (typeof PARENTS)[number]]?: unknown },
  place: string,
): ParentRun | undefined {
  const { parent } = options;
  if (parent === undefined) return undefined;
  const context = typeof parent === 'object' && parent !== null ? callContextOf(parent) : undefined;
  if (context === undefined) {
    throw new InvalidConfigError({
      message: `${place}: parent must be what the execute of a tool gets as its second argument, from a run of streamWithEvents or from tools of gateTools.`,
    });
  }
  const given = PARENTS.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw new InvalidConfigError({ message: `${place}: leave ${given} out: with a parent it is the parent's.` });
  return context.parent();
}

/** What a part of a run has from its parent. */
const PARENTS = ['gate', 'onApprovalRequest', 'askOrder', 'runId', 'requester'] as const;

/** The path of agents of a run: its parent's, the call, and a name. */
export function originOf(parent: ParentRun, origin: readonly string[] | undefined, place: string): readonly string[] {
  const path = [...parent.asker.origin, `task:${parent.toolCallId}`];
  if (origin === undefined) return [...path, parent.toolName];
  if (origin.length > path.length && path.every((each, index) => origin[index] === each)) return origin;
  throw new InvalidConfigError({
    message: `${place}: origin must begin with ${JSON.stringify(path)}, the path of the parent and the call, and end with a name.`,
  });
}
