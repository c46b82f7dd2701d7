/**
 * The regular expressions that people write over commands, as patterns over words.
 *
 * Literal text, groups, `|`, `?` after them, `\s`, `\b`, `.*`, `^` and `$` are understood. Everything else may match anything:
 * an allow with it is not translated, an ask or a deny is cut off before it.
 */
import { ANY_TEXT, EVERY_COMMAND, type End, type Part, type WordPattern } from './words.js';

/** Groups lie at most so deep in groups. */
const DEEPEST = 16;
/** An expression stands for at most so many patterns. */
const MOST = 128;

/** A part of an expression: one character, or one of these. `any` is `.*`; `unknown` may match anything. */
type Step = { character: string } | 'start' | 'space' | 'boundary' | 'any' | 'end' | 'unknown';
type Sequence = readonly Step[];

/** Patterns that match no more than the expression does; `undefined` when there are none. */
export function narrowExpression(source: string): WordPattern[] | undefined {
  const sequences = sequencesOf(source);
  if (sequences === undefined) return undefined;
  if (source === '.*') return [EVERY_COMMAND];
  if (sequences.some(matchesEmpty)) return undefined;
  return all(sequences, (sequence) => {
    const read = patternOf(sequence);
    return read?.whole === true ? read.pattern : undefined;
  });
}

/** Patterns that together match no less than the expression does; `undefined` when only all commands together do. */
export function wideExpression(source: string, flags: string): WordPattern[] | undefined {
  if (source === '.*' || source === '^.*' || source === '^.*$') return [EVERY_COMMAND];
  const anyCase = flags.includes('i') && /\p{Alphabetic}/u.test(source);
  if (anyCase || flags.includes('m')) return undefined;
  const sequences = sequencesOf(source);
  if (sequences === undefined) return undefined;
  return all(sequences, (sequence) => (sequence[0] === 'start' ? patternOf(sequence)?.pattern : undefined));
}

/** Of each; `undefined` when one of them has none. */
function all<T, R>(each: readonly T[], make: (one: T) => R | undefined): R[] | undefined {
  const made: R[] = [];
  for (const one of each) {
    const result = make(one);
    if (result === undefined) return undefined;
    made.push(result);
  }
  return made;
}

const matchesEmpty = (sequence: Sequence): boolean =>
  sequence.every((step) => step === 'start' || step === 'any' || step === 'end');

/** A pattern, and whether it is the whole sequence and not only its beginning. `undefined`: it could be anything. */
function patternOf(whole: Sequence): { pattern: WordPattern; whole: boolean } | undefined {
  const steps = whole[0] === 'start' ? whole.slice(1) : whole;
  const words: Part[][] = [];
  let word: Part[] = [];
  let end: End = 'glued';
  let isWhole = true;
  reading: for (const [index, step] of steps.entries()) {
    const rest = steps.slice(index + 1, index + 3);
    switch (step) {
      case 'space':
        if (word.length === 0) break;
        words.push(word);
        word = [];
        break;
      case 'any':
        if (word.at(-1) !== ANY_TEXT) word.push(ANY_TEXT);
        break;
      case 'boundary': {
        const last = word.at(-1);
        const afterLetter = typeof last === 'string' && /[A-Za-z0-9_]$/.test(last);
        if (afterLetter && (rest[0] === 'space' || rest[0] === 'end')) break;
        const left = steps.length - index - 1;
        const atEnd =
          left === 0 || (left === 1 && rest[0] === 'any') || (left === 2 && rest[0] === 'any' && rest[1] === 'end');
        if (afterLetter && atEnd) end = 'boundary';
        else {
          isWhole = false;
          word.push(ANY_TEXT);
        }
        break reading;
      }
      case 'end':
      case 'start':
      case 'unknown':
        if (step === 'end' && rest.length === 0) {
          end = 'closed';
          break;
        }
        isWhole = false;
        word.push(ANY_TEXT);
        break reading;
      default: {
        const last = word.at(-1);
        if (typeof last === 'string') word[word.length - 1] = last + step.character;
        else word.push(step.character);
      }
    }
  }
  const anyAtEnd = word.at(-1) === ANY_TEXT;
  if (anyAtEnd && word.length > 1) {
    word.pop();
    end = 'glued';
  } else if (anyAtEnd || word.length === 0) {
    // After a space something must follow, whatever it is.
    word = [ANY_TEXT];
    end = 'word';
  }
  words.push(word);
  const alone = words.length === 1 && word.length === 1 && word[0] === ANY_TEXT;
  return alone ? undefined : { pattern: { words, end }, whole: isWhole };
}

