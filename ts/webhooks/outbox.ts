/** What one endpoint is still to be told, and what it did not take. Nothing here reads, writes or sends. */
import type { DeadLetter } from '../../webhooks.js';
import type { LedgerHappening } from './happenings.js';

/** What is kept of it in the ledger: JSON of far less than 1 MiB. */
export interface OutboxState {
  /** Who sends; `null`: no process. */
  owner: string | null;
  /** What happened up to here was looked at. */
  cursor: number;
  waiting: WaitingDelivery[];
  /** Oldest first. */
  dead: StoredDeadLetter[];
  /** Dead letters that somebody else wants to be sent again. */
  again: number[];
}

interface WaitingDelivery {
  /** Its number in the order of what happened. */
  n: number;
  /** Attempts that failed. */
  tries: number;
  /** When the next attempt is due, in ms since the epoch. */
  due: number;
  /** Why the last attempt failed. */
  error?: string;
}

/** A dead letter as it is kept: what it was about can be looked up by its number. */
export interface StoredDeadLetter extends Omit<DeadLetter, 'endpoint'> {
  n: number;
}

/** How failures are dealt with. */
export interface RetryRules {
  attempts: number;
  firstDelay: number;
  maxDelay: number;
}

/** How much is taken in at once: what else happened stays where it is. */
const MAX_WAITING = 1_000;
/** How many dead letters are kept. */
const MAX_DEAD = 1_000;
/** How much longer each delay is than the one before. */
const FACTOR = 3;

export const emptyOutbox = (cursor: number): OutboxState => ({
  owner: null,
  cursor,
  waiting: [],
  dead: [],
  again: [],
});

export const roomIn = ({ waiting }: OutboxState): number => Math.max(0, MAX_WAITING - waiting.length);

/** With what happened up to a number. */
export const withHappenings = (
  outbox: OutboxState,
  cursor: number,
  numbers: readonly number[],
  now: number,
): OutboxState => ({
  ...outbox,
  cursor,
  waiting: [...outbox.waiting, ...numbers.map((n) => ({ n, tries: 0, due: now }))],
});

/** The attempts that are due, the most overdue first. */
export const dueIn = ({ waiting }: OutboxState, now: number, isUnderWay: (n: number) => boolean): WaitingDelivery[] =>
  waiting.filter(({ n, due }) => due <= now && !isUnderWay(n)).toSorted((one, other) => one.due - other.due);

/** When the next attempt is due; `undefined`: none is. */
export function nextDue({ waiting }: OutboxState, isUnderWay: (n: number) => boolean): number | undefined {
  const due = waiting.filter(({ n }) => !isUnderWay(n)).map((each) => each.due);
  return due.length === 0 ? undefined : Math.min(...due);
}

export const without = (outbox: OutboxState, n: number): OutboxState => ({
  ...outbox,
  waiting: outbox.waiting.filter((each) => each.n !== n),
});

/** What an attempt came to. */
export type AttemptFailure = {
  error: string;
  /** For how many ms the receiver accepts no further attempt. */
  retryAfter?: number;
  /** It will not take it ever. */
  final?: boolean;
};

/** After an attempt that failed. @param random from 0 to 1 */
export function withFailure(
  outbox: OutboxState,
  happening: LedgerHappening,
  { error, retryAfter = 0, final = false }: AttemptFailure,
  { attempts, firstDelay, maxDelay }: RetryRules,
  now: number,
  random: number,
): OutboxState {
  const { n, id, type, approvalId, at } = happening;
  const tries = (outbox.waiting.find((each) => each.n === n)?.tries ?? 0) + 1;
  if (final || tries >= attempts) {
    const dead: StoredDeadLetter = { n, id, type, approvalId, at, attempts: tries, triedAt: now, error };
    return { ...without(outbox, n), dead: [...outbox.dead.filter((each) => each.n !== n), dead].slice(-MAX_DEAD) };
  }
  // Those that failed together must not come back together.
  const delay = Math.min(maxDelay, firstDelay * FACTOR ** (tries - 1)) * (0.5 + random / 2);
  const due = now + Math.max(delay, Math.min(maxDelay, retryAfter));
  return { ...outbox, waiting: outbox.waiting.map((each) => (each.n === n ? { n, tries, due, error } : each)) };
}

/** With dead letters put back among what is to be told. */
export function withRevived(outbox: OutboxState, numbers: readonly number[], now: number): OutboxState {
  const revived = outbox.dead.filter(({ n }) => numbers.includes(n));
  return {
    ...outbox,
    dead: outbox.dead.filter(({ n }) => !numbers.includes(n)),
    again: outbox.again.filter((n) => !numbers.includes(n)),
    waiting: [...outbox.waiting, ...revived.map(({ n }) => ({ n, tries: 0, due: now }))],
  };
}

/** What to wait for at most where somebody's clock was ahead. */
export const withoutFarFuture = (outbox: OutboxState, now: number, maxDelay: number): OutboxState => ({
  ...outbox,
  waiting: outbox.waiting.map((each) => ({ ...each, due: Math.min(each.due, now + maxDelay) })),
});

/** With the next attempt of one put off, for a reason that is not its own. */
export const later = (outbox: OutboxState, n: number, due: number): OutboxState => ({
  ...outbox,
  waiting: outbox.waiting.map((each) => (each.n === n ? { ...each, due } : each)),
});
