/**
 * A linter for the prose of the documents: phrases that a reader stumbles over, and sentences that are too long.
 *
 * It is a few patterns and no dependency. Vale is a binary that npm does not bring, and textlint brings a hundred packages for what
 * is a regular expression each.
 */

/** What is said, and what to say instead. */
interface Rule {
  pattern: RegExp;
  instead: string;
}

const RULES: readonly Rule[] = [
  { pattern: /\bwho(?:m|so)?ever\b/i, instead: '"anyone who", "the person who"' },
  { pattern: /\bof (?:which|whom)\b/i, instead: 'a sentence of its own' },
  { pattern: /\b(?:is|are|was|were) none\b/i, instead: '"there is no …", "does not exist"' },
  { pattern: /\bthat there (?:is|are)(?: not| none)?(?=[\s.,;:)|]|$)/i, instead: '"that exists", "unknown"' },
  {
    pattern: /\bso many\b|\bso long (?:before|after)\b|\bafter so long\b/i,
    instead: 'a number, or "a given number of"',
  },
  { pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|less\b|different\b)/i, instead: '"is not a …"' },
  { pattern: /\bnobody of\b/i, instead: '"none of"' },
  { pattern: /\bas ever\b/i, instead: '"as usual", "as before"' },
  { pattern: /\bwill do(?: as well)?(?=[.,;]|$)/i, instead: '"works too"' },
  { pattern: /\banew\b/i, instead: '"again"' },
  { pattern: /\bshall\b/i, instead: '"must", "will"' },
  { pattern: /\bwants (?:an?|the|Node)\b/i, instead: '"needs"' },
  { pattern: /, else\b/i, instead: '", otherwise", "or else"' },
  { pattern: /\bpass(?:es|ed)? over\b/i, instead: '"ignore", "skip"' },
  { pattern: /\b(?:there|where|here)(?:of|in|with|by|upon)\b(?<!therein lies)/i, instead: 'plain words' },
  { pattern: /\bin the place of\b/i, instead: '"instead of"' },
  { pattern: /\bsuch an? one\b/i, instead: 'name it' },
  { pattern: /\bin order to\b/i, instead: '"to"' },
  { pattern: /\b(?:simply|obviously|of course)\b/i, instead: 'nothing' },
];

/** What pages for users and comments of declarations do not say: words of other languages in English clothes. */
const PAGE_RULES: readonly Rule[] = [
  { pattern: /\bstands? (?:in|behind|beside|there|against)\b/i, instead: '"is in", "comes after"' },
  { pattern: /\btells? of\b/i, instead: '"reports", "shows"' },
  { pattern: /\bspeaks? of\b/i, instead: '"covers", "is about"' },
  { pattern: /\b(?:some|any|every)body\b/i, instead: '"a person", "anyone", "everyone"' },
  { pattern: /\bof (?:yours|ours)\b/i, instead: '"your own"' },
  { pattern: /\bby (?:itself|themselves)\b/i, instead: '"on its own", "separately"' },
  { pattern: /\bbut for\b/i, instead: '"except"' },
  { pattern: /\bgoes on waiting\b/i, instead: '"still waits"' },
  { pattern: /\bunless said\b/i, instead: '"by default"' },
  { pattern: /\bwhat asks\b/i, instead: '"a call that needs approval"' },
  { pattern: /\b(?:the|this|that) very\b/i, instead: '"exactly the", "the same"' },
  { pattern: /\bbeside\b/i, instead: '"in addition to", "next to"' },
  { pattern: /\bfor ever\b/i, instead: '"permanently", "forever"' },
  { pattern: /\bto the letter\b/i, instead: '"exactly", "identical"' },
  { pattern: /\b(?:is|are) not ours\b/i, instead: 'name it: "other loops than …"' },
  { pattern: /\bsa(?:y|ys|id) of\b/i, instead: '"says about"' },
  { pattern: /\bwhat (?:becomes|became) of\b/i, instead: '"the outcome of", "what happens to"' },
  { pattern: /\bwhatever\b/i, instead: '"no matter what", "every"' },
];

/** Words of a sentence, at most. */
export const LONGEST = 30;

/** A part of a page that is read as a whole: a paragraph, an item of a list, a heading, a cell of a table. */
interface Passage {
  /** Its first line, from 1. */
  line: number;
  text: string;
}

const STARTS = /^\s*(?:[-*+] |\d+\. |#|\||>|<|!\[|$)/;

function passagesOf(source: string): Passage[] {
  // Code is not prose. Its lines stay, so that those below keep their numbers.
  const prose = source.replace(/^(`{3,})[\s\S]*?^\1[ \t]*$/gm, (code) => code.replace(/[^\n]+/g, ''));
  const passages: Passage[] = [];
  for (const [index, line] of prose.split('\n').entries()) {
    const before = passages.at(-1);
    if (/^\s*\|/.test(line)) {
      const cells = line.split(/(?<!\\)\||<br>/).map((text) => ({ line: index + 1, text }));
      passages.push(...cells, { line: index + 1, text: '' });
    } else if (before === undefined || before.text === '' || STARTS.test(line)) {
      passages.push({ line: index + 1, text: line.trim() });
    } else {
      before.text += ` ${line.trim()}`;
    }
  }
  return passages.filter(({ text }) => text.trim() !== '');
}

/** Without what a reader does not read as words: code becomes one word, a link its text, an image nothing. */
const plain = (text: string): string =>
  text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/(`+).+?\1/g, 'code')
    // The name of a test is not the page's own words.
    .replace(/\[[^\]]*\]\([^)]*(?:__test__|crates)\/[^)]*\)/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>|\*\*|^\s*(?:#+|[-*+>]|\d+\.) /g, '')
    .trim();

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?][)"']?) (?=\S)/);
const wordsOf = (sentence: string): number => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** What is wrong with a page for users, or with a comment that an editor shows them, one line for each fault. */
export const faultsOfPage = (source: string): string[] => faultsOf(source, PAGE_RULES);

/** What is wrong with a text, one line for each fault. */
export function faultsOf(source: string, more: readonly Rule[] = []): string[] {
  return passagesOf(source).flatMap(({ line, text }) => {
    const said = plain(text);
    const phrases = [...RULES, ...more].flatMap(({ pattern, instead }) => {
      const found = pattern.exec(said)?.[0];
      return found === undefined ? [] : [`line ${line}: "${found.trim()}": say ${instead}`];
    });
    const long = sentencesOf(said)
      .map((sentence) => ({ sentence, words: wordsOf(sentence) }))
      .filter(({ words }) => words > LONGEST)
      .map(({ sentence, words }) => `line ${line}: ${words} words, ${LONGEST} at most: "${sentence.slice(0, 60)}…"`);
    return [...phrases, ...long];
  });
}
