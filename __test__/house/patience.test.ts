/** What a test waits for takes as long as its machine needs: a second, which is what Vitest gives by itself, is a measure of the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Each call of these, from its name to where the brackets of its arguments are closed. */
function* waitsIn(text: string): Generator<string> {
  for (const { index, 0: name } of text.matchAll(/\bvi\.wait(?:For|Until)\(/g)) {
    let end = index + name.length;
    for (let open = 1; open > 0 && end < text.length; end++) {
      if (text[end] === '(') open++;
      if (text[end] === ')') open--;
    }
    yield text.slice(index, end);
  }
}

const isPatient = (wait: string): boolean => /,\s*PATIENTLY,?\s*\)$/.test(wait);

test('vi.waitFor and vi.waitUntil wait patiently', () => {
  const found: string[] = [];
  let seen = 0;
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('patience.test.ts')) continue;
    for (const wait of waitsIn(readFileSync(join(root, file), 'utf8'))) {
      seen++;
      if (!isPatient(wait)) found.push(`${file}: ${wait}`);
    }
  }
  expect(seen).toBeGreaterThan(10);
  expect(found).toEqual([]);
});

test('one that does not is found', () => {
  const some = `vi.waitFor(() => f(1), PATIENTLY); vi.waitUntil(() => f(PATIENTLY)); vi.waitFor(() => g(), { timeout: 5 });`;
  expect([...waitsIn(some)].map(isPatient)).toEqual([true, false, false]);
});
