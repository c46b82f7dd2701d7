/** The inbox on this machine alone, over real connections. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createConnection } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ServeInboxOptions } from '../../inbox.js';
import { serveInbox } from '../../ts/inbox/index.js';
import { SessionStore } from '../../ts/inbox/sessions.js';
import type { PendingAnswer, SessionAnswer } from '../../ts/inbox/protocol.js';
import { ask, eventsOf, gateOf, later, pageFolder } from './support.js';

async function setUp(options: ServeInboxOptions = {}) {
  const gate = gateOf();
  const inbox = await serveInbox(gate, { assets: pageFolder(), by: 'mia', ...options });
  later(() => inbox.close());
  return { gate, inbox };
}

interface Sent {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** As `fetch`, which would not let us choose the host. */
const send = (url: string | URL, headers: Record<string, string> = {}, method = 'GET', body?: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text += String(data)));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });

/** Opens a link, and gives where it led and the cookie. */
async function enter(link: string): Promise<{ base: string; cookie: string; answer: Sent }> {
  const answer = await send(link);
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const { origin, pathname } = new URL(link);
  return { base: `${origin}${pathname}`, cookie, answer };
}

describe('a link', () => {
  it('opens the inbox once, for one browser', async () => {
    const { gate, inbox } = await setUp();
    await ask(gate);
    const link = inbox.link();
    const { base, cookie, answer } = await enter(link);
    expect([answer.status, answer.headers.refresh]).toEqual([200, `0; url=${new URL(base).pathname}`]);
    const [set] = answer.headers['set-cookie'] ?? [];
    expect(set).toMatch(/^countersign_inbox=[\w-]{43}; Path=\/[\w-]{22}\/; HttpOnly; SameSite=Strict$/);
    expect((await send(base, { cookie })).body).toContain('data-base="./"');
    expect(JSON.parse((await send(`${base}api/pending`, { cookie })).body)).toMatchObject({ total: 1 });
    const second = await enter(link);
    expect([second.answer.status, second.cookie]).toEqual([401, '']);
    expect(second.answer.body).toContain('press Enter');
    expect((await send(base, { cookie })).status).toBe(200);
  });

  it('is followed again by the browser that used it, and by no other', async () => {
    const { inbox } = await setUp();
    const link = inbox.link();
    const { base, cookie } = await enter(link);
    const again = await send(link, { cookie });
    // Its cookie lets it in: there is no second session.
    expect([again.status, again.headers.refresh, again.headers['set-cookie']]).toEqual([
      200,
      `0; url=${new URL(base).pathname}`,
      undefined,
    ]);
    expect((await send(link, { cookie: `countersign_inbox=${'x'.repeat(43)}` })).status).toBe(401);
    expect((await send(link)).status).toBe(401);
  });

  it('that is wrong, or for another place, opens nothing', async () => {
    const { inbox } = await setUp();
    const link = new URL(inbox.link());
    const wrong = new URL(link);
    wrong.searchParams.set('token', 'x'.repeat(43));
    const empty = new URL(link);
    empty.searchParams.set('token', '');
    const elsewhere = new URL(link);
    elsewhere.pathname = '/';
    for (const each of [wrong, empty, elsewhere]) expect((await enter(String(each))).cookie).toBe('');
    expect((await enter(String(link))).answer.status).toBe(200);
  });

  it('is not used up by looking ahead, nor by another method', async () => {
    const { inbox } = await setUp();
    const link = inbox.link();
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-purpose', 'preview'],
      ['x-moz', 'Prefetch'],
    ] as const)
      expect((await send(link, { [name]: value })).status).toBe(503);
    expect((await send(link, {}, 'HEAD')).status).toBe(405);
    expect((await send(link, {}, 'POST')).status).toBe(405);
    expect((await enter(link)).cookie).not.toBe('');
  });

  it('is another one each time, and all of them open it', async () => {
    const { inbox } = await setUp();
    const links = [inbox.link(), inbox.link(), inbox.link()];
    expect(new Set(links).size).toBe(3);
    for (const link of links) expect((await enter(link)).answer.status).toBe(200);
  });

  it('and a session count until there are too many', () => {
    const sessions = new SessionStore();
    const first = sessions.link();
    const rest = Array.from({ length: 32 }, () => sessions.link());
    expect(sessions.open(first)).toBeUndefined();
    const opened = rest.map((link) => sessions.open(link));
    expect(opened.every((session) => session !== undefined && sessions.has(session))).toBe(true);
    sessions.open(sessions.link());
    expect(sessions.has(opened[0] ?? '')).toBe(false);
  });
});

