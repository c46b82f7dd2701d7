/** A failure that nobody has looked at is printed, once, as `streamText` prints it. */
import type { ErrorEvent } from '../../../index.js';

/** How many failures wait for somebody to look at them before the oldest is printed. */
const MOST = 100;

/** `inspect.custom` of `node:util`, which is slow to load. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

const waiting = new Set<UnheardError>();

/** Of one run. */
export class UnheardError {
  #isHeard = false;
  #failure: { error: unknown } | undefined;

  /** Somebody has looked at the error, or will: it is theirs to tell. */
  hear(): void {
    this.#isHeard = true;
    if (waiting.delete(this) && waiting.size === 0) process.off('exit', tellAll);
  }

  /** The run has failed. The reader is yet to come by that. */
  fail(error: unknown): void {
    this.#failure = { error };
    if (this.#isHeard) return;
    if (waiting.size === 0) process.once('exit', tellAll);
    waiting.add(this);
    const [oldest] = waiting.size > MOST ? waiting : [];
    oldest?.tell();
  }

  /** Nothing more is read of the run. Anyone who has read it to its end may still take its result. */
  end(): void {
    if (this.#failure !== undefined && !this.#isHeard) setImmediate(() => this.tell());
  }

  tell(): void {
    if (this.#failure === undefined || this.#isHeard) return;
    this.hear();
    // oxlint-disable-next-line no-console -- there is nobody else to tell
    console.error(this.#failure.error);
  }

  #told(error: unknown): ErrorEvent {
    this.hear();
    return { type: 'error', error };
  }

  /** The event that tells the error, which knows whether somebody looked. */
  event(error: unknown): ErrorEvent {
    const hear = (): void => this.hear();
    return Object.defineProperties({ type: 'error' } as ErrorEvent, {
      error: {
        enumerable: true,
        configurable: true,
        get: () => {
          hear();
          return error;
        },
      },
      toJSON: {
        value: () => {
          const told = this.#told(error);
          return { ...told, error: inJson(told.error) };
        },
      },
      // For printing the event.
      [INSPECT]: {
        value: () => this.#told(error),
      },
    });
  }
}

/** Of an error JSON would say nothing. */
function inJson(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, code } = error as Error & { code?: unknown };
  return { name, message, ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}) };
}

function tellAll(): void {
  for (const each of waiting) each.tell();
}
