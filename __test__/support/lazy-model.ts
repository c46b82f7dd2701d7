/** A model whose parts are made one by one, when they are asked for: to act in the middle of its stream, and to count. */
import type { LanguageModel } from 'ai';
import { scripted, type ModelPart } from './model.js';

export interface LazyModel {
  model: LanguageModel;
  /** How often it was called. */
  readonly calls: number;
  /** How many parts were taken from it, over all calls. */
  readonly pulled: number;
  /** How many of its streams were cancelled. */
  readonly cancelled: number;
}

/** `turn` is called once per call of the model, with the number of the call from 0. It ignores the abort signal. */
export function lazy(turn: (number: number) => AsyncIterable<ModelPart> | Iterable<ModelPart>): LazyModel {
  const { model } = scripted([]);
  let calls = 0;
  let pulled = 0;
  let cancelled = 0;
  const doStream = async () => {
    const parts = turn(calls++);
    const iterator = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
    const stream = new ReadableStream<ModelPart>(
      {
        start: (controller) => controller.enqueue({ type: 'stream-start', warnings: [] }),
        async pull(controller) {
          const { done, value } = await iterator.next();
          if (done === true) return controller.close();
          pulled++;
          controller.enqueue(value);
        },
        cancel: () => void cancelled++,
      },
      { highWaterMark: 0 },
    );
    return { stream };
  };
  (model as unknown as { doStream: unknown }).doStream = doStream;
  return {
    model,
    get calls() {
      return calls;
    },
    get pulled() {
      return pulled;
    },
    get cancelled() {
      return cancelled;
    },
  };
}
