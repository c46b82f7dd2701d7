/** What docs/performance.md says of its figures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exec } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const document = readFileSync(join(root, 'docs/performance.md'), 'utf8');

const sections = document
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ name: /^([A-Z]\d+): /.exec(text)?.[1], text }));

test('each section of figures says at which commit they were made, and that nothing was changed beside it', () => {
  const isTold = (text: string) => /^Measured at commit [0-9a-f]{7,40}\b(?! with changes)/m.test(text);
  const untold = sections.flatMap(({ name, text }) => (name === undefined || isTold(text) ? [] : [name]));
  expect(untold).toEqual([]);
});

test('each section of figures is a measure of the benchmark, and each measure has a section', async () => {
  const { stdout, stderr } = await exec(process.execPath, [join(root, 'bench/run.mjs'), '--help']);
  const measures = /^Measures: (.*)$/m.exec(stdout)?.[1]?.split(', ');
  expect(
    sections.flatMap(({ name }) => name ?? []),
    stderr,
  ).toEqual(measures);
});
