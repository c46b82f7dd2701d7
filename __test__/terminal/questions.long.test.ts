/** Questions of the model: what was seen of one before it is answered, and what Esc does. */
import { describe, expect, test } from 'vitest';
import type { Question } from '../../index.js';
import type { KeyName } from '../../ts/cli/chat/screen/keys.js';
import { questions } from './fake.js';
import { Sitting } from './presses.js';

const SIZES = [
  [80, 24],
  [60, 20],
  [120, 40],
  [40, 12],
] as const;

/** Each line ends in a mark of its own. */
const text = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `some words about it, then <${name}${at}>`).join('\n');
const options = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ label: `<o${at}>`, description: `what that would mean, in <d${at}>` }));

const KINDS: Record<Question['kind'], (lines: number, choices: number) => Question> = {
  text: (lines) => ({ kind: 'text', question: text('q', lines) }),
  multiple_choice: (lines, choices) => ({
    kind: 'multiple_choice',
    question: text('q', lines),
    options: options(choices),
  }),
  multi_select: (lines, choices) => ({ kind: 'multi_select', question: text('q', lines), options: options(choices) }),
};

const marksOf = (question: Question): string[] => JSON.stringify(question).match(/<\w+>/g) ?? [];
const seenIn = (sitting: Sitting, question: Question): boolean =>
  marksOf(question).every((mark) => sitting.frames.some((frame) => frame.includes(mark)));
const shown = (sitting: Sitting): string => sitting.frames.at(-1) ?? '';

function sittingAt(question: Question, [columns, rows]: readonly [number, number]): Sitting {
  const sitting = new Sitting([questions([question])], { columns, rows });
  sitting.wait(1500);
  sitting.wait(400);
  return sitting;
}

test('two Enters in quick succession do not answer the second question with what is preselected', () => {
  const sitting = new Sitting([questions([KINDS.multiple_choice(1, 2), KINDS.multiple_choice(1, 2)])], {
    columns: 80,
    rows: 24,
  });
  sitting.wait(1500);
  sitting.press('enter');
  expect(shown(sitting)).toContain('2 of 2');
  for (let count = 0; count < 5; count += 1) {
    sitting.wait(300);
    expect(sitting.press('enter')).toBeUndefined();
  }
  expect(shown(sitting)).toContain('that key came too early: read it first');
  sitting.wait(1000);
  expect(sitting.press('enter')).toMatchObject({ type: 'answer', answers: ['<o0>', '<o0>'] });
});

test('what was chosen by a key is answered at once', () => {
  const sitting = new Sitting([questions([KINDS.multiple_choice(1, 2), KINDS.multiple_choice(1, 2)])], {
    columns: 80,
    rows: 24,
  });
  for (let count = 0; count < 2; count += 1) {
    sitting.wait(300);
    sitting.type('1');
    sitting.wait(100);
    const action = sitting.press('enter');
    if (count === 1) expect(action).toMatchObject({ type: 'answer', answers: ['<o0>', '<o0>'] });
  }
});

