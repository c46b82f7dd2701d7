/** How a run reads what the SDK gives it for a round. */
import type { RunRequests } from './requests.js';
import type { ModelRound } from './round.js';
import type { LoadedSdk, StreamPart, StreamResult } from '../sdk/sdk.js';
import { silentModel } from '../sdk/turn.js';

/**
 * The stream of a result. The public one is a tee, whose other half keeps every part in memory until the end, however slow
 * the reader is; so its source is read where it can be reached. A structured output needs the tee.
 */
export function streamOf(result: StreamResult, wantsOutput: boolean): ReadableStream<unknown> {
  const { baseStream } = result;
  return !wantsOutput && baseStream instanceof ReadableStream && !baseStream.locked ? baseStream : result.fullStream;
}

/** What is read of the stream: its source wraps each part. */
export function partOf(value: unknown): StreamPart {
  return (value as { part?: StreamPart }).part ?? (value as StreamPart);
}

/** Keeps the round's books and says what is shown of a part. */
export function takePart(round: ModelRound, part: StreamPart, requests: RunRequests): StreamPart | undefined {
  round.soFar?.add(part);
  switch (part.type) {
    case 'text-delta':
    case 'text-start':
    case 'text-end':
    case 'reasoning-delta':
    case 'reasoning-start':
    case 'reasoning-end':
      // The SDK counts anew in each call.
      return round.number === 0 ? part : { ...part, id: `${round.number}:${part.id}` };
    case 'start':
      return round.number === 0 ? part : undefined;
    case 'finish':
      round.finishReason = part.finishReason ?? 'other';
      return undefined;
    case 'start-step':
      round.calls = [];
      round.isKeptSoFar = false;
      round.stepsStarted++;
      round.toolCallsSeen = 0;
      round.providerRequestsSeen = 0;
      return round.silent ? undefined : part;
    case 'finish-step':
      return round.silent ? undefined : part;
    case 'tool-call':
      round.toolCallsSeen++;
      round.calls.push(part);
      requests.saw(part.toolCallId as string);
      return part;
    case 'tool-approval-request':
      return requests.add(round, part);
    case 'error':
      round.error ??= { error: part.error };
      return part;
    case 'abort':
      // Not through our signal: a timeout of the SDK's, which tells its message only.
      round.aborted = {
        reason: typeof part.reason === 'string' ? new DOMException(part.reason, 'TimeoutError') : part.reason,
      };
      return undefined;
    default:
      return part;
  }
}

/** Whether a part tells how an execution ended. */
export function isResult({ type }: StreamPart): boolean {
  return type === 'tool-result' || type === 'tool-error';
}

/** A run that is continued may have to wait before it calls the SDK: a result of nothing, for its converter. */
export function silentResult({ ai, version }: LoadedSdk): StreamResult {
  return ai.streamText({ model: silentModel(version.modelSpecifications[0]), prompt: '.', onError: () => {} } as never);
}

/** The structured output, when the model gave one. */
export async function outputOf(result: StreamResult | undefined): Promise<unknown> {
  try {
    return await result?.output;
  } catch {
    return undefined;
  }
}
