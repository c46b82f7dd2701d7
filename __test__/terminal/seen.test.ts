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
  withSeen,
  withView,
  type AskPlace,
  type PagePlace,
  type PanelPlace,
  type ScreenState,
} from '../../ts/cli/chat/screen/state.js';
import { approval } from './fake.js';
import { viewOf } from './presses.js';

const asked = (ask: WaitingAsk): ScreenState => withView(START, viewOf(ask), 0);

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
  return [withSeen(placed, drawn.seen), drawn];
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
    approval('execute', { command: 'rm -rf a' }, {}, { dangers: ['it takes away what may not come back'] }),
    approval('execute', { command: 'ls' }),
  ];
  const at = { ...PANEL, about: { of: 'auto' } as const };
  const [, drawn] = look(asked(approval('execute', { command: 'ls' })), at, others);
  const text = drawn.lines.join(' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('this call and 2 others that wait too');
  expect(text).toContain('it takes away what may not come back');
});
