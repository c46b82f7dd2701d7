/** The inbox inside other servers: `node:http`, Hono, a route of Next.js. Bun: `bun.long.test.ts`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { toNodeListener } from '../../ts/inbox/index.js';
import type { DecideAnswer, PendingAnswer, SessionAnswer } from '../../ts/inbox/protocol.js';
import { ask, eventsOf, gateOf, inboxOf, later, ORIGIN, Person, type Handler } from './support.js';

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What somebody does who uses it. */
async function use(handler: Handler, base = '/inbox'): Promise<void> {
  const mia = new Person(handler, 'mia', base);
  expect((await mia.get<string>('')).body).toContain('assets/a-1.js');
  const [item] = (await mia.get<PendingAnswer>('api/pending')).body.items;
  const { status, body } = await mia.decide<DecideAnswer>(item?.approvalId ?? '', { type: 'approve' });
  expect([status, body.record.status]).toEqual([200, 'approved']);
}

describe('in node:http', () => {
  const serve = async (handler: Handler) => {
    const origin = await listening(createServer(toNodeListener(handler)));
    const over: Handler = async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers, body, signal } = request;
      headers.delete('origin');
      return fetch(`${origin}${pathname}${search}`, { method, headers, body, signal, duplex: 'half' } as RequestInit);
    };
    return { origin, over };
  };

  it('everything goes through', async () => {
    const gate = gateOf();
    await ask(gate);
    const { over } = await serve(inboxOf(gate));
    await use(over);
  });

  it('a reader who goes leaves nothing behind', async () => {
    const gate = gateOf();
    let open: AbortSignal | undefined;
    const inbox = inboxOf(gate);
    const { over } = await serve((request) => {
      open = request.signal;
      return inbox(request);
    });
    const leave = new AbortController();
    const events = eventsOf(await new Person(over, 'mia').send('GET', 'api/events', { signal: leave.signal }));
    expect((await events.next()).value?.event).toBe('hello');
    leave.abort();
    await events.next().catch(() => {});
    await expect.poll(() => open?.aborted).toBe(true);
  });

  it('a handler that fails tells nothing', async () => {
    const { over } = await serve(() => Promise.reject(new Error('secret')));
    const response = await over(new Request(`${ORIGIN}/x`));
    expect([response.status, await response.text()]).toEqual([500, 'Something went wrong.\n']);
  });

  it('several cookies stay several', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
    const { over } = await serve(async () => new Response('x', { headers }));
    expect((await over(new Request(`${ORIGIN}/`))).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  });

  it('what it is mounted at in Express counts, and the address of the client is known', async () => {
    const inbox = inboxOf(gateOf(), { basePath: '/admin/inbox', rateLimit: { perAddress: 2 } });
    const listener = toNodeListener(inbox);
    const server = createServer((request, response) => {
      Object.assign(request, { originalUrl: request.url });
      request.url = request.url?.replace('/admin/inbox', '');
      listener(request, response);
    });
    const origin = await listening(server);
    const status = async () =>
      (await fetch(`${origin}/admin/inbox/api/session`, { headers: { 'x-person': 'mia' } })).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  });
});

describe('in Hono', () => {
  it.each([
    ['/inbox', undefined],
    ['/inbox', '/inbox'],
    ['/deep/er/inbox', undefined],
  ])('at %s with the base path %s', async (base, basePath) => {
    const gate = gateOf();
    await ask(gate);
    const inbox = inboxOf(gate, basePath === undefined ? {} : { basePath });
    const app = new Hono();
    app.all(`${base}/*`, (context) => inbox(context.req.raw));
    app.get('/', (context) => context.text('home'));
    await use(async (request) => app.fetch(request), base);
  });
});

describe('in a route of Next.js', () => {
  it('app/api/inbox/[[...path]]/route.ts', async () => {
    const gate = gateOf();
    await ask(gate);
    const inbox = inboxOf(gate);
    // What Next.js calls, by the method.
    const route: Record<string, (request: Request, context: object) => Promise<Response>> = { GET: inbox, POST: inbox };
    const handler: Handler = async (request) => {
      const { pathname } = new URL(request.url);
      // It takes slashes off the end before the route is asked.
      if (pathname.endsWith('/')) {
        const bare = new Request(request.url.slice(0, -1), {
          headers: { ...Object.fromEntries(request.headers), accept: 'text/html' },
        });
        return route['GET']?.(bare, {}) ?? Response.error();
      }
      return route[request.method]?.(request, {}) ?? Response.error();
    };
    await use(handler, '/api/inbox');
  });
});

it('a session is of use for its own token only', async () => {
  const inbox = inboxOf(gateOf());
  const { csrf } = (await new Person(inbox, 'mia').get<SessionAnswer>('api/session')).body;
  expect(csrf).toBe((await new Person(inbox, 'mia').get<SessionAnswer>('api/session')).body.csrf);
});

it.each([undefined, null, {}, 'handler'])('a handler that is none is refused when it is given: %s', (handler) => {
  expect(() => toNodeListener(handler as never)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }));
});
