/** Callbacks while they are asked about a request, and the requests that they are not asked about. */
import type { ApprovalRecord } from '../../index.js';
import type { LateAbort } from '../values/late-abort.js';
import type { EditReader } from './edited-call.js';

/** What callbacks do about a request that they are not asked about, since it was decided before. */
const UNASKED = new WeakMap<object, (record: ApprovalRecord) => void>();

/** Says what the callback does about those requests. */
export function hearsUnasked(callback: object, hear: (record: ApprovalRecord) => void): void {
  UNASKED.set(callback, hear);
}

/** Says that the callback has nothing to do with piped lines: of a request that it is not asked about there is nothing to know. */
export function readsNoLines<T extends object>(callback: T): T {
  hearsUnasked(callback, () => {});
  return callback;
}

/** How many requests were over before the functions of users that they were given to asked one of ours. It is unknown whether they would have. */
let skipped = 0;

/** That number: who reads answers in the order of requests is out of order when it has grown. */
export const skippedRequests = (): number => skipped;

/**
 * That number when answers could first be meant for a request, at an input that is met now. Where a function of a user is asked now,
 * it may be met in that, and other calls of it may have been meant to.
 */
export const skippedAtFirst = (): number =>
  [...ASKED.values()].some(({ isOurs, over }) => !isOurs && !over.isAborted) ? 0 : skipped;

/** Tells the callback that it is not asked about this request. */
export function tellUnasked(callback: object, record: ApprovalRecord): void {
  const hear = UNASKED.get(callback);
  if (hear === undefined) skipped += 1;
  else hear(record);
}

/** What a callback is given beside a request. */
export interface AskContext {
  abortSignal: AbortSignal;
  /** Why an answer would not be taken. */
  objectionTo: (answer: unknown) => Promise<string | undefined>;
  /** For {@link editedCall}. It is given to ours alone. */
  readEdit: EditReader;
}

interface CallbackCall {
  /** Aborted when its request is decided elsewhere. */
  over: LateAbort;
  beside: Omit<AskContext, 'abortSignal'>;
  /** Whether the callback is one of ours. */
  isOurs: boolean;
  /** Whether one of ours was asked by it, or is it. */
  isTaken: boolean;
}

/** The callbacks that are asked now, by the id of the request. A copy of the request has that, too, wherever it is handed on to. */
const ASKED = new Map<string, CallbackCall>();

/**
 * Has one of ours find the callback that it is called in. A callback has skipped its request where that is decided elsewhere, or
 * the callback fails, before one of ours was asked. With an answer of its own it skips nothing.
 *
 * @returns what ends that
 */
export function asks(
  approvalId: string,
  callback: object,
  over: LateAbort,
  beside: Omit<AskContext, 'abortSignal'>,
): (how: 'answered' | 'failed') => void {
  const isOurs = UNASKED.has(callback);
  const call = { over, beside, isOurs, isTaken: isOurs };
  const skip = (): void => void (call.isTaken || (skipped += 1));
  ASKED.set(approvalId, call);
  // At once: the next request may be put before the callback is back.
  const forget = over.onAbort(skip);
  return (how) => {
    forget();
    if (how === 'failed' && !over.isAborted) skip();
    if (ASKED.get(approvalId) === call) ASKED.delete(approvalId);
  };
}

/** What the callback was given that is asked about this request now; `undefined`: none is. */
export function contextOf(approvalId: string | undefined): AskContext | undefined {
  const call = callOf(approvalId);
  return call && { abortSignal: call.over.signal, ...call.beside };
}

/** One of ours is asked about the request. */
export function takesCall(approvalId: string | undefined): void {
  const call = callOf(approvalId);
  if (call !== undefined) call.isTaken = true;
}

const callOf = (approvalId: string | undefined): CallbackCall | undefined =>
  approvalId === undefined ? undefined : ASKED.get(approvalId);
