/** What happens is told to each open page. */
import { describe, expect, it, vi } from 'vitest';
import type { GateEvent } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { isThorough } from '../support/effort.js';
import { ask, eventsOf, gateOf, inboxOf, ORIGIN, Person, scratch } from './support.js';
import { fakeClock } from '../support/fake-clock.js';

type Told = AsyncGenerator<{ event: string; data: Record<string, unknown> }>;

async function open(person: Person, signal?: AbortSignal): Promise<Told> {
  const response = await person.send('GET', 'api/events', signal === undefined ? {} : { signal });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = eventsOf(response);
  expect((await events.next()).value).toMatchObject({ event: 'hello', data: { now: expect.any(Number) } });
  return events;
}

function idsOf(value: { event: string; data: Record<string, unknown> } | undefined): string[] {
  if (value?.event !== 'change') throw new Error(`${value?.event} instead of changes`);
  return value.data['ids'] as string[];
}

/** Reads until nothing comes any more. */
async function toEnd(events: Told): Promise<void> {
  for (;;) if ((await events.next()).done === true) return;
}

/** The ids that are told until these are. */
async function toldOf(events: Told, ...ids: string[]): Promise<void> {
  const left = new Set(ids);
  while (left.size > 0) {
    const { value } = await events.next();
    for (const id of idsOf(value)) left.delete(id);
  }
}

describe('changes', () => {
  it('are told to every page, also of other processes', async () => {
    const file = `sqlite:${scratch()}/ledger.db` as const;
    const [gate, other] = [gateOf({ ledger: file }), gateOf({ ledger: file })];
    const inbox = inboxOf(gate);
    const pages = await Promise.all(['mia', 'noah'].map((name) => open(new Person(inbox, name))));
    const { approvalId } = await ask(other);
    await Promise.all(pages.map((events) => toldOf(events, approvalId)));
    await other.reject(approvalId, { by: 'x' });
    await Promise.all(pages.map((events) => toldOf(events, approvalId)));
  });

  it('are read from the gate once for all pages, and not at all for none', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const events = vi.spyOn(gate, 'events');
    const inbox = inboxOf(gate);
    const leave = [new AbortController(), new AbortController()];
    const pages = await Promise.all(leave.map(({ signal }) => open(new Person(inbox, 'mia'), signal)));
    expect(events).toHaveBeenCalledTimes(1);
    const signal = events.mock.calls[0]?.[0]?.signal;
    leave[0]?.abort();
    await toEnd(pages[0] as Told);
    expect(signal?.aborted).toBe(false);
    await toldOf(pages[1] as Told, (await ask(gate)).approvalId);
    leave[1]?.abort();
    await toEnd(pages[1] as Told);
    expect(signal?.aborted).toBe(true);
    await toldOf(await open(new Person(inbox, 'mia')), (await ask(gate)).approvalId);
    expect(events).toHaveBeenCalledTimes(2);
  });

  it('that a page does not take are put together, and of too many it reads all again', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const inbox = inboxOf(gate);
    const response = await new Person(inbox, 'mia').send('GET', 'api/events');
    const quick = await open(new Person(inbox, 'noah'));
    for (let number = 0; number < 300; number++) gate.request({ toolName: 'x', args: { number } }).catch(() => {});
    const ids = (await gate.pending()).map(({ approvalId }) => approvalId);
    expect(ids).toHaveLength(300);
    // By then the other page has been told of all of them, too.
    await toldOf(quick, ...ids);
    const events = eventsOf(response);
    await events.next();
    let told = 0;
    const left = new Set(ids);
    while (left.size > 0) {
      for (const id of idsOf((await events.next()).value)) left.delete(id);
      told++;
    }
    expect(told).toBeLessThan(30);
  });

  it.runIf(isThorough)('that are too many to be told are a gap', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const inbox = inboxOf(gate);
    const slow = await new Person(inbox, 'mia').send('GET', 'api/events');
    const quick = await open(new Person(inbox, 'noah'));
    for (let number = 0; number < 1_100; number++) gate.request({ toolName: 'x', args: { number } }).catch(() => {});
    await toldOf(quick, (await ask(gate)).approvalId);
    const names: string[] = [];
    for await (const { event } of eventsOf(slow)) if (names.push(event) && event === 'gap') break;
    expect(names.length).toBeLessThan(30);
  });
});

