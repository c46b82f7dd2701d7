/** What the documents say of the terminal program is so: its screens, its settings, its keys and commands. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import headless from '@xterm/headless';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { CHAT, pageOf } from '../../ts/cli/manual.js';
import { readConfig } from '../../ts/cli/chat/config.js';
import { blocks } from './blocks.js';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, 'docs', `${page}.md`), 'utf8');

describe('screens', () => {
  /** Screens that other tests hold equal to the program's: those that are kept, and those of the recording. */
  const screens: string[] = [];

  beforeAll(async () => {
    const folder = join(root, '__test__/terminal/screens');
    screens.push(...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
    const [header = '', ...events] = readFileSync(join(root, 'docs/terminal/session.cast'), 'utf8')
      .trimEnd()
      .split('\n');
    const {
      version,
      width: cols,
      height: rows,
    } = JSON.parse(header) as { version: number; width: number; height: number };
    expect(version).toBe(2);
    const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
    let last = -1;
    for (const event of events) {
      const [time, type, data] = JSON.parse(event) as [number, string, string];
      expect(type).toBe('o');
      expect(time).toBeGreaterThan(last);
      last = time;
      await new Promise<void>((resolve) => terminal.write(data, resolve));
      const { active } = terminal.buffer;
      const lines = Array.from({ length: rows }, (_, y) => active.getLine(y)?.translateToString(true) ?? '');
      screens.push(`${lines.join('\n')}\n`);
    }
    terminal.dispose();
  });

  const shown = blocks.filter(({ kind }) => kind === 'text screen');

  test('there are some', () => expect(shown.length).toBeGreaterThan(5));

  test.each(shown)('$place is a part of one', ({ code }) => {
    expect(screens.some((screen) => `\n${screen}`.includes(`\n${code}`))).toBe(true);
  });
});

describe('settings', () => {
  const examples = blocks.filter(({ kind }) => kind === 'toml settings');

  test.each(examples)('$place can be read', async ({ code }) => {
    const home = mkdtempSync(join(tmpdir(), 'countersign-settings-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const project = join(home, 'project');
    for (const folder of [join(home, 'countersign'), join(project, '.git')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, 'countersign', 'config.toml'), code);
    const config = await readConfig(project, {}, { XDG_CONFIG_HOME: home, APPDATA: home });
    expect(config.files).toHaveLength(1);
  });

  test('each key is told', () => {
    const source = readFileSync(join(root, 'ts/cli/chat/config.ts'), 'utf8');
    const table = source.slice(source.indexOf('const KEYS'), source.indexOf('function unknown'));
    const keys = [...table.matchAll(/^ {2}'?([a-z_.]+)'?: /gm)].map(([, key]) => key!);
    expect(keys.length).toBeGreaterThan(6);
    expect(keys.filter((key) => !read('terminal-sessions').includes(`| \`${key}\` |`))).toEqual([]);
  });
});

test('each command has a line, and no other', () => {
  const told = [...read('terminal-keys').matchAll(/^\| `(\/[^`]+)` \|/gm)].map(([, usage]) =>
    usage!.replaceAll('\\|', '|'),
  );
  expect(told).toEqual(COMMANDS.map(({ usage }) => usage));
});

test.each(['terminal', 'commands-chat'])('docs/%s.md has each flag, and no other', (path) => {
  const flags = pageOf([CHAT])!
    .options.map(({ name }) => name as string)
    .filter((flag) => flag !== '--help');
  const source = read(path);
  const chat = path === 'terminal' ? source : source.split('\n## Demo')[0]!;
  const told = [...chat.matchAll(/^\|(?: `-\w`,)? `(--[a-z-]+)[^|]*\|/gm)].map(([, flag]) => flag!);
  expect(flags.length).toBeGreaterThan(8);
  expect(told.filter((flag) => flag !== '--help')).toEqual(flags);
});
