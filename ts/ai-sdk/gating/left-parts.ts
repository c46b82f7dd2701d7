/** Parts of a run that another process left, and that are no longer continued. */
import { GateClosedError } from '../../errors/index.js';
import type { LocalGate } from '../../gate/gate.js';
import { isStartedBy } from '../../gate/run-ids.js';

const REASON = 'The call that started it does not run again.';

/** Cancels what these calls of a run have started, and what waits in it; not what a process that lives has. Never rejects. */
export async function cancelParts(gate: LocalGate, runId: string, toolCallIds: readonly string[]): Promise<void> {
  const isLeft = (part: string) => toolCallIds.some((toolCallId) => isStartedBy(part, runId, toolCallId));
  try {
    const known = (await gate.runs.runs(true, ALL)).filter((run) => isLeft(run.runId));
    const active = new Set(known.flatMap((run) => (run.active ? [run.runId] : [])));
    for (const run of known) if (!run.active) await endRun(gate, run.runId);
    // Also what tools of gateTools ask, which are no run that is kept.
    const waiting = new Set((await gate.pending({ runId })).map((request) => request.runId ?? '').filter(isLeft));
    for (const part of waiting) if (!active.has(part)) await gate.cancelRun(part, REASON, 'system');
  } catch (error) {
    if (!GateClosedError.isInstance(error)) gate.notKept(runId, error);
  }
}

async function endRun(gate: LocalGate, runId: string): Promise<void> {
  // Taken first, so that no other process can continue it.
  const { heads, state, info } = await gate.runs.takeRun(runId);
  await gate.cancelRun(runId, REASON, 'system');
  const parent = heads.at(-1) ?? null;
  await gate.runs.saveRun({ runId, parent, entries: [], state, status: 'cancelled', steps: info.steps });
}

/** Runs of one ledger. */
const ALL = 1_000_000;
