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
    expect(read('\u001b[99;5u', '\u001b[99;5uy', '\u001by', '\u0000y', '\u001b[M !!')).toEqual([
      '',
      'y',
      '',
      'y',
      ' !!',
    ]);
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
    expect(reader.isOpen).toBe(true);
    expect(told(reader.feed(Buffer.from('[A')))).toBe('<up>!');
    expect(reader.isOpen).toBe(false);
    reader.feed(Buffer.from('\u001b'));
    expect(told(reader.flush())).toBe('<escape>!');
    expect(reader.isOpen).toBe(false);
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
