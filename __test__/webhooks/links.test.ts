/** Links by which a person decides: opening one decides nothing, the button does, once, about the call that it was made for. */
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { Gate, GateOptions } from '../../index.js';
import type { ActionLink, ActionLinksOptions } from '../../webhooks.js';
import { createGate } from '../../ts/index.js';
import { createActionLinks, newWebhookSecret } from '../../ts/webhooks/index.js';

const SECRET = newWebhookSecret();
const URL_OF_LINKS = 'https://approvals.example.com/decide';

async function waiting(options: Partial<ActionLinksOptions> = {}, gateOptions: GateOptions = {}, request = {}) {
  const gate = createGate({ timeout: 3_600_000, ...gateOptions });
  onTestFinished(() => gate.close());
  const links = createActionLinks(gate, { secret: SECRET, url: URL_OF_LINKS, ...options });
  const resolution = gate.request({ toolName: 'pay', args: { euros: 100, to: 'Mallory' }, ...request });
  resolution.catch(() => {});
  const { approvalId } = (await gate.pending())[0]!;
  const link = (more: Partial<ActionLink> = {}) => links.link({ approvalId, decision: 'approve', by: 'ada', ...more });
  return { gate, links, open: opener(links.handler()), link, approvalId, resolution };
}

/** What a browser does. */
function opener(handler: (request: Request) => Promise<Response>) {
  const get = (url: string, init: RequestInit = {}) => handler(new Request(url, init));
  const press = (url: string, form: Record<string, string> = { decision: 'approve' }, headers = {}) =>
    handler(new Request(url, { method: 'POST', body: new URLSearchParams(form), headers }));
  return { get, press };
}

const statusOf = async (gate: Gate, id: string) => (await gate.get(id))?.status;

describe('a link for a name that no gate takes is not made', () => {
  it.each([
    ['too long', 'a'.repeat(2_000)],
    ['one byte too long', 'a'.repeat(1_025)],
    ['too long in bytes', 'é'.repeat(513)],
    ['half a character', 'a\ud800'],
  ])('%s', async (_, by) => {
    const { link } = await waiting();
    await expect(link({ by })).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });

  it('the longest one that a gate takes decides', async () => {
    const { gate, open, link, approvalId } = await waiting();
    const { status } = await open.press(await link({ by: 'a'.repeat(1_024) }));
    expect(status).toBe(200);
    expect(await statusOf(gate, approvalId)).toBe('succeeded');
  });
});

