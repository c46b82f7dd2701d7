/** A tool call that waits: which keys ask for what. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isThorough } from '../support/effort.js';
import { approval, withFake } from './fake.js';
import { asking, decided, start } from './stage.js';
import { KEYS } from './terminal.js';

withFake();

const LONG = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
describe('a call that waits', () => {
  test.each<[string, { type: string }]>([
    ['Y', { type: 'approve' }],
    ['N', { type: 'reject' }],
    ['escape', { type: 'reject' }],
    // What the tests below press as well.
    ...(isThorough
      ? ([
          ['y', { type: 'approve' }],
          ['n', { type: 'reject' }],
        ] as [string, { type: string }][])
      : []),
  ])('%s', async (key, decision) => {
    const fake = await asking();
    fake.terminal.press(key);
    expect(await decided(fake)).toEqual(['decide', expect.any(String), decision]);
  });

  test.runIf(isThorough)('A turns Auto-approve on', async () => {
    const fake = await asking();
    fake.terminal.press('A');
    expect(await decided(fake)).toEqual(['approveAll']);
    await fake.terminal.waitFor('🟢 Auto-approve');
  });

  test.each([
    [' no, it must not', 'no, it must not'],
    ...(isThorough
      ? [
          ['the file is wrong', 'the file is wrong'],
          ['yes, but not now', 'yes, but not now'],
        ]
      : []),
  ])('%j is the reason of a rejection', async (typed = '', reason = '') => {
    const fake = await asking();
    fake.terminal.type(typed);
    await fake.terminal.waitFor(`because: ${reason}`);
    expect(fake.calls()).toEqual([]);
    fake.terminal.press('enter');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'reject', reason }]);
  });

  test('a reason is typed key by key, and given up with Esc', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('x');
    await terminal.waitFor('because: x');
    terminal.press('y');
    await terminal.waitFor('because: xy');
    terminal.press('escape');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
  });

  test.runIf(isThorough)('what is pasted is a reason, also when it is the letter of a key', async () => {
    const fake = await asking();
    fake.terminal.paste('y');
    await fake.terminal.waitFor('because: y');
    expect(fake.calls()).toEqual([]);
  });

  // All of them without a terminal: keys.test.ts and press.test.ts.
  test.each(['y\r', ...(isThorough ? ['yy', 'yA', '\u001b[Ay', 'yn'] : [])])(
    '%j, which came together, approves nothing',
    async (typed) => {
      const fake = await asking();
      const before = fake.terminal.screen();
      fake.terminal.type(typed);
      await fake.terminal.waitFor((screen) => screen !== before, 'something else');
      expect(fake.calls().filter(([, , decision]) => (decision as { type?: string })?.type === 'approve')).toEqual([]);
      expect(fake.calls().filter(([name]) => name === 'approveAll')).toEqual([]);
    },
  );

  test('Enter alone decides nothing', async () => {
    const fake = await asking();
    fake.terminal.press('enter');
    await fake.terminal.waitFor('Enter decides nothing');
    expect(fake.calls()).toEqual([]);
  });

  test('keys before it was seen approve nothing, and what is being written goes on', async () => {
    const ask = approval('execute', { command: 'rm -rf build' });
    const fake = start({}, {}, { on: { go: { isBusy: true, asks: [ask] } } });
    const { terminal } = fake;
    await terminal.waitFor('what is to be done');
    // All at once: the prompt, and an answer to what nobody has seen.
    terminal.type(`go${KEYS.enter}${KEYS.down}y`);
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([['submit', 'go']]);
    terminal.press('y');
    await terminal.waitFor('answered');
    expect(fake.calls()[1]).toEqual(['decide', ask.request.approvalId, { type: 'approve' }]);
  });

  test('s says what it would allow, and does it on y only', async () => {
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
    terminal.press('s');
    const screen = await terminal.waitFor('y allow all of this');
    expect(screen).toContain('commands that begin with `git status`');
    expect(screen).toContain('- in this folder');
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    terminal.press('s');
    await terminal.waitFor('y allow all of this');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['always', ask.request.approvalId, 'session']);
  });

  test.runIf(isThorough)('r gives the model a result', async () => {
    const fake = await asking();
    fake.terminal.press('r');
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

  test('keys that are not allowed are not offered, nor taken', async () => {
    const ask = approval('execute', { command: 'ls' }, { allowedDecisions: ['reject'] }, { always: null });
    const fake = await asking(ask);
    const { terminal } = fake;
    expect(terminal.screen()).not.toMatch(/y approve|e edit|r respond|· s always|A approve all/);
    for (const key of ['y', 'e', 'r', 's', 'A']) {
      terminal.press(key);
      await terminal.waitFor(`${key} is not possible here`);
    }
    expect(fake.calls()).toEqual([]);
  });

  test('? has the keys, d has all of it, to scroll through', async () => {
    const fake = await asking(approval('write_file', { file_path: 'a', content: LONG }), { rows: 20 });
    const { terminal } = fake;
    const screen = terminal.screen();
    expect(screen.split('\n').length).toBeLessThan(20);
    expect(screen).toContain('file_path: a');
    expect(screen).toContain('line 59');
    expect(screen).toMatch(/… \d+ more lines: d shows all/);
    terminal.press('?');
    await terminal.waitFor('Ctrl+C  Once');
    terminal.press('escape');
    await terminal.waitFor('? help');
    terminal.press('d');
    await terminal.waitFor('lines 1 to 16');
    terminal.press('j');
    await terminal.waitFor('lines 2 to 17');
    terminal.press('k');
    await terminal.waitFor('lines 1 to 16');
    terminal.press(' ');
    await terminal.waitFor('lines 17 to 32');
    // Here it means nothing. The next key comes alone or with it.
    terminal.press('y');
    terminal.press('end');
    await terminal.waitFor(/lines \d+ to (\d+) of \1 /);
    terminal.press('g');
    await terminal.waitFor('lines 1 to 16');
    terminal.press('G');
    await terminal.waitFor(/lines \d+ to (\d+) of \1 /);
    terminal.press('escape');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
  });

  test('in a window that is too small to show it nothing is approved', async () => {
    const fake = start({ asks: [approval('write_file', { file_path: 'a', content: LONG })] }, { columns: 40, rows: 7 });
    const { terminal } = fake;
    await terminal.waitFor('too small');
    terminal.press('y');
    await terminal.waitFor('y is not possible here');
    terminal.resize(80, 24);
    await terminal.waitFor('y approve');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('one after the other, and none is lost', async () => {
    const asks = ['a', 'b', 'c'].map((name, at) =>
      approval('write_file', { file_path: name }, {}, { index: at + 1, of: 3 }),
    );
    const fake = start({ isBusy: true, asks });
    const { terminal } = fake;
    for (const [at, name] of ['a', 'b', 'c'].entries()) {
      await terminal.waitFor(`Tool ${at + 1} of 3`);
      await terminal.waitFor(`${3 - at} waiting`);
      await terminal.waitFor('? help');
      expect(terminal.screen()).toContain(`file_path: ${name}`);
      terminal.press(at === 1 ? 'n' : 'y');
      await terminal.waitFor(`answered ${asks[at]!.request.approvalId}`);
    }
    expect(fake.calls().map(([, id, decision]) => [id, (decision as { type: string }).type])).toEqual([
      [asks[0]!.request.approvalId, 'approve'],
      [asks[1]!.request.approvalId, 'reject'],
      [asks[2]!.request.approvalId, 'approve'],
    ]);
  });
});

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

  test('in the editor, and they are shown before they run', async () => {
    const env = editor(`stat -c %a "$1" > $FOLDER/mode; cat "$1" > $FOLDER/was; printf '{"command":"ls"}' > "$1"`);
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    terminal.press('e');
    const screen = await terminal.waitFor('y run it like this');
    expect(screen).toContain('command: ls');
    expect(readFileSync(join(env['FOLDER']!, 'mode'), 'utf8').trim()).toBe('600');
    expect(JSON.parse(readFileSync(join(env['FOLDER']!, 'was'), 'utf8'))).toEqual({ command: 'rm -rf build' });
    terminal.press('enter');
    await terminal.waitFor('? help');
    expect(fake.calls()).toEqual([]);
    terminal.press('e');
    await terminal.waitFor('y run it like this');
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'edit', args: { command: 'ls' } }]);
  });

  test('the editor has the keyboard meanwhile, and Ctrl+C is its own', async () => {
    const env = editor(
      `trap 'echo trapped' INT; echo in the editor; until read line; do :; done; echo "$line" > $FOLDER/line; exit 1`,
    );
    const fake = await asking(undefined, { env });
    const { terminal } = fake;
    terminal.press('e');
    await terminal.waitFor('in the editor');
    terminal.press('ctrlC');
    await terminal.waitFor('trapped');
    terminal.type('y\n');
    await terminal.waitFor('not edited: the editor');
    await terminal.waitFor('? help');
    expect(readFileSync(join(env['FOLDER']!, 'line'), 'utf8')).toBe('y\n');
    expect(fake.calls()).toEqual([]);
    terminal.press('y');
    expect(await decided(fake)).toEqual(['decide', expect.any(String), { type: 'approve' }]);
  });

  test.runIf(isThorough)('in the line below, where there is no editor', async () => {
    const fake = await asking();
    const { terminal } = fake;
    terminal.press('e');
    await terminal.waitFor('"command": "rm -rf build"');
    terminal.press('enter');
    await terminal.waitFor('nothing was changed');
    terminal.press('e');
    await terminal.waitFor('Enter shows it once more');
    terminal.press('ctrlU');
    terminal.press('up');
    terminal.press('ctrlE');
    await terminal.waitForNo('}');
    terminal.press('enter');
    await terminal.waitFor('that is no JSON');
    expect(fake.calls()).toEqual([]);
  });
});
