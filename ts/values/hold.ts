/** Arguments that somebody else runs with, and that are to be what was shown. */
import * as types from 'node:util/types';

/**
 * Freezes plain data, to its ground.
 *
 * @returns whether it is data: not where something in it may answer differently each time, or keeps what it does not show
 */
export function hold(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (types.isProxy(value)) return false;
  if (isValue(value)) return true;
  if (types.isMap(value) || types.isSet(value)) return [...value.entries()].flat().every(hold);
  if (!Array.isArray(value) && !isPlain(value)) return false;
  for (const key of Reflect.ownKeys(value)) {
    const { value: held, get } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    if (get !== undefined || !hold(held)) return false;
  }
  Object.freeze(value);
  return true;
}

/** What cannot be frozen. It shows all that it is. */
const isValue = (value: object): boolean =>
  types.isDate(value) ||
  types.isRegExp(value) ||
  value instanceof URL ||
  types.isAnyArrayBuffer(value) ||
  ArrayBuffer.isView(value);

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
