/** `countersign demo` in a real pseudo-terminal: the full-screen program, from the first line to what is left behind. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { Terminal } from '../terminal/terminal.js';
import { temporaryFolder } from './processes.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** The prompt's line is empty, and nothing runs. */
const READY = 'what should I do?';

function open(...args: string[]) {
  const [HOME, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const terminal = new Terminal(process.execPath, [CLI, 'demo', ...args], {
    columns: 100,
    rows: 40,
    env: { HOME, TMPDIR },
  });
  onTestFinished(() => terminal.close());
  return {
    terminal,
    left: () => [HOME, TMPDIR].flatMap((folder) => readdirSync(folder)),
    async say(line: string) {
      await terminal.waitFor(READY);
      terminal.type(line);
      await terminal.waitFor(`› ${line}`);
      terminal.press('enter');
    },
  };
}

test('a session: what is written is told in the end, and nothing is left behind', async () => {
  const { terminal, say, left } = open();
  await say('create hello.txt with hi');
  // The keys are shown from when on they are taken.
  await terminal.waitFor('? help');
  await terminal.take('y');
  await terminal.waitFor('Created hello.txt.');
  await say('run git push');
  await terminal.waitFor('A policy does not allow running `git push`');
  await say('/quit');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.all()).toMatch(
    /What has changed in the project:\n {2}created hello\.txt \(2 bytes\)\s+What to do next:\n {2}npm install countersign/,
  );
  expect(left()).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a terminal that says that it has 0 columns gets whole lines', async () => {
  const [HOME, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  const command = 'stty cols 0; exec "$@"';
  const terminal = new Terminal('sh', ['-c', command, 'sh', process.execPath, CLI, 'demo', '--plain', '-p', 'help'], {
    env: { HOME, TMPDIR },
  });
  onTestFinished(() => terminal.close());
  await terminal.ended();
  expect(terminal.all()).toContain('countersign: nothing dangerous runs until you say so.');
  expect(terminal.all()).toContain('npx countersign init             gates the tools of your agent');
});

test.runIf(isThorough)('Ctrl+C cancels what waits; twice more, and it is over', async () => {
  const { terminal, say, left } = open();
  await say('create hello.txt with hi and run sleep 1000');
  await terminal.waitFor('? help');
  terminal.press('ctrlC');
  await terminal.waitFor(READY);
  terminal.press('ctrlC');
  terminal.press('ctrlC');
  await terminal.ended();
  expect(terminal.all()).toContain('Nothing has changed in the project.');
  expect(left()).toEqual([]);
});
