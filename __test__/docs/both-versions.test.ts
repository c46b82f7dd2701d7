/** npm brings AI SDK 6 on Node 20, and 7 on later ones: what the documents and the examples import is in both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as six from 'ai6';
import * as seven from 'ai7';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const files = ['README.md', ...below('docs'), ...below('examples')].filter(
  (file) => /\.(?:md|m?[jt]s|tsx)$/.test(file) && !file.includes('node_modules'),
);

/** The values, without types, that a text imports of `ai`. */
function importedBy(text: string): string[] {
  const statements = text.matchAll(/^\s*import\s*\{([^}]*)\}\s*from 'ai'/gm);
  const names = [...statements].flatMap(([, list]) => list!.split(','));
  return names.map((name) => name.trim().split(' as ')[0]!).filter((name) => name !== '' && !name.startsWith('type '));
}

test('what is imported is seen', () => {
  expect(importedBy("import { a, type B, c as d } from 'ai';\nimport {\n  e,\n} from 'ai';")).toEqual(['a', 'c', 'e']);
  expect(files.flatMap((file) => importedBy(readFileSync(join(root, file), 'utf8')))).toContain('stepCountIs');
});

test.each(files)('%s imports what both versions have', (file) => {
  const missing = importedBy(readFileSync(join(root, file), 'utf8')).filter((name) => !(name in six && name in seven));
  expect(missing).toEqual([]);
});
