/** The last step of a conversation that is kept, as far as its calls have no result. */
import type { ModelMessage } from 'ai';
import type { DecisionOutcome } from '../../../index.js';
import type { RawRecord } from '../../native.js';
import type { SupersededRequest } from '../../gate/asker.js';
import { questionsOf } from '../../gate/questions.js';
import { editedArgs, isApproval, isDenial, nameOf, toRecord } from '../../gate/records.js';
import { partsOf, type MessagePart } from './messages.js';
import { DUPLICATE_ID, INTERRUPTED_CALL, LOST_RESULT, REDACTED, TURN_ENDED } from './reasons.js';
import type { StreamPart } from '../sdk/sdk.js';
import type { ModelOutput } from './history.js';

/** A call without a result. */
export interface OpenCall {
  /** As the SDK shows it. */
  call: StreamPart;
  /** The SDK's request, where there is one: the call was to be asked about. */
  request: StreamPart | undefined;
}

export interface OpenStep {
  /** All calls of the step. */
  calls: StreamPart[];
  open: OpenCall[];
  /** Whether the model's turn came after all this: there is nothing to go on with. */
  isAnswer: boolean;
}

export function openStepOf(messages: readonly ModelMessage[]): OpenStep {
  const index = messages.findLastIndex(({ role }) => role !== 'tool');
  const last = messages[index];
  if (last?.role !== 'assistant') return { calls: [], open: [], isAnswer: false };
  const said = partsOf(last);
  const answers = messages.slice(index + 1).flatMap(partsOf);
  const ended = new Set(
    [...said, ...answers].flatMap((part) => (part.type === 'tool-result' ? [part['toolCallId']] : [])),
  );
  const responded = new Set(
    answers.flatMap((part) => (part.type === 'tool-approval-response' ? [part['approvalId']] : [])),
  );
  const calls = said.flatMap((part) => (part.type === 'tool-call' ? [callOf(part)] : []));
  const open = calls.flatMap((call): OpenCall[] => {
    if (ended.has(call.toolCallId)) return [];
    const request = said.find(
      (part) => part.type === 'tool-approval-request' && part['toolCallId'] === call.toolCallId,
    );
    // What the provider runs has its result from the provider, unless the provider itself asked.
    if (call.providerExecuted === true && (request === undefined || responded.has(request['approvalId']))) return [];
    return [{ call, request: request === undefined ? undefined : requestPart(request, call) }];
  });
  return { calls, open, isAnswer: calls.every(({ providerExecuted }) => providerExecuted === true) };
}

/** Every call that the assistant made. */
export function callsIn(messages: readonly ModelMessage[]): StreamPart[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? partsOf(message).flatMap((part) => (part.type === 'tool-call' ? [callOf(part)] : []))
      : [],
  );
}

function callOf({ toolCallId, toolName, input, providerExecuted }: MessagePart): StreamPart {
  return {
    type: 'tool-call',
    toolCallId: toolCallId as string,
    toolName: toolName as string,
    input,
    ...(providerExecuted === true ? { providerExecuted } : {}),
  };
}

function requestPart({ approvalId, signature }: MessagePart, call: StreamPart): StreamPart {
  return {
    type: 'tool-approval-request',
    approvalId: approvalId as string,
    toolCall: call,
    ...(signature === undefined ? {} : { signature: signature as string }),
  };
}

/** What is to be done about an open call that was to be asked about. */
export type OpenCallPlan =
  /** It waits for its decision. */
  | { do: 'wait'; record: RawRecord }
  /** It was decided, and not started. */
  | { do: 'follow'; record: RawRecord; decision: DecisionOutcome }
  /** It ran: this is what the model gets of it. */
  | { do: 'tell'; record: RawRecord; output: ModelOutput; edited: { args: unknown } | undefined }
  /** It is asked about now, in the place of another request where there was one. `edited`: what a human had made of it. */
  | { do: 'ask'; instead: SupersededRequest | undefined; takeBack: boolean; edited?: { args: unknown } | undefined }
  /** It does not run. */
  | { do: 'deny'; reason: string; takeBack: RawRecord | undefined }
  /** It had started other agents, which go on: it is run again, where it may be. */
  | { do: 'rerun' }
  /** A process that lives is running it. */
  | { do: 'refuse' };

