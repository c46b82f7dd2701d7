/** The kit itself: what a program in it can do, and what a test sees of that. */
import { afterEach, expect, test } from 'vitest';
import { Terminal } from './terminal.js';

let terminal: Terminal;
afterEach(() => terminal.close());

const run = (script: string, options = {}) => new Terminal(process.execPath, ['-e', script], options);

test('a program has a terminal, and its screen is seen', async () => {
  terminal = run(`console.log(process.stdout.isTTY, process.stdout.columns + 'x' + process.stdout.rows)`, {
    columns: 60,
    rows: 10,
  });
  await terminal.waitFor('true 60x10');
  expect(await terminal.ended()).toBe(0);
});

test('keys reach it as they are, and what is drawn over is gone', async () => {
  terminal = run(`
    process.stdin.setRawMode(true).on('data', (data) => {
      process.stdout.write('\\u001b[2K\\r' + JSON.stringify(String(data)));
      if (String(data) === 'q') process.exit(3);
    });
    process.stdout.write('ready');
  `);
  await terminal.waitFor('ready');
  terminal.press('up');
  await terminal.waitFor(String.raw`"\u001b[A"`);
  terminal.paste('a\nb');
  const screen = await terminal.waitFor('201~');
  expect(screen).not.toContain('ready');
  terminal.press('q');
  expect(await terminal.ended()).toBe(3);
});

test('it is told of another size', async () => {
  terminal = run(
    `process.stdout.on('resize', () => console.log(process.stdout.columns)); setInterval(() => {}, 1000); console.log('on')`,
  );
  await terminal.waitFor('on');
  terminal.resize(40, 10);
  await terminal.waitFor('40');
});

test('what does not come is told with the screen', async () => {
  terminal = run(`console.log('something else')`);
  await expect(terminal.waitFor('what is meant')).rejects.toThrow(/program ended with 0.*\n-+\nsomething else/s);
});
