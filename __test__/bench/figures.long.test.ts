/** Figures are in a file as they come, and say how they were made. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { bench, folder, readResults, start } from './bench.js';

const root = join(import.meta.dirname, '../..');

test('each measure says with which commit, where and when it was made, and the table does too', async () => {
  const { stdout, stderr, results, file } = await bench(['--only=Tiny,Bug', '--quick']);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isCheckout = existsSync(join(root, '.git'));
  const commit = isCheckout ? git('rev-parse', 'HEAD') : 'unknown';
  for (const name of ['Tiny', 'Bug']) {
    const { made } = results[name]!;
    expect(made).toMatchObject({
      commit,
      changes: expect.any(Boolean),
      quick: true,
      machine: { cpu: cpus()[0]!.model.trim(), cores: cpus().length, platform: `${process.platform}-${process.arch}` },
      load: { begin: expect.any(Number), end: expect.any(Number) },
      versions: { node: process.versions.node, 'some-peer': '1.2.3' },
    });
    expect(Date.now() - Date.parse(made.begun)).toBeGreaterThanOrEqual(0);
    const line = stdout.split('\n').find((text) => text.includes('Measured at commit'));
    expect(line).toContain(
      `commit ${commit.slice(0, 10)}${made.changes ? ' with changes' : ''} on ${cpus().length} cores`,
    );
    expect(line).toContain(`Node ${process.versions.node}`);
    expect(line).toContain(made.begun.slice(0, 10));
  }
  expect(stdout.match(/Measured at commit/g)).toHaveLength(2);
  expect(stdout).toContain('some-peer 1.2.3');
  expect(stdout.match(/QUICK/g)).toHaveLength(2);
  // Where they are is said before anything is measured.
  expect(stderr.split('\n')[0]).toContain(file);
  // Nothing is left beside the file.
  expect(readdirSync(dirname(file))).toEqual(['figures.json']);
});

test('without a file of its own choice they are below .build/bench', async () => {
  const running = start(['--only=Endless']);
  await running.said('the second part begins');
  running.child.kill('SIGTERM');
  const { stderr } = await running.done;
  const [, path] = /the figures are written to (.*) as they come/.exec(stderr)!;
  onTestFinished(() => rmSync(path!));
  expect(path).toMatch(/[/\\]\.build[/\\]bench[/\\]\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.json$/);
  expect(readResults(path!).Endless).toBeDefined();
});

test('--json prints what is in the file, and nothing else', async () => {
  const { stdout, results } = await bench(['--only=Tiny', '--json']);
  expect(JSON.parse(stdout)).toEqual(results);
});

test('--show prints the table of such a file', async () => {
  const { stdout, file } = await bench(['--only=Tiny']);
  const shown = await start(['--show', file]).done;
  expect(shown).toMatchObject({ code: 0, stdout });
});

test('what is in the named file is kept, until it is measured again', async () => {
  const file = join(folder(), 'figures.json');
  await start(['--out', file, '--only=Tiny']).done;
  const before = readResults(file);
  const { stdout } = await start(['--out', file, '--only=Bug']).done;
  const after = readResults(file);
  expect(Object.keys(after)).toEqual(['Tiny', 'Bug']);
  expect(after.Tiny).toEqual(before.Tiny);
  expect(stdout).toMatch(/^Tiny$[\s\S]*^Bug$/m);
});

test('a file with something else in it is not touched', async () => {
  const file = join(folder(), 'notes.json');
  writeFileSync(file, '{"notes":"mine"}');
  const { code, stderr } = await start(['--out', file, '--only=Tiny']).done;
  expect(code).toBe(2);
  expect(stderr).toContain('holds no figures of this benchmark');
  expect(readFileSync(file, 'utf8')).toBe('{"notes":"mine"}');
});

// On Windows a process cannot be asked to end.
describe.skipIf(process.platform === 'win32')('interrupted', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`${signal}: the part under way is lost, the table of the rest is printed, and nothing runs on`, async () => {
      const place = folder();
      const [file, pid] = [join(place, 'figures.json'), join(place, 'pid')];
      const running = start(['--out', file, '--only=Tiny,Endless,Bug'], { env: { PID_FILE: pid } });
      await running.said('the second part begins');
      // Its contestant has begun.
      while (!existsSync(pid) || readFileSync(pid, 'utf8') === '') await sleep(20);
      // It is in the file already.
      expect(readResults(file).Endless).toMatchObject({ figures: { 'the first part': { value: 1 } } });
      running.child.kill(signal);
      const { stdout, stderr, ...end } = await running.done;
      expect(end, stderr).toEqual({ code, signal: null });
      expect(stderr).toContain(`interrupted (${signal})`);
      expect(stderr).toContain('cleaned up');
      const results = readResults(file);
      expect(Object.keys(results)).toEqual(['Tiny', 'Endless']);
      expect(results.Tiny!.unfinished).toBeUndefined();
      // An interruption is not the crash of a contestant.
      expect(results.Endless).toMatchObject({ unfinished: 'the first part is the last of it', failures: [] });
      expect(stdout).toMatch(/^Tiny$[\s\S]*^ {2}a figure .*[\s\S]*^Endless$[\s\S]*^ {2}the first part .*/m);
      expect(stdout).toContain('Endless is UNFINISHED: the first part is the last of it');
      expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH');
    });
  }

  test.runIf(isThorough)('the whole group, as a terminal does it, while one program is measured', async () => {
    const file = join(folder(), 'figures.json');
    const running = start(['--out', file, '--only=EndlessPrint'], { detached: true });
    await running.said('the second part begins');
    process.kill(-running.child.pid!, 'SIGINT');
    const { code, stdout } = await running.done;
    expect(code).toBe(130);
    expect(readResults(file).EndlessPrint).toMatchObject({ failures: [] });
    expect(stdout).toContain('the first part');
  });

  test.runIf(isThorough)('killed: the file is whole', async () => {
    const file = join(folder(), 'figures.json');
    const running = start(['--out', file, '--only=Tiny,Endless']);
    await running.said('the second part begins');
    running.child.kill('SIGKILL');
    await running.done;
    expect(Object.keys(readResults(file))).toEqual(['Tiny', 'Endless']);
    const { code, stdout } = await start(['--show', file]).done;
    expect(code).toBe(0);
    expect(stdout).toContain('the first part');
  });
});
