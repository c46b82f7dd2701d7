/** What the page asks of the inbox, wherever that is mounted. */
import type { ErrorBody } from '../protocol.js';

/** The inbox refused. `status` is that of HTTP. */
export class RefusedError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** There was no answer, or none that can be read. What was sent may have been done, or not. */
export class NoAnswer extends Error {}

/** The address of a part of the API. */
export const addressOf = (path: string): string =>
  new URL(`api/${path}`, new URL(document.documentElement.dataset.base ?? './', location.href)).href;

let csrf = '';

/** The token that each POST carries. */
export function setCsrf(token: string): void {
  csrf = token;
}

export async function get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return await send<T>(search.size === 0 ? path : `${path}?${search}`, { method: 'GET' });
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-countersign-csrf': csrf };
  return await send<T>(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(addressOf(path), { ...init, cache: 'no-store', redirect: 'error' });
    body = await response.json();
  } catch {
    throw new NoAnswer('The inbox did not answer');
  }
  if (response.ok) return body as T;
  const error = (body as { error?: ErrorBody } | null)?.error;
  if (typeof error?.code !== 'string') throw new NoAnswer(`The inbox answered with ${response.status}`);
  throw new RefusedError(response.status, error);
}
