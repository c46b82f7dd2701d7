/** Webhooks to real receivers, over memory and over a file: what is told, how often, and what becomes of it without a listener. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { Gate, GateOptions } from '../../index.js';
import type { SendWebhooksOptions, WebhookEndpoint, WebhookSender } from '../../webhooks.js';
import { createGate } from '../../ts/index.js';
import { sendWebhooks } from '../../ts/webhooks/index.js';
import { AuditSource } from '../../ts/webhooks/sources.js';
import { idsOf, receiver, SECRET, typesOf, type Receiver } from './receiver.js';
import { fakeClock } from '../support/fake-clock.js';

/** A path for a ledger. */
function ledger(): `sqlite:${string}` {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-webhooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return `sqlite:${join(folder, 'approvals.db')}`;
}

function open(options: GateOptions): Gate {
  const gate = createGate({ timeout: 3_600_000, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

/** An attempt that is given up for taking long would be made twice, however well it went. */
const FAST = { firstDelay: 5, attempts: 3, takeOverAfter: 150, timeout: 240_000 } as const;

async function send(
  gate: Gate,
  { url }: Pick<Receiver, 'url'>,
  options: Partial<SendWebhooksOptions> = {},
  endpoint: Partial<WebhookEndpoint> = {},
): Promise<WebhookSender> {
  const sender = await sendWebhooks(gate, { endpoints: [{ url, secret: SECRET, ...endpoint }], ...FAST, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

/** Asks, and gives the id of the request. */
async function ask(gate: Gate, toolCallId = 'c1', request = {}): Promise<string> {
  gate
    .request({ toolName: 'pay', args: { euros: 100, iban: 'DE00' }, toolCallId, runId: 'r', ...request })
    .catch(() => {});
  for (;;) {
    const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
    if (found !== undefined) return found.approvalId;
  }
}

const eventually = async (look: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe.each([
  ['memory', () => 'memory:' as const],
  ['a file', ledger],
])('over %s', (place, where) => {
  it('tells what happens, signed, without arguments', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    const sender = await send(gate, hooks, {}, { headers: { Authorization: 'Bearer x' } });
    const id = await ask(gate, 'c1', { requester: 'bob' });
    await gate.approve(id, { by: 'ada' });
    await hooks.until(({ taken }) => taken.length === 2);
    expect(typesOf(hooks.taken).toSorted()).toEqual(['approval.decided', 'approval.requested']);
    const requested = hooks.taken.find(({ event }) => event.type === 'approval.requested')!;
    expect(requested.headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' });
    expect(requested.headers['webhook-id']).toMatch(new RegExp(`^msg_${id}_\\d+$`));
    const record = (await gate.get(id))!;
    expect(requested.event.data).toMatchObject({
      approvalId: id,
      kind: 'approval',
      runId: 'r',
      toolCallId: 'c1',
      toolName: 'pay',
      summary: 'pay waits for an approval.',
      digest: record.digest,
      createdAt: record.createdAt,
      expiresAt: record.expiresAt,
    });
    const decided = hooks.taken.find(({ event }) => event.type === 'approval.decided')!;
    expect(decided.event.data).toMatchObject({
      summary: 'pay was approved by ada.',
      decision: { type: 'approve' },
      by: 'ada',
    });
    expect(new Date(decided.event.timestamp).getTime()).toBe(record.decidedAt);
    for (const { body } of hooks.all) expect(body).not.toMatch(/DE00|euros/);
    await sender.close();
    expect(hooks.all).toHaveLength(2);
  });

  it('tells of the preview or of the arguments where it shall, but not of what is too large', async () => {
    const gate = open({ ledger: where(), redact: [/DE\d+/] });
    const hooks = await Promise.all([receiver(), receiver(), receiver()]);
    await send(gate, hooks[0], { include: 'preview' });
    await send(gate, hooks[1], { include: 'args' });
    await send(gate, hooks[2], { include: 'args', maxBodyBytes: 300 }, { name: 'small' });
    const id = await ask(gate);
    await gate.edit(id, { euros: 7, iban: 'DE99' }, { by: 'ada' });
    await Promise.all(hooks.map((each) => each.until(({ taken }) => taken.length === 2)));
    const data = ({ taken }: Receiver, type: string) => taken.find(({ event }) => event.type === type)!.event.data;
    expect(data(hooks[0], 'approval.requested').preview).toContain('euros: 100');
    expect(data(hooks[0], 'approval.requested').args).toBeUndefined();
    expect(data(hooks[0], 'approval.decided').decision).toEqual({ type: 'edit' });
    expect(data(hooks[1], 'approval.requested').args).toMatchObject({ euros: 100 });
    expect(data(hooks[1], 'approval.decided').decision).toMatchObject({ type: 'edit', args: { euros: 7 } });
    expect(data(hooks[2], 'approval.requested')).toMatchObject({ truncated: true });
    expect(data(hooks[2], 'approval.requested').args).toBeUndefined();
    for (const { body } of hooks.flatMap(({ all }) => all)) expect(body).not.toMatch(/DE00|DE99/);
  });

  it('tells only what is asked for', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where(), timeout: 40 })];
    const sender = await send(gate, hooks, {}, { events: ['expired', 'settled'] });
    await gate.request({ toolName: 'pay', args: {} });
    await hooks.until(({ taken }) => taken.length === 1);
    const id = await ask(gate, 'c2', { timeout: 3_600_000 });
    await gate.approve(id);
    await hooks.until(({ taken }) => taken.length === 2);
    expect(hooks.taken.map(({ event }) => [event.type, event.data.decision?.type, event.data.status])).toEqual([
      ['approval.expired', 'expired', undefined],
      ['approval.settled', undefined, 'succeeded'],
    ]);
    await sender.close();
    expect(hooks.all).toHaveLength(2);
  });

  it('tries again with the same id and the same body until it is taken', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    hooks.reply = (_, index) => [500, 404][index] ?? 200;
    await send(gate, hooks);
    await ask(gate);
    await hooks.until(({ taken }) => taken.length === 1);
    expect(new Set(idsOf(hooks.all)).size).toBe(1);
    expect(new Set(hooks.all.map(({ body }) => body)).size).toBe(1);
    expect(hooks.all).toHaveLength(3);
  });

  it('gives up after so many attempts, and sends a dead letter again when it shall', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    hooks.reply = () => 500;
    const sender = await send(gate, hooks);
    const approvalId = await ask(gate);
    await eventually(async () => (await sender.deadLetters()).length === 1);
    expect(hooks.all).toHaveLength(3);
    const [letter] = await sender.deadLetters();
    expect(letter).toEqual({
      id: idsOf(hooks.all)[0],
      endpoint: expect.stringMatching(/^127\.0\.0\.1:\d+-[0-9a-f]{8}$/),
      type: 'approval.requested',
      approvalId,
      at: expect.any(Number),
      attempts: 3,
      triedAt: expect.any(Number),
      error: 'it answered with 500',
    });
    expect(await sender.retry('msg_unknown')).toBe(false);
    hooks.reply = () => 204;
    expect(await sender.retry(letter!.id)).toBe(true);
    await hooks.until(({ taken }) => taken.length === 1);
    expect(idsOf(hooks.taken)).toEqual([letter!.id]);
    expect(await sender.deadLetters()).toEqual([]);
  });

  it('one event that is not taken does not hold up the others', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    hooks.reply = ({ event }) => (event.data.toolCallId === 'c0' ? 500 : 204);
    const sender = await send(gate, hooks, { firstDelay: 60_000 });
    for (let call = 0; call < 30; call++) await ask(gate, `c${call}`);
    await hooks.until(({ taken }) => taken.length === 29);
    expect(await sender.deadLetters()).toEqual([]);
  });

  it('a receiver that is down for a while gets everything, and each event once', async () => {
    const first = await receiver();
    const gate = open({ ledger: where() });
    await send(gate, first, { attempts: 1_000, maxDelay: 20 });
    await first.close();
    const ids = [];
    for (let call = 0; call < 20; call++) ids.push(await ask(gate, `c${call}`));
    const again = await receiver(first.port);
    await again.until(({ taken }) => taken.length >= 20);
    expect(again.taken.map(({ event }) => event.data.approvalId).toSorted()).toEqual(ids.toSorted());
    expect(new Set(idsOf(again.taken)).size).toBe(20);
  });

  it('sends what waits when it is closed, and lets a failed one wait', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    const sender = await send(gate, hooks, { firstDelay: 60_000 });
    hooks.reply = (_, index) => (index === 0 ? 500 : 200);
    for (let call = 0; call < 5; call++) await ask(gate, `c${call}`);
    await sender.close();
    await sender.close();
    expect(hooks.taken).toHaveLength(4);
    expect(hooks.all).toHaveLength(5);
  });

  it('tells several receivers, each for itself', async () => {
    const [one, other, gate] = [await receiver(), await receiver(), open({ ledger: where() })];
    one.reply = () => 410;
    const endpoints = [one, other].map(({ url }) => ({ url, secret: SECRET }));
    const sender = await sendWebhooks(gate, { endpoints, ...FAST });
    onTestFinished(() => sender.close());
    await ask(gate);
    await other.until(({ taken }) => taken.length === 1);
    await eventually(async () => (await sender.deadLetters()).length === 1);
    expect(one.all).toHaveLength(1);
    expect(await sender.deadLetters()).toMatchObject([{ attempts: 1, error: 'it is gone (410)' }]);
    expect(idsOf(one.all)).toEqual(idsOf(other.all));
  });

  it('a decision right after a request is told as well', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: where() })];
    await send(gate, hooks);
    const approvals = Array.from({ length: 10 }, async (_, call) => gate.approve(await ask(gate, `c${call}`)));
    await Promise.all(approvals);
    await hooks.until(({ taken }) => taken.length === 20);
    expect(new Set(idsOf(hooks.taken)).size).toBe(20);
    expect(place).toBeTruthy();
  });
});

