/** Where the outbox of an endpoint is kept, and who may send from it. */
import { createHash, randomUUID } from 'node:crypto';
import type { GateValues } from '../gate/values.js';
import type { DeadLetter } from '../../webhooks.js';
import { emptyOutbox, type StoredDeadLetter, type OutboxState } from './outbox.js';

export interface OutboxStore {
  /** Whether what is not sent can be sent by somebody later. */
  readonly isDurable: boolean;
  /** The outbox, when no other process sends from it; it is ours until another process misses us. */
  take(): Promise<OutboxState | undefined>;
  /** What it is now, with what others want of it; `undefined`: it is another's. */
  save(outbox: OutboxState): Promise<OutboxState | undefined>;
  /** Lets go of it. */
  release(outbox: OutboxState): Promise<void>;
  /** What was last kept, in any process. */
  look(): Promise<OutboxState>;
  /** Asks the process that has it to send these dead letters again. */
  again(numbers: readonly number[]): Promise<void>;
}

/** Of a gate in memory: no other process can have it. */
export class KeptHere implements OutboxStore {
  readonly isDurable = false;
  #outbox = emptyOutbox(0);

  take = async (): Promise<OutboxState> => this.#outbox;
  save = async (outbox: OutboxState): Promise<OutboxState> => (this.#outbox = outbox);
  release = async (outbox: OutboxState): Promise<void> => void (this.#outbox = outbox);
  look = async (): Promise<OutboxState> => this.#outbox;
  again = async (numbers: readonly number[]): Promise<void> => {
    this.#outbox = { ...this.#outbox, again: [...this.#outbox.again, ...numbers] };
  };
}

/** Names of the endpoints that a ledger knows. */
const ENDPOINTS = 'webhooks';

/** As it is told. */
export const letterOf = (
  { id, type, approvalId, at, attempts, triedAt, error }: StoredDeadLetter,
  endpoint: string,
): DeadLetter => ({
  id,
  endpoint,
  type,
  approvalId,
  at,
  attempts,
  triedAt,
  error,
});

/** What reads and changes the values of a ledger. */
type ValueStore = Pick<GateValues, 'get' | 'set' | 'update'>;

const keyOf = (endpoint: string): string =>
  `webhook:${createHash('sha256').update(endpoint).digest('hex').slice(0, 32)}`;

/** The names of all endpoints that were ever sent to. */
export const endpointsIn = async (store: Pick<ValueStore, 'get'>): Promise<readonly string[]> =>
  (await store.get<string[]>(ENDPOINTS))?.value ?? [];

/** What an endpoint is still to be told. */
export const lookAt = async (store: Pick<ValueStore, 'get'>, endpoint: string): Promise<OutboxState> =>
  (await store.get<OutboxState>(keyOf(endpoint)))?.value ?? emptyOutbox(0);

/** Asks for dead letters to be sent again. @returns how many are there */
export async function askAgain(
  store: Pick<ValueStore, 'update'>,
  endpoint: string,
  wanted: (id: string, n: number) => boolean,
): Promise<number> {
  let found = 0;
  await store.update<OutboxState>(keyOf(endpoint), (outbox) => {
    const numbers = (outbox?.dead ?? []).filter(({ id, n }) => wanted(id, n)).map(({ n }) => n);
    found = numbers.length;
    if (outbox === undefined || found === 0) return undefined;
    return { ...outbox, again: [...new Set([...outbox.again, ...numbers])] };
  });
  return found;
}

/**
 * In a durable ledger. Of several processes one has it: it changes it again and again, and by nothing but that the others
 * see that it lives. So no clock of theirs is compared with another.
 */
export class KeptInLedger implements OutboxStore {
  readonly isDurable = true;
  readonly #store: ValueStore;
  readonly #endpoint: string;
  readonly #takeOverAfter: number;
  readonly #me = randomUUID();
  /** Of what was last read or written here. */
  #version = 0;
  /** Since when another's was not changed, by our own clock. */
  #seen = { version: -1, since: 0 };

  /** @param takeOverAfter ms */
  constructor(store: ValueStore, endpoint: string, takeOverAfter: number) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#takeOverAfter = takeOverAfter;
  }

  /** Makes an outbox that begins at this number, unless it exists. */
  async begin(cursor: number): Promise<void> {
    await this.#store.set(this.#key, emptyOutbox(cursor), undefined);
    await this.#store.update<string[]>(ENDPOINTS, (names = []) =>
      names.includes(this.#endpoint) ? undefined : [...names, this.#endpoint],
    );
  }

  async take(): Promise<OutboxState | undefined> {
    const { value, version } = await this.#get();
    const isOthers = value.owner !== null && value.owner !== this.#me;
    if (isOthers && version !== this.#seen.version) this.#seen = { version, since: performance.now() };
    if (isOthers && performance.now() - this.#seen.since < this.#takeOverAfter) return undefined;
    return (await this.#set(value, version, this.#me)) ? value : undefined;
  }

  async save(outbox: OutboxState): Promise<OutboxState | undefined> {
    if (await this.#set(outbox, this.#version, this.#me)) return outbox;
    const { value, version } = await this.#get();
    if (value.owner !== this.#me) return undefined;
    // Others only ask for dead letters to be sent again.
    const asked = { ...outbox, again: value.again };
    return (await this.#set(asked, version, this.#me)) ? asked : undefined;
  }

  async release(outbox: OutboxState): Promise<void> {
    const saved = await this.save(outbox);
    if (saved !== undefined) await this.#set(saved, this.#version, null);
  }

  look = async (): Promise<OutboxState> => (await this.#get()).value;

  async again(numbers: readonly number[]): Promise<void> {
    await askAgain(this.#store, this.#endpoint, (_, n) => numbers.includes(n));
  }

  get #key(): string {
    return keyOf(this.#endpoint);
  }

  async #get(): Promise<{ value: OutboxState; version: number }> {
    const kept = await this.#store.get<OutboxState>(this.#key);
    if (kept === undefined) throw new Error(`the outbox of ${this.#endpoint} is gone`);
    return kept;
  }

  async #set(outbox: OutboxState, version: number, owner: string | null): Promise<boolean> {
    const isSet = await this.#store.set(this.#key, { ...outbox, owner }, version);
    if (isSet) this.#version = version + 1;
    return isSet;
  }
}
