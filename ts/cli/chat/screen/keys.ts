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
  /** From the clipboard: never a key, whatever is in it. */
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

const PASTE = '\u001b[200~';
const PASTE_END = '\u001b[201~';
// oxlint-disable-next-line no-control-regex -- what terminals send
const SEQUENCE = /^\u001b(?:\[[0-9;:<=>?]*[ -/]*[@-~]|O[ -~]|[\r\n\u007f]|[^\u001b[O])/u;
/** A sequence that has begun and not ended. */
// oxlint-disable-next-line no-control-regex -- what terminals send
const BEGUN = /^\u001b(?:\[[0-9;:<=>?]*[ -/]*|O)?$/;
// oxlint-disable-next-line no-control-regex -- what is typed
const TEXT = /^[^\u0000-\u001f\u007f-\u009f]+/;

/** Takes what a terminal sends apart. */
export class KeyReader {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #pasted: string | null = null;

  /** Whether what came last may be the Esc key or the beginning of another: {@link flush} decides, a moment later. */
  get isOpen(): boolean {
    return this.#rest !== '';
  }

  feed(chunk: Uint8Array): KeyPress[] {
    const data = this.#decoder.write(Buffer.from(chunk));
    // A paste whose end got lost must not swallow what stops everything.
    if (this.#pasted !== null && data === '\u0003') this.#pasted = null;
    return this.#read(this.#rest + data);
  }

  /** Nothing more came: then it was the Esc key, or something that nobody knows. */
  flush(): KeyPress[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '\u001b' ? alone([{ kind: 'key', name: 'escape' }], false) : [];
  }

  #read(data: string): KeyPress[] {
    const keys: PressedKey[] = [];
    let isOdd = false;
    let rest = data;
    this.#rest = '';
    while (rest !== '') {
      if (this.#pasted !== null) {
        const end = rest.indexOf(PASTE_END);
        this.#pasted += end === -1 ? rest : rest.slice(0, end);
        // The end may come in two pieces.
        const split = this.#pasted.indexOf(PASTE_END);
        const whole = split === -1 ? this.#pasted : this.#pasted.slice(0, split);
        if (end === -1 && split === -1) break;
        rest = end === -1 ? this.#pasted.slice(split + PASTE_END.length) : rest.slice(end + PASTE_END.length);
        this.#pasted = null;
        keys.push({ kind: 'paste', text: linesOf(whole) });
      } else if (rest.startsWith(PASTE)) {
        this.#pasted = '';
        rest = rest.slice(PASTE.length);
      } else if (rest.startsWith('\u001b')) {
        const [sequence] = SEQUENCE.exec(rest) ?? [];
        if (sequence === undefined) {
          if (BEGUN.test(rest)) {
            this.#rest = rest;
            break;
          }
          // Esc, and then something that belongs to no sequence.
          keys.push({ kind: 'key', name: 'escape' });
          rest = rest.slice(1);
          continue;
        }
        const name = SEQUENCES[sequence.slice(1)];
        if (name !== undefined) keys.push({ kind: 'key', name });
        else isOdd = true;
        rest = rest.slice(sequence.length);
      } else {
        const [text] = TEXT.exec(rest) ?? [];
        const name = CONTROLS[rest[0]!];
        if (text !== undefined) keys.push({ kind: 'text', text });
        else if (name !== undefined) keys.push({ kind: 'key', name });
        else isOdd = true;
        rest = rest.slice(text?.length ?? 1);
      }
    }
    return alone(joined(keys), isOdd);
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
