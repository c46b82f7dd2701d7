/** Signatures of webhooks: the vectors of the specification, its own library on the other side, and all that is changed. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, test } from 'vitest';
import { newWebhookSecret, verifyWebhook, WebhookSignatureError } from '../../ts/webhooks/index.js';
import { keysOf } from '../../ts/webhooks/options.js';
import { signatures } from '../../ts/webhooks/signing.js';
import { SECRET } from './receiver.js';
import { fakeClock } from '../support/fake-clock.js';

const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = JSON.stringify({ type: 'approval.requested', timestamp: '2026-01-01T00:00:00.000Z', data: {} });
const keys = (...secrets: string[]) => keysOf('secret', secrets);
const now = () => Math.floor(Date.now() / 1000);

const signed = (body: string = BODY, seconds = now(), ...secrets: string[]) => ({
  headers: {
    'webhook-id': ID,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures(keys(...(secrets.length === 0 ? [SECRET] : secrets)), ID, seconds, body),
  } as Record<string, string>,
  body,
});

test('the vector of the specification', () => {
  expect(signatures(keys(SECRET), ID, 1_614_265_330, '{"test": 2432232314}')).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('its own library believes what is signed here, and the other way round', async () => {
  const library = new Webhook(SECRET);
  const { headers, body } = signed();
  expect(library.verify(body, headers)).toEqual(JSON.parse(body));
  const at = new Date();
  const theirs = {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': library.sign(ID, at, BODY),
  };
  expect(await verifyWebhook({ headers: theirs, body: BODY }, SECRET)).toEqual(JSON.parse(BODY));
});

test('a request, bytes and any case of names are read', async () => {
  const { headers, body } = signed('{"type":"approval.decided","data":{"summary":"grüße"}}');
  const request = new Request('https://example.com', { method: 'POST', headers, body });
  expect((await verifyWebhook(request, SECRET)).data.summary).toBe('grüße');
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  expect((await verifyWebhook({ headers: upper, body: Buffer.from(body) }, SECRET)).type).toBe('approval.decided');
  expect((await verifyWebhook({ headers: new Headers(headers), body }, SECRET)).type).toBe('approval.decided');
});

test('secrets are changed without a gap', async () => {
  const [old, next] = [newWebhookSecret(), newWebhookSecret()];
  const both = signed(BODY, now(), next, old);
  for (const secret of [old, next, [next, old]]) await verifyWebhook(both, secret);
  await expect(verifyWebhook(signed(BODY, now(), next), old)).rejects.toThrow(WebhookSignatureError);
  await verifyWebhook(signed(BODY, now(), next), [old, next]);
});

describe('what is not to be believed', () => {
  const change = (name: string, value: (old: string) => string) => () => {
    const { headers, body } = signed();
    return { body, headers: { ...headers, [name]: value(headers[name]!) } };
  };
  const without = (name: string) => () => {
    const { headers, body } = signed();
    delete headers[name];
    return { body, headers };
  };
  const wrong: [string, () => { headers: Record<string, string | string[]>; body: string }][] = [
    ['another id', change('webhook-id', (id) => `${id}x`)],
    ['another time', change('webhook-timestamp', (seconds) => String(Number(seconds) + 1))],
    ['a time with zeros before it', change('webhook-timestamp', (seconds) => `0${seconds}`)],
    ['a time with blanks', change('webhook-timestamp', (seconds) => ` ${seconds}`)],
    ['a time that is none', change('webhook-timestamp', () => 'now')],
    ['an endless time', change('webhook-timestamp', () => '9'.repeat(400))],
    ['another body', () => ({ ...signed(), body: BODY.replace('requested', 'decided!') })],
    ['one more byte', () => ({ ...signed(), body: `${BODY} ` })],
    ['no body', () => ({ ...signed(), body: '' })],
    ['another secret', () => signed(BODY, now(), newWebhookSecret())],
    ['another version', change('webhook-signature', (value) => value.replace('v1,', 'v2,'))],
    ['no version', change('webhook-signature', (value) => value.slice(3))],
    ['a part of a signature', change('webhook-signature', (value) => value.slice(0, 12))],
    ['an empty signature', change('webhook-signature', () => 'v1,')],
    ['a dot moved from the time to the id', change('webhook-id', (id) => `${id}.${now()}`)],
    ['no id', without('webhook-id')],
    ['no time', without('webhook-timestamp')],
    ['no signature', without('webhook-signature')],
    ['two ids', () => ({ body: BODY, headers: { ...signed().headers, 'webhook-id': [ID, ID] as unknown as string } })],
    ['a replay', () => signed(BODY, now() - 301)],
    ['one from the future', () => signed(BODY, now() + 302)],
    ['signed, but no JSON', () => signed('{')],
    ['signed, but no event', () => signed('{"type":7,"data":{}}')],
    ['signed, but null', () => signed('null')],
  ];
  it.each(wrong)('%s', async (_, make) => {
    await expect(verifyWebhook(make(), SECRET)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_SIGNATURE' });
  });

  it('each character of the signature counts', async () => {
    const { headers, body } = signed();
    const whole = headers['webhook-signature']!;
    for (let at = 3; at < whole.length - 1; at++) {
      const other = whole[at] === 'A' ? 'B' : 'A';
      const tampered = { ...headers, 'webhook-signature': whole.slice(0, at) + other + whole.slice(at + 1) };
      await expect(verifyWebhook({ headers: tampered, body }, SECRET), String(at)).rejects.toThrow(
        WebhookSignatureError,
      );
    }
  });

  it('a body without end is not read to its end', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull: (stream) => {
        sent += 65_536;
        stream.enqueue(new Uint8Array(65_536));
      },
    });
    const { headers } = signed();
    const request = new Request('https://example.com', { method: 'POST', headers, body, duplex: 'half' } as never);
    await expect(verifyWebhook(request, SECRET)).rejects.toThrow(WebhookSignatureError);
    expect(sent).toBeLessThan(4_000_000);
  });

  it('the tolerance can be other, but no more than a number', async () => {
    await verifyWebhook(signed(BODY, now() - 400), SECRET, { tolerance: 500_000 });
    await expect(verifyWebhook(signed(BODY, now() - 10), SECRET, { tolerance: 5_000 })).rejects.toThrow(
      WebhookSignatureError,
    );
    await expect(verifyWebhook(signed(), SECRET, { tolerance: Number.NaN })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
    });
  });

  it('its time is that of the receiver', async () => {
    const webhook = signed();
    const clock = fakeClock(['Date']);
    clock.setSystemTime(Date.now() + 301_000);
    await expect(verifyWebhook(webhook, SECRET)).rejects.toThrow(WebhookSignatureError);
  });
});

test.each([
  'secret',
  '',
  'whsec_',
  'whsec_c2hvcnQ=',
  `whsec_${Buffer.alloc(65).toString('base64')}`,
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!',
  undefined,
  7,
  [],
])('is no secret: %j', async (secret) => {
  await expect(verifyWebhook(signed(), secret as string)).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
});
