/** The end of something that others may listen for. */

/** An end. Its signal, and the error that is the reason of it, are made for those who ask for the signal: most never do. */
export class EndSignal {
  readonly #message: string;
  #isOver = false;
  #controller: AbortController | undefined;

  /** @param message of the `AbortError` that is the reason */
  constructor(message: string) {
    this.#message = message;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborted when it ends, or has ended. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isOver) this.#abort(this.#controller);
    }
    return this.#controller.signal;
  }

  end(): void {
    this.#isOver = true;
    if (this.#controller !== undefined) this.#abort(this.#controller);
  }

  #abort(controller: AbortController): void {
    controller.abort(new DOMException(this.#message, 'AbortError'));
  }
}
