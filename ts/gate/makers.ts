/** Functions of ours that make a callback. One that is given in the place of what it makes would fail at the first question. */
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

/** Tells the callback that it is not asked about this request. */
export const tellUnasked = (callback: object, record: ApprovalRecord): void => UNASKED.get(callback)?.(record);

/** @throws {InvalidConfigError} for what is neither a function nor left out, and for a maker that was not called */
export function checkCallback(callback: unknown, name: string, place: string): void {
  if (callback === undefined) return;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}: ${name} ${message}.` });
  if (typeof callback !== 'function') throw wrong('must be a function');
  const call = MAKERS.get(callback);
  if (call !== undefined) throw wrong(`must be what ${call.replace(/\(.*/, '')} returns: write ${name}: ${call}`);
}
