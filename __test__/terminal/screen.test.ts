/** The screen over a chat that does what it is told: what is drawn, and which keys ask for what. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ChatView } from '../../ts/cli/chat/view.js';
import { runtimes } from '../runtimes.js';
import { approval, buildFake, entry, questions, startFake, type Fake, type Script } from './fake.js';
import { KEYS, matchesScreen, type TerminalOptions } from './terminal.js';

beforeAll(buildFake);

function start(
  view: Partial<ChatView>,
  options: TerminalOptions & { runtime?: string } = {},
  more: Partial<Script> = {},
): Fake {
  const fake = startFake({ view, ...more }, options);
  onTestFinished(() => fake.close());
  return fake;
}

/** With one call that waits, as soon as keys are taken. */
async function asking(
  ask = approval('execute', { command: 'rm -rf build' }),
  options: TerminalOptions = {},
): Promise<Fake> {
  const fake = start({ isBusy: true, asks: [ask] }, options);
  await fake.terminal.waitFor('? help');
  return fake;
}

/** What was decided, once something was. */
async function decided(fake: Fake): Promise<unknown[]> {
  const find = (): unknown[] | undefined => fake.calls().find(([name]) => name !== 'close');
  await fake.terminal.waitUntil(() => find() !== undefined, 'a decision');
  return find()!;
}

const LONG = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
/** As long as a model may talk, in lines that are all there afterwards. */
const TALK = Array.from({ length: 400 }, (_, line) => `line ${line}, of which no word is lost`).join('\n');

/** What a session may look like. */
const SESSION: Partial<ChatView> = {
  isBusy: true,
  entries: [
    entry({
      kind: 'user',
      text: 'write hello.txt, and remove what the build left behind; ask me before you push anything',
    }),
    entry({ kind: 'text', text: 'I look around first.\n\n- the sources\n- 日本語.txt' }),
    entry({
      kind: 'tool',
      toolCallId: '1',
      toolName: 'execute',
      title: 'ls',
      status: 'succeeded',
      detail: 'build\nsrc',
    }),
    entry({
      kind: 'tool',
      toolCallId: '2',
      toolName: 'execute',
      title: 'git push',
      status: 'denied',
      detail: 'a policy denies it',
    }),
    entry({ kind: 'note', level: 'warning', text: 'Auto-approve stays off: a policy forbids it' }),
    entry({
      kind: 'tool',
      toolCallId: '3',
      toolName: 'write_file',
      title: 'hello.txt',
      status: 'waits',
      detail: '',
      isDone: false,
    }),
    entry({
      kind: 'tool',
      toolCallId: '4',
      toolName: 'grep',
      title: 'TODO',
      status: 'runs',
      detail: '',
      isDone: false,
      origin: ['main', 'task:1', 'researcher'],
    }),
  ],
  todos: [
    { content: 'Look around', status: 'completed' },
    { content: 'Write hello.txt', status: 'in_progress' },
    { content: 'Clean up', status: 'pending' },
  ],
  subagents: [{ name: 'researcher', task: 'find what is still to be done', origin: ['main', 'task:1', 'researcher'] }],
  asks: [
    approval(
      'write_file',
      { file_path: 'hello.txt', content: 'hello\nworld\n' },
      { expiresAt: 7_530_000 },
      {
        index: 2,
        of: 3,
        from: 'researcher',
        why: 'rule 2 of .countersign/policy.toml, line 12: files outside of src are asked about',
        warnings: ['it has characters that turn the direction of text'],
      },
    ),
    approval('execute', { command: 'rm -rf build' }),
  ],
};

