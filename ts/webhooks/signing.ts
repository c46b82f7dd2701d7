/** Signatures of webhooks, as Standard Webhooks 1.0.0 has them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type * as Api from '../../webhooks.js';
import { WebhookSignatureError } from '../errors/webhook-signature-error.js';
import { readable, takeOptions } from '../options/check.js';
import { bodyOf, TooLarge } from './body.js';
import { invalid, keysOf } from './options.js';

const VERSION = 'v1,';
const TOLERANCE_MS = 300_000;
const MAX_BODY_BYTES = 1_048_576;

/** The value of `webhook-signature`. */
export const signatures = (keys: readonly Buffer[], id: string, seconds: number, body: string | Uint8Array): string =>
  keys.map((key) => signature(key, id, String(seconds), body)).join(' ');

const signature = (key: Buffer, id: string, seconds: string, body: string | Uint8Array): string =>
  VERSION + createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @see webhooks.d.ts */
export const verifyWebhook: typeof Api.verifyWebhook = async (webhook, secret, options = {}) => {
  const taken = takeOptions('verifyWebhook', options);
  const { tolerance = TOLERANCE_MS, maxBodyBytes = MAX_BODY_BYTES } = taken;
  const keys = keysOf('verifyWebhook: secret', secret);
  const { headers } = receivedOf(webhook);
  const id = header(headers, 'webhook-id');
  const seconds = header(headers, 'webhook-timestamp');
  const given = header(headers, 'webhook-signature').split(' ');
  // What would be another number when it is written anew is not what was signed.
  if (!/^(?:0|[1-9]\d{0,11})$/.test(seconds)) throw refused('its webhook-timestamp is not a time');
  const body = await bodyFrom(webhook, maxBodyBytes);
  const isSigned = keys
    .map((key) => signature(key, id, seconds, body))
    .flatMap((expected) => given.map((one) => isSame(one, expected)))
    .includes(true);
  if (!isSigned) throw refused('none of its signatures is of this secret');
  const age = Date.now() - Number(seconds) * 1000;
  if (!(Math.abs(age) <= tolerance)) throw refused(`it is from another time: ${Math.round(age / 1000)} s ago`);
  return read(body);
};

/** What a server got, and nothing else. @throws {InvalidConfigError} */
function receivedOf(webhook: unknown): Parameters<typeof verifyWebhook>[0] {
  const isOne = readable('verifyWebhook', () => {
    const { headers } = Object(webhook) as { headers?: unknown };
    return typeof headers === 'object' && headers !== null;
  });
  if (isOne) return webhook as Request;
  throw invalid('verifyWebhook: the first argument must be a Request, or { headers, body }.');
}

async function bodyFrom(webhook: Parameters<typeof verifyWebhook>[0], most: number): Promise<Uint8Array> {
  if (!(webhook instanceof Request)) {
    const { body } = webhook;
    if (typeof body === 'string') return Buffer.from(body);
    if (body instanceof Uint8Array) return body;
    throw refused('its body must be as it came: a text or bytes');
  }
  try {
    return await bodyOf(webhook, most);
  } catch (error) {
    throw refused(error instanceof TooLarge ? error.message : 'its body cannot be read', error);
  }
}

function header(headers: Parameters<typeof verifyWebhook>[0]['headers'], name: string): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name)]
      : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
  const [value, ...more] = values;
  if (typeof value !== 'string' || value === '' || more.length > 0) throw refused(`it has not one ${name} header`);
  return value;
}

function read(body: Uint8Array): Api.WebhookEvent {
  try {
    const event: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (isEvent(event)) return event;
  } catch {
    // Said below.
  }
  throw refused('it was signed, but its body is not an event');
}

const isEvent = (value: unknown): value is Api.WebhookEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'data' in value &&
  typeof value.data === 'object' &&
  value.data !== null;

const refused = (why: string, cause?: unknown): WebhookSignatureError =>
  new WebhookSignatureError({ message: `This webhook is not to be believed: ${why}.`, cause });
