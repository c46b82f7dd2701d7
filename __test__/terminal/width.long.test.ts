/** What terminals draw wider than others, and windows that are narrower than the layout: what was not seen is not approved. */
import { describe, expect, test } from 'vitest';
import { laid, draftOf } from '../../ts/cli/chat/screen/draft.js';
import { usualWidthOf, widthOf } from '../../ts/cli/style.js';
import { frame, roomIn } from '../../ts/cli/watch-frame.js';
import { press, START, withPage, withRecords } from '../../ts/cli/watch-model.js';
import type { WatchState } from '../../ts/cli/watch-state.js';
import { preview } from '../../ts/native.js';
import type { WaitingAsk } from '../../ts/cli/chat/view.js';
import { kept } from '../cli/kept.js';
import { approval } from './fake.js';
import { Sitting } from './presses.js';

/** Both ends of each class of characters that terminals draw in two columns. */
const WIDE = [
  0xfe10, 0xfe19, 0x16fe0, 0x16fe3, 0x17000, 0x187f7, 0x18800, 0x18cd5, 0x18d00, 0x18d08, 0x1aff0, 0x1affe, 0x1b000,
  0x1b2fb, 0x1f200, 0x1f202, 0x1f23b, 0x1f265, 0x4dc0, 0x2630, 0x268f, 0x1d300, 0x3400, 0x20000,
];
/** Marks that take two columns of their own, or may: East Asian Width of Unicode has them as wide. */
const WIDE_MARKS = [0x302e, 0x302f, 0x16ff0, 0x16ff1, 0x302a, 0x302b, 0x302c, 0x302d, 0x3099, 0x309a, 0x16fe4];
/** Marks that some terminals draw in a column of their own. */
const MARKS = [0x903, 0x93e, 0x940, 0x94d, 0x9be, 0xe31, 0x17b6, 0x1d165, ...WIDE_MARKS];

const HEX = (code: number): string => `U+${code.toString(16).toUpperCase()}`;

/** One by one, with its name. */
const EACH = [...WIDE, ...MARKS].map((code) => [HEX(code), String.fromCodePoint(code)]);

/** The columns of the terminal that draws the most. */
function cells(text: string): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    width += WIDE.includes(code) || WIDE_MARKS.includes(code) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
  }
  return width;
}

/** What such a terminal has room for, where it wraps nothing: the last column is drawn over. */
function visible(line: string, columns: number): string {
  let shown = '';
  for (const character of line) {
    if (cells(shown + character) > columns) break;
    shown += character;
  }
  return shown;
}

const CALLS: Record<string, (filler: string) => WaitingAsk> = {
  command: (filler) => approval('execute', { command: `node a.mjs ${filler} & END()` }),
  argument: (filler) => approval('write_file', { file_path: 'a.js', content: `/* ${filler} */ END();\n` }),
  file: (filler) => {
    const line = `/* ${filler} */ END();`;
    const diff = `a new file: +1 −0\n@@ -0,0 +1,1 @@\n│ + ${line}`;
    const made = { path: 'a.js', target: 'a.js', before: null, after: null, added: 1, removed: 0, diff };
    return approval(
      'write_file',
      { file_path: 'a.js', content: `${line}\n` },
      {
        changes: [made] as never,
        preview: `write_file\n│ file_path: a.js\n${diff}`,
        flags: [],
      },
    );
  },
};
const HABITS = [
  ['enter', 'y', 'enter', 'enter'],
  ['d', ' ', ' ', 'escape', 'y', 'enter', 'enter'],
  [' ', ' ', ' ', 'y', 'enter', 'enter'],
] as const;

/** Presses these keys. @returns whether they approve it */
function isApproved(sitting: Sitting, keys: readonly string[]): boolean {
  for (const key of keys) {
    sitting.wait(1100);
    const action = key.length === 1 ? sitting.type(key) : sitting.press(key as 'enter');
    if (action?.type === 'approveAll') return true;
    if (action?.type !== 'decide') continue;
    const [answer] = action.answers;
    return answer?.type !== 'decide' || answer.decision.type !== 'reject';
  }
  return false;
}

const SIZES = [
  [80, 24],
  [21, 24],
] as const;
const LENGTHS = (columns: number): number[] =>
  [columns / 2 - 4, columns - 20, columns / 4].map((each) => Math.max(1, Math.round(each)));

