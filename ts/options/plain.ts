/**
 * What users give, as copies: own properties of plain objects and lists, at every depth. What an object inherits, makes when it is
 * asked, or gives later would be read by one reader and passed over by the next, and a deny in it would be lost without a word.
 */
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import { isProxy } from '../values/is-proxy.js';
import { isPlain, isUnreadable, kindOf } from './names.js';

const MAX_DEPTH = 100;

/**
 * A copy for those that write it as JSON: each property was read once.
 *
 * @param place of the value, for the message: `policy.rule[0].commands`
 * @param hint what to do about a function
 * @throws {InvalidConfigError} that names the place, for what is no plain data
 */
export function plainData(value: unknown, place: string, hint = ''): unknown {
  return copied(value, place, { kind: dataWith(hint), depth: 0 });
}

/**
 * A copy of what a user gave, as it is at this moment: what becomes of theirs later changes nothing. Functions, and objects of a class,
 * are theirs.
 *
 * @param place of the value, for the message: `createGate: groups`
 * @throws {InvalidConfigError} that names the place, for what would be left out in silence: symbols, getters, what is not enumerable
 */
export function takeValue<T>(value: T, place: string): T {
  return copied(value, place, { kind: TAKEN, depth: 0 }) as T;
}

/**
 * The properties of a plain object, each read once. What they hold is not looked at.
 *
 * @throws {InvalidConfigError} that names the place
 */
export function plainProperties(value: unknown, place: string): Record<string, unknown> {
  if (!isPlain(value)) throw wrong(place, `must be a plain object, not ${kindOf(value)}`);
  if (isProxy(value)) throw wrong(place, 'is a Proxy, which may hide a part of it: write the object itself');
  return propertiesOf(value, place);
}

/** What is made of values that are neither plain objects nor lists, and of the properties of a plain object. */
interface CopyKind {
  isLeaf: (value: object) => boolean;
  leaf: (value: unknown, place: string) => unknown;
  object: (properties: [string, unknown][]) => object;
}

/** With a prototype: messages may write out what is of the wrong kind. */
const TAKEN: CopyKind = {
  isLeaf: (value) => FIXED.has(value),
  leaf: (value) => value,
  object: Object.fromEntries,
};

/** Without a prototype: nothing inherited has a say in what JSON is made of it. */
const dataWith = (hint: string): CopyKind => ({
  isLeaf: () => false,
  leaf: (value, place) => {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value;
      case 'number':
        if (Number.isFinite(value)) return value;
        throw wrong(place, `is ${value}`);
      case 'undefined':
        throw wrong(place, 'is undefined: set it or remove it');
      case 'object':
        if (value === null) return value;
        throw wrong(place, `must be a plain object, not ${kindOf(value)}`);
      default:
        throw wrong(place, `is a ${typeof value}, which is not plain data${hint}`);
    }
  },
  object: (properties) => Object.assign(Object.create(null) as object, Object.fromEntries(properties)),
});

/** Objects of ours that never change, and are known by which object they are. */
const FIXED = new WeakSet<object>();

/** Has {@link takeValue} leave it as it is. */
export function fixed<T extends object>(ours: T): T {
  FIXED.add(ours);
  return Object.freeze(ours);
}

function copied(value: unknown, place: string, { kind, depth }: { kind: CopyKind; depth: number }): unknown {
  if (typeof value === 'object' && value !== null && isUnreadable(value)) throw wrong(place, 'cannot be looked at');
  if ((!Array.isArray(value) && !isPlain(value)) || kind.isLeaf(value)) return kind.leaf(value, place);
  if (isProxy(value)) throw wrong(place, 'is a Proxy, which may hide a part of it: write the value itself');
  if (depth === MAX_DEPTH) throw wrong(place, `is nested deeper than ${MAX_DEPTH}`);
  const at = { kind, depth: depth + 1 };
  const own = propertiesOf(value, place);
  if (Array.isArray(value)) {
    const { length } = value;
    if (!isList(value) || Object.keys(own).length !== length)
      throw wrong(place, 'must be a plain list without gaps, and nothing else');
    return Array.from({ length }, (_, index) => copied(own[index], `${place}[${index}]`, at));
  }
  return kind.object(Object.entries(own).map(([name, item]) => [name, copied(item, `${place}.${name}`, at)]));
}

/** Of no class of somebody's, and with no say in what JSON is made of it. */
function isList(value: readonly unknown[]): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype !== null && isPlain(Object.getPrototypeOf(prototype)) && !('toJSON' in value);
}

/** Without the length of a list. */
function propertiesOf(value: object, place: string): Record<string, unknown> {
  const own = Object.create(null) as Record<string, unknown>;
  for (const name of Reflect.ownKeys(value)) {
    if (name === 'length' && Array.isArray(value)) continue;
    if (typeof name === 'symbol') throw wrong(place, `has ${String(name)}, and names must be texts`);
    const found = Object.getOwnPropertyDescriptor(value, name);
    if (found === undefined || !('value' in found))
      throw wrong(`${place}.${name}`, 'is a getter: write the value itself');
    if (found.enumerable !== true)
      throw wrong(`${place}.${name}`, 'is not enumerable: write it as a property like others');
    own[name] = found.value as unknown;
  }
  return own;
}

const wrong = (place: string, what: string): InvalidConfigError =>
  new InvalidConfigError({ message: `${place} ${what}.` });