describe('what is seen', () => {
  test.each([
    [60, 30],
    [80, 30],
    [120, 34],
  ])('a session, %i columns wide', async (columns, rows) => {
    const { terminal } = start(SESSION, { columns, rows });
    const screen = await terminal.waitFor('? help');
    matchesScreen(`session-${columns}`, screen);
  });

  test('without emoji and without colour, where the terminal has neither', async () => {
    const { terminal } = start(SESSION, { rows: 30, env: { LANG: 'C', NO_COLOR: '1' } });
    const screen = await terminal.waitFor('? help');
    expect(screen).toMatch(/^[ -~\n]*$/);
    // oxlint-disable-next-line no-control-regex -- colours
    expect(terminal.raw).not.toMatch(/\u001b\[[0-9;]*m/);
    matchesScreen('session-ascii', screen);
  });

  test('without emoji where they are not wanted', async () => {
    const { terminal } = start({}, {}, { emoji: false });
    await terminal.waitFor('[safe] Safe mode');
  });

  test('in CI as everywhere', async () => {
    const { terminal } = start({}, { env: { CI: 'true' } });
    await terminal.waitFor('Safe mode');
  });

  test('time that is left, and it runs', async () => {
    const { terminal } = start({ asks: [approval('execute', { command: 'ls' }, { expiresAt: 90_000 })] });
    await terminal.waitFor('1m 29s left');
    await terminal.waitFor('1m 28s left');
  });

  test('each finished entry once, however often the screen changes', async () => {
    const { terminal } = start({ entries: [entry({ kind: 'text', text: 'only once' })] });
    await terminal.waitFor('only once');
    for (const line of ['one', 'two', 'three']) {
      terminal.type(`${line}\r`);
      await terminal.waitFor(`you said: ${line}`);
    }
    expect(terminal.all().match(/only once/g)).toHaveLength(1);
    expect(terminal.all().match(/you said/g)).toHaveLength(3);
  });

  test('a text that comes is longer than the screen: its end is seen, and whole when it is done', async () => {
    const text = { kind: 'text', text: TALK, id: 1 };
    const { terminal } = start(
      { isBusy: true, entries: [entry({ ...text, isDone: false })] },
      {},
      {
        on: { done: { isBusy: false, entries: [entry(text)] } },
      },
    );
    const live = await terminal.waitFor('line 399');
    expect(live).not.toContain('line 10,');
    expect(terminal.all()).not.toContain('line 10,');
    terminal.type('done\r');
    await terminal.waitFor('what is to be done');
    expect(terminal.all().match(/^line \d+, of which no word is lost$/gm)).toHaveLength(400);
  });
});

describe('a call that waits', () => {
  test.each([
    ['y', { type: 'approve' }],
    ['Y', { type: 'approve' }],
    ['n', { type: 'reject' }],
    ['N', { type: 'reject' }],
    ['escape', { type: 'reject' }],
  ])('%s', async (key, decision) => {
    const fake = await asking();
    fake.terminal.press(key);
    expect(await decided(fake)).toEqual(['decide', expect.any(String), decision]);
  });

  test('A turns Auto-approve on', async () => {
    const fake = await asking();
    fake.terminal.press('A');
    expect(await decided(fake)).toEqual(['approveAll']);
    await fake.terminal.waitFor('🟢 Auto-approve');
  });

  test.each([
    ['the file is wrong', 'the file is wrong'],
    [' no, it must not', 'no, it must not'],
    ['yes, but not now', 'yes, but not now'],
  ])('%j is the reason of a rejection', async (typed, reason) => {
    const fake = await asking();
    fake.terminal.type(typed);
    await fake.terminal.waitFor(`because: ${reason}`);
    expect(fake.calls()).toEqual([]);
    fake.terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'reject', reason }]);
  });

  test('a reason is typed key by key, and given up with Esc', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('x');
    await terminal.waitFor('because: x');
    terminal.press('y');
    await terminal.waitFor('because: xy');
    terminal.press('escape');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
  });

  test('what is pasted is a reason, also when it is the letter of a key', async () => {
    const fake = await asking();
    fake.terminal.paste('y');
    await fake.terminal.waitFor('because: y');
    expect(fake.calls()).toEqual([]);
  });

  test.each(['yy', 'y\r', 'yA', '\u001b[Ay', 'yn'])('%j, which came together, approves nothing', async (typed) => {
    const fake = await asking();
    const before = fake.terminal.screen();
    fake.terminal.type(typed);
    await fake.terminal.waitFor((screen) => screen !== before, 'something else');
    expect(fake.calls().filter(([, , decision]) => (decision as { type?: string })?.type === 'approve')).toEqual([]);
    expect(fake.calls().filter(([name]) => name === 'approveAll')).toEqual([]);
  });

  test('Enter alone decides nothing', async () => {
    const fake = await asking();
    fake.terminal.press('enter');
    await fake.terminal.waitFor('Enter decides nothing');
    expect(fake.calls()).toEqual([]);
  });

  test('keys before it was seen approve nothing, and what is being written goes on', async () => {
    const ask = approval('execute', { command: 'rm -rf build' });
    const fake = start({}, {}, { on: { go: { isBusy: true, asks: [ask] } } });
    const { terminal } = fake;
    await terminal.waitFor('what is to be done');
    // All at once: the prompt, and an answer to what nobody has seen.
    terminal.type(`go${KEYS.enter}${KEYS.down}y`);
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([['submit', 'go']]);
    terminal.press('y');
    await terminal.waitFor('answered');
    expect(fake.calls()[1]).toEqual(['decide', ask.request.approvalId, { type: 'approve' }]);
  });

  test('s says what it would allow, and does it on y only', async () => {
    const ask = approval(
      'execute',
      { command: 'git status' },
      {},
      {
        always: { label: 'commands that begin with `git status`', also: ['in this folder'] },
      },
    );
    const fake = await asking(ask);
    const { terminal } = fake;
    terminal.press('s');
    const screen = await terminal.waitFor('y allow all of this');
    expect(screen).toContain('commands that begin with `git status`');
    expect(screen).toContain('- in this folder');
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    terminal.press('s');
    await terminal.waitFor('y allow all of this');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['always', ask.request.approvalId, 'session']);
  });

  test('r gives the model a result', async () => {
    const fake = await asking();
    fake.terminal.press('r');
    await fake.terminal.waitFor('the result is:');
    fake.terminal.type('there is no such folder');
    await fake.terminal.waitFor('no such folder');
    fake.terminal.press('enter');
    expect(await decided(fake)).toEqual([
      'decide',
      expect.any(String),
      { type: 'respond', output: 'there is no such folder' },
    ]);
  });

  test('keys that are not allowed are not offered, nor taken', async () => {
    const ask = approval('execute', { command: 'ls' }, { allowedDecisions: ['reject'] }, { always: null });
    const fake = await asking(ask);
    const { terminal } = fake;
    expect(terminal.screen()).not.toMatch(/y approve|e edit|r respond|· s always|A approve all/);
    for (const key of ['y', 'e', 'r', 's', 'A']) {
      terminal.press(key);
      await terminal.waitFor(`${key} is not possible here`);
    }
    expect(fake.calls()).toEqual([]);
  });

  test('? has the keys, d has all of it, to scroll through', async () => {
    const fake = await asking(approval('write_file', { file_path: 'a', content: LONG }), { rows: 20 });
    const { terminal } = fake;
    const screen = terminal.screen();
    expect(screen.split('\n').length).toBeLessThan(20);
    expect(screen).toContain('file_path: a');
    expect(screen).toContain('line 59');
    expect(screen).toMatch(/… \d+ more lines: d shows all/);
    terminal.press('?');
    await terminal.waitFor('Ctrl+C  Once');
    terminal.press('escape');
    await terminal.waitFor('? help');
    terminal.press('d');
    await terminal.waitFor('lines 1 to 16');
    terminal.press('j');
    await terminal.waitFor('lines 2 to 17');
    terminal.press('k');
    await terminal.waitFor('lines 1 to 16');
    terminal.press(' ');
    await terminal.waitFor('lines 17 to 32');
    // Here they mean nothing.
    terminal.press('y');
    terminal.press('G');
    await terminal.waitFor(/lines \d+ to (\d+) of \1 /);
    terminal.press('escape');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
  });

  test('in a window that is too small to show it nothing is approved', async () => {
    const fake = start({ asks: [approval('write_file', { file_path: 'a', content: LONG })] }, { columns: 40, rows: 7 });
    const { terminal } = fake;
    await terminal.waitFor('too small');
    terminal.press('y');
    await terminal.waitFor('y is not possible here');
    terminal.resize(80, 24);
    await terminal.waitFor('y approve');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('one after the other, and none is lost', async () => {
    const asks = ['a', 'b', 'c'].map((name, at) =>
      approval('write_file', { file_path: name }, {}, { index: at + 1, of: 3 }),
    );
    const fake = start({ isBusy: true, asks });
    const { terminal } = fake;
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      await terminal.waitFor(`Tool ${at + 1} of 3`);
      await terminal.waitFor(`${3 - at} waiting`);
      await terminal.waitFor('? help');
      expect(terminal.screen()).toContain(`file_path: ${name}`);
      terminal.press(at === 1 ? 'n' : 'y');
      await terminal.waitFor(`answered ${asks[at]!.request.approvalId}`);
    }
    expect(fake.calls().map(([, id, decision]) => [id, (decision as { type: string }).type])).toEqual([
      [asks[0]!.request.approvalId, 'approve'],
      [asks[1]!.request.approvalId, 'reject'],
      [asks[2]!.request.approvalId, 'approve'],
    ]);
  });
});

