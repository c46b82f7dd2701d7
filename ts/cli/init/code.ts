/**
 * A source file as code: which of its characters are code, and which belong to comments, strings and regular expressions. It is no
 * parser: what it is not sure about is `undefined`, and then nothing in the file is changed.
 */

export interface Code {
  readonly text: string;
  /** As long as the text. Comments and what stands in quotes is blank, quotes included. */
  readonly code: string;
  /** For each bracket that opens, where it closes. */
  readonly closes: ReadonlyMap<number, number>;
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Behind these a `/` begins a regular expression. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|await|yield))\s*$/;

/** @returns `undefined` where quotes or brackets do not fit together */
export function readCode(text: string): Code | undefined {
  const out = text.split('');
  const closes = new Map<number, number>();
  const open: number[] = [];
  /** Depths of brackets at which a `}` ends a `${` and not a block. */
  const templates: number[] = [];
  const blank = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) if (out[at] !== '\n' && out[at] !== '\r') out[at] = ' ';
  };
  /** Behind the last `${`: what comes first there begins a value. */
  let begun = -1;
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    const next = text[at + 1];
    let end: number;
    if (char === '/' && next === '/') end = endOf(text, '\n', at);
    else if (char === '/' && next === '*') end = endOf(text, '*/', at + 2) + 2;
    else if (char === '"' || char === "'") end = endOfString(text, at);
    else if (char === '`' || (char === '}' && templates.at(-1) === open.length)) {
      if (char === '}') templates.pop();
      end = endOfTemplate(text, at + 1);
      if (text[end - 1] === '{') {
        templates.push(open.length);
        begun = end;
      }
    } else if (
      char === '/' &&
      next !== '>' &&
      ((begun >= 0 && text.slice(begun, at).trim() === '') || BEFORE_REGEX.test(wordBefore(out, at)))
    ) {
      end = text[at - 1] === '<' ? at + 1 : endOfRegex(text, at);
    } else {
      if (PAIRS[char] !== undefined) open.push(at);
      else if (char === ')' || char === ']' || char === '}') {
        const from = open.pop();
        if (from === undefined || PAIRS[text[from]!] !== char) return undefined;
        closes.set(from, at);
      }
      at += 1;
      continue;
    }
    if (end < 0 || end > text.length) return undefined;
    blank(at, end);
    at = end;
  }
  return open.length === 0 && templates.length === 0 ? { text, code: out.join(''), closes } : undefined;
}

/** The last code before this place, a word long. */
function wordBefore(out: readonly string[], at: number): string {
  let end = at;
  while (end > 0 && /\s/.test(out[end - 1]!)) end -= 1;
  return out.slice(Math.max(0, end - 12), end).join('');
}

function endOf(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? (what === '\n' ? text.length : -10) : found;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === text[from]) return at + 1;
  }
  return -1;
}

/** Behind the closing quote, or behind a `${`. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '`') return at + 1;
    else if (text[at] === '$' && text[at + 1] === '{') return at + 2;
  }
  return -1;
}

function endOfRegex(text: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < text.length && text[at] !== '\n'; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '/' && !inClass) return at + 1;
  }
  return -1;
}

/** One part of an object or of arguments: between commas that belong to nothing inside. */
export interface Part {
  from: number;
  to: number;
}

/** The parts between a bracket and where it closes, without what is blank around them. */
export function partsOf({ code, closes }: Code, open: number): Part[] {
  const close = closes.get(open)!;
  const parts: Part[] = [];
  let from = open + 1;
  for (let at = from; at <= close; at += 1) {
    if (at === close || code[at] === ',') {
      const part = trimmed(code, { from, to: at });
      if (part.to > part.from) parts.push(part);
      from = at + 1;
    } else if (closes.has(at)) at = closes.get(at)!;
  }
  return parts;
}

/** Strings are blank in `code`: only what is blank at the sides goes, and never a quote that stands there. */
function trimmed(code: string, { from, to }: Part): Part {
  let [start, end] = [from, to];
  while (start < end && /\s/.test(code[start]!)) start += 1;
  while (end > start && /\s/.test(code[end - 1]!)) end -= 1;
  return { from: start, to: end };
}

export interface Property extends Part {
  key: string;
  /** What stands behind the colon; `undefined`: a shorthand. */
  value: Part | undefined;
}

/** The properties of an object whose names are plain; `undefined` for a spread, a method or a name that is computed. */
export function propertiesOf(source: Code, open: number): (Property | undefined)[] {
  return partsOf(source, open).map((part) => {
    const text = source.code.slice(part.from, part.to);
    const key = /^([A-Za-z_$][\w$]*)\s*(:|$)/.exec(text);
    if (key === null) return undefined;
    const isShort = key[2] === '';
    const from = part.from + key[0].length;
    // What is in quotes is blank: the text says where the value begins.
    const lead = /^\s*/.exec(source.text.slice(from, part.to))![0].length;
    return { ...part, key: key[1]!, value: isShort ? undefined : { from: from + lead, to: part.to } };
  });
}

/** Where the statement begins that this place is in: on a line of its own; `undefined`: it is not clear. */
export function statementAt({ code, text, closes }: Code, place: number): number | undefined {
  let start = 0;
  let line = 0;
  // The innermost block around it, and the last `;` or `}` or line break of that block before it.
  const around = [...closes].filter(([from, to]) => from < place && place < to).map(([from]) => from);
  const block = Math.max(-1, ...around.filter((from) => code[from] === '{' && isBlock(code, from)));
  for (let at = block + 1; at < place; at += 1) {
    if (closes.has(at) && closes.get(at)! < place) {
      at = closes.get(at)!;
      if (code[at] === '}') start = at + 1;
    } else if (code[at] === ';') start = at + 1;
  }
  start = Math.max(start, block + 1);
  line = start + /^\s*/.exec(code.slice(start))![0].length;
  const before = text.slice(text.lastIndexOf('\n', line - 1) + 1, line);
  if (!/^\s*$/.test(before) || line > place) return undefined;
  return /^(?:const|let|var|return|await|export|[A-Za-z_$][\w$]*)\b/.test(code.slice(line)) ? line : undefined;
}

/** Whether a `{` begins statements, as far as what stands before it tells. */
const isBlock = (code: string, at: number): boolean =>
  /(?:\)|=>|\belse|\btry|\bdo|\bfinally|>)\s*$/.test(code.slice(Math.max(0, at - 200), at)) ||
  /\)\s*:\s*[\w<>[\]., |]+\s*$/.test(code.slice(Math.max(0, at - 200), at));
