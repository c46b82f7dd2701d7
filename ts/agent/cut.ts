/** Large results: what a model is shown of them, and how it gets at the rest. */

/** What was left out. */
export interface LeftOut {
  characters: number;
  /** The first and the last line from which something was left out, counted from 1. */
  first: number;
  last: number;
}

/** @see createBackendTools */
export const MAX_RESULT_CHARACTERS = 20_000;

/**
 * A text of at most `most` characters: its beginning and its end, both in whole lines where lines are short, and in between a
 * note that says how to read the rest.
 */
export function cutMiddle(text: string, most: number, note: (left: LeftOut) => string): string {
  if (text.length <= most) return text;
  const end = endOfHead(text, Math.ceil(most / 2));
  const start = startOfTail(text, text.length - Math.floor(most / 2));
  const linesBefore = linesIn(text, end);
  const left: LeftOut = {
    characters: start - end,
    first: linesBefore + 1,
    // At the beginning of a line, the line before it is the last.
    last: linesIn(text, start) + (text[start - 1] === '\n' ? 0 : 1),
  };
  const head = text.slice(0, end);
  return `${head}${head.endsWith('\n') ? '' : '\n'}[… ${note(left)} …]\n${text.slice(start)}`;
}

/** The end of a line when one is near, and never between the halves of a character. */
function endOfHead(text: string, end: number): number {
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (line > end / 2) return line;
  return isHigh(text.charCodeAt(end - 1)) ? end - 1 : end;
}

function startOfTail(text: string, start: number): number {
  const line = text.indexOf('\n', start - 1) + 1;
  if (line > 0 && line - start < (text.length - start) / 2) return line;
  return isLow(text.charCodeAt(start)) ? start + 1 : start;
}

function linesIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
