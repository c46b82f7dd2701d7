/**
 * Files of tests share a process and its modules: what a module beside them asks to be done after "all" or "each" would be done
 * for the first file that imports it alone.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

test('only files of tests have hooks at their top level', () => {
  const helpers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.m?ts$/.test(file) && !file.endsWith('.test.ts') && !file.endsWith('postgres-ledgers.ts'),
  );
  const found = helpers.filter((file) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(found).toEqual([]);
});
