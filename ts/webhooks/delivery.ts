/** Tells one endpoint what happens, until it took it or is given up. */
import type { Gate, Logger } from '../../index.js';
import type { DeadLetter, SendWebhooksOptions, WebhookEventName } from '../../webhooks.js';
import { GateClosedError } from '../errors/index.js';
import { attempt, type WebhookReceiver } from './attempt.js';
import { bodyOf, nameOf, type LedgerHappening } from './happenings.js';
import { letterOf, type OutboxStore } from './keeping.js';
import * as box from './outbox.js';
import { say, sayFailed } from './say.js';
import type { WebhookSource } from './sources.js';

export interface DeliveryEndpoint {
  name: string;
  receiver: WebhookReceiver;
  events: ReadonlySet<WebhookEventName>;
}

export interface DeliveryOptions extends box.RetryRules {
  include: NonNullable<SendWebhooksOptions['include']>;
  maxBodyBytes: number;
  takeOverAfter: number;
  logger: Logger | undefined;
}

/** How many attempts are under way at once. */
const MAX_UNDER_WAY = 8;
/** After trouble with the ledger, in ms. */
const TROUBLE_MS = 1_000;
/** Why something cannot be told: the ledger lets go of what is over after a time. */
const DROPPED = 'the record of the request was dropped before it was told';

export class WebhookDelivery {
  readonly endpoint: DeliveryEndpoint;
  readonly #gate: Gate;
  readonly #source: WebhookSource;
  readonly #keeping: OutboxStore;
  readonly #options: DeliveryOptions;
  /** While it is ours. */
  #outbox: box.OutboxState | undefined;
  /** It is not kept as it is. */
  #isDirty = false;
  #savedAt = 0;
  readonly #underWay = new Map<number, Promise<void>>();
  readonly #abort = new AbortController();
  #isClosing = false;
  #wake: () => void = () => {};
  #isAwake = false;
  readonly #running: Promise<void>;

  constructor(
    gate: Gate,
    endpoint: DeliveryEndpoint,
    source: WebhookSource,
    keeping: OutboxStore,
    options: DeliveryOptions,
  ) {
    this.#gate = gate;
    this.endpoint = endpoint;
    this.#source = source;
    this.#keeping = keeping;
    this.#options = options;
    this.#running = this.#run();
  }

  /** Something happened. Does nothing where another process sends the webhooks. */
  wake(): void {
    if (this.#outbox === undefined && !this.#isClosing) return;
    this.#isAwake = true;
    this.#wake();
  }

  async deadLetters(): Promise<DeadLetter[]> {
    const { dead } = this.#outbox ?? (await this.#keeping.look());
    return dead.map((letter) => letterOf(letter, this.endpoint.name));
  }

  /** `false`: no dead letter has that id. */
  async retry(id: string): Promise<boolean> {
    const { dead } = this.#outbox ?? (await this.#keeping.look());
    const numbers = dead.flatMap((each) => (each.id === id ? [each.n] : []));
    if (numbers.length === 0) return false;
    if (this.#outbox === undefined) await this.#keeping.again(numbers);
    else this.#change((outbox) => box.withRevived(outbox, numbers, Date.now()));
    return true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.wake();
    await this.#running;
  }

  /** Also what is under way, which is tried again by the next process. */
  stop(): void {
    this.#isClosing = true;
    this.#abort.abort();
    this.wake();
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#isAwake = false;
      let pause = TROUBLE_MS;
      try {
        pause = await this.#step();
      } catch (error) {
        if (GateClosedError.isInstance(error)) this.stop();
        else this.#failed('the ledger could not be used', error);
      }
      await this.#sleep(pause);
    }
    try {
      await this.#end();
    } catch (error) {
      // The next process that opens the ledger goes on from what was written down before.
      if (!GateClosedError.isInstance(error)) this.#failed('the ledger could not be used', error);
    }
  }

  /** Takes in what happened, begins what is due, and writes it down. @returns for how long there is nothing to do, in ms */
  async #step(): Promise<number> {
    const beat = this.#options.takeOverAfter / 3;
    if (this.#outbox === undefined && !(await this.#take())) return beat;
    await this.#read();
    this.#begin(() => true);
    if (this.#isDirty || performance.now() - this.#savedAt >= beat) await this.#save();
    const due = this.#outbox && box.nextDue(this.#outbox, (n) => this.#underWay.has(n));
    return due === undefined || this.#underWay.size >= MAX_UNDER_WAY ? beat : Math.min(beat, due - Date.now());
  }

  async #take(): Promise<boolean> {
    const outbox = await this.#keeping.take();
    if (outbox === undefined) return false;
    this.#outbox = box.withoutFarFuture(outbox, Date.now(), this.#options.maxDelay);
    this.#savedAt = performance.now();
    this.#revive(outbox.again);
    return true;
  }

  #revive(numbers: readonly number[]): void {
    if (numbers.length > 0) this.#change((outbox) => box.withRevived(outbox, numbers, Date.now()));
  }

