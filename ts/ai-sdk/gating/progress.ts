/** What a run tells of a request that goes on waiting. */
import type { ApprovalEscalatedEvent, ApprovalRemindedEvent, ApprovalVotedEvent } from '../../../index.js';
import type { RequestProgress } from '../../gate/teller.js';

export type ProgressEvent = ApprovalVotedEvent | ApprovalRemindedEvent | ApprovalEscalatedEvent;

export function progressOf(event: RequestProgress): ProgressEvent {
  const { approvalId, toolCallId, toolName, origin, expiresAt } = event.request;
  const of = { approvalId, toolCallId, toolName, origin };
  switch (event.type) {
    case 'voted':
      return { type: 'approval-voted', ...of, vote: event.vote };
    case 'reminded':
      // Only what has a deadline is reminded of.
      return { type: 'approval-reminded', ...of, expiresAt: expiresAt ?? event.at };
    case 'escalated':
      return { type: 'approval-escalated', ...of, to: event.to };
  }
}
