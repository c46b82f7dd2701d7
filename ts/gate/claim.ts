/** The one use of an approval, right before a tool runs. */
import { RefusedByCore } from '../errors/from-native.js';
import { LedgerError } from '../errors/index.js';
import type { BoundCall, CallAsker } from './asker.js';
import { isApproval } from './records.js';
import type { NativeClaim } from '../native.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import { isSame } from '../values/same.js';
import type { ValueSnapshot } from '../values/snapshot.js';
import { RefusedExecution } from './refused-execution.js';

/** A call that is about to run. */
export type ClaimedCall = BoundCall & {
  /** What was asked about, where a human has put other arguments in its place. */
  asked?: ValueSnapshot | undefined;
};

/**
 * Judges the call once more, and claims its approval; or says why there is none. Fails with {@link RefusedExecution}: also for what
 * a policy denies by now, which nobody approves any more.
 */
export function claimOrRefuse(asker: CallAsker, runId: string | null, call: ClaimedCall): Awaitable<NativeClaim> {
  const { toolCallId, toolName, args, asked = args } = call;
  const isEdited = !isSame(asked.json, args.json);
  const refused = (why: string, cause?: unknown) =>
    new RefusedExecution(`${toolName} was not run: ${why}`, cause === undefined ? {} : { cause });
  return attempt(
    () =>
      after(asker.objectionOfMode(call), (objection) => {
        if (objection !== undefined) return takeBack(asker, runId, toolCallId, refused(objection));
        return after(asker.bound(call), (runs) => {
          if (runs.denied !== undefined) return takeBack(asker, runId, toolCallId, refused(runs.denied));
          // The approval is bound to what was said of the call that was asked about.
          return after(isEdited ? asker.bound({ ...call, args: asked }) : runs, ({ context }) =>
            asker.gate.claim(runId, toolCallId, toolName, args, context),
          );
        });
      }),
    (error) => {
      if (error instanceof RefusedByCore || LedgerError.isInstance(error)) throw refused(error.message, error);
      throw error;
    },
  );
}

/** The approval of a call that is denied, or that the mode lets not run, is over: it does not run later either. */
async function takeBack(
  asker: CallAsker,
  runId: string | null,
  toolCallId: string,
  refused: RefusedExecution,
): Promise<never> {
  for (const { approvalId, decision } of await asker.gate.find(runId, toolCallId))
    if (decision !== null && isApproval(decision)) await asker.gate.revoke(approvalId, refused.message);
  throw refused;
}
