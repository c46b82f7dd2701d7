/**
 * Which requests the ids in messages have named. The AI SDK gives the requests of its own stop ids that the gate does not know. One
 * that has named a request does not name a later one of a call with the same id: an old answer decides nothing new.
 */
import type { ApprovalRecord } from '../../../index.js';
import { digestOf } from '../../gate/edits.js';
import type { LocalGate } from '../../gate/gate.js';
import { snapshot } from '../../values/snapshot.js';
import type { ToldCall } from './spoken-calls.js';

/** How many ids are remembered. */
const REMEMBERED = 10_000;

const NAMED = new WeakMap<LocalGate, Map<string, string>>();

/** Whether one of these ids has named this request, or is its own. */
export function hasNamed(gate: LocalGate, ids: Iterable<string>, record: ApprovalRecord | undefined): boolean {
  if (record === undefined) return false;
  const { approvalId, runId, toolCallId } = record;
  const named = NAMED.get(gate);
  return [...ids].some((id) => id === approvalId || named?.get(keyOf(runId, toolCallId, id)) === approvalId);
}

const keyOf = (...parts: (string | null)[]): string => JSON.stringify(parts);

/** The last of these requests of a call, or the earlier one that an id in the messages has named. */
export function namedBefore(
  gate: LocalGate,
  ids: Iterable<string>,
  records: readonly ApprovalRecord[],
): ApprovalRecord | undefined {
  const last = records.at(-1);
  if (last === undefined) return undefined;
  const named = NAMED.get(gate) ?? new Map<string, string>();
  NAMED.set(gate, named);
  const { runId, toolCallId } = last;
  let meant = last;
  for (const id of ids) {
    const key = keyOf(runId, toolCallId, id);
    const own = records.find(({ approvalId }) => approvalId === id);
    const before = own?.approvalId ?? named.get(key);
    if (before === undefined) named.set(key, last.approvalId);
    else meant = records.find(({ approvalId }) => approvalId === before) ?? meant;
  }
  for (const key of named.keys()) {
    if (named.size <= REMEMBERED) break;
    named.delete(key);
  }
  return meant;
}

/** Whether a request is about this very call: the same tool, and the same arguments. */
export function isAbout(
  gate: LocalGate,
  { approvalId, contents, args, toolName }: ApprovalRecord,
  call: Pick<ToldCall, 'toolName' | 'input'>,
): boolean {
  if (call.toolName !== toolName) return false;
  return contents === 'redacted' ? gate.isOriginal(approvalId, call.input) : sameArguments(args, call.input);
}

/** Whether they differ by nothing that JSON keeps. */
export const isSameJson = (asked: unknown, sent: unknown): boolean => {
  try {
    return sameArguments(JSON.parse(JSON.stringify(asked)), sent);
  } catch {
    return false;
  }
};

function sameArguments(asked: unknown, sent: unknown): boolean {
  try {
    return digestOf(snapshot(asked)) === digestOf(snapshot(sent));
  } catch {
    return false;
  }
}