describe('an attempt fails', () => {
  const failing = async (reply: Receiver['reply'], options: Partial<SendWebhooksOptions> = {}) => {
    const [hooks, gate] = [await receiver(), open({})];
    hooks.reply = reply;
    const sender = await send(gate, hooks, { attempts: 1, ...options });
    await ask(gate);
    await eventually(async () => (await sender.deadLetters()).length === 1);
    const [letter] = await sender.deadLetters();
    return { hooks, error: letter!.error };
  };

  test('when it is sent elsewhere, where it does not go', async () => {
    let asked = 0;
    const elsewhere = createServer((_, response) => {
      asked++;
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    for (const status of [301, 302, 303, 307, 308]) {
      const { error } = await failing(() => (response) => {
        const { port } = elsewhere.address() as { port: number };
        response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end();
      });
      expect(error).toContain('elsewhere');
    }
    expect(asked).toBe(0);
  });

  test('when there is no answer in time', async () => {
    const { error } = await failing(() => () => {}, { timeout: 50 });
    expect(error).toBe('no answer within 50 ms');
  });

  test('when the connection is cut', async () => {
    const { error } = await failing(() => (response) => response.destroy());
    expect(error).not.toBe('');
  });

  test('when the answer is cut in the middle of its head', async () => {
    const { error } = await failing(() => (response) => {
      response.socket?.end('HTTP/1.1 200');
    });
    expect(error).not.toBe('');
  });

  test('but not because of an endless answer', async () => {
    const [hooks, gate] = [await receiver(), open({})];
    hooks.reply = () => (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => clearInterval(timer));
    };
    const sender = await send(gate, hooks);
    await ask(gate);
    await hooks.until(({ all }) => all.length === 1);
    await sender.close();
    expect(await sender.deadLetters()).toEqual([]);
    expect(hooks.all).toHaveLength(1);
  });

  test('the time that it is asked for counts, up to the longest delay', async () => {
    const [hooks, gate] = [await receiver(), open({})];
    const at: number[] = [];
    hooks.reply = (_, index) => {
      at.push(performance.now());
      return index === 0
        ? (response) => response.writeHead(429, { 'retry-after': '1' }).end()
        : index === 1
          ? (response) => response.writeHead(503, { 'retry-after': '86400' }).end()
          : 200;
    };
    await send(gate, hooks, { maxDelay: 1_500 });
    await ask(gate);
    await hooks.until(({ taken }) => taken.length === 1);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(990);
    expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(1_490);
  });
});

test('a logger that throws changes nothing', async () => {
  const [hooks, gate] = [await receiver(), open({})];
  hooks.reply = (_, index) => (index === 0 ? 500 : 200);
  const throws = () => {
    throw new Error('the disk is full');
  };
  await send(gate, hooks, { logger: { error: throws, warn: throws } });
  await ask(gate);
  await hooks.until(({ taken }) => taken.length === 1);
});

test('a receiver that never answers does not keep a sender from being closed', async () => {
  const [hooks, gate] = [await receiver(), open({})];
  hooks.reply = () => () => {};
  // Counted here: an attempt may be over before it comes as far as the receiver.
  let begun = 0;
  const fetch: SendWebhooksOptions['fetch'] = (url, init) => {
    begun++;
    return globalThis.fetch(url, init);
  };
  const sender = await send(gate, hooks, { timeout: 100, attempts: 1_000, firstDelay: 3_600_000, fetch });
  for (let call = 0; call < 8; call++) await ask(gate, `c${call}`);
  await eventually(() => begun >= 8);
  for (let call = 8; call < 100; call++) gate.request({ toolName: 'pay', args: {} }).catch(() => {});
  await sender.close();
  expect(begun).toBeLessThan(100);
});

describe('several senders on one ledger', () => {
  test('one sends; when it is closed the other goes on, and nothing comes twice', async () => {
    const [hooks, where] = [await receiver(), ledger()];
    const [one, other] = [open({ ledger: where }), open({ ledger: where })];
    // No sender is missed, however busy the machine is: the other one goes on because it was told to.
    fakeClock(['performance']);
    const first = await send(one, hooks);
    await send(other, hooks);
    const before = await ask(one, 'before');
    await hooks.until(({ taken }) => taken.length === 1);
    await first.close();
    const after = await ask(one, 'after');
    await hooks.until(({ taken }) => taken.length === 2);
    expect(hooks.taken.map(({ event }) => event.data.approvalId)).toEqual([before, after]);
    expect(new Set(idsOf(hooks.all)).size).toBe(2);
  });

  test('dead letters are seen and sent again from any of them', async () => {
    const [hooks, where] = [await receiver(), ledger()];
    const [one, other] = [open({ ledger: where }), open({ ledger: where })];
    hooks.reply = () => 500;
    const first = await send(one, hooks);
    const second = await send(other, hooks);
    await ask(other);
    await eventually(async () => (await first.deadLetters()).length === 1);
    await eventually(async () => (await second.deadLetters()).length === 1);
    hooks.reply = () => 200;
    const [letter] = await second.deadLetters();
    expect(await second.retry(letter!.id)).toBe(true);
    await hooks.until(({ taken }) => taken.length === 1);
    await eventually(async () => (await first.deadLetters()).length === 0);
  });

  test('a sender that comes later tells what happened since the last one', async () => {
    const [hooks, where] = [await receiver(), ledger()];
    const gate = open({ ledger: where });
    // It need not wait for the first one to be missed.
    const patient = { takeOverAfter: 600_000 };
    const first = await send(gate, hooks, patient);
    await first.close();
    await ask(gate, 'meanwhile');
    expect(hooks.all).toEqual([]);
    await send(gate, hooks, patient);
    await hooks.until(({ taken }) => taken.length === 1);
  });

  test('what was asked before the first one is not told', async () => {
    const [hooks, gate] = [await receiver(), open({ ledger: ledger() })];
    await ask(gate, 'before');
    const sender = await send(gate, hooks);
    const after = await ask(gate, 'after');
    await hooks.until(({ taken }) => taken.length === 1);
    await sender.close();
    expect(hooks.all.map(({ event }) => event.data.approvalId)).toEqual([after]);
  });

  test('when the gate is closed first, the next one tells what was left', async () => {
    const [hooks, where] = [await receiver(), ledger()];
    const gate = open({ ledger: where });
    hooks.reply = () => () => {};
    await send(gate, hooks);
    await ask(gate);
    await hooks.until(({ all }) => all.length === 1);
    await gate.close();
    hooks.reply = () => 200;
    await send(open({ ledger: where }), hooks);
    await hooks.until(({ taken }) => taken.length === 1);
    expect(new Set(idsOf(hooks.all)).size).toBe(1);
  });
});

const url = 'https://example.com/hooks';
test.each([
  {},
  { endpoints: [] },
  { endpoints: [{ url }] },
  { endpoints: [{ url, secret: SECRET, secretEnv: 'X' }] },
  { endpoints: [{ url, secretEnv: 'COUNTERSIGN_NO_SUCH_VARIABLE' }] },
  { endpoints: [{ url, secret: 'hunter2' }] },
  { endpoints: [{ url: 'http://example.com', secret: SECRET }] },
  { endpoints: [{ url: 'http://127.evil.example', secret: SECRET }] },
  { endpoints: [{ url: 'http://127.0.0.1.evil.example', secret: SECRET }] },
  { endpoints: [{ url: 'ftp://localhost', secret: SECRET }] },
  { endpoints: [{ url: 'https://a:b@example.com', secret: SECRET }] },
  { endpoints: [{ url: '/hooks', secret: SECRET }] },
  { endpoints: [{ url, secret: SECRET, events: ['approved'] }] },
  { endpoints: [{ url, secret: SECRET, headers: { 'Webhook-Id': 'x' } }] },
  { endpoints: [{ url, secret: SECRET, headers: { 'Content-Type': 'x' } }] },
  { endpoints: [{ url, secret: SECRET, headers: { 'x\n': 'x' } }] },
  { endpoints: [{ url, secret: SECRET, headers: { x: 'a\r\nb: c' } }] },
  { endpoints: [{ url, secret: SECRET, name: '' }] },
  {
    endpoints: [
      { url, secret: SECRET },
      { url, secret: SECRET },
    ],
  },
  { endpoints: [{ url, secret: SECRET }], include: 'everything' },
  { endpoints: [{ url, secret: SECRET }], attempts: 0 },
  { endpoints: [{ url, secret: SECRET }], attempts: 1.5 },
  { endpoints: [{ url, secret: SECRET }], timeout: -1 },
  { endpoints: [{ url, secret: SECRET }], maxDelay: Number.NaN },
])('is no way to send: %j', async (options) => {
  const failed = sendWebhooks(open({}), options as never);
  await expect(failed).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
  await expect(failed).rejects.not.toThrow(/hunter2/);
});

test('what is dropped before it was told is a dead letter: nothing is lost unseen', async () => {
  const [hooks, gate] = [await receiver(), open({ keepDecided: 1 })];
  hooks.reply = () => 500;
  const sender = await send(gate, hooks, { attempts: 10_000, firstDelay: 10, maxDelay: 10 });
  const ids: string[] = [];
  for (const call of ['c1', 'c2']) {
    ids.push(await ask(gate, call));
    await gate.approve(ids.at(-1)!);
    await eventually(async () => (await gate.get(ids.at(-1)!))?.status === 'succeeded');
  }
  const lost = async () => (await sender.deadLetters()).filter(({ error }) => error.includes('dropped'));
  await eventually(async () => (await lost()).length === 2);
  // Each is tried by itself: the first tried stands first.
  const letters = (await lost()).toSorted((one, other) => other.type.localeCompare(one.type));
  expect(letters).toMatchObject([
    { approvalId: ids[0], type: 'approval.requested' },
    { approvalId: ids[0], type: 'approval.decided' },
  ]);
});

test('an entry that is gone is not taken for the next one', async () => {
  const audit = {
    list: async function* () {
      yield { seq: 9, at: 1, kind: 'requested', approvalId: 'a' };
    },
  };
  const source = new AuditSource({ audit } as never);
  expect(await source.happening(8)).toBeUndefined();
  expect(await source.happening(9)).toMatchObject({ n: 9, approvalId: 'a' });
});
