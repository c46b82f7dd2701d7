/** Looks through a value for what must not be kept: every string of it, names too. */
import { isHarmless, isSecretFlag, isSecretName } from './secrets.js';
import { COMMON, isMark, redacted, withoutSecrets, type SecretFinder } from './text.js';

/** How much one search looks at, in characters; what is beyond is taken out unseen. */
export const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_DEPTH = 1000;
const TAG = '$countersign';
/** Tags whose value is Base64. */
const BINARY = /^(?:\w{0,16}Array|ArrayBuffer|DataView|Buffer)$/;

export class SecretSearch {
  /** Whether anything was taken out. */
  changed = false;
  /** What was taken out for its name alone: where that does not stand beside it, nothing finds it. */
  readonly named = new Set<string>();
  readonly #finders: readonly SecretFinder[];
  /** Names are looked at where common credentials are: a function, or expressions alone, say themselves what is secret. */
  readonly #byName: boolean;
  #left = MAX_CHARACTERS;

  constructor(finders: readonly SecretFinder[]) {
    this.#finders = finders;
    this.#byName = finders.includes(COMMON);
  }

  text(text: string): string {
    if (this.#finders.length === 0) return text;
    this.#left -= text.length;
    if (this.#left < 0) return this.#mark('too large to be searched');
    const clean = withoutSecrets(text, this.#finders);
    if (clean !== text) this.changed = true;
    return clean;
  }

  value(value: unknown): unknown {
    return this.#finders.length === 0 ? value : this.#value(value, 0);
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= MAX_DEPTH) return this.#mark('nested too deep to be searched');
    if (Array.isArray(value)) return this.#list(value, depth + 1);
    const tag: unknown = Object.hasOwn(value, TAG) ? (value as Record<string, unknown>)[TAG] : undefined;
    return typeof tag === 'string'
      ? this.#tagged(tag, value as { value?: unknown }, depth + 1)
      : this.#record(value, depth + 1);
  }

  #list(items: readonly unknown[], depth: number): unknown[] {
    return items.map((item, index) => {
      const before = items[index - 1];
      // `['--password', 'hunter2']`
      return this.#byName && typeof before === 'string' && isSecretFlag(before)
        ? this.#secret(before, item, depth)
        : this.#value(item, depth);
    });
  }

  #record(record: object, depth: number): Record<string, unknown> {
    const clean = new PropertyRecord();
    // `{ name: 'PASSWORD', value: 'hunter2' }`
    const own = new Map(Object.entries(record));
    const named = [own.get('name'), own.get('key')].find((name) => typeof name === 'string' && isSecretName(name)) as
      | string
      | undefined;
    for (const [key, value] of own) {
      const isSecret = this.#byName && (isSecretName(key) || (key === 'value' && named !== undefined));
      clean.put(this.text(key), isSecret ? this.#secret(named ?? key, value, depth) : this.#value(value, depth));
    }
    return clean.record;
  }

  /** What a snapshot wrote of something that is not JSON. */
  #tagged(tag: string, { value, ...more }: { value?: unknown }, depth: number): unknown {
    if (BINARY.test(tag) && typeof value === 'string') {
      const bytes = Buffer.from(value, 'base64').toString('latin1');
      return this.text(bytes) === bytes ? { ...more, value } : this.#mark('a secret in binary data');
    }
    if (tag === 'Map' && Array.isArray(value)) return { ...more, value: value.map((pair) => this.#pair(pair, depth)) };
    return { ...more, value: this.#value(value, depth) };
  }

  #pair(pair: unknown, depth: number): unknown {
    const [key, value] = Array.isArray(pair) ? (pair as unknown[]) : [pair];
    const isSecret = this.#byName && typeof key === 'string' && isSecretName(key);
    return [this.#value(key, depth), isSecret ? this.#secret(key, value, depth) : this.#value(value, depth)];
  }

  /** Under a name that says that it is secret: every text and number in it. */
  #secret(name: string, value: unknown, depth: number): unknown {
    if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH || (Object.hasOwn(value, TAG) && !isContainer(value))) return this.#mark('secret');
      if (Array.isArray(value)) return value.map((item) => this.#secret(name, item, depth + 1));
      const clean = new PropertyRecord();
      for (const [key, item] of Object.entries(value))
        clean.put(this.text(key), key === TAG ? item : this.#secret(name, item, depth + 1));
      return clean.record;
    }
    if (typeof value === 'number') {
      this.named.add(String(value));
      return this.#mark('secret');
    }
    if (typeof value !== 'string' || isHarmless(name, value)) return value;
    this.named.add(value);
    const clean = this.text(value);
    return isMark(clean) ? clean : this.#mark('secret');
  }

  #mark(what: string): string {
    this.changed = true;
    return redacted(what);
  }
}

const isContainer = (value: object): boolean =>
  ['Map', 'Set', 'Object'].includes(String((value as Record<string, unknown>)[TAG]));

/** A record in the making: own properties under any names, also `__proto__`; a second of one name gets another. */
class PropertyRecord {
  readonly record: Record<string, unknown> = {};
  readonly #counts = new Map<string, number>();

  put(key: string, value: unknown): void {
    let name = key;
    while (Object.hasOwn(this.record, name)) {
      const count = (this.#counts.get(key) ?? 1) + 1;
      this.#counts.set(key, count);
      name = `${key} (${count})`;
    }
    Object.defineProperty(this.record, name, { value, enumerable: true, configurable: true, writable: true });
  }
}
