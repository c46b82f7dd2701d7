/** What a person needs to decide on a call, for a page that has no addon: read from the gate, each text safe to show. */
import type { UIMessageChunk } from 'ai';
import type { ApprovalDetails, ApprovalDetailsChunk, ApprovalRequest, Gate } from '../../index.js';
import { localGate } from '../gate/gate.js';
import { oneLine } from '../gate/in-a-line.js';

/** @see index.d.ts */
export async function approvalDetails(gate: Gate, { runId }: { runId: string }): Promise<ApprovalDetails[]> {
  const waiting = await localGate(gate, 'approvalDetails').pending({ runId });
  return waiting.filter(({ kind }) => kind === 'approval').map(detailsOf);
}

/** @see index.d.ts */
export function withApprovalDetails<CHUNK extends UIMessageChunk>(
  stream: ReadableStream<CHUNK>,
  gate: Gate,
  options: { runId: string },
): ReadableStream<CHUNK | ApprovalDetailsChunk> {
  localGate(gate, 'withApprovalDetails');
  return stream.pipeThrough(
    new TransformStream<CHUNK, CHUNK | ApprovalDetailsChunk>({
      async transform(chunk, controller) {
        // Before the request: whoever sees that a human is asked has what there is to see.
        if (chunk.type === 'tool-approval-request') {
          const data = await detailsOfCall(gate, options.runId, chunk.toolCallId);
          if (data !== undefined) controller.enqueue({ type: 'data-approval', id: data.toolCallId, data });
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

/** Nothing where it cannot be said which request is meant, or the gate cannot be read: the page shows the call as it came. */
async function detailsOfCall(gate: Gate, runId: string, toolCallId: string): Promise<ApprovalDetails | undefined> {
  const all = await approvalDetails(gate, { runId }).catch(() => []);
  const those = all.filter((each) => each.toolCallId === toolCallId);
  return those.length === 1 ? those[0] : undefined;
}

function detailsOf(request: ApprovalRequest): ApprovalDetails {
  const { approvalId, toolCallId, toolName, step, rows, preview, flags, verdict, changes, contents } = request;
  const { needs, votes, createdAt, expiresAt } = request;
  return {
    approvalId,
    toolCallId,
    toolName,
    step,
    rows: [...rows],
    description: oneLine(request.description),
    preview,
    flags: [...flags],
    origin: request.origin.map(oneLine),
    changes: changes.map(({ path, before, added, removed }) => ({
      path: oneLine(path),
      isNew: before === null,
      added,
      removed,
    })),
    why: verdict === null ? null : whyOf(verdict),
    contents,
    needs: needs.map(({ approvers = [], quorum = 1 }) => ({ approvers: approvers.map(oneLine), quorum })),
    approvedBy: votes.map(({ by }) => oneLine(by)),
    createdAt,
    expiresAt,
  };
}

function whyOf({ effect, reason, rule }: NonNullable<ApprovalRequest['verdict']>): ApprovalDetails['why'] {
  return {
    effect,
    reason: oneLine(reason),
    source: rule === null ? null : oneLine(rule.source),
    line: rule?.line ?? null,
  };
}
