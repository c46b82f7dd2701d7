/** What happens, told to every open page: one reader of the gate's events for all of them. */
import type { GateEvent } from '../../index.js';
import type { LocalGate } from '../gate/gate.js';
import type { StreamEvents } from './protocol.js';
import { RefusedRequest } from './refusal.js';
import { reply } from './replies.js';

/** A comment so often, in ms: some servers take a silence of ten seconds for an end. */
const BEAT_MS = 8_000;
/** Then the page comes again, in ms, and is asked again who it is. */
const LONGEST_MS = 600_000;
/** How soon events are read again after that failed, in ms. */
const RETRY_MS = 1_000;
/** More changes than this that a page has not taken: it reads everything again. */
const MOST_BEHIND = 1_000;
const MOST_STREAMS = 1_000;
const MOST_OF_ONE = 32;

export class EventStreams {
  readonly #gate: LocalGate;
  readonly #pages = new Set<PageStream>();
  #reading: AbortController | undefined;
  #beat: NodeJS.Timeout | undefined;
  /** Something was not to be had of the ledger: who looks may have missed something. */
  #isTroubled = false;
  #isOver = false;

  constructor(gate: LocalGate) {
    this.#gate = gate;
  }

  /** @throws {RefusedRequest} 429, 503, and what the ledger says when it cannot be opened */
  async open(person: string, signal: AbortSignal): Promise<Response> {
    // To listen alone opens no ledger, and nothing would be heard of other processes.
    await this.#gate.ready();
    if (this.#isOver) throw new RefusedRequest(503, 'ERR_UNAVAILABLE', 'The inbox is closed.');
    const own = [...this.#pages].filter((page) => page.person === person).length;
    if (own >= MOST_OF_ONE || this.#pages.size >= MOST_STREAMS)
      throw new RefusedRequest(429, 'ERR_RATE_LIMITED', 'Too many pages are open.', { retryAfter: 10 });
    const page = new PageStream(person, () => this.#leave(page));
    this.#pages.add(page);
    this.#listen();
    page.say('hello', { now: Date.now() });
    if (signal.aborted) page.end();
    else signal.addEventListener('abort', () => page.end(), { once: true });
    return reply(200, page.body, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
  }

  /** The ledger could not be read, or can be again. */
  troubled(isTroubled: boolean): void {
    if (this.#isTroubled && !isTroubled) this.#gap();
    this.#isTroubled = isTroubled;
  }

  close(): void {
    this.#isOver = true;
    for (const page of this.#pages) {
      page.say('bye', { now: Date.now() });
      page.end();
    }
  }

  #leave(page: PageStream): void {
    if (!this.#pages.delete(page) || this.#pages.size > 0) return;
    this.#reading?.abort();
    this.#reading = undefined;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  #listen(): void {
    if (this.#reading !== undefined) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#beat = setInterval(() => {
      for (const page of this.#pages) page.beat(Date.now());
    }, BEAT_MS);
    this.#beat.unref();
    // Subscribed before anybody is told that they are connected: nothing is missed in between.
    void this.#read(this.#gate.events({ signal: reading.signal }), reading.signal);
  }

  async #read(events: AsyncIterable<GateEvent>, signal: AbortSignal): Promise<void> {
    for (let from = events; !signal.aborted;) {
      try {
        for await (const event of from) this.#tell(event);
        if (!signal.aborted) this.close();
        return;
      } catch {
        // Too slow, or the ledger is in trouble. Either way, something may have been missed.
        from = this.#gate.events({ signal });
        this.#gap();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      }
    }
  }

  #tell(event: GateEvent): void {
    const id = 'request' in event ? event.request.approvalId : 'approvalId' in event ? event.approvalId : undefined;
    // A policy that changed may change what each of them offers.
    if (id === undefined) return this.#gap();
    for (const page of this.#pages) page.changed(id);
  }

  #gap(): void {
    for (const page of this.#pages) page.gap();
  }
}

/** One open page. What it does not take in time is put together, so that it never takes much memory. */
class PageStream {
  readonly person: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly #leave: () => void;
  readonly #until = Date.now() + LONGEST_MS;
  readonly #ids = new Set<string>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isGap = false;

  constructor(person: string, leave: () => void) {
    this.person = person;
    this.#leave = leave;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#flush(),
        cancel: () => this.end(),
      },
      { highWaterMark: 16 },
    );
  }

  changed(id: string): void {
    if (!this.#isGap) this.#ids.add(id);
    if (this.#ids.size > MOST_BEHIND) this.gap();
    else this.#flush();
  }

  gap(): void {
    this.#isGap = true;
    this.#ids.clear();
    this.#flush();
  }

  beat(now: number): void {
    if (now >= this.#until) this.end();
    else if (this.#hasRoom()) this.#write(': here\n\n');
  }

  say<NAME extends keyof StreamEvents>(event: NAME, data: StreamEvents[NAME]): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#leave();
    try {
      controller?.close();
    } catch {
      // The reader has let go of it.
    }
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #flush(): void {
    if (!this.#hasRoom()) return;
    if (this.#isGap) this.say('gap', { now: Date.now() });
    else if (this.#ids.size > 0) this.say('change', { ids: [...this.#ids] });
    this.#isGap = false;
    this.#ids.clear();
  }

  #write(text: string): void {
    try {
      this.#controller?.enqueue(new TextEncoder().encode(text));
    } catch {
      this.end();
    }
  }
}
