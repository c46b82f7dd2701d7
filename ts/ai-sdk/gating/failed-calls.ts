/** Why a call did not run, told to the developer where the AI SDK tells the model alone. */
import { CountersignError } from '../../errors/countersign-error.js';
import { messageOf } from '../../errors/message-of.js';
import { warnSeldom } from '../../errors/warn-once.js';

/** What the model brings about, or a human, and what the model is told: nobody has to mend anything. */
const EXPECTED: ReadonlySet<string> = new Set([
  'ERR_ALREADY_DECIDED',
  'ERR_APPROVAL_EXPIRED',
  'ERR_DECISION_NOT_ALLOWED',
  'ERR_DUPLICATE_REQUEST',
  'ERR_INVALID_ARGUMENTS',
  'ERR_UNKNOWN_APPROVAL',
]);

/** Warns of what kept a call from running: a ledger that cannot be used, a gate that is closed, a mistake in the tools. */
export function warnFailedCall(place: string, toolName: string, error: unknown): void {
  if (CountersignError.isInstance(error) && EXPECTED.has(error.code)) return;
  const why = messageOf(error);
  warnSeldom(
    `failed-call:${place}:${why}`,
    `${place}: a call of ${JSON.stringify(toolName)} did not run, and only the model was told why: ${why}`,
  );
}