describe('without a session', () => {
  it.each(['', 'api/pending', 'api/events', 'assets/a-1.js'])('there is nothing: %j', async (path) => {
    const { inbox } = await setUp();
    const base = inbox.link().replace(/\?.*/, '');
    for (const cookie of [
      '',
      'countersign_inbox=',
      `countersign_inbox=${'x'.repeat(43)}`,
      'countersign_inbox=__proto__',
    ])
      expect((await send(`${base}${path}`, { cookie })).status).toBe(401);
  });

  it('whoever comes is told how to get a link', async () => {
    const { inbox } = await setUp();
    const { headers, body } = await send(inbox.link().replace(/\?.*/, ''));
    expect([headers['content-type'], body]).toEqual([
      'text/html; charset=utf-8',
      expect.stringContaining('press Enter'),
    ]);
  });

  it('nor at the root, nor anywhere else', async () => {
    const { inbox } = await setUp();
    for (const path of ['', 'inbox/', 'favicon.ico', '../x'])
      expect((await send(`http://127.0.0.1:${inbox.port}/${path}`)).status).toBe(401);
  });
});

describe('a site whose name leads here', () => {
  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.2', '[::1]', '0.0.0.0'])(
    'gets nothing: %s',
    async (host) => {
      const { inbox } = await setUp();
      const { base, cookie } = await enter(inbox.link());
      const { status, body } = await send(`${base}api/session`, { cookie, host: `${host}:${inbox.port}` });
      expect([status, body]).toEqual([421, expect.not.stringContaining('csrf')]);
    },
  );

  it.each(['127.0.0.1', 'localhost'])('is not %s', async (host) => {
    const { inbox } = await setUp();
    const { base, cookie } = await enter(inbox.link());
    expect((await send(`${base}api/session`, { cookie, host: `${host}:${inbox.port}` })).status).toBe(200);
    expect((await send(`${base}api/session`, { cookie, host: `${host}:1` })).status).toBe(421);
    expect((await send(`${base}api/session`, { cookie, host })).status).toBe(421);
  });

  it('cannot send a decision', async () => {
    const { gate, inbox } = await setUp();
    const { approvalId } = await ask(gate);
    const { base, cookie } = await enter(inbox.link());
    const { csrf } = JSON.parse((await send(`${base}api/session`, { cookie })).body) as SessionAnswer;
    const headers = { cookie, 'content-type': 'application/json', 'x-countersign-csrf': csrf };
    const body = JSON.stringify({ decision: { type: 'approve' } });
    const path = `${base}api/requests/${approvalId}/decision`;
    const origin = `http://127.0.0.1:${inbox.port}`;
    expect((await send(path, { ...headers, origin: 'http://evil.example' }, 'POST', body)).status).toBe(403);
    expect((await send(path, { ...headers, origin: `http://127.0.0.1:${inbox.port + 1}` }, 'POST', body)).status).toBe(
      403,
    );
    expect(await gate.pending()).toHaveLength(1);
    expect((await send(path, { ...headers, origin }, 'POST', body)).status).toBe(200);
    expect(await gate.get(approvalId)).toMatchObject({ decidedBy: 'mia' });
  });
});

