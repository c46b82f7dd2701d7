/**
 * A small reader for the calls that Codex' rules are made of: `name(key = value, …)`, with texts and lists as values.
 *
 * It knows nothing else of the language. Anything else is an error: it could have made a deny.
 */
import { ImportFault, type Place, type SourceText } from './text.js';

/** Lists lie at most so deep in lists. */
const DEEPEST = 8;

export type StarlarkValue = string | readonly StarlarkValue[];

export interface StarlarkCall {
  name: string;
  at: Place;
  arguments: readonly { name: string; at: Place; value: StarlarkValue }[];
  /** As it is written. */
  source: string;
}

/** Reads a file of calls. */
export function callsOf(source: SourceText): StarlarkCall[] {
  const reader = new CallReader(source);
  const calls: StarlarkCall[] = [];
  for (;;) {
    reader.skip();
    if (reader.isAtEnd) return calls;
    calls.push(reader.call());
  }
}

const QUOTES = ['"""', "'''", '"', "'"];
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  t: '\t',
  r: '\r',
  '\n': '',
};

class CallReader {
  readonly #source: SourceText;
  readonly #text: string;
  #at = 0;

  constructor(source: SourceText) {
    this.#source = source;
    this.#text = source.text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Over spaces, ends of lines and comments. */
  skip(): void {
    while (this.#match(/[ \t\n\f\r;]+|#[^\n]*/y) !== '');
  }

  /** What stands here, after which the reader goes on. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [found] = expression.exec(this.#text) ?? [''];
    this.#at += found.length;
    return found;
  }

  #take(sign: string): boolean {
    this.skip();
    const found = this.#text.startsWith(sign, this.#at);
    if (found) this.#at += sign.length;
    return found;
  }

  #fault(message: string): ImportFault {
    return new ImportFault(message, this.#source.place(this.#at));
  }

  #expect(sign: string): void {
    if (this.#take(sign)) return;
    throw this.#fault(
      `\`${sign}\` is expected here; only calls like \`prefix_rule(pattern = ["git", "status"])\` are read`,
    );
  }

  #name(): string {
    this.skip();
    const name = this.#match(/[A-Za-z0-9_]*/y);
    if (name === '') throw this.#fault('a name is expected here; only calls like `prefix_rule(…)` are read');
    return name;
  }

  call(): StarlarkCall {
    const start = this.#at;
    const at = this.#source.place(start);
    const name = this.#name();
    this.#expect('(');
    const found: { name: string; at: Place; value: StarlarkValue }[] = [];
    while (!this.#take(')')) {
      this.skip();
      const at = this.#source.place(this.#at);
      const name = this.#name();
      if (found.some((argument) => argument.name === name))
        throw new ImportFault(`\`${name}\` stands here twice; remove one`, at);
      this.#expect('=');
      found.push({ name, at, value: this.#value(0) });
      if (this.#take(',')) continue;
      this.#expect(')');
      break;
    }
    return { name, at, arguments: found, source: this.#text.slice(start, this.#at) };
  }

  #value(depth: number): StarlarkValue {
    if (depth > DEEPEST) throw this.#fault('the lists lie too deep in each other');
    if (!this.#take('[')) return this.#string();
    const values: StarlarkValue[] = [];
    while (!this.#take(']')) {
      values.push(this.#value(depth + 1));
      if (this.#take(',')) continue;
      this.#expect(']');
      break;
    }
    return values;
  }

  #string(): string {
    this.skip();
    const start = this.#at;
    const raw = this.#match(/[rR]?/y) !== '';
    const quote = QUOTES.find((each) => this.#text.startsWith(each, this.#at));
    if (quote === undefined) {
      this.#at = start;
      throw this.#fault('a text or a list is expected here: `"…"` or `[…]`');
    }
    this.#at += quote.length;
    let text = '';
    for (;;) {
      if (this.#text.startsWith(quote, this.#at)) {
        this.#at += quote.length;
        return text;
      }
      const character = this.#character();
      if (character === undefined) throw this.#fault(`the text does not end: \`${quote}\` is missing`);
      if (character === '\n' && quote.length === 1) {
        this.#at--;
        throw this.#fault(`the text does not end on its line: \`${quote}\` is missing`);
      }
      text += character === '\\' ? this.#escaped(raw) : character;
    }
  }

  /** What a backslash makes of what stands behind it. */
  #escaped(raw: boolean): string {
    const next = this.#character();
    if (next === undefined) return '';
    if (raw) return `\\${next}`;
    const escaped = Object.hasOwn(ESCAPES, next) ? ESCAPES[next] : undefined;
    if (escaped === undefined) throw this.#fault(`\`\\${next}\` is not read; write the character itself`);
    return escaped;
  }

  /** A whole one, also where it has two units. */
  #character(): string | undefined {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return undefined;
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }
}
