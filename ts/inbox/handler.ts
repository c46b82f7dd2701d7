/** The inbox as a handler of web requests. */
import type { InboxOptions } from '../../inbox.js';
import type { Gate } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { InboxAssets } from './assets.js';
import { readBody } from './body.js';
import { check, decide, decideAll, errorOf } from './deciding.js';
import { AuditLook, detail, entries, history, pending, runs } from './looking.js';
import { addressOf } from './node.js';
import { settingsOf, type InboxSettings } from './options.js';
import { checkRead, checkWrite, csrfToken } from './origin.js';
import type { InboxPerson } from './may.js';
import { personOf } from './person.js';
import type { SessionAnswer } from './protocol.js';
import { RateLimit } from './rate.js';
import { failureOf, isLedgerTrouble, notFound, RefusedRequest } from './refusal.js';
import { failed, json, reply } from './replies.js';
import { fieldsOf, methodsOf, routeOf, type InboxRoute } from './routes.js';
import { RunHeads } from './run-heads.js';
import { EventStreams } from './stream.js';
import { acceptSuggested, suggestion } from './suggesting.js';
import { version } from './version.js';
import { brief, type ViewContext } from './view.js';

export class InboxHandler {
  readonly #settings: InboxSettings;
  readonly #assets: InboxAssets;
  readonly #streams: EventStreams;
  readonly #audit: AuditLook;
  readonly #heads: RunHeads;
  readonly #version = version();
  readonly #persons: RateLimit | undefined;
  readonly #addresses: RateLimit | undefined;

  /** @throws {InvalidConfigError} */
  constructor(gate: Gate, options: InboxOptions, place: string) {
    this.#settings = settingsOf(gate, options, place);
    this.#assets = new InboxAssets(this.#settings.assets);
    this.#streams = new EventStreams(this.#settings.gate);
    this.#audit = new AuditLook(this.#settings.gate);
    this.#heads = new RunHeads(this.#settings.gate);
    const { rates } = this.#settings;
    this.#persons = rates === null ? undefined : new RateLimit(rates.perPerson);
    this.#addresses = rates === null ? undefined : new RateLimit(rates.perAddress);
  }

  /** Never rejects. */
  async handle(request: Request): Promise<Response> {
    const response = await this.#answer(request);
    if (request.method !== 'HEAD') return response;
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  }

  /** Ends what is open. */
  close(): void {
    this.#streams.close();
  }

  async #answer(request: Request): Promise<Response> {
    let eyes: ViewContext | undefined;
    try {
      const address = this.#settings.address(request) ?? addressOf(request);
      if (address !== null) this.#addresses?.take(address);
      const person = await personOf(request, this.#settings);
      this.#persons?.take(person.name);
      eyes = this.#eyes(person);
      return await this.#route(request, eyes);
    } catch (error) {
      if (isLedgerTrouble(error)) this.#streams.troubled(true);
      return this.#refuse(request, error, eyes);
    }
  }

  #refuse(request: Request, error: unknown, eyes: ViewContext | undefined): Response {
    let failure = failureOf(error);
    try {
      if (eyes !== undefined) failure = { ...failure, error: errorOf(error, eyes) };
    } catch {
      // What stands cannot be shown; that the decision was not taken is told in any case.
    }
    this.#tell(failure.status, failure.error.code, request, error);
    return failed(failure);
  }

  #eyes(person: InboxPerson): ViewContext {
    const { gate, scopes } = this.#settings;
    return { person, groups: gate.groups, scopes, now: Date.now() };
  }

  async #route(request: Request, eyes: ViewContext): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const isForPage = request.headers.get('accept')?.includes('text/html') === true;
    const route = routeOf(pathname, this.#settings.basePath, isForPage);
    if (route === undefined) throw notFound();
    const methods = methodsOf(route);
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') return reply(204, null, { allow });
    if (!methods.includes(request.method))
      throw new RefusedRequest(405, 'ERR_METHOD_NOT_ALLOWED', `Only ${allow} is possible here.`, {
        headers: { allow },
      });
    if (request.method === 'POST') return this.#write(request, route, eyes);
    if (route.to === 'page') return this.#assets.page(request, route.base);
    checkRead(request);
    if (route.to === 'asset') return this.#assets.asset(route.name);
    return this.#read(request, route, searchParams, eyes);
  }

  async #read(request: Request, route: InboxRoute, query: URLSearchParams, eyes: ViewContext): Promise<Response> {
    const { gate } = this.#settings;
    if (route.to === 'request') return this.#told(detail(gate, route.id, eyes));
    if (route.to === 'suggestions') return this.#told(suggestion(gate, eyes));
    if (route.to !== 'list') throw notFound();
    switch (route.list) {
      case 'session':
        return json(this.#session(eyes));
      case 'pending':
        return this.#told(pending(gate, this.#heads, query, eyes));
      case 'history':
        return this.#told(history(gate, query, eyes));
      case 'runs':
        return this.#told(runs(gate, eyes));
      case 'audit':
        return this.#told(this.#audit.state());
      case 'entries':
        return this.#told(entries(gate, query, eyes));
      case 'events':
        // A request for the headers alone needs no stream.
        return request.method === 'HEAD'
          ? reply(200, null, { 'content-type': 'text/event-stream; charset=utf-8' })
          : this.#streams.open(eyes.person.name, request.signal);
    }
  }

  async #write(request: Request, route: InboxRoute, eyes: ViewContext): Promise<Response> {
    const { gate, maxBodyBytes } = this.#settings;
    checkWrite(request, eyes.person, this.#settings);
    const body = await readBody(request, maxBodyBytes, fieldsOf(route));
    switch (route.to) {
      case 'decision':
        return this.#told(decide(gate, route.id, body, eyes));
      case 'check':
        return this.#told(check(gate, route.id, body, eyes));
      case 'decisions':
        return this.#told(decideAll(gate, body, eyes));
      case 'suggestions':
        return this.#told(acceptSuggested(gate, body, eyes));
      case 'verify':
        return this.#told(this.#audit.verify());
      default:
        throw notFound();
    }
  }

  /** What the ledger says: it can be asked. */
  async #told(said: Promise<unknown>): Promise<Response> {
    const answer = await said;
    this.#streams.troubled(false);
    return json(answer);
  }

  #session({ person, now }: ViewContext): SessionAnswer {
    const { name, groups, mayDecide } = person;
    const { gate, undoMs } = this.#settings;
    return {
      person: { name: brief(name, 80), groups: groups.map((group) => brief(group, 80)), mayDecide },
      csrf: csrfToken(person, this.#settings),
      now,
      version: this.#version,
      ledger: { isDurable: gate.isDurable },
      undo: undoMs,
    };
  }

  /** What is wrong here is an error, who is refused is worth knowing; what people do wrong is theirs. */
  #tell(status: number, code: string, { method, url }: Request, error: unknown): void {
    const { logger } = this.#settings;
    const fields = { status, code, method, path: new URL(url).pathname, reason: messageOf(error) };
    try {
      if (status >= 500) logger?.error?.('the inbox could not answer', fields);
      else if ([401, 403, 429].includes(status)) logger?.warn?.('the inbox refused a request', fields);
    } catch {
      // A logger that throws changes no answer.
    }
  }
}

/** @see inbox.d.ts */
export function inboxHandler(gate: Gate, options: InboxOptions): (request: Request) => Promise<Response> {
  const inbox = new InboxHandler(gate, options, 'inboxHandler');
  return (request) => inbox.handle(request);
}
