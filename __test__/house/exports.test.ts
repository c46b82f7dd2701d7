/** What `index.d.ts` declares is what the package exports, no more and no less. `api.test-d.ts` compares the types. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Names of the values (not the types) that a declaration file exports. */
function declaredValues(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const names = code.matchAll(
    /^export\s+declare\s+(?:abstract\s+)?(?:async\s+)?(?:function|class|const|let|var|enum)\s+([\w$]+)/gm,
  );
  return [...new Set([...names].map(([, name]) => name!))].toSorted();
}

const source = readFileSync(join(root, 'index.d.ts'), 'utf8');

test('index.d.ts declares each value on its own', () => {
  // The forms below would not be seen by `declaredValues`.
  expect(source).not.toMatch(/^export\s+(default|\{|\*|=)/m);
  expect(declaredValues(source).length).toBeGreaterThan(10);
});

test('the compiled package exports exactly what index.d.ts declares', async () => {
  const { default: _, ...exported } = (await import(join(root, 'dist/index.js'))) as Record<string, unknown>;
  expect(_, 'no default export').toBeUndefined();
  expect(Object.keys(exported).toSorted()).toEqual(declaredValues(source));
});

test('so do the sources', async () => {
  expect(Object.keys(await import('../../ts/index.js')).toSorted()).toEqual(declaredValues(source));
});
