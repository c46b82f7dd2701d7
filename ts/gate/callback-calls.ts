/** Callbacks while they are asked about a request, and the requests that they are not asked about. */
import type { ApprovalRecord } from '../../index.js';

/** What callbacks do about a request that they are not asked about, since it was decided before. */
const UNASKED = new WeakMap<object, (record: ApprovalRecord) => void>();

/** Says what the callback does about those requests. */
export function hearsUnasked(callback: object, hear: (record: ApprovalRecord) => void): void {
  UNASKED.set(callback, hear);
}

/** How many requests were decided before the callback of a user was asked about them. What it would have done about them is unknown. */
let skipped = 0;

/** That number: a program that reads answers in the order of requests is out of order when it has grown. */
export const skippedRequests = (): number => skipped;

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
}

interface CallbackCall {
  callback: object;
  context: AskContext;
  /** Whether one of ours was asked by the callback, or is the callback. */
  isTaken: boolean;
}

/** The callbacks that are asked now, by the id of the request. A copy of the request has that, too, wherever it is handed on to. */
const ASKED = new Map<string, CallbackCall>();

/**
 * Has one of ours find the callback that it is called in. A callback that is still at it when its request is decided elsewhere has
 * skipped that, unless one of ours was asked.
 *
 * @returns what ends that
 */
export function asks(approvalId: string, callback: object, context: AskContext): () => void {
  const call = { callback, context, isTaken: UNASKED.has(callback) };
  // At once: the next request may be put before the callback is back.
  const skip = (): void => void (call.isTaken || (skipped += 1));
  ASKED.set(approvalId, call);
  context.abortSignal.addEventListener('abort', skip, { once: true });
  return () => {
    context.abortSignal.removeEventListener('abort', skip);
    if (ASKED.get(approvalId) === call) ASKED.delete(approvalId);
  };
}

/** What the callback was given that is asked about this request now; `undefined`: none is. */
export const contextOf = (approvalId: string | undefined): AskContext | undefined => callOf(approvalId)?.context;

/** One of ours, this one, is asked about the request. @returns whether it is the very callback that the request was put to */
export function takesCall(approvalId: string | undefined, ours: object): boolean {
  const call = callOf(approvalId);
  if (call === undefined) return false;
  call.isTaken = true;
  return call.callback === ours;
}

const callOf = (approvalId: string | undefined): CallbackCall | undefined =>
  approvalId === undefined ? undefined : ASKED.get(approvalId);
