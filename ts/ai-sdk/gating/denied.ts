import type { DecisionOutcome, ExecutionDenied } from '../../../index.js';

const DENIED_BY: readonly string[] = ['reject', 'skip', 'expired', 'cancelled'] satisfies DecisionOutcome['type'][];

/** @param stop whether a human ended the turn */
export function denied(
  reason: string,
  decision: DecisionOutcome['type'],
  approvalId: string | null,
  stop = false,
): ExecutionDenied {
  return { type: 'execution-denied', reason, decision, approvalId, ...(stop ? { stop } : {}) };
}

/** Told by its shape, since an output may have gone through JSON on its way back. */
export function isExecutionDenied(output: unknown): output is ExecutionDenied {
  if (typeof output !== 'object' || output === null) return false;
  const { type, reason, decision } = partsOf(output);
  return (
    type === 'execution-denied' &&
    typeof reason === 'string' &&
    typeof decision === 'string' &&
    DENIED_BY.includes(decision)
  );
}

/** An output may be anything, and throw when it is looked at. */
function partsOf(output: object): Partial<ExecutionDenied> {
  try {
    const { type, reason, decision } = output as Partial<ExecutionDenied>;
    return { type, reason, decision } as Partial<ExecutionDenied>;
  } catch {
    return {};
  }
}
