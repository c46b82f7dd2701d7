/** What the SDK streams of a run: one result a round, read part by part. */
import { StepFlow } from '../sdk/flow.js';
import { outputOf, partOf, streamOf } from './reading.js';
import type { StreamResult } from '../sdk/sdk.js';

export class SdkStream {
  /** Keeps the model from running ahead of it. */
  readonly flow = new StepFlow();
  /** Of the current round, or the last. */
  result: StreamResult | undefined;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #reading: Promise<ReadableStreamReadResult<unknown>> | undefined;
  /** The last result for which the model was called. */
  #spoken: StreamResult | undefined;

  /** Begins to read the result. */
  read(wantsOutput: boolean): void {
    this.#reader = streamOf(this.result as StreamResult, wantsOutput).getReader();
    this.#reading = undefined;
  }

  /**
   * What is read next; `undefined`: something else came first, and the part is still to come.
   *
   * @param first gives what it is given, or `undefined` when something else happens before; it is only paid for where that can be
   */
  async next(
    first?: <T>(reading: Promise<T>) => Promise<T | undefined>,
  ): Promise<ReadableStreamReadResult<unknown> | undefined> {
    this.#reading ??= (this.#reader as ReadableStreamDefaultReader<unknown>).read();
    this.flow.wait();
    const read = await (first === undefined ? this.#reading : first(this.#reading));
    if (read === undefined) return undefined;
    this.flow.arrived(read.done ? '' : partOf(read.value).type);
    this.#reading = undefined;
    return read;
  }

  /** The model was called for the result, and has said what it says. */
  spoke(): void {
    this.#spoken = this.result;
  }

  /** The structured output, when the model gave one. */
  output(): Promise<unknown> {
    return outputOf(this.#spoken);
  }

  stop(reason: unknown): void {
    this.flow.stop();
    void this.#reader?.cancel(reason).catch(() => {});
  }
}
