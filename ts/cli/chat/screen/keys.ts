/** What comes from the keyboard, as keys. Who reads it must know what came alone: what is typed ahead approves nothing. */
import { StringDecoder } from 'node:string_decoder';

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'shift-tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | `ctrl-${'a' | 'c' | 'd' | 'e' | 'k' | 'l' | 'u' | 'w'}`;

export type PressedKey =
  | { kind: 'key'; name: KeyName }
  /** Characters that were typed. */
  | { kind: 'text'; text: string }
  /** From the clipboard: never a key, even with control characters in it. */
  | { kind: 'paste'; text: string };

export interface KeyPress {
  key: PressedKey;
  /** Whether nothing else came together with it, and it is one key. */
  isAlone: boolean;
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'newline',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0001': 'ctrl-a',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u0005': 'ctrl-e',
  '\u000b': 'ctrl-k',
  '\u000c': 'ctrl-l',
  '\u0015': 'ctrl-u',
  '\u0017': 'ctrl-w',
  // The keys of Emacs for the same, as shells have them.
  '\u0002': 'left',
  '\u0006': 'right',
  '\u0010': 'up',
  '\u000e': 'down',
};

/** What follows ESC. */
const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[Z': 'shift-tab',
  '[1;5C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3C': 'word-right',
  '[1;3D': 'word-left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
  f: 'word-right',
  b: 'word-left',
  '\r': 'newline',
  '\n': 'newline',
  '\u007f': 'ctrl-w',
};

const ESC = '\u001b';
const PASTE = '[200~';
const PASTE_END = '\u001b[201~';

/** How long after ESC the rest of a longer key may come, in ms: then it was the Esc key. */
const ESCAPE = 40;
/** How long the rest of a sequence that has begun may take from one read to the next, in ms. Its bytes are no keys. */
const LATE = 250;

/** How many bytes a sequence has; `open`: its end has not come. `broken`: the bytes before one that does not belong to it. */
type SequenceEnd = number | 'open' | { broken: number };

/** As it begins with ESC, a character for each byte. */
function sequenceEnd(data: string): SequenceEnd {
  const kind = data[1];
  if (kind === undefined) return 'open';
  if (kind === '[') return controlEnd(data);
  // Keys of the keypad, and some with modifiers.
  // oxlint-disable-next-line no-control-regex -- what terminals send
  if (kind === 'O') return finalEnd(data, /^\u001bO[0-9;]*/);
  if (']PX^_'.includes(kind)) return stringEnd(data);
  // oxlint-disable-next-line no-control-regex -- what terminals send
  if (kind >= ' ' && kind <= '/') return finalEnd(data, /^\u001b[ -/]*/);
  // Alt and a character, which may have several bytes.
  const bytes = kind >= '\u00f0' ? 4 : kind >= '\u00e0' ? 3 : kind >= '\u00c2' ? 2 : 1;
  return data.length > bytes ? bytes + 1 : 'open';
}

