/** Takes secrets out of what is about to be stored, logged or shown elsewhere. Pure, synchronous, and bounded. */
import type { RedactFunction, RedactOptions } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { warnOnce } from '../errors/warn-once.js';
import { takeOptions } from '../options/check.js';
import { isThenable } from '../values/awaitable.js';
import { revive, snapshot } from '../values/snapshot.js';
import { SecretSearch } from './search.js';
import { COMMON, ofExpression, redacted, type SecretFinder } from './text.js';

/** Stands for arguments that must not be kept at all. */
export const FAILED = redacted('the redact function failed');

/** Arguments as they may be kept. */
export interface RedactedArgs {
  /** Tagged JSON, as a {@link snapshot} gives it. */
  json: unknown;
  /** Whether anything was taken out. */
  redacted: boolean;
  /** The function took something out: a text that quotes the arguments cannot be searched for it. */
  byFunction: boolean;
  /** A text that may quote the arguments, as it may be kept. */
  quoting: (text: string) => string;
}

/** What stands for a text that may quote what cannot be found in it. */
export const WITHHELD = redacted('it quotes redacted arguments');

export class Redactor {
  readonly #finders: readonly SecretFinder[];
  readonly #using: RedactFunction | undefined;

  private constructor(finders: readonly SecretFinder[], using: RedactFunction | undefined) {
    this.#finders = finders;
    this.#using = using;
  }

  /** `undefined`: there is nothing to redact. @throws {InvalidConfigError} */
  static from(options: RedactOptions | undefined): Redactor | undefined {
    if (options === undefined) return undefined;
    const { patterns, using } = read(options);
    const finders = patterns.map((pattern, index) =>
      pattern === 'secrets' ? COMMON : ofExpression(pattern, index + 1),
    );
    return finders.length === 0 && using === undefined ? undefined : new Redactor(finders, using);
  }

  /** Whether a function has a say: what it takes out of arguments cannot be searched for in other texts. */
  get hasFunction(): boolean {
    return this.#using !== undefined;
  }

  /** Arguments of a call: first what the function makes of them, then the patterns. */
  args({ toolName }: { toolName: string }, json: unknown): RedactedArgs {
    const made = this.#using === undefined ? undefined : this.#made(this.#using, toolName, json);
    const searcher = new SecretSearch(this.#finders);
    const searched = searcher.value(made === undefined ? json : made.json);
    const byFunction = made !== undefined;
    const quoting = (text: string) => (byFunction ? WITHHELD : this.text(withoutNamed(text, searcher.named)));
    return { json: searched, redacted: byFunction || searcher.changed, byFunction, quoting };
  }

  /** Any text: a description, a preview, a diff, a reason. */
  text(text: string): string {
    return new SecretSearch(this.#finders).text(text);
  }

  /** Any JSON: a result, what a human answered, messages. */
  json(value: unknown): unknown {
    return new SecretSearch(this.#finders).value(value);
  }

  /** What the function makes of them; `undefined`: it leaves them as they are. */
  #made(using: RedactFunction, toolName: string, json: unknown): { json: unknown } | undefined {
    try {
      const args = revive(json);
      const before = JSON.stringify(snapshot(args).json);
      const made: unknown = using({ toolName, args });
      if (made === undefined || isPromise(made)) return { json: FAILED };
      const after = snapshot(made).json;
      return JSON.stringify(after) === before ? undefined : { json: after };
    } catch {
      // It may have failed in the middle of its work: nothing is known to be clean.
      return { json: FAILED };
    }
  }
}

/** A text without what is secret by its name. What is not shown as it is cannot be found: then nothing of the text is kept. */
function withoutNamed(text: string, named: ReadonlySet<string>): string {
  let left = text;
  for (const secret of [...named].toSorted((one, other) => other.length - one.length)) {
    if (/[^\x20-\x7e]/.test(secret)) return WITHHELD;
    const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    if (secret.trim() !== '') left = left.replace(new RegExp(`(?<!\\w)${literal}(?!\\w)`, 'g'), redacted('secret'));
  }
  return left;
}

/** Whether the function is asynchronous, which it must not be. Its author is told, and its failure ends no process. */
function isPromise(made: unknown): boolean {
  if (!isThenable(made)) return false;
  Promise.resolve(made).catch(() => {});
  warnOnce(
    'redact',
    'redact must not be asynchronous: of the arguments nothing is kept. Return them themselves, not a promise.',
  );
  return true;
}

function read(options: unknown): { patterns: readonly ('secrets' | RegExp)[]; using: RedactFunction | undefined } {
  if (typeof options === 'function') return { patterns: [], using: options as RedactFunction };
  if (typeof options !== 'object' || options === null || Array.isArray(options) || options instanceof RegExp)
    return { patterns: readPatterns(options), using: undefined };
  const { patterns = [], using } = takeOptions('createGate: redact', options) as {
    patterns?: unknown;
    using?: unknown;
  };
  if (using !== undefined && typeof using !== 'function') throw wrong('redact.using must be a function.');
  return { patterns: readPatterns(patterns), using: using as RedactFunction | undefined };
}

function readPatterns(patterns: unknown): readonly ('secrets' | RegExp)[] {
  const list: unknown[] = Array.isArray(patterns) ? patterns : [patterns];
  for (const pattern of list) {
    if (pattern !== 'secrets' && !(pattern instanceof RegExp))
      throw wrong(
        "redact must be 'secrets', a list of 'secrets' and regular expressions, a function, or { patterns, using }.",
      );
  }
  return list as ('secrets' | RegExp)[];
}

const wrong = (message: string): InvalidConfigError => new InvalidConfigError({ message: `createGate: ${message}` });
