/** A tool call that waits: which keys ask for what. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { approval, withFake, type Fake } from './fake.js';
import { asking, decided, start } from './stage.js';
import { KEYS } from './terminal.js';

withFake();

const LONG = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');

/** Presses a key, waits until the cursor shows that it came, and takes it. */
async function take(fake: Fake, key: string, marked: string | RegExp): Promise<void> {
  fake.terminal.press(key);
  await fake.terminal.waitFor(marked);
  // The cursor may have been there before.
  if (key.length === 1) await fake.terminal.waitFor(`› ${key}`);
  fake.terminal.press('enter');
  if (key !== 'n') return;
  await fake.terminal.waitFor('Enter rejects it');
  fake.terminal.press('enter');
}

/** So long a person looks at a page, in ms. */
const LOOK = 250;

describe('a call that waits', () => {
  test.each<[string, RegExp, { type: string }]>([
    ['y', /❯ y {2}Yes/, { type: 'approve' }],
    ['n', /❯ n {2}No/, { type: 'reject' }],
    ['1', /❯ y {2}Yes/, { type: 'approve' }],
    ...(isThorough
      ? ([
          ['Y', /❯ y {2}Yes/, { type: 'approve' }],
          ['N', /❯ n {2}No/, { type: 'reject' }],
          ['4', /❯ n {2}No/, { type: 'reject' }],
          ['yes', /❯ y {2}Yes/, { type: 'approve' }],
          ['no', /❯ n {2}No/, { type: 'reject' }],
        ] as [string, RegExp, { type: string }][])
      : []),
  ])('%s moves the cursor, and Enter takes it', async (key, marked, decision) => {
    const fake = await asking();
    fake.terminal.press(key);
    await fake.terminal.waitFor(`› ${key}`);
    expect(fake.terminal.screen()).toMatch(marked);
    expect(fake.calls()).toEqual([]);
    fake.terminal.press('enter');
    if (decision.type === 'reject') {
      await fake.terminal.waitFor('Enter rejects it');
      expect(fake.calls()).toEqual([]);
      fake.terminal.press('enter');
    }
    expect(await decided(fake)).toEqual(['decide', expect.any(String), decision]);
  });

  test('arrows move the cursor', async () => {
    const fake = await asking();
    const { terminal } = fake;
    expect(terminal.screen()).toContain('Run `npm test`?');
    expect(terminal.screen()).toMatch(/❯ y {2}Yes/);
    await take(fake, 'down', /❯ s {2}Yes, and always/);
    const screen = await terminal.waitFor(/❯ n {2}No, back/);
    expect(screen).toContain('Run it, and allow this from now on');
    terminal.press('escape');
    await terminal.waitFor(/❯ y {2}Yes/);
    terminal.press('up');
    terminal.press('down');
    terminal.press('down');
    terminal.press('down');
    await take(fake, 'down', '❯ d details');
    await terminal.waitFor('digest');
    expect(fake.calls()).toEqual([]);
  });

  test('what stands out: the cursor is on no, and yes is asked about once more', async () => {
    const fake = await asking(
      approval('execute', { command: 'rm -rf build' }, {}, { dangers: ['it may delete something for good'] }),
    );
    const { terminal } = fake;
    expect(terminal.screen()).toMatch(/❯ n {2}No/);
    expect(terminal.screen()).toContain('! it may delete something for good');
    await take(fake, 'y', /❯ y {2}Yes/);
    await terminal.waitFor('press Enter again to run it');
    expect(fake.calls()).toEqual([]);
    await terminal.waitFor('? help');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('Esc never rejects', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('escape');
    await terminal.waitFor('Esc decides nothing');
    terminal.type('wrong');
    await terminal.waitFor('› wrong');
    terminal.press('escape');
    await terminal.waitFor('› Enter chooses');
    terminal.press('escape');
    await terminal.waitFor('Esc decides nothing');
    expect(fake.calls()).toEqual([]);
  });

  test('Auto-approve asks once more, and the cursor is on no', async () => {
    const fake = await asking();
    const { terminal } = fake;
    await take(fake, 'A', '❯ A Auto-approve');
    const screen = await terminal.waitFor(/❯ n {2}No, back/);
    expect(screen).toContain('Turn Auto-approve on?');
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    await take(fake, 'A', '❯ A Auto-approve');
    await terminal.waitFor('Enter chooses · Esc goes back');
    await take(fake, 'y', /❯ y {2}Yes, turn/);
    expect(await decided(fake)).toEqual(['approveAll']);
    await terminal.waitFor('🟠 Auto-approve');
  });

  test.runIf(isThorough)('what is pasted is a reason, also when it is the letter of a key', async () => {
    const fake = await asking();
    fake.terminal.paste('y');
    await fake.terminal.waitFor('› y');
    fake.terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'reject', reason: 'y' }]);
  });

  // All of them without a terminal: keys.test.ts and press.test.ts.
  test.each(['y\r', ...(isThorough ? ['\r\r', 'yA', '\u001b[A\r'] : [])])(
    '%j, which came together, approves nothing',
    async (typed) => {
      const fake = await asking();
      const before = fake.terminal.screen();
      fake.terminal.type(typed);
      await fake.terminal.waitFor((screen) => screen !== before, 'something else');
      // What they ask for would be asked for before that.
      fake.terminal.press('ctrlC');
      await fake.terminal.waitUntil(() => fake.calls().some(([name]) => name === 'interrupt'), 'Ctrl+C');
      expect(fake.calls()).toEqual([['interrupt']]);
    },
  );

  test('keys before it was seen approve nothing, and what is being written goes on', async () => {
    const ask = approval('execute', { command: 'npm test' });
    const fake = start({}, {}, { on: { go: { isBusy: true, asks: [ask] } } });
    const { terminal } = fake;
    await terminal.waitFor('what should I do');
    // All at once: the prompt, and an answer to an unseen question.
    terminal.type(`go${KEYS.enter}${KEYS.down}${KEYS.enter}`);
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([['submit', 'go']]);
    await take(fake, 'y', /❯ y {2}Yes/);
    await terminal.waitFor('answered');
    expect(fake.calls()[1]).toEqual(['decide', ask.request.approvalId, { type: 'approve' }]);
  });

  test('always says what it would allow, and does it on a yes only', async () => {
    const ask = approval(
      'execute',
      { command: 'git status' },
      {},
      {
        always: { label: 'commands that begin with `git status`', also: ['in this folder'] },
      },
    );
    const fake = await asking(ask);
    const { terminal } = fake;
    await take(fake, 's', /❯ s {2}Yes, and always/);
    const screen = await terminal.waitFor('Enter chooses · Esc goes back');
    expect(screen).toContain('commands that begin with `git status`');
    expect(screen).toContain('- in this folder');
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    await take(fake, 's', /❯ s {2}Yes, and always/);
    await terminal.waitFor('Enter chooses · Esc goes back');
    await take(fake, 'y', /❯ y {2}Yes, run it, and allow/);
    expect(await decided(fake)).toEqual(['always', ask.request.approvalId, 'session']);
  });

  test('always is for the project as well, where that is chosen', async () => {
    const ask = approval(
      'execute',
      { command: 'git status' },
      {},
      { always: { label: 'any `git status …`', also: [] } },
    );
    const fake = await asking(ask);
    await take(fake, 's', /❯ s {2}Yes, and always/);
    await fake.terminal.waitFor('Enter chooses · Esc goes back');
    await take(fake, 'p', /❯ p {2}Yes, and from now on in this project/);
    expect(await decided(fake)).toEqual(['always', ask.request.approvalId, 'always']);
  });

  test('a reason that is typed where something else was asked is about the call', async () => {
    const fake = await asking();
    const { terminal } = fake;
    await take(fake, 'A', '❯ A Auto-approve');
    await terminal.waitFor('Enter chooses · Esc goes back');
    for (const character of 'yes but not this') terminal.type(character);
    await terminal.waitFor('› yes but not this');
    expect(terminal.screen()).toContain('Run `npm test`?');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'reject', reason: 'yes but not this' }]);
  });

  test.runIf(isThorough)('respond gives the model a result', async () => {
    const fake = await asking();
    await take(fake, 'r', '❯ r respond');
    await fake.terminal.waitFor('the result is:');
    fake.terminal.type('there is no such folder');
    await fake.terminal.waitFor('no such folder');
    fake.terminal.press('enter');
    expect(await decided(fake)).toEqual([
      'decide',
      expect.any(String),
      { type: 'respond', output: 'there is no such folder' },
    ]);
  });

  test('what is not allowed is not offered, nor taken', async () => {
    const ask = approval('execute', { command: 'ls' }, { allowedDecisions: ['reject'] }, { always: null });
    const fake = await asking(ask);
    const { terminal } = fake;
    expect(terminal.screen()).not.toMatch(/y {2}Yes|Edit it first|respond|and always|Auto-approve/);
    expect(terminal.screen()).toMatch(/❯ n {2}No/);
    terminal.press('y');
    await terminal.waitFor('y is not offered here');
    terminal.press('enter');
    await terminal.waitFor('nothing was decided');
    await terminal.waitFor('› Enter chooses');
    terminal.type('not now');
    await terminal.waitFor('› not now');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', ask.request.approvalId, { type: 'reject', reason: 'not now' }]);
  });

  test('what does not fit is not approved before all of it was seen', async () => {
    const fake = await asking(approval('write_file', { file_path: 'a', content: LONG }), { rows: 24 });
    const { terminal } = fake;
    expect(terminal.screen()).toMatch(/lines 1 to \d+ of 6\d: space shows more/);
    expect(terminal.screen()).toContain('❯ d details');
    await take(fake, 'y', '› y');
    await terminal.waitFor('not all of it was seen');
    for (let seen = terminal.screen(); !/lines \d+ to (\d+) of \1\b/.test(seen);) {
      await sleep(LOOK);
      const at = /lines \d+/.exec(seen)![0];
      terminal.press(' ');
      seen = await terminal.waitFor(
        (screen) => !screen.includes(`${at} `) && screen.includes('lines '),
        'the next page',
      );
    }
    await sleep(LOOK);
    expect(fake.calls()).toEqual([]);
    await take(fake, 'y', /❯ ?y {1,2}Yes/);
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('details have all of it, to scroll through, and can be answered', async () => {
    const fake = await asking(approval('write_file', { file_path: 'a', content: LONG }), { rows: 20 });
    const { terminal } = fake;
    await take(fake, '?', '❯ ? help');
    terminal.press('end');
    await terminal.waitFor('Ctrl+C  Once');
    terminal.press('escape');
    await terminal.waitFor('› Enter');
    await take(fake, 'd', '❯ d details');
    await terminal.waitFor('lines 1 to 16');
    terminal.press('down');
    await terminal.waitFor('lines 2 to 17');
    terminal.press('up');
    await terminal.waitFor('lines 1 to 16');
    const refused = async (): Promise<void> => {
      terminal.press('y');
      await terminal.waitFor('not all of it was seen');
      await terminal.waitFor('› y');
      terminal.press('enter');
      await terminal.waitFor(/not all of it was seen[^]*› Enter/);
      await take(fake, 'd', '❯ d details');
      await terminal.waitFor('lines 1 to 16');
    };
    await refused();
    terminal.press('end');
    await terminal.waitFor(/lines \d+ to (\d+) of \1 /);
    // What was jumped over was not seen.
    await refused();
    for (let seen = await terminal.waitFor('lines 1 to 16'); !/lines \d+ to (\d+) of \1 /.test(seen);) {
      await sleep(LOOK);
      const at = /lines \d+/.exec(seen)![0];
      terminal.press(' ');
      seen = await terminal.waitFor((screen) => !screen.includes(`${at} `), 'the next page');
    }
    await sleep(LOOK);
    expect(terminal.screen()).toContain('digest');
    terminal.press('y');
    await terminal.waitFor(/❯ ?y {1,2}Yes/);
    expect(fake.calls()).toEqual([]);
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test.each([
    [40, 12],
    [40, 7],
  ])('in a window of %i times %i nothing is approved of which no line was seen', async (columns, rows) => {
    const fake = start({ asks: [approval('write_file', { file_path: 'a', content: LONG })] }, { columns, rows });
    const { terminal } = fake;
    await terminal.waitFor('? help');
    await take(fake, 'y', '› y');
    await terminal.waitFor('not all of it');
    expect(fake.calls()).toEqual([]);
  });

  test('of several, a no is given at once, and a yes can be changed until the last has an answer', async () => {
    const asks = ['a', 'b', 'c'].map((name, at) =>
      approval('write_file', { file_path: name }, {}, { index: at + 1, of: 3 }),
    );
    const fake = start({ isBusy: true, asks }, { rows: 30 });
    const { terminal } = fake;
    await terminal.waitFor('? help');
    await take(fake, 'y', /❯ y {2}Yes/);
    await terminal.waitFor('✓ 1 Write a? · yes, once all have an answer');
    await terminal.waitFor(/❯ ○ 2 Write b\?[^]*\? help/);
    terminal.type('not b');
    await terminal.waitFor('› not b');
    terminal.press('enter');
    await terminal.waitFor(/❯ ○ 3 Write c\?[^]*\? help/);
    const [a, b, c] = asks.map(({ request }) => request.approvalId);
    // Back to the first, and no instead of yes.
    terminal.press('tab');
    await terminal.waitFor(/❯ ✓ 1 Write a\?[^]*\? help/);
    await take(fake, 'n', /❯ n {2}No/);
    await terminal.waitUntil(() => fake.calls().length === 2, 'two answers');
    await terminal.waitFor(/write_file[^]*Write c\?[^]*\? help/);
    await take(fake, 'y', /❯ y {2}Yes/);
    await terminal.waitUntil(() => fake.calls().length === 3, 'three answers');
    expect(fake.calls()).toEqual([
      ['decide', b, { type: 'reject', reason: 'not b' }],
      ['decide', a, { type: 'reject' }],
      ['decide', c, { type: 'approve' }],
    ]);
  });
});

test.each(['leaves', 'writes about', 'looks at the details of', 'says why not of'])(
  'a held yes is given when somebody else decides the last of the other calls, while the person %s that call',
  async (does) => {
    const asks = ['a', 'b'].map((name, at) =>
      approval('write_file', { file_path: name, content: 'x' }, {}, { index: at + 1, of: 2 }),
    );
    const [a, b] = asks.map(({ request }) => request.approvalId);
    const fake = start({ isBusy: true, asks }, { rows: 60 });
    const { terminal } = fake;
    await terminal.waitFor('? help');
    await take(fake, 'y', /❯ y {2}Yes/);
    await terminal.waitFor('✓ 1 Write a? · yes, once all have an answer');
    await sleep(LOOK);
    if (does === 'writes about') {
      terminal.type('not this one');
      await terminal.waitFor('not this one');
    } else if (does !== 'leaves') {
      const key = does === 'says why not of' ? 'n' : 'd';
      terminal.press(key);
      await terminal.waitFor(`› ${key}`);
      terminal.press('enter');
      await (key === 'n' ? terminal.waitFor('Enter rejects it') : sleep(LOOK));
    }
    expect(fake.calls()).toEqual([]);
    fake.show({ isBusy: true, asks: asks.slice(0, 1), decided: { [b!]: 'rejected by mia' } });
    expect(await decided(fake)).toEqual(['decide', a, { type: 'approve' }]);
  },
);

describe('other arguments', () => {
  /** An editor that puts something else into the file. */
  function editor(script: string): Record<string, string> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-editor-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'editor');
    writeFileSync(file, `#!/bin/sh\n${script.replaceAll('$FOLDER', folder)}\n`);
    chmodSync(file, 0o700);
    return { EDITOR: file, FOLDER: folder };
  }

  test('a command is edited as text, and shown before it runs', async () => {
    const env = editor(
      `stat -c %a "$1" > $FOLDER/mode; cat "$1" > $FOLDER/was; echo "$1" > $FOLDER/name; echo ls > "$1"`,
    );
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    await take(fake, 'e', /❯ e {2}Edit it first/);
    const screen = await terminal.waitFor('Yes, run it like this');
    expect(screen).toContain('Run `ls`?');
    expect(readFileSync(join(env['FOLDER']!, 'mode'), 'utf8').trim()).toBe('600');
    expect(readFileSync(join(env['FOLDER']!, 'was'), 'utf8')).toBe('npm test');
    expect(readFileSync(join(env['FOLDER']!, 'name'), 'utf8')).toMatch(/\.sh\n$/);
    await terminal.waitFor('Enter chooses · Esc goes back');
    terminal.press('escape');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    await take(fake, 'e', /❯ e {2}Edit it first/);
    await terminal.waitFor('Enter chooses · Esc goes back');
    await take(fake, 'y', /❯ y {2}Yes, run it like this/);
    expect(await decided(fake)).toEqual([
      'decide',
      expect.any(String),
      { type: 'edit', args: { command: 'ls' }, shown: null },
    ]);
  });

  test('the editor has the keyboard meanwhile, and Ctrl+C is its own', async () => {
    const env = editor(
      `trap 'echo trapped' INT; echo in the editor; until read line; do :; done; echo "$line" > $FOLDER/line; exit 1`,
    );
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    await take(fake, 'e', /❯ e {2}Edit it first/);
    await terminal.waitFor('in the editor');
    terminal.press('ctrlC');
    await terminal.waitFor('trapped');
    terminal.type('y\n');
    await terminal.waitFor('not edited: the editor');
    await terminal.waitFor('? help');
    expect(readFileSync(join(env['FOLDER']!, 'line'), 'utf8')).toBe('y\n');
    expect(fake.calls()).toEqual([]);
    await take(fake, 'y', /❯ y {2}Yes/);
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('an editor that there is not is said in words', async () => {
    const fake = await asking(undefined, { env: { EDITOR: 'no-such-editor' } });
    await take(fake, 'e', /❯ e {2}Edit it first/);
    await fake.terminal.waitFor('there is no editor "no-such-editor" here');
    await fake.terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
  });

  test("what npm names is nobody's editor: it is edited on the screen", async () => {
    const content = 'one\ntwo\n';
    const ask = approval('write_file', { file_path: 'a.txt', content });
    const fake = await asking(ask, { env: { EDITOR: 'vi', npm_command: 'run-script' } });
    const { terminal } = fake;
    await take(fake, 'e', /❯ e {2}Edit it first/);
    await terminal.waitFor('Enter shows it once more');
    expect(terminal.screen()).toMatch(/^ one$\n^ two$/m);
    terminal.type('three');
    await terminal.waitFor(' three');
    terminal.press('enter');
    await terminal.waitFor('Enter chooses · Esc goes back');
    await take(fake, 'y', /❯ y {2}Yes, run it like this/);
    expect(await decided(fake)).toEqual([
      'decide',
      expect.any(String),
      { type: 'edit', args: { file_path: 'a.txt', content: 'one\ntwo\nthree' }, shown: null },
    ]);
  });

  test.runIf(isThorough)('all of them as JSON', async () => {
    const fake = await asking();
    const { terminal } = fake;
    await take(fake, 'E', '❯ E edit as JSON');
    await terminal.waitFor('"command": "npm test"');
    terminal.press('enter');
    await terminal.waitFor('nothing changed');
    await take(fake, 'E', '❯ E edit as JSON');
    await terminal.waitFor('Enter shows it once more');
    terminal.press('ctrlU');
    terminal.press('up');
    terminal.press('ctrlE');
    await terminal.waitForNo('}');
    terminal.press('enter');
    await terminal.waitFor('that is not JSON');
    expect(fake.calls()).toEqual([]);
  });
});