describe('other arguments', () => {
  /** An editor that puts something else into the file. */
  function editor(script: string): Record<string, string> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-editor-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'editor');
    writeFileSync(file, `#!/bin/sh\n${script.replaceAll('$FOLDER', folder)}\n`);
    chmodSync(file, 0o700);
    return { EDITOR: file, FOLDER: folder };
  }

  test('in the editor, and they are shown before they run', async () => {
    const env = editor(`stat -c %a "$1" > $FOLDER/mode; cat "$1" > $FOLDER/was; printf '{"command":"ls"}' > "$1"`);
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    terminal.press('e');
    const screen = await terminal.waitFor('y run it like this');
    expect(screen).toContain('command: ls');
    expect(readFileSync(join(env['FOLDER']!, 'mode'), 'utf8').trim()).toBe('600');
    expect(JSON.parse(readFileSync(join(env['FOLDER']!, 'was'), 'utf8'))).toEqual({ command: 'rm -rf build' });
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    terminal.press('e');
    await terminal.waitFor('y run it like this');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'edit', args: { command: 'ls' } }]);
  });

  test('the editor has the keyboard meanwhile, and Ctrl+C is its own', async () => {
    const env = editor(
      `trap 'echo trapped' INT; echo in the editor; until read line; do :; done; echo "$line" > $FOLDER/line; exit 1`,
    );
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    terminal.press('e');
    await terminal.waitFor('in the editor');
    terminal.press('ctrlC');
    await terminal.waitFor('trapped');
    terminal.type('y\n');
    await terminal.waitFor('not edited: the editor');
    await terminal.waitFor('? help');
    expect(readFileSync(join(env['FOLDER']!, 'line'), 'utf8')).toBe('y\n');
    expect(fake.calls()).toEqual([]);
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('in the line below, where there is no editor', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('e');
    await terminal.waitFor('"command": "rm -rf build"');
    terminal.press('enter');
    await terminal.waitFor('nothing was changed');
    terminal.press('e');
    await terminal.waitFor('Enter shows it once more');
    terminal.press('ctrlU');
    terminal.press('up');
    terminal.press('ctrlE');
    await terminal.waitForNo('}');
    terminal.press('enter');
    await terminal.waitFor('that is no JSON');
    expect(fake.calls()).toEqual([]);
  });
});

