/** One attempt to tell an endpoint something. */
import type { WebhookEndpoint, SendWebhooksOptions } from '../../webhooks.js';
import { messageOf } from '../errors/message-of.js';
import { oneLine } from '../gate/in-a-line.js';
import { isPlain, kindOf } from '../options/names.js';
import { checkPositive } from '../gate/check-positive.js';
import { whenAborted } from '../values/when-aborted.js';
import { addressOf, invalid, keysFrom } from './options.js';
import type { AttemptFailure } from './outbox.js';
import { signatures } from './signing.js';

export interface WebhookReceiver {
  url: string;
  keys: Buffer[];
  headers: Record<string, string>;
  /** ms */
  timeout: number;
  fetch: NonNullable<SendWebhooksOptions['fetch']>;
}

/** What the specification and HTTP say themselves. */
const RESERVED = /^(?:webhook-.*|content-type|content-length|host|transfer-encoding|connection)$/;

export function receiverOf(place: string, endpoint: WebhookEndpoint, options: SendWebhooksOptions): WebhookReceiver {
  const headers = headersOf(`${place}.headers`, endpoint.headers === undefined ? {} : endpoint.headers);
  const reserved = Object.keys(headers).find((name) => RESERVED.test(name));
  if (reserved !== undefined) throw invalid(`${place}.headers must not have ${reserved}, which is set for you.`);
  return {
    url: addressOf(`${place}.url`, endpoint.url).href,
    keys: keysFrom(place, endpoint),
    headers,
    timeout: checkPositive('sendWebhooks: timeout', options.timeout === undefined ? 15_000 : options.timeout),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

/** With names in lower case. What cannot be sent is found out before the first event is lost to it. */
function headersOf(place: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  if (!isPlain(headers)) throw invalid(`${place} must be an object of texts by name, not ${kindOf(headers)}.`);
  try {
    return Object.fromEntries(new Headers(headers));
  } catch (error) {
    throw invalid(`${place} cannot be sent: ${messageOf(error)}`);
  }
}

/** `undefined`: it was taken. */
export async function attempt(
  { url, keys, headers, timeout, fetch }: WebhookReceiver,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<AttemptFailure | undefined> {
  const seconds = Math.floor(Date.now() / 1000);
  // Not `AbortSignal.any` of `AbortSignal.timeout`: on Node 20 they are collected while they are waited for, and never abort.
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new Error(`no answer within ${timeout} ms`)), timeout);
  const forget = whenAborted(signal, () => ending.abort(signal.reason));
  try {
    signal.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: ending.signal,
      headers: {
        'user-agent': 'countersign',
        ...headers,
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures(keys, id, seconds, body),
      },
    });
    // The body of the answer does not matter, however long it is.
    await response.body?.cancel();
    return failureOf(response);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    const why = cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageOf(cause)}`;
    return { error: oneLine(why).slice(0, 200) };
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Statuses that go with a wish to be left alone. */
const MAY_WAIT: readonly number[] = [429, 503];

function failureOf({ ok, status, headers, type }: Response): AttemptFailure | undefined {
  if (ok) return undefined;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return { error: `it wants to be asked elsewhere (${status}): correct the address` };
  if (status === 410) return { error: 'it is gone (410)', final: true };
  const retryAfter = MAY_WAIT.includes(status) ? waitOf(headers.get('retry-after')) : undefined;
  return { error: `it answered with ${status}`, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** `Retry-After`: seconds, or a time. */
function waitOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d{1,9}$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : undefined;
}
