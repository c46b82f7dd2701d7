/** A folder that somebody else filled: its files run nothing without an approval here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isOfProject } from '../../ts/cli/own-ledger.js';
import { scratch } from '../policy/support.js';
import { isThorough } from '../support/effort.js';
import { serve } from './chat-server.js';
import { PATIENTLY } from '../runtimes.js';
import { cli, countersign as apart, quickly } from './command.js';

const countersign = isThorough ? apart : quickly;

const at = (home: string) => ({ HOME: home, XDG_CONFIG_HOME: join(home, 'config'), COUNTERSIGN_LEDGER: undefined });

test.each([
  [posix, '/w/p', '/w/p/.countersign/ledger.db', true],
  [posix, '/w/p', '/w/p/a/b.db', true],
  [posix, '/w/p', '/w/q/b.db', false],
  [posix, '/w/p', '/w/p/.git/b.db', false],
  [win32, 'C:\\w\\p', 'C:\\w\\p\\.countersign\\ledger.db', true],
  [win32, 'C:\\w\\p', 'C:\\w\\q\\b.db', false],
  [win32, 'C:\\w\\p', 'D:\\w\\p\\b.db', false],
  [win32, 'C:\\w\\p', '\\\\server\\share\\b.db', false],
])('which ledgers lie in the project: %#', (path, project, file, expected) => {
  expect(isOfProject(project, file, path)).toBe(expected);
});

test('a ledger that came with it, with an approval of theirs', async () => {
  const server = await serve([{ calls: [['execute', { command: 'echo ran > ran.txt' }]] }, 'Made.']);
  const args = ['--model', 'scripted', '--base-url', server.url];
  const [folder, theirs, ours] = [scratch(), scratch(), scratch()];
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { ...process.env, ...at(theirs) } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stdin.write('go\n');
  await expect.poll(() => stdout, PATIENTLY).toContain('Waits for approval');
  child.kill('SIGKILL');
  await once(child, 'close');
  const { approvalId } = JSON.parse((await countersign(['pending', '--json'], { cwd: folder })).stdout) as {
    approvalId: string;
  };
  // Commands that look at it, or decide in it, say whose it may be; not to its maker.
  const pending = (home: string) => countersign(['pending'], { cwd: folder, env: at(home) });
  expect(await pending(ours)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^countersign: the ledger .*ledger\.db was not made here by you: .*of others\.\n$/,
    ) as string,
  });
  expect(await pending(theirs)).toMatchObject({ code: 0, stderr: '' });
  expect((await countersign(['approve', approvalId], { cwd: folder })).code).toBe(0);

  const taken = await countersign(args, { cwd: folder, env: at(ours), input: '/resume\n' });
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ERR_LEDGER_OWNER.*--ledger sqlite:/) as string,
  });
  expect(existsSync(join(folder, 'ran.txt'))).toBe(false);

  // Its maker goes on as before.
  const own = await countersign(args, { cwd: folder, env: at(theirs), input: '/resume\n' });
  expect(own).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.not.stringContaining('Waits for approval') as string,
  });
  expect(existsSync(join(folder, 'ran.txt'))).toBe(true);
  // A user who names it has looked at it.
  const named = [...args, '--ledger', `sqlite:${join(folder, '.countersign/ledger.db')}`];
  expect(await countersign(named, { cwd: folder, env: at(ours), input: '/runs\n' })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test.each(['ledger.db', ...(isThorough ? ['.countersign/ledger.db'] : [])])(
  'a link to %s of another place',
  async (ledger) => {
    const server = await serve([]);
    const [folder, home, elsewhere] = [scratch(), scratch(), scratch()];
    mkdirSync(join(folder, '.countersign'));
    writeFileSync(join(folder, '.countersign/config.toml'), `ledger = "sqlite:../${ledger}"\n`);
    symlinkSync(join(elsewhere, 'made.db'), join(folder, ledger));
    const args = ['--model', 'scripted', '--base-url', server.url];
    const run = await countersign(args, { cwd: folder, env: at(home), input: '/runs\n' });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('ERR_LEDGER_OWNER') as string });
    expect(existsSync(join(elsewhere, 'made.db'))).toBe(false);
  },
);

test.skipIf(process.platform === 'win32').each([
  ['a folder that is a link to another place', 'sqlite:link/x.db'],
  ["git's own folder", 'sqlite:../.git/hooks/pre-commit'],
])('a ledger in %s', async (_, ledger) => {
  const server = await serve([]);
  const [folder, home, elsewhere] = [scratch(), scratch(), scratch()];
  mkdirSync(join(folder, '.countersign'));
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  symlinkSync(elsewhere, join(folder, '.countersign/link'));
  writeFileSync(join(folder, '.countersign/config.toml'), `ledger = "${ledger}"\n`);
  const args = ['--model', 'scripted', '--base-url', server.url];
  const run = await countersign(args, { cwd: folder, env: at(home), input: '/runs\n' });
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('ERR_LEDGER_OWNER') as string });
  expect([...readdirSync(elsewhere), ...readdirSync(join(folder, '.git/hooks'))]).toEqual([]);
});

test.skipIf(process.platform === 'win32').each([
  ['settings', 'config.toml', /ERR_CONFIG_FILE.*more than 1048576 bytes/, 2],
  ['a policy', 'strict.toml', /ERR_POLICY_FILE.*more than 1048576 bytes/, 1],
])('%s that never end', async (_, name, message, code) => {
  const server = await serve([]);
  const [folder, home] = [scratch(), scratch()];
  mkdirSync(join(folder, '.countersign'));
  writeFileSync(join(folder, '.countersign/config.toml'), 'policy = "strict.toml"\n');
  rmSync(join(folder, '.countersign', name), { force: true });
  symlinkSync('/dev/zero', join(folder, '.countersign', name));
  const args = ['--model', 'scripted', '--base-url', server.url];
  const run = await countersign([...args, '--prompt', 'x'], { cwd: folder, env: at(home) });
  expect(run).toMatchObject({ code, stderr: expect.stringMatching(message) as string });
});
