/** The one use of an approval, right before a tool runs. */
import { RefusedByCore } from '../errors/from-native.js';
import { LedgerError } from '../errors/index.js';
import { reasonOfError } from '../errors/reason-of.js';
import type { BoundCall, CallAsker } from './asker.js';
import { isApproval } from './records.js';
import type { NativeRedeemed } from '../native.js';
import { after, attempt, type Awaitable } from '../values/awaitable.js';
import { RefusedExecution } from './refused-execution.js';

/**
 * Judges the call once more, and redeems its approval; or says why it has none. Fails with {@link RefusedExecution}, also for a
 * call that a policy denies by now: no approval lets it run.
 */
export function redeemOrRefuse(asker: CallAsker, runId: string | null, call: BoundCall): Awaitable<NativeRedeemed> {
  const { toolCallId, toolName, args } = call;
  const refused = (why: string, cause?: unknown) =>
    new RefusedExecution(`${toolName} was not run: ${why}`, cause === undefined ? {} : { cause });
  return attempt(
    () =>
      after(asker.objectionTo(call), (objection) => {
        if (objection !== undefined) return takeBack(asker, runId, call, refused(objection));
        return after(asker.boundBy(call), (bound) =>
          after(asker.lastObjectionTo(call, runId), (late) => {
            if (late !== undefined) return takeBack(asker, runId, call, refused(late));
            // An edit is bound to what was said of the edited call.
            return after(asker.gate.redeem(runId, toolCallId, toolName, args, bound), (outcome) =>
              'denied' in outcome ? takeBack(asker, runId, call, refused(outcome.denied)) : outcome.redeemed,
            );
          }),
        );
      }),
    (error) => {
      if (error instanceof RefusedByCore || LedgerError.isInstance(error)) throw refused(reasonOfError(error), error);
      throw error;
    },
  );
}

/**
 * The approval of a call that is denied, or that the mode lets not run, is over: it does not run later either. Where the run is
 * not known, and several have asked about a call of this id, none of them is: none can be redeemed, and they are not this call's
 * to end.
 */
async function takeBack(
  asker: CallAsker,
  runId: string | null,
  { toolCallId, toolName }: BoundCall,
  refused: RefusedExecution,
): Promise<never> {
  const records = await asker.gate.find(runId, toolCallId);
  if (new Set(records.map((record) => record.runId)).size > 1) throw refused;
  for (const { approvalId, decision, toolName: asked } of records)
    if (asked === toolName && decision !== null && isApproval(decision))
      await asker.gate.revoke(approvalId, refused.message);
  throw refused;
}