function controlEnd(data: string): SequenceEnd {
  // A report of a mouse: any three characters follow.
  if (data[2] === 'M') return mouseEnd(data);
  // Function keys of the console of Linux.
  // oxlint-disable-next-line no-control-regex -- what terminals send
  if (data[2] === '[') return finalEnd(data, /^\u001b\[\[/);
  // oxlint-disable-next-line no-control-regex -- what terminals send
  return finalEnd(data, /^\u001b\[[0-9;:<=>?]*[ -/]*/);
}

/** Behind a beginning one printable character is the end. */
function finalEnd(data: string, beginning: RegExp): SequenceEnd {
  const { length } = beginning.exec(data)?.[0] ?? '';
  const final = data[length];
  if (final === undefined) return 'open';
  return final >= ' ' && final <= '~' ? length + 1 : { broken: length };
}

/** A button, a column and a row: a byte each, or as UTF-8, where the terminal is told so. Who cannot know waits for more. */
function mouseEnd(data: string): SequenceEnd {
  let at = 3;
  for (let left = 3; left > 0; left -= 1) {
    const byte = data[at];
    if (byte === undefined) return 'open';
    if (byte !== '\0' && byte < ' ') return { broken: at };
    const isLead = byte >= '\u00c2' && byte <= '\u00df';
    const next = data[at + 1];
    if (isLead && next === undefined) return 'open';
    at += isLead && next !== undefined && next >= '\u0080' && next <= '\u00bf' ? 2 : 1;
  }
  return at;
}

/** What a terminal answers, to its end; any characters may be in it. */
function stringEnd(data: string): SequenceEnd {
  for (let at = 2; at < data.length; at += 1) {
    const byte = data[at]!;
    if (byte === '\u0018' || byte === '\u001a' || (byte === '\u0007' && data[1] === ']')) return at + 1;
    if (byte !== ESC) continue;
    if (data[at + 1] === undefined) return 'open';
    return data[at + 1] === '\\' ? at + 2 : { broken: at };
  }
  return 'open';
}

/** What goes on with a sequence whose ESC was taken for the Esc key; words that somebody types begin in another way. */
const GOES_ON = /^(?:[[\]O^_]|P(?:[^A-Za-z\s]|$))/;

/** The same, however late it comes: a whole sequence, too fast for a person. */
// oxlint-disable-next-line no-control-regex -- what terminals send
const GOES_ON_LATE = /^(?:\[[0-9;:<=>?]*[@-~\u001b]|O[A-HPQRS])/;

/** A sequence that ends with one character: that is no key, however late it comes. Of what a terminal answers the end may never come. */
// oxlint-disable-next-line no-control-regex -- what terminals send
const IS_SHORT = /^\u001b[[O]/;

/** Takes what a terminal sends apart. */
export class KeyReader {
  readonly #decoder = new StringDecoder('utf8');
  /** A sequence that has begun and not ended, a character for each byte. */
  #rest = '';
  #pasted: string | null = null;
  /** The last thing was the Esc key, or an ESC that came long before what follows it. */
  #isEscape = false;
  /** The last thing was the Esc key or a cut sequence, and that was long ago. */
  #isLate = false;
  #isTakenBack = false;

  /** Whether the Esc key that was told last was none: what came then goes on with a sequence. */
  get isTakenBack(): boolean {
    return this.#isTakenBack;
  }

  /** After how many ms {@link flush} is due, when nothing more comes; `undefined`: it is not. */
  get wait(): number | undefined {
    if (this.#rest === ESC) return ESCAPE;
    return (this.#rest === '' || this.#isLate) && !this.#isEscape ? undefined : LATE;
  }

  feed(chunk: Uint8Array): KeyPress[] {
    const data = Buffer.from(chunk).toString('latin1');
    const isLate = this.#isLate && (this.#rest !== '' || GOES_ON_LATE.test(data));
    const goesOn = (this.#isEscape && GOES_ON.test(data)) || (isLate && this.#rest === '');
    this.#isTakenBack = goesOn && this.#isEscape;
    this.#isEscape = false;
    this.#isLate = false;
    // What is cut must not swallow what stops everything.
    if (data === '\u0003') {
      this.#pasted = null;
      this.#rest = '';
    }
    const keys = this.#read(goesOn ? `${ESC}${data}` : this.#rest + data, isLate);
    // It may be cut once more.
    this.#isLate = isLate && this.#rest !== '';
    return keys;
  }

  /** Nothing more came: then it was the Esc key, or something unknown. */
  flush(): KeyPress[] {
    const rest = this.#rest;
    // The Esc key is told first; what comes a moment later may still be the rest of another key.
    this.#isLate ||= this.#isEscape || IS_SHORT.test(rest);
    this.#rest = IS_SHORT.test(rest) ? rest : '';
    this.#isEscape = rest === ESC;
    return rest === ESC ? alone([{ kind: 'key', name: 'escape' }], false) : [];
  }

  /** @param isLate the sequence at its beginning was cut, and is no key by now */
  #read(data: string, isLate: boolean): KeyPress[] {
    const keys: PressedKey[] = [];
    let isOdd = false;
    let rest = data;
    this.#rest = '';
    while (rest !== '') {
      if (this.#pasted !== null) {
        // The end may come in two pieces.
        const pasted = this.#pasted + rest;
        const end = pasted.indexOf(PASTE_END);
        this.#pasted = end === -1 ? pasted : null;
        if (end === -1) break;
        keys.push({ kind: 'paste', text: linesOf(Buffer.from(pasted.slice(0, end), 'latin1').toString('utf8')) });
        rest = pasted.slice(end + PASTE_END.length);
      } else if (rest.startsWith(ESC)) {
        const end = sequenceEnd(rest);
        if (end === 'open') {
          this.#rest = rest;
          break;
        }
        const length = typeof end === 'number' ? end : end.broken;
        const sequence = rest.slice(1, length);
        // Another ESC: the first was the Esc key.
        const name = sequence === ESC ? 'escape' : SEQUENCES[sequence];
        if (sequence === PASTE) this.#pasted = '';
        else if (isLate && rest === data && sequence !== ESC) isOdd = true;
        else if (name !== undefined && typeof end === 'number') keys.push({ kind: 'key', name });
        else isOdd = true;
        rest = rest.slice(sequence === ESC ? 1 : length);
      } else {
        // oxlint-disable-next-line no-control-regex -- what is typed
        const [bytes] = /^[^\u0000-\u001f\u007f]+/.exec(rest) ?? [];
        if (bytes === undefined) {
          const name = CONTROLS[rest[0]!];
          if (name !== undefined) keys.push({ kind: 'key', name });
          // A part of a character before it has no end.
          const cut = this.#decoder.end();
          isOdd ||= name === undefined || cut !== '';
        } else {
          const decoded = this.#decoder.write(Buffer.from(bytes, 'latin1'));
          const text = decoded.replaceAll(/[\u0080-\u009f]+/g, '');
          isOdd ||= text !== decoded;
          if (text !== '') keys.push({ kind: 'text', text });
        }
        rest = rest.slice(bytes?.length ?? 1);
      }
    }
    return alone(joined(keys), isOdd);
  }
}

/** Hands on keys as they come, those together that came together, and the Esc key when nothing follows it. */
export class KeyFlow {
  readonly #reader = new KeyReader();
  readonly #take: (presses: readonly KeyPress[]) => void;
  readonly #takeBack: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  /** @param takeBack called when the Esc key that was handed on last was none */
  constructor(take: (presses: readonly KeyPress[]) => void, takeBack: () => void = () => {}) {
    this.#take = take;
    this.#takeBack = takeBack;
  }

  feed(data: Uint8Array): void {
    this.#give(() => {
      const presses = this.#reader.feed(data);
      if (this.#reader.isTakenBack) this.#takeBack();
      return presses;
    });
  }

  /** Nothing more is handed on. */
  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#looking);
  }

  #give(read: () => KeyPress[]): void {
    this.stop();
    const presses = read();
    const { wait } = this.#reader;
    // What came while the program stood still is read first.
    const flush = (): void => this.#give(() => this.#reader.flush());
    if (wait !== undefined)
      this.#timer = setTimeout(() => {
        this.#looking = setImmediate(flush);
      }, wait);
    if (presses.length > 0) this.#take(presses);
  }
}

/** Lines that came at once, of a terminal that does not mark what is pasted: only the last line end is the Enter key. */
function joined(keys: readonly PressedKey[]): PressedKey[] {
  const all: PressedKey[] = [];
  for (const [at, key] of keys.entries()) {
    const last = all.at(-1);
    const isInside = key.kind === 'key' && (key.name === 'enter' || key.name === 'newline') && at < keys.length - 1;
    const text = isInside && keys[at + 1]?.kind === 'text' ? '\n' : key.kind === 'text' ? key.text : undefined;
    if (text !== undefined && last?.kind === 'text') last.text += text;
    else all.push(key.kind === 'text' ? { ...key } : key);
  }
  return all;
}

function alone(keys: readonly PressedKey[], isOdd: boolean): KeyPress[] {
  const [key] = keys;
  const isOne = key?.kind === 'key' || (key?.kind === 'text' && [...key.text].length === 1);
  const isAlone = isOne && keys.length === 1 && !isOdd;
  return keys.map((each) => ({ key: each, isAlone }));
}

const linesOf = (text: string): string => text.replace(/\r\n?/g, '\n');
