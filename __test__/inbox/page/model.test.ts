/** What the page makes of what it is told, without a browser. */
import { describe, expect, test } from 'vitest';
import { changedRows, parse, written } from '../../../ts/inbox/page/changed.js';
import { arrivals, groupsOf, stepFrom, withItems, type ListRow } from '../../../ts/inbox/page/state/list.js';
import { readDiff } from '../../../ts/inbox/page/shown-diff.js';
import { ago, duration, flag, toneOf } from '../../../ts/inbox/page/words.js';
import type { InboxItem } from '../../../ts/inbox/protocol.js';

const item = (approvalId: string) => ({ approvalId }) as InboxItem;
const rows = (...ids: string[]): ListRow[] => ids.map((id) => ({ item: item(id), gone: false }));
const told = (list: readonly ListRow[]) =>
  list.map(({ item, gone }) => (gone ? `(${item.approvalId})` : item.approvalId));

describe('the list', () => {
  const items = (...ids: string[]) => ids.map(item);

  test('is what waits', () => {
    expect(told(withItems(rows('a', 'b'), items('b', 'c'), null))).toEqual(['b', 'c']);
    expect(told(withItems(rows('a', 'b'), items('b', 'c'), 'b'))).toEqual(['b', 'c']);
  });

  test('keeps the selected row in its place when that no longer waits', () => {
    expect(told(withItems(rows('a', 'b', 'c'), items('a', 'c', 'd'), 'b'))).toEqual(['a', '(b)', 'c', 'd']);
    expect(told(withItems(rows('a', 'b', 'c'), items('c', 'd'), 'b'))).toEqual(['(b)', 'c', 'd']);
    expect(told(withItems(rows('a', 'b'), items(), 'b'))).toEqual(['(b)']);
    const again = withItems(rows('a', 'b', 'c'), items('a', 'c'), 'b');
    expect(told(withItems(again, items('a', 'c', 'd'), 'b'))).toEqual(['a', '(b)', 'c', 'd']);
  });

  test('has the requests of a run together, and moves no row for what comes', () => {
    const of = (...ids: string[]) => ids.map((id) => ({ approvalId: id, group: id[0] }) as InboxItem);
    const first = withItems([], of('a1', 'b1', 'a2', 'b2'), null);
    expect(told(first)).toEqual(['a1', 'a2', 'b1', 'b2']);
    const more = withItems(first, of('a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'b3', 'c2'), null);
    expect(told(more)).toEqual(['a1', 'a2', 'b1', 'b2', 'b3', 'c1', 'c2', 'a3']);
    expect(groupsOf(more).map(({ group, rows }) => [group, rows.length])).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', 2],
      ['a', 1],
    ]);
    // Another search is another list.
    expect(told(withItems(more, of('b1', 'a1', 'b2'), null, false))).toEqual(['b1', 'b2', 'a1']);
  });

  test('has no row for what was selected elsewhere', () => {
    expect(told(withItems(rows('a'), items('a'), 'x'))).toEqual(['a']);
  });

  test('is gone through row by row, and ends', () => {
    const list = rows('a', 'b', 'c');
    expect(['a', 'b', 'c'].map((id) => stepFrom(list, id, 1))).toEqual(['b', 'c', 'c']);
    expect(['a', 'b', 'c'].map((id) => stepFrom(list, id, -1))).toEqual(['a', 'a', 'b']);
    expect([stepFrom(list, null, 1), stepFrom(list, null, -1), stepFrom([], null, 1)]).toEqual(['a', 'c', null]);
  });

  test('knows what arrived', () => {
    expect(told(arrivals(rows('a', 'b'), rows('b', 'c', 'd')))).toEqual(['c', 'd']);
  });
});

