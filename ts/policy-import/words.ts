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
  | { kind: 'any' }
  /** Any words, also none. It stands behind another. */
  | { kind: 'rest' };

export const ANY_WORD: Token = { kind: 'any' };
export const ANY_WORDS: Token = { kind: 'rest' };
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
  /** It is held against the whole line: what stands behind any text may be in another command. */
  overLine?: boolean;
  /** It matches more than what is written there. */
  loose?: boolean;
}

/** A pattern over words that matches no more than the foreign one. */
export interface NarrowPattern {
  tokens: readonly Token[];
  /** It must match the whole command, not only its beginning. */
  closed: boolean;
  exact: boolean;
}

/** Patterns over words that together match no less than the foreign one. */
export interface WidePatterns {
  patterns: readonly (readonly Token[])[];
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

/** For an allow; `undefined` when no pattern surely matches no more. */
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

/** For an ask or a deny; `undefined`: it could be any command. */
export function widened(pattern: WordPattern): WidePatterns | undefined {
  const { end, overLine, loose } = pattern;
  if (meansEvery(pattern)) return { patterns: [[ANY_WORD]], exact: true };
  const [first, ...others] = textsBetween(pattern);
  if (first === undefined) return undefined;
  const beginning = beginningOf(first);
  const { tokens, behind } = beginning;
  const isSaid = loose !== true && beginning.exact && end !== 'closed' && end !== 'boundary';
  const anywhere = tokens.length === 0;
  const [run, runs] = longestRun(anywhere && behind !== undefined ? [behind, ...others] : others);
  if (!anywhere && (behind !== undefined || overLine === true || run === undefined)) {
    return { patterns: [tokens], exact: isSaid && behind === undefined && others.length === 0 };
  }
  if (run === undefined) return undefined;
  const closed = end === 'closed' && run.isLast;
  const { spread, within } = formsOf(run, closed);
  const forms = within === undefined ? [spread] : [spread, [likeToken(within)]];
  // Of a whole line any word may be the first of a command; so it is held of all.
  const exact = isSaid && runs === 1 && run.isWhole && (!anywhere || run.gluedBefore);
  if (anywhere) return { patterns: [...forms, ...forms.map((form) => [ANY_WORD, ANY_WORDS, ...form])], exact };
  const patterns = forms.map((form) => [...tokens, ANY_WORDS, ...form]);
  const last = tokens.at(-1);
  // Any text may also end within the same word.
  if (first.gluedBehind && last?.kind === 'like') {
    const before = tokens.slice(0, -1);
    const [head, ...tail] = spread;
    const isGlued = run.gluedBefore && (head?.kind === 'text' || head?.kind === 'like');
    if (isGlued) patterns.push([...before, asLike(`${last.text}${head.text}`), ...tail]);
    if (within !== undefined) patterns.push([...before, asLike(`${last.text}${within}`)]);
  }
  return { patterns, exact };
}

/** Some words of a pattern with any text, or nothing, before and behind them. */
interface TextBetween {
  words: readonly string[];
  /** Whether the any text goes on into the first word, and into the last. */
  gluedBefore: boolean;
  gluedBehind: boolean;
}

/** The texts between the any texts. The first one is how a command begins. */
function textsBetween({ words, end }: WordPattern): TextBetween[] {
  const texts: TextBetween[] = [];
  let current: string[] = [];
  let gluedBefore = false;
  for (const word of words) {
    for (const [index, part] of word.entries()) {
      if (part !== ANY_TEXT) {
        current.push(part);
        continue;
      }
      texts.push({ words: current, gluedBefore, gluedBehind: index > 0 });
      current = [];
      gluedBefore = index + 1 < word.length;
    }
  }
  texts.push({ words: current, gluedBefore, gluedBehind: end === 'glued' || end === 'boundary' });
  return texts;
}

interface WordBeginning {
  tokens: Token[];
  /** What stands behind the first word that is not what the shell makes of it. */
  behind: TextBetween | undefined;
  exact: boolean;
}

/** The words with which commands begin, up to the first that is not what the shell makes of it. */
function beginningOf({ words, gluedBehind }: TextBetween): WordBeginning {
  const tokens: Token[] = [];
  let exact = true;
  const upTo = (index: number): WordBeginning => {
    const behind = { words: words.slice(index + 1), gluedBefore: false, gluedBehind };
    // What a redirection writes to is no word.
    if (/[<>]$/.test(words[index] ?? '')) behind.words.shift();
    return { tokens, behind, exact: false };
  };
  for (const [index, text] of words.entries()) {
    const glued = gluedBehind && index + 1 === words.length;
    if (tokens.length === 0 && isAssignment(text)) {
      // `CI=1 npm test`: the assignment is no word of the command.
      exact = false;
      if (glued) return upTo(index);
      continue;
    }
    const word = unquoted(text);
    const reserved = tokens.length === 0 && word !== undefined && RESERVED.has(word);
    if (word === undefined || reserved) return upTo(index);
    exact &&= word === text;
    tokens.push(glued ? asLike(`${word}*`) : textToken(word));
  }
  return { tokens, behind: undefined, exact };
}

/** Words of a text that are what the shell makes of them. */
interface WordRun extends TextBetween {
  /** It is all of its text. */
  isWhole: boolean;
  /** It ends where the pattern does. */
  isLast: boolean;
}

/** The run with the most characters, and how many there are. One is enough to meet all that they mean together. */
function longestRun(texts: readonly TextBetween[]): [run: WordRun | undefined, count: number] {
  const runs = texts.flatMap((text, at) =>
    runsOf(text).map((run) => ({ ...run, isLast: run.isLast && at + 1 === texts.length })),
  );
  const sizeOf = ({ words }: WordRun) => words.join('').length;
  return [runs.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0], runs.length];
}

