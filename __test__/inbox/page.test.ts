/** The page's files, and where it may be mounted. */
import { describe, expect, it } from 'vitest';
import { inboxHandler } from '../../ts/inbox/index.js';
import { routeOf } from '../../ts/inbox/routes.js';
import { authenticate, gateOf, inboxOf, Person, scratch } from './support.js';

const html = { accept: 'text/html,*/*' };

describe('the page', () => {
  it('is asked for again each time, and not sent twice', async () => {
    const mia = new Person(inboxOf(gateOf()), 'mia');
    const { status, headers, body } = await mia.get<string>('');
    expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      200,
      'private, no-cache',
      'text/html; charset=utf-8',
    ]);
    expect(body).toContain('data-base="./"');
    const again = await mia.get('', { 'if-none-match': headers.get('etag') });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('knows where its files are without a slash at the end', async () => {
    const gate = gateOf();
    for (const base of ['/inbox', "/a/$'$&", '/a/b/in%22box&amp', '/javascript:alert(1)', '/evil.example']) {
      const response = await inboxOf(gate)(
        new Request(`https://inbox.example${base}`, { headers: { 'x-person': 'mia', ...html } }),
      );
      expect([response.status, response.headers.get('location')]).toEqual([200, null]);
      const text = await response.text();
      const last = base.slice(base.lastIndexOf('/') + 1).replaceAll('&', '&amp;');
      expect(text).toContain(`data-base="./${last}/"`);
      expect(text).toContain(`src="./${last}/assets/a-1.js"`);
    }
  });

  it('is missing where it was not built, and says so', async () => {
    const gate = gateOf();
    const inbox = inboxHandler(gate, { authenticate, assets: scratch() });
    const { status, body } = await new Person(inbox, 'mia').get<{ error: { message: string } }>('');
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('assets')]);
    expect((await new Person(inbox, 'mia').get('api/pending')).status).toBe(200);
  });
});

describe('files', () => {
  it('are kept for ever, by the name of their content', async () => {
    const mia = new Person(inboxOf(gateOf()), 'mia');
    const { headers, body } = await mia.get<string>('assets/a-1.js');
    expect([headers.get('content-type'), headers.get('cache-control'), body]).toEqual([
      'text/javascript; charset=utf-8',
      'private, max-age=31536000, immutable',
      'export {};',
    ]);
  });

  it.each([
    'assets/none.js',
    'assets/notes.txt',
    'assets/',
    'assets/..%2fsecret.txt',
    'assets/%2e%2e/secret.txt',
    'assets/..\\secret.txt',
    'assets/a-1.js%00.css',
    'assets/.a-1.js',
    'assets/__proto__',
    'assets/constructor',
    'secret.txt',
    'assets/a-1.js/x',
  ])('other than those are not there: %s', async (path) => {
    const { status, body } = await new Person(inboxOf(gateOf(), { basePath: '/inbox' }), 'mia').get(path);
    expect(status).toBe(404);
    expect(JSON.stringify(body)).not.toContain('not of the page');
  });
});

describe('paths', () => {
  const id = '018f0000-0000-7000-8000-000000000001';

  it.each([
    ['/inbox', '/inbox', { to: 'page', base: './inbox/' }],
    ['/inbox/', '/inbox', { to: 'page', base: './' }],
    ['/inbox/api/pending', '/inbox', { to: 'list', list: 'pending' }],
    [`/inbox/api/requests/${id}/decision`, '/inbox', { to: 'decision', id }],
    ['/', '', { to: 'page', base: './' }],
    ['/api/pending', '', { to: 'list', list: 'pending' }],
    ['/other/api/pending', '/inbox', undefined],
    ['/inbox/x/api/pending', '/inbox', undefined],
    ['/inboxes', '/inbox', undefined],
    ['/', '/inbox', undefined],
    ['/api/inbox/api/session', null, { to: 'list', list: 'session' }],
    ['/api/inbox/', null, { to: 'page', base: './' }],
    ['/api/inbox', null, undefined],
    ['/inbox/api/requests/nonsense', '/inbox', undefined],
    [`/inbox/api/requests/${id.toUpperCase().replaceAll('0', 'A')}`, '/inbox', undefined],
    [`/inbox/api/requests/${id}/`, '/inbox', undefined],
    [`/inbox/api/requests/${id}/decision/x`, '/inbox', undefined],
  ])('%s under %j', (path, base, route) => {
    expect(routeOf(path, base, false)).toEqual(route);
  });
});
