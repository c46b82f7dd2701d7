import { expect, test } from 'vitest';
import { cutMiddle } from '../../ts/agent/cut.js';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join('\n');

test('what is short enough stays as it is', () => {
  expect(cutMiddle('abc', 3, () => 'cut')).toBe('abc');
  expect(cutMiddle('', 3, () => 'cut')).toBe('');
});

test('whole lines are left out, and the note knows which', () => {
  const text = lines(1, 100);
  const cut = cutMiddle(text, 60, ({ first, last }) => `lines ${first} to ${last}`);
  expect(cut).toMatchInlineSnapshot(`
    "line 1
    line 2
    line 3
    line 4
    [… lines 5 to 97 …]
    line 98
    line 99
    line 100"
  `);
});

test('every character is shown or told of', () => {
  for (let most = 1; most < 120; most++) {
    for (const text of [lines(1, 20), 'x'.repeat(130), `${'y'.repeat(90)}\n${lines(1, 6)}`, '\n'.repeat(130)]) {
      let left = 0;
      let range: number[] = [];
      const cut = cutMiddle(text, most, ({ characters, first, last }) => {
        left = characters;
        range = [first, last];
        return 'N';
      });
      if (text.length <= most) continue;
      const [head, tail] = cut.split('[… N …]\n') as [string, string];
      const kept = text.slice(0, text.length - left - tail.length);
      expect([kept, `${kept}\n`]).toContain(head);
      expect(kept.length + tail.length).toBeLessThanOrEqual(most);
      expect(text.endsWith(tail)).toBe(true);
      const hidden = text.slice(kept.length, text.length - tail.length);
      const before = kept.split('\n').length;
      expect(range).toEqual([before, before + hidden.replace(/\n$/, '').split('\n').length - 1]);
    }
  }
});

test('no character is cut in two', () => {
  const text = '😀'.repeat(50);
  for (const most of [9, 10, 11, 12, 13]) {
    const cut = cutMiddle(text, most, () => 'N');
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.replace('\n[… N …]\n', '').length).toBeLessThanOrEqual(most);
  }
});