describe('a question that does not fit the window', () => {
  test.each(Object.keys(KINDS) as Question['kind'][])('is not answered by Enter unread: %s', (kind) => {
    let refused = 0;
    for (const size of SIZES)
      for (const [lines, choices] of [
        [1, 3],
        [9, 3],
        [3, 30],
        [60, 3],
        [60, 30],
      ] as const)
        for (const habit of [
          ['enter', 'enter', 'enter'],
          ['1', 'enter', 'enter'],
          ['down', 'down', 'enter', 'enter'],
          ['x', 'enter', 'enter'],
          [' ', 'enter', 'enter'],
          ['up', 'enter', 'page-down', 'enter'],
        ]) {
          const question = KINDS[kind](lines, choices);
          const sitting = sittingAt(question, size);
          for (const key of habit) {
            const action = key.length === 1 ? sitting.type(key) : sitting.press(key as KeyName);
            sitting.wait(400);
            if (action === undefined) continue;
            expect(seenIn(sitting, question), `${size.join('×')} ${lines} ${choices}: ${habit.join(' ')}`).toBe(true);
            break;
          }
          if (/not all of it was seen|what Enter takes/.test(shown(sitting))) refused += 1;
        }
    expect(refused).toBeGreaterThan(10);
  });

  test.each(Object.keys(KINDS) as Question['kind'][])('is scrolled to its end by space, and answered: %s', (kind) => {
    for (const size of SIZES) {
      const question = KINDS[kind](60, 30);
      const sitting = sittingAt(question, size);
      expect(sitting.press('enter')).toBeUndefined();
      expect(shown(sitting)).toMatch(/not all of it was seen: space\s+shows\s+more/);
      for (let time = 0; time < 60 && !sitting.frame.isShown; time += 1) {
        expect(shown(sitting)).toContain('space shows more');
        sitting.type(' ');
        sitting.wait(400);
      }
      expect(seenIn(sitting, question)).toBe(true);
      if (kind === 'text') for (const letter of 'to the end') sitting.type(letter);
      else sitting.type('2');
      const answer = { text: 'to the end', multiple_choice: '<o1>', multi_select: ['<o1>'] }[kind];
      expect(sitting.press('enter')).toMatchObject({ type: 'answer', answers: [answer] });
    }
  });

  test('that only went by was not seen', () => {
    const sitting = sittingAt(KINDS.multiple_choice(60, 3), [80, 24]);
    for (let time = 0; time < 60; time += 1) {
      sitting.type(' ');
      sitting.wait(20);
    }
    expect(sitting.press('enter')).toBeUndefined();
    expect(shown(sitting)).toContain('not all of it was seen');
  });

  test('has what Enter takes in sight before Enter takes it', () => {
    const sitting = sittingAt(KINDS.multiple_choice(3, 30), [80, 24]);
    while (!sitting.frame.isShown) {
      sitting.type(' ');
      sitting.wait(400);
    }
    expect(shown(sitting)).not.toContain('<o0>');
    expect(sitting.press('enter')).toBeUndefined();
    expect(shown(sitting)).toContain('this is what Enter chooses');
    expect(shown(sitting)).toContain('❯ 1. <o0>');
    expect(sitting.press('enter')).toMatchObject({ answers: ['<o0>'] });
  });

  test('keeps the cursor in sight, and never takes more lines than there are', () => {
    for (const size of [...SIZES, [20, 6], [20, 4], [10, 3]] as const) {
      const sitting = sittingAt(KINDS.multiple_choice(4, 12), size);
      for (let time = 0; time < 14; time += 1) {
        sitting.press('down');
        expect(sitting.frame.lines.length).toBeLessThan(Math.max(4, size[1]));
        if (size[1] >= 12 && time < 11) expect(shown(sitting)).toMatch(/❯ +\d*\.? *<o\d+>/);
      }
    }
  });

  test('is not answered in a window that has no room for it, and says so', () => {
    for (const [size, why] of [
      [[80, 3], /too low/],
      [[12, 24], /too narrow/],
    ] as const) {
      const sitting = sittingAt(KINDS.multiple_choice(1, 2), size);
      expect(sitting.press('enter')).toBeUndefined();
      expect(sitting.state.said).toMatch(why);
    }
  });
});

test('an Enter that is held down answers one question, not the next', () => {
  const asking = questions([KINDS.multiple_choice(1, 2), KINDS.multiple_choice(1, 3)]);
  const sitting = new Sitting([asking], { columns: 80, rows: 24 });
  sitting.wait(1500);
  for (let time = 0; time < 60; time += 1) {
    expect(sitting.press('enter')).toBeUndefined();
    sitting.wait(30);
  }
  expect(sitting.state.ask?.at).toMatchObject({ index: 1, answers: ['<o0>'] });
  sitting.wait(1000);
  expect(sitting.press('enter')).toMatchObject({ answers: ['<o0>', '<o0>'] });
});

test('what is said of Esc below a question is what it does', () => {
  const sitting = sittingAt(KINDS.multiple_choice(1, 2), [80, 24]);
  expect(shown(sitting)).toContain('Esc twice answers none');
  for (const letter of 'none') sitting.type(letter);
  expect(shown(sitting)).toContain('Esc empties the line');
  expect(sitting.press('escape')).toBeUndefined();
  expect(sitting.state.ask?.at).toMatchObject({ draft: { text: '' } });
  expect(shown(sitting)).toContain('Esc twice answers none');
  expect(sitting.press('escape')).toBeUndefined();
  expect(shown(sitting)).toContain('press Esc again to answer none');
  expect(sitting.press('escape')).toMatchObject({ type: 'answer', answers: null });
});
