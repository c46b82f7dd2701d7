/** Lines, one after the other: what has scrolled out of the window is approved by a second yes. */
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createGate, terminalApprover } from '../../ts/index.js';
import { scrolledAway } from '../../ts/terminal/window.js';
import { startChat, withModel } from './chat.js';

withModel();

test.each([
  [8, true],
  [40, false],
])('countersign --plain, in a window of %i rows', async (rows, isTwice) => {
  const { terminal, say, file } = await startChat({ args: ['--plain'], rows }, '/help lists commands');
  say('create hello.txt with hi');
  await terminal.waitFor('y, yes or ok');
  say('y');
  if (isTwice) {
    await terminal.waitFor(/Look twice: it has \d+ lines, more than the window shows/);
    await terminal.waitFor(
      (screen) => screen.split('y, yes or ok').length > 1 && /once more[^]*y, yes or ok/.test(screen),
    );
    expect(file('hello.txt')).toBeUndefined();
    say('y');
  }
  await terminal.waitFor('Created');
  expect(file('hello.txt')).toContain('hi');
  expect(terminal.all().includes('Look twice')).toBe(isTwice);
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
    await until('y once more runs it', 1);
    expect(shown).toMatch(/Look twice: it has \d+ lines, more than the window shows/);
    await until('Run it? ', 2);
    input.write('y\r');
  }
  expect(await decided).toMatchObject({ type: 'approve' });
  expect(shown.includes('Look twice')).toBe(isTwice);
  await gate.close();
});

test('rows are counted as the window breaks lines', () => {
  const window = { columns: 10, rows: 5 };
  expect(scrolledAway('one\ntwo\nthree\nfour', window)).toBeUndefined();
  for (const text of ['1\n2\n3\n4\n5', `1\n${'x'.repeat(31)}`, `1\n${'日'.repeat(16)}`])
    expect(scrolledAway(text, window)).toContain('it has 5 lines');
  // Our own colours take no room.
  expect(scrolledAway(`\u001b[31m${'x'.repeat(40)}\u001b[0m`, window)).toBeUndefined();
});