  async #read(): Promise<void> {
    for (let isAll = false; !isAll && this.#outbox !== undefined;) {
      const room = box.roomIn(this.#outbox);
      if (room === 0) return;
      const read = await this.#source.after(this.#outbox.cursor, room);
      isAll = read.isAll;
      const wanted = read.found.filter((happening) => this.#wants(happening)).map(({ n }) => n);
      for (const { n } of read.found) if (!wanted.includes(n)) this.#source.forget(n);
      if (read.cursor > this.#outbox.cursor)
        this.#change((outbox) => box.withHappenings(outbox, read.cursor, wanted, Date.now()));
    }
  }

  #wants = (happening: LedgerHappening): boolean => this.endpoint.events.has(nameOf(happening));

  /** Begins attempts that are due. */
  #begin(isMeant: (tries: number) => boolean): void {
    if (this.#outbox === undefined) return;
    for (const { n, tries } of box.dueIn(this.#outbox, Date.now(), (each) => this.#underWay.has(each))) {
      if (this.#underWay.size >= MAX_UNDER_WAY) return;
      if (!isMeant(tries)) continue;
      const attempting = this.#attempt(n).finally(() => {
        this.#underWay.delete(n);
        this.wake();
      });
      this.#underWay.set(n, attempting);
    }
  }

  async #attempt(n: number): Promise<void> {
    try {
      const happening = await this.#source.happening(n);
      if (happening === undefined) {
        const fields = { endpoint: this.endpoint.name, reason: `number ${n}` };
        say(this.#options.logger, 'error', 'what happened is not known any more', fields);
        return this.#settled(n, (outbox) => box.without(outbox, n));
      }
      const record = await this.#gate.get(happening.approvalId);
      // That it was never told can be seen.
      if (record === undefined) return this.#missed(happening, { error: DROPPED, final: true });
      const { include, maxBodyBytes } = this.#options;
      const body = bodyOf(happening, record, include, maxBodyBytes);
      const failure = await attempt(this.endpoint.receiver, { id: happening.id, body }, this.#abort.signal);
      if (this.#abort.signal.aborted) return;
      if (failure === undefined) return this.#settled(n, (outbox) => box.without(outbox, n));
      this.#missed(happening, failure);
    } catch (error) {
      this.#failed('the ledger could not be used', error);
      this.#change((outbox) => box.later(outbox, n, Date.now() + TROUBLE_MS));
    }
  }

  #missed(happening: LedgerHappening, failure: box.AttemptFailure): void {
    this.#change((outbox) => box.withFailure(outbox, happening, failure, this.#options, Date.now(), Math.random()));
    const { id } = happening;
    const isDead = this.#outbox?.dead.some((each) => each.id === id) === true;
    const fields = { endpoint: this.endpoint.name, id, reason: failure.error };
    say(this.#options.logger, isDead ? 'error' : 'warn', isDead ? 'a dead letter' : 'not taken', fields);
  }

  #settled(n: number, change: (outbox: box.OutboxState) => box.OutboxState): void {
    this.#source.forget(n);
    this.#change(change);
  }

  #change(change: (outbox: box.OutboxState) => box.OutboxState): void {
    // It may be another's by now, who will find out by itself.
    if (this.#outbox === undefined) return;
    this.#outbox = change(this.#outbox);
    this.#isDirty = true;
    this.wake();
  }

  async #save(): Promise<void> {
    if (this.#outbox === undefined) return;
    this.#isDirty = false;
    const saved = await this.#keeping.save(this.#outbox).catch((error: unknown) => {
      this.#isDirty = true;
      throw error;
    });
    this.#savedAt = performance.now();
    if (saved === undefined) this.#outbox = undefined;
    else this.#revive(saved.again);
  }

  /** What was not tried yet is tried once, but not for long; the rest is for the next process. */
  async #end(): Promise<void> {
    const until = performance.now() + this.endpoint.receiver.timeout;
    const isNew = (tries: number): boolean => tries === 0 && performance.now() < until;
    if (!this.#abort.signal.aborted && this.#outbox !== undefined) {
      await this.#read();
      for (this.#begin(isNew); this.#underWay.size > 0; this.#begin(isNew)) await Promise.race(this.#underWay.values());
    }
    await Promise.all(this.#underWay.values());
    const left = this.#outbox?.waiting.length ?? 0;
    if (left > 0 && !this.#keeping.isDurable) {
      const reason = `${left} not told when it ended, and the gate keeps nothing`;
      say(this.#options.logger, 'error', 'events are lost', { endpoint: this.endpoint.name, reason });
    }
    if (this.#outbox !== undefined) await this.#keeping.release(this.#outbox);
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isAwake || ms <= 0 || this.#isClosing) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, ms).unref();
    });
  }

  #failed(what: string, error: unknown): void {
    sayFailed(this.#options.logger, what, error, { endpoint: this.endpoint.name });
  }
}
