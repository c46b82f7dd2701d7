/** Sends webhooks to any number of endpoints. */
import { createHash } from 'node:crypto';
import type { Gate } from '../../index.js';
import type * as Api from '../../webhooks.js';
import { EventsLostError } from '../errors/index.js';
import { checkPositive } from '../gate/check-positive.js';
import { localGate, type LocalGate } from '../gate/gate.js';
import { checkList } from '../options/names.js';
import { takeNeeded } from '../options/check.js';
import { receiverOf } from './attempt.js';
import { WebhookDelivery, type DeliveryOptions, type DeliveryEndpoint } from './delivery.js';
import { KeptHere, KeptInLedger } from './keeping.js';
import { invalid } from './options.js';
import { say, sayFailed } from './say.js';
import { AuditSource, EventSource } from './sources.js';
import { bindMethods } from '../values/bind-methods.js';

const EVENTS: readonly Api.WebhookEventName[] = [
  'requested',
  'reminded',
  'voted',
  'escalated',
  'decided',
  'expired',
  'settled',
];
const INCLUDES: readonly unknown[] = ['nothing', 'preview', 'args'];

/** @see webhooks.d.ts */
export const sendWebhooks: typeof Api.sendWebhooks = async (gate, given) => {
  const local = localGate(gate, 'sendWebhooks');
  const options = takeNeeded('sendWebhooks', given);
  const endpoints = endpointsOf(options);
  const settings = settingsOf(options);
  const deliveries = local.isDurable
    ? await overLedger(local, endpoints, settings)
    : endpoints.map((endpoint) => ({ source: new EventSource(), endpoint }));
  return new EventSender(local, settings, deliveries);
};

interface PlannedDelivery {
  endpoint: DeliveryEndpoint;
  source: AuditSource | EventSource;
  keeping?: KeptInLedger;
}

async function overLedger(
  gate: Gate & LocalGate,
  endpoints: readonly DeliveryEndpoint[],
  { takeOverAfter }: DeliveryOptions,
): Promise<PlannedDelivery[]> {
  const { size } = await gate.audit.head();
  const planned = endpoints.map((endpoint) => ({
    endpoint,
    source: new AuditSource(gate),
    keeping: new KeptInLedger(gate.values, endpoint.name, takeOverAfter),
  }));
  for (const { keeping } of planned) await keeping.begin(size);
  return planned;
}

class EventSender implements Api.WebhookSender {
  readonly #deliveries: WebhookDelivery[];
  readonly #listening = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(gate: Gate & LocalGate, options: DeliveryOptions, planned: readonly PlannedDelivery[]) {
    const sources = planned.flatMap(({ source }) => (source instanceof EventSource ? [source] : []));
    void this.#listen(gate, sources, options);
    this.#deliveries = planned.map(
      ({ endpoint, source, keeping }) =>
        new WebhookDelivery(gate, endpoint, source, keeping ?? new KeptHere(), options),
    );
    bindMethods(this);
  }

  async deadLetters(): Promise<Api.DeadLetter[]> {
    const all = await Promise.all(this.#deliveries.map((delivery) => delivery.deadLetters()));
    return all.flat().toSorted((one, other) => one.triedAt - other.triedAt);
  }

  async retry(id: string): Promise<boolean> {
    const found = await Promise.all(this.#deliveries.map((delivery) => delivery.retry(id)));
    return found.includes(true);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all(this.#deliveries.map((delivery) => delivery.close()));
    this.#listening.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Over a durable ledger, events are a hint to look; in memory they are all there is. */
  async #listen(gate: Gate & LocalGate, sources: readonly EventSource[], { logger }: DeliveryOptions): Promise<void> {
    const { signal } = this.#listening;
    while (!signal.aborted) {
      try {
        for await (const event of gate.events({ signal })) {
          for (const source of sources) {
            const lost = source.add(event);
            if (lost !== undefined) say(logger, 'error', 'too much waits: an event is lost', { id: lost.id });
          }
          for (const delivery of this.#deliveries) delivery.wake();
        }
        break;
      } catch (error) {
        if (!EventsLostError.isInstance(error)) break;
        if (sources.length > 0) sayFailed(logger, 'events are lost', error);
      }
    }
    // The gate was closed: what was not told is for the next process that opens the ledger.
    for (const delivery of this.#deliveries) delivery.stop();
  }
}

function endpointsOf({ endpoints, ...options }: Api.SendWebhooksOptions): DeliveryEndpoint[] {
  if (!Array.isArray(endpoints) || endpoints.length === 0)
    throw invalid('sendWebhooks: endpoints must be a list of at least one.');
  const read = endpoints.map((given: Api.WebhookEndpoint, index) => {
    const place = `sendWebhooks: endpoints[${index}]`;
    const endpoint = takeNeeded('endpoint', given, place);
    checkList(endpoint.events, place, 'events');
    const events = endpoint.events ?? EVENTS.filter((name) => name !== 'settled');
    const unknown = events.find((name) => !EVENTS.includes(name));
    if (unknown !== undefined)
      throw invalid(`${place}.events must be of ${EVENTS.join(', ')}, not ${String(unknown)}.`);
    const receiver = receiverOf(place, endpoint, { endpoints, ...options });
    return { name: endpoint.name ?? defaultName(receiver.url), receiver, events: new Set(events) };
  });
  const names = read.map(({ name }) => name);
  if (names.some((name) => typeof name !== 'string' || name === '' || name.length > 200))
    throw invalid('sendWebhooks: the name of an endpoint must be a text of 1 to 200 characters.');
  if (new Set(names).size < names.length)
    throw invalid('sendWebhooks: two endpoints have the same address: give each a name.');
  return read;
}

/** An address may hold a secret: it is not what an endpoint is called. */
const defaultName = (url: string): string =>
  `${new URL(url).host}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;

function settingsOf(options: Api.SendWebhooksOptions): DeliveryOptions {
  const { include = 'nothing', logger, attempts = 12 } = options;
  if (!INCLUDES.includes(include)) throw invalid(`sendWebhooks: include must be one of ${INCLUDES.join(', ')}.`);
  const number = (name: keyof Api.SendWebhooksOptions, fallback: number): number =>
    checkPositive(`sendWebhooks: ${name}`, options[name] === undefined ? fallback : options[name]);
  if (!Number.isInteger(attempts) || attempts < 1)
    throw invalid('sendWebhooks: attempts must be a whole number from 1.');
  return {
    include,
    logger,
    attempts,
    firstDelay: number('firstDelay', 1_000),
    maxDelay: number('maxDelay', 21_600_000),
    maxBodyBytes: number('maxBodyBytes', 65_536),
    takeOverAfter: number('takeOverAfter', 15_000),
  };
}
