/**
 * docs/security-threats.md and its other half name a test for each threat; each of them is there, and runs.
 *
 * A test is named as a link: its title, then its file. Where a title has placeholders (`%s`, `${…}`), the document has what
 * stands there in one of its cases. Tests in Rust go by the name of their function.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = ['docs/security-threats.md', 'docs/security-threats-systems.md']
  .map((path) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n'))
  .join('\n');

/** `it('…',`, `test.each(…)('…',`, `describe.skipIf(…)("…",` and the like; a test that is always skipped does not count. */
const TITLE = /(?:\b(?:it|test|describe)((?:\.\w+)*)|\))\(\s*(['"`])((?:\\.|(?!\2)[\s\S])*)\2\s*,/g;
const SKIPPED = /\.(?:skip|todo|fails)\b/;
const FUNCTION = /#\[(?:tokio::)?test[^\]]*\]\s*(?:#\[cfg[^\]]*\]\s*)*(?:async )?fn (\w+)\(/g;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** What a title can be, its placeholders filled in. */
const asPattern = (title: string) =>
  new RegExp(
    `^${title
      .split(/%[a-z%]|\$\{[^}]*\}|\$\w+/i)
      .map(escaped)
      .join('.+')}$`,
  );

const titles = new Map<string, RegExp[]>();
function titlesOf(file: string): RegExp[] {
  const known = titles.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(join(root, file), 'utf8');
  const found = file.endsWith('.rs')
    ? [...source.matchAll(FUNCTION)].map(([, name = '']) => asPattern(name))
    : [...source.matchAll(TITLE)].flatMap(([, chain = '', , title = '']) =>
        // A title that is nothing but a placeholder names nothing.
        SKIPPED.test(chain) || /^(?:%\w|[^\w]*)$/.test(title) ? [] : [asPattern(title.replaceAll(/\\(['"`])/g, '$1'))],
      );
  titles.set(file, found);
  return found;
}

/** The rows of the tables that end in a column of tests. */
const threats = [...page.matchAll(/^\| (.*?) \| (.*?) \| (.*) \|$/gm)]
  .map(([, threat = '', , shownBy = '']) => ({ threat, shownBy }))
  .filter(({ threat, shownBy }) => threat !== 'threat' && !threat.startsWith('--') && shownBy !== '');

const named = [...page.matchAll(/\[((?:[^\]`]|`[^`]*`)+)\]\(\.\.\/((?:__test__|crates)\/[^)#]*\.(?:ts|rs))\)/g)].map(
  ([, title = '', file = '']) => ({ title: title.replaceAll(/\\([[\]|_*])/g, '$1').replaceAll('`', ''), file }),
);

test('there are many', () => {
  expect(threats.length).toBeGreaterThan(40);
  expect(named.length).toBeGreaterThan(80);
});

test.each(threats)('$threat: a test shows it', ({ shownBy }) => {
  expect(shownBy).toMatch(/\]\(\.\.\/(?:__test__|crates)\//);
});

test.each(named)('$file: $title', ({ title, file }) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(titlesOf(file).some((pattern) => pattern.test(title))).toBe(true);
});

describe('what names a test', () => {
  const found = (source: string) =>
    [...source.matchAll(TITLE)].flatMap(([, chain = '', , title = '']) => (SKIPPED.test(chain) ? [] : [title]));

  test('is its title, however it is called', () => {
    expect(
      found(
        `it('a', f); test.each([[1, f(2, g(3))]])("b %i", f); describe.skipIf(isWindows)(\n  \`c \${d}\`, f); it.skip('e', f)`,
      ),
    ).toEqual(['a', 'b %i', 'c ${d}']);
  });

  test('has something in each of its places', () => {
    expect(asPattern('%j is (not) taken, ${width} px').test('{"a":1} is (not) taken, 60 px')).toBe(true);
    expect(asPattern('%j is (not) taken').test('is (not) taken')).toBe(false);
    expect(asPattern('$name: done').test('bun: done')).toBe(true);
  });
});
