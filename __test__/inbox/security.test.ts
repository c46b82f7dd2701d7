/** What keeps others out, each with a request that would get in without it. */
import { describe, expect, it, vi } from 'vitest';
import type { InboxOptions } from '../../inbox.js';
import type { Gate } from '../../index.js';
import type { ErrorBody, PendingAnswer, SessionAnswer } from '../../ts/inbox/protocol.js';
import { LedgerError } from '../../ts/index.js';
import { inboxHandler } from '../../ts/inbox/index.js';
import { RateLimit } from '../../ts/inbox/rate.js';
import { answerOf, ask, gateOf, inboxOf, ORIGIN, Person, type Handler } from './support.js';

type Failed = { error: ErrorBody };

async function setUp(options: Partial<InboxOptions> = {}) {
  const gate = gateOf();
  const inbox = inboxOf(gate, options);
  const { approvalId } = await ask(gate);
  return { gate, inbox, approvalId, mia: new Person(inbox, 'mia'), path: `api/requests/${approvalId}/decision` };
}

const approve = { decision: { type: 'approve' } };
const waits = async (gate: Gate) => expect(await gate.pending()).toHaveLength(1);
const at = (path: string, init?: RequestInit) => new Request(`${ORIGIN}${path}`, init);

describe('nobody', () => {
  const PATHS = [
    '',
    'assets/a-1.js',
    'api/session',
    'api/pending',
    'api/history',
    'api/runs',
    'api/audit',
    'api/events',
    'api/nothing',
  ];

  it.each(PATHS)('gets nothing at %j', async (path) => {
    const { inbox } = await setUp();
    const { status, body, headers } = await answerOf<Failed>(await inbox(at(`/inbox/${path}`)));
    expect([status, body.error.code]).toEqual([401, 'ERR_UNAUTHENTICATED']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('decides nothing', async () => {
    const { gate, inbox, path, mia } = await setUp();
    const { csrf } = (await mia.get<SessionAnswer>('api/session')).body;
    const headers = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf };
    const response = await inbox(at(`/inbox/${path}`, { method: 'POST', headers, body: JSON.stringify(approve) }));
    expect(response.status).toBe(401);
    await waits(gate);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the session store is gone');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the session store is gone'))],
    ['says undefined', () => undefined],
    ['says true', () => true],
    ['says a name alone', () => 'mia'],
    ['says a person without a name', () => ({ groups: [] })],
    ['says an empty name', () => ({ name: ' ' })],
    ['says a name that is no text', () => ({ name: 5 })],
    ['says a name without end', () => ({ name: 'x'.repeat(257) })],
    ['says a name of broken characters', () => ({ name: 'mia\ud800' })],
    ['says the name of a group', () => ({ name: 'group:ops' })],
    ['says the name of a group in another way', () => ({ name: '\u200bGroup:ops' })],
    ['says a name that cannot be seen', () => ({ name: '\u200b\ufe0f' })],
    ['says groups that are none', () => ({ name: 'mia', groups: 'ops' })],
    ['says that it may perhaps decide', () => ({ name: 'mia', mayDecide: 'no' })],
  ])('is who sends a request of which authenticate %s', async (_, authenticate) => {
    const error = vi.fn();
    const { inbox } = await setUp({ authenticate: authenticate as InboxOptions['authenticate'], logger: { error } });
    const { status, body } = await answerOf<Failed>(await inbox(at('/inbox/api/pending')));
    expect([status, body.error.message]).toEqual([401, 'Sign in first.']);
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('is let in by a logger that throws', async () => {
    const logger = {
      error: () => {
        throw new Error('no');
      },
      warn: () => {
        throw new Error('no');
      },
    };
    const { inbox } = await setUp({
      authenticate: () => {
        throw new Error('x');
      },
      logger,
    });
    expect((await inbox(at('/inbox/api/pending'))).status).toBe(401);
  });
});

describe('somebody who may only look', () => {
  it('sees everything and decides nothing', async () => {
    const { gate, inbox, approvalId } = await setUp();
    const guest = new Person(inbox, '-guest');
    const { body } = await guest.get<PendingAnswer>('api/pending');
    expect(body.items[0]).toMatchObject({ mayDecide: [], whyNot: 'You may look, and not decide.' });
    expect((await guest.decide(approvalId, { type: 'approve' })).status).toBe(403);
    const bulk = await guest.post<{ results: { ok: boolean }[] }>('api/decisions', { ids: [approvalId], ...approve });
    expect(bulk.body.results.map(({ ok }) => ok)).toEqual([false]);
    await waits(gate);
  });
});

describe('another site', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example', 'sec-fetch-site': null }],
    ['a subdomain', { origin: 'https://x.inbox.example', 'sec-fetch-site': 'same-site' }],
    ['another port', { origin: `${ORIGIN}:8443`, 'sec-fetch-site': null }],
    ['an origin that ends alike', { origin: 'https://evilinbox.example', 'sec-fetch-site': null }],
    ['the origin null', { origin: 'null', 'sec-fetch-site': null }],
    ['an origin that is none', { origin: 'inbox.example', 'sec-fetch-site': null }],
    ['no origin at all', { origin: null, 'sec-fetch-site': null }],
    ['a browser that says cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a browser that says none', { 'sec-fetch-site': 'none' }],
  ])('with %s decides nothing', async (_, headers) => {
    const { gate, mia, path } = await setUp();
    const { status, body } = await mia.post<Failed>(path, approve, headers);
    expect([status, body.error.code]).toEqual([403, 'ERR_FORBIDDEN']);
    await waits(gate);
  });

  it.each([
    ['the same origin', { origin: ORIGIN, 'sec-fetch-site': null }],
    ['a browser that says so', { origin: null, 'sec-fetch-site': 'same-origin' }],
    [
      'the host that the proxy was asked for',
      { origin: 'https://front.example', 'sec-fetch-site': null, host: 'front.example' },
    ],
    ['an origin that is allowed', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
  ])('is not one with %s', async (_, headers) => {
    const { mia, path } = await setUp({ allowedOrigins: ['https://app.example'] });
    expect((await mia.post(path, approve, headers)).status).toBe(200);
  });

  it('reads nothing of the API, but may link to the page', async () => {
    const { mia } = await setUp();
    const cross = { 'sec-fetch-site': 'cross-site' };
    expect((await mia.get('api/pending', cross)).status).toBe(403);
    expect((await mia.get('assets/a-1.js', cross)).status).toBe(403);
    expect((await mia.get('', cross)).status).toBe(200);
  });

  it('gets no leave to read across origins', async () => {
    const { mia } = await setUp();
    const response = await mia.send('OPTIONS', 'api/pending', { headers: { origin: 'https://evil.example' } });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the CSRF token', () => {
  it.each([
    ['none', null],
    ['an empty one', ''],
    ['another', 'x'.repeat(43)],
  ])('%s: nothing is decided', async (_, token) => {
    const { gate, mia, path } = await setUp();
    expect((await mia.post(path, approve, { 'x-countersign-csrf': token })).status).toBe(403);
    await waits(gate);
  });

  it('of another person, another session or another handler counts for nothing', async () => {
    const { gate, inbox, mia, path } = await setUp();
    const tokenOf = async (handler: Handler, name: string) =>
      (await new Person(handler, name).get<SessionAnswer>('api/session')).body.csrf;
    for (const token of [await tokenOf(inbox, 'noah'), await tokenOf(inboxOf(gate), 'mia')])
      expect((await mia.post(path, approve, { 'x-countersign-csrf': token })).status).toBe(403);
    const authenticate: InboxOptions['authenticate'] = (request) => ({
      name: 'mia',
      session: request.headers.get('x-session') ?? 'one',
    });
    const sessions = inboxOf(gate, { authenticate });
    expect((await new Person(sessions, 'mia').post(path, approve, { 'x-session': 'two' })).status).toBe(403);
    await waits(gate);
  });

  it('is the same in all handlers with one secret', async () => {
    const secret = 'a secret of at least thirty-two bytes';
    const { gate, mia, path } = await setUp({ secret });
    const { csrf } = (await new Person(inboxOf(gate, { secret }), 'mia').get<SessionAnswer>('api/session')).body;
    expect((await mia.post(path, approve, { 'x-countersign-csrf': csrf })).status).toBe(200);
  });
});

describe('a body', () => {
  it.each([
    ['of another type', { 'content-type': 'text/plain' }, JSON.stringify(approve), 415],
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'decision=approve', 415],
    ['without a type', { 'content-type': null }, JSON.stringify(approve), 415],
    ['that is no JSON', {}, '{', 400],
    ['that is empty', {}, '', 400],
    ['that is a list', {}, '[]', 400],
    ['that is null', {}, 'null', 400],
    ['that is no UTF-8', {}, Buffer.from('{"decision":{"type":"approve","reason":"\xff"}}', 'latin1') as never, 400],
  ])('%s is refused', async (_, headers, body, expected) => {
    const { gate, mia, path } = await setUp();
    const { csrf } = (await mia.get<SessionAnswer>('api/session')).body;
    const given = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf, ...headers };
    const response = await mia.send('POST', path, { body, headers: given });
    expect(response.status).toBe(expected);
    await waits(gate);
  });

  it('that is too large is refused, whatever it says of its length', async () => {
    const { gate, mia, path } = await setUp({ maxBodyBytes: 1_000 });
    const { csrf } = (await mia.get<SessionAnswer>('api/session')).body;
    const large = JSON.stringify({ ...approve, more: 'x'.repeat(2_000) });
    expect((await mia.post<Failed>(path, large)).status).toBe(413);
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(100))),
    });
    const headers = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf };
    const response = await mia.send('POST', path, { body: stream, headers, duplex: 'half' } as RequestInit as never);
    expect(response.status).toBe(413);
    await waits(gate);
  });

  it('is not read of somebody who may not send it', async () => {
    const { inbox, path } = await setUp();
    let pulled = 0;
    const body = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 });
    await inbox(at(`/inbox/${path}`, { method: 'POST', body, duplex: 'half' } as RequestInit));
    expect(pulled).toBe(0);
  });
});

