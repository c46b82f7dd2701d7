/** Keys as terminals send them, and the line that is written with them. */
import { describe, expect, test } from 'vitest';
import { draftOf, edited, EMPTY, insert, laid, type TextDraft } from '../../ts/cli/chat/screen/draft.js';
import { KeyReader, type KeyName, type KeyPress } from '../../ts/cli/chat/screen/keys.js';

/** What each chunk becomes, in short: keys as `<name>`, pastes as `[text]`, and a `!` where one came alone. */
function read(...chunks: string[]): string[] {
  const reader = new KeyReader();
  return chunks.map((chunk) => told([...reader.feed(Buffer.from(chunk, 'latin1')), ...reader.flush()]));
}

const told = (presses: readonly KeyPress[]): string =>
  presses
    .map(({ key, isAlone }) => {
      const text = key.kind === 'key' ? `<${key.name}>` : key.kind === 'paste' ? `[${key.text}]` : key.text;
      return isAlone ? `${text}!` : text;
    })
    .join('');

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('keys', () => {
  test('one at a time', () => {
    expect(read('y', '\r', '\u001b', '\u001b[A', '\u001bOB', '\u0003', '\t', '\u001b[Z', '\u007f')).toEqual([
      'y!',
      '<enter>!',
      '<escape>!',
      '<up>!',
      '<down>!',
      '<ctrl-c>!',
      '<tab>!',
      '<shift-tab>!',
      '<backspace>!',
    ]);
  });

  test('several at once are not alone', () => {
    expect(read('yy', 'y\r', '\u001b[Ay', 'y\u0003')).toEqual(['yy', 'y<enter>', '<up>y', 'y<ctrl-c>']);
  });

  test('what nobody knows is nothing, and what came with it is not alone', () => {
    expect(read('\u001b[99;5u', '\u001b[99;5uy', '\u001by', '\u0000y', '\u001b[M !!')).toEqual(['', 'y', '', 'y', '']);
  });

  test('a character in two pieces is one', () => {
    const [first, second] = [utf8('日').slice(0, 1), utf8('日').slice(1)];
    expect(told([...reads(first), ...reads('')])).toBe('');
    const reader = new KeyReader();
    reader.feed(Buffer.from(first, 'latin1'));
    expect(told(reader.feed(Buffer.from(second, 'latin1')))).toBe('日!');
  });

  test('a sequence in two pieces is one key, and Esc is one when nothing follows', () => {
    const reader = new KeyReader();
    expect(told(reader.feed(Buffer.from('\u001b')))).toBe('');
    expect(reader.wait).toBe(40);
    expect(told(reader.feed(Buffer.from('[A')))).toBe('<up>!');
    expect(reader.wait).toBeUndefined();
    reader.feed(Buffer.from('\u001b'));
    expect(told(reader.flush())).toBe('<escape>!');
    // What was cut may still go on.
    expect(reader.wait).toBe(250);
    expect(reader.flush()).toEqual([]);
    expect(reader.wait).toBeUndefined();
  });

  test('what is pasted is text, whatever is in it and however it comes', () => {
    const whole = '\u001b[200~y\r\n\u001b[A\u0003n\u001b[201~';
    expect(read(whole)).toEqual(['[y\n\u001b[A\u0003n]']);
    for (let at = 1; at < whole.length; at += 1) {
      const reader = new KeyReader();
      const parts = [whole.slice(0, at), whole.slice(at)].map((part) => reader.feed(Buffer.from(part)));
      expect(told(parts.flat()), `cut at ${at}`).toBe('[y\n\u001b[A\u0003n]');
    }
  });

  test('a paste whose end got lost does not swallow Ctrl+C', () => {
    expect(read('\u001b[200~abc', '\u0003')).toEqual(['', '<ctrl-c>!']);
  });

  test('lines of a terminal that does not mark pastes stay one text', () => {
    expect(read('one\rtwo\rthree', 'one\rtwo\r')).toEqual(['one\ntwo\nthree', 'one\ntwo<enter>']);
  });
});

