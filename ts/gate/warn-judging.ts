/** A function of the user that decides whether a call is asked about, and fails: the human is asked, and cannot mend it. */
import { originOf } from '../errors/message-of.js';
import { warnSeldom } from '../errors/warn-once.js';

interface FailedJudge {
  /** What the function is called. */
  name: string;
  toolName: string;
  /** Of the run: what an abort ended has not failed. */
  signal?: AbortSignal | undefined;
}

/** Tells the developer what it did, without what the call says. */
export function warnJudging({ name, toolName, signal }: FailedJudge, what: string): void {
  if (signal?.aborted === true) return;
  warnSeldom(
    `judging:${name}:${toolName}:${what}`,
    `${name} ${what} at a call of ${JSON.stringify(toolName)}, so that it is asked about.`,
  );
}

/** What it threw, without what that says. */
export const failedBy = (error: unknown): string => `failed (${originOf(error)})`;