describe('questions', () => {
  const asked = questions([
    {
      kind: 'multiple_choice',
      header: 'language',
      question: 'Which language should the greeting be in?',
      options: [{ label: 'English', description: 'as it is now' }, { label: 'German' }],
    },
    {
      kind: 'multi_select',
      question: 'Which files?',
      options: [{ label: 'a.ts' }, { label: 'b.ts' }],
      required: false,
    },
    { kind: 'text', question: 'What for?' },
  ]);

  async function start3(): Promise<Fake> {
    const fake = start({ isBusy: true, asks: [asked] }, { columns: 60 });
    await fake.terminal.waitFor('Esc does not answer');
    return fake;
  }

  test('one at a time: with the arrows, with space, with words', async () => {
    const fake = await start3();
    const { terminal } = fake;
    matchesScreen('question-60', terminal.screen());
    terminal.press('down');
    await terminal.waitFor('❯ 2. German');
    terminal.press('enter');
    await terminal.waitFor('2 of 3');
    terminal.press(' ');
    await terminal.waitFor('◉ 1. a.ts');
    terminal.press('2');
    await terminal.waitFor('◉ 2. b.ts');
    terminal.press(' ');
    await terminal.waitFor('○ 2. b.ts');
    terminal.press('enter');
    await terminal.waitFor('3 of 3');
    terminal.press('enter');
    await terminal.waitFor('this one must be answered');
    terminal.paste('two\nlines');
    await terminal.waitFor('lines');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), ['German', ['a.ts'], 'two\nlines']]);
  });

  test('other words than the options have', async () => {
    const fake = await start3();
    const { terminal } = fake;
    terminal.type('Français');
    await terminal.waitFor('something else: Français');
    terminal.press('enter');
    await terminal.waitFor('2 of 3');
    terminal.press('enter');
    await terminal.waitFor('3 of 3');
    terminal.type('fun');
    await terminal.waitFor('› fun');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), ['Français', null, 'fun']]);
  });

  test('"something else" needs words, and Esc answers none', async () => {
    const fake = await start3();
    const { terminal } = fake;
    terminal.press('3');
    await terminal.waitFor('❯ 3. something else:');
    terminal.press('enter');
    await terminal.waitFor('must be answered');
    terminal.press('escape');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), null]);
  });
});