describe('a diff', () => {
  const told = (diff: string) => readDiff(diff).map(({ kind, text, before, after }) => [kind, text, before, after]);

  test('is read line by line, with the numbers of both files', () => {
    const diff =
      'replaces the file: +1 −1\n@@ -3,3 +3,3 @@\n│   same\n│ - old\n│ + new\n│   end\n\\ no newline at the end of the file';
    expect(told(diff)).toEqual([
      ['note', 'replaces the file: +1 −1', null, null],
      ['hunk', '@@ -3,3 +3,3 @@', null, null],
      ['same', 'same', 3, 3],
      ['removed', 'old', 4, null],
      ['added', 'new', null, 4],
      ['same', 'end', 5, 5],
      ['note', '\\ no newline at the end of the file', null, null],
    ]);
  });

  test('knows its own words from those of the file, whatever these look like', () => {
    const diff = '@@ -1 +1 @@\n│ - @@ -9 +9 @@\n│ + │ + x\n│ + …[hidden]…\nwhat is this';
    expect(told(diff)).toEqual([
      ['hunk', '@@ -1 +1 @@', null, null],
      ['removed', '@@ -9 +9 @@', 1, null],
      ['added', '│ + x', null, 1],
      ['added', '…[hidden]…', null, 2],
      ['note', 'what is this', null, null],
    ]);
  });

  test('has no numbers after lines that were left out', () => {
    const diff = '@@ -1,9 +1,9 @@\n│ - a\n…[7 lines of the diff hidden here]…\n│ - b\n@@ -20 +20 @@\n│ + c';
    expect(told(diff).map(([, , before, after]) => before ?? after)).toEqual([null, 1, null, null, null, 20]);
  });
});

describe('arguments in the editor', () => {
  test('are compared however they are laid out', () => {
    const [before, after] = ['{"a":1,"b":[]}', '{\n "a" : 1, "b": [ ] }'].map((text) => {
      const parsed = parse(text);
      return parsed.ok ? written(parsed.value) : '';
    });
    expect(changedRows(before!, after!)).toEqual([]);
  });

  test('show what cannot be seen', () => {
    const { value } = parse(JSON.stringify({ c: 'a\u202eb\u200bc\u00a0d\u{e0041}e' })) as { value: unknown };
    expect(written(value)).toBe('{\n  "c": "a\\u202eb\\u200bc\\u00a0d\\udb40\\udc41e"\n}');
    expect(JSON.parse(written(value))).toEqual(value);
  });

  test('show the lines around a change, and no others', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const rows = changedRows(lines.join('\n'), lines.with(15, 'other').with(2, 'another').join('\n'))!;
    expect(rows.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => [kind, text])).toEqual([
      ['removed', 'line 2'],
      ['added', 'another'],
      ['hunk', '⋯'],
      ['removed', 'line 15'],
      ['added', 'other'],
    ]);
    expect(rows.filter(({ kind }) => kind === 'same')).toHaveLength(2 + 3 + 3 + 3);
  });

  test('are told from what is not JSON', () => {
    expect(parse('{')).toMatchObject({ ok: false });
    expect(parse('{"id":9007199254740993}')).toMatchObject({
      ok: false,
      message: expect.stringContaining('more digits'),
    });
    expect(parse('{"a":1,"a":2}')).toMatchObject({ ok: false, message: expect.stringContaining('twice') });
    expect(parse('\u202e')).toMatchObject({ ok: false, message: expect.not.stringContaining('\u202e') as string });
  });
});

describe('words', () => {
  test('for times', () => {
    expect([0, -5, 999, 61_000, 3_599_000, 3_600_000, 90_000_000].map(duration)).toEqual([
      '0:00',
      '0:00',
      '0:01',
      '1:01',
      '59:59',
      '1 h 0 min',
      '1 d 1 h',
    ]);
    expect([0, 60_000, 7_200_000, 86_400_000, 172_800_000].map(ago)).toEqual([
      'just now',
      '1 min ago',
      '2 h ago',
      '1 day ago',
      '2 days ago',
    ]);
  });

  test('for what is not known yet', () => {
    expect(flag('a flag of a later version')).toBe('a flag of a later version');
    expect(toneOf('pending')).toBe('wait');
  });
});