/** What terminals send that is not a key of ours, or not one of the letters in it. Those letters would otherwise answer. */
const SENT: Record<string, readonly string[]> = {
  'X10 mouse': [
    '\u001b[M yn',
    '\u001b[My!!',
    '\u001b[M#\u00f9y',
    '\u001b[M n1',
    '\u001b[M y\u00c3\u00a9',
    '\u001b[M \u00c4\u0080\u00c2\u0099',
  ],
  CSI: [
    '\u001b[<0;121;110M',
    '\u001b[<35;1;2m',
    '\u001b[99;5u',
    '\u001b[?62;22c',
    '\u001b[12;40R',
    '\u001b[[A',
    '\u001b[[D',
    '\u001b[2$y',
    '\u001b[?2026;2$y',
    '\u001b[27;5;121~',
    '\u001b[I',
    '\u001b[O',
  ],
  SS3: ['\u001bOy', '\u001bOn', '\u001bOM', '\u001bOP', '\u001bO5A', '\u001bO1;5d'],
  OSC: [
    '\u001b]11;rgb:yyyy/nnnn/1111\u0007',
    '\u001b]10;rgb:1/2/y\u001b\\',
    '\u001b]52;c;eQ==\u0007',
    '\u001b]l yes y\u001b\\',
  ],
  DCS: ['\u001bP>|xterm(y)\u001b\\', '\u001bP1$r0y\u001b\\', '\u001bP!|00y\u0007y\u001b\\'],
  'APC, PM': ['\u001b_Gi=1;OK y\u001b\\', '\u001b^y\u001b\\'],
  'character sets': ['\u001b(y', '\u001b y'],
  Alt: ['\u001by', '\u001bn', '\u001b\u00c3\u00a9'],
  paste: ['\u001b[200~y\r1\u001b[M yyn\u001b[201~'],
};
/** Keys that have such a form. */
const KEYS: readonly string[] = ['\u001b[A', '\u001b[1;5C', '\u001bOB', '\u001b[Z', '\u001b[5~', '\u001b[3~'];

/** Each way to cut it in two, and byte by byte. */
const cuts = (whole: string): string[][] => [
  ...Array.from({ length: whole.length - 1 }, (_, at) => [whole.slice(0, at + 1), whole.slice(at + 1)]),
  [...whole],
];

describe('a sequence that comes in pieces', () => {
  /** What becomes of its pieces, with time for a flush between them or not, and of a `y` a moment later. */
  function pieces(parts: readonly string[], isSlow: boolean): KeyPress[] {
    const reader = new KeyReader();
    const presses: KeyPress[] = [];
    for (const [at, part] of parts.entries()) {
      presses.push(...reader.feed(Buffer.from(part, 'latin1')));
      // As long as a lone ESC waits: what has begun otherwise waits longer.
      if (isSlow && at < parts.length - 1 && reader.wait === 40) presses.push(...reader.flush());
    }
    while (reader.wait !== undefined) presses.push(...reader.flush());
    expect(told(reader.feed(Buffer.from('y')))).toBe('y!');
    return presses;
  }

  test.each(Object.entries(SENT))('is no letter that answers, wherever it is cut: %s', (name, all) => {
    for (const whole of all)
      for (const isSlow of [false, true])
        for (const parts of [[whole], ...cuts(whole)]) {
          // Alt and a letter, as it comes to who waits for Esc, is what a person types as well.
          if (isSlow && (name === 'Alt' || name === 'character sets') && parts[0] === '\u001b') continue;
          const got = pieces(parts, isSlow);
          const keys = got.filter(({ key }) => key.kind !== 'paste' && !(key.kind === 'key' && key.name === 'escape'));
          expect(told(keys), JSON.stringify(parts)).toBe('');
          expect(got.filter(({ key }) => key.kind === 'paste')).toHaveLength(name === 'paste' ? 1 : 0);
        }
  });

  test('is the key that it is, wherever it is cut', () => {
    for (const whole of KEYS)
      for (const isSlow of [false, true])
        for (const parts of cuts(whole)) {
          const keys = pieces(parts, isSlow).filter(({ key }) => key.kind !== 'key' || key.name !== 'escape');
          expect(told(keys), JSON.stringify(parts)).toBe(read(whole)[0]);
        }
  });

  test('and never ends does not swallow Ctrl+C, nor what is typed a moment later', () => {
    for (const begun of ['\u001b]11;', '\u001bP1', '\u001b_']) {
      const reader = new KeyReader();
      expect(told(reader.feed(Buffer.from(begun)))).toBe('');
      expect(told(reader.feed(Buffer.from('\u0003')))).toBe('<ctrl-c>!');
      reader.feed(Buffer.from(begun));
      expect(reader.wait).toBe(250);
      reader.flush();
      expect(told(reader.feed(Buffer.from('y')))).toBe('y!');
    }
  });

  test('is no key and no text, however late it goes on', () => {
    const late = (...parts: string[]): string => {
      const reader = new KeyReader();
      let all = '';
      for (const part of parts) {
        all += told(reader.feed(Buffer.from(part, 'latin1')));
        while (reader.wait !== undefined) all += told(reader.flush());
      }
      return all;
    };
    for (const whole of ['\u001b[A', '\u001b[B', '\u001bOB', '\u001b[1;2A', '\u001b[[A', '\u001b[12~', '\u001b[M yy'])
      for (const parts of cuts(whole)) {
        // A single character behind the Esc key is what a person types as well.
        if (parts[0] === '\u001b' && parts[1]!.length === 1) continue;
        expect(late(...parts).replaceAll('<escape>!', ''), JSON.stringify(parts)).toBe('');
        expect(late(...parts, 'y').replaceAll('<escape>!', ''), JSON.stringify(parts)).toBe('y!');
      }
    expect(late('\u001b', '[200~beta\u001b[201~', 'y')).toBe('<escape>![beta]y!');
    expect(late('\u001b[', '200~beta\u001b[201~', 'y')).toBe('[beta]y!');
    // What cannot be within it is a key, which did not come alone.
    expect(late('\u001b[', '\r', 'y')).toBe('<enter>y!');
    expect(late('\u001b[12', '\u0003', 'y')).toBe('<ctrl-c>!y!');
  });

  test('goes on where the next begins', () => {
    expect(read('\u001b[M y\u001b[A', '\u001b]11;y\u001b[A', '\u001b[12\u001b[B', '\u001b[M yy\u001b[M yny')).toEqual([
      '<up>',
      '<up>',
      '<down>',
      'y',
    ]);
  });

  test('after Esc, words are words', () => {
    for (const words of ['no', 'Please', 'y', '1', ' ', 'e']) {
      const reader = new KeyReader();
      reader.feed(Buffer.from('\u001b'));
      reader.flush();
      expect(told(reader.feed(Buffer.from(words))).replace('!', '')).toBe(words);
    }
  });
});

