import type { DecisionOutcome, ExecutionDenied } from '../../../index.js';
import { isRecord } from '../tools/tools.js';

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

/** What the model gets of a denial. It says to `gateTools` whether a human ended the turn; for providers that is no option. */
export const deniedOutput = ({ reason, stop }: ExecutionDenied): DeniedOutput => ({
  type: 'execution-denied',
  reason,
  ...(stop === true ? { providerOptions: { [END_MARK]: { turnEnded: true } } } : {}),
});

interface DeniedOutput {
  type: 'execution-denied';
  reason: string;
  providerOptions?: Record<string, { turnEnded: true }>;
}

const END_MARK = 'countersign';

/** Whether a result, as a message has it, says that a human ended the turn. Without the tool, the SDK makes a JSON of the denial. */
export function saysTurnEnded(output: unknown): boolean {
  if (!isRecord(output)) return false;
  const { type, value, providerOptions } = output;
  const mark = isRecord(providerOptions) ? providerOptions[END_MARK] : undefined;
  if (isRecord(mark) && mark['turnEnded'] === true) return true;
  return type === 'json' && isExecutionDenied(value) && value.stop === true;
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
