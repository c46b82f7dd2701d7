/** What `streamWithEvents` returns: the run, to be iterated once, as events or as UI chunks. */
import type { ToolSet } from 'ai';
import type { AgentEvent, AgentRun, RunResult } from '../../../index.js';
import { InvalidConfigError } from '../../errors/index.js';
import { warnOnce } from '../../errors/warn-once.js';
import type { CallAsker } from '../../gate/asker.js';
import { eventView } from '../run/events.js';
import { readable, takePassedOn } from '../../options/check.js';
import { checkList } from '../../options/names.js';
import { heartbeatOf } from '../sdk/heartbeat.js';
import { Run } from '../run/run.js';
import type { RunOptions } from '../run/run-options.js';
import type { StreamPart } from '../sdk/sdk.js';
import { UnheardError } from '../sdk/unheard.js';
import { runWasBegun, runWasMade } from './unbegun.js';
import { eventStreamResponse, partView, uiMessageStream } from './ui.js';
import { bindMethods } from '../../values/bind-methods.js';

type RunItem = AgentEvent | StreamPart;

/** Runs whose iterator was dropped without being left: what they wait for is cancelled. */
const dropped = new FinalizationRegistry<AbortController>((leaving) =>
  leaving.abort(new DOMException('The run was dropped.', 'AbortError')),
);

export class IterableRun<TOOLS extends ToolSet> implements AgentRun<TOOLS> {
  readonly #run: Run;
  readonly #asker: CallAsker;
  readonly #leaving: AbortController;
  readonly #includeRaw: boolean;
  readonly #unheard: UnheardError;
  /** Stands for this object where it must not be held. */
  readonly #token = {};
  #items: AsyncGenerator<RunItem, undefined> | undefined;
  /** Its events go to somebody, or went. */
  #isIterated = false;
  /** They go into a stream for a UI. */
  #isInUi = false;
  /** As long as somebody waits for an item, the run holds this object, so that it is not taken for dropped. */
  readonly #holder: { run: unknown; readers: number } = { run: undefined, readers: 0 };

