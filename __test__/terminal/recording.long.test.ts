/** What the documents show of the terminal program is what it does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { record } from './recording/index.js';
import { Tour } from './recording/tour.js';
import { matchesScreen } from './terminal.js';

const root = join(import.meta.dirname, '../..');
const kept = (name: string): string => readFileSync(join(root, 'docs/terminal', name), 'utf8');

// Lines break where the folder's name lets them.
const isRecordable = process.platform !== 'win32' && realpathSync('/tmp') === '/tmp';

test.runIf(isRecordable)('the recording is up to date: node scripts/record.mjs makes it anew', async () => {
  const files = await record(root);
  // Compared as a whole: of a difference the first screen is enough.
  for (const [name, content] of Object.entries(files)) expect(content === kept(name), name).toBe(true);
});

type Session = (tour: Tour) => Promise<void>;

describe.runIf(isRecordable)('screens of the documents', () => {
  const still = async (name: string, setting: Parameters<typeof Tour.through>[1], session: Session): Promise<void> => {
    await Tour.through(root, setting, async (tour) => {
      await session(tour);
      matchesScreen(`docs-${name}`, tour.still());
    });
  };
  const changing = async (tour: Tour): Promise<void> => {
    await tour.say('change Hello to Hi in src/greet.js');
    await tour.asks('edit_file');
  };

  test('a change of a file', () => still('edit', {}, changing));

  test.each([
    ['help', '?', 'Do not run it: it asks why'],
    ['always', 's', 'No, back'],
  ])('%s', (name, key, seen) =>
    still(name, {}, async (tour) => {
      await changing(tour);
      await tour.terminal.take(key);
      await tour.terminal.waitFor(seen);
    }),
  );

  test('in 60 columns, without more than ASCII', () => still('ascii', { columns: 60, env: { LANG: 'C' } }, changing));

  test('plan mode', () =>
    still('plan', { args: ['--plan'] }, async (tour) => {
      await tour.say('create hello.txt with hi and read package.json');
      await tour.idle('Plan mode: ');
    }));

  test('lines, on a pipe', async () => {
    await Tour.setUp(root, async ({ args, folder, env, normal }) => {
      const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env } });
      child.stdin.end('create hello.txt with hi and run cat package.json\ny\nthere is read_file for that\n');
      const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      expect(error).toBe('');
      expect(child.exitCode).toBe(0);
      matchesScreen('docs-lines', normal(out).trimEnd());
    });
  });
});
