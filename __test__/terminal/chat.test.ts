/** The real program in a real terminal, with the embedded model behind HTTP: files are really written. */
import { existsSync, mkdtempSync, realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../runtimes.js';
import { normal, startChat, withModel, type Chat } from './chat.js';
import { asciiJson, foreign, HOSTILE, isOurs } from './hostile.js';
import { matchesScreen } from './terminal.js';

withModel();

/** The line that says what became of a call. */
const call = (chat: Chat, title: string): string =>
  chat.terminal
    .all()
    .split('\n')
    .find((line) => line.includes(title) && /^[✓✗⊘○◐–]/.test(line)) ?? '';

test('it starts in Safe mode', async () => {
  const { terminal } = await startChat();
  expect(terminal.screen()).toContain('🔴 Safe mode · countersign-demo');
});

describe('a file that is to be written', () => {
  test.each([60, 80, 120])('is asked about, with what would change in it, %i columns wide', async (columns) => {
    const chat = await startChat({ columns, files: { 'a.txt': 'one\ntwo\nthree\n' } });
    chat.say('change two to zwei in a.txt');
    const screen = await chat.asks('a.txt');
    expect(screen).toContain('│ - two');
    expect(screen).toContain('│ + zwei');
    expect(chat.file('a.txt')).toBe('one\ntwo\nthree\n');
    matchesScreen(`asks-${columns}`, normal(screen, chat));
  });

  test('Y writes it', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('Y');
    await chat.idle();
    expect(chat.file('hello.txt')).toBe('hi');
    expect(call(chat, 'hello.txt')).toMatch(/^✓ write_file/);
    expect(chat.terminal.all()).toContain('Created hello.txt.');
  });

  test('N does not, and the model is told', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('N');
    await chat.idle();
    expect(chat.file('hello.txt')).toBeUndefined();
    expect(call(chat, 'hello.txt')).toMatch(/^⊘ write_file hello.txt · did not run/);
    expect(chat.terminal.all()).toContain('You rejected creating hello.txt');
  });

  test('a reason reaches the model', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.type('wrong folder');
    await chat.terminal.waitFor('because: wrong folder');
    chat.terminal.press('enter');
    await chat.idle();
    expect(chat.file('hello.txt')).toBeUndefined();
    // The model says why.
    expect(chat.terminal.all()).toMatch(/You rejected creating hello.txt: .*wrong folder/);
  });

  test('Esc does not write it', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('escape');
    await chat.idle();
    expect(chat.file('hello.txt')).toBeUndefined();
    expect(call(chat, 'hello.txt')).toContain('did not run');
  });

  test('other content, as it was edited and shown', async () => {
    const chat = await startChat({
      files: { editor: '#!/bin/sh\nsed -i s/hi/servus/ "$1"\n' },
      env: { VISUAL: 'sh ./editor' },
    });
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('e');
    const screen = await chat.terminal.waitFor('y run it like this');
    expect(screen).toContain('servus');
    chat.terminal.press('y');
    await chat.idle();
    expect(chat.file('hello.txt')).toBe('servus');
  });

  test("a result of one's own instead", async () => {
    const chat = await startChat();
    chat.say('call execute {"command":"date"}');
    await chat.asks('execute');
    chat.terminal.press('r');
    await chat.terminal.waitFor('the result is:');
    chat.terminal.type('it is noon');
    await chat.terminal.waitFor('noon');
    chat.terminal.press('enter');
    await chat.idle();
    expect(call(chat, 'date')).toContain('did not run');
    expect(chat.terminal.all()).toContain('answered instead: it is noon');
    // The model says what it got.
    expect(chat.terminal.all()).toContain('calling execute: it is noon');
  });
});

