/**
 * Watches the model's own stream for the end of its turn. The SDK tells it only when every tool of the step has run; but a human
 * should be asked as soon as the turn is known to be complete, and not at all if it was cut off.
 */
import type { StepFlow } from './flow.js';
import type { AiModule } from './sdk.js';

/** The finish reasons of a whole turn. After any other (`length`, `content-filter`, `error` …) a call may be cut short. */
const COMPLETE = new Set(['stop', 'tool-calls']);

export function isComplete(finishReason: string): boolean {
  return COMPLETE.has(finishReason);
}

/** What is known of the model's current turn. */
export class ModelTurn {
  ended = false;
  finishReason = 'other';
  /** It has an error in it. */
  hasErred = false;
  /** Tool calls that the model made, also those that the provider executes. */
  toolCalls = 0;
  /** Requests that the provider itself made (hosted MCP). */
  providerRequests = 0;
}

/** What AI SDK 7 tells at the end of each model call. */
export interface TurnEndEvent {
  finishReason: string;
  content: readonly { type: string }[];
}

export function turnOf({ finishReason, content }: TurnEndEvent): ModelTurn {
  const turn = new ModelTurn();
  turn.ended = true;
  turn.finishReason = finishReason;
  turn.toolCalls = content.filter(({ type }) => type === 'tool-call').length;
  turn.providerRequests = content.filter(({ type }) => type === 'tool-approval-request').length;
  return turn;
}

interface ModelPart {
  type: string;
  finishReason?: unknown;
}

type DoStream = (options: { abortSignal?: AbortSignal }) => PromiseLike<{ stream: ReadableStream<ModelPart> }>;

export interface TurnWatcher {
  onStart: (turn: ModelTurn) => void;
  onEnd: () => void;
  /** Holds the model back from running ahead of its reader. */
  flow: StepFlow;
}

/**
 * The model, with `onStart` called for each turn and `onEnd` when its last part was read, if somebody watches. It is not
 * called once the signal is aborted, which the SDK does not look at between two steps. Everything else of it is
 * untouched. A model given by name is looked up the way the SDK does; if that fails, the name is returned as it is.
 */
export function watchModel(
  model: unknown,
  ai: AiModule,
  signal: AbortSignal,
  watcher: TurnWatcher | undefined,
): unknown {
  const resolved = resolveModel(model, ai);
  if (
    typeof resolved !== 'object' ||
    resolved === null ||
    typeof (resolved as { doStream?: unknown }).doStream !== 'function'
  ) {
    return model;
  }
  const doStream: DoStream = async (options) => {
    // The options' own signal is also aborted by the timeouts of the SDK.
    if (signal.aborted || options.abortSignal?.aborted === true)
      throw new DOMException('The run was aborted: its model is not called.', 'AbortError');
    const result = await (resolved as { doStream: DoStream }).doStream(options);
    const turn = new ModelTurn();
    // Only now: a call that failed is made again, and is the same turn.
    watcher?.onStart(turn);
    return watcher === undefined ? result : { ...result, stream: watchStream(result.stream, turn, watcher) };
  };
  return new Proxy(resolved, {
    // Methods and getters of the model may use private fields: they must see the model itself.
    get: (target, property) => {
      if (property === 'doStream') return doStream;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function watchStream(
  stream: ReadableStream<ModelPart>,
  turn: ModelTurn,
  { flow, onEnd }: TurnWatcher,
): ReadableStream<ModelPart> {
  const reader = stream.getReader();
  return new ReadableStream<ModelPart>(
    {
      async pull(controller) {
        const held = flow.mayRead();
        if (held !== undefined) await held;
        if (flow.isOver) {
          // The SDK may not cancel what it no longer needs.
          controller.close();
          return void reader.cancel().catch(() => {});
        }
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          return;
        }
        if (value.type === 'tool-call') turn.toolCalls++;
        else if (value.type === 'tool-approval-request') turn.providerRequests++;
        else if (value.type === 'error') turn.hasErred = true;
        controller.enqueue(value);
        if (value.type === 'finish') {
          turn.ended = true;
          turn.finishReason = readReason(value.finishReason);
          onEnd();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No buffer of our own: what the reader does not want is not taken from the model.
    { highWaterMark: 0 },
  );
}

/** An object in the specifications of AI SDK 6 and 7, a string before. */
function readReason(reason: unknown): string {
  const unified: unknown =
    typeof reason === 'object' && reason !== null ? (reason as { unified?: unknown }).unified : reason;
  return typeof unified === 'string' ? unified : 'other';
}

function resolveModel(model: unknown, ai: AiModule): unknown {
  if (typeof model !== 'string') return model;
  try {
    const provider = (globalThis as { AI_SDK_DEFAULT_PROVIDER?: { languageModel(id: string): unknown } })
      .AI_SDK_DEFAULT_PROVIDER;
    return (provider ?? ai.gateway)?.languageModel(model);
  } catch {
    return model;
  }
}

/** A language model that says nothing and is nowhere called: for a round that only has to run what was approved. */
export function silentModel(specificationVersion: string): unknown {
  return {
    specificationVersion,
    provider: 'countersign',
    modelId: 'none',
    supportedUrls: {},
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({
            type: 'finish',
            finishReason: { unified: 'stop', raw: undefined },
            usage: { inputTokens: NO_TOKENS, outputTokens: NO_TOKENS },
          });
          controller.close();
        },
      }),
    }),
  };
}

const NO_TOKENS = {
  total: undefined,
  noCache: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  text: undefined,
  reasoning: undefined,
};
