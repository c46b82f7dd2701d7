/** What a person needs to decide on a call, for a page that has no addon: read from the gate, each text safe to show. */
import type { UIMessageChunk } from 'ai';
import type {
  ApprovalDetails,
  ApprovalDetailsChunk,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalStatus,
  Gate,
} from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { shownPreview } from '../../gate/agent-reason.js';
import { checkText } from '../../gate/check-arguments.js';
import { dangersInWords, isHarmless } from '../../gate/danger.js';
import { localGate, type LocalGate } from '../../gate/gate.js';
import { oneLine } from '../../gate/in-a-line.js';
import { reviewLine } from '../../gate/reviewer/review-line.js';
import { whyAsked } from '../../gate/why-asked.js';
import { kindOf } from '../../options/names.js';
import { readable, takeNeeded } from '../../options/check.js';
import { editedArgs, nameOf } from '../../gate/records.js';
import { attempt } from '../../values/awaitable.js';
import { loadSdk } from '../sdk/sdk.js';

/** @see types/ */
export async function approvalDetails(gate: Gate, options: { runId: string }): Promise<ApprovalDetails[]> {
  const runId = runOf('approvalDetails', options);
  const waiting = await localGate(gate, 'approvalDetails').pending({ runId });
  return waiting.filter(({ kind }) => kind === 'approval').map(detailsOf);
}

/** @see types/ */
export function withApprovalDetails<CHUNK extends UIMessageChunk>(
  stream: ReadableStream<CHUNK>,
  gate: Gate,
  options: { runId: string },
): ReadableStream<CHUNK | ApprovalDetailsChunk> {
  const local = localGate(gate, 'withApprovalDetails');
  const runId = runOf('withApprovalDetails', options);
  checkStream(stream);
  const told = new Set<string>();
  return stream.pipeThrough(
    new TransformStream<CHUNK, CHUNK | ApprovalDetailsChunk>({
      async transform(chunk, controller) {
        // Before the request: when a reader sees that a human is asked, all details are there.
        if (chunk.type === 'tool-approval-request') {
          const data = await detailsOfCall(gate, runId, chunk.toolCallId);
          if (data !== undefined) controller.enqueue({ type: 'data-approval', id: data.toolCallId, data });
          return controller.enqueue((data === undefined ? chunk : await withReason(chunk, data)) as CHUNK);
        }
        // The page has the call as the model made it: before its result, what ran.
        if (RESULTS.has(chunk.type)) {
          const result = chunk as ResultChunk;
          const record = await recordOfCall(local, runId, result.toolCallId);
          const edited = record && editedCall<CHUNK>(record, result);
          if (edited !== undefined) controller.enqueue(edited);
          // A tool may give many results, until its last.
          if (record !== undefined && nameOf(record) !== undefined && !told.has(result.toolCallId)) {
            told.add(result.toolCallId);
            controller.enqueue({ type: 'data-approval', id: result.toolCallId, data: detailsOf(record) });
          }
        }
        controller.enqueue(chunk);
      },
    }),
  );
}

function checkStream(stream: unknown): void {
  const pipes = readable('withApprovalDetails', () => typeof (stream as ReadableStream | null)?.pipeThrough);
  if (pipes === 'function') return;
  throw new InvalidConfigError({
    message: `withApprovalDetails: the first argument must be a ReadableStream of the chunks of a UI stream, not ${kindOf(stream)}.`,
  });
}

/** @throws {InvalidConfigError} where none is named: the requests of other people's runs would be told */
const runOf = (place: 'approvalDetails' | 'withApprovalDetails', options: { runId: string }): string =>
  checkText(`${place}: runId`, takeNeeded(place, options).runId);

/** Why it is asked, where the SDK's stream has a place for it and does not say it. */
async function withReason(chunk: UIMessageChunk, { why, description }: ApprovalDetails): Promise<UIMessageChunk> {
  const { version } = await loadSdk();
  if (!version.hasRequestReason || (chunk as { reason?: string }).reason !== undefined) return chunk;
  return { ...chunk, reason: why?.reason ?? description } as UIMessageChunk;
}

