/** Answers, with the headers that each of them has. */
import type { FailedRequest } from './refusal.js';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CSP,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function reply(status: number, body: BodyInit | null, headers: Record<string, string>): Response {
  return new Response(body, { status, headers: { ...HEADERS, 'cache-control': 'no-store', ...headers } });
}

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  reply(status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8', ...headers });

export const failed = ({ status, error, headers }: FailedRequest): Response => json({ error }, status, headers);
