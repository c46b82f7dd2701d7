/** The run as one stream of the SDK's own parts, which its converters turn into UI chunks. */
import type { ApprovalRequest } from '../../../index.js';
import { oneLine } from '../../gate/in-a-line.js';
import { beating } from '../sdk/heartbeat.js';
import type { OwnEvent } from '../sdk/own-events.js';
import type { EventView } from '../run/event-view.js';
import type { Run } from '../run/run.js';
import type { StreamPart } from '../sdk/sdk.js';

/** @param hasResponsePart whether the SDK knows a part that tells a decision */
export function partView(hasResponsePart: () => boolean): EventView<StreamPart> {
  return {
    // Requests are told by our own event, with the id that the gate knows.
    part: (part) => (part.type === 'tool-approval-request' ? undefined : part),
    own: (event) => partOf(event, hasResponsePart),
  };
}

function partOf(event: OwnEvent, hasResponsePart: () => boolean): StreamPart | undefined {
  switch (event.type) {
    case 'approval-requested': {
      const { approvalId, toolCallId, toolName, args, isAutomatic } = event;
      const toolCall = { type: 'tool-call', toolCallId, toolName, input: args };
      // AI SDK 6 makes nothing of a reason.
      const reason = requestReason(event);
      return { type: 'tool-approval-request', approvalId, toolCall, reason, ...(isAutomatic ? { isAutomatic } : {}) };
    }
    case 'approval-response': {
      if (!hasResponsePart()) return undefined;
      const { approvalId, toolCallId, toolName, approved, reason } = event;
      const toolCall = { type: 'tool-call', toolCallId, toolName };
      return {
        type: 'tool-approval-response',
        approvalId,
        approved,
        toolCall,
        ...(reason === undefined ? {} : { reason }),
      } as StreamPart;
    }
    case 'told':
    // Its call is shown without output; a client that knows the tool shows the questions.
    case 'question-asked':
    case 'question-answered':
    case 'approval-voted':
    case 'approval-reminded':
    case 'approval-escalated':
      return undefined;
    case 'run-resumed':
      return { type: 'start' };
    case 'call-edited':
    case 'call-open':
      return event.call;
    case 'call-ended':
      return event.part;
    case 'call-responded':
      return { ...event.call, type: 'tool-result', output: event.output };
    case 'tool-denied':
      return { type: 'tool-output-denied', toolCallId: event.toolCallId, toolName: event.toolName };
    case 'run-aborted':
      return {
        type: 'abort',
        reason: String((event.reason as { message?: unknown } | undefined)?.message ?? event.reason),
      };
    case 'run-done':
      return { type: 'finish', finishReason: event.finishReason, totalUsage: event.usage } as StreamPart;
  }
}

/** Why a request is made, in a line. */
function requestReason({ verdict, description }: Pick<ApprovalRequest, 'verdict' | 'description'>): string {
  return oneLine(verdict?.reason ?? description);
}

export interface UiStreamOptions {
  /** Of the SDK. */
  options: object;
  /** Somebody reads. */
  onBegin: () => void;
  leave: () => Promise<unknown>;
}

/** UI chunks of a run without another iterator. Reading slowly slows the model; cancelling leaves the run. */
export function uiMessageStream(
  run: Run,
  parts: AsyncGenerator<StreamPart>,
  { options, onBegin, leave }: UiStreamOptions,
): ReadableStream {
  let chunks: ReadableStreamDefaultReader<unknown> | undefined;
  const open = async () => {
    onBegin();
    await run.start();
    const { sdk, result, tools } = run.opened;
    return sdk.version.toUIMessageStream(sdk.ai, result, tools, streamOfParts(parts), options).getReader();
  };
  return new ReadableStream(
    {
      async pull(controller) {
        chunks ??= await open();
        const { done, value } = await chunks.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await leave();
      },
    },
    { highWaterMark: 0 },
  );
}

function streamOfParts(parts: AsyncGenerator<StreamPart>): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await parts.return(undefined)),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Server-sent events, as the AI SDK's `useChat` reads them.
 *
 * @param heartbeat ms; `undefined`: none
 */
export function eventStreamResponse(
  chunks: ReadableStream,
  { headers, status = 200, statusText }: ResponseInit,
  heartbeat: number | undefined,
): Response {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(EVENT_STREAM_HEADERS)) if (!all.has(name)) all.set(name, value);
  const encoder = new TextEncoder();
  const reader = chunks.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        controller.enqueue(encoder.encode(`data: ${done ? '[DONE]' : JSON.stringify(value)}\n\n`));
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: heartbeat === undefined ? 1 : 0 },
  );
  const sent = heartbeat === undefined ? body : beating(body, heartbeat);
  return new Response(sent, { status, statusText, headers: all });
}

const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};
