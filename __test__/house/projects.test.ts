/** What `npm test` leaves out of a test, `npm run test:all` does. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projects } from '../../vitest.config.js';

const root = join(import.meta.dirname, '..');

const tests = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.replaceAll('\\', '/'));

/** Where a test runs, as `short 7 memory`. */
function runsOf(file: string): string[] {
  const of = projects.filter(({ test }) => test.include.includes(`__test__/${file}`));
  return of.map(({ test: { env } }) => {
    const { COUNTERSIGN_EFFORT: effort = 'quick', AI_MAJOR: major, COUNTERSIGN_LEDGER: ledger = 'memory:' } = env;
    return `${effort} ${major} ${ledger}`;
  });
}

const runs = new Map(tests.map((file) => [file, runsOf(file)]));

/** What a test imports of how much it does. */
function effortOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const [, names = ''] = /import \{([^}]*)\} from '[./]*support\/effort\.js'/.exec(text) ?? [];
  return names.split(',').map((name) => name.trim());
}

test('a test whose name no project knows', () => {
  const files = ['__test__', 'ts', 'examples', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, '..', folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  const like = files.filter((file) => /[.](?:test|spec)[.][cm]?[jt]sx?$/.test(file) && !file.includes('node_modules'));
  expect(like.length).toBeGreaterThan(100);
  expect(like.filter((file) => !file.startsWith('__test__/') || !file.endsWith('.test.ts'))).toEqual([]);
});

test('a test that no project has', () => {
  expect([...runs].filter(([, of]) => of.length === 0)).toEqual([]);
});

test('a test of a room that stands on the AI SDK that one of its versions does not see', () => {
  const rooms = ['agent', 'ai-sdk', 'gate', 'guarantees', 'interrupt', 'policy', 'resume'];
  // Those that stand on files, processes or a server alone.
  const once = /^agent\/(?:backend|execute)\.|\/g11-|^guarantees\/.*\.processes\.|\.postgres\./;
  for (const file of tests.filter((file) => rooms.includes(file.split('/')[0] as string) && !once.test(file))) {
    for (const major of ['6', '7'])
      expect
        .soft(
          runs.get(file)?.some((of) => of.includes(` ${major} `)),
          `${file} on ${major}`,
        )
        .toBe(true);
  }
});

test('a test that does a part of its cases, and nowhere all of them', () => {
  for (const [file, of] of runs) {
    if (!effortOf(file).some((name) => ['sample', 'isSample', 'isWhole'].includes(name))) continue;
    for (const run of of) {
      const [, ...where] = run.split(' ');
      const isWhole = of.some((other) =>
        ['whole', 'thorough'].some((effort) => other === [effort, ...where].join(' ')),
      );
      expect.soft(isWhole, `${file}: ${run}`).toBe(true);
    }
  }
});

test('a test that knows a greater effort, and never makes it', () => {
  for (const [file, of] of runs) {
    if (!effortOf(file).some((name) => ['effort', 'isThorough'].includes(name))) continue;
    expect
      .soft(
        of.some((run) => run.startsWith('thorough ')),
        file,
      )
      .toBe(true);
  }
});

test('a test that waits for `npm run test:all` on each version of the AI SDK and each ledger', () => {
  const isLong = (run: string) => /^(?:whole|thorough) /.test(run);
  const late = [...runs].filter(([, of]) => of.every(isLong)).map(([file]) => file);
  expect(late.filter((file) => !file.includes('.long.'))).toEqual([]);
});

test('a project that `npm test` does not run, or in two lanes', () => {
  const script = readFileSync(join(root, '../scripts/test.mjs'), 'utf8');
  const lanes = [...script.matchAll(/projects\(('[^)]*)\)/g)].map(([, names = '']) => [
    ...names.matchAll(/'(\w+)\*'/g),
  ]);
  expect(lanes.length).toBeGreaterThan(1);
  const short = projects.map(({ test }) => test.name).filter((name) => !name.startsWith('long'));
  const lanesOf = (name: string) => lanes.filter((lane) => lane.some(([, start = '']) => name.startsWith(start)));
  expect(short.filter((name) => lanesOf(name).length !== 1)).toEqual([]);
});
