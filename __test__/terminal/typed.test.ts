/** Sentences as people type them, key by key, at a call that waits: each is the reason of a no, whole, and nothing else happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { WaitingAsk } from '../../ts/cli/chat/view.js';
import { isThorough, sample } from '../support/effort.js';
import { approval, withFake, type Fake } from './fake.js';
import { asking, decided } from './stage.js';

withFake();

/** Between two keys, in ms: nothing may depend on it. */
const PACE = isThorough ? 60 : 12;

async function typeSlowly({ terminal }: Fake, text: string): Promise<void> {
  for (const character of text) {
    terminal.type(character);
    await sleep(PACE);
  }
}

const SENTENCES = [
  'no, use notes.md instead',
  'Also create a test for it',
  'stop it',
  "don't do it",
  'yes but only the tests',
  'remove the other one',
  'explain first',
  'ask me again later',
  'y tho',
  'no',
  '2 files would do',
  '? what is this for',
];

const change = (path: string, before: string | null) => ({
  path,
  target: path,
  before,
  after: null,
  added: 1,
  removed: before === null ? 0 : 1,
  diff: `${before === null ? 'a new file' : 'edits the file'}: +1 −${before === null ? 0 : 1}\n@@ -1 +1 @@\n│ + new`,
});

const diffed = (toolName: string, path: string, before: string | null): WaitingAsk => {
  const made = change(path, before);
  return approval(
    toolName,
    { file_path: path, content: 'new' },
    { changes: [made], preview: `${toolName}\n│ file_path: ${path}\n${made.diff}` },
  );
};

/** One for each kind of request. */
const KINDS: [string, WaitingAsk][] = [
  ['a command', approval('execute', { command: 'npm test' })],
  [
    'a command that deletes',
    approval('execute', { command: 'rm -rf ./*' }, {}, { dangers: ['it may delete something for good'] }),
  ],
  ['a new file', diffed('write_file', 'hello.txt', null)],
  ['an edit', diffed('edit_file', 'src/a.ts', 'a'.repeat(64))],
  ['another tool', approval('send_mail', { to: 'a@b.example' })],
  [
    'what may not be edited',
    approval('execute', { command: 'ls' }, { allowedDecisions: ['approve', 'reject'] }, { always: null }),
  ],
];

describe.each(KINDS)('%s', (_, ask) => {
  test.each(sample(SENTENCES.map((sentence) => [sentence])))('%j', async (sentence) => {
    const fake = await asking(ask);
    await typeSlowly(fake, sentence);
    await fake.terminal.waitFor(`› ${sentence}`);
    // Nothing has happened by now, and the cursor is on no.
    expect(fake.calls()).toEqual([]);
    expect(fake.terminal.screen()).toMatch(/❯ ?n {1,2}No/);
    fake.terminal.press('enter');
    const reason = sentence === 'no' ? undefined : sentence;
    if (reason === undefined) {
      // It asks why, and Enter alone gives no reason.
      await fake.terminal.waitFor('why:');
      expect(fake.calls()).toEqual([]);
      fake.terminal.press('enter');
    }
    expect(await decided(fake)).toEqual([
      'decide',
      ask.request.approvalId,
      { type: 'reject', ...(reason === undefined ? {} : { reason }) },
    ]);
    // No letter of it went into the next prompt.
    await fake.terminal.waitFor('your next prompt');
    expect(fake.calls().filter(([name]) => name !== 'decide' && name !== 'close')).toEqual([]);
  });
});
