/** What was seen of a call before it may be approved: all of what would run, and of nothing else. */
import { describe, expect, test } from 'vitest';
import type { ApprovalAsk, WaitingAsk } from '../../ts/cli/chat/view.js';
import { approvalLines, type DrawnLines } from '../../ts/cli/chat/screen/approval.js';
import type { PanelAbout } from '../../ts/cli/chat/screen/choices.js';
import { symbolsFor } from '../../ts/cli/chat/screen/layout.js';
import {
  PANEL,
  START,
  goTo,
  withStanding,
  withStood,
  withView,
  type AskPlace,
  type PagePlace,
  type PanelPlace,
  type ScreenState,
} from '../../ts/cli/chat/screen/state.js';
import { approval } from './fake.js';
import { effort } from '../support/effort.js';
import { Sitting, viewOf } from './presses.js';

const asked = (ask: WaitingAsk): ScreenState => withView(START, viewOf(ask), 0);

/** Half a second for each look. */
let clock = 1000;

/** Draws it, and keeps what was seen by that. */
function look(state: ScreenState, at: AskPlace, waiting: readonly WaitingAsk[] = []): [ScreenState, DrawnLines] {
  const placed = goTo(state, at);
  const { ask } = placed.ask!;
  const drawn = approvalLines(placed.ask!, ask as ApprovalAsk, {
    screen: { columns: 80, rows: 24, symbols: symbolsFor(true, {}) },
    room: 22,
    now: 0,
    isReady: true,
    said: '',
    together: [],
    waiting: [ask, ...waiting],
  });
  clock += 500;
  return [withStood(withStanding(placed, drawn.standing, clock), clock + 400), drawn];
}

/** From its beginning to its end, page by page. */
function readAll(state: ScreenState, at: PanelPlace | PagePlace): [ScreenState, DrawnLines] {
  let [after, drawn] = look(state, at);
  for (let scroll = 0; scroll < drawn.scroll.most;) {
    scroll = Math.min(drawn.scroll.most, scroll + drawn.scroll.page);
    [after, drawn] = look(after, { ...at, scroll });
  }
  return [after, drawn];
}

const WHOLE = { at: 'whole', about: PANEL.about, scroll: 0 } as const;

describe('what a preview leaves out', () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `echo ${at}`).join('\n');

  test.each([
    ['behind thousands of blanks', `echo hi${' '.repeat(3000)}; touch EVIL.txt;${' '.repeat(3000)}echo bye`],
    ['in the middle of a long line', `echo ${'a'.repeat(3000)}; touch EVIL.txt; echo ${'b'.repeat(3000)}`],
    ['between hundreds of lines', `${lines(400)}\ntouch EVIL.txt\n${lines(400)}`],
  ])('%s is not seen in the panel, to whatever end, but in the details', (_, command) => {
    const ask = approval('execute', { command });
    const [state, drawn] = readAll(asked(ask), PANEL);
    expect(drawn.lines.join('\n')).not.toContain('EVIL');
    expect(drawn.isShown).toBe(false);
    const [read] = readAll(state, WHOLE);
    expect(look(read, PANEL)[1].isShown).toBe(true);
  });

  test('of a file that is to be written is not seen either', () => {
    const shown = approval('write_file', { file_path: 'a', content: 'x' }).request;
    const changes = [{ path: 'a', before: null, after: 'h', diff: '', added: 900, removed: 0 }];
    const ask = approval('write_file', shown.args, { flags: ['hidden'], changes: changes as never });
    expect(readAll(asked(ask), PANEL)[1].isShown).toBe(false);
  });

  test('is nothing in a call that is short', () => {
    expect(look(asked(approval('execute', { command: 'ls' })), PANEL)[1].isShown).toBe(true);
  });
});

test('what was seen of one text says nothing of the next', () => {
  const [first, second] = ['one', 'two'].map((name) => `${'echo a\n'.repeat(40)}echo ${name}`) as [string, string];
  const edited = (text: string): PanelAbout => ({
    of: 'edited',
    args: { command: text },
    text,
    field: 'command',
    ask: approval('execute', { command: text }) as ApprovalAsk,
  });
  const panel = (text: string) => ({ ...PANEL, about: edited(text) });
  let [state, drawn] = readAll(asked(approval('execute', { command: 'ls' })), panel(first));
  expect(drawn.isShown).toBe(true);
  [state, drawn] = look(state, panel(second));
  expect(drawn.isShown).toBe(false);
  [state] = readAll(state, { ...WHOLE, about: edited(second) });
  expect(look(state, panel(second))[1].isShown).toBe(true);
  expect(look(state, panel(first))[1].isShown).toBe(false);
});

test('the details of a call with other arguments are about those', () => {
  const other = approval('execute', { command: 'touch OTHER' }) as ApprovalAsk;
  const about: PanelAbout = { of: 'edited', args: {}, text: 'touch OTHER', field: 'command', ask: other };
  const [, drawn] = look(asked(approval('execute', { command: 'touch ORIGINAL' })), { ...WHOLE, about });
  expect(drawn.lines.join('\n')).toContain('touch OTHER');
  expect(drawn.lines.join('\n')).not.toContain('ORIGINAL');
});

test('Auto-approve says what else would run at once, and what stands out in that', () => {
  const others = [
    approval('execute', { command: 'rm -rf a' }, {}, { dangers: ['it may delete something for good'] }),
    approval('execute', { command: 'ls' }),
  ];
  const at = { ...PANEL, about: { of: 'auto' } as const };
  const [, drawn] = look(asked(approval('execute', { command: 'ls' })), at, others);
  const text = drawn.lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('this call and 2 others that wait too');
  expect(text).toContain('it may delete something for good');
});

