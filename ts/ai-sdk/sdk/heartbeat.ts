/**
 * A stream of server-sent events that is never silent for long: while a human thinks, servers and proxies take a silence for an
 * end. What is sent in between is a comment, which every reader of such streams leaves out.
 */
import { InvalidConfigError } from '../../errors/index.js';
import { checkPositive } from '../../gate/check-positive.js';
import { readable, takeOptions } from '../../options/check.js';
import { LONGEST_TIMER_MS } from '../../values/longest-timer.js';

/** In ms. `Bun.serve` closes what has been silent for ten seconds, and proxies after thirty to sixty. */
const EVERY_MS = 5_000;

/** @see types/ */
export function withHeartbeat(response: Response, options: { every?: number } = {}): Response {
  const { every = EVERY_MS } = takeOptions('withHeartbeat', options);
  if (!readable('withHeartbeat', () => isResponse(response)))
    throw new InvalidConfigError({
      message: 'withHeartbeat: the first argument must be a Response, such as toUIMessageStreamResponse() gives.',
    });
  const period = checkPositive('withHeartbeat: every', every);
  if (response.body === null) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // Comments come to what it counts.
  headers.delete('content-length');
  return new Response(beating(response.body, period), { status, statusText, headers });
}

/** Also one of another realm, or of a polyfill. */
const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  'headers' in value &&
  'body' in value &&
  (value.body === null || typeof (value.body as { getReader?: unknown } | undefined)?.getReader === 'function');

/** @param heartbeat ms, `false`: none; as a user gave it */
export function heartbeatOf(heartbeat: number | false | undefined, place: string): number | undefined {
  return heartbeat === false ? undefined : checkPositive(`${place}: heartbeat`, heartbeat ?? EVERY_MS);
}

/** The events of `body`, with a comment between two of them whenever none has come for `every` ms. */
export function beating(body: ReadableStream<Uint8Array>, every: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const ends = new EventEnds();
  let reading: Promise<ReadableStreamReadResult<Uint8Array>> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      for (;;) {
        reading ??= reader.read();
        const silence = new Promise<undefined>((resolve) => {
          timer = setTimeout(() => resolve(undefined), Math.min(every, LONGEST_TIMER_MS)).unref();
        });
        const read = await Promise.race([reading, silence]);
        clearTimeout(timer);
        if (read === undefined) {
          if (!ends.isBetween) continue;
          return controller.enqueue(COMMENT);
        }
        reading = undefined;
        if (read.done) return controller.close();
        if (read.value.byteLength === 0) continue;
        ends.saw(read.value);
        return controller.enqueue(read.value);
      }
    },
    async cancel(reason) {
      clearTimeout(timer);
      await reader.cancel(reason);
    },
  };
  // Nothing is made in advance: a comment is for somebody who waits.
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

const COMMENT = new TextEncoder().encode(': waiting\n\n');

/** Whether what was sent so far ends with a whole event: an empty line, however it is written. */
class EventEnds {
  #last = '\n\n';

  get isBetween(): boolean {
    return this.#last.replaceAll(/\r\n?/g, '\n').endsWith('\n\n');
  }

  saw(bytes: Uint8Array): void {
    this.#last = (this.#last + String.fromCharCode(...bytes.subarray(-4))).slice(-4);
  }
}
