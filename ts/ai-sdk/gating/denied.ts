import type { DecisionOutcome, ExecutionDenied } from '../../../index.js';
import type { LocalGate } from '../../gate/gate.js';
import { isTurnEnd } from '../../gate/records.js';
import { isRecord } from '../tools/tools.js';

const DENIED_BY: readonly string[] = ['reject', 'skip', 'expired', 'cancelled'] satisfies DecisionOutcome['type'][];

/** Denials made here that say that a human ended the turn: the output of any tool may look like one. */
const MADE_ENDS = new WeakSet<object>();

/** The requests of such denials, by which their copies are known. */
const END_IDS = new Set<string>();

/** The requests of what may be such denials, and that could not be looked up. */
const UNREAD_IDS = new Set<string>();

/** How many ids are remembered. Others are looked up. */
const REMEMBERED = 10_000;

/** @param stop whether a human ended the turn */
export function denied(
  reason: string,
  decision: DecisionOutcome['type'],
  approvalId: string | null,
  stop = false,
): ExecutionDenied {
  if (!stop) return { type: 'execution-denied', reason, decision, approvalId };
  const end: ExecutionDenied = { type: 'execution-denied', reason, decision, approvalId, stop };
  MADE_ENDS.add(end);
  if (approvalId !== null) rememberEnd(approvalId);
  return end;
}

const rememberEnd = (approvalId: string): void => remember(END_IDS, approvalId);

function remember(ids: Set<string>, approvalId: string): void {
  const [oldest] = ids;
  if (ids.size >= REMEMBERED && oldest !== undefined) ids.delete(oldest);
  ids.add(approvalId);
}

/**
 * What the model gets of a denial. It says to `gateTools` whether a human ended the turn, which a tool cannot say by an output that
 * looks like a denial. For providers that is no option.
 */
export async function deniedOutput(gate: LocalGate, denial: ExecutionDenied): Promise<DeniedOutput> {
  const { reason } = denial;
  const end = endToLookUp(denial);
  if (end !== undefined) await lookUpEnd(gate, end);
  const mark = isKnownEnd(denial) ? { providerOptions: { [END_MARK]: { turnEnded: true as const } } } : {};
  return { type: 'execution-denied', reason, ...mark };
}

interface DeniedOutput {
  type: 'execution-denied';
  reason: string;
  providerOptions?: Record<string, { turnEnded: true }>;
}

const END_MARK = 'countersign';

/** Whether a result, as a message has it, says that a human ended the turn. Without the tool, the SDK makes a JSON of the denial. */
export function saysTurnEnded(output: unknown): boolean {
  if (!isRecord(output)) return false;
  const { providerOptions } = output;
  const mark = isRecord(providerOptions) ? providerOptions[END_MARK] : undefined;
  return (isRecord(mark) && mark['turnEnded'] === true) || isKnownEnd(valueIn(output));
}

/** The value of a result, as a message has it, that the SDK has made a JSON of. */
export const valueIn = (output: unknown): unknown =>
  isRecord(output) && output['type'] === 'json' ? output['value'] : undefined;

/** Whether it is a denial that says that a human ended the turn, and not the output of a tool that looks like one. */
export function isKnownEnd(output: unknown): boolean {
  if (!isExecutionDenied(output)) return false;
  const { stop, approvalId } = partsOf(output);
  return stop === true && (MADE_ENDS.has(output) || (typeof approvalId === 'string' && END_IDS.has(approvalId)));
}

/** The request of what may be such a denial of another process; `undefined`: it is another output, or is known. */
export function endToLookUp(output: unknown): string | undefined {
  if (!isExecutionDenied(output) || isKnownEnd(output)) return undefined;
  const { stop, approvalId } = partsOf(output);
  return stop === true && typeof approvalId === 'string' ? approvalId : undefined;
}

/** Asks the gate whether a human ended a turn with this request. Never rejects: what cannot be read may be an end. */
export async function lookUpEnd(gate: LocalGate, approvalId: string): Promise<void> {
  try {
    const record = await gate.get(approvalId);
    UNREAD_IDS.delete(approvalId);
    if (isTurnEnd(record?.decision)) rememberEnd(approvalId);
  } catch {
    remember(UNREAD_IDS, approvalId);
  }
}

/** Whether it may be a denial that says that a human ended the turn: its request could not be looked up. */
export function mayBeEnd(output: unknown): boolean {
  const end = endToLookUp(output);
  return end !== undefined && UNREAD_IDS.has(end);
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
    const { type, reason, decision, stop, approvalId } = output as Partial<ExecutionDenied>;
    return { type, reason, decision, stop, approvalId } as Partial<ExecutionDenied>;
  } catch {
    return {};
  }
}