/** Presses space at most `most` times, `pace` ms apart, or until `isEnough`. */
function pressSpace(sitting: Sitting, most: number, pace: number, isEnough = (): boolean => false): void {
  for (let time = 0; time < most && !isEnough(); time += 1) {
    sitting.type(' ');
    sitting.wait(pace);
  }
}

/** What a `y` and Enter come to. */
function approved(sitting: Sitting): string | undefined {
  sitting.type('y');
  sitting.wait(500);
  return sitting.press('enter')?.type;
}

describe('what only went by was not seen', () => {
  const long = approval('execute', { command: `${'echo a\n'.repeat(60)}echo LAST` });

  test.each([
    [20, false],
    [400, true],
  ])('space every %i ms', (pace, isSeen) => {
    const sitting = new Sitting([long], { columns: 80, rows: 24 });
    sitting.wait(1500);
    pressSpace(sitting, 40, pace);
    expect(approved(sitting)).toBe(isSeen ? 'decide' : undefined);
    // One more space leads back to where it was not seen.
    if (isSeen) return;
    sitting.press('escape');
    pressSpace(sitting, 40, 400);
    expect(approved(sitting)).toBe('decide');
  });
});

test('space shows more where the panel has no room for it: the details', () => {
  const command = Array.from({ length: 90 }, (_, at) => `node tools/step${at}.mjs --flag=${at}`).join(' && ');
  const sitting = new Sitting([approval('execute', { command })], { columns: 40, rows: 12 });
  sitting.wait(1500);
  pressSpace(sitting, 300, 300, () => sitting.frame.isShown);
  expect(approved(sitting)).toBe('decide');
});

describe('nothing is approved whose end never stood together with the choices, or in the details', () => {
  const file = (count: number) => `${'// a\n'.repeat(count - 1)}END()\n`;
  const change = (path: string, before: string | null, count: number) => ({
    path,
    target: path,
    before,
    after: null,
    added: count,
    removed: 0,
    diff: `a new file: +${count} −0\n@@ -0,0 +1,${count} @@\n${'│ + // a\n'.repeat(count - 1)}│ + END()`,
  });
  const KINDS: Record<string, (count: number) => WaitingAsk> = {
    command: (count) => approval('execute', { command: `${'echo a\n'.repeat(count - 1)}END()` }),
    danger: (count) =>
      approval('execute', { command: `${'echo a\n'.repeat(count - 1)}END()` }, {}, { dangers: ['it deletes'] }),
    file: (count) => {
      const made = change('a.js', null, count);
      const args = { file_path: 'a.js', content: file(count) };
      return approval('write_file', args, {
        changes: [made] as never,
        preview: `write_file\n│ file_path: a.js\n${made.diff}`,
        flags: [],
      });
    },
    'one long line': (count) => approval('execute', { command: `${'a'.repeat(count * 30)} END()` }),
  };
  /** Between two lengths. */
  const STEP = effort(15, 4);
  const SIZES = [
    [80, 24],
    [60, 20],
    [120, 40],
    [40, 12],
  ] as const;
  /** What people press who do not read. */
  const HABITS: ('y' | ' ' | 'd' | 'e' | 's' | 'A' | 'enter' | 'escape' | 'down' | 'tab' | 'page-down' | 'resize')[][] =
    [
      ['enter', 'enter', 'enter'],
      ['y', 'enter', 'enter', 'enter'],
      ['y', 'enter', 'escape', 'y', 'enter', 'enter'],
      ['y', 'resize', 'enter', 'enter'],
      ['resize', 'y', 'enter', 'resize', 'enter', 'enter'],
      ['d', 'enter', 'y', 'enter', 'enter'],
      ['d', 'enter', 'escape', 'y', 'enter', 'enter'],
      ['s', 'enter', 'y', 'enter', 'enter'],
      ['A', 'enter', 'y', 'enter', 'enter'],
      [' ', 'y', 'enter', 'enter'],
      ['page-down', 'escape', 'y', 'enter', 'enter'],
    ];

  test.each(Object.entries(KINDS))('%s', (_, make) => {
    let approved = 0;
    for (const [columns, rows] of SIZES)
      for (let count = 1 + (columns % STEP); count <= 45; count += STEP)
        for (const habit of HABITS) {
          const sitting = new Sitting([make(count)], { columns, rows });
          for (const key of habit) {
            sitting.wait(1100);
            const isLetter = key.length === 1;
            const action =
              key === 'resize'
                ? sitting.resize({ columns, rows: sitting.size.rows === rows ? rows - 3 : rows })
                : isLetter
                  ? sitting.type(key)
                  : sitting.press(key as 'enter');
            if (action?.type !== 'decide' && action?.type !== 'approveAll') continue;
            approved += 1;
            const answer = action.type === 'decide' ? action.answers[0] : undefined;
            if (answer?.type === 'decide' && answer.decision.type === 'reject') break;
            const hasEnd = sitting.frames.some(
              (text) =>
                text.includes('END()') && (/ [yn] {1,2}(Yes|No)|[ ❯]y Yes/.test(text) || text.includes('or answer it')),
            );
            expect(hasEnd, `${columns}×${rows}, ${count} lines: ${habit.join(' ')}`).toBe(true);
            break;
          }
        }
    expect(approved).toBeGreaterThan(20);
  });
});
