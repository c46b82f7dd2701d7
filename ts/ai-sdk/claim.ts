/** The one use of an approval, right before a tool runs. */
import { RefusedByCore } from '../errors/from-native.js';
import { LedgerError } from '../errors/index.js';
import type { Asker } from '../gate/asker.js';
import type { NativeClaim } from '../native.js';
import { attempt, type Awaitable } from '../values/awaitable.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { Refused } from './follow.js';

/** Claims the approval of a call, or says why there is none. Fails with {@link Refused}. */
export function claimOrRefuse(
  asker: Asker,
  runId: string | null,
  toolCallId: string,
  toolName: string,
  args: ValueSnapshot,
): Awaitable<NativeClaim> {
  return attempt(
    () => asker.gate.claim(runId, toolCallId, toolName, args, asker.context(toolName)),
    (error) => {
      if (error instanceof RefusedByCore || LedgerError.isInstance(error))
        throw new Refused(`${toolName} was not run: ${error.message}`, { cause: error });
      throw error;
    },
  );
}
