/** What is written: answers to questions, and prompts. */
import { describe, expect, test } from 'vitest';
import { questions, withFake, type Fake } from './fake.js';
import { decided, start } from './stage.js';
import { matchesScreen, type TerminalOptions } from './terminal.js';

withFake();

describe('questions', () => {
  const asked = questions([
    {
      kind: 'multiple_choice',
      header: 'language',
      question: 'Which language should the greeting be in?',
      options: [{ label: 'English', description: 'as it is now' }, { label: 'German' }],
    },
    {
      kind: 'multi_select',
      question: 'Which files?',
      options: [{ label: 'a.ts' }, { label: 'b.ts' }],
      required: false,
    },
    { kind: 'text', question: 'What for?' },
  ]);

  async function start3(): Promise<Fake> {
    const fake = start({ isBusy: true, asks: [asked] }, { columns: 60 });
    await fake.terminal.waitFor('Esc twice answers none');
    return fake;
  }

  test('one at a time: with the arrows, with space, with words', async () => {
    const fake = await start3();
    const { terminal } = fake;
    matchesScreen('question-60', terminal.screen());
    terminal.press('down');
    await terminal.waitFor('❯ 2. German');
    terminal.press('enter');
    await terminal.waitFor(/2 of 3[^]*Enter answers/);
    terminal.press(' ');
    await terminal.waitFor('◉ 1. a.ts');
    terminal.press('2');
    await terminal.waitFor('◉ 2. b.ts');
    terminal.press(' ');
    await terminal.waitFor('○ 2. b.ts');
    terminal.press('enter');
    await terminal.waitFor(/3 of 3[^]*Enter answers/);
    await terminal.pressUntil('enter', 'this one must be answered');
    terminal.paste('two\nlines');
    await terminal.waitFor('lines');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), ['German', ['a.ts'], 'two\nlines']]);
  });

  test('other words than the options have', async () => {
    const fake = await start3();
    const { terminal } = fake;
    terminal.type('Français');
    await terminal.waitFor('something else: Français');
    terminal.press('enter');
    await terminal.waitFor(/2 of 3[^]*Enter answers/);
    await terminal.pressUntil('enter', '3 of 3');
    terminal.type('fun');
    await terminal.waitFor('› fun');
    terminal.press('enter');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), ['Français', null, 'fun']]);
  });

  test('"something else" needs words, and Esc answers none', async () => {
    const fake = await start3();
    const { terminal } = fake;
    terminal.press('3');
    await terminal.waitFor('❯ 3. something else:');
    terminal.press('enter');
    await terminal.waitFor('must be answered');
    terminal.press('escape');
    await terminal.waitFor('Esc again');
    terminal.press('escape');
    expect(await decided(fake)).toEqual(['answer', expect.any(String), null]);
  });
});

describe('the prompt', () => {
  async function prompt(options: TerminalOptions = {}): Promise<Fake> {
    const fake = start({}, options);
    await fake.terminal.waitFor('what should I do');
    return fake;
  }

  test('wide characters, several lines, and the cursor where they are', async () => {
    const fake = await prompt({ columns: 60 });
    const { terminal } = fake;
    terminal.type('日本語 🟢 word');
    await terminal.waitFor('word');
    await terminal.waitUntil(() => terminal.cursor.x === 2 + 6 + 1 + 2 + 1 + 4, 'the cursor behind it');
    terminal.paste('\n  two');
    await terminal.waitFor('    two');
    terminal.press('up');
    terminal.press('ctrlA');
    terminal.press('right');
    terminal.press('backspace');
    await terminal.waitForNo('日');
    await terminal.waitUntil(() => terminal.cursor.x === 2, 'the cursor at the beginning');
    terminal.press('enter');
    await terminal.waitFor('you said');
    expect(fake.calls()).toEqual([['submit', '本語 🟢 word\n  two']]);
  });

  test('what was entered before comes back', async () => {
    const { terminal } = await prompt();
    for (const line of ['one', 'two']) {
      terminal.type(`${line}\r`);
      await terminal.waitFor(`you said: ${line}`);
    }
    terminal.type('three');
    await terminal.waitFor('› three');
    terminal.press('up');
    await terminal.waitFor('› two');
    terminal.press('up');
    await terminal.waitFor('› one');
    terminal.press('down');
    terminal.press('down');
    await terminal.waitFor('› three');
  });

  test('commands are listed, and Tab completes', async () => {
    const { terminal } = await prompt();
    terminal.type('/p');
    const screen = await terminal.waitFor('which policies hold');
    expect(screen).toContain('/pending');
    expect(screen).not.toContain('/quit');
    terminal.type('o');
    await terminal.waitFor('› /po');
    terminal.press('tab');
    await terminal.waitFor('› /policy');
  });

  test('Ctrl+C empties it, Ctrl+D leaves when it is empty', async () => {
    const fake = await prompt();
    const { terminal } = fake;
    terminal.type('something');
    await terminal.waitFor('› something');
    terminal.press('ctrlC');
    await terminal.waitFor('what should I do');
    terminal.press('ctrlD');
    expect(await terminal.ended()).toBe(0);
    expect(fake.calls()).toEqual([['close']]);
  });
});
