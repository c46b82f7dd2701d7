/** The panel shows any content of a call, and nothing else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { effort, isThorough } from '../support/effort.js';
import { approval, entry, startFake, withFake } from './fake.js';
import { foreign, HOSTILE, isOurs } from './hostile.js';

withFake();

interface Case {
  what: string;
  toolName: string;
  args: unknown;
  shown(screen: string): boolean;
}

/** One after the other, on one screen. */
async function all(cases: readonly Case[], columns: number, rows: number): Promise<void> {
  const asks = cases.map(({ toolName, args, what }) => approval(toolName, args, { runId: what }));
  const fake = startFake({ view: { isBusy: true, asks } }, { columns, rows });
  onTestFinished(() => fake.close());
  const { terminal } = fake;
  for (const [at, { what, shown }] of cases.entries()) {
    await terminal.waitFor(
      (screen) => screen.includes(`${cases.length - at} waiting`) && screen.includes('? help'),
      what,
    );
    isOurs(terminal, what);
    const seen = await terminal.pages();
    expect(shown(seen), `${what}:\n${seen}`).toBe(true);
    isOurs(terminal, what);
    await terminal.reject();
  }
  await terminal.waitFor('your next prompt');
  expect(foreign(terminal.raw)).toEqual([]);
}

test.each([[60, 24], ...(isThorough ? [[120, 40]] : [])])('calls, %i columns wide', async (columns = 0, rows = 0) => {
  await all(
    HOSTILE.map(([what, command, shown]) => ({
      what,
      toolName: 'execute',
      args: { command },
      // Without our line breaks.
      shown: (screen) => shown.test(screen) || shown.test(screen.replace(/\n │ ↪ /g, '')),
    })),
    columns,
    rows,
  );
});

test('what else comes from a model, and names', async () => {
  const evil = 'a\u001b[2J\u202Eb\u0007';
  const ask = approval(
    evil,
    { [evil]: evil },
    { description: evil },
    { why: evil, from: evil, warnings: [evil], always: { label: evil, also: [evil] } },
  );
  const entries = [
    entry({ kind: 'user', text: evil }),
    entry({ kind: 'text', text: evil, origin: ['main', evil] }),
    entry({ kind: 'note', level: 'error', text: evil }),
    entry({
      kind: 'tool',
      toolCallId: '1',
      toolName: evil,
      title: evil,
      status: 'failed',
      detail: evil,
      isDone: false,
    }),
  ];
  const view = {
    entries,
    asks: [ask],
    model: evil,
    folder: evil,
    todos: [{ content: evil, status: 'pending' as const }],
    subagents: [{ name: evil, task: evil, origin: [] }],
  };
  const fake = startFake({ view }, { rows: 40 });
  onTestFinished(() => fake.close());
  const { terminal } = fake;
  await terminal.waitFor('? help');
  for (const key of ['d', 's']) {
    await terminal.take(key);
    await terminal.waitFor(key === 'd' ? 'digest' : 'No, back');
    terminal.press('escape');
    await terminal.waitFor('? help');
  }
  expect(foreign(terminal.raw)).toEqual([]);
});

/** Not ours to keep: they are looked at where they are. */
const PUBLIC = join(import.meta.dirname, '../../../shared/cases/public_display.jsonl');

// Each takes a quarter of a second, until keys count: in `npm test` every third.
test('the public cases', async (context) => {
  let text: string;
  try {
    text = readFileSync(PUBLIC, 'utf8');
  } catch {
    return context.skip(`there are no public display cases at ${PUBLIC}`);
  }
  // Line breaks, gutters and spaces are ours.
  const bare = (shown: string): string => shown.replace(/[│┆↪⇥\s]|\\t/g, '');
  const cases = text
    .split('\n')
    .filter((line, at) => line !== '' && at % effort(3, 1) === 0)
    .map((line) => JSON.parse(line) as { id: string; tool: string; args: unknown; must_show: string[] })
    .map(({ id, tool, args, must_show }): Case => {
      const shown = (screen: string): boolean => must_show.every((part) => bare(screen).includes(bare(part)));
      return { what: id, toolName: tool, args, shown };
    });
  expect(cases.length).toBeGreaterThan(0);
  await all(cases, 80, 24);
});
