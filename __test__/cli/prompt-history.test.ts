/** Prompts that are kept for other sessions: whose file it is, what is in it, and what is not. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../ts/cli/chat/config.js';
import { historyFile, openHistory } from '../../ts/cli/chat/prompt-history.js';
import { scratch } from '../policy/support.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('a prompt is there in the next session of the same project, and in no other', () => {
  const file = join(scratch(), 'state', 'prompts.jsonl');
  const first = openHistory(file, '/one');
  expect([first.lines, existsSync(file)]).toEqual([[], false]);
  for (const line of ['a', 'b\nc', 'b\nc', '\u001b[2J']) first.add(line);
  openHistory(file, '/two').add('x');
  expect(openHistory(file, '/one').lines).toEqual(['a', 'b\nc', '\u001b[2J']);
  expect(openHistory(file, '/two').lines).toEqual(['x']);
});

test.skipIf(process.platform === 'win32')('nobody else can read it, also where it was there before', () => {
  const root = scratch();
  const file = join(root, 'state', 'prompts.jsonl');
  openHistory(file, '/one').add('a');
  expect([modeOf(join(root, 'state')), modeOf(file)]).toEqual([0o700, 0o600]);
  chmodSync(file, 0o644);
  openHistory(file, '/one').add('b');
  expect(modeOf(file)).toBe(0o600);
});

test('lines that are none of ours are left out, and what is long is made shorter', () => {
  const file = join(scratch(), 'prompts.jsonl');
  const kept = (prompt: string) => `${JSON.stringify({ project: '/one', prompt })}\n`;
  writeFileSync(file, `${kept('a')}{"project":1}\nnull\n{"proj`);
  expect(openHistory(file, '/one').lines).toEqual(['a']);
  writeFileSync(file, Array.from({ length: 2_001 }, (_, at) => kept(`p${at}`)).join(''));
  openHistory(file, '/one');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect([lines.length, lines[0]]).toEqual([1_000, kept('p1001').trimEnd()]);
  // A prompt as long as a book is not kept.
  openHistory(file, '/one').add('x'.repeat(10_001));
  expect(openHistory(file, '/one').lines.at(-1)).toBe('p2000');
});

test('what cannot be written is said', () => {
  const file = join(scratch(), 'taken', 'prompts.jsonl');
  writeFileSync(join(file, '..'), '');
  expect(() => openHistory(file, '/one').add('a')).toThrow(/EEXIST|ENOTDIR/);
});

test.skipIf(process.platform === 'win32')('it is where the state of programs is', () => {
  expect(historyFile({ HOME: '/home/mia' })).toBe('/home/mia/.local/state/countersign/prompts.jsonl');
  expect(historyFile({ HOME: '/home/mia', XDG_STATE_HOME: '/state' })).toBe('/state/countersign/prompts.jsonl');
  // A relative one counts nowhere.
  expect(historyFile({ HOME: '/home/mia', XDG_STATE_HOME: 'state' })).toBe(
    '/home/mia/.local/state/countersign/prompts.jsonl',
  );
});

test('either settings file turns it off', async () => {
  const read = async (own: string, mine: string): Promise<boolean> => {
    const root = scratch();
    const [project, config] = [join(root, 'project'), join(root, 'config')];
    for (const [folder, text] of [
      [join(project, '.countersign'), own],
      [join(config, 'countersign'), mine],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.toml'), text);
    }
    return (await readConfig(project, {}, { HOME: root, XDG_CONFIG_HOME: config })).history;
  };
  const off = '[chat]\nhistory = false\n';
  expect(
    await Promise.all([read('', ''), read(off, ''), read('', off), read('[chat]\nhistory = true\n', off)]),
  ).toEqual([true, false, false, false]);
});
