/**
 * What a user gave, as it was when they gave it. Who changes an object later, or shares it with somebody who does, neither opens nor
 * closes anything that was made of it.
 */
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import { isPlain } from './names.js';

const MAX_DEPTH = 100;

/** Copies, and what they are of. */
const COPIES = new WeakMap<object, object>();
const MADE = new WeakSet<object>();

/**
 * Lists and plain objects as copies that nobody can change, at every depth. Functions and what is of a class are the user's own. An
 * object that was not changed since it was given last gives the same copy: parts of a run that were given the same one are known by
 * it.
 *
 * @param place of the value, for the message: `streamWithEvents: interruptOn`
 * @param keeps what is handed on as it is
 * @throws {InvalidConfigError} `ERR_INVALID_CONFIG` for a getter, a symbol, or a property that is not enumerable: one reader
 * would see it and the next would not
 */
export function asGiven<T>(value: T, place: string, keeps: (value: object) => boolean = () => false): T {
  return copied(value, { place, keeps, depth: 0 }) as T;
}

interface CopyPlace {
  place: string;
  keeps: (value: object) => boolean;
  depth: number;
}

function copied(value: unknown, at: CopyPlace): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  if (MADE.has(value) || at.keeps(value) || (!isList && !isPlain(value))) return value;
  if (at.depth > MAX_DEPTH) throw wrong(at.place, `is nested deeper than ${MAX_DEPTH}`);
  const copy = (isList ? [] : Object.create(Object.getPrototypeOf(value) as object | null)) as object;
  for (const [name, item] of propertiesOf(value, at.place)) {
    const place = isList ? `${at.place}[${name}]` : `${at.place}.${name}`;
    const own = copied(item, { ...at, place, depth: at.depth + 1 });
    Object.defineProperty(copy, name, { value: own, enumerable: true, configurable: true, writable: true });
  }
  if (isList) (copy as unknown[]).length = value.length;
  const before = COPIES.get(value);
  if (before !== undefined && isSame(before, copy)) return before;
  COPIES.set(value, Object.freeze(copy));
  MADE.add(copy);
  return copy;
}

/** Each read once. */
function propertiesOf(value: object, place: string): [name: string, item: unknown][] {
  return Reflect.ownKeys(value).flatMap((name): [string, unknown][] => {
    if (name === 'length' && Array.isArray(value)) return [];
    if (typeof name === 'symbol') throw wrong(place, `has ${String(name)}, and names must be texts`);
    const found = Object.getOwnPropertyDescriptor(value, name);
    if (found === undefined || !('value' in found))
      throw wrong(`${place}.${name}`, 'is a getter: write the value itself');
    if (found.enumerable !== true)
      throw wrong(`${place}.${name}`, 'is not enumerable: write it as a property like others');
    return [[name, found.value as unknown]];
  });
}

/** What is below was compared when it was copied. */
function isSame(before: object, after: object): boolean {
  const [names, others] = [Object.keys(before), Object.keys(after)];
  return (
    names.length === others.length &&
    Object.getPrototypeOf(before) === Object.getPrototypeOf(after) &&
    others.every((name, index) => {
      const [one, other] = [before, after] as Record<string, unknown>[];
      return names[index] === name && Object.is(one?.[name], other?.[name]);
    }) &&
    (before as unknown[]).length === (after as unknown[]).length
  );
}

const wrong = (place: string, what: string): InvalidConfigError =>
  new InvalidConfigError({ message: `${place} ${what}.` });