describe('a gap', () => {
  it('is told when events were lost, and reading goes on', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const lost = { next: () => Promise.reject(new Error('lost')), [Symbol.asyncIterator]: () => lost };
    vi.spyOn(gate, 'events').mockReturnValueOnce(lost as unknown as AsyncIterableIterator<GateEvent>);
    const events = await open(new Person(inboxOf(gate), 'mia'));
    expect((await events.next()).value?.event).toBe('gap');
    await toldOf(events, (await ask(gate)).approvalId);
  });

  it('is told when the ledger can be read again', async () => {
    const gate = gateOf();
    const mia = new Person(inboxOf(gate), 'mia');
    const events = await open(mia);
    const { LedgerError } = await import('../../ts/index.js');
    vi.spyOn(gate, 'pending').mockRejectedValueOnce(new LedgerError({ code: 'ERR_LEDGER_BUSY', message: 'busy' }));
    const { status, headers } = await mia.get('api/pending');
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    // Nothing of this asks the ledger.
    await mia.get('api/session');
    await mia.get('assets/a-1.js');
    const { approvalId } = await ask(gate);
    await toldOf(events, approvalId);
    expect((await mia.get('api/pending')).status).toBe(200);
    let told: string | undefined;
    while (told !== 'gap') told = (await events.next()).value?.event;
  });
});

describe('the end', () => {
  it('comes with the gate, and is said', async () => {
    const gate = createGate({ ledger: 'memory:' });
    const inbox = inboxOf(gate);
    const events = await open(new Person(inbox, 'mia'));
    await gate.close();
    expect((await events.next()).value?.event).toBe('bye');
    expect(await events.next()).toMatchObject({ done: true });
    expect((await new Person(inbox, 'mia').get('api/events')).status).toBe(503);
  });

  it('comes with the reader, who leaves nothing behind', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const events = vi.spyOn(gate, 'events');
    const response = await new Person(inboxOf(gate), 'mia').send('GET', 'api/events');
    await response.body?.cancel();
    expect(events.mock.calls[0]?.[0]?.signal?.aborted).toBe(true);
  });

  it('comes at once for a request that is over', async () => {
    const gate = gateOf({ ledger: 'memory:' });
    const response = await new Person(inboxOf(gate), 'mia').send('GET', 'api/events', { signal: AbortSignal.abort() });
    const names: string[] = [];
    for await (const { event } of eventsOf(response)) names.push(event);
    expect(names).toEqual(['hello']);
  });

  it('comes after ten minutes, with comments until then, so that who looks is asked again', async () => {
    const clock = fakeClock(['setInterval', 'clearInterval', 'Date']);
    const gate = gateOf({ ledger: 'memory:' });
    const response = await new Person(inboxOf(gate), 'mia').send('GET', 'api/events');
    clock.tick(60_000);
    clock.tick(540_000);
    const text = await response.text();
    expect(text.match(/^: here$/gm)?.length).toBeGreaterThanOrEqual(4);
  });
});

it('of one person only so many are open', async () => {
  const gate = gateOf({ ledger: 'memory:' });
  const inbox = inboxOf(gate);
  const mia = new Person(inbox, 'mia');
  for (let number = 0; number < 32; number++) await open(mia);
  expect((await mia.get('api/events')).status).toBe(429);
  await open(new Person(inbox, 'noah'));
});

it('nobody hears anything without being known', async () => {
  const inbox = inboxOf(gateOf());
  expect((await inbox(new Request(`${ORIGIN}/inbox/api/events`))).status).toBe(401);
});
