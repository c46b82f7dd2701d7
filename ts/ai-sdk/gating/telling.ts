/** What a run tells of a request that is not a call of its own: that it is asked, how it goes on, and what is decided. */
import type { AgentEvent, ApprovalRecord, ApprovalRequestedEvent, ApprovalResponseEvent } from '../../../index.js';
import type { OpenedRequest } from '../../gate/asker.js';
import { requestOf } from '../../gate/human-asker.js';
import type { LocalGate } from '../../gate/gate.js';
import { copyOfDecision, isApproval, isByHuman, type DecidedRecord } from '../../gate/records.js';
import type { ValueSnapshot } from '../../values/snapshot.js';
import { progressOf } from './progress.js';

export function tellRequest(
  gate: LocalGate,
  { record, decided }: Pick<OpenedRequest, 'record' | 'decided'>,
  args: ValueSnapshot,
  isAutomatic: boolean,
  tell: (event: AgentEvent) => void,
): void {
  tell(requestedEvent(record, args, gate, isAutomatic));
  gate.watch(record.approvalId, (event) => tell(progressOf(event)));
  // Also one that comes with an abort.
  decided.then(
    (outcome) => tell(responseOf(outcome, outcome)),
    () => {},
  );
}

/** What is told of a request. */
export function requestedEvent(
  record: ApprovalRecord,
  args: ValueSnapshot,
  gate: LocalGate,
  isAutomatic: boolean,
): ApprovalRequestedEvent {
  return requestOf(record, args, gate, { type: 'approval-requested', isAutomatic }) as ApprovalRequestedEvent;
}

/** What is told of a decision. */
export type ToldRecord = Pick<DecidedRecord, 'approvalId' | 'decision' | 'decidedBy'> & Partial<DecidedRecord>;

export function responseOf(
  { approvalId, decision, decidedBy, via }: ToldRecord,
  { toolCallId, toolName, origin }: Pick<ApprovalRecord, 'toolCallId' | 'toolName' | 'origin'>,
): ApprovalResponseEvent {
  const { reason } = decision;
  return {
    type: 'approval-response',
    isAutomatic: !isByHuman(via),
    approvalId,
    toolCallId,
    toolName,
    origin,
    approved: isApproval(decision),
    // The reader may change it, as for a page: the run goes by its own.
    decision: copyOfDecision(decision),
    ...(reason === undefined ? {} : { reason }),
    decidedBy,
  };
}
