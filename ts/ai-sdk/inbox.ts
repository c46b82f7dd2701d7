/** What happens beside the model's stream: pushed from anywhere, taken by the one loop that yields it. */
export class Inbox<T> {
  readonly #items: T[] = [];
  #rung = false;
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.ring();
  }

  /** Wakes the loop without giving it anything. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  take(): T | undefined {
    return this.#items.shift();
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
