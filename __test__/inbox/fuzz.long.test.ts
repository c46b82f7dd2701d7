/** For any request, the answer is one of ours, and nothing is decided without a decision. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gate } from '../../index.js';
import type { SessionAnswer } from '../../ts/inbox/protocol.js';
import { effort } from '../support/effort.js';
import { ask, gateOf, inboxOf, ORIGIN, Person } from './support.js';

// The same cases in each run.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });

const FINE = [200, 204, 304, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429];

const HEADERS = (
  'x-person cookie origin host sec-fetch-site content-type content-length accept x-countersign-csrf if-none-match range ' +
  'x-forwarded-host x-http-method-override authorization'
).split(' ');

/** An answer that tells nothing of the inside. */
async function expectFine(response: Response): Promise<void> {
  const text = await response.text();
  expect(FINE, text).toContain(response.status);
  expect(text).not.toMatch(/\bat [\w.<>]+ \(|node_modules|file:\/\/|TypeError/);
  expect(response.headers.get('content-security-policy')).not.toBeNull();
  expect(response.headers.get('location')).toBeNull();
}

const stillWaits = async (gate: Gate, id: string) => expect(await gate.get(id)).toMatchObject({ status: 'pending' });

async function setUp() {
  const gate = gateOf({ ledger: 'memory:' });
  const inbox = inboxOf(gate, { rateLimit: false });
  const { approvalId } = await ask(gate);
  return { gate, inbox, approvalId, mia: new Person(inbox, 'mia') };
}

const part = fc.oneof(
  fc.constantFrom(
    'api',
    'assets',
    'inbox',
    'requests',
    'decision',
    'check',
    'pending',
    '..',
    '.',
    '',
    '%2e%2e',
    '%00',
    'a-1.js',
  ),
  fc.constantFrom('__proto__', 'constructor', '%', '%ff', '/', '\\', '?', '#', ';', 'javascript:', '@', ':80'),
  fc.webSegment(),
  fc.uuid(),
);

describe('anything', () => {
  it('as a path', async () => {
    const { gate, inbox, approvalId } = await setUp();
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 8 }),
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        fc.option(fc.constantFrom('mia', '-guest'), { nil: undefined }),
        async (parts, method, person) => {
          const url = `${ORIGIN}/${parts.join('/')}`;
          if (!URL.canParse(url)) return;
          const headers = new Headers(person === undefined ? {} : { 'x-person': person, accept: 'text/html' });
          const request = new Request(url, { method, headers, signal: AbortSignal.timeout(50) });
          await expectFine(await inbox(request));
        },
      ),
      { numRuns: effort(30, 500) },
    );
    await stillWaits(gate, approvalId);
  });

  it('as headers', async () => {
    const { gate, inbox, approvalId } = await setUp();
    const name = fc.constantFrom(...HEADERS);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, fc.string({ maxLength: 50 }))), fc.boolean(), async (given, isPost) => {
        const headers = new Headers();
        for (const [each, value] of given)
          try {
            headers.append(each, value);
          } catch {
            // What cannot be sent is not.
          }
        const path = isPost ? `api/requests/${approvalId}/decision` : 'api/pending';
        const init = isPost ? { method: 'POST', body: '{"decision":{"type":"approve"}}', headers } : { headers };
        await expectFine(await inbox(new Request(`${ORIGIN}/inbox/${path}`, init)));
      }),
      { numRuns: effort(30, 500) },
    );
    await stillWaits(gate, approvalId);
  });

  it('as a query', async () => {
    const { mia } = await setUp();
    const names = fc.constantFrom('run', 'agent', 'tool', 'q', 'cursor', 'before', 'limit', '__proto__');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('pending', 'history', 'session', 'runs'),
        fc.array(fc.tuple(names, fc.string({ unit: 'binary', maxLength: 30 }))),
        async (list, pairs) => {
          const query = new URLSearchParams(pairs.map(([name, value]) => [name, value.toWellFormed()]));
          await expectFine(await mia.send('GET', `api/${list}?${query}`));
        },
      ),
      { numRuns: effort(25, 300) },
    );
  });

  it('as a body: only what says how to decide decides', async () => {
    const { gate, mia, approvalId } = await setUp();
    const { csrf } = (await mia.get<SessionAnswer>('api/session')).body;
    const headers = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf };
    const types = [
      'approved',
      'APPROVE',
      'expired',
      'cancelled',
      '',
      'toString',
      '__proto__',
      'accept',
      'edit',
      'respond',
    ];
    const decision = fc.oneof(
      fc.anything(),
      // Neither an edit nor an answer says what.
      fc.record({ type: fc.constantFrom(...types), reason: fc.anything(), remember: fc.anything() }),
      fc.record({ approved: fc.boolean(), reason: fc.string() }),
      fc.record({ type: fc.constant('approve'), remember: fc.constantFrom('run', 'always', {}, null, 5) }),
      fc.record({ type: fc.constant('approve'), reason: fc.oneof(fc.integer(), fc.constant(null), fc.object()) }),
    );
    const body = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
      fc.json(),
      decision.map((given) => jsonOf({ decision: given, approved: true, type: 'approve' })),
      decision.map((given) => jsonOf(given)),
    );
    const paths = [`requests/${approvalId}/decision`, `requests/${approvalId}/check`, 'decisions', 'audit/verify'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async (path, text) => {
        await expectFine(await mia.send('POST', `api/${path}`, { body: text, headers }));
      }),
      { numRuns: effort(40, 600) },
    );
    await stillWaits(gate, approvalId);
  });

  it('as arguments in an editor', async () => {
    const { gate, mia, approvalId } = await setUp();
    const { csrf } = (await mia.get<SessionAnswer>('api/session')).body;
    const headers = { 'content-type': 'application/json', origin: ORIGIN, 'x-countersign-csrf': csrf };
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (args) => {
        const response = await mia.send('POST', `api/requests/${approvalId}/check`, {
          body: jsonOf({ args }),
          headers,
        });
        const text = await response.clone().text();
        await expectFine(response);
        expect(response.status).toBe(200);
        expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/);
      }),
      { numRuns: effort(25, 300) },
    );
    await stillWaits(gate, approvalId);
  });
});

/** `undefined` where JSON cannot say it. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? '';
  } catch {
    return '';
  }
}