describe('the prompt', () => {
  async function prompt(options: TerminalOptions = {}): Promise<Fake> {
    const fake = start({}, options);
    await fake.terminal.waitFor('what is to be done');
    return fake;
  }

  test('wide characters, several lines, and the cursor where they are', async () => {
    const fake = await prompt({ columns: 60 });
    const { terminal } = fake;
    terminal.type('日本語 🟢 word');
    await terminal.waitFor('word');
    await terminal.waitUntil(() => terminal.cursor.x === 2 + 6 + 1 + 2 + 1 + 4, 'the cursor behind it');
    terminal.paste('\n  two');
    await terminal.waitFor('    two');
    terminal.press('up');
    terminal.press('ctrlA');
    terminal.press('right');
    terminal.press('backspace');
    await terminal.waitForNo('日');
    await terminal.waitUntil(() => terminal.cursor.x === 2, 'the cursor at the beginning');
    terminal.press('enter');
    await terminal.waitFor('you said');
    expect(fake.calls()).toEqual([['submit', '本語 🟢 word\n  two']]);
  });

  test('what was entered before comes back', async () => {
    const { terminal } = await prompt();
    for (const line of ['one', 'two']) {
      terminal.type(`${line}\r`);
      await terminal.waitFor(`you said: ${line}`);
    }
    terminal.type('three');
    await terminal.waitFor('› three');
    terminal.press('up');
    await terminal.waitFor('› two');
    terminal.press('up');
    await terminal.waitFor('› one');
    terminal.press('down');
    terminal.press('down');
    await terminal.waitFor('› three');
  });

  test('commands are listed, and Tab completes', async () => {
    const { terminal } = await prompt();
    terminal.type('/p');
    const screen = await terminal.waitFor('which policies hold');
    expect(screen).toContain('/pending');
    expect(screen).not.toContain('/quit');
    terminal.type('o');
    terminal.press('tab');
    await terminal.waitFor('› /policy');
  });

  test('Ctrl+C empties it, Ctrl+D leaves when it is empty', async () => {
    const fake = await prompt();
    const { terminal } = fake;
    terminal.type('something');
    await terminal.waitFor('› something');
    terminal.press('ctrlC');
    await terminal.waitFor('what is to be done');
    terminal.press('ctrlD');
    expect(await terminal.ended()).toBe(0);
    expect(fake.calls()).toEqual([['close']]);
  });
});