/** What ends a call, or a part of it. */
interface ResultChunk {
  toolCallId: string;
  dynamic?: boolean;
}

const RESULTS: ReadonlySet<string> = new Set([
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
] satisfies UIMessageChunk['type'][]);

/** The newest request of a call; `undefined`: none, or the gate cannot be read. */
async function recordOfCall(gate: LocalGate, runId: string, toolCallId: string): Promise<ApprovalRecord | undefined> {
  const records = await attempt(
    () => gate.find(runId, toolCallId),
    () => [],
  );
  return records.findLast(({ kind }) => kind === 'approval');
}

/** The call with the arguments that a human changed; `undefined`: unchanged. */
function editedCall<CHUNK extends UIMessageChunk>(
  record: ApprovalRecord,
  { toolCallId, dynamic }: ResultChunk,
): CHUNK | undefined {
  const edited = editedArgs(record);
  if (edited === undefined || !EDITED.has(record.status)) return undefined;
  const { toolName } = record;
  const call = { type: 'tool-input-available', toolCallId, toolName, input: edited.args };
  return { ...call, ...(dynamic === undefined ? {} : { dynamic }) } as unknown as CHUNK;
}

/** When its result comes. */
const EDITED: ReadonlySet<string> = new Set(['started', 'succeeded', 'failed'] satisfies ApprovalStatus[]);

/** Nothing where it cannot be said which request is meant, or the gate cannot be read: the page shows the call as it came. */
async function detailsOfCall(gate: Gate, runId: string, toolCallId: string): Promise<ApprovalDetails | undefined> {
  const all = await approvalDetails(gate, { runId }).catch(() => []);
  const those = all.filter((each) => each.toolCallId === toolCallId);
  return those.length === 1 ? those[0] : undefined;
}

function detailsOf(request: ApprovalRequest & Partial<Pick<ApprovalRecord, 'decidedBy' | 'via'>>): ApprovalDetails {
  const { approvalId, toolCallId, toolName, step, rows, allowedDecisions, flags, verdict, changes } = request;
  const { contents, needs, votes, createdAt, expiresAt, startedBefore, agentReason, decidedBy = null, via } = request;
  const decider = nameOf({ decidedBy, via });
  return {
    approvalId,
    toolCallId,
    toolName,
    step,
    rows: [...rows],
    description: oneLine(request.description),
    preview: shownPreview(request),
    allowedDecisions: [...allowedDecisions],
    flags: [...flags],
    origin: request.origin.map(oneLine),
    changes: changes.map(({ path, before, added, removed }) => ({
      path: oneLine(path),
      isNew: before === null,
      added,
      removed,
    })),
    why: verdict === null ? null : verdict.effect === 'allow' ? askedAnyway(request) : whyOf(verdict),
    agentReason,
    review: reviewLine(request) ?? null,
    startedBefore,
    dangers: dangersInWords(request),
    harmless: isHarmless(request),
    contents,
    needs: needs.map(({ approvers = [], quorum = 1 }) => ({ approvers: approvers.map(oneLine), quorum })),
    approvedBy: votes.map(({ by }) => oneLine(by)),
    decidedBy: decider === undefined ? null : oneLine(decider),
    createdAt,
    expiresAt,
  };
}

/** Of a call that the policies allow: who asks all the same. */
const askedAnyway = (request: ApprovalRequest): ApprovalDetails['why'] => ({
  effect: 'ask',
  reason: whyAsked(request),
  source: null,
  line: null,
});

function whyOf({ effect, reason, rule }: NonNullable<ApprovalRequest['verdict']>): ApprovalDetails['why'] {
  return {
    effect,
    reason: oneLine(reason),
    source: rule === null ? null : oneLine(rule.source),
    line: rule?.line ?? null,
  };
}
