/** The reader of the output stops: the command still finishes, and its exit code stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createGate } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { environment, PATIENTLY } from '../runtimes.js';
import { isWhole } from '../support/effort.js';
import { Terminal } from '../terminal/terminal.js';
import { serve } from './chat-server.js';
import { cli, quickly } from './command.js';

/** How much of what it says is read: nothing, as the pipe is closed before it begins, or the first of it. */
type Read = 'nothing' | 'something' | 'all';
type Heard = Record<'stdout' | 'stderr', Read>;

const WAYS: Heard[] = [
  { stdout: 'nothing', stderr: 'all' },
  { stdout: 'something', stderr: 'all' },
  { stdout: 'all', stderr: 'nothing' },
  { stdout: 'nothing', stderr: 'nothing' },
];
/** Where one way after the other is tried with the same: `npm test` has the half of them. */
const SOME_WAYS = isWhole ? WAYS : WAYS.filter((_, index) => index % 2 === 1);

/** @returns the exit code; `null` after a signal */
async function ended(args: readonly string[], cwd: string, heard: Heard, input = ''): Promise<number | null> {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: environment({ HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config'), NO_COLOR: '1' }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for (const name of ['stdout', 'stderr'] as const) {
    const output = child[name];
    if (heard[name] === 'nothing') output.destroy();
    else if (heard[name] === 'something') output.once('data', () => output.destroy());
    else output.resume();
  }
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** A folder with a policy that denies, one with faults, and a ledger with `waiting` open requests. */
async function place(waiting: number) {
  const root = scratch();
  writeFileSync(join(root, 'deny.toml'), 'version = 1\n[[rule]]\neffect = "deny"\ncommands = ["rm"]\nreason = "no"\n');
  writeFileSync(join(root, 'faulty.toml'), 'version = 1\n[[rule]]\neffect = "alow"\ntools = ["x"]\n');
  const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
  const gate = createGate({ ledger });
  onTestFinished(() => gate.close());
  for (let n = 0; n < waiting; n++)
    gate.request({ toolName: 'delete_file', args: { path: `${n}.txt` } }).catch(() => {});
  await expect.poll(async () => (await gate.pending()).length, PATIENTLY).toBe(waiting);
  const ids = (await gate.pending()).map(({ approvalId }) => approvalId);
  return { root, ledger, gate, ids };
}

test('what a policy says of a call is the exit code all the same, however little is read', async () => {
  const { root, ledger } = await place(1);
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config'), NO_COLOR: '1' };
  const read = (args: readonly string[]) => quickly(args, { cwd: root, env });
  const { stdout: exported } = await read(['audit', 'export', '-l', ledger]);
  writeFileSync(join(root, 'damaged.jsonl'), exported.replace(/delete_file/, 'delete_fils'));
  const commands: [number, string[]][] = [
    [4, ['policy', 'check', '-p', 'deny.toml', 'rm -rf /']],
    [4, ['policy', 'check', '-p', 'deny.toml', 'rm -rf /', '--json']],
    [4, ['policy', 'explain', '-p', 'deny.toml', 'rm -rf /']],
    [1, ['policy', 'lint', 'faulty.toml']],
    [1, ['audit', 'verify', '--file', 'damaged.jsonl']],
    [4, ['show', '-l', ledger, '00000000-0000-7000-8000-000000000000']],
    [2, ['policy', 'check']],
    [2, ['nosuchcommand']],
    [0, ['pending', '-l', ledger]],
    [0, ['audit', 'export', '-l', ledger]],
  ];
  for (const [index, [code, args]] of commands.entries()) {
    expect([args, (await read(args)).code]).toEqual([args, code]);
    // In `npm test` every second command in one way, and each way with one of them.
    const tried = isWhole ? WAYS : WAYS.filter((_, way) => index % 2 === 0 && way === (index / 2) % WAYS.length);
    for (const heard of tried) expect([args, heard, await ended(args, root, heard)]).toEqual([args, heard, code]);
  }
});

test.each(SOME_WAYS)('each request is decided, however little is read of it: %o', async (heard) => {
  const { root, ledger, gate, ids } = await place(3);
  expect(await ended(['reject', '-l', ledger, ...ids, '--reason', 'no'], root, heard)).toBe(0);
  for (const id of ids) expect((await gate.get(id))?.status).toBe('rejected');
  // Once more it is an error, which is told or not.
  expect(await ended(['approve', '-l', ledger, ...ids], root, heard)).toBe(5);
});

test('answers that nobody reads are no success, and a batch ends where it is not read', async () => {
  const { root } = await place(0);
  const lines = '{"toolName":"execute","args":{"command":"ls"}}\n'.repeat(2_000);
  const heard: Heard = { stdout: 'nothing', stderr: 'all' };
  expect(await ended(['preview', '--batch'], root, heard, lines)).toBe(141);
  expect(await ended(['policy', 'check', '--batch'], root, heard, lines)).toBe(141);
  expect(await ended(['preview', '--batch'], root, { ...heard, stdout: 'all' }, lines)).toBe(0);
});

test('watch on a pipe ends when nobody reads it', async () => {
  const { root, ledger, gate } = await place(1);
  const end = ended(['watch', '-l', ledger], root, { stdout: 'something', stderr: 'all' });
  // It learns of the end of the pipe when it writes the next time, whenever the reader left.
  const isOver = end.then(() => true);
  let next = 1;
  while (!(await Promise.race([isOver, delay(100, false)])))
    gate.request({ toolName: 'delete_file', args: { path: `${next++}.txt` } }).catch(() => {});
  expect(await end).toBe(141);
});

test.runIf(isWhole)('the chat: a question that nobody can have read is answered by nobody', async () => {
  const { root } = await place(0);
  const call = { calls: [['write_file', { file_path: 'a.txt', content: 'x' }]] as [string, object][] };
  const { url } = await serve([call, 'Done.', call, 'Done.', call, 'Done.']);
  const chat = ['--model', 'scripted', '--base-url', url];
  const heard: Heard = { stdout: 'nothing', stderr: 'all' };
  expect(await ended([...chat, '--prompt', 'make it'], root, heard)).toBe(3);
  // Its answer was piped before it was asked.
  expect(await ended(chat, root, heard, 'make it\ny\n')).toBe(3);
  expect(() => readFileSync(join(root, 'a.txt'))).toThrow('ENOENT');
  // What needs no answer is done.
  expect(await ended([...chat, '--auto', '--prompt', 'make it'], root, heard)).toBe(0);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('x');
});

test('the chat with its output redirected asks where the human looks', async () => {
  const { root } = await place(0);
  const call = { calls: [['write_file', { file_path: 'a.txt', content: 'x' }]] as [string, object][] };
  const { url } = await serve([call, 'Done.']);
  const terminal = new Terminal(
    'sh',
    ['-c', 'exec "$0" "$@" > log.txt', process.execPath, cli, '--model', 'scripted', '--base-url', url],
    { cwd: root, rows: 40, env: { HOME: root } },
  );
  onTestFinished(() => terminal.close());
  await expect.poll(() => readFileSync(join(root, 'log.txt'), 'utf8'), PATIENTLY).toContain('/help lists commands');
  terminal.type('make it\r');
  await terminal.waitFor('other text rejects');
  expect(terminal.all()).toContain('a.txt');
  terminal.type('y\r');
  await expect.poll(() => readFileSync(join(root, 'log.txt'), 'utf8'), PATIENTLY).toContain('Done.');
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('x');
  terminal.type('/quit\r');
  expect(await terminal.ended()).toBe(0);
});
