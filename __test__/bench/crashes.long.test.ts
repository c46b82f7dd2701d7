/** What becomes of the benchmark when one of its contestants really crashes, hangs, prints nonsense or answers wrongly. */
import { describe, expect, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { bench } from './bench.js';

/** Where a signal that a process sends to itself is told to others. */
describe.skipIf(process.platform === 'win32')('a contestant that fails', () => {
  test('a peer: its row says how, with its last words, and nothing else is lost', async () => {
    const { code, stdout, stderr, results } = await bench(['--only=Fine,BadPeers']);
    expect(code, stderr).toBe(0);
    const { figures, failures, unfinished } = results.BadPeers!;
    expect(unfinished).toBeUndefined();
    for (const whole of ['the base', 'ours', 'a steady peer']) expect(figures[whole]!.value).toBeGreaterThan(0);
    expect(results.Fine!.figures.ours!.value).toBeGreaterThan(0);

    const rows = {
      crashes: /^crashed \(SIGSEGV\) after \d[\d.]* (s|min)$/,
      exits: /^crashed \(exit code 3\) after \d[\d.]* (s|min)$/,
      leaves: /^ended without an answer after /,
      throwsBeside: /^crashed \(exit code 1\) after /,
      answersNonsense: /^answered nonsense: ".*soon.*"$/,
      saysNonsense: /^answered nonsense: ".*xyzzy.*"$/,
      answersWrongly: /^did not do what it was asked: the tool ran with other arguments$/,
      hangs: /^hung: no answer for 0\.001 s$/,
      spins: /^hung: no answer for 0\.001 s$/,
      absent: /^crashed \(exit code 1\) after /,
    };
    for (const [name, told] of Object.entries(rows)) {
      const { failed } = figures[name]!;
      expect(failed, name).toMatch(told);
      expect(stdout).toContain(`  ${name}: ${failed}\n`);
      // When it happens, and at the end.
      expect(stderr.split(`${name}: ${failed}\n`)).toHaveLength(3);
    }
    expect(failures.map(({ name, isPeer }) => `${name} ${isPeer}`).toSorted()).toEqual(
      Object.keys(rows)
        .map((name) => `${name} true`)
        .toSorted(),
    );
    const lastWords = Object.fromEntries(failures.map(({ name, lastLines }) => [name, lastLines.join('\n')]));
    expect(lastWords).toMatchObject({
      crashes: expect.stringContaining('# Check failed: it is over'),
      exits: 'not with me',
      throwsBeside: expect.stringContaining('out of nowhere'),
      absent: expect.stringContaining('ERR_MODULE_NOT_FOUND'),
    });
    expect(stdout).toContain('| # Check failed: it is over\n');
  });

  test.runIf(isThorough)('a peer that prints its figures: the same', async () => {
    const { code, stdout, stderr, results } = await bench(['--only=Prints']);
    expect(code, stderr).toBe(0);
    const { figures } = results.Prints!;
    expect(figures.well).toEqual({ value: 1 });
    const rows = {
      // What it had printed before counts for nothing.
      crashes: /^crashed \(SIGSEGV\) after /,
      exits: /^crashed \(exit code 3\) after /,
      'prints nonsense': /^printed nonsense: "Welcome to prints\.mjs!"$/,
      'prints something else': /^printed nonsense: /,
      'prints nothing': /^printed nonsense: ""$/,
      'does something else': /^did not do what it was asked: it was asked 42 times$/,
      hangs: /^hung: no answer for 0\.001 s$/,
      'cannot be started': /^could not be started: .*ENOENT/,
    };
    for (const [name, told] of Object.entries(rows)) {
      expect(figures[name]!.failed, name).toMatch(told);
      expect(stdout).toContain(`  ${name}: ${figures[name]!.failed}\n`);
    }
    expect(stdout).toContain('| about to crash\n');
  });

  test.runIf(isThorough)('our own: the rows that need it are lost, and it exits with 1', async () => {
    const { code, stdout, results } = await bench(['--only', 'BadOwn', '--only', 'Fine']);
    expect(code).toBe(1);
    const { figures, failures } = results.BadOwn!;
    expect(figures.ours!.failed).toMatch(/^crashed \(SIGSEGV\)/);
    expect(figures['a steady peer']!.value).toBeGreaterThan(0);
    expect(failures.map(({ name, isPeer }) => [name, isPeer])).toEqual([['ours', false]]);
    // What comes after it is measured.
    expect(results.Fine!.figures.ours!.value).toBeGreaterThan(0);
    expect(stdout).toMatch(/^ {2}ours: crashed \(SIGSEGV\)/m);
  });

  test.runIf(isThorough)(
    'what all are compared with: each row says that there is nothing to compare with, and it exits with 1',
    async () => {
      const { code, stdout, results } = await bench(['--only=BadBase']);
      expect(code).toBe(1);
      expect(results.BadBase!.figures.ours!.failed).toMatch(/^nothing to compare with: the base crashed \(SIGSEGV\)/);
      expect(stdout).toMatch(/^ {2}ours: nothing to compare with: the base crashed/m);
      expect(stdout).toMatch(/^ {2}the base: crashed/m);
    },
  );
});

test.runIf(isThorough)('a measure that fails itself loses its second half alone', async () => {
  const { code, stdout, results } = await bench(['--only=Bug,Fine']);
  expect(code).toBe(1);
  expect(results.Bug).toMatchObject({ unfinished: 'it failed', figures: { before: { value: 1 } } });
  expect(results.Bug!.failures[0]!.failed).toContain('undefined is not a benchmark');
  expect(results.Fine!.figures.ours!.value).toBeGreaterThan(0);
  expect(stdout).toContain('Bug is UNFINISHED: it failed');
});