/** Each of the sequences with each of the atoms behind it. Of one atom nothing is copied: most expressions are long and plain. */
function followedBy(sequences: Step[][], atoms: readonly Sequence[]): Step[][] {
  const [only] = atoms;
  if (only === undefined || atoms.length > 1)
    return sequences.flatMap((sequence) => atoms.map((atom) => [...sequence, ...atom]));
  for (const sequence of sequences) for (const step of only) sequence.push(step);
  return sequences;
}

function sequencesOf(source: string): Sequence[] | undefined {
  const reader = new ExpressionReader(source);
  const sequences = reader.alternatives(0);
  return reader.isAtEnd ? sequences : undefined;
}

class ExpressionReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(...signs: string[]): boolean {
    if (!signs.every((sign, index) => this.#characters[this.#at + index] === sign)) return false;
    this.#at += signs.length;
    return true;
  }

  /** Until the end or a `)`. */
  alternatives(depth: number): Sequence[] | undefined {
    const found: Sequence[] = [];
    do {
      let sequences: Step[][] = [[]];
      while (!this.isAtEnd && this.#next !== '|' && this.#next !== ')') {
        const atoms = this.#quantified(depth);
        if (atoms === undefined || sequences.length * atoms.length > MOST) return undefined;
        sequences = followedBy(sequences, atoms);
      }
      found.push(...sequences);
      if (found.length > MOST) return undefined;
    } while (this.#take('|'));
    return found;
  }

  #quantified(depth: number): Sequence[] | undefined {
    const isDot = this.#next === '.';
    let atoms = this.#atom(depth);
    if (atoms === undefined) return undefined;
    const isSpace = atoms.length === 1 && atoms[0]?.length === 1 && atoms[0][0] === 'space';
    for (let count = 1; ; count++) {
      const sign = this.#next;
      if (sign !== '?' && sign !== '*' && sign !== '+' && sign !== '{') return atoms;
      this.#at++;
      if (sign === '{') {
        while (!this.isAtEnd && this.#next !== '}') this.#at++;
        this.#at++;
      }
      // `*?` is as greedy to us as `*`.
      if (sign === '?' && count > 1) continue;
      if (sign === '+' && isSpace) continue;
      if (sign === '*' && isDot && count === 1) atoms = [['any']];
      else if (sign === '?' || (sign === '*' && isSpace)) atoms = [...atoms, []];
      else atoms = [['unknown']];
    }
  }

  #atom(depth: number): Sequence[] | undefined {
    const character = this.#characters[this.#at++];
    if (character === undefined) return undefined;
    switch (character) {
      case '^':
        return [['start']];
      case '$':
        return [['end']];
      case ' ':
        return [['space']];
      case '[':
        this.#class();
        return [['unknown']];
      case '(':
        return this.#group(depth);
      case '\\':
        return this.#escaped();
      default:
        return '.*+?{})]'.includes(character) ? [['unknown']] : [[{ character }]];
    }
  }

  #group(depth: number): Sequence[] | undefined {
    const known = this.#take('?', ':') || this.#next !== '?';
    if (depth === DEEPEST) return undefined;
    const atoms = this.alternatives(depth + 1);
    if (atoms === undefined || !this.#take(')')) return undefined;
    return known ? atoms : [['unknown']];
  }

  #escaped(): Sequence[] | undefined {
    const character = this.#characters[this.#at++];
    if (character === undefined) return undefined;
    if (character === 's') return [['space']];
    if (character === 'b') return [['boundary']];
    return /[\p{Alphabetic}\p{N}]/u.test(character) ? [['unknown']] : [[{ character }]];
  }

  /** Over the rest of a class. */
  #class(): void {
    for (;;) {
      const character = this.#characters[this.#at++];
      if (character === undefined || character === ']') return;
      if (character === '\\') this.#at++;
    }
  }
}
