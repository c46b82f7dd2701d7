import type { ModelMessage } from 'ai';
import type {
  AgentEvent,
  ApprovalEscalatedEvent,
  ApprovalRemindedEvent,
  ApprovalRequestedEvent,
  ApprovalResponseEvent,
  ApprovalVotedEvent,
  QuestionAnsweredEvent,
  QuestionAskedEvent,
  RunResult,
  RunResumedEvent,
  ToolDeniedEvent,
} from '../../../index.js';
import type { StreamPart } from './sdk.js';

/** What the loop yields beside the SDK's parts. */
export type OwnEvent =
  | ApprovalRequestedEvent
  | ApprovalResponseEvent
  | ApprovalVotedEvent
  | ApprovalRemindedEvent
  | ApprovalEscalatedEvent
  | QuestionAskedEvent
  | QuestionAnsweredEvent
  | ToolDeniedEvent
  | RunResumedEvent
  /** What a tool or a run that is a part of this one tells: it is yielded as it is. */
  | { type: 'told'; event: AgentEvent }
  /** A call of a run that is continued, which this process has not seen. */
  | { type: 'call-open'; call: StreamPart }
  /** The end of an execution before the run was continued. */
  | { type: 'call-ended'; part: StreamPart }
  | { type: 'call-edited'; call: StreamPart }
  | { type: 'call-responded'; call: StreamPart; output: unknown }
  | { type: 'run-aborted'; reason: unknown; messages: ModelMessage[] }
  | ({ type: 'run-done' } & RunResult);
