/** Where it is known from what happened. */
import type { Gate, GateEvent } from '../../index.js';
import { fromEntry, fromEvent, type LedgerHappening } from './happenings.js';

export interface WebhookSource {
  /** What happened after this number, and up to where was looked. */
  after(cursor: number, most: number): Promise<{ found: LedgerHappening[]; cursor: number; isAll: boolean }>;
  /** `undefined`: it is not known any more. */
  happening(n: number): Promise<LedgerHappening | undefined>;
  /** It will not be asked for again. */
  forget(n: number): void;
}

/** How much is kept that the endpoint was not told. */
const MAX_KEPT = 10_000;

/** How many entries are looked at in one go. */
const AT_ONCE = 1_000;

/** The audit of a durable ledger: what all processes did. */
export class AuditSource implements WebhookSource {
  readonly #gate: Gate;
  /** What was read and is still to be told. */
  readonly #known = new Map<number, LedgerHappening>();

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  async after(after: number, most: number) {
    const found: LedgerHappening[] = [];
    let cursor = after;
    for await (const entry of this.#gate.audit.list({ after, limit: AT_ONCE })) {
      if (found.length >= most) return { found, cursor, isAll: false };
      cursor = entry.seq;
      const happening = fromEntry(entry);
      if (happening === undefined) continue;
      found.push(happening);
      this.#remember(happening);
    }
    return { found, cursor, isAll: cursor - after < AT_ONCE };
  }

  async happening(n: number): Promise<LedgerHappening | undefined> {
    const known = this.#known.get(n);
    if (known !== undefined) return known;
    // Another process read it.
    for await (const entry of this.#gate.audit.list({ after: n - 1, limit: 1 }))
      // Where it was dropped, the next one comes instead.
      return entry.seq === n ? fromEntry(entry) : undefined;
    return undefined;
  }

  forget(n: number): void {
    this.#known.delete(n);
  }

  #remember(happening: LedgerHappening): void {
    this.#known.set(happening.n, happening);
    const [oldest] = this.#known.size > MAX_KEPT ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The events of a gate in memory. */
export class EventSource implements WebhookSource {
  readonly #known = new Map<number, LedgerHappening>();
  #next = 1;

  /** @returns the oldest one, if it had to make room */
  add(event: GateEvent): LedgerHappening | undefined {
    const happening = fromEvent(event, this.#next);
    if (happening === undefined) return undefined;
    this.#known.set(this.#next++, happening);
    const [oldest] = this.#known.size > MAX_KEPT ? this.#known.values() : [];
    if (oldest !== undefined) this.#known.delete(oldest.n);
    return oldest;
  }

  async after(after: number, most: number) {
    const found = [...this.#known.values()].filter(({ n }) => n > after).slice(0, most);
    return { found, cursor: found.at(-1)?.n ?? after, isAll: found.length < most };
  }

  async happening(n: number): Promise<LedgerHappening | undefined> {
    return this.#known.get(n);
  }

  forget(n: number): void {
    this.#known.delete(n);
  }
}
