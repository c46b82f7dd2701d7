/**
 * Waiting for the abort of a signal, with one listener for all who wait: a signal is often that of many calls at once, and Node
 * takes more than ten listeners for a leak.
 */
const listeners = new WeakMap<AbortSignal, AbortListener>();

/**
 * Calls it once, when the signal is aborted. When it was aborted before, nothing is called: that is the caller's to look for.
 *
 * @returns what takes it back
 */
export function whenAborted(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => {};
  const listener = listeners.get(signal) ?? new AbortListener(signal);
  return listener.add(call);
}

class AbortListener {
  readonly #signal: AbortSignal;
  readonly #calls = new Set<() => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    listeners.set(signal, this);
    signal.addEventListener('abort', this.#tell, { once: true });
  }

  add(call: () => void): () => void {
    // The same function may be given twice.
    const own = () => call();
    this.#calls.add(own);
    return () => {
      if (this.#calls.delete(own) && this.#calls.size === 0) this.#end();
    };
  }

  readonly #tell = (): void => {
    for (const call of this.#calls) {
      try {
        call();
      } catch (error) {
        // Told to the process, as for a listener of its own: the others are called all the same.
        process.nextTick(() => {
          throw error;
        });
      }
    }
    this.#calls.clear();
  };

  #end(): void {
    listeners.delete(this.#signal);
    this.#signal.removeEventListener('abort', this.#tell);
  }
}