const reads = (chunk: string): KeyPress[] => new KeyReader().feed(Buffer.from(chunk, 'latin1'));

/** A draft as a text with `|` where the cursor is. */
const at = (text: string): TextDraft => ({ text: text.replace('|', ''), cursor: text.indexOf('|') });
const shown = ({ text, cursor }: TextDraft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('a line', () => {
  test.each<[before: string, key: KeyName, after: string]>([
    ['ab|c', 'left', 'a|bc'],
    ['ab|c', 'right', 'abc|'],
    ['|abc', 'left', '|abc'],
    ['a👨‍👩‍👧|b', 'left', 'a|👨‍👩‍👧b'],
    ['a👨‍👩‍👧|b', 'backspace', 'a|b'],
    ['a|日本', 'delete', 'a|本'],
    ['one two|', 'ctrl-w', 'one |'],
    ['one two  |x', 'ctrl-w', 'one |x'],
    ['one\ntwo| three', 'ctrl-u', 'one\n| three'],
    ['one\ntwo| three\nfour', 'ctrl-k', 'one\ntwo|\nfour'],
    ['one\ntwo|', 'ctrl-a', 'one\n|two'],
    ['one|\ntwo', 'ctrl-e', 'one|\ntwo'],
    ['one\ntw|o', 'up', 'on|e\ntwo'],
    ['on|e\n\nthree', 'down', 'one\n|\nthree'],
    ['one\n\nth|ree', 'up', 'one\n|\nthree'],
    ['one two|', 'word-left', 'one |two'],
    ['|one two', 'word-right', 'one| two'],
  ])('%j, %s: %j', (before, key, after) => {
    expect(shown(edited(at(before), key)!)).toBe(after);
  });

  test('above the first line and below the last there is none', () => {
    expect(edited(at('a|b'), 'up')).toBeUndefined();
    expect(edited(at('a|b'), 'down')).toBeUndefined();
  });

  test('an accent that comes apart is put together', () => {
    expect(insert(EMPTY, 'e\u0301')).toEqual({ text: 'é', cursor: 1 });
  });

  test('rows are as wide as they may be, and the cursor is where the next character goes', () => {
    expect(laid(draftOf('日本語'), 4)).toEqual({ rows: ['日本', '語'], cursor: { row: 1, column: 2 } });
    expect(laid(draftOf('abcd'), 4)).toEqual({ rows: ['abcd', ''], cursor: { row: 1, column: 0 } });
    expect(laid({ text: 'abcdef', cursor: 4 }, 4).cursor).toEqual({ row: 1, column: 0 });
    expect(laid({ text: 'ab\ncd', cursor: 2 }, 4).cursor).toEqual({ row: 0, column: 2 });
  });

  test('what deceives the eye is seen', () => {
    expect(laid(draftOf('a\u202eb\u001b[2J'), 80).rows).toEqual(['a\\u{202E}b\\u{001B}[2J']);
  });
});