  constructor(
    options: Omit<RunOptions, 'signal' | 'unheard'> & { signal: AbortSignal | undefined; includeRaw: boolean },
  ) {
    this.#leaving = new AbortController();
    const leaving = this.#leaving;
    const { stopped } = options.asker.human;
    const unbind = stopped.onAbort(() => leaving.abort(stopped.reason));
    if (stopped.isAborted) leaving.abort(stopped.reason);
    const signal = options.signal === undefined ? leaving.signal : AbortSignal.any([options.signal, leaving.signal]);
    this.#unheard = new UnheardError();
    if (options.callbacks(['onError']).length > 0) this.#unheard.hear();
    this.#run = new Run({ ...options, signal, unheard: this.#unheard });
    this.#asker = options.asker;
    this.#includeRaw = options.includeRaw;
    dropped.register(this, this.#leaving, this.#token);
    runWasMade(this.#token);
    const token = this.#token;
    // Over, it has nothing left to cancel.
    const forget = () => {
      dropped.unregister(token);
      unbind();
    };
    this.#run.result.then(forget, forget);
    bindMethods(this);
  }

  get runId(): string {
    return this.#run.runId;
  }

  /** A promise that drives the run when it is awaited and the run is not iterated. */
  get result(): Promise<RunResult<TOOLS>> {
    return new DrivingPromise(this.#run.result as Promise<RunResult<TOOLS>>, () => {
      this.#unheard.hear();
      return this.#drive();
    });
  }

  next(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    runWasBegun(this.#token);
    this.#items ??= this.#iterate();
    this.#holder.run = this;
    this.#holder.readers++;
    const items = this.#items;
    // What the SDK calls on the way, such as tools and predicates, finds the context in which the run was made.
    return this.#asker.inContext(() => items.next()) as Promise<IteratorResult<AgentEvent<TOOLS>, undefined>>;
  }

  async return(): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    await this.#leave();
    return { value: undefined, done: true };
  }

  async throw(error?: unknown): Promise<IteratorResult<AgentEvent<TOOLS>, undefined>> {
    await this.#leave();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    // Who read some of it by `next()` may read the rest in a loop.
    if (this.#isIterated && this.#items !== undefined) throw this.#isInUi ? readAsUi() : iteratedTwice();
    this.#isIterated = true;
    return this;
  }

  async suspend(): Promise<void> {
    this.#run.suspend();
    // It goes on to where it can stop, whether or not somebody reads it.
    for (let item = await this.next(); item.done !== true; item = await this.next());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave();
  }

  toUIMessageStream(given: object = {}): ReadableStream {
    return this.#toUI(takeUI('toUIMessageStream', given));
  }

  #toUI(options: object): ReadableStream {
    if (this.#items !== undefined || this.#isIterated) throw this.#isInUi ? readAsUi() : iteratedTwice();
    this.#isIterated = true;
    this.#isInUi = true;
    const run = this.#run;
    const parts = run.items<StreamPart>(
      partView(() => run.opened.sdk.version.hasResponsePart),
      () => {},
    );
    this.#items = parts as AsyncGenerator<RunItem, undefined>;
    // From here on the stream is what is held on to, and a stream that is dropped is cancelled by its server.
    dropped.unregister(this.#token);
    return uiMessageStream(run, parts, {
      options: { ...options, ...this.#heardBy((options as { onError?: unknown }).onError) },
      // An unread stream runs nothing.
      onBegin: () => runWasBegun(this.#token),
      leave: () => this.#leave(),
    });
  }

  /** The page's own `onError`, which has heard of the error where it looks at it, and does not fail. */
  #heardBy(onError: unknown): { onError?: (error: unknown) => unknown } {
    if (typeof onError !== 'function') return {};
    return {
      onError: (error) => {
        const said = Reflect.apply(onError, undefined, [error]) as unknown;
        if (onError.length > 0) this.#unheard.hear();
        return said;
      },
    };
  }

  toUIMessageStreamResponse(given: ResponseInit & { heartbeat?: number | false } = {}): Response {
    const { headers, status, statusText, heartbeat, ...options } = takeUI('toUIMessageStreamResponse', given);
    const place = 'toUIMessageStreamResponse';
    const period = heartbeatOf(heartbeat, place);
    // Before the run is begun: what the web refuses, it refuses without a word of whose option it is.
    readable(place, () => new Response(null, { headers, status, statusText } as ResponseInit));
    return eventStreamResponse(this.#toUI(options), { headers, status, statusText }, period);
  }

  #iterate(): AsyncGenerator<RunItem, undefined> {
    const run = this.#run;
    const holder = this.#holder;
    const view = eventView<TOOLS>(() => run, this.#includeRaw, this.#unheard);
    return run.items<RunItem>(view as never, () => {
      if (holder.readers > 0 && --holder.readers === 0) holder.run = undefined;
    });
  }

  async #drive(): Promise<void> {
    // A reader that iterates it after taking its result gets all of its events.
    await Promise.resolve();
    if (this.#items !== undefined || this.#isIterated) return;
    this.#isIterated = true;
    for (let item = await this.next(); item.done !== true; item = await this.next());
  }

  async #leave(): Promise<void> {
    dropped.unregister(this.#token);
    runWasBegun(this.#token);
    // Before the generator is asked to end: it may be waiting for something that only this ends.
    this.#leaving.abort(new DOMException('The run was left before its end.', 'AbortError'));
    this.#items ??= this.#iterate();
    await this.#items.return(undefined);
    // A generator that was never started does not come by its own end.
    await this.#run.abandon();
  }
}

/** A version of the AI SDK may know more options than we do: they are handed on, and told. */
function takeUI<OPTIONS extends object>(
  place: 'toUIMessageStream' | 'toUIMessageStreamResponse',
  given: OPTIONS,
): OPTIONS {
  const { options, unknown } = takePassedOn(place, given, new Set());
  checkList((options as { originalMessages?: unknown }).originalMessages, place, 'originalMessages');
  for (const name of unknown)
    warnOnce(
      `option:${place}:${name}`,
      `${place}: ${JSON.stringify(name)} is not known here, and is handed on to the AI SDK.`,
    );
  return options;
}

const iteratedTwice = (): InvalidConfigError =>
  new InvalidConfigError({
    message:
      'A run is iterated once, and its events are gone: keep those that you need in an array, take `run.result` for what it came to, or start another run.',
  });

const readAsUi = (): InvalidConfigError =>
  new InvalidConfigError({
    message:
      'A run is read once, and its events go into the stream that toUIMessageStream or toUIMessageStreamResponse gave: read that one, or start another run.',
  });

class DrivingPromise<T> extends Promise<T> {
  // What `then` returns is an ordinary promise.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #drive: () => Promise<void>;

  constructor(source: Promise<T>, drive: () => Promise<void>) {
    super((resolve, reject) => void source.then(resolve, reject));
    this.#drive = drive;
    // Looking at it is not awaiting it.
    super.then(undefined, () => {});
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise; only that it starts what it is a promise of is new
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#drive().catch(() => {});
    return super.then(onFulfilled, onRejected);
  }
}
