/** Functions of ours that make a callback. Given instead of the callback, one would fail at the first question. */
import { InvalidConfigError } from '../errors/index.js';

const MAKERS = new WeakMap<object, string>();

/** Says that the function makes callbacks. @param call how it is called */
export function makesCallbacks(maker: object, call: string): void {
  MAKERS.set(maker, call);
}

/** @throws {InvalidConfigError} for what is neither a function nor left out, and for a maker that was not called */
export function checkCallback(callback: unknown, name: string, place: string): void {
  if (callback === undefined) return;
  const wrong = (message: string) => new InvalidConfigError({ message: `${place}: ${name} ${message}.` });
  if (typeof callback !== 'function') throw wrong('must be a function');
  const call = MAKERS.get(callback);
  if (call !== undefined) throw wrong(`must be what ${call.replace(/\(.*/, '')} returns: write ${name}: ${call}`);
}
