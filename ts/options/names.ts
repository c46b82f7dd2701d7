/** Names of options that are not known, without the tables of those that are: pages of a browser load this as well. */
import { InvalidConfigError } from '../errors/invalid-config-error.js';

/**
 * `logger`: what takes messages. `filter`: a text that says of what one asks, so that without it all is meant. `restricts`: without
 * this option more may run, more people may decide, or more is kept in the clear. `restricts or null`: the same, and `null` says
 * something. `restricts by parts`: the same, and with nothing in it it is as if left out.
 */
export type OptionNames = Readonly<Record<string, OptionKind>>;
export type OptionKind = true | 'logger' | 'filter' | Restricts | OptionForm;
/** What its value is. `id`: a text that is not empty. `number`: none below 0. `count`: whole, from 1. */
export type OptionForm = 'text' | 'id' | 'texts' | 'flag' | 'function' | 'signal' | 'number' | 'count';
export type Restricts = 'restricts' | 'restricts or null' | 'restricts by parts';

/** The names that are not among these. @throws {InvalidConfigError} for what is no plain object */
export function unknownIn(names: OptionNames, options: unknown, place: string): string[] {
  checkPlain(options, place);
  return Object.keys(options).filter((each) => !Object.hasOwn(names, each));
}

/**
 * @param form how the entry is called, for the message
 * @throws {InvalidConfigError} for options that are no plain object
 */
export function checkPlain(options: unknown, place: string, form?: string): asserts options is object {
  if (isPlain(options)) return;
  const instead = options === undefined ? '' : `, not ${kindOf(options)}`;
  const as = form === undefined ? '' : `: ${place}(${form})`;
  throw new InvalidConfigError({ message: `${place}: pass an object of options${instead}${as}.` });
}

/**
 * What restricts may be left out, and not be there with nothing in it, `undefined`, `null` or empty: what was read from a misspelt
 * place would open, without a word, what it was to restrict. A logger that takes nothing would say nothing of what fails.
 *
 * @throws {InvalidConfigError}
 */
export function checkGiven(names: OptionNames, options: unknown, place: string): void {
  for (const name of Object.keys(options as object)) {
    const value = (options as Record<string, unknown>)[name];
    const kind = Object.hasOwn(names, name) ? names[name] : true;
    if (kind === 'logger') checkLogger(value, place, name);
    if (isNothing(value, kind))
      throw new InvalidConfigError({
        message: `${place}: ${name} is ${emptyAs(value)}${name === 'gate' ? '. Pass a gate' : `, so it would ${kind === 'filter' ? 'select everything' : 'restrict nothing'}. Give it a value`}, or leave the option out.`,
      });
  }
}

function isNothing(value: unknown, kind: OptionKind | undefined): boolean {
  if (kind !== 'filter' && (typeof kind !== 'string' || !kind.startsWith('restricts'))) return false;
  if (value === undefined) return true;
  if (value === null) return kind !== 'restricts or null';
  return kind === 'restricts by parts' && isEmpty(value);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) || isPlain(value)) &&
  Reflect.ownKeys(value).every((key) => key === 'length');

const emptyAs = (value: unknown): string => (typeof value === 'object' && value !== null ? 'empty' : String(value));

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

function checkLogger(value: unknown, place: string, name: string): void {
  if (value === undefined) return;
  const takes = (level: string) => typeof (value as Record<string, unknown>)[level];
  const isOne = typeof value === 'object' && value !== null && LEVELS.some((level) => takes(level) === 'function');
  if (isOne && LEVELS.every((level) => ['function', 'undefined'].includes(takes(level)))) return;
  throw new InvalidConfigError({
    message: `${place}: ${name} must have functions, some of ${LEVELS.join(', ')}: console has them all.`,
  });
}

/** An option that is a list. @throws {InvalidConfigError} for what only looks like one: a promise, a set, one of them alone */
export function checkList(value: unknown, place: string, name: string): void {
  if (value !== undefined && !Array.isArray(value))
    throw new InvalidConfigError({ message: `${place}: ${name} must be a list, not ${kindOf(value)}.` });
}

/** An option that is an object by names of the user's own. @throws {InvalidConfigError} for what is no plain object */
export function checkRecord(value: unknown, place: string, name: string): void {
  if (value !== undefined && !isPlain(value))
    throw new InvalidConfigError({ message: `${place}: ${name} must be an object, not ${kindOf(value)}.` });
}

/** An entry that has no options. @throws {InvalidConfigError} for any: the caller meant something by it */
export function checkNone(place: string, given: readonly unknown[]): void {
  if (given.some((each) => each !== undefined)) throw new InvalidConfigError({ message: `${place} has no options.` });
}

/** An option that is on or off. @throws {InvalidConfigError} for what only looks like it, such as `'false'` */
export function checkFlag(value: unknown, place: string, name: string): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new InvalidConfigError({ message: `${place}: ${name} must be true or false, not ${kindOf(value)}.` });
}

export const didYouMean = (name: string): string => `did you mean ${JSON.stringify(name)}?`;

/** @param hint what to do about the name */
export const refusal = (place: string, name: string, hint: string): InvalidConfigError =>
  new InvalidConfigError({ message: `${place} has no option ${JSON.stringify(name)}: ${hint}` });

/**
 * Of the language's own kind: of a promise, a map, or what inherits its options, only a part would be read. Of another realm, too,
 * such as a test's.
 */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = prototypeOf(value);
  if (prototype === UNREADABLE) return false;
  if (prototype === null) return true;
  // The one that all objects of a realm inherit from, and not another that inherits nothing.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (prototypeOf(value) === UNREADABLE) return 'an object that cannot be looked at';
  if (value instanceof Promise) return 'a promise: await it';
  if (value instanceof Map) return 'a Map: Object.fromEntries makes one of it';
  return isPlain(value) ? 'an object' : 'an object that inherits some: write all of them into an object of its own';
}

/** In the place of a prototype, for a proxy that does not let itself be looked at. */
const UNREADABLE = Object.freeze({});

/** A proxy that does not let itself be looked at. */
export const isUnreadable = (value: object): boolean => prototypeOf(value) === UNREADABLE;

function prototypeOf(value: object): object | null {
  try {
    return Object.getPrototypeOf(value) as object | null;
  } catch {
    return UNREADABLE;
  }
}
