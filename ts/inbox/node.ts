/** Web requests over `node:http`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { invalid } from './refusal.js';
import { HEADERS } from './replies.js';

type FetchHandler = (request: Request) => Response | PromiseLike<Response>;

/** Where requests came from that arrived here. */
const addresses = new WeakMap<Request, string>();

/** The address of its sender; `null`: it did not come through {@link toNodeListener}. */
export const addressOf = (request: Request): string | null => addresses.get(request) ?? null;

/** @see inbox.d.ts */
export function toNodeListener(handler: FetchHandler): (request: IncomingMessage, response: ServerResponse) => void {
  if (typeof handler !== 'function')
    throw invalid('toNodeListener: the handler must be a function of a Request, such as inboxHandler(gate, …) gives.');
  return (incoming, outgoing) => void answer(handler, incoming, outgoing);
}

async function answer(handler: FetchHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = requestOf(incoming, gone.signal);
  if (request === undefined) return plain(outgoing, 400);
  try {
    await send(await handler(request), outgoing);
  } catch {
    // Ours never rejects; of another's nothing is told.
    if (outgoing.headersSent) outgoing.destroy();
    else plain(outgoing, 500);
  }
}

/** `undefined`: it is not one that a browser would send. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', headers, rawHeaders, socket } = incoming;
  // Express takes off what it is mounted at.
  const path = (incoming as { originalUrl?: string }).originalUrl ?? incoming.url ?? '/';
  const scheme = (socket as { encrypted?: boolean }).encrypted === true ? 'https' : 'http';
  const origin = `${scheme}://${headers.host ?? ''}`;
  // A path, not an address of somewhere else; and a host, not a part of a path.
  if (!path.startsWith('/') || !URL.canParse(origin) || new URL(origin).pathname !== '/') return undefined;
  try {
    const list = new Headers();
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) list.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
    const body = method === 'GET' || method === 'HEAD' ? null : (Readable.toWeb(incoming) as ReadableStream);
    const init = { method, headers: list, body, signal, duplex: 'half' };
    const request = new Request(new URL(origin).origin + path, init as RequestInit);
    if (socket.remoteAddress !== undefined) addresses.set(request, socket.remoteAddress);
    return request;
  } catch {
    // A method or a header that the web does not know.
    return undefined;
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies);
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // At once: a stream of events may have nothing to say for long.
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as NodeStream), outgoing).catch(() => {
    // The caller has gone.
  });
}

function plain(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  outgoing.end(status === 400 ? 'This is not a request.\n' : 'Something went wrong.\n');
}
