/** Functions of ours that make a callback. Given instead of the callback, one would fail at the first question. */
import type { ApprovalRecord } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';

const MAKERS = new WeakMap<object, string>();

/** Says that the function makes callbacks. @param call how it is called */
export function makesCallbacks(maker: object, call: string): void {
  MAKERS.set(maker, call);
}

/** What callbacks do about a request that they are not asked about, since it was decided before. */
const UNASKED = new WeakMap<object, (record: ApprovalRecord) => void>();

/** Says what the callback does about those requests. */
export function hearsUnasked(callback: object, hear: (record: ApprovalRecord) => void): void {
  UNASKED.set(callback, hear);
}

/** Callbacks of the user's that were not asked about some request. What they would have done about it is unknown. */
const PASSED_OVER = new WeakSet<object>();

/** Tells the callback that it is not asked about this request. */
export function tellUnasked(callback: object, record: ApprovalRecord): void {
  const hear = UNASKED.get(callback);
  if (hear === undefined) PASSED_OVER.add(callback);
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
}

/** The callbacks that are asked now, by the id of the request. A copy of the request has that, too, wherever it is handed on to. */
const ASKED = new Map<string, CallbackCall>();

/** Has one of ours find the callback that it is called in. @returns what ends that */
export function asks(approvalId: string, callback: object, context: AskContext): () => void {
  const call = { callback, context };
  ASKED.set(approvalId, call);
  return () => void (ASKED.get(approvalId) === call && ASKED.delete(approvalId));
}

/** What the callback was given that is asked about this request now; `undefined`: none is. */
export const contextOf = (approvalId: string | undefined): AskContext | undefined => callOf(approvalId)?.context;

/** Whether the callback that is asked about this request now was passed over before, and what it does about that is not known. */
export function wasPassedOver(approvalId: string | undefined): boolean {
  const call = callOf(approvalId);
  return call !== undefined && PASSED_OVER.has(call.callback);
}

const callOf = (approvalId: string | undefined): CallbackCall | undefined =>
  approvalId === undefined ? undefined : ASKED.get(approvalId);

/** @throws {InvalidConfigError} for what is neither a function nor left out, and for a maker that was not called */
export function checkCallback(callback: unknown, name: string, place: string): void {
  if (callback === undefined) return;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}: ${name} ${message}.` });
  if (typeof callback !== 'function') throw wrong('must be a function');
  const call = MAKERS.get(callback);
  if (call !== undefined) throw wrong(`must be what ${call.replace(/\(.*/, '')} returns: write ${name}: ${call}`);
}
