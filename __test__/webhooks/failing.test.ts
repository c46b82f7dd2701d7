/** Webhooks that are not taken at once: what an attempt does not do, when the next one is, and who sends after a sender stood still. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createGate } from '../../ts/index.js';
import { attempt, type WebhookReceiver } from '../../ts/webhooks/attempt.js';
import { WebhookDelivery, type DeliveryOptions } from '../../ts/webhooks/delivery.js';
import type { LedgerHappening } from '../../ts/webhooks/happenings.js';
import { KeptHere, KeptInLedger, type OutboxStore } from '../../ts/webhooks/keeping.js';
import { emptyOutbox, withFailure, withHappenings, type OutboxState } from '../../ts/webhooks/outbox.js';
import type { WebhookSource } from '../../ts/webhooks/sources.js';
import { fakeClock } from '../support/fake-clock.js';

const MESSAGE = { id: 'msg_1', body: '{}' };

const receiverWith = (more: Partial<WebhookReceiver>): WebhookReceiver => ({
  url: 'https://example.com/hooks',
  keys: [Buffer.alloc(32, 1)],
  headers: {},
  timeout: 15_000,
  fetch: (url, init) => globalThis.fetch(url, init),
  ...more,
});

/** A receiver that never answers. */
function silent() {
  const signals: AbortSignal[] = [];
  const fetch: WebhookReceiver['fetch'] = (_, { signal }) => {
    signals.push(signal!);
    return new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)));
  };
  return { fetch, signals };
}