describe('opening a link', () => {
  it.each(['GET', 'HEAD'])('decides nothing, however often and whoever does it: %s', async (method) => {
    const { gate, open, link, approvalId } = await waiting();
    for (const decision of ['approve', 'reject'] as const) {
      const url = await link({ decision });
      for (let times = 0; times < 5; times++) {
        const { status } = await open.get(url, { method, headers: { 'user-agent': 'a scanner of mails' } });
        expect(status).toBe(200);
      }
    }
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it('shows what would be decided, and by whom', async () => {
    const { open, link } = await waiting();
    const text = await (await open.get(await link())).text();
    for (const shown of ['Approve pay?', 'euros: 100', 'to: Mallory', '<dd>ada</dd>', '<form method="post">'])
      expect(text).toContain(shown);
    expect(text).not.toContain('textarea name');
    expect(await (await open.get(await link({ decision: 'reject' }))).text()).toContain('textarea name="reason"');
  });

  it.each(['decision=approve&decision=reject', 'decision=approve&args=%7B%7D', 'reason=a&decision=approve&reason=b'])(
    'a form that says more than the page asks decides nothing: %s',
    async (body) => {
      const { gate, open, link, approvalId } = await waiting();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await open.get(await link(), { method: 'POST', body, headers })).status).toBe(400);
      expect(await statusOf(gate, approvalId)).toBe('pending');
    },
  );

  it('shows hostile arguments as they are, and runs none of them', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=y>\u202e\u001b[31m&amp;\'';
    const { open, link } = await waiting(
      {},
      {},
      {
        toolName: hostile,
        args: { [hostile]: hostile },
        description: hostile,
        runId: hostile,
        origin: ['main', hostile],
      },
    );
    const response = await open.get(await link({ by: hostile }));
    const text = await response.text();
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<img');
    expect(text).not.toMatch(/[\u202e]/);
    expect(text).not.toContain('\u001b');
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('&amp;amp;');
  });

  it('loads nothing, runs nothing, is kept nowhere and is shown in no frame', async () => {
    const { open, link } = await waiting();
    const { headers } = await open.get(await link());
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});

describe('pressing the button', () => {
  it('approves, as the person whom the link is for', async () => {
    const { gate, open, link, approvalId, resolution } = await waiting();
    const response = await open.press(await link());
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('pay was approved by ada');
    expect(await resolution).toMatchObject({ approved: true, decidedBy: 'ada' });
    expect(await gate.get(approvalId)).toMatchObject({ decidedBy: 'ada' });
  });

  it('rejects, with a reason', async () => {
    const { open, link, resolution } = await waiting();
    await open.press(await link({ decision: 'reject' }), { decision: 'reject', reason: ' too much ' });
    expect(await resolution).toMatchObject({ approved: false, reason: 'too much', decidedBy: 'ada' });
  });

  it('counts once: who comes later is told who decided', async () => {
    const { gate, open, link, approvalId } = await waiting();
    const [ada, bob] = [await link(), await link({ by: 'bob', decision: 'reject' })];
    await open.press(ada);
    for (const [url, decision] of [
      [ada, 'approve'],
      [bob, 'reject'],
    ] as const) {
      const again = await open.press(url, { decision });
      expect(again.status).toBe(409);
      expect(await again.text()).toContain('approved by ada');
      expect((await open.get(url)).status).toBe(409);
    }
    expect(await gate.get(approvalId)).toMatchObject({ decidedBy: 'ada' });
  });

  it('is raced by two, and one wins', async () => {
    for (let round = 0; round < 20; round++) {
      const { gate, open, link, approvalId } = await waiting();
      const urls = [await link(), await link({ by: 'bob', decision: 'reject' })] as const;
      const [one, other] = await Promise.all([open.press(urls[0]), open.press(urls[1], { decision: 'reject' })]);
      expect([one.status, other.status].toSorted()).toEqual([200, 409]);
      const { decidedBy } = (await gate.get(approvalId))!;
      expect(decidedBy).toBe(one.status === 200 ? 'ada' : 'bob');
      expect(await (one.status === 200 ? other : one).text()).toContain(`by ${decidedBy}`);
    }
  });

  const notThePage: [string, number, (url: string) => [Record<string, string>, Record<string, string>]][] = [
    ['from another site', 403, () => [{ decision: 'approve' }, { 'sec-fetch-site': 'cross-site' }]],
    ['from a site beside', 403, () => [{ decision: 'approve' }, { 'sec-fetch-site': 'same-site' }]],
    ['from another origin', 403, () => [{ decision: 'approve' }, { origin: 'https://evil.example' }]],
    ['from a sandbox', 403, () => [{ decision: 'approve' }, { origin: 'null' }]],
    ['as JSON', 415, () => [{ decision: 'approve' }, { 'content-type': 'application/json' }]],
    ['as plain text', 415, () => [{ decision: 'approve' }, { 'content-type': 'text/plain' }]],
    ['without a decision', 400, () => [{}, {}]],
    ['with another decision', 400, () => [{ decision: 'reject' }, {}]],
    ['with far too many words', 413, () => [{ decision: 'approve', reason: 'x'.repeat(20_000) }, {}]],
  ];
  it.each(notThePage)('%s decides nothing', async (_, status, make) => {
    const { gate, open, link, approvalId } = await waiting();
    const url = await link();
    const [form, headers] = make(url);
    expect((await open.press(url, form, headers)).status).toBe(status);
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is no way to decide', async (method) => {
    const { gate, open, link, approvalId } = await waiting();
    const response = await open.get(await link(), { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });
});

describe('a link', () => {
  it('is good for nothing when any part of it is another', async () => {
    const { gate, open, link, approvalId } = await waiting();
    const url = new URL(await link());
    const token = url.searchParams.get('link')!;
    const at = (index: number) => token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
    const tampered = [...token].map((_, index) => at(index));
    const [text, signature] = token.split('.') as [string, string];
    const fields = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const others = ['x', 'x', 'reject', 'eve', ['ops'], Date.now() + 1e9, 'n'].map((value, index) => {
      const changed = Buffer.from(JSON.stringify(fields.with(index, value))).toString('base64url');
      return `${changed}.${signature}`;
    });
    const more = ['', '.', token + '.', '.' + token, `${token}.x`, text, signature, 'x'.repeat(10_000), `${text}.`];
    for (const wrong of [...tampered, ...others, ...more]) {
      url.searchParams.set('link', wrong);
      expect((await open.press(url.href)).status, wrong).toBe(403);
      expect((await open.get(url.href)).status).toBe(403);
    }
    url.searchParams.delete('link');
    expect((await open.press(url.href)).status).toBe(403);
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it('of another secret is none', async () => {
    const { gate, open, approvalId } = await waiting();
    const others = createActionLinks(gate, { secret: newWebhookSecret(), url: URL_OF_LINKS });
    expect((await open.press(await others.link({ approvalId, decision: 'approve', by: 'ada' }))).status).toBe(403);
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it('of an old secret is taken as long as the secret is', async () => {
    const [old, next] = [newWebhookSecret(), newWebhookSecret()];
    const { gate, link, approvalId } = await waiting({ secret: old });
    const both = opener(createActionLinks(gate, { secret: [next, old], url: URL_OF_LINKS }).handler());
    expect((await both.press(await link())).status).toBe(200);
    expect(await statusOf(gate, approvalId)).not.toBe('pending');
  });

  it('is for its call only', async () => {
    const { gate, open, link, approvalId } = await waiting();
    const url = await link();
    const look = gate.get.bind(gate);
    gate.get = async (id) => ({ ...(await look(id))!, digest: '0'.repeat(64) });
    const response = await open.press(url);
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('another call');
    gate.get = look;
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it('ends after its time', async () => {
    const { gate, open, link, approvalId } = await waiting({ expiresIn: 1 });
    const url = await link();
    while ((await open.get(url)).status === 200);
    expect((await open.get(url)).status).toBe(410);
    expect((await open.press(url)).status).toBe(410);
    expect(await statusOf(gate, approvalId)).toBe('pending');
  });

  it('ends with its request', async () => {
    // The link must be made before the request expires: on a busy machine that may take another try.
    for (let timeout = 50; ; timeout *= 4) {
      const { gate, open, link, approvalId, resolution } = await waiting();
      const asked = gate.request({ toolName: 'soon', args: {}, timeout });
      const soon = (await gate.pending()).find((each) => each.approvalId !== approvalId);
      const url = await link({ approvalId: soon?.approvalId ?? '' }).catch((error: unknown) => error);
      if (typeof url !== 'string' && timeout < 60_000) continue;
      await asked;
      const response = await open.press(url as string);
      expect(response.status).toBe(410);
      expect(await response.text()).toContain('Nobody decided');
      return void resolution;
    }
  });

  it('of an unknown request says so', async () => {
    const { link } = await waiting();
    const { open } = await waiting();
    expect((await open.press(await link())).status).toBe(404);
  });

  it('keeps the query of the address', async () => {
    const { link } = await waiting({ url: 'https://example.com/x?tenant=7' });
    const { searchParams } = new URL(await link());
    expect(searchParams.get('tenant')).toBe('7');
    expect(searchParams.get('link')).toBeTruthy();
  });

  it('two of them are never the same', async () => {
    const { link } = await waiting();
    expect(await link()).not.toBe(await link());
  });

  it('is not made where it would be too long to be read', async () => {
    const { link } = await waiting();
    const groups = Array.from({ length: 500 }, (_, at) => `group-number-${at}`);
    await expect(link({ groups })).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });

  it('is not made for what cannot be decided', async () => {
    const { gate, links, link, approvalId } = await waiting({}, {}, { allowedDecisions: ['reject', 'edit'] });
    await expect(link()).rejects.toMatchObject({ code: 'ERR_DECISION_NOT_ALLOWED' });
    await gate.reject(approvalId);
    await expect(link({ decision: 'reject' })).rejects.toMatchObject({ code: 'ERR_ALREADY_DECIDED' });
    const unknown = '01900000-0000-7000-8000-000000000000';
    await expect(links.link({ approvalId: unknown, decision: 'approve', by: 'ada' })).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_APPROVAL',
    });
    for (const wrong of [{ by: '' }, { by: 'group:ops' }, { by: undefined }, { decision: 'edit' }, { groups: 'ops' }])
      await expect(link(wrong as never)).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  });
});

test('when the ledger cannot be used, nothing is decided and nothing is told of why', async () => {
  const { gate, open, link } = await waiting();
  const url = await link();
  gate.get = () => Promise.reject(new Error('the password is hunter2'));
  for (const response of [await open.get(url), await open.press(url)]) {
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('hunter2');
  }
});

const url = URL_OF_LINKS;
test.each([
  {},
  { secret: SECRET },
  { url },
  { secret: SECRET, secretEnv: 'X', url },
  { secretEnv: 'COUNTERSIGN_NO_SUCH_VARIABLE', url },
  { secret: 'x', url },
  { secret: [], url },
  { secret: SECRET, url: 'http://example.com' },
  { secret: SECRET, url: 'https://ada:pw@example.com' },
  { secret: SECRET, url: 'https://example.com/#x' },
  { secret: SECRET, url: '/decide' },
  { secret: SECRET, url, expiresIn: 0 },
])('is no way to make links: %j', (options) => {
  expect(() => createActionLinks(createGate(), options as never)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_CONFIG' }),
  );
});
