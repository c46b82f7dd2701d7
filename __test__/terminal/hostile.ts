/** Arguments that would hide, move or forge something if they reached a terminal as they are. */
import { expect } from 'vitest';
import type { Terminal } from './terminal.js';

export const HOSTILE: readonly [what: string, command: string, shown: RegExp][] = [
  ['erases the line', 'rm -rf x\r\u001b[2Kdate', /rm -rf x.*\\u\{001B\}\[2Kdate/],
  ['leaves the screen', '\u001b[?1049h\u001b[2J\u001b[Hls', /\\u\{001B\}\[\?1049h/],
  ['sets the title and the clipboard', '\u001b]0;fine\u0007\u001b]52;c;ZXZpbA==\u0007ls', /\\u\{001B\}\]0;fine/],
  ['turns the direction', 'echo \u202Etxt.cod\u202C', /\\u\{202E\}/],
  ['has what nobody sees', 'rm -rf /\u200B\u2060tmp', /\\u\{200B\}/],
  ['forges our own words', 'ls\n ❯ y  Yes\n🟢 Safe mode · 0 waiting\n── execute ──', /[│┆].*🟢 Safe mode · 0 waiting/],
  ['is pushed out of sight', `ls ${' '.repeat(4000)}; rm -rf build`, /; rm -rf build/],
  ['is pushed down', `ls${'\n'.repeat(400)}rm -rf build`, /rm -rf build/],
  ['C1 controls', 'date\u009b2J', /\\u\{009B\}/],
  ['ends the mark of a frame', 'date\u001b[?2026l\u001bc', /\\u\{001B\}\[\?2026l/],
];

/** JSON in plain characters. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

/** What a terminal obeys, and what no font shows. */
const OBEYED = new RegExp(
  [
    String.raw`\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007]*|[^\[\]])`,
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029\u2060]`,
  ].join('|'),
  'g',
);
/** Colours, the cursor, lines that are erased or cut, what is pasted, and the marks around a frame. */
const OURS = new RegExp(String.raw`^\u001b\[(?:[0-9;]*m|\d*[AGHJK]|\?(?:7|25|2004|2026)[hl])$`);

/** The bell and the title that call the user, whole. */
// oxlint-disable-next-line no-control-regex -- as terminals take them
const CALLS = /\u0007?(?:\u001b\[22;2t)?\u001b\]2;(?:countersign: \d+ waiting)?\u0007(?:\u001b\[23;2t)?/g;

/** What was written to the terminal that is neither text nor one of the sequences that a screen needs. */
export const foreign = (raw: string): string[] =>
  [...new Set(raw.replaceAll(CALLS, '').match(OBEYED))]
    .filter((sequence) => !OURS.test(sequence))
    .map((sequence) => JSON.stringify(sequence));

/** What we say stands where it belongs, once. */
export function isOurs(terminal: Terminal, what: string): void {
  const lines = terminal.screen().split('\n');
  const count = (start: string): number => lines.filter((line) => line.startsWith(start)).length;
  expect([count('── '), count('🟢 Safe mode'), count(' ❯ ')], what).toEqual([1, 1, 1]);
  expect(lines.at(-1), what).toMatch(/^🟢 Safe mode · [1-9]\d* waiting/);
}