describe('an attempt', () => {
  it('does not go where it is sent', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(request.url === '/hooks' ? 307 : 204, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const failure = await attempt(receiverWith({ url }), MESSAGE, new AbortController().signal);
    expect([asked, failure]).toEqual([['/hooks'], { error: expect.stringContaining('elsewhere (307)') }]);
  });

  it('ends with its sender', async () => {
    const { fetch, signals } = silent();
    const sender = new AbortController();
    const failure = attempt(receiverWith({ fetch }), MESSAGE, sender.signal);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    sender.abort(new Error('the gate was closed'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await failure).toEqual({ error: 'the gate was closed' });
  });

  it('is not begun after its sender ended', async () => {
    const { fetch, signals } = silent();
    const failure = await attempt(receiverWith({ fetch }), MESSAGE, AbortSignal.abort(new Error('closed')));
    expect([signals, failure]).toEqual([[], { error: 'closed' }]);
  });

  it('is given up when there is no answer in time, and not before', async () => {
    const clock = fakeClock();
    const { fetch, signals } = silent();
    const failure = attempt(receiverWith({ fetch, timeout: 1_000 }), MESSAGE, new AbortController().signal);
    clock.tick(999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    clock.tick(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await failure).toEqual({ error: 'no answer within 1000 ms' });
    expect(clock.countTimers()).toBe(0);
  });

  it.each([
    [429, '7', 7_000],
    [503, '7', 7_000],
    [500, '7', undefined],
    [429, 'soon', undefined],
    [429, '0', undefined],
  ])('hears for how long it is not wanted: %i, %s', async (status, value, retryAfter) => {
    const fetch: WebhookReceiver['fetch'] = async () =>
      new Response(null, { status, headers: { 'retry-after': value } });
    const failure = await attempt(receiverWith({ fetch }), MESSAGE, new AbortController().signal);
    expect(failure).toEqual({ error: `it answered with ${status}`, ...(retryAfter && { retryAfter }) });
  });

  it('is the last one where the endpoint is gone', async () => {
    const fetch: WebhookReceiver['fetch'] = async () => new Response(null, { status: 410 });
    const failure = await attempt(receiverWith({ fetch }), MESSAGE, new AbortController().signal);
    expect(failure).toEqual({ error: 'it is gone (410)', final: true });
  });
});

const HAPPENING: LedgerHappening = { n: 1, id: 'msg_a_1', type: 'approval.requested', approvalId: 'a', at: 5 };
const RULES = { attempts: 3, firstDelay: 1_000, maxDelay: 60_000 };
const NOW = 1_000_000;

describe('what was not taken', () => {
  const asked = withHappenings(emptyOutbox(0), 1, [1], NOW);
  /** When it is due after one failure, counted from then. */
  const dueAfter = (retryAfter: number, random = 1): number =>
    withFailure(asked, HAPPENING, { error: 'no', retryAfter }, RULES, NOW, random).waiting[0]!.due - NOW;

  it('waits for as long as the receiver asks for, but not longer than the longest delay', () => {
    expect([0, 30_000, 86_400_000].map((retryAfter) => dueAfter(retryAfter))).toEqual([1_000, 30_000, 60_000]);
    expect(dueAfter(0, 0)).toBe(500);
  });

  it('is a dead letter after as many attempts as were asked for, and each delay is longer', () => {
    const states = [asked];
    for (let tries = 0; tries < RULES.attempts; tries++)
      states.push(withFailure(states.at(-1)!, HAPPENING, { error: `no ${tries}` }, RULES, NOW, 1));
    expect(states.map(({ waiting }) => waiting.map(({ tries, due }) => [tries, due - NOW]))).toEqual([
      [[0, 0]],
      [[1, 1_000]],
      [[2, 3_000]],
      [],
    ]);
    expect(states.map(({ dead }) => dead.length)).toEqual([0, 0, 0, 1]);
    expect(states.at(-1)!.dead).toEqual([
      {
        n: 1,
        id: 'msg_a_1',
        type: 'approval.requested',
        approvalId: 'a',
        at: 5,
        attempts: 3,
        triedAt: NOW,
        error: 'no 2',
      },
    ]);
  });

  it('is a dead letter at once where it is never taken', () => {
    const { waiting, dead } = withFailure(asked, HAPPENING, { error: 'gone', final: true }, RULES, NOW, 1);
    expect([waiting, dead]).toEqual([[], [expect.objectContaining({ attempts: 1 })]]);
  });
});

/** The values of a ledger, as several processes see them. */
function values() {
  const kept = new Map<string, { text: string; version: number }>();
  const store = {
    async get<T>(key: string) {
      const found = kept.get(key);
      return found && { value: JSON.parse(found.text) as T, version: found.version };
    },
    async set(key: string, value: unknown, version: number | undefined) {
      if (kept.get(key)?.version !== version) return false;
      kept.set(key, { text: JSON.stringify(value), version: (version ?? 0) + 1 });
      return true;
    },
    async update<T>(key: string, change: (value: T | undefined) => T | undefined) {
      const found = await store.get<T>(key);
      const changed = change(found?.value);
      if (changed !== undefined) await store.set(key, changed, found?.version);
      return changed ?? found?.value;
    },
  };
  return store;
}

describe('two senders on one ledger', () => {
  const TAKE_OVER_AFTER = 15_000;
  async function two() {
    const clock = fakeClock(['performance']);
    const store = values();
    const [one, other] = [1, 2].map(() => new KeptInLedger(store, 'hooks', TAKE_OVER_AFTER)) as [
      KeptInLedger,
      KeptInLedger,
    ];
    await one.begin(0);
    return { clock, one, other };
  }

  test('the one that came later waits until the first was not heard of for long enough', async () => {
    const { clock, one, other } = await two();
    const outbox = (await one.take())!;
    expect(await other.take()).toBeUndefined();
    clock.tick(TAKE_OVER_AFTER - 1);
    expect(await other.take()).toBeUndefined();
    // It is heard of.
    expect(await one.save(outbox)).toEqual(outbox);
    clock.tick(1);
    expect(await other.take()).toBeUndefined();
    clock.tick(TAKE_OVER_AFTER - 1);
    expect(await other.take()).toBeUndefined();
    clock.tick(1);
    expect(await other.take()).toBeDefined();
  });

  test('one that let go of it is not waited for', async () => {
    const { one, other } = await two();
    await one.release((await one.take())!);
    expect(await other.take()).toBeDefined();
  });

  test('one that stood still does not write over what its successor keeps', async () => {
    const { clock, one, other } = await two();
    const before = withHappenings((await one.take())!, 1, [1], NOW);
    expect(await one.save(before)).toEqual(before);
    await other.take();
    clock.tick(TAKE_OVER_AFTER);
    await other.take();
    const since = withHappenings(emptyOutbox(0), 7, [7], NOW);
    expect(await other.save(since)).toEqual(since);
    // The first one goes on where it stood.
    expect(await one.save({ ...before, waiting: [] })).toBeUndefined();
    await one.release({ ...before, waiting: [] });
    expect(await other.look()).toMatchObject({ cursor: 7, waiting: [{ n: 7 }], owner: expect.any(String) });
    expect(await other.save(since)).toEqual(since);
  });

  test('what others want to be sent again is heard by the one that sends', async () => {
    const { one, other } = await two();
    const outbox = (await one.take())!;
    const dead = [{ ...HAPPENING, attempts: 1, triedAt: NOW, error: 'no' }];
    await one.save({ ...outbox, dead });
    await other.again([1]);
    expect(await one.save({ ...outbox, cursor: 4, dead })).toMatchObject({ cursor: 4, again: [1] });
  });
});

describe('a delivery', () => {
  const SETTINGS: DeliveryOptions = {
    ...RULES,
    include: 'nothing',
    maxBodyBytes: 65_536,
    takeOverAfter: 3_600_000,
    logger: { warn: () => {}, error: () => {} },
  };

  /** With a request, and what happened to it where the test says so. */
  async function delivering(keeping: OutboxStore, fetch: WebhookReceiver['fetch']) {
    const gate = createGate({ timeout: 3_600_000 });
    onTestFinished(() => gate.close());
    gate.request({ toolName: 'pay', args: {} }).catch(() => {});
    let [request] = await gate.pending();
    while (request === undefined) [request] = await gate.pending();
    const { approvalId } = request;
    const happenings: LedgerHappening[] = [];
    let looked: () => void = () => {};
    const hasLooked = new Promise<void>((resolve) => (looked = resolve));
    const source: WebhookSource = {
      async after(cursor) {
        const found = happenings.filter(({ n }) => n > cursor);
        looked();
        return { found, cursor: found.at(-1)?.n ?? cursor, isAll: true };
      },
      happening: async (wanted) => happenings.find(({ n }) => n === wanted),
      forget: () => {},
    };
    const endpoint = { name: 'hooks', receiver: receiverWith({ fetch }), events: new Set(['requested'] as const) };
    const delivery = new WebhookDelivery(gate, endpoint, source, keeping, SETTINGS);
    const happens = (n: number): void => void happenings.push({ ...HAPPENING, n, id: `msg_${n}`, approvalId });
    return { delivery, happens, hasLooked };
  }

  /** A receiver that takes everything. */
  function taking() {
    const ids: unknown[] = [];
    const fetch: WebhookReceiver['fetch'] = async (_, { headers }) => {
      ids.push(new Headers(headers as Record<string, string>).get('webhook-id'));
      return new Response(null, { status: 204 });
    };
    return { fetch, ids };
  }

  it('tells what happened since it last looked when it is closed', async () => {
    const { fetch, ids } = taking();
    const { delivery, happens, hasLooked } = await delivering(new KeptHere(), fetch);
    await hasLooked;
    happens(1);
    await delivery.close();
    expect(ids).toEqual(['msg_1']);
  });

  it('sends nothing more of an outbox that another has by now', async () => {
    const { fetch, ids } = taking();
    let saved: () => void = () => {};
    const isSaved = new Promise<void>((resolve) => (saved = resolve));
    const released: OutboxState[] = [];
    const keeping: OutboxStore = {
      isDurable: true,
      take: async () => emptyOutbox(0),
      async save() {
        saved();
        return undefined;
      },
      release: async (outbox) => void released.push(outbox),
      look: async () => emptyOutbox(0),
      again: async () => {},
    };
    const { delivery, happens, hasLooked } = await delivering(keeping, fetch);
    await hasLooked;
    happens(1);
    delivery.wake();
    await isSaved;
    happens(2);
    await delivery.close();
    expect([ids, released]).toEqual([['msg_1'], []]);
  });
});
