/** The inbox for the one who sits at this machine: on this machine only, and by a link that was made for it. */
import { toldValue } from '../errors/told-value.js';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import type { LocalInbox, ServeInboxOptions } from '../../inbox.js';
import type { Gate } from '../../index.js';
import { takeOptions } from '../options/check.js';
import { InboxHandler } from './handler.js';
import { toNodeListener } from './node.js';
import { areGroups, isNameOfPerson, NAME_OF_PERSON } from './person.js';
import { invalid } from './refusal.js';
import { HEADERS } from './replies.js';
import { SessionStore } from './sessions.js';

const HOST = '127.0.0.1';
const COOKIE = 'countersign_inbox';
/** How long connections may take to end, in ms. */
const PATIENCE_MS = 250;

/** An inbox that says when its links are used. */
export interface LinkedInbox extends LocalInbox {
  /** @param onUsed called when a browser was let in by it */
  link(onUsed?: () => void): string;
}

/** @see inbox.d.ts */
export async function serveInbox(gate: Gate, options: ServeInboxOptions = {}): Promise<LinkedInbox> {
  const { port = 0, by = userName(), groups = [], ...more } = takeOptions('serveInbox', options);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw invalid(`serveInbox: port must be a whole number from 0 to 65535, not ${toldValue(port)}.`);
  // Else it would start, and refuse every visitor.
  if (!isNameOfPerson(by)) throw invalid(`serveInbox: by must be ${NAME_OF_PERSON}, and is ${toldValue(by)}.`);
  if (!areGroups(groups)) throw invalid('serveInbox: groups must be a list of names of groups.');
  const sessions = new SessionStore();
  // A cookie goes to all ports of a host: only what asks for this path gets it, which no other program here can guess.
  const basePath = `/${randomBytes(16).toString('base64url')}`;
  const session = (request: Request) => {
    const cookie = cookieOf(request);
    return cookie !== undefined && sessions.has(cookie) ? cookie : undefined;
  };
  const inbox = new InboxHandler(
    gate,
    {
      ...more,
      basePath,
      // The holder of a session is the person who started it.
      rateLimit: false,
      authenticate: (request) => {
        const own = session(request);
        return own === undefined ? null : { name: by, groups, session: own };
      },
    },
    'serveInbox',
  );
  let taken = port;
  const handle = async (request: Request): Promise<Response> => {
    if (!isHere(request, taken))
      return page(421, 'This is not the address of the inbox. Use the link that it printed.');
    const { pathname, searchParams } = new URL(request.url);
    const token = searchParams.get('token');
    if (token !== null && pathname === `${basePath}/`) {
      const isKnown = session(request) !== undefined;
      return enter(request, token, { sessions, basePath, isKnown });
    }
    if (session(request) === undefined && !pathname.includes('/api/')) return page(401, GET_A_LINK);
    return inbox.handle(request);
  };
  const server = createServer(toNodeListener(handle));
  await listening(server, port);
  ({ port: taken } = server.address() as AddressInfo);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise((resolve) => {
      inbox.close();
      // Pages are told that it ends; connections that stay are cut off.
      const patience = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
      server.close(() => {
        clearTimeout(patience);
        resolve();
      });
    });
    return closing;
  };
  return {
    port: taken,
    link: (onUsed) => `http://${HOST}:${taken}${basePath}/?token=${sessions.link(onUsed)}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Against sites whose names lead to this machine: they are asked for under their own. */
function isHere(request: Request, port: number): boolean {
  const host = request.headers.get('host')?.toLowerCase();
  return [HOST, 'localhost'].some((name) => host === `${name}:${port}` || (port === 80 && host === name));
}

const GET_A_LINK =
  'This inbox opens with a link, which works only in the browser that follows it first. Get a new one where the inbox runs: press Enter there, or start it again.';

interface LinkEntry {
  sessions: SessionStore;
  basePath: string;
  /** Whether it is a browser that a link has let in before. */
  isKnown: boolean;
}

function enter(request: Request, token: string, { sessions, basePath, isKnown }: LinkEntry): Response {
  if (request.method !== 'GET') return page(405, 'Open the link in a browser.', { allow: 'GET' });
  if (looksAhead(request)) return page(503, 'Open the link itself.');
  const session = sessions.open(token);
  // The browser that used it may follow it again: its cookie lets it in, not the link.
  if (session === undefined && !isKnown) return page(401, GET_A_LINK);
  const cookie = `${COOKIE}=${session}; Path=${basePath}/; HttpOnly; SameSite=Strict`;
  // No redirect: where another site led here, a browser would not send the cookie along with it.
  return page(200, 'Opening the inbox…', {
    ...(session === undefined ? {} : { 'set-cookie': cookie }),
    refresh: `0; url=${basePath}/`,
  });
}

/** Whether a browser prefetches the link, by the headers of any browser: that must not use it up. */
const looksAhead = ({ headers }: Request): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ''),
  );

const page = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inbox</title><main><h1>Inbox</h1><p>${text}</p></main></html>\n`,
    {
      status,
      headers: { ...HEADERS, 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8', ...headers },
    },
  );

function cookieOf(request: Request): string | undefined {
  for (const cookie of request.headers.get('cookie')?.split(';') ?? []) {
    const [name, value] = cookie.trim().split('=', 2);
    if (name === COOKIE) return value;
  }
  return undefined;
}

async function listening(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? invalid(`serveInbox: port ${port} is taken. Name another one, or none for any that is free.`, error)
          : invalid(`serveInbox: port ${port} cannot be used: ${error.message}`, error),
      ),
    );
    server.listen(port, HOST, resolve);
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry, as in containers.
    return 'inbox';
  }
}
