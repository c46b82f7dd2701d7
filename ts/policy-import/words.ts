/**
 * Foreign patterns over the text of a command, as patterns over its words: a narrower one for an allow, a wider one for an ask or
 * a deny.
 */
import { splitOnce, withoutEnd, wordsOf } from './text.js';

/** A word of a rule. */
export type Token =
  | { kind: 'text'; text: string }
  /** With `*` for any text. */
  | { kind: 'like'; text: string }
  | { kind: 'oneOf'; texts: readonly string[] }
  | { kind: 'any' };

export const ANY_WORD: Token = { kind: 'any' };
export const textToken = (text: string): Token => ({ kind: 'text', text });
const likeToken = (text: string): Token => ({ kind: 'like', text });

/** A part of a word of a foreign pattern: this very text, or any text, spaces included. */
export type Part = string | typeof ANY_TEXT;
export const ANY_TEXT = Symbol('any text');

/**
 * What may come after the last word of a pattern: nothing; more words; what does not begin with a letter, a digit or `_`; or
 * anything, also within the last word.
 */
export type End = 'closed' | 'word' | 'boundary' | 'glued';

/** A pattern over the text of a command. */
export interface WordPattern {
  words: readonly (readonly Part[])[];
  end: End;
}

/** A pattern over words that matches no more than the foreign one. */
export interface NarrowPattern {
  tokens: readonly Token[];
  /** It must match the whole command, not only its beginning. */
  closed: boolean;
  exact: boolean;
}

/** A pattern over words that matches no less than the foreign one. No tokens: every command. */
export interface WidePattern {
  tokens: readonly Token[];
  exact: boolean;
}

/** Words that are grammar and never the name of a command. */
const RESERVED = new Set(
  'if then else elif fi for while until do done case esac in select function time coproc { } ! [[ ]]'.split(' '),
);

/** Every command. */
export const EVERY_COMMAND: WordPattern = { words: [], end: 'word' };

export const meansEvery = ({ words }: WordPattern): boolean => words.length === 0;

/** A glob over the text: `*` is any text, and `<space>*` at the end may be missing. */
export function globPattern(text: string): WordPattern {
  const words = wordsOf(text).map(partsOf);
  const last = words.at(-1);
  if (last?.at(-1) !== ANY_TEXT) return { words, end: 'closed' };
  last.pop();
  if (last.length > 0) return { words, end: 'glued' };
  words.pop();
  return { words, end: 'word' };
}

/** The beginning of a text, spelled out. */
export const beginningPattern = (text: string, end: End): WordPattern => ({
  words: wordsOf(text).map((word) => [word]),
  end,
});

/** For an allow; `undefined` when there is none that surely matches no more. */
export function narrowed(pattern: WordPattern): NarrowPattern | undefined {
  const { words, end } = pattern;
  if (meansEvery(pattern)) return end === 'closed' ? undefined : { tokens: [ANY_WORD], closed: false, exact: true };
  let exact = end !== 'boundary';
  const tokens: Token[] = [];
  for (const [index, word] of words.entries()) {
    const glued = index + 1 === words.length && end === 'glued';
    const [first] = word;
    if (first === undefined) return undefined;
    if (word.length > 1) {
      exact = false;
      const text = likeOf(word, glued);
      if (text === undefined) return undefined;
      tokens.push(likeToken(text));
    } else if (first === ANY_TEXT) {
      exact = false;
      tokens.push(ANY_WORD);
    } else {
      if ((index === 0 && isAssignment(first)) || differsFromWord(first)) return undefined;
      tokens.push(glued ? likeToken(`${first}*`) : textToken(first));
    }
  }
  return { tokens, closed: end === 'closed', exact };
}

/** For an ask or a deny. */
export function widened(pattern: WordPattern): WidePattern {
  const { words, end } = pattern;
  let exact = end !== 'closed' && end !== 'boundary';
  const tokens: Token[] = [];
  for (const [index, word] of words.entries()) {
    const last = index + 1 === words.length;
    const [text] = word;
    if (typeof text !== 'string') return { tokens, exact: false };
    if (tokens.length === 0 && isAssignment(text)) {
      // `CI=1 npm test`: the assignment is no word of the command.
      exact = false;
      if (word.length > 1) return { tokens, exact };
      continue;
    }
    const reserved = tokens.length === 0 && RESERVED.has(text);
    if (reserved || mayBeWrittenOtherwise(text)) return { tokens, exact: false };
    const glued = word.length > 1 || (last && (end === 'glued' || end === 'boundary'));
    tokens.push(glued ? likeToken(`${text}*`) : textToken(text));
    if (word.length > 1) return { tokens, exact: false };
  }
  return { tokens, exact: (exact && tokens.length > 0) || meansEvery(pattern) };
}

function partsOf(word: string): Part[] {
  const parts: Part[] = [];
  for (const [index, text] of word.split('*').entries()) {
    if (index > 0 && parts.at(-1) !== ANY_TEXT) parts.push(ANY_TEXT);
    if (text !== '') parts.push(text);
  }
  return parts;
}

/** A word with `*` in it, `undefined` when its text is not what the shell makes of it. */
function likeOf(word: readonly Part[], glued: boolean): string | undefined {
  let like = '';
  for (const part of word) {
    if (part === ANY_TEXT) like += '*';
    else if (differsFromWord(part)) return undefined;
    else like += part;
  }
  return glued ? `${like}*` : like;
}

/** Whether a text is not the word that the shell makes of it, or cannot be a token. */
const differsFromWord = (text: string): boolean => /['"\\$`;&|<>()*\p{Cc}]/u.test(text);

/** Whether the shell makes something else of a text than the word itself. */
const mayBeWrittenOtherwise = (text: string): boolean =>
  differsFromWord(text) || /[?[{}!#]/.test(text) || text.startsWith('~');

function isAssignment(text: string): boolean {
  const parts = splitOnce(text, '=');
  if (parts === undefined) return false;
  const name = withoutEnd(parts[0], '+') ?? parts[0];
  return /^[\p{Alphabetic}\p{N}_[\]]+$/u.test(name);
}
