/** What a tool that runs in a loop of ours can know of it: its `execute` finds it in its options. */
import type { ApprovalRecord, ConfinedWrites, ToolActivity } from '../../../index.js';
import { isApproval, isByHuman } from '../../gate/records.js';
import type { SeenFile } from '../../gate/seen-edit.js';
import type { ParentRun } from './parent-run.js';

/** Where it stands in the options. Registered: a tool may come from another copy of this package. */
const CALL = Symbol.for('countersign.call');

/** The approval by which a call runs. */
export interface ApprovedCall {
  readonly approvalId: string;
  readonly changes: readonly SeenFile[];
  /** Whether somebody approved it, and not a rule or a mode. */
  readonly byHuman: boolean;
}

/** What a call is told of the request by which it runs. @param edited the files that it writes as a person has edited it */
export const approvedBy = (
  { approvalId, changes, decision, via }: ApprovalRecord,
  edited: readonly SeenFile[] | undefined,
): ApprovedCall => ({
  approvalId,
  changes: edited ?? changes,
  byHuman: decision !== null && isApproval(decision) && via !== null && isByHuman(via),
});

export interface CallContext {
  readonly toolCallId: string;
  /** The run whose call it is. */
  readonly runId: string;
  /** The path of agents of that run. */
  readonly origin: readonly string[];
  /** The files as a human saw them who approved the call; `undefined`: no approval was needed. */
  readonly approved: ApprovedCall | undefined;
  /** It was let run since it runs confined, to no more than this; `undefined`: it does not rest on that. */
  readonly confined: ConfinedWrites | undefined;
  /** Has the run yield an event. Does nothing without an iterator, nor for what is no {@link ToolActivity}. */
  emit(event: ToolActivity): void;
  /** Whether its `execute` has come to its end. */
  readonly isOver: boolean;
  /**
   * For a run that is a part of this one. Nothing that a test prints or compares may throw: hence no property.
   *
   * @throws {InvalidConfigError} when the call is over
   */
  parent(): ParentRun;
}

/** The options of an `execute`, with the context of the call. */
export function withCallContext<OPTIONS extends object>(options: OPTIONS, context: CallContext): OPTIONS {
  OURS.add(context);
  return { ...options, [CALL]: context };
}

const OURS = new WeakSet<CallContext>();

/** Whether it is of this copy of the package: another one cannot look into the run that it stands for. */
export const isOfThisCopy = (context: CallContext): boolean => OURS.has(context);

/** `undefined`: the loop is not ours, and the tools are not gated. */
export function callContextOf(options: object): CallContext | undefined {
  const context: unknown = (options as Record<symbol, unknown>)[CALL];
  return typeof context === 'object' && context !== null ? (context as CallContext) : undefined;
}

/** @see types/ */
export function isCallOfRun(options: unknown): options is { toolCallId: string } {
  try {
    const context = typeof options === 'object' && options !== null ? callContextOf(options) : undefined;
    return context !== undefined && !context.isOver;
  } catch {
    // What cannot be looked at is nothing of ours.
    return false;
  }
}

/** A tool tells what it does, and never in the place of the run: nothing of it is an approval that is asked for, or given. */
export const isActivity = ({ type }: { type: string }): boolean => Object.hasOwn(ACTIVITIES, type);

const ACTIVITIES: Record<ToolActivity['type'], true> = {
  'todos-changed': true,
  'file-write-start': true,
  'file-written': true,
  'file-edited': true,
  'file-read': true,
  ls: true,
  glob: true,
  grep: true,
  'execute-start': true,
  'execute-output': true,
  'execute-finish': true,
};

/** A call that is about to run. */
export type CalledTool = Pick<CallContext, 'toolCallId' | 'approved' | 'confined'> & {
  toolName: string;
  signal: AbortSignal | undefined;
  /** What a loop that is not ours has handed to it. */
  options?: object;
};
