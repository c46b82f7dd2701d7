/** An unobserved failure is printed, once, as `streamText` prints it. */
import type { ErrorEvent } from '../../../index.js';

/** How many failures wait for somebody to look at them before the oldest is printed. */
const MOST = 100;

/** `inspect.custom` of `node:util`, which is slow to load. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** The last property of the event of an error, while the run is at it. Only who copies the whole event reads it. */
const COPIED = Symbol('countersign.copied');

const waiting = new Set<UnheardError>();

/** Of one run. */
export class UnheardError {
  #isHeard = false;
  #failure: { error: unknown } | undefined;
  /** Of the last time that the error of the event was read: whether that was the first time. Known until something else can run. */
  #isFirstLook = false;
  /** Its events, as long as the run is read: later they are compared, with what has no such property. */
  readonly #marked: object[] = [];

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
    for (const event of this.#marked.splice(0)) Reflect.deleteProperty(event, COPIED);
    if (this.#failure !== undefined && !this.#isHeard) setImmediate(() => this.tell());
  }

  tell(): void {
    if (this.#failure === undefined || this.#isHeard) return;
    this.hear();
    // oxlint-disable-next-line no-console -- no reader is left to tell
    console.error(this.#failure.error);
  }

  #told(error: unknown): ErrorEvent {
    this.hear();
    return { type: 'error', error };
  }

  #look(): void {
    this.#isFirstLook = !this.#isHeard;
    queueMicrotask(() => (this.#isFirstLook = false));
    this.hear();
  }

  /** It was read for a copy of the event. That is no observation: it may be a line of a log that is never shown. */
  #copied(): void {
    if (!this.#isFirstLook) return;
    this.#isFirstLook = false;
    this.#isHeard = false;
    if (this.#failure !== undefined) this.fail(this.#failure.error);
  }

  /**
   * The event that tells the error, which knows whether somebody looked. A copy that is made of it in the loop
   * (`{ ...event }`) is no look: it is printed then, at worst beside what the program says of the copy. As JSON or in print it is
   * text, and text is made for somebody.
   */
  event(error: unknown): ErrorEvent {
    const look = (): void => this.#look();
    const copied = (): void => this.#copied();
    const event = Object.defineProperties({ type: 'error' } as ErrorEvent, {
      error: {
        enumerable: true,
        configurable: true,
        get: () => {
          look();
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
      [COPIED]: { enumerable: true, configurable: true, get: copied },
    });
    this.#marked.push(event);
    return event;
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
