import type { ModelMessage } from 'ai';
import type { ApprovalRequestedEvent, ApprovalResponseEvent, RunResult, ToolDeniedEvent } from '../../index.js';
import type { StreamPart } from './sdk.js';

/** What the loop yields beside the SDK's parts. */
export type OwnEvent =
  | ApprovalRequestedEvent
  | ApprovalResponseEvent
  | ToolDeniedEvent
  | { type: 'call-edited'; call: StreamPart }
  | { type: 'call-responded'; call: StreamPart; output: unknown }
  | { type: 'run-aborted'; reason: unknown; messages: ModelMessage[] }
  | ({ type: 'run-done' } & RunResult);
