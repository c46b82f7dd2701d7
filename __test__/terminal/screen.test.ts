/** The screen over a chat that does what it is told: what is drawn, and how it is left. */
import { describe, expect, test } from 'vitest';
import type { ChatView } from '../../ts/cli/chat/view.js';
import { runtimes } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { approval, entry, withFake } from './fake.js';
import { asking, start } from './stage.js';
import { matchesScreen } from './terminal.js';

withFake();

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
    [80, 30],
    ...(isThorough
      ? [
          [60, 30],
          [120, 34],
        ]
      : []),
  ] as [number, number][])('a session, %i columns wide', async (columns, rows) => {
    const { terminal } = start(SESSION, { columns, rows });
    const screen = await terminal.waitFor('? help');
    matchesScreen(`session-${columns}`, screen);
  });

  test.runIf(isThorough)('without emoji and without colour, where the terminal has neither', async () => {
    const { terminal } = start(SESSION, { rows: 30, env: { LANG: 'C', NO_COLOR: '1' } });
    const screen = await terminal.waitFor('? help');
    expect(screen).toMatch(/^[ -~\n]*$/);
    // oxlint-disable-next-line no-control-regex -- colours
    expect(terminal.raw).not.toMatch(/\u001b\[[0-9;]*m/);
    matchesScreen('session-ascii', screen);
  });

  test.runIf(isThorough)('without emoji where they are not wanted', async () => {
    const { terminal } = start({}, {}, { emoji: false });
    await terminal.waitFor('[safe] Safe mode');
  });

  test.runIf(isThorough)('in CI as everywhere', async () => {
    const { terminal } = start({}, { env: { CI: 'true' } });
    await terminal.waitFor('Safe mode');
  });

  test('time that is left, and it runs', async () => {
    const { terminal } = start({ asks: [approval('execute', { command: 'ls' }, { expiresAt: 570_000 })] });
    const left = /\dm \d+s left/;
    const [first = ''] = left.exec(await terminal.waitFor(left))!;
    // Not each second is seen on a busy machine.
    await terminal.waitFor((screen) => left.test(screen) && !screen.includes(first), `less than ${first}`);
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
    await terminal.waitFor('what should I do');
    expect(terminal.all().match(/^line \d+, of which no word is lost$/gm)).toHaveLength(400);
  });
});

describe('the end', () => {
  test('Ctrl+C cancels what goes on, and then leaves', async () => {
    const fake = await asking(undefined, {});
    const { terminal } = fake;
    terminal.press('ctrlC');
    await terminal.waitFor('press Ctrl+C again to leave');
    terminal.press('ctrlC');
    expect(await terminal.ended()).toBe(0);
    expect(fake.calls()).toEqual([['interrupt'], ['close']]);
  });

  test('a Ctrl+C that comes when the run has just ended does not end the session', async () => {
    const fake = start({});
    const { terminal } = fake;
    await terminal.waitFor('what should I do');
    terminal.press('ctrlC');
    await terminal.waitFor('press Ctrl+C again to leave');
    terminal.type('go on');
    await terminal.waitFor((screen) => screen.includes('go on') && !screen.includes('again to leave'), 'a prompt');
    // It empties the line; the one behind it asks once more.
    terminal.press('ctrlC');
    await terminal.waitFor('what should I do');
    terminal.press('ctrlC');
    await terminal.waitFor('press Ctrl+C again to leave');
    terminal.press('ctrlC');
    expect(await terminal.ended()).toBe(0);
  });

  test.runIf(isThorough)('nothing of it stays but what was said', async () => {
    const { terminal } = start({ entries: [entry({ kind: 'text', text: 'this stays' })] });
    await terminal.waitFor('Safe mode');
    terminal.press('ctrlD');
    await terminal.ended();
    await terminal.waitFor('the end');
    expect(terminal.all()).toBe('this stays\n\nthe end');
  });

  test.each(isThorough ? (['SIGTERM', 'SIGHUP', 'SIGINT'] as const) : (['SIGHUP'] as const))(
    '%s: the terminal is given back',
    async (signal) => {
      const { terminal } = await asking(undefined, {});
      process.kill(terminal.pid, signal);
      await terminal.ended();
      expect(terminal.raw).toContain('\u001b[?2004l\u001b[?25h');
    },
  );
});

test('a crash gives the terminal back, and is told', async () => {
  const { terminal } = start({});
  await terminal.waitFor('what should I do');
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
      [80, 48],
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
  const editor = `sh -c 'echo in the editor; read line; printf "$line" > "$0"'`;
  const fake = start({ isBusy: true, asks: [first, second] }, { runtime: path, env: { EDITOR: editor } });
  const { terminal } = fake;
  await terminal.waitFor('? help');
  await terminal.take('y');
  await terminal.waitFor((screen) => screen.includes('command: two') && screen.includes('? help'), 'the second');
  await terminal.take('e');
  await terminal.waitFor('in the editor');
  terminal.type('typed there\n');
  await terminal.waitFor('Enter chooses · Esc goes back');
  await terminal.take('y');
  await terminal.waitFor(`answered ${second.request.approvalId}`);
  terminal.type('hello\r');
  await terminal.waitFor('you said: hello');
  terminal.press('ctrlC');
  terminal.press('ctrlC');
  expect(await terminal.ended()).toBe(0);
  expect(fake.calls().slice(0, 3)).toEqual([
    ['decide', first.request.approvalId, { type: 'approve' }],
    ['decide', second.request.approvalId, { type: 'edit', args: { command: 'typed there' }, shown: null }],
    ['submit', 'hello'],
  ]);
});
