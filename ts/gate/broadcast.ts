import { EventsLostError } from '../errors/index.js';
import { whenAborted } from '../values/when-aborted.js';
import { bindMethods } from '../values/bind-methods.js';

const MAX_BEHIND = 10_000;

/** Gives each reader every value from the moment it began to read, in order, with bounded memory. */
export class EventBroadcast<T> {
  readonly #readers = new Set<BroadcastReader<T>>();
  readonly #onReaders: (some: boolean) => void;

  /** @param onReaders is told when the first one begins to read and when the last one has left */
  constructor(onReaders: (some: boolean) => void = () => {}) {
    this.#onReaders = onReaders;
  }

  publish(value: T): void {
    for (const reader of this.#readers) reader.push(value);
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Nothing more can be told: each reader gets what was queued, and then this. */
  fail(error: unknown): void {
    for (const reader of this.#readers) reader.fail(error);
  }

  subscribe(signal?: AbortSignal): AsyncIterableIterator<T> {
    const reader = new BroadcastReader<T>(() => {
      if (this.#readers.delete(reader) && this.#readers.size === 0) this.#onReaders(false);
      forget();
    });
    const stop = () => reader.end();
    const forget = whenAborted(signal, stop);
    this.#readers.add(reader);
    if (this.#readers.size === 1) this.#onReaders(true);
    if (signal?.aborted) stop();
    return reader;
  }
}

class BroadcastReader<T> implements AsyncIterableIterator<T> {
  readonly #queue: T[] = [];
  readonly #waiting: { resolve: (result: IteratorResult<T, undefined>) => void; reject: (error: unknown) => void }[] =
    [];
  #state: 'open' | 'ended' | 'lost' | 'failed' = 'open';
  #error: unknown;
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
    bindMethods(this);
  }

  push(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return waiting.resolve({ value, done: false });
    if (this.#queue.push(value) > MAX_BEHIND) {
      this.#queue.length = 0;
      this.#finish('lost');
    }
  }

  /** What was queued is still delivered. */
  end(): void {
    if (this.#state === 'open') this.#finish('ended');
  }

  fail(error: unknown): void {
    if (this.#state !== 'open') return;
    this.#error = error;
    // Of those that wait, one is told; a later reader is at the end.
    const [first] = this.#waiting.splice(0, 1);
    this.#finish(first === undefined ? 'failed' : 'ended');
    first?.reject(error);
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#queue.shift();
    if (value !== undefined) return { value, done: false };
    if (this.#state === 'lost') {
      this.#state = 'ended';
      throw new EventsLostError({
        message: `This reader fell more than ${MAX_BEHIND} events behind. Read gate.pending() and call gate.events() again.`,
      });
    }
    if (this.#state === 'failed') {
      this.#state = 'ended';
      throw this.#error;
    }
    if (this.#state === 'ended') return { value: undefined, done: true };
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#queue.length = 0;
    this.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(state: 'ended' | 'lost' | 'failed'): void {
    this.#state = state;
    this.#leave();
    for (const { resolve } of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
  }
}
