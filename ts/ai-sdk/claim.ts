/** The one use of an approval, right before a tool runs. */
import { RefusedByCore } from '../errors/from-native.js';
import { LedgerError } from '../errors/index.js';
import type { CallAsker } from '../gate/asker.js';
import type { ApprovedTool } from '../gate/tool-identity.js';
import type { NativeClaim } from '../native.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { RefusedExecution } from './follow.js';
import { isTask } from './tools.js';

/** Claims the approval of a call, or says why there is none. Fails with {@link RefusedExecution}. */
export function claimOrRefuse(
  asker: CallAsker,
  runId: string | null,
  toolCallId: string,
  approved: ApprovedTool,
  args: ValueSnapshot,
): Awaitable<NativeClaim> {
  const { toolName, tool } = approved;
  return attempt(
    () =>
      after(asker.objectionOfMode(approved, { toolCallId, args }, isTask(tool)), (objection) => {
        if (objection !== undefined)
          return takenBack(asker, runId, toolCallId, `${toolName} was not run: ${objection}`);
        return after(asker.context(approved), (context) =>
          asker.gate.claim(runId, toolCallId, toolName, args, context),
        );
      }),
    (error) => {
      if (error instanceof RefusedByCore || LedgerError.isInstance(error))
        throw new RefusedExecution(`${toolName} was not run: ${error.message}`, { cause: error });
      throw error;
    },
  );
}

/** It must not run later on what was approved before, either. */
async function takenBack(asker: CallAsker, runId: string | null, toolCallId: string, reason: string): Promise<never> {
  for (const { approvalId } of await asker.gate.find(runId, toolCallId)) await asker.gate.withdraw(approvalId, reason);
  throw new RefusedExecution(reason);
}
