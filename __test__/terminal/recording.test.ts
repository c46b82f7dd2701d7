/** The picture that the documents show of the terminal program. `recording.long.test.ts` makes it anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

describe('the SVG', () => {
  const svg = readFileSync(join(import.meta.dirname, '../../docs/terminal/session.svg'), 'utf8');

  test('is well-formed, with each id once and none that is missing', () => {
    const open: string[] = [];
    const rest = svg.replace(/<(\/?)(\w+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g, (_, end, name, _attributes, alone) => {
      if (end !== '') expect(open.pop()).toBe(name);
      else if (alone === '') open.push(name);
      return '';
    });
    expect(open).toEqual([]);
    expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of svg.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  test('is small, runs nothing, loads nothing, and holds still for who wants that', () => {
    expect(Buffer.byteLength(svg)).toBeLessThan(200_000);
    expect(svg).not.toMatch(/<script|<foreignObject|\son\w+=|url\(|@import|href="[^#]/i);
    expect(svg.match(/http[^"]*/g)).toEqual(['http://www.w3.org/2000/svg']);
    expect(svg).toContain('prefers-reduced-motion');
    expect(svg).toContain('prefers-color-scheme');
  });

  test.each([
    'Tool 1 of 2',
    'Create hello.txt?',
    'there is read_file for that',
    'general-purpose',
    'Which language?',
    'releases are made by people',
    '🟠',
    '🟢',
    '/quit',
  ])('shows %s', (wanted) => {
    expect(svg).toContain(wanted);
  });
});
