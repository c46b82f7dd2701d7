interface WaitingItem<IN, OUT> {
  input: IN;
  resolve: (output: OUT) => void;
  reject: (error: unknown) => void;
}

/** Does things of one kind in their order, and together what comes at one moment or while others are being done. */
export class BatchQueue<IN, OUT> {
  readonly #work: (inputs: IN[]) => Promise<(() => OUT)[]>;
  readonly #sizeOf: (input: IN) => number;
  readonly #most: number;
  readonly #waiting: WaitingItem<IN, OUT>[] = [];
  #isBusy = false;

  /**
   * @param work gives for each input what returns, or throws, what became of it; when it fails itself, all of them fail
   * @param most the size of a batch, which is only larger when it is that of one input
   */
  constructor(work: (inputs: IN[]) => Promise<(() => OUT)[]>, sizeOf: (input: IN) => number, most: number) {
    this.#work = work;
    this.#sizeOf = sizeOf;
    this.#most = most;
  }

  add(input: IN): Promise<OUT> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (!this.#isBusy) void this.#doAll();
    });
  }

  async #doAll(): Promise<void> {
    this.#isBusy = true;
    // What else is asked for at this moment comes along.
    await Promise.resolve();
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#do(batch);
    this.#isBusy = false;
  }

  #take(): WaitingItem<IN, OUT>[] {
    let size = 0;
    const end = this.#waiting.findIndex(({ input }, index) => {
      size += this.#sizeOf(input);
      return index > 0 && size > this.#most;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
  }

  async #do(batch: WaitingItem<IN, OUT>[]): Promise<void> {
    try {
      const outputs = await this.#work(batch.map(({ input }) => input));
      for (const [index, { resolve, reject }] of batch.entries()) {
        try {
          resolve((outputs[index] as () => OUT)());
        } catch (error) {
          reject(error);
        }
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
