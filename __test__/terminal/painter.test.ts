/** What is drawn on a terminal, row by row. */
import headless from '@xterm/headless';
import { expect, test } from 'vitest';
import { takeConsole } from '../../ts/cli/chat/screen/output.js';
import { ScreenPainter } from '../../ts/cli/chat/screen/painter.js';

function drawing(columns: number, rows: number) {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  const written: string[] = [];
  const painter = new ScreenPainter((text) => written.push(text));
  const seen = async () => {
    await new Promise<void>((done) => terminal.write(written.splice(0).join(''), done));
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true));
    return { text: lines.join('\n').trimEnd(), cursor: [active.cursorX, active.baseY + active.cursorY] };
  };
  return { painter, written, seen };
}

test('a frame takes the place of the last one, whether it is longer or shorter, and what is finished stays above it', async () => {
  const { painter, seen } = drawing(20, 6);
  painter.draw([], { lines: ['> ', 'status'], cursor: { x: 2, y: 0 } });
  expect(await seen()).toEqual({ text: '>\nstatus', cursor: [2, 0] });
  painter.draw(['done 1'], { lines: ['a', 'b', '> x', 'status'], cursor: { x: 3, y: 2 } });
  expect(await seen()).toEqual({ text: 'done 1\na\nb\n> x\nstatus', cursor: [3, 3] });
  painter.draw(['done 2', '', 'done 3'], { lines: ['> '], cursor: { x: 2, y: 0 } });
  expect(await seen()).toEqual({ text: 'done 1\ndone 2\n\ndone 3\n>', cursor: [2, 4] });
  painter.draw([], { lines: [] });
  expect(await seen()).toEqual({ text: 'done 1\ndone 2\n\ndone 3', cursor: [0, 4] });
});

test('what is finished scrolls out, and no row of a frame stays behind', async () => {
  const { painter, seen } = drawing(20, 5);
  for (let at = 0; at < 20; at += 1) painter.draw([`done ${at}`], { lines: ['frame', `at ${at}`] });
  const done = Array.from({ length: 20 }, (_, at) => `done ${at}`);
  expect((await seen()).text).toBe([...done, 'frame', 'at 19'].join('\n'));
});

test('a line that is too wide is cut: the rows can be counted', async () => {
  const { painter, seen } = drawing(10, 6);
  const wide = ['x'.repeat(40), '日本語'.repeat(9), `${'e\u0301'.repeat(40)}`];
  painter.draw(wide, { lines: wide, cursor: { x: 0, y: 2 } });
  painter.draw([], { lines: ['after'] });
  const { text } = await seen();
  expect(text.split('\n')).toHaveLength(4);
  expect(text).toMatch(/\nafter$/);
});

test('nothing is written where nothing has changed', () => {
  const { painter, written } = drawing(20, 6);
  const frame = { lines: ['a'], cursor: { x: 0, y: 0 } };
  painter.draw([], frame);
  painter.draw([], { ...frame, lines: [...frame.lines] });
  expect(written).toHaveLength(1);
  painter.draw([], { ...frame, cursor: { x: 1, y: 0 } });
  expect(written).toHaveLength(2);
});

test('what goes to the console is printed where the screen wants it, until the console is given back', () => {
  const before = console.warn;
  const printed: string[] = [];
  const giveBack = takeConsole((text) => printed.push(text));
  try {
    console.warn('AI SDK Warning: %s', 'x', { deep: [1] });
    console.error(new Error('boom').message);
  } finally {
    giveBack();
  }
  expect(printed).toEqual(['AI SDK Warning: x { deep: [ 1 ] }', 'boom']);
  expect(console.warn).toBe(before);
});
