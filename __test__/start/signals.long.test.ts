/** How `countersign demo` ends before its time: nothing runs any more, and nothing is left behind. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PATIENTLY } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { open, temporaryFolder } from './processes.js';

const CREATE = 'create hello.txt with hi';
const KEYS = 'y = run';

test.runIf(isThorough)('whoever stops reading ends it quietly', async () => {
  const run = open();
  run.child.stdin!.write(`${CREATE}\n`);
  await run.shows(KEYS);
  run.child.stdout!.destroy();
  run.child.stdin!.end('n\nlist\n');
  const { code, stderr, left } = await run.ended;
  expect({ code, stderr, left }).toEqual({ code: 0, stderr: '', left: [] });
});

test.runIf(isThorough)('SIGTERM while an approval waits: nothing runs, and the copy is removed', async () => {
  const run = open();
  run.child.stdin!.write(`${CREATE}\n`);
  await run.shows(KEYS);
  run.child.kill('SIGTERM');
  const { code, left, stdout } = await run.ended;
  expect(stdout).not.toContain(': done');
  expect({ code, left }).toEqual({ code: 143, left: [] });
});

test('SIGINT while an approval waits: the run is cancelled, nothing runs, and the copy is removed', async () => {
  const run = open();
  run.child.stdin!.write(`${CREATE}\n`);
  await run.shows(KEYS);
  run.child.kill('SIGINT');
  const { code, left, stdout } = await run.ended;
  expect(stdout).toContain('* write_file hello.txt: cancelled');
  expect(stdout).not.toContain(': done');
  expect(stdout).toContain('Nothing has changed');
  expect({ code, left }).toEqual({ code: 130, left: [] });
});

test('SIGINT while a command runs: it is killed with all that it started', async () => {
  const pidFile = path.join(temporaryFolder(), 'pid.txt');
  const run = open();
  run.child.stdin!.write(`run sleep 1000 & echo $$ > ${pidFile}; wait\ny\n`);
  await expect.poll(() => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : ''), PATIENTLY).toMatch(/\d\n/);
  run.child.kill('SIGINT');
  const { code, left, stdout } = await run.ended;
  expect({ code, left }).toEqual({ code: 130, left: [] });
  expect(stdout).not.toContain(': done');
  await expect.poll(() => livingProcesses(Number(readFileSync(pidFile, 'utf8'))), PATIENTLY).toEqual([]);
});

/** The commands of a process group that still run. A zombie does not count. */
function livingProcesses(group: number): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => new RegExp(`^\\s*${group}\\s+[^Z\\s]`).test(row));
}