describe('Auto-approve', () => {
  test('/approve turns it on and off, with both messages', async () => {
    const chat = await startChat();
    chat.say('/approve');
    await chat.terminal.waitFor('🟢 Auto-approve: what would be asked about runs at once');
    await chat.terminal.waitFor('🟢 Auto-approve · ');
    chat.say('create hello.txt with hi');
    await chat.terminal.waitFor('Created hello.txt.');
    expect(chat.file('hello.txt')).toBe('hi');
    chat.say('/approve');
    await chat.terminal.waitFor('🔴 Safe mode: what is dangerous is asked about');
    await chat.terminal.waitFor('🔴 Safe mode · ');
    chat.say('create other.txt with hi');
    await chat.asks('other.txt');
    expect(chat.file('other.txt')).toBeUndefined();
  });

  test('A approves what waits and turns it on', async () => {
    const chat = await startChat();
    chat.say('create a.txt with 1 and create b.txt with 2');
    await chat.asks('Tool 1 of 2');
    chat.terminal.press('A');
    await chat.idle();
    expect([chat.file('a.txt'), chat.file('b.txt')]).toEqual(['1', '2']);
    expect(chat.terminal.screen()).toContain('🟢 Auto-approve · ');
    chat.say('create c.txt with 3');
    await chat.terminal.waitFor('Created c.txt.');
    expect(chat.file('c.txt')).toBe('3');
  });

  test('never what a policy denies', async () => {
    const policy =
      'version = 1\n[[rule]]\ntools = "execute"\neffect = "deny"\ncommands = ["git push"]\nreason = "nothing is pushed"\n';
    const chat = await startChat({ files: { 'deny.toml': policy }, args: ['--policy', 'deny.toml', '--auto'] });
    expect(chat.terminal.screen()).toContain('🟢 Auto-approve');
    chat.say('run git push');
    await chat.terminal.waitFor('did not run');
    await chat.idle();
    expect(chat.terminal.all()).toContain('nothing is pushed');
  });
});

test('a rule that looks at the arguments: only what is outside of /tmp is asked about', async () => {
  const policy = 'version = 1\n[[rule]]\ntools = "write_file"\neffect = "allow"\nwrites = "/tmp/**"\n';
  const folder = realpathSync(mkdtempSync('/tmp/cs-'));
  const chat = await startChat({ folder, args: ['--policy', 'tmp.toml'], files: { 'tmp.toml': policy } });
  chat.say('create inside.txt with 1');
  await chat.terminal.waitFor('Created inside.txt.');
  expect(chat.file('inside.txt')).toBe('1');
  chat.say('create /var/tmp/countersign-outside.txt with 1');
  await chat.asks('/var/tmp/countersign-outside.txt');
  chat.terminal.press('n');
  await chat.idle();
  expect(existsSync('/var/tmp/countersign-outside.txt')).toBe(false);
});

describe('several at once', () => {
  test('three are asked about one after the other, and each gets its own answer', async () => {
    const chat = await startChat();
    chat.say('create a.txt with 1 and create b.txt with 2 and create c.txt with 3');
    for (const [at, name] of ['a.txt', 'b.txt', 'c.txt'].entries()) {
      const screen = await chat.asks(`Tool ${at + 1} of 3`);
      expect(screen).toContain(`file_path: ${name}`);
      expect(screen).toContain(`${3 - at} waiting`);
      chat.terminal.press(name === 'b.txt' ? 'n' : 'y');
    }
    await chat.idle();
    expect(['a.txt', 'b.txt', 'c.txt'].map(chat.file)).toEqual(['1', undefined, '3']);
  });

  test('subagents: their calls are asked about with where they come from', async () => {
    const chat = await startChat();
    chat.say('delegate create notes.md with "# Notes" to general-purpose');
    const screen = await chat.asks('notes.md');
    expect(screen).toMatch(/from .*general-purpose/);
    matchesScreen('subagent-80', normal(screen, chat));
    chat.terminal.press('y');
    await chat.idle();
    expect(chat.file('notes.md')).toBe('# Notes');
  });
});

describe('Ctrl+C', () => {
  test('once: what waits is cancelled, and it takes prompts again', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('ctrlC');
    await chat.idle();
    expect(chat.file('hello.txt')).toBeUndefined();
    expect(call(chat, 'hello.txt')).toMatch(/cancelled|did not run/);
    chat.say('create other.txt with hi');
    await chat.asks('other.txt');
  });

  test('twice: it ends', async () => {
    const chat = await startChat();
    chat.say('create hello.txt with hi');
    await chat.asks('hello.txt');
    chat.terminal.press('ctrlC');
    await chat.idle();
    chat.terminal.press('ctrlC');
    expect(await chat.terminal.ended()).toBe(0);
    expect(chat.file('hello.txt')).toBeUndefined();
  });

  test('a command that runs is ended', async () => {
    const chat = await startChat();
    chat.say('run sleep 600; touch late.txt');
    await chat.asks('sleep');
    chat.terminal.press('y');
    await chat.terminal.waitFor('◐ execute');
    chat.terminal.press('ctrlC');
    await chat.idle();
    expect(chat.file('late.txt')).toBeUndefined();
  });
});

