/**
 * Data that is all there is to see of it, at every depth: own properties of plain objects and lists. What an object inherits, makes
 * when it is asked, or gives later would be read by one reader and passed over by the next, and a deny in it would be lost without
 * a word.
 */
import { InvalidConfigError } from '../errors/invalid-config-error.js';
import { isPlain, kindOf } from './names.js';

const MAX_DEPTH = 100;

/**
 * A copy for those that write it as JSON: each property was read once.
 *
 * @param place of the value, for the message: `policy.rule[0].commands`
 * @param hint what to do about a function
 * @throws {InvalidConfigError} that names the place, for what is no plain data
 */
export function plainData(value: unknown, place: string, hint = ''): unknown {
  return copied(value, place, { hint, depth: 0 });
}

/**
 * The properties of a plain object, each read once. What they hold is not looked at.
 *
 * @throws {InvalidConfigError} that names the place
 */
export function plainProperties(value: unknown, place: string): Record<string, unknown> {
  if (!isPlain(value)) throw wrong(place, `must be a plain object, not ${kindOf(value)}`);
  return propertiesOf(value, place);
}

function copied(value: unknown, place: string, at: { hint: string; depth: number }): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw wrong(place, `is ${value}`);
    case 'undefined':
      throw wrong(place, 'is undefined: leave it out if that is meant');
    case 'object':
      return value === null ? null : copiedObject(value, place, { ...at, depth: at.depth + 1 });
    default:
      throw wrong(place, `is a ${typeof value}, which is no plain data${at.hint}`);
  }
}

function copiedObject(value: object, place: string, at: { hint: string; depth: number }): unknown {
  if (at.depth > MAX_DEPTH) throw wrong(place, `is nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    const own = propertiesOf(value, place);
    const { length } = value;
    if (!isList(value) || Object.keys(own).length !== length)
      throw wrong(place, 'must be a plain list without gaps, and nothing else');
    return Array.from({ length }, (_, index) => copied(own[index], `${place}[${index}]`, at));
  }
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of Object.entries(plainProperties(value, place)))
    copy[name] = copied(item, `${place}.${name}`, at);
  return copy;
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