describe('one Enter never runs what a terminal that draws more columns has no room for', () => {
  test.each(EACH)('%s', (_, character) => {
    let approved = 0;
    for (const [columns, rows] of SIZES)
      for (const [name, make] of Object.entries(CALLS))
        for (const count of LENGTHS(columns))
          for (const habit of HABITS) {
            const sitting = new Sitting([make(character.repeat(count))], { columns, rows });
            if (!isApproved(sitting, habit)) continue;
            approved += 1;
            const seen = sitting.frames.map((text) => text.split('\n').map((line) => visible(line, columns)));
            const where = `${name}, ${columns}×${rows}, ${count}: ${habit.join(' ')}`;
            // It may be broken anywhere, behind a gutter.
            const texts = seen.map((lines) => lines.join('').replaceAll(/[\s│↪\d]/g, ''));
            expect(
              texts.some((text) => text.includes('END()')),
              where,
            ).toBe(true);
          }
    expect(approved).toBeGreaterThan(0);
  });
});

describe('no line of `watch` is wider than its window, so that none scrolls away', () => {
  test.each(EACH)('%s', (_, character) => {
    for (const [columns, rows] of SIZES) {
      const args = { command: `node a.mjs ${character.repeat(columns - 12)} & END()`, [character.repeat(9)]: 1 };
      const { text } = preview('execute', args);
      const record = kept({ toolName: 'execute', args, preview: text });
      let state: WatchState = withRecords(START, [record]);
      for (const [at, key] of [...'d   yy'].entries()) {
        const size = { columns, rows };
        state = withPage(state, roomIn(state, size), at * 2000);
        // oxlint-disable-next-line no-control-regex -- our own colours
        const lines = frame(state, size, 'here', 0).map((line) => line.replaceAll(/\u001b\[[\d;]+m/g, ''));
        for (const line of lines) expect(cells(line), line).toBeLessThanOrEqual(columns);
        state = press(state, [{ kind: 'text', text: key }], at * 2000 + 1000, roomIn(state, size)).state;
      }
    }
  });
});

describe('a window that is too small to show a call approves nothing, and says so', () => {
  const SMALL = [
    [14, 24, 'too narrow'],
    [19, 24, 'too narrow'],
    [5, 24, 'too narrow'],
    [80, 3, 'too low'],
  ] as const;

  test.each(SMALL)('%i×%i in the chat', (columns, rows, why) => {
    for (const make of Object.values(CALLS))
      for (const habit of HABITS) {
        const sitting = new Sitting([make('x')], { columns, rows });
        expect(isApproved(sitting, habit)).toBe(false);
        expect(sitting.frames.join('\n')).toContain(why);
        // What was seen while it was larger is not seen now.
        sitting.resize({ columns: 80, rows: 24 });
        expect(isApproved(sitting, ['escape', 'd', ' ', 'escape', 'escape', 'escape'])).toBe(false);
        sitting.resize({ columns, rows });
        expect(isApproved(sitting, ['y', 'enter', 'enter'])).toBe(false);
      }
    const sitting = new Sitting([CALLS['command']!('x')], { columns, rows });
    sitting.wait(2000);
    sitting.resize({ columns: 80, rows: 24 });
    expect(isApproved(sitting, ['y', 'enter'])).toBe(true);
  });

  test.each(SMALL)('%i×%i in `watch`', (columns, rows, why) => {
    const record = kept({ toolName: 'note', args: { text: 'x' } });
    const answer = (size: { columns: number; rows: number }) => {
      let state: WatchState = withRecords(START, [record]);
      let action: unknown;
      for (const [at, key] of [...'d     yy'].entries()) {
        state = withPage(state, roomIn(state, size), at * 2000);
        ({ state, action } = press(state, [{ kind: 'text', text: key }], at * 2000 + 1000, roomIn(state, size)));
      }
      return { said: state.said, action };
    };
    const small = answer({ columns, rows });
    expect(small.action).toBeUndefined();
    expect(small.said).toContain(why);
    expect(answer({ columns: 80, rows: 24 }).action).toMatchObject({ type: 'approve' });
  });
});

test('each mark of Unicode takes one column where it is known to be narrow, and else two', () => {
  const known = new Set(WIDE_MARKS);
  for (let code = 0x370; code <= 0x10ffff; code += 1) {
    const mark = String.fromCodePoint(code);
    if (/^\p{Mark}$/u.test(mark)) expect(widthOf(mark), HEX(code)).toBe(known.has(code) ? 2 : 1);
  }
});

test('texts that every terminal draws alike take the columns that they took', () => {
  for (const [text, width] of [
    ['let a = 1;', 10],
    ['─│┆↪…⏎⇥␍−–·“”’›❯✓✗⊘◐○◉▏', 23],
    ['漢字かな한글', 12],
    ['🟢🟠🔵✅', 8],
    ['Привет, Ελλάδα, שלום, سلام', 26],
  ] as const)
    expect(widthOf(text), text).toBe(width);
});

test('the cursor stands behind a letter with a mark over it, whatever room that is given', () => {
  expect(widthOf('กี')).toBe(2);
  expect(usualWidthOf('กี')).toBe(1);
  expect(laid(draftOf('กีกี'), 20).cursor.column).toBe(2);
  expect(laid(draftOf('กีกี'), 3).rows).toHaveLength(2);
});
