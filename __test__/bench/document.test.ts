/** What the pages of performance say of their figures. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exec } from '../runtimes.js';

const root = join(import.meta.dirname, '../..');
const sections = readdirSync(join(root, 'docs'))
  .filter((name) => name.startsWith('performance'))
  .flatMap((name) =>
    readFileSync(join(root, 'docs', name), 'utf8')
      .split(/^## /m)
      .slice(1),
  )
  .map((text) => ({ name: /^([A-Z]\d+): /.exec(text)?.[1], text }));

test('each section of figures says at which commit they were made, and that nothing was changed beside it', () => {
  const isTold = (text: string) => /^Measured at commit [0-9a-f]{7,40}\b(?! with changes)/m.test(text);
  const untold = sections.flatMap(({ name, text }) => (name === undefined || isTold(text) ? [] : [name]));
  expect(untold).toEqual([]);
});

test('each section of figures is a measure of the benchmark, and each measure has a section', async () => {
  const { stdout, stderr } = await exec(process.execPath, [join(root, 'bench/run.mjs'), '--help']);
  const measures = /^Measures: (.*)$/m.exec(stdout)?.[1]?.split(', ');
  expect(sections.flatMap(({ name }) => name ?? []).toSorted(), stderr).toEqual(measures?.toSorted());
});
