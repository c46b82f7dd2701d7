/**
 * Files of tests share a process and its modules: what a module beside them asks to be done after "all" or "each" would be done
 * for the first file that imports it alone.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projects } from '../../vitest.config.js';

const root = join(import.meta.dirname, '..');
/** It names the files that each file of tests begins with. */
const config = readFileSync(join(root, '../vitest.config.ts'), 'utf8');

test('only files of tests have hooks at their top level', () => {
  const helpers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.m?ts$/.test(file) && !file.endsWith('.test.ts') && !config.includes(file),
  );
  const found = helpers.filter((file) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

test('each file leaves the environment to the next one as it found it', () => {
  for (const { test: project } of projects) {
    expect(project.setupFiles, project.name).toContain('__test__/support/own-environment.ts');
  }
});
