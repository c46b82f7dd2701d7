/**
 * The functions that run the calls of a tool confined. Such a tool is known by this very function: no name, field or other
 * function marks it, and with a replaced function it no longer counts.
 */
import type { ConfinedWrites } from '../../index.js';
import type { NativeConfinedRun } from '../native.js';
import { RefusedExecution } from './refused-execution.js';

export interface ConfinedRunner {
  /**
   * How this call runs where no human approves it, as things are now; `undefined`: it is not held to anything that is known, or not
   * whole.
   */
  readonly runOf: (args: unknown) => NativeConfinedRun | undefined;
}

/** What a verdict rests on: it holds for a command that writes no more than this, and that this one runs. */
export interface NeededConfinement {
  readonly writes: ConfinedWrites;
  readonly by: ConfinedRunner;
}

const RUNNERS = new WeakMap<object, ConfinedRunner>();

/** This function runs its calls as the runner says, or not at all. */
export const runsConfined = (execute: object, runner: ConfinedRunner): void => void RUNNERS.set(execute, runner);

/** `undefined`: what this function runs is not confined. */
export const runnerOf = (execute: unknown): ConfinedRunner | undefined =>
  typeof execute === 'function' ? RUNNERS.get(execute) : undefined;

/**
 * What a call must be held to that is about to be run by this function; `undefined`: its verdict does not rest on that.
 *
 * @throws {RefusedExecution} when it is not the one that the verdict was given for
 */
export function heldTo(
  needed: NeededConfinement | undefined,
  execute: unknown,
  toolName: string,
): ConfinedWrites | undefined {
  if (needed === undefined || runnerOf(execute) === needed.by) return needed?.writes;
  throw new RefusedExecution(
    `${toolName} was not run: it was allowed to run confined, and what would run it now confines nothing.`,
  );
}
