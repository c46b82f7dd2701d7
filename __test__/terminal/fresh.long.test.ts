/** Without any configured rules: what only looks runs unasked, and the first lines say so. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../cli/chat-server.js';
import { scratch } from '../policy/support.js';
import { startChat, withModel } from './chat.js';

withModel();

test('in a fresh folder reads run unasked, and writes ask', async () => {
  const server = await serve([
    { calls: [['execute', { command: 'ls -la' }]] },
    { calls: [['execute', { command: 'touch b.txt' }]] },
    'Done.',
  ]);
  const chat = await startChat({ args: ['--base-url', server.url], env: { XDG_CONFIG_HOME: scratch() } });
  const first = chat.terminal.all();
  expect(first).toMatch(/countersign \d+\.\d+\.\d+\S*: an agent in this folder that asks you before it acts/);
  expect(first).toContain('Read-only calls run without asking (preset:read-only)');
  expect(first).toContain('Try: ');
  chat.say('go');
  const screen = await chat.asks('touch b.txt');
  expect(screen).toContain('✓ execute ls -la');
  await chat.terminal.reject();
  await chat.idle();
  expect(chat.file('b.txt')).toBeUndefined();
  chat.say('/policy');
  await chat.terminal.waitFor('Policy: preset:read-only');
  expect(chat.terminal.all()).toMatch(/The project's policy: .*\.toml\s+\(it\s+does\s+not\s+exist\)/s);
});

test('where a policy is there, it says what asks', async () => {
  const server = await serve([{ calls: [['execute', { command: 'ls -la' }]] }, 'Done.']);
  const chat = await startChat({
    args: ['--base-url', server.url, '--policy', 'p.toml'],
    files: { 'p.toml': 'version = 1\n' },
  });
  rmSync(join(chat.folder, '.config'), { recursive: true });
  writeFileSync(join(chat.folder, 'x'), '');
  expect(chat.terminal.all()).not.toContain('read-only');
  chat.say('go');
  await chat.asks('ls -la');
  await chat.terminal.reject();
  await chat.idle();
});