export interface StepContext {
  /** Why what was asked does not hold any more; `undefined`: it does. */
  drift: string | undefined;
  /** Whether the tool is still there. */
  isThere: boolean;
  /** Whether its id is that of another call, too. */
  isAmbiguous: boolean;
  /** Whether a human ended the turn: no more questions are put. */
  isStopped: boolean;
}

/** @param record the last one that the ledger has of this call */
export function planFor(record: RawRecord | undefined, circumstances: StepContext): OpenCallPlan {
  const plan = planOf(record, circumstances);
  // When the turn is over, nothing new is asked.
  return circumstances.isStopped && (plan.do === 'ask' || plan.do === 'wait')
    ? { do: 'deny', reason: TURN_ENDED, takeBack: record }
    : plan;
}

function planOf(
  record: RawRecord | undefined,
  { drift: changed, isThere, isAmbiguous, isStopped }: StepContext,
): OpenCallPlan {
  if (isAmbiguous) return { do: 'deny', reason: DUPLICATE_ID, takeBack: record };
  if (record === undefined) {
    return isThere
      ? { do: 'ask', instead: undefined, takeBack: false }
      : { do: 'deny', reason: GONE, takeBack: undefined };
  }
  const { status, approvalId } = record;
  const kept = toRecord(record);
  const { decision, needs } = kept;
  const editedBy = decision?.type === 'edit' ? nameOf(kept) : undefined;
  const startedBefore = wasStarted(record);
  const edited = editedArgs(kept);
  // Nothing runs on an answer: a question stays what it is, also without the secrets that were in it.
  const isAsking = questionsOf(kept) !== undefined;
  const drift = isAsking ? undefined : changed;
  switch (status) {
    case 'succeeded':
    case 'failed': {
      const output = isOutput(record.result) ? record.result : { type: 'error-text', value: LOST_RESULT };
      return { do: 'tell', record, output, edited };
    }
    case 'started':
      return { do: 'refuse' };
    case 'rejected':
    case 'responded':
    case 'skipped':
    case 'expired':
      return { do: 'follow', record, decision: decision as DecisionOutcome };
    case 'pending':
    case 'approved':
    case 'edited':
      if (!isThere) return { do: 'deny', reason: GONE, takeBack: record };
      if (isAsking) return { do: 'wait', record };
      // The process ended before it had written down that the call is denied.
      if (isDenial(record))
        return {
          do: 'ask',
          instead: { approvalId, reason: DENIED, needs, startedBefore, takenBack: false, editedBy },
          takeBack: true,
          edited,
        };
      if (record.contents === 'redacted' || record.contents === 'dropped')
        return { do: 'deny', reason: REDACTED, takeBack: record };
      if (drift !== undefined)
        return {
          do: 'ask',
          instead: { approvalId, reason: drift, needs, startedBefore, takenBack: decision !== null, editedBy },
          takeBack: true,
          edited,
        };
      if (decision === null || !isApproval(decision)) return { do: 'wait', record };
      return { do: 'follow', record, decision };
    case 'cancelled':
    case 'interrupted': {
      if (isStopped && status === 'cancelled') return { do: 'follow', record, decision: decision as DecisionOutcome };
      if (!isThere) return { do: 'deny', reason: GONE, takeBack: undefined };
      if (record.contents === 'redacted' || record.contents === 'dropped')
        return { do: 'deny', reason: REDACTED, takeBack: undefined };
      const why = status === 'interrupted' ? INTERRUPTED_CALL : (decision?.reason ?? 'It was cancelled.');
      return {
        do: 'ask',
        instead: {
          approvalId,
          reason: drift === undefined ? why : `${why} ${drift}`,
          needs,
          startedBefore,
          takenBack: false,
          editedBy,
        },
        takeBack: false,
        edited,
      };
    }
  }
}

/** Whether a process that is gone had started the call of this request: it may have had its effect. */
export function wasStarted(record: RawRecord): boolean {
  return record.status === 'interrupted' || toRecord(record).startedBefore;
}

const DENIED = 'It was denied.';
const GONE = 'The run was continued without this tool.';

function isOutput(value: unknown): value is ModelOutput {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
