/** What happens beside the model's stream: pushed from anywhere, taken by the one loop that yields it. */
export class EventQueue<T> {
  readonly #items: T[] = [];
  #rung = false;
  #wake: (() => void) | undefined;
  #room: { promise: Promise<void>; resolve: () => void } | undefined;
  #isOver = false;

  push(item: T): void {
    this.#items.push(item);
    this.ring();
  }

  /** As {@link EventQueue.push}, for those that push much: to be waited for when more is there than is taken. */
  offer(item: T): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    this.push(item);
    if (this.#items.length < MANY) return undefined;
    this.#room ??= roomLater();
    return this.#room.promise;
  }

  /** The reader is gone: no writer need wait for it. */
  close(): void {
    this.#isOver = true;
    this.#room?.resolve();
  }

  /** Wakes the loop without giving it anything. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  take(): T | undefined {
    const item = this.#items.shift();
    if (this.#room !== undefined && this.#items.length < MANY) {
      this.#room.resolve();
      this.#room = undefined;
    }
    return item;
  }

  /**
   * What the promise gives; `undefined`: it was rung first. Costs less than a race with {@link EventQueue.rung}, which stands for each
   * part of a stream.
   */
  rungBefore<R>(promise: Promise<R>): Promise<R | undefined> {
    // What is there already comes first.
    if (this.#rung) return Promise.race([promise, this.rung()]) as Promise<R | undefined>;
    return new Promise<R | undefined>((resolve, reject) => {
      const over = (): void => {
        if (this.#wake === wake) this.#wake = undefined;
      };
      const wake = (): void => {
        over();
        this.#rung = false;
        resolve(undefined);
      };
      this.#wake = wake;
      const settling =
        <V>(settle: (value: V) => void) =>
        (value: V): void => {
          over();
          settle(value);
        };
      promise.then(settling<R>(resolve), settling<unknown>(reject));
    });
  }

  /** Resolves when it was rung since the last time this resolved. */
  async rung(): Promise<void> {
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = undefined;
    this.#rung = false;
  }
}

const MANY = 128;

function roomLater(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
