/** Texts in the browser are made as safe as the addon makes them, or safer. */
import { describe, expect, test } from 'vitest';
import { safeText as native } from '../../ts/native.js';
import { safeText } from '../../ts/react/safe-text.js';
import { effort, isThorough } from '../support/effort.js';

/** What stands around a character may make it a look-alike. */
const around = (character: string) => [
  character,
  `a${character}b`,
  `1 ${character}`,
  ` ${character}rf`,
  `/${character}/`,
  `сор${character}`,
];

test('each character that is shown as it is, is so by the addon too, whatever is around it', () => {
  const shown: string[] = [];
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (safeText(character) !== character) continue;
    shown.push(character);
    // Cyrillic around it is escaped here.
    const texts = around(character);
    // One of them each, in turn: neighbours are much alike.
    const tried = isThorough ? texts : [texts[code % texts.length] as string];
    if (tried.some((text) => native(text).includes(escaped(code)))) wrong.push(escaped(code));
  }
  expect(wrong).toEqual([]);
  expect(shown.length).toBeGreaterThan(30_000);
  expect(shown.join('')).toContain('Z[\\]^_`abc');
  for (const character of 'äßéŁ€漢かナ한😀“') expect(shown).toContain(character);
});

const escaped = (code: number) => `\\u{${code.toString(16).toUpperCase().padStart(4, '0')}}`;

test.each([
  ['plain text, ä 漢字 😀\nin two lines', 'plain text, ä 漢字 😀\nin two lines'],
  ['a\u202Eb\u2066', 'a\\u{202E}b\\u{2066}'],
  ['\u200B\u00AD\uFEFF\u{E0041}', '\\u{200B}\\u{00AD}\\u{FEFF}\\u{E0041}'],
  ['\u001b[31mred\u009b', '\\u{001B}[31mred\\u{009B}'],
  ['tab\tand\0and\r', 'tab\\tand\\u{0000}and\\u{000D}'],
  ['p\u0430ypal', 'p\\u{0430}ypal'],
  ['\ud800 alone', '\\u{D800} alone'],
  ['e\u0301', 'e\\u{0301}'],
  [`rm -rf /${' '.repeat(40)}x`, 'rm -rf / …[40 spaces hidden]… x'],
  [`a${'\n'.repeat(12)}b`, 'a\n…[12 line ends hidden]…\nb'],
  [`a\n${' \n'.repeat(11)}b`, 'a\n…[12 line ends hidden]…\nb'],
])('%j', (text, shown) => {
  expect(safeText(text)).toBe(shown);
});

describe('against the addon', () => {
  const alphabet = [
    ...'abc /-_.:"{}\n\t',
    'а',
    'ο',
    '\u202e',
    '\u200b',
    '\u00a0',
    'é',
    'e\u0301',
    '漢',
    '；',
    'ı',
    '–',
    '\0',
    '😀',
  ];
  /** A generator of numbers that does the same each time. */
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };

  test('whatever it escapes is escaped', () => {
    for (let round = 0; round < effort(150, 3_000); round += 1) {
      const text = Array.from({ length: next(12) }, () => alphabet[next(alphabet.length)]).join('');
      const ours = safeText(text);
      // What is left of the text, escapes taken out, is nothing that the addon would touch.
      const left = ours.replace(/\\u\{[0-9A-F]+\}|\\t/g, '');
      expect(native(left), JSON.stringify(text)).toBe(left);
      if (native(text) === text && /^[\n -~]*$/.test(text)) expect(ours).toBe(text);
    }
  });
});

test('of a long text both ends are shown, and how much is not', () => {
  const shown = safeText(`${'a'.repeat(2_000)}${'\u202e'.repeat(500)}${'b'.repeat(2_000)}`);
  expect(shown).toBe(`${'a'.repeat(2_000)}…[500 characters hidden]…${'b'.repeat(2_000)}`);
});

test('no text can pose as what is said of hidden ones', () => {
  expect(safeText('…[40 spaces hidden]…')).toBe('\\u{2026}[40 spaces hidden]\\u{2026}');
});
