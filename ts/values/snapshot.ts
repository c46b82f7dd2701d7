/**
 * A private copy of a value, and the JSON that the core keeps of it.
 *
 * Arguments are mostly JSON, but a schema may turn them into dates, URLs, maps or big integers. Those are written as
 * tagged objects, so that they are shown, digested and given back as what they are. Each property is read exactly once: a
 * getter that answers differently the second time cannot make the copy differ from what was shown.
 */
import * as types from 'node:util/types';
import { CountersignError, InvalidArgumentsError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';

const TAG = '$countersign';
const MAX_DEPTH = 100;

/** How much a value may be, of all that is in it together. */
export interface SizeLimit {
  values: number;
  keys: number;
}

/**
 * What a person is asked about. A value costs about 1 µs of the JavaScript thread, and a key about 8, in copies and where they are
 * written: the event loop stands still for no more than a tenth of a second.
 */
const ARGUMENTS: SizeLimit = { values: 100_000, keys: 10_000 };

/** A message of a run that is kept: it is not put to a human, and results of tools are in it. */
export const MESSAGE: SizeLimit = { values: 1_000_000, keys: 50_000 };

export interface ValueSnapshot {
  /** The copy. Hand out only copies of it, see {@link copyOf}. */
  readonly value: unknown;
  /** The same as JSON, special values tagged. */
  readonly json: unknown;
}

type TaggedValue = { [TAG]: string; value: unknown };

interface SourcePair {
  value: unknown;
  json: unknown;
}

/**
 * @throws {InvalidArgumentsError} for functions, symbols, cycles, and values nested or sized beyond reason
 */
export function snapshot(value: unknown, most: SizeLimit = ARGUMENTS): ValueSnapshot {
  try {
    return new ValueCopier(most).copy(value, 'args', 0);
  } catch (cause) {
    if (CountersignError.isInstance(cause)) throw cause;
    // A getter or a proxy of theirs.
    throw new InvalidArgumentsError({ message: `The arguments cannot be read: ${messageOf(cause)}`, cause });
  }
}

/** As {@link snapshot}; `undefined` for what cannot be copied. */
export function trySnapshot(value: unknown): ValueSnapshot | undefined {
  try {
    return snapshot(value);
  } catch {
    return undefined;
  }
}

/** Another copy, for code that may change what it gets. */
export function copyOf(taken: ValueSnapshot): unknown {
  return snapshot(taken.value).value;
}

/** The value that tagged JSON stands for. Never throws: what is tagged and does not fit its tag is what it says. */
export function revive(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(revive);
  if (!isTagged(json)) return reviveRecord(json);
  try {
    return reviveTagged(json);
  } catch {
    return reviveRecord(json);
  }
}

/** The first tag in it that its value does not fit: what it says it is not. `undefined`: all fit. */
export function misfitIn(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  if (!Array.isArray(json) && isTagged(json)) {
    try {
      reviveTagged(json);
    } catch {
      return json[TAG];
    }
  }
  for (const value of Object.values(json)) {
    const misfit = misfitIn(value);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/**
 * Tagged JSON as somebody writes it by hand: a date, an address or a large number is its text, and what is undefined is left out. For
 * comparing what was written with what became of it.
 */
export function asWritten(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(asWritten);
  if (isTagged(json) && typeof json.value === 'string') return json.value;
  const isThere = ([, value]: [string, unknown]) => !isUndefined(value);
  return Object.fromEntries(
    Object.entries(json)
      .filter(isThere)
      .map(([name, value]) => [name, asWritten(value)]),
  );
}

const isUndefined = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && isTagged(json) && json[TAG] === 'undefined';

class ValueCopier {
  #nodes = 0;
  #keys = 0;
  readonly #most: SizeLimit;
  readonly #ancestors = new Set<object>();

  constructor(most: SizeLimit) {
    this.#most = most;
  }

  copy(value: unknown, place: string, depth: number): SourcePair {
    if (++this.#nodes > this.#most.values) throw unfit(place, `more than ${this.#most.values} values`);
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return { value, json: value };
      case 'number':
        return { value, json: isJsonNumber(value) ? value : tag('number', numberText(value)) };
      case 'bigint':
        return { value, json: tag('bigint', String(value)) };
      case 'undefined':
        return { value, json: tag('undefined', null) };
      case 'object':
        return value === null ? { value, json: null } : this.#copyObject(value, place, depth);
      default:
        throw unfit(place, `a ${typeof value}`);
    }
  }

  #copyObject(object: object, place: string, depth: number): SourcePair {
    if (depth >= MAX_DEPTH) throw unfit(place, `nested deeper than ${MAX_DEPTH}`);
    if (this.#ancestors.has(object)) throw unfit(place, 'a cycle');
    this.#ancestors.add(object);
    try {
      return copyBuiltIn(object) ?? this.#copyContainer(object, place, depth + 1);
    } finally {
      this.#ancestors.delete(object);
    }
  }

  #copyContainer(object: object, place: string, depth: number): SourcePair {
    if (Array.isArray(object)) {
      const { length } = object;
      if (length > this.#most.values) throw unfit(place, `more than ${this.#most.values} values`);
      const items = Array.from({ length }, (_, index) => this.copy(object[index], `${place}[${index}]`, depth));
      return { value: items.map((item) => item.value), json: items.map((item) => item.json) };
    }
    if (types.isMap(object)) {
      const entries = [...Map.prototype.entries.call(object)].map(([key, value], index) => [
        this.copy(key, `${place}.key(${index})`, depth),
        this.copy(value, `${place}.value(${index})`, depth),
      ]) as [SourcePair, SourcePair][];
      return {
        value: new Map(entries.map(([key, value]) => [key.value, value.value])),
        json: tag(
          'Map',
          entries.map(([key, value]) => [key.json, value.json]),
        ),
      };
    }
    if (types.isSet(object)) {
      const items = [...Set.prototype.values.call(object)].map((item, index) =>
        this.copy(item, `${place}.item(${index})`, depth),
      );
      return {
        value: new Set(items.map((item) => item.value)),
        json: tag(
          'Set',
          items.map((item) => item.json),
        ),
      };
    }
    return this.#copyRecord(object, place, depth);
  }

  #copyRecord(object: object, place: string, depth: number): SourcePair {
    const prototype: unknown = Object.getPrototypeOf(object);
    // What an object inherits is not shown: it is kept for a class only, never for data that stands above other data.
    const plain = prototype === null || Object.getPrototypeOf(prototype) === null || !isClass(prototype as object);
    const value = (plain ? {} : Object.create(prototype as object)) as Record<string, unknown>;
    const json: Record<string, unknown> = {};
    const keys = Object.keys(object);
    this.#keys += keys.length;
    if (this.#keys > this.#most.keys) throw unfit(place, `more than ${this.#most.keys} keys`);
    for (const key of keys) {
      const read = (object as Record<string, unknown>)[key];
      const item = this.copy(read, `${place}.${key}`, depth);
      put(value, key, item.value);
      // As in JSON: an undefined property is left out.
      if (read !== undefined) put(json, key, item.json);
    }
    if (!plain) return { value, json: tag(className(prototype as object), json) };
    return { value, json: Object.hasOwn(json, TAG) ? tag('Object', json) : json };
  }
}

/** Values of the language that are neither plain nor containers. Recognised by what they are, not by what they claim. */
function copyBuiltIn(object: object): SourcePair | undefined {
  if (types.isDate(object)) {
    const time = Date.prototype.getTime.call(object);
    return { value: new Date(time), json: tag('Date', Number.isNaN(time) ? null : new Date(time).toISOString()) };
  }
  if (types.isRegExp(object)) {
    const { source, flags } = object;
    return { value: new RegExp(source, flags), json: tag('RegExp', [source, flags]) };
  }
  if (object instanceof URL) {
    const { href } = object;
    return { value: new URL(href), json: tag('URL', href) };
  }
  if (types.isUint8Array(object)) {
    const bytes = Uint8Array.from(object);
    return {
      value: Buffer.isBuffer(object) ? Buffer.from(bytes) : bytes,
      json: tag('Uint8Array', Buffer.from(bytes).toString('base64')),
    };
  }
  if (types.isSharedArrayBuffer(ArrayBuffer.isView(object) ? object.buffer : object))
    throw unfit('args', 'memory that others may change');
  if (types.isAnyArrayBuffer(object) || ArrayBuffer.isView(object)) {
    const bytes = ArrayBuffer.isView(object)
      ? Buffer.from(object.buffer, object.byteOffset, object.byteLength)
      : Buffer.from(object as ArrayBuffer);
    return {
      value: structuredClone(object),
      json: tag(className(Object.getPrototypeOf(object)), bytes.toString('base64')),
    };
  }
  if (
    types.isBoxedPrimitive(object) ||
    types.isProxy(object) ||
    types.isPromise(object) ||
    types.isWeakMap(object) ||
    types.isWeakSet(object)
  ) {
    // A proxy may hide any of the above; reading it as a record or an array is what the tool would see of it.
    if (types.isProxy(object)) return undefined;
    throw unfit('args', `a ${className(Object.getPrototypeOf(object))}`);
  }
  return undefined;
}

/** JSON knows neither infinities nor, as it is written, that zero may be negative: a tool may tell it from zero. */
export const isJsonNumber = (number: number): boolean => Number.isFinite(number) && !Object.is(number, -0);

/** As the language writes it, and a zero that is negative as one. */
export const numberText = (number: number): string => (Object.is(number, -0) ? '-0' : String(number));

function tag(name: string, value: unknown): TaggedValue {
  return { [TAG]: name, value };
}

function isTagged(json: object): json is TaggedValue {
  return Object.hasOwn(json, TAG) && typeof (json as TaggedValue)[TAG] === 'string';
}

function reviveTagged({ [TAG]: name, value }: TaggedValue): unknown {
  switch (name) {
    case 'undefined':
      return undefined;
    case 'number':
      return fit(Number(value), numberText(Number(value)) === value);
    case 'bigint':
      return BigInt(value as string);
    case 'Date':
      return value === null ? new Date(Number.NaN) : dateOf(value as string);
    case 'RegExp':
      return new RegExp(...(value as [string, string]));
    case 'URL':
      return new URL(value as string);
    case 'Uint8Array':
      return new Uint8Array(Buffer.from(value as string, 'base64'));
    case 'Map':
      return new Map((value as [unknown, unknown][]).map(([key, item]) => [revive(key), revive(item)]));
    case 'Set':
      return new Set((value as unknown[]).map(revive));
    default:
      // Instances of the user's own classes come back as their data: only the run that holds them has the class.
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? reviveRecord(value) : value;
  }
}

/** @throws for what does not fit its tag */
function fit<T>(value: T, isFit: boolean): T {
  if (isFit) return value;
  throw new TypeError('it does not fit its tag');
}

function dateOf(text: string): Date {
  const date = new Date(text);
  return fit(date, !Number.isNaN(date.getTime()));
}

function reviveRecord(value: object): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const key of Object.keys(value)) put(object, key, revive((value as Record<string, unknown>)[key]));
  return object;
}

/** Also for the key `__proto__`, which an assignment would take for the prototype. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function isClass(prototype: object): boolean {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof constructor === 'function' && constructor.prototype === prototype;
}

function className(prototype: object): string {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'constructor');
  const constructor: unknown = descriptor?.value;
  return typeof constructor === 'function' ? String(constructor.name) : 'Object';
}

function unfit(place: string, what: string): InvalidArgumentsError {
  return new InvalidArgumentsError({
    message: `${place} is ${what}, which cannot be shown to a human and bound to an approval. Let the tool's schema produce plain data.`,
  });
}
