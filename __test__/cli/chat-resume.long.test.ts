/** What a chat left behind is offered by the next one, and goes on in it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scratch } from '../policy/support.js';
import { call, calls, says } from '../support/model.js';
import { serve } from './chat-server.js';
import { asked, idle, stage, told } from './chat-support.js';
import { PATIENTLY } from '../runtimes.js';
import { cli, countersign } from './command.js';

const write = (path: string) => call('write_file', { file_path: path, content: 'x' }, 'call_1');

test('a run that was let go of is offered with what waits in it, and goes on with its conversation', async () => {
  const first = await stage([calls(write('a.txt'))]);
  void first.chat.submit('make a');
  await asked(first.chat);
  await first.chat.letGo();

  const { chat, folder, prompts } = await stage([says('Made.'), says('Bye.')], { folder: first.folder });
  expect(told(chat.view)).toEqual([
    expect.stringMatching(/1 run can be continued:\n {2}\/resume .*\n.*write_file a\.txt/),
  ]);
  expect(chat.complete('/resume ')).toHaveLength(1);
  const resumed = chat.submit('/resume');
  const { request } = await asked(chat);
  expect(told(chat.view).slice(1, 4)).toEqual(['user: /resume', 'user: make a', 'write_file a.txt: waits']);
  await chat.decide(request.approvalId, { type: 'approve' });
  await resumed;
  expect([chat.lastRun, existsSync(join(folder, 'a.txt'))]).toEqual(['done', true]);
  await chat.submit('bye');
  expect(prompts.at(-1)!.filter(({ role }) => role === 'user')).toHaveLength(2);
  expect(chat.complete('/resume ')).toEqual([]);
});

test('a subagent is a part of its run: what waits in it is offered with that, and /runs has one run', async () => {
  const task = call('task', { description: 'write it', subagent_type: 'general-purpose' }, 'call_0');
  const first = await stage([calls(task), calls(write('a.txt'))]);
  void first.chat.submit('have it made');
  const { request } = await asked(first.chat);
  await first.chat.decide(request.approvalId, { type: 'approve' });
  expect((await asked(first.chat)).request.toolName).toBe('write_file');
  await first.chat.letGo();

  const { chat } = await stage([], { folder: first.folder });
  expect(told(chat.view)).toEqual([
    expect.stringMatching(/^note: 1 run can be continued:\n {2}\/resume .*\n {4}waits: write_file a\.txt$/),
  ]);
  await chat.submit('/runs');
  expect(told(chat.view).at(-1)).toMatch(/^note: \S+ {2}suspended .*$/);
});

test('what was cancelled, or is over, is not offered', async () => {
  const first = await stage([says('Hello.'), calls(write('a.txt'))]);
  await first.chat.submit('hi');
  void first.chat.submit('make a');
  await asked(first.chat);
  first.chat.interrupt();
  await idle(first.chat);
  await first.chat.close();
  const { chat } = await stage([], { folder: first.folder });
  expect(told(chat.view)).toEqual([]);
  await chat.submit('/resume');
  expect(told(chat.view)).toEqual(['user: /resume', 'note: No run can be continued.']);
  await chat.submit('/resume 0123456789');
  expect(told(chat.view).at(-1)).toMatch(/There is no run that can be continued/);
});

test('to close cancels what waits', async () => {
  const { chat, folder } = await stage([calls(write('a.txt'))]);
  void chat.submit('make a');
  await asked(chat);
  await chat.close();
  const second = await stage([], { folder });
  expect(told(second.chat.view)).toEqual([]);
});

test('in memory nothing is kept, and that is no error', async () => {
  const { chat } = await stage([says('Hello.')], { gate: { ledger: 'memory:' } });
  await chat.submit('/resume');
  expect(told(chat.view)).toEqual(['user: /resume', 'note: No run can be continued.']);
});

test('what is in memory cannot be let go of: it is cancelled', async () => {
  const { chat, events } = await stage([calls(write('a.txt'))], { gate: { ledger: 'memory:' } });
  const submitted = chat.submit('make a');
  await asked(chat);
  await chat.letGo();
  await submitted;
  expect([chat.lastRun, events.at(-1)?.type]).toEqual(['cancelled', 'abort']);
});

// The terminal was closed; the process was killed.
test.each(['SIGHUP', 'SIGKILL'] as const)('%s: the next process goes on', async (signal) => {
  const turn = { calls: [['write_file', { file_path: 'a.txt', content: 'x' }]] } as const;
  const server = await serve([{ calls: [...turn.calls] as never }, 'Made.']);
  const folder = scratch();
  const args = ['--model', 'scripted', '--base-url', server.url];
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), COUNTERSIGN_LEDGER: undefined };
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  child.stdin.write('make a\n');
  await expect.poll(() => stdout, PATIENTLY).toContain('Waits for approval');
  child.kill(signal);
  await once(child, 'close');
  const next = await countersign(args, { cwd: folder, env, input: '/resume\ny\n' });
  expect([next.code, next.stderr]).toEqual([0, '']);
  expect(next.stdout).toMatch(/1 run can be continued[^]*> make a[^]*Waits for approval[^]*Made\./);
  expect(existsSync(join(folder, 'a.txt'))).toBe(true);
});
