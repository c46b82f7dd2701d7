/** Texts that would deceive someone who reads them raw, and what a screen must never get. */
import { random, pick, type Random } from './random.js';

/** Shows as nothing though its category says otherwise, or ends a line; said here apart from the code. */
const ALSO: readonly [from: number, to: number][] = [
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2028, 0x2029],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
  [0xe0100, 0xe01ef],
];

/** Signs of other scripts that stand before a number, and joiners of hieroglyphs: seen, though they format. */
const SEEN = /[\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}\u{13430}-\u{1343f}]/u;

/** The code points of a text that no screen may get raw. A line feed ends a line and is no deceit. */
export function forbiddenIn(text: string): string[] {
  const isForbidden = (c: string) => {
    const code = c.codePointAt(0) ?? 0;
    if (ALSO.some(([from, to]) => from <= code && code <= to)) return true;
    return c !== '\n' && /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(c) && !SEEN.test(c);
  };
  return [...text].filter(isForbidden).map((c) => `U+${c.codePointAt(0)?.toString(16)}`);
}

/** Each deceives in a way of its own. */
export const HOSTILE: readonly [name: string, text: string][] = [
  ['colours', '\u001b[31mred\u001b[0m'],
  ['a cleared screen', '\u001b[2J\u001b[H'],
  ['a title', '\u001b]0;owned\u0007'],
  ['a link', '\u001b]8;;https://evil.test\u001b\\click\u001b]8;;\u001b\\'],
  ['eight-bit control', '\u009b31m\u0090q\u009c'],
  ['a return that overwrites', 'rm -rf /\rls      '],
  ['backspaces', 'rm x\b\b\b\bls'],
  ['a NUL', 'a\0b'],
  ['a delete', 'a\u007fb'],
  ['right to left', 'a\u202eb\u202cc'],
  ['isolates', 'a\u2066b\u2069c\u2067d\u2069'],
  ['marks of direction', 'a\u200eb\u200fc\u061cd'],
  ['zero width', 'r\u200bm\u200c x\u200d\ufeff'],
  ['a soft hyphen', 'r\u00adm'],
  ['tags', 'ls\u{e0072}\u{e006d}'],
  ['variation selectors', 'a\ufe0fb\u{e0100}'],
  ['fillers', 'a\u3164b\u115fc\uffa0d'],
  ['private use', 'a\ue000b\u{f0000}c'],
  ['line separators', 'a\u2028b\u2029c'],
  ['a vertical tab', 'a\u000bb\u000cc\u0085d'],
  ['annotations', 'a\ufff9b\ufffac\ufffb'],
  ['noncharacters', 'a\ufffeb\uffffc'],
  ['invisible operators', 'a\u2062b\u2063c\u2064d'],
  ['a lone surrogate', 'a\ud800b\udc00'],
];

const PIECES = [
  ...HOSTILE.map(([, text]) => text),
  'git status',
  'rm -rf ~',
  '\n',
  '│ ',
  '┆ ',
  ' '.repeat(50),
  'ａｂ',
  'раураl',
  '…[7 characters hidden]…',
  '$(',
  ')',
  "'",
  '"',
  ';',
  '`',
  'x'.repeat(200),
];

export function hostileText(next: Random, most = 8): string {
  return Array.from({ length: 1 + Math.floor(next() * most) }, () =>
    next() < 0.15 ? String.fromCodePoint(Math.floor(next() * 0x3000)) : pick(next, PIECES),
  ).join('');
}

/** The table, and random ones. */
export function hostileTexts(seed: number, count: number): string[] {
  const next = random(seed);
  return [...HOSTILE.map(([, text]) => text), ...Array.from({ length: count }, () => hostileText(next))];
}
