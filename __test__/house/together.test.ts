/** Programs that share a process (`together.ts`) come to the end that they would have in one of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { together } from '../together.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-together-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return file;
}

/** What it says last comes long after its module was loaded. */
const later = program('later', `setTimeout(() => console.log('later'), 30);`);

test.each([
  ['what would keep it alive', `setInterval(() => {}, 1_000); setTimeout(() => process.exit(3), 1);`],
  ['nothing left', `process.exit(3);`],
])('a program that came after one that left with %s was over before it was done', async (name, text) => {
  const leaving = program(name.replaceAll(' ', '-'), text);
  // At once, and one after the other.
  const [left, ...others] = await Promise.all([leaving, later, later].map((file) => together(file, [])));
  expect(left).toMatchObject({ code: 3, stdout: '' });
  for (const one of [...others, await together(later, [])]) expect(one).toMatchObject({ code: 0, stdout: 'later\n' });
});