describe('the rate', () => {
  it('of a person has an end, and others go on', async () => {
    const { inbox, mia } = await setUp({ rateLimit: { perPerson: 5 } });
    const statuses: number[] = [];
    for (let number = 0; number < 7; number++) statuses.push((await mia.get('api/session')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = await mia.get<Failed>('api/session');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.error.retryAfter).toBe(Number(refused.headers.get('retry-after')));
    expect((await new Person(inbox, 'noah').get('api/session')).status).toBe(200);
  });

  it('of an address has an end, also for nobody', async () => {
    const { inbox } = await setUp({
      rateLimit: { perAddress: 3 },
      address: (request) => request.headers.get('x-from'),
    });
    const from = async (address: string) =>
      (await inbox(at('/inbox/api/session', { headers: { 'x-from': address } }))).status;
    expect([await from('a'), await from('a'), await from('a'), await from('a')]).toEqual([401, 401, 401, 429]);
    expect(await from('b')).toBe(401);
  });

  it('can be left out', async () => {
    const { mia } = await setUp({ rateLimit: false });
    for (let number = 0; number < 700; number++) expect((await mia.get('api/nothing')).status).not.toBe(429);
  });

  it('fills up evenly, and takes a bounded memory', () => {
    let now = 0;
    const rate = new RateLimit(60, () => now);
    const take = () => rate.take('mia');
    for (let number = 0; number < 60; number++) take();
    expect(take).toThrow('try again in 1 s');
    now += 1_000;
    take();
    expect(take).toThrow('try again');
    now += 3_600_000;
    for (let number = 0; number < 60; number++) take();
    expect(take).toThrow('try again');
    // The oldest refusal is forgotten first.
    for (let number = 0; number < 10_000; number++) rate.take(String(number));
    expect(take).not.toThrow();
  });
});

describe('methods', () => {
  it.each([
    ['POST', 'api/pending', 'GET, HEAD, OPTIONS'],
    ['DELETE', 'api/session', 'GET, HEAD, OPTIONS'],
    ['PUT', '', 'GET, HEAD, OPTIONS'],
    ['GET', 'api/decisions', 'POST, OPTIONS'],
    ['GET', 'api/audit/verify', 'POST, OPTIONS'],
    ['HEAD', 'api/decisions', 'POST, OPTIONS'],
  ])('%s of %s is not possible', async (method, path, allow) => {
    const { mia } = await setUp();
    const response = await mia.send(method, path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    if (method === 'HEAD') expect(await response.text()).toBe('');
  });

  it('a decision is never a GET', async () => {
    const { gate, mia, path } = await setUp();
    expect((await mia.get(path)).status).toBe(405);
    await waits(gate);
  });

  it('HEAD is GET without its body, and OPTIONS says what there is', async () => {
    const { mia } = await setUp();
    for (const path of ['', 'assets/a-1.js', 'api/pending', 'api/session', 'api/events']) {
      const response = await mia.send('HEAD', path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, '']);
    }
    const options = await mia.send('OPTIONS', 'api/decisions');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
  });
});

describe('every answer', () => {
  it.each(['', 'assets/a-1.js', 'assets/none.js', 'api/pending', 'api/nothing', `api/requests/${crypto.randomUUID()}`])(
    'has its headers: %j',
    async (path) => {
      const { mia } = await setUp();
      const { headers } = await mia.get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      if (path.startsWith('api/')) expect(headers.get('cache-control')).toBe('no-store');
    },
  );

  it('tells nothing of what went wrong inside, but to the logger', async () => {
    const error = vi.fn();
    const { gate, mia } = await setUp({ logger: { error } });
    vi.spyOn(gate, 'pending').mockRejectedValue(new Error('ENOENT: /home/mia/secret.db\n    at read (file.js:1:1)'));
    const { status, body } = await mia.get<Failed>('api/pending');
    expect([status, body.error.code]).toEqual([500, 'ERR_INTERNAL']);
    expect(JSON.stringify(body)).not.toMatch(/secret|ENOENT|file\.js/);
    expect(error.mock.calls[0]?.[1]).toMatchObject({ status: 500, reason: expect.stringContaining('ENOENT') });
  });

  it('tells nothing of where the ledger is and what is wrong with it, but to the logger', async () => {
    const error = vi.fn();
    const { gate, mia, path } = await setUp({ logger: { error } });
    const message = 'the ledger postgres://app@db.internal/x: try again (connection refused)';
    const trouble = new LedgerError({ code: 'ERR_LEDGER_IO', message });
    for (const method of ['pending', 'get', 'decide', 'history'] as const)
      vi.spyOn(gate, method).mockRejectedValue(trouble);
    for (const answer of [
      await mia.get<Failed>('api/pending'),
      await mia.get<Failed>('api/history'),
      await mia.post<Failed>(path, approve),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([503, 'ERR_LEDGER_IO']);
      expect(JSON.stringify(answer.body)).not.toMatch(/internal|postgres|refused/);
      expect(error.mock.lastCall?.[1]).toMatchObject({ reason: message });
    }
  });

  it('says that it is closed when the gate is', async () => {
    const { gate, mia, path } = await setUp();
    await gate.close();
    const { status, body } = await mia.post<Failed>(path, approve);
    expect([status, body.error.code]).toEqual([503, 'ERR_GATE_CLOSED']);
  });
});

describe('the options', () => {
  it.each([
    ['none', undefined],
    ['no authenticate', {}],
    ['an authenticate that is none', { authenticate: true }],
    ['a base path that is none', { basePath: 'inbox' }],
    ['a base path with a query', { basePath: '/inbox?x' }],
    ['origins that are none', { allowedOrigins: ['example.com'] }],
    ['an origin with a path', { allowedOrigins: ['https://example.com/'] }],
    ['any origin', { allowedOrigins: ['*'] }],
    ['a short secret', { secret: 'short' }],
    ['no rate', { rateLimit: { perPerson: 0 } }],
    ['no bytes', { maxBodyBytes: -1 }],
    ['scopes that are none', { remember: ['ever'] }],
    ['an address that is none', { address: 'x' }],
  ])('%s: ERR_INVALID_CONFIG', (name, options) => {
    const right = name === 'none' || name === 'no authenticate' ? undefined : { authenticate: () => null };
    const given = options === undefined ? undefined : { ...right, ...options };
    expect(() => inboxHandler(gateOf(), given as never)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }),
    );
  });
});

it.each(['approvalId', 'id', 'toolName', 'digest', 'request', 'by', 'via'])(
  'a decision with %s beside it is refused: it may be meant for another request, or person',
  async (name) => {
    const { gate, mia, path, approvalId } = await setUp();
    const sent = await mia.post(path, { [name]: 'x', decision: { type: 'approve' } });
    expect([sent.status, JSON.stringify(sent.body)]).toEqual([400, expect.stringContaining(name)]);
    const all = await mia.post('api/decisions', { ids: [approvalId], [name]: 'x', decision: { type: 'approve' } });
    expect(all.status).toBe(400);
    expect(await gate.pending()).toHaveLength(1);
  },
);

it.each(['by', 'groups', 'via'])('a decision does not say by %s who decides', async (name) => {
  const { gate, mia, path } = await setUp();
  const sent = await mia.post(path, { decision: { type: 'approve', [name]: 'mallory' } });
  expect([sent.status, JSON.stringify(sent.body)]).toEqual([422, expect.stringContaining('who is signed in decides')]);
  expect(await gate.pending()).toHaveLength(1);
});
