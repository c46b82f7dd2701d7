/** What the benchmark can be told, and what it says of what it does not know. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { bench, folder, start } from './bench.js';

const OPTIONS = ['--only', '--quick', '--json', '--out', '--show', '--no-build', '--node', '--help'];

test.each([
  [['--only=fine', '--only=fine,Fine'], ['Fine']],
  ...(isThorough
    ? [
        [['--only=fine,BUG'], ['Fine', 'Bug']],
        [
          ['--only', 'Bug', '--only', 'fine'],
          ['Fine', 'Bug'],
        ],
      ]
    : []),
] as [string[], string[]][])('%j measures %j, each once, in their order', async (args, names) => {
  const { results } = await bench(args);
  expect(Object.keys(results)).toEqual(names);
});

test.each([['--only=P9'], ['--only=Tiny,P9'], ['--only=']])(
  '%s: what there is, and nothing is measured',
  async (only) => {
    const { code, stdout, stderr, results } = await bench([only]);
    expect({ code, stdout, results }).toEqual({ code: 2, stdout: '', results: {} });
    expect(stderr).toMatch(/there is no measure ".*"; there are Tiny, Fine, BadPeers, Prints, /);
  },
);

describe('an option that makes no sense', () => {
  test.each([
    [['--fast'], "Unknown option '--fast'"],
    [['P1'], "Unexpected argument 'P1'"],
    ...(isThorough
      ? [
          [['-q'], "Unknown option '-q'"],
          [['--quick=yes'], "Option '--quick' does not take an argument"],
          [['--only'], "Option '--only <value>' argument missing"],
        ]
      : []),
  ] as [string[], string][])('%j: what exists', async (args, told) => {
    const { code, stdout, stderr } = await start(args).done;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(told);
    for (const option of OPTIONS) expect(stderr).toContain(`\n  ${option}`);
    expect(stderr).not.toContain('    at ');
  });

  test('twice what can be once', async () => {
    const { code, stderr } = await start(['--out=a', '--out=b']).done;
    expect(code).toBe(2);
    expect(stderr).toContain('--out may stand once');
  });

  test('--show of no file', async () => {
    const { code, stderr } = await start(['--show', join(folder(), 'absent.json')]).done;
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be read: ENOENT');
  });
});

test('--help says what there is', async () => {
  const { code, stdout } = await start(['--help']).done;
  expect(code).toBe(0);
  expect(stdout).toContain('Measures: Tiny, Fine, BadPeers, ');
  for (const option of OPTIONS) expect(stdout).toContain(`\n  ${option}`);
});
