/**
 * The regular expressions that people write over commands, as patterns over words.
 *
 * Literal text, groups, classes of a few characters, `|`, `?` after them, `\s`, `\b`, `.*`, `^` and `$` are understood, and for
 * asks and denies that capitals do not matter. Everything else may match anything: an allow with it is not translated, and to an
 * ask or a deny it is any text.
 */
import { ANY_TEXT, EVERY_COMMAND, type End, type Part, type WordPattern } from './words.js';

/** Groups lie at most so deep in groups. */
const DEEPEST = 16;
/** The most patterns that an expression stands for. */
const MOST = 128;
/** The most characters of a class that are spelled out, one pattern each. */
const MOST_IN_CLASS = 4;
/** The most letters spelled both ways where case does not matter; the others match any text. */
const MOST_LETTERS = 4;

/** A part of an expression: one character, or one of these. `any` is `.*`; `unknown` may match anything. */
type Step = { character: string } | 'start' | 'space' | 'boundary' | 'any' | 'end' | 'unknown';
type Sequence = readonly Step[];

/** Patterns that match no more than the expression does; `undefined` without any. */
export function narrowExpression(source: string): WordPattern[] | undefined {
  const sequences = sequencesOf(source, false);
  if (sequences === undefined) return undefined;
  if (source === '.*') return [EVERY_COMMAND];
  if (sequences.some(matchesEmpty)) return undefined;
  return all(sequences, (sequence) => {
    const read = patternOf(sequence, false);
    return read?.whole === true ? read.pattern : undefined;
  });
}

/** What holds of an expression beside what it says. */
export interface ExpressionUse {
  flags?: string;
  /** It is held against whole lines. */
  overLine?: boolean;
  /** It says more than the expression that it was made of. */
  loose?: boolean;
}

/** Patterns that together match no less than the expression does; `undefined` when only all commands together do. */
export function wideExpression(
  source: string,
  { flags = '', overLine = false, loose = false }: ExpressionUse,
): WordPattern[] | undefined {
  if (source === '.*' || source === '^.*' || source === '^.*$') return [EVERY_COMMAND];
  if (flags.includes('m')) return undefined;
  // `(?i)` is no flag to JavaScript; who writes it means it.
  const anyCase = flags.includes('i') || /\(\?[a-z]*i/.test(source);
  const sequences = sequencesOf(source, anyCase);
  if (sequences === undefined) return undefined;
  return all(sequences, (sequence) => {
    const read = patternOf(sequence[0] === 'start' ? sequence : ['any', ...sequence], true);
    return read === undefined ? undefined : { ...read.pattern, overLine, loose: loose || !read.whole };
  });
}

/** Whether there are several expressions with `|` between them, outside of all groups. */
export function hasAlternatives(source: string): boolean {
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const sign = source.charAt(at);
    if (sign === '\\') at++;
    else if (inClass) inClass = sign !== ']';
    else if (sign === '[') inClass = true;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === '|' && depth <= 0) return true;
  }
  return false;
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

/**
 * A pattern, and whether it says all that the sequence does. `undefined`: it could be anything.
 *
 * @param wide whether it goes on behind what is not understood, which is any text then
 */
function patternOf(whole: Sequence, wide: boolean): { pattern: WordPattern; whole: boolean } | undefined {
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
        if (afterLetter && atEnd) {
          end = 'boundary';
          break reading;
        }
        isWhole = false;
        // It takes up no text: without it no less is meant.
        if (wide) break;
        word.push(ANY_TEXT);
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
        if (word.at(-1) !== ANY_TEXT) word.push(ANY_TEXT);
        if (wide) break;
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
    // After a space at least one word must follow; any will do.
    word = [ANY_TEXT];
    end = 'word';
  }
  words.push(word);
  const alone = words.every((each) => each.every((part) => part === ANY_TEXT));
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

function sequencesOf(source: string, anyCase: boolean): Sequence[] | undefined {
  const reader = new ExpressionReader(source, anyCase);
  const sequences = reader.alternatives(0);
  return reader.isAtEnd ? sequences : undefined;
}

class ExpressionReader {
  readonly #characters: readonly string[];
  #at = 0;
  /** How many letters may still be spelled both ways; `undefined`: case matters. */
  #letters: number | undefined;

  constructor(source: string, anyCase: boolean) {
    this.#characters = Array.from(source);
    this.#letters = anyCase ? MOST_LETTERS : undefined;
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
      case '[': {
        const members = this.#class();
        return members?.flatMap((member) => this.#spelled(member)) ?? [['unknown']];
      }
      case '(':
        return this.#group(depth);
      case '\\':
        return this.#escaped();
      default:
        return '.*+?{})]'.includes(character) ? [['unknown']] : this.#spelled(character);
    }
  }

  /** A character, both ways where capitals do not matter. */
  #spelled(character: string): Sequence[] {
    const [small, capital] = [character.toLowerCase(), character.toUpperCase()];
    if (this.#letters === undefined || small === capital) return [[{ character }]];
    if (this.#letters === 0) return [['unknown']];
    this.#letters--;
    return [[{ character: small }], [{ character: capital }]];
  }

  #group(depth: number): Sequence[] | undefined {
    const known = this.#take('?', ':') || this.#next !== '?';
    if (depth === DEEPEST) return undefined;
    const letters = this.#letters;
    const atoms = this.alternatives(depth + 1);
    if (atoms === undefined || !this.#take(')')) return undefined;
    if (known) return atoms;
    // Its letters are signs (`(?i)`), or any text like all of it.
    this.#letters = letters;
    return [['unknown']];
  }

  #escaped(): Sequence[] | undefined {
    const character = this.#characters[this.#at++];
    if (character === undefined) return undefined;
    if (character === 's') return [['space']];
    if (character === 'b') return [['boundary']];
    return /[\p{Alphabetic}\p{N}]/u.test(character) ? [['unknown']] : [[{ character }]];
  }

  /** The characters of a class; `undefined` when they are not a few that are spelled out. */
  #class(): string[] | undefined {
    const members: string[] = [];
    let plain = true;
    for (;;) {
      const character = this.#characters[this.#at++];
      if (character === undefined) return undefined;
      if (character === ']') break;
      if (character === '\\') this.#at++;
      plain &&= /[\p{Alphabetic}\p{N}_./:=@%+]/u.test(character);
      members.push(character);
    }
    return plain && members.length > 0 && members.length <= MOST_IN_CLASS ? members : undefined;
  }
}
