/** An inbox over a gate of its own, and people who use it as their browsers would. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { InboxOptions } from '../../inbox.js';
import type { ApprovalRequest, Gate, GateOptions, GateRequest } from '../../index.js';
import { inboxHandler } from '../../ts/inbox/index.js';
import type { SessionAnswer } from '../../ts/inbox/protocol.js';
import { createGate } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';

export const ORIGIN = 'https://inbox.example';

/** To be done after the test, the last first. */
export const later = (what: () => unknown): void => onTestFinished(async () => void (await what()));

export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-inbox-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A built page. */
export function pageFolder(): string {
  const folder = scratch();
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html lang="en" data-base="./"><link rel="stylesheet" href="./assets/a-1.css"><script type="module" src="./assets/a-1.js"></script>',
  );
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'export {};');
  writeFileSync(join(folder, 'assets', 'a-1.css'), 'p{}');
  writeFileSync(join(folder, 'assets', 'notes.txt'), 'not of the page');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  return folder;
}

export function gateOf(options: GateOptions = {}): Gate {
  const gate = createGate({ ledger: 'sqlite:', ...options });
  later(() => gate.close());
  return gate;
}

/** Who sends a request stands in its header: `mia`, `mia/ops,security`, `-mia` for one who may only look. */
export const authenticate: InboxOptions['authenticate'] = (request) => {
  const said = request.headers.get('x-person');
  if (said === null) return null;
  const [name = '', groups = ''] = said.replace(/^-/, '').split('/');
  return { name, groups: groups === '' ? [] : groups.split(','), mayDecide: !said.startsWith('-') };
};

export type Handler = (request: Request) => Promise<Response>;

export const inboxOf = (gate: Gate, options: Partial<InboxOptions> = {}): Handler =>
  inboxHandler(gate, { authenticate, assets: pageFolder(), ...options });

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Headers to send; `null`: not this one. */
type Given = Record<string, string | null>;

/** A person with a browser. */
export class Person {
  readonly #handler: Handler;
  readonly #name: string;
  readonly #base: string;

  constructor(handler: Handler, name: string, base = '/inbox') {
    this.#handler = handler;
    this.#name = name;
    this.#base = base;
  }

  async send(
    method: string,
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Given } = {},
  ): Promise<Response> {
    const headers = new Headers({ 'x-person': this.#name, 'sec-fetch-site': 'same-origin' });
    for (const [name, value] of Object.entries(init.headers ?? {}))
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    return this.#handler(new Request(`${ORIGIN}${this.#base}/${path}`, { ...init, method, headers }));
  }

  async get<T>(path: string, headers: Given = {}): Promise<Answer<T>> {
    return answerOf<T>(await this.send('GET', path, { headers }));
  }

  async post<T>(path: string, body: unknown, headers: Given = {}): Promise<Answer<T>> {
    const { csrf } = (await this.get<SessionAnswer>('api/session')).body;
    const given = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf, ...headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return answerOf<T>(await this.send('POST', path, { body: text, headers: given }));
  }

  decide<T = { error: { code: string } }>(id: string, decision: unknown): Promise<Answer<T>> {
    return this.post<T>(`api/requests/${id}/decision`, { decision });
  }
}

export async function answerOf<T>(response: Response): Promise<Answer<T>> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  return { status, headers, body: (isJson ? JSON.parse(text) : text) as T };
}

/** Asks, and gives the request that waits. */
export async function ask(gate: Gate, request: Partial<GateRequest> = {}): Promise<ApprovalRequest> {
  const toolCallId = request.toolCallId ?? crypto.randomUUID();
  const asked = { toolName: 'execute', args: { command: 'git push' }, runId: 'run', ...request, toolCallId };
  gate.request(asked).catch(() => {});
  // With policies it is judged first.
  return vi.waitFor(async () => {
    const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
    if (found === undefined) throw new Error('nothing waits');
    return found;
  }, PATIENTLY);
}

/** One event of a stream after the other. */
export async function* eventsOf(response: Response): AsyncGenerator<{ event: string; data: Record<string, unknown> }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(rest.slice(0, end)) ?? [];
      rest = rest.slice(end + 2);
      if (event !== undefined) yield { event, data: JSON.parse(data ?? '') as Record<string, unknown> };
    }
  }
}