describe('the end', () => {
  test('Ctrl+C cancels what goes on, and then leaves', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('ctrlC');
    await terminal.waitFor('what is to be done');
    terminal.press('ctrlC');
    expect(await terminal.ended()).toBe(0);
    expect(fake.calls()).toEqual([['interrupt'], ['interrupt'], ['close']]);
  });

  test('nothing of it stays but what was said', async () => {
    const { terminal } = start({ entries: [entry({ kind: 'text', text: 'this stays' })] });
    await terminal.waitFor('Safe mode');
    terminal.press('ctrlD');
    await terminal.ended();
    await terminal.waitFor('the end');
    expect(terminal.all()).toBe('this stays\n\nthe end');
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s: the terminal is given back', async (signal) => {
    const { terminal } = await asking();
    process.kill(terminal.pid, signal);
    await terminal.ended();
    expect(terminal.raw).toContain('\u001b[?2004l\u001b[?25h');
  });
});

test('a crash gives the terminal back, and is told', async () => {
  const { terminal } = start({});
  await terminal.waitFor('what is to be done');
  terminal.type('crash\r');
  expect(await terminal.ended()).not.toBe(0);
  await terminal.waitFor('the program crashed');
  expect(terminal.raw).toContain('\u001b[?2004l\u001b[?25h');
});

describe('another size', () => {
  test('nothing is left of the old one, and nothing is lost', async () => {
    const { terminal } = start(SESSION, { columns: 100, rows: 40 });
    await terminal.waitFor('? help');
    for (const [columns, rows] of [
      [60, 40],
      [120, 30],
      [50, 24],
      [80, 40],
    ] as const) {
      terminal.resize(columns, rows);
      const ruled = (screen: string): boolean =>
        screen.split('\n').some((line) => line.startsWith('──') && [...line].length === columns - 1);
      const screen = await terminal.waitFor((seen) => ruled(seen) && seen.includes('? help'), `${columns} columns`);
      expect(screen.match(/Tool 2 of 3/g), screen).toHaveLength(1);
      expect(screen.match(/Safe mode/g), screen).toHaveLength(1);
      expect(screen.split('\n').length).toBeLessThanOrEqual(rows);
    }
    expect(terminal.screen()).toContain('› write hello.txt, and remove');
    // What has scrolled out of the terminal is not ours to clear.
    expect(terminal.raw).not.toContain('\u001b[3J');
  });
});

test.each(runtimes())('on $name: a decision, the editor, a prompt, the end', async ({ path }) => {
  const [first, second] = [approval('execute', { command: 'one' }), approval('execute', { command: 'two' })];
  const editor = `sh -c 'echo in the editor; read line; printf "{\\"command\\":\\"$line\\"}" > "$0"'`;
  const fake = start({ isBusy: true, asks: [first, second] }, { runtime: path, env: { EDITOR: editor } });
  const { terminal } = fake;
  await terminal.waitFor('? help');
  terminal.press('y');
  await terminal.waitFor((screen) => screen.includes('command: two') && screen.includes('? help'), 'the second');
  terminal.press('e');
  await terminal.waitFor('in the editor');
  terminal.type('typed there\n');
  await terminal.waitFor('y run it like this');
  terminal.press('y');
  await terminal.waitFor(`answered ${second.request.approvalId}`);
  terminal.type('hello\r');
  await terminal.waitFor('you said: hello');
  terminal.press('ctrlC');
  terminal.press('ctrlC');
  expect(await terminal.ended()).toBe(0);
  expect(fake.calls().slice(0, 3)).toEqual([
    ['decide', first.request.approvalId, { type: 'approve' }],
    ['decide', second.request.approvalId, { type: 'edit', args: { command: 'typed there' } }],
    ['submit', 'hello'],
  ]);
});