function runsOf({ words, gluedBefore, gluedBehind }: TextBetween): WordRun[] {
  const runs: WordRun[] = [];
  let from = 0;
  let plain: string[] = [];
  const end = (at: number) => {
    if (plain.length > 0) {
      const isLast = at === words.length;
      const glued = { gluedBefore: gluedBefore && from === 0, gluedBehind: gluedBehind && isLast };
      const isWhole = from === 0 && isLast && plain.every((word, index) => word === words[index]);
      runs.push({ words: plain, ...glued, isWhole, isLast });
    }
    from = at + 1;
    plain = [];
  };
  for (const [at, text] of words.entries()) {
    const edge = (gluedBefore && at === 0) || (gluedBehind && at + 1 === words.length);
    // The file of a redirection is no word of the command, and a part of a word has no quotes of its own.
    const noWord = isAssignment(text) || /[<>]$/.test(words[at - 1] ?? '');
    const word = noWord || (edge && differsFromWord(text)) ? undefined : unquoted(text);
    if (word === undefined) end(at);
    else plain.push(word);
  }
  end(words.length);
  return runs;
}

/** A run as words of their own, and as a part of one word, in which quotes hold it together. */
function formsOf(
  { words, gluedBefore, gluedBehind }: WordRun,
  closed: boolean,
): { spread: Token[]; within: string | undefined } {
  const spread = words.map((word, index) => {
    const before = gluedBefore && index === 0 ? '*' : '';
    const behind = gluedBehind && index + 1 === words.length ? '*' : '';
    return before + behind === '' ? textToken(word) : asLike(`${before}${word}${behind}`);
  });
  const isSame = words.length === 1 && gluedBefore && gluedBehind;
  // At the end of a line a quote stands behind it.
  if (isSame || closed) return { spread, within: undefined };
  return { spread, within: `${gluedBefore ? '*' : '* '}${words.join('*')}${gluedBehind ? '*' : ' *'}` };
}

/** Without stars beside each other, which would be a sign of its own. */
const asLike = (text: string): Token => likeToken(text.replace(/\*+/g, '*'));

/** What the shell makes of a word with quotes; `undefined` where only the run will tell, or where it is more than a word. */
function unquoted(text: string): string | undefined {
  if (text.startsWith('~')) return undefined;
  let word = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "'" || sign === '"') {
      const end = text.indexOf(sign, at + 1);
      const inside = text.slice(at + 1, end);
      if (end === -1 || (sign === '"' && /[$`\\!]/.test(inside))) return undefined;
      word += inside;
      at = end;
    } else if (sign === '\\') {
      at++;
      if (at === text.length) return undefined;
      word += text.charAt(at);
    } else if (differsFromWord(sign) || /[?[{}!#]/.test(sign)) return undefined;
    else word += sign;
  }
  return word === '' || /\p{Cc}/u.test(word) ? undefined : word;
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

function isAssignment(text: string): boolean {
  const parts = splitOnce(text, '=');
  if (parts === undefined) return false;
  const name = withoutEnd(parts[0], '+') ?? parts[0];
  return /^[\p{Alphabetic}\p{N}_[\]]+$/u.test(name);
}
