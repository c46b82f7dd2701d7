/** What requests about the calls of a tool may be at most, where several say it. */
import type { DecisionType } from '../../../index.js';

/** What requests about the calls of a tool may be at most. */
export interface Limits {
  allowedDecisions: readonly DecisionType[] | null;
  /** ms */
  timeout: number | null;
}

/** What both allow. */
export function narrowed(own: Limits, inherited: Limits | undefined): Limits {
  if (inherited === undefined) return own;
  return {
    allowedDecisions: common(own.allowedDecisions, inherited.allowedDecisions),
    timeout: least(own.timeout, inherited.timeout),
  };
}

/** With what a loop can carry out alone. */
export function taking<GATING extends Limits>(gating: GATING, takes: readonly DecisionType[]): GATING {
  return { ...gating, allowedDecisions: common(gating.allowedDecisions, takes) };
}

function common(left: readonly DecisionType[] | null, right: readonly DecisionType[] | null) {
  if (left === null || right === null) return left ?? right;
  const both = left.filter((type) => right.includes(type));
  // Something must be left for the human to say.
  return both.length === 0 ? (['reject'] as const) : both;
}

function least(left: number | null, right: number | null): number | null {
  return left === null || right === null ? (left ?? right) : Math.min(left, right);
}
