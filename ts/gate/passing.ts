/** A callback that says "not me": the request goes on waiting for others at the gate. */
import type { ApprovalRecord } from '../../index.js';
import type { Awaitable } from '../values/awaitable.js';
import type { LocalGate } from './gate.js';
import { DEFAULT_TIMEOUT_MS } from './requests.js';

/** What a callback answers. */
export const PASS = 'pass';

const NOBODY_ELSE = 'onApprovalRequest has passed, and nobody else can be asked: pass a gate.';
const SAID = "it answered 'pass', and without a gate nobody else can be asked";

/**
 * Leaves a request to others. One without a deadline, which had it from a callback with a human at hand, has now as long as one
 * that never had a callback: perhaps no one looks at the gate.
 *
 * @param mayWait whether others can decide
 * @param decided settles with the decision, or when none will come
 */
export function passOn(
  gate: LocalGate,
  record: ApprovalRecord,
  mayWait: boolean,
  decided: Promise<unknown>,
): Awaitable<void> {
  if (!mayWait) return gate.refuseByCallback('onApprovalRequest', record, NOBODY_ELSE, SAID);
  if (record.expiresAt !== null) return undefined;
  const end = () => void gate.rejectBySystem(record.approvalId, 'Nobody answered in time.', 'deadline');
  const timer = setTimeout(end, DEFAULT_TIMEOUT_MS);
  timer.unref();
  const stop = () => clearTimeout(timer);
  decided.then(stop, stop);
  return undefined;
}