describe('what is no request of a browser', () => {
  const raw = (port: number, text: string): Promise<string> =>
    new Promise((resolve) => {
      let all = '';
      const socket = createConnection(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => (all += String(data)));
      socket.on('close', () => resolve(all));
      socket.on('error', () => resolve(all));
    });

  it.each([
    ['an address of somewhere else', 'GET http://evil.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a host that is a path', 'GET / HTTP/1.1\r\nHost: 127.0.0.1/x\r\nConnection: close\r\n\r\n'],
    ['a host that is a user', 'GET / HTTP/1.1\r\nHost: a@\r\nConnection: close\r\n\r\n'],
    ['no host', 'GET / HTTP/1.0\r\n\r\n'],
    ['a star', 'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'],
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'],
  ])('%s: 400', async (_, text) => {
    const { inbox } = await setUp();
    expect(await raw(inbox.port, text)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await enter(inbox.link())).answer.status).toBe(200);
  });
});

describe('the server', () => {
  it('listens on this machine alone', async () => {
    const { inbox } = await setUp();
    const { networkInterfaces } = await import('node:os');
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.internal === false && each.family === 'IPv4');
    if (outside === undefined) return;
    await expect(send(`http://${outside.address}:${inbox.port}/`)).rejects.toThrow('ECONNREFUSED');
  });

  it('says that a port is taken, and which are none', async () => {
    const { gate, inbox } = await setUp();
    await expect(serveInbox(gate, { port: inbox.port })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining(`port ${inbox.port} is taken`),
    });
    for (const port of [-1, 65_536, 1.5, 'x'])
      await expect(serveInbox(gate, { port: port as number })).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
    await expect(serveInbox(gate, { by: '' })).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });

  const NO_NAMES = [
    '',
    ' ',
    '\u200b',
    '\u2060\ufe0f\u3000',
    'group:ops',
    'Group:ops',
    '\u200bgroup:x',
    'mia\ud800',
    null,
    5,
  ];
  it.each([...NO_NAMES, 'x'.repeat(257)])('lets nobody in who is called %j: it does not start', async (by) => {
    await expect(serveInbox(gateOf(), { by: by as string })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
      message: expect.stringContaining('by must be the name of a person: at most 256 characters') as unknown,
    });
  });

  it.each(['ops', [5], [''], null])('knows no groups that are %j: it does not start', async (groups) => {
    await expect(serveInbox(gateOf(), { groups: groups as string[] })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
    });
  });

  it('ends with all that is open, and again', async () => {
    const { gate, inbox } = await setUp();
    const { base, cookie } = await enter(inbox.link());
    const response = await fetch(`${base}api/events`, { headers: { cookie } });
    const names: string[] = [];
    const reading = (async () => {
      for await (const { event } of eventsOf(response)) names.push(event);
    })();
    await expect.poll(() => names).toContain('hello');
    await Promise.all([inbox.close(), inbox.close()]);
    await reading;
    expect(names.at(-1)).toBe('bye');
    await expect(send(base)).rejects.toThrow('ECONNREFUSED');
    expect(await gate.pending()).toEqual([]);
  });

  it('ends though somebody never finishes what they ask', async () => {
    const { inbox } = await setUp();
    const socket = createConnection(inbox.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: 127'));
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    // Its connection is there when another one is answered after it.
    await new Promise((resolve) => socket.once('connect', resolve));
    await enter(inbox.link());
    await inbox.close();
    await gone;
  });

  it('tells what happens, and who looks', async () => {
    const { gate, inbox } = await setUp({ groups: ['ops'] });
    const { base, cookie } = await enter(inbox.link());
    const session = JSON.parse((await send(`${base}api/session`, { cookie })).body) as SessionAnswer;
    expect(session.person).toEqual({ name: 'mia', groups: ['ops'], mayDecide: true });
    const events = eventsOf(await fetch(`${base}api/events`, { headers: { cookie } }));
    await events.next();
    const { approvalId } = await ask(gate);
    expect((await events.next()).value).toMatchObject({ event: 'change', data: { ids: [approvalId] } });
    const pending = JSON.parse((await send(`${base}api/pending`, { cookie })).body) as PendingAnswer;
    expect(pending.items[0]?.approvalId).toBe(approvalId);
    await events.return(undefined);
  });
});
