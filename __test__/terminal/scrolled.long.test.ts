/** Lines, one after the other: what has scrolled out of the window is approved by a second yes. */
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { Question } from '../../index.js';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { showLines } from '../../ts/cli/chat/lines.js';
import type { LocalChat } from '../../ts/cli/chat/parts.js';
import { createGate, terminalApprover } from '../../ts/index.js';
import { scrolledAway } from '../../ts/terminal/window.js';
import { startChat, withModel } from './chat.js';
import { PATIENTLY } from '../runtimes.js';
import { questions } from './fake.js';
import { viewOf } from './presses.js';

withModel();

test.each([
  [8, true],
  [40, false],
])('countersign --plain, in a window of %i rows', async (rows, isTwice) => {
  const { terminal, say, file } = await startChat({ args: ['--plain'], rows }, '/help lists commands');
  say('create hello.txt with hi');
  await terminal.waitFor('y = run');
  say('y');
  if (isTwice) {
    await terminal.waitFor(/Careful: it has \d+ lines, more than the window shows/);
    await terminal.waitFor((screen) => screen.split('y = run').length > 1 && /again[^]*y = run/.test(screen));
    expect(file('hello.txt')).toBeUndefined();
    say('y');
  }
  await terminal.waitFor('Created');
  expect(file('hello.txt')).toContain('hi');
  expect(terminal.all().includes('Careful')).toBe(isTwice);
});

test.each([
  [120, 24, true],
  [5, 24, false],
  [120, undefined, false],
])('terminalApprover: a call of %i lines in a window of %s rows', async (count, rows, isTwice) => {
  let shown = '';
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const wake = new Set<() => void>();
  const output = Object.assign(
    new Writable({
      write(chunk, _, done) {
        shown += String(chunk);
        for (const look of wake) look();
        done();
      },
    }),
    { isTTY: true },
    rows === undefined ? {} : { rows, columns: 80 },
  );
  const until = (text: string, times: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (shown.split(text).length - 1 >= times) resolve();
      };
      wake.add(look);
      look();
    });
  const gate = createGate();
  const waiting = gate.request({ toolName: 'write', args: { lines: Array.from({ length: count }, (_, at) => at) } });
  waiting.catch(() => {});
  const [request] = await gate.pending();
  const decided = Promise.resolve(
    terminalApprover({ input, output })(request!, { abortSignal: new AbortController().signal }),
  );
  await until('Run it? ', 1);
  input.write('y\r');
  if (isTwice) {
    await until('y again runs it', 1);
    expect(shown).toMatch(/Careful: it has \d+ lines, more than the window shows/);
    await until('Run it? ', 2);
    input.write('y\r');
  }
  expect(await decided).toMatchObject({ type: 'approve' });
  expect(shown.includes('Careful')).toBe(isTwice);
  await gate.close();
});

/** Two questions, the first of so many lines. */
const asking = (lines: number): Question[] => [
  {
    kind: 'multiple_choice',
    question: Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n'),
    options: COLOURS,
  },
  { kind: 'text', question: 'And why?' },
];
const COLOURS = [{ label: 'red' }, { label: 'blue' }];

/** A terminal of 24 rows, and all that was put there. */
function terminalOf() {
  let shown = '';
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const write = (text: string): void => void (shown += text);
  const output = Object.assign(new Writable({ write: (chunk, _, done) => (write(String(chunk)), done()) }), {
    isTTY: true,
    rows: 24,
    columns: 80,
  });
  const until = (text: string, times = 1): Promise<boolean> =>
    vi.waitUntil(() => shown.split(text).length > times, PATIENTLY);
  return { input, output, write, until, shown: () => shown };
}

describe.each([
  [40, true],
  [5, false],
])('a question of %i lines, in a window of 24 rows', (count, isTwice) => {
  test('is answered by a second answer in terminalApprover', async () => {
    const { input, output, until, shown } = terminalOf();
    const { request } = questions(asking(count));
    const decided = terminalApprover({ input, output, notify: 'none' })(request, {
      abortSignal: new AbortController().signal,
    });
    await until('> ');
    input.write('1\r');
    if (isTwice) {
      await until('Give the answer again to confirm it');
      await until('> ', 2);
      input.write('2\r');
    }
    await until('And why?');
    await until('> ', isTwice ? 3 : 2);
    input.write('so\r');
    expect(await decided).toEqual([isTwice ? 'blue' : 'red', 'so']);
    expect(shown().includes('Careful: it has')).toBe(isTwice);
  });

  test('is answered by a second answer in --plain', async () => {
    const { input, write, until, shown } = terminalOf();
    const answered: unknown[] = [];
    let view = viewOf(questions(asking(count)));
    let changed = (): void => {};
    const chat = {
      get view() {
        return view;
      },
      commands: COMMANDS,
      subscribe: (listener: () => void) => ((changed = listener), () => {}),
      lastRun: null,
      isOver: false,
      answer: async (_: string, answers: unknown) => {
        answered.push(answers);
        view = { ...viewOf(), isBusy: false };
        setImmediate(changed);
      },
    };
    const window = () => ({ columns: 80, rows: 24 });
    const over = showLines(chat as unknown as LocalChat, { input, write, window, canAsk: true, emoji: false });
    // What is typed sooner was not typed with it in sight.
    const type = (line: string, times: number) => until('Your answer:', times).then(() => input.write(`${line}\n`));
    await until('A number');
    await type('1', 1);
    if (isTwice) {
      await until('Give the answer again to confirm it');
      input.write('2\n');
    }
    await until('And why?');
    await type('so', 2);
    await vi.waitUntil(() => answered.length > 0, PATIENTLY);
    expect(answered).toEqual([[isTwice ? 'blue' : 'red', 'so']]);
    expect(shown().includes('Careful: it has')).toBe(isTwice);
    input.end();
    await over;
  });
});

test('rows are counted as the window breaks lines', () => {
  const window = { columns: 10, rows: 5 };
  expect(scrolledAway('one\ntwo\nthree\nfour', window)).toBeUndefined();
  for (const text of ['1\n2\n3\n4\n5', `1\n${'x'.repeat(31)}`, `1\n${'日'.repeat(16)}`])
    expect(scrolledAway(text, window)).toContain('it has 5 lines');
  // Our own colours take no room.
  expect(scrolledAway(`\u001b[31m${'x'.repeat(40)}\u001b[0m`, window)).toBeUndefined();
});