test('questions of the model are answered', async () => {
  const chat = await startChat();
  chat.say('ask me which language: English, German or French; what for (optional)');
  await chat.terminal.waitFor('Esc does not answer');
  chat.terminal.press('down');
  await chat.terminal.waitFor('❯ 2. German');
  chat.terminal.press('enter');
  await chat.terminal.waitFor('2 of 2');
  chat.terminal.press('enter');
  const screen = await chat.idle();
  expect(screen).toContain('A: German');
  expect(screen).not.toContain('no longer waits');
});

test('s: what is like it is not asked about again, once it has said what that is', async () => {
  const chat = await startChat({ files: { 'a.txt': 'a' } });
  chat.say('run wc -c a.txt');
  const screen = await chat.asks('wc');
  expect(screen).toContain('s always');
  chat.terminal.press('s');
  const offer = await chat.terminal.waitFor('y allow all of this');
  expect(offer).toMatch(/wc/);
  chat.terminal.press('y');
  await chat.idle();
  chat.say('run wc -c a.txt');
  await chat.terminal.waitFor((seen) => seen.split('Ran `wc -c a.txt`').length === 3, 'the second run');
});

test('what waits when the terminal goes away is offered, and continued', async () => {
  const first = await startChat();
  first.say('create hello.txt with hi');
  await first.asks('hello.txt');
  process.kill(first.terminal.pid, 'SIGHUP');
  await first.terminal.ended();
  const chat = await startChat({ folder: first.folder });
  expect(chat.terminal.screen()).toContain('/resume');
  chat.terminal.type('/resume ');
  chat.terminal.press('tab');
  await chat.terminal.waitFor(/› \/resume \S+/);
  chat.terminal.press('enter');
  await chat.asks('hello.txt');
  chat.terminal.press('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
});

test('another size while it asks', async () => {
  const chat = await startChat({ columns: 100, rows: 30 });
  chat.say('create hello.txt with hi');
  await chat.asks('hello.txt');
  chat.terminal.resize(60, 20);
  const narrow = (screen: string): boolean =>
    screen.split('\n').some((line) => /^── write_file ─+$/.test(line) && line.length === 59);
  const screen = await chat.terminal.waitFor((seen) => narrow(seen) && seen.includes('? help'), '60 columns');
  expect(screen.match(/^── write_file/gm)).toHaveLength(1);
  chat.terminal.press('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
});

test('lines instead of a screen on a terminal that can do nothing', async () => {
  const chat = await startChat({ env: { TERM: 'dumb' } }, 'Safe mode');
  expect(chat.terminal.raw).not.toContain('\u001b[?25l');
  chat.say('create hello.txt with hi');
  // An answer counts from when it is said what may be answered.
  await chat.terminal.waitFor('y yes, n no');
  chat.say('y');
  await chat.terminal.waitFor('Created hello.txt.');
  expect(chat.file('hello.txt')).toBe('hi');
});

test('hostile arguments of a model are shown for what they are', { timeout: 120_000 }, async () => {
  const chat = await startChat();
  for (const [what, command, shown] of HOSTILE) {
    chat.terminal.raw = '';
    chat.say(`call execute ${asciiJson({ command })}`);
    const screen = await chat.asks('execute');
    expect(screen, what).toMatch(shown);
    isOurs(chat.terminal, what);
    chat.terminal.press('n');
    await chat.idle();
    expect(foreign(chat.terminal.raw), what).toEqual([]);
  }
});

test('on Bun', async (context) => {
  const bun = runtimes().find(({ kind }) => kind === 'bun');
  if (bun === undefined) return context.skip('there is no Bun on this machine');
  const chat = await startChat({ runtime: bun.path });
  chat.say('create hello.txt with hi');
  await chat.asks('hello.txt');
  chat.terminal.press('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
  chat.say('/quit');
  expect(await chat.terminal.ended()).toBe(0);
});
