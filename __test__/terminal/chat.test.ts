/** The real program in a real terminal, with the embedded model behind HTTP: files are really written. */
import { existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { anyChat, normal, startChat, withModel, type Chat } from './chat.js';
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
  const { terminal } = await anyChat();
  expect(terminal.screen()).toContain('🟢 Safe mode · countersign-demo');
});

describe('a file that is to be written', () => {
  test.each(isThorough ? [60, 80, 120] : [80])(
    'is asked about, with what would change in it, %i columns wide',
    async (columns) => {
      const chat = await startChat({ columns, files: { 'a.txt': 'one\ntwo\nthree\n' } });
      chat.say('change two to zwei in a.txt');
      const screen = await chat.asks('a.txt');
      expect(screen).toContain('│ - two');
      expect(screen).toContain('│ + zwei');
      expect(chat.file('a.txt')).toBe('one\ntwo\nthree\n');
      matchesScreen(`asks-${columns}`, normal(screen, chat));
    },
  );

  test('Y writes it', async () => {
    const chat = await anyChat();
    chat.say('create yes.txt with hi');
    await chat.asks('yes.txt');
    await chat.terminal.take('Y');
    await chat.idle();
    expect(chat.file('yes.txt')).toBe('hi');
    expect(call(chat, 'yes.txt')).toMatch(/^✓ write_file/);
    expect(chat.terminal.all()).toContain('Created yes.txt.');
  });

  test('N does not, and the model is told', async () => {
    const chat = await anyChat();
    chat.say('create no.txt with hi');
    await chat.asks('no.txt');
    await chat.terminal.reject('', 'N');
    await chat.idle();
    expect(chat.file('no.txt')).toBeUndefined();
    expect(call(chat, 'no.txt')).toMatch(/^⊘ write_file no.txt · did not run/);
    expect(chat.terminal.all()).toContain('You rejected creating no.txt');
  });

  test.runIf(isThorough)('a reason reaches the model', async () => {
    const chat = await anyChat();
    chat.say('create why.txt with hi');
    await chat.asks('why.txt');
    chat.terminal.type('wrong folder');
    await chat.terminal.waitFor('› wrong folder');
    chat.terminal.press('enter');
    await chat.idle();
    expect(chat.file('why.txt')).toBeUndefined();
    // The model says why.
    expect(chat.terminal.all()).toMatch(/You rejected creating why.txt: .*wrong folder/);
  });

  test.runIf(isThorough)('other content, as it was edited and shown', async () => {
    const chat = await anyChat();
    chat.say('create edited.txt with hi');
    await chat.asks('edited.txt');
    await chat.terminal.take('e');
    const screen = await chat.terminal.waitFor('Yes, run it like this');
    expect(screen).toContain('servus');
    await chat.terminal.take('y');
    await chat.idle();
    expect(chat.file('edited.txt')).toBe('servus');
  });

  test.runIf(isThorough)("a result of one's own instead", async () => {
    const chat = await anyChat();
    chat.say('call execute {"command":"date"}');
    await chat.asks('execute');
    await chat.terminal.take('r');
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
  test('/approve on and off, with both messages, and no other word', async () => {
    const chat = await anyChat();
    chat.say('/approve sometimes');
    await chat.terminal.waitFor('Use /approve on or /approve off');
    chat.say('/approve off');
    await chat.terminal.waitFor('🟢 Safe mode: commands and changes that no rule allows need approval');
    chat.say('/approve');
    await chat.terminal.waitFor('Auto-approve is off');
    chat.say('/approve on');
    await chat.terminal.waitFor('🟠 Auto-approve: calls that need approval run at once');
    await chat.terminal.waitFor('🟠 Auto-approve · ');
    chat.say('create auto.txt with hi');
    await chat.terminal.waitFor('Created auto.txt.');
    expect(chat.file('auto.txt')).toBe('hi');
    chat.say('/approve off');
    await chat.terminal.waitFor('🟢 Safe mode · ');
    chat.say('create safe.txt with hi');
    await chat.asks('safe.txt');
    expect(chat.file('safe.txt')).toBeUndefined();
    await chat.terminal.reject();
    await chat.idle();
  });

  test.runIf(isThorough)('A approves what waits and turns it on', async () => {
    const chat = await anyChat();
    chat.say('create all-a.txt with 1 and create all-b.txt with 2');
    await chat.asks('Tool 1 of 2');
    await chat.terminal.take('A');
    await chat.terminal.waitFor('Enter chooses · Esc goes back');
    await chat.terminal.take('y');
    await chat.idle();
    expect([chat.file('all-a.txt'), chat.file('all-b.txt')]).toEqual(['1', '2']);
    expect(chat.terminal.screen()).toContain('🟠 Auto-approve · ');
    chat.say('create all-c.txt with 3');
    await chat.terminal.waitFor('Created all-c.txt.');
    expect(chat.file('all-c.txt')).toBe('3');
    chat.say('/approve off');
    await chat.terminal.waitFor('🟢 Safe mode · ');
  });

  test.runIf(isThorough)('never what a policy denies', async () => {
    const policy =
      'version = 1\n[[rule]]\ntools = "execute"\neffect = "deny"\ncommands = ["git push"]\nreason = "nothing is pushed"\n';
    const chat = await startChat({ files: { 'deny.toml': policy }, args: ['--policy', 'deny.toml', '--auto'] });
    expect(chat.terminal.screen()).toContain('🟠 Auto-approve');
    chat.say('run git push');
    await chat.terminal.waitFor('did not run');
    await chat.idle();
    expect(chat.terminal.all()).toContain('nothing is pushed');
  });
});

test.runIf(isThorough)('a rule that looks at the arguments: only what is outside of /tmp is asked about', async () => {
  const policy = 'version = 1\n[[rule]]\ntools = "write_file"\neffect = "allow"\nwrites = "/tmp/**"\n';
  const folder = realpathSync(mkdtempSync('/tmp/cs-'));
  const chat = await startChat({ folder, args: ['--policy', 'tmp.toml'], files: { 'tmp.toml': policy } });
  chat.say('create inside.txt with 1');
  await chat.terminal.waitFor('Created inside.txt.');
  expect(chat.file('inside.txt')).toBe('1');
  chat.say('create /var/tmp/countersign-outside.txt with 1');
  await chat.asks('/var/tmp/countersign-outside.txt');
  await chat.terminal.reject();
  await chat.idle();
  expect(existsSync('/var/tmp/countersign-outside.txt')).toBe(false);
});

describe('several at once', () => {
  test.runIf(isThorough)('three are asked about one after the other, and each gets its own answer', async () => {
    const chat = await anyChat();
    chat.say('create a.txt with 1 and create b.txt with 2 and create c.txt with 3');
    for (const [at, name] of ['a.txt', 'b.txt', 'c.txt'].entries()) {
      const screen = await chat.asks(`Tool ${at + 1} of 3`);
      expect(screen).toContain(`file_path: ${name}`);
      if (name === 'b.txt') await chat.terminal.reject();
      else await chat.terminal.take('y');
    }
    await chat.idle();
    expect(['a.txt', 'b.txt', 'c.txt'].map(chat.file)).toEqual(['1', undefined, '3']);
  });

  test.runIf(isThorough)('subagents: their calls are asked about with where they come from', async () => {
    const chat = await startChat();
    chat.say('delegate create notes.md with "# Notes" to general-purpose');
    const screen = await chat.asks('notes.md');
    expect(screen).toMatch(/from .*general-purpose/);
    matchesScreen('subagent-80', normal(screen, chat));
    await chat.terminal.take('y');
    await chat.idle();
    expect(chat.file('notes.md')).toBe('# Notes');
  });
});

describe('Ctrl+C', () => {
  test.runIf(isThorough)('once: what waits is cancelled, and it takes prompts again', async () => {
    const chat = await anyChat();
    chat.say('create gone.txt with hi');
    await chat.asks('gone.txt');
    chat.terminal.press('ctrlC');
    await chat.idle();
    expect(chat.file('gone.txt')).toBeUndefined();
    expect(call(chat, 'gone.txt')).toMatch(/cancelled|did not run/);
    chat.say('create other.txt with hi');
    await chat.asks('other.txt');
    await chat.terminal.reject();
    await chat.idle();
  });

  // As screen.test.ts and start/terminal.test.ts have it.
  test.runIf(isThorough)('twice: it ends', async () => {
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
    const chat = await anyChat();
    chat.say('run sleep 600; touch late.txt');
    await chat.asks('sleep');
    await chat.terminal.take('y');
    await chat.terminal.waitFor('◐ execute');
    chat.terminal.press('ctrlC');
    await chat.idle();
    expect(chat.file('late.txt')).toBeUndefined();
  });
});

test('questions of the model are answered', async () => {
  const chat = await anyChat();
  chat.say('ask me which language: English, German or French; what for (optional)');
  await chat.terminal.waitFor('Esc twice answers none');
  chat.terminal.press('down');
  await chat.terminal.waitFor('❯ 2. German');
  chat.terminal.press('enter');
  await chat.terminal.waitFor(/2 of 2[^]*Enter answers/);
  // Enter alone counts once the question has been there for a second.
  const screen = await chat.terminal.pressUntil('enter', 'A: German');
  expect(screen).toContain('A: German');
  expect(screen).not.toContain('no longer waits');
});

test('s: what is like it is not asked about again, once it has said what that is', async () => {
  const chat = await anyChat();
  writeFileSync(join(chat.folder, 'like.txt'), 'a');
  chat.say('run wc -c like.txt');
  const screen = await chat.asks('wc');
  expect(screen).toContain('Yes, and always');
  await chat.terminal.take('s');
  const offer = await chat.terminal.waitFor('No, back');
  expect(offer).toMatch(/wc/);
  await chat.terminal.take('y');
  await chat.idle();
  chat.say('run wc -c like.txt');
  await chat.terminal.waitFor((seen) => seen.split('Ran `wc -c like.txt`').length === 3, 'the second run');
});

test.runIf(isThorough)('what waits when the terminal goes away is offered, and continued', async () => {
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
  await chat.terminal.take('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
});

// As screen.test.ts has it.
test.runIf(isThorough)('another size while it asks', async () => {
  const chat = await startChat({ columns: 100, rows: 30 });
  chat.say('create hello.txt with hi');
  await chat.asks('hello.txt');
  chat.terminal.resize(60, 20);
  const narrow = (screen: string): boolean =>
    screen.split('\n').some((line) => /^── write_file ─+$/.test(line) && line.length === 59);
  const screen = await chat.terminal.waitFor((seen) => narrow(seen) && seen.includes('? help'), '60 columns');
  expect(screen.match(/^── write_file/gm)).toHaveLength(1);
  await chat.terminal.take('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
});

// As chat-plain.long.test.ts has it.
test.runIf(isThorough)('lines instead of a screen on a terminal that can do nothing', async () => {
  const chat = await startChat({ env: { TERM: 'dumb' } }, 'Safe mode');
  expect(chat.terminal.raw).not.toContain('\u001b[?25l');
  chat.say('create hello.txt with hi');
  // An answer counts from when it is said what may be answered.
  await chat.terminal.waitFor('y = run');
  chat.say('y');
  await chat.terminal.waitFor('Created hello.txt.');
  expect(chat.file('hello.txt')).toBe('hi');
});

test.runIf(isThorough)('hostile arguments of a model are shown for what they are', async () => {
  const chat = await anyChat();
  for (const [what, command, shown] of isThorough ? HOSTILE : HOSTILE.slice(0, 2)) {
    chat.terminal.raw = '';
    chat.say(`call execute ${asciiJson({ command })}`);
    const screen = await chat.asks('execute');
    expect(screen, what).toMatch(shown);
    isOurs(chat.terminal, what);
    await chat.terminal.reject();
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
  await chat.terminal.take('y');
  await chat.idle();
  expect(chat.file('hello.txt')).toBe('hi');
  chat.say('/quit');
  expect(await chat.terminal.ended()).toBe(0);
});
