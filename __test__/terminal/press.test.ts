/** What keys decide, and when: nothing is decided about what cannot have been seen. */
import { describe, expect, test } from 'vitest';
import type { WaitingAsk } from '../../ts/cli/chat/view.js';
import { draftOf } from '../../ts/cli/chat/screen/draft.js';
import type { KeyName } from '../../ts/cli/chat/screen/keys.js';
import { readAnswer as readInChat } from '../../ts/cli/chat/answers.js';
import { readAnswer, SHORT, untaken } from '../../ts/terminal/answers.js';
import type { ApprovalAsk } from '../../ts/cli/chat/view.js';
import { heldNow, withReconsidered } from '../../ts/cli/chat/screen/press-approval.js';
import {
  sent,
  START,
  unseen,
  unsent,
  withView,
  type KeyAction,
  type ScreenState,
} from '../../ts/cli/chat/screen/state.js';
import { approval, questions } from './fake.js';
import { pressAt, Sitting, viewOf } from './presses.js';

const [first, second] = [approval('execute', { command: 'one' }), approval('execute', { command: 'two' })];

/** Presses one key at a time of the clock. */
const at = (
  state: ScreenState,
  now: number,
  typed: string | { name: KeyName },
  isAlone = true,
  view = viewOf(first),
): { state: ScreenState; action?: KeyAction } => pressAt(state, now, typed, isAlone, view);

const asked = (now: number, state = START): ScreenState => withView(state, viewOf(first), now);

const enter = { name: 'enter' } as const;
const approved = [{ type: 'decide', decision: { type: 'approve' } }];

describe('keys that come too early', () => {
  test('decide nothing for a quarter of a second', () => {
    for (const key of ['y', 'A', 's', 'n', 'x', enter]) {
      const { state, action } = at(asked(1000), 1249, key);
      const draft = state.ask?.at.at === 'panel' ? state.ask.at.draft.text : undefined;
      expect([action, draft, state.said]).toEqual([undefined, '', expect.stringContaining('too early')]);
    }
    expect(at(asked(1000), 1000, { name: 'escape' }).action).toBeUndefined();
    const { state } = at(asked(1000), 1250, 'y');
    expect(at(state, 1251, enter).action).toMatchObject({ type: 'decide', answers: approved });
  });

  test('Enter alone runs nothing for a second: somebody may press it out of habit', () => {
    const early = at(asked(1000), 1900, enter);
    expect([early.action, early.state.said]).toEqual([undefined, expect.stringContaining('too early')]);
    expect(at(asked(1000), 2000, enter).action).toMatchObject({ answers: approved });
  });

  test('what stands out has the cursor on no, and is approved by a second Enter, not by one that came with the first', () => {
    for (const doubt of [
      { warnings: ['a part of it is not shown'] },
      { dangers: ['it may delete something for good'] },
    ]) {
      const doubtful = { ...first, ...doubt, isHarmless: false } as WaitingAsk;
      const start = withView(START, viewOf(doubtful), 1000);
      expect(at(start, 5000, enter)).toMatchObject({ state: { ask: { at: { at: 'reason' } } } });
      for (const [key, type] of [
        ['y', 'decide'],
        ['A', 'approveAll'],
      ] as const) {
        let { state } = at(at(start, 2000, key).state, 2001, enter);
        if (key === 'A') ({ state } = at(at(state, 2400, 'y').state, 2401, enter));
        expect(state.said).toContain('careful');
        expect(at(state, key === 'A' ? 2500 : 2100, enter).action).toBeUndefined();
        expect(at(state, 3500, enter).action).toMatchObject({ type });
      }
      // Nor by a word for it.
      let { state, action } = at(start, 2000, 'o');
      ({ state, action } = at(state, 2001, 'k'));
      ({ state, action } = at(state, 2400, enter));
      expect([action, state.said]).toEqual([undefined, expect.stringContaining('careful')]);
      expect(at(state, 3500, enter).action).toMatchObject({ answers: approved });
    }
  });

  test('but Ctrl+C does', () => {
    expect(at(asked(1000), 1000, { name: 'ctrl-c' }).action).toEqual({ type: 'interrupt' });
  });

  test('go on with a prompt that was being written, for a second after each', () => {
    const writing = { ...START, draft: draftOf('remove it, m'), draftedAt: 900 };
    let { state, action } = at(asked(1000, writing), 1850, 'y');
    expect([state.draft.text, action]).toEqual(['remove it, my', undefined]);
    ({ state, action } = at(state, 2800, ' way'));
    expect([state.draft.text, action]).toEqual(['remove it, my way', undefined]);
    ({ state } = at(state, 3800, 'y'));
    ({ state, action } = at(state, 3801, enter));
    expect(action).toMatchObject({ type: 'decide', answers: approved });
    // It is still there when that is over.
    expect(withView(state, viewOf(), 4000).draft.text).toBe('remove it, my way');
  });

  test('for each question anew', () => {
    const { state } = at(at(asked(1000), 2000, 'y').state, 2001, enter);
    const next = withView(state, viewOf(second), 2010);
    expect(at(next, 2100, 'y').state.said).toContain('too early');
    const answer = at(at(next, 2260, 'y').state, 2261, enter, true, viewOf(second)).action;
    expect(answer).toMatchObject({ answers: [{ approvalId: second.request.approvalId }] });
  });

  test('also for what "always" means, for other arguments, and after the editor', () => {
    const { state } = at(at(asked(1000), 2000, 's').state, 2001, enter);
    expect(at(state, 2100, 'y').state.said).toContain('too early');
    expect(at(at(state, 2260, 'y').state, 2261, enter).action).toMatchObject({ answers: [{ type: 'always' }] });
    const edit = at(at(asked(1000), 2000, 'e').state, 2001, enter).state;
    const place = { at: 'edit' as const, draft: draftOf('ls'), field: 'command' };
    const shown = at({ ...edit, ask: { ...edit.ask!, at: place } }, 3000, enter);
    expect(shown.action).toMatchObject({ type: 'reconsider', args: { command: 'ls' } });
    const changed = { ...first, request: { ...first.request, args: { command: 'ls' } } } as ApprovalAsk;
    const again = withReconsidered(
      shown.state,
      { args: { command: 'ls' }, text: 'ls', field: 'command' },
      changed,
      3010,
    );
    expect(at(again, 3100, enter).action).toBeUndefined();
    expect(at(at(again, 3300, 'y').state, 3301, enter).action).toMatchObject({
      answers: [{ decision: { type: 'edit', args: { command: 'ls' } } }],
    });
    expect(at(unseen(asked(1000), 5000), 5100, 'y').state.said).toContain('too early');
  });
});

test('what was answered is not answered again, unless it was not taken', () => {
  const answered = sent(asked(1000), [first.request.approvalId]);
  expect(at(answered, 5000, enter).action).toBeUndefined();
  expect(at(unsent(answered, first.request.approvalId), 5000, enter).action).toMatchObject({ type: 'decide' });
  expect(unsent(answered, 'another')).toBe(answered);
});

describe('what was being written when somebody was faster', () => {
  const mia = { [first.request.approvalId]: 'approved by mia' };
  const size = { columns: 80, rows: 24 };

  function overtaken(...next: WaitingAsk[]): Sitting {
    const sitting = new Sitting([first], size);
    sitting.wait(1500);
    for (const letter of "no, don't") sitting.type(letter);
    sitting.wait(300);
    sitting.show(next, mia);
    return sitting;
  }

  test('stays on the line, whole, and is no prompt before Enter said so twice', () => {
    const sitting = overtaken();
    expect(sitting.state.said).toContain('approved by mia');
    for (const letter of ' do it') expect(sitting.type(letter)).toBeUndefined();
    expect(sitting.frame.lines.join('\n')).toContain("no, don't do it");
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('press Enter again');
    // Another key takes that back.
    sitting.type('!');
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.press('enter')).toMatchObject({ type: 'submit', line: "no, don't do it!" });
  });

  test('is taken away by Esc, and the prompt that was being written before comes back', () => {
    const sitting = new Sitting([], size);
    for (const letter of 'next, ') sitting.type(letter);
    sitting.show([first]);
    sitting.wait(1500);
    sitting.type('stop');
    sitting.show([], mia);
    expect(sitting.state.draft.text).toBe('stop');
    sitting.press('escape');
    expect(sitting.state.draft.text).toBe('next, ');
    expect(sitting.press('enter')).toMatchObject({ type: 'submit', line: 'next,' });
  });

  test('is not taken for the next one, nor what is typed on', () => {
    const sitting = overtaken(second);
    expect(sitting.state.ask?.at).toMatchObject({ at: 'panel', draft: { text: '' } });
    for (const letter of ' do it') {
      sitting.wait(200);
      sitting.type(letter);
    }
    expect(sitting.state.ask?.at).toMatchObject({ at: 'panel', draft: { text: '' } });
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.draft.text).toBe("no, don't do it");
  });

  test.each(['stop it', 'no', 'n', 'yes'])('is no yes to the next one by Enter, whenever it comes: %j', (words) => {
    for (const pause of [0, 300, 1200, 5000]) {
      const sitting = new Sitting([first, second], size);
      sitting.wait(1500);
      for (const letter of words) sitting.type(letter);
      sitting.show([second], mia);
      sitting.wait(pause);
      const shown = (): string => sitting.frames.at(-1) ?? '';
      expect(shown()).toContain(`› ${words}`);
      expect(shown()).toMatch(/stays on the\s+line/);
      expect(shown()).not.toContain('two');
      expect(sitting.press('enter')).toBeUndefined();
      expect(shown()).toContain('Esc takes it away');
      // Nothing is taken back by time.
      sitting.wait(1500);
      expect(shown()).toContain(`› ${words}`);
      expect(sitting.press('enter')).toMatchObject({ type: 'submit', line: words });
      // Only now is the next call shown, with the cursor where Enter decides nothing.
      expect(shown()).toContain('Run `two`?');
      sitting.wait(5000);
      expect(shown()).not.toContain('❯ y');
      expect(sitting.press('enter')).toBeUndefined();
      expect(sitting.state.ask?.at).toMatchObject({ at: 'whole' });
      sitting.press('escape');
      sitting.type('y');
      expect(sitting.press('enter')).toMatchObject({ answers: approved });
    }
  });

  test('is said to be about a call that is gone, until Esc, and the next call is for a second not meant', () => {
    const sitting = overtaken(second);
    sitting.type('!');
    expect(sitting.frames.at(-1)).toMatch(/Esc takes it away, and\s+the\s+next\s+call/);
    sitting.press('escape');
    expect(sitting.state.late).toBeNull();
    sitting.wait(900);
    sitting.type('y');
    expect(sitting.state.said).toContain('too early');
    // A call that is not on the screen goes and comes without a word that hides this one.
    const again = overtaken(second);
    again.show([first]);
    expect(again.state.late).not.toBeNull();
    expect(again.frames.at(-1)).toMatch(/stays on the\s+line/);
  });

  test('also where nothing was written: a cursor that was on no is not on the yes of the next one', () => {
    const sitting = new Sitting([first, second], size);
    sitting.wait(1500);
    for (let time = 0; time < 9; time += 1) sitting.press('down');
    sitting.press('up');
    sitting.show([second], mia);
    sitting.wait(1500);
    expect(sitting.frames.at(-1)).not.toContain('❯ y');
    expect(sitting.press('enter')).toBeUndefined();
  });

  test('the letter that opened an editor is nothing that was written', () => {
    const sitting = new Sitting([first, second], size);
    sitting.hasEditor = true;
    sitting.wait(1500);
    sitting.type('e');
    expect(sitting.press('enter')).toMatchObject({ type: 'edit' });
    sitting.show([second], mia);
    expect(sitting.state.late).toBeNull();
    sitting.wait(1500);
    expect(sitting.press('enter')).toBeUndefined();
  });

  test('never takes more lines than there are', () => {
    for (const rows of [2, 3, 4, 5, 6, 24])
      for (const columns of [20, 80]) {
        const sitting = overtaken(second);
        sitting.resize({ columns, rows });
        sitting.press('enter');
        expect(sitting.frame.lines.length).toBeLessThan(Math.max(rows, 4));
      }
  });
});

test('a window that shrinks between the two yeses shows no yes for a call that is out of sight, and asks for none', () => {
  const long = 'rm -rf build && echo one && echo two && echo three && echo four && echo five && echo six';
  // The short one was seen in the same width, and has no line in the small window.
  for (const [command, columns, written] of [
    [long, 80, ''],
    [long, 80, 'y'],
    ['rm -rf build', 40, ''],
  ] as const) {
    const ask = { ...approval('execute', { command }), dangers: ['it may delete something for good'] };
    const sitting = new Sitting([ask], { columns, rows: columns === 80 ? 24 : 12 });
    sitting.wait(1500);
    sitting.type('y');
    sitting.press('enter');
    sitting.wait(1500);
    sitting.wait(1500);
    expect(sitting.state.said).toContain('press Enter again to run it');
    if (written !== '') sitting.type(written);
    sitting.resize({ columns: 40, rows: 9 });
    sitting.wait(1500);
    expect(sitting.frames.at(-1)).toContain('more');
    expect(sitting.frames.at(-1)).not.toContain('press Enter again');
    expect(sitting.frames.at(-1)).not.toContain('❯y');
    expect(sitting.press('enter')).toBeUndefined();
  }
});

test('Shift+Tab leads back to what was answered, and Enter on to what was chosen', () => {
  const asking = questions([
    { kind: 'multiple_choice', question: 'Which?', options: [{ label: 'English' }, { label: 'Yes' }] },
    { kind: 'multi_select', question: 'Parts?', options: [{ label: 'Docs' }, { label: 'Code' }, { label: 'Tests' }] },
  ]);
  const sitting = new Sitting([asking], { columns: 80, rows: 24 });
  sitting.wait(1500);
  sitting.type('2');
  sitting.press('enter');
  sitting.wait(300);
  sitting.type('1');
  sitting.type('3');
  sitting.press('shift-tab');
  expect(sitting.state.ask?.at).toMatchObject({ index: 0, option: 1 });
  sitting.press('enter');
  sitting.wait(300);
  expect(sitting.state.ask?.at).toMatchObject({ index: 1, chosen: [0, 2] });
  expect(sitting.press('enter')).toMatchObject({ answers: ['Yes', ['Docs', 'Tests']] });
});

test('an Enter that is not alone runs nothing, wherever it is', () => {
  for (const key of ['y', 'A', 's', 'e', 'E']) {
    const { state, action } = at(at(asked(1000), 3000, key).state, 3000, enter, false);
    expect([action, state.ask?.at.at]).toEqual([undefined, 'panel']);
  }
  const { state } = at(at(asked(1000), 2000, 's').state, 2001, enter);
  expect(at(at(state, 3000, 'y').state, 3000, enter, false).action).toBeUndefined();
});

test('a held edit is given when the other call is decided elsewhere, wherever the person is at that one', () => {
  for (const keys of [
    ['d', 'enter'],
    ['n', 'enter'],
    ['s', 'enter'],
    ['n', 'ctrl-u'],
    ['r', 'enter'],
    ['d', 'enter', 'escape'],
  ] as const) {
    const sitting = new Sitting([first, second], { columns: 80, rows: 24 });
    const edit = {
      type: 'decide',
      approvalId: first.request.approvalId,
      decision: { type: 'edit', args: { command: 'x' } },
    } as const;
    sitting.wait(1500);
    sitting.press('tab');
    sitting.state = { ...sitting.state, held: [edit] };
    sitting.wait(1500);
    for (const key of keys)
      if (key.length === 1) sitting.type(key);
      else sitting.press(key as KeyName);
    sitting.show([first], { [second.request.approvalId]: 'rejected by mia' });
    expect([keys, heldNow(sitting.state, sitting.view)?.action]).toEqual([keys, { type: 'decide', answers: [edit] }]);
  }
});

test('a command that a question would take is taken away by one Esc, also at once', () => {
  const asking = questions([{ kind: 'text', question: 'Which?' }]);
  const sitting = new Sitting([asking], { columns: 80, rows: 24 });
  sitting.wait(1500);
  for (const letter of '/policy') sitting.type(letter);
  expect(sitting.press('enter')).toBeUndefined();
  expect(sitting.state.said).toContain('press Enter again to answer with it');
  sitting.wait(300);
  expect(sitting.press('escape')).toBeUndefined();
  expect(sitting.state.ask?.at).toMatchObject({ draft: { text: '' } });
});

test('a piped line is told with one full stop', () => {
  expect(untaken('/policy', { broken: 'It is a command.' })).toMatch(/does not answer it\. It is a command\.$/);
});

test('a small window says how many calls have an answer, and which keys there are', () => {
  const asks = [first, second].map((ask, at) => ({ ...ask, index: at + 1, of: 2 }) as WaitingAsk);
  const sitting = new Sitting(asks, { columns: 40, rows: 12 });
  sitting.wait(1500);
  sitting.type('y');
  sitting.press('enter');
  sitting.wait(1500);
  expect(sitting.frames.at(-1)).toContain('Tool 2 of 2, 1 answered');
  expect(sitting.frames.at(-1)).toContain('Tab: the next call');
});

test('keys that are held down, Enter too, decide nothing', () => {
  const held = (sitting: Sitting): unknown[] => {
    const actions = Array.from({ length: 12 }, (_, time) => {
      sitting.wait(time === 0 ? 300 : 30);
      return sitting.press('enter');
    });
    return actions.filter((action) => action !== undefined);
  };
  // The cursor of the first is on yes, that of the second on no.
  for (const ask of [first, { ...first, isHarmless: false } as WaitingAsk]) {
    const sitting = new Sitting([ask], { columns: 80, rows: 24 });
    sitting.wait(5000);
    for (let time = 0; time < 20; time += 1) sitting.type('y');
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('is not offered here');
    expect(held(sitting)).toEqual([]);
    // Nor those that come back to the call from an empty answer.
    for (const key of ['r', 's'] as const) {
      const back = new Sitting([ask], { columns: 80, rows: 24 });
      back.wait(5000);
      back.type(key);
      expect(back.press('enter')).toBeUndefined();
      expect(held(back)).toEqual([]);
    }
  }
  // Who waits a second has let it go.
  const sitting = new Sitting([first], { columns: 80, rows: 24 });
  sitting.wait(5000);
  sitting.type('yy');
  sitting.press('enter');
  sitting.wait(1000);
  expect(sitting.press('enter')).toMatchObject({ answers: approved });
});

test('letters are keys on an empty line only, and no letter decides', () => {
  for (const key of ['y', 'n', 'e', 'r', 's', 'A', 'd', 'E', '?', '1', '2', '3', '4']) {
    const one = at(asked(1000), 3000, key);
    expect(one.action).toBeUndefined();
    const { state, action } = at(one.state, 3100, ' ok');
    expect([action, state.ask?.at]).toEqual([undefined, expect.objectContaining({ marked: 'reject' })]);
    expect(at(state, 3200, enter).action).toMatchObject({
      answers: [{ decision: { type: 'reject', reason: `${key} ok` } }],
    });
  }
});

describe('the letter of a choice that is not offered is no reason for a no', () => {
  const bare = approval(
    'note',
    { text: 'x' },
    { allowedDecisions: ['reject', 'skip'] },
    { always: null },
  ) as ApprovalAsk;

  test.each(['s', 'l', 'y', 'e', 'E', 'r', 'A', 'p', '9'])('in the chat: %s', (key) => {
    const sitting = new Sitting([bare], { columns: 80, rows: 24 });
    sitting.wait(2000);
    for (const letter of key) sitting.type(letter);
    expect(sitting.frames.at(-1)).toContain(`${key} is not offered here`);
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.frames.at(-1)).toContain(`${key} is not offered here: nothing was decided`);
    expect(sitting.state.ask?.at).toMatchObject({ draft: { text: '' } });
    for (const letter of 'so what') sitting.type(letter);
    expect(sitting.press('enter')).toMatchObject({ answers: [{ decision: { type: 'reject', reason: 'so what' } }] });
  });

  test.each(['s', 'l', 'A', 'd', 'p', '9'])('in lines: %s', (key) => {
    expect(readAnswer(key, bare.request)).toMatchObject({
      type: 'say',
      lines: [`${key} is not offered here: nothing was decided.`, SHORT],
    });
    expect(readInChat(key, bare).type).toBe('say');
  });
});

describe('what is left of words', () => {
  const backspaces = (state: ScreenState, times: number): ScreenState => {
    let after = state;
    for (let time = 0; time < times; time += 1) after = at(after, 3000 + time, { name: 'backspace' }).state;
    return after;
  };

  test.each([
    ['you must not', 11, 'y'],
    ['so', 1, 's'],
    ['Also this', 8, 'A'],
    ['yes but', 4, 'yes'],
  ])('is words: %j without its last %i', (text, times, left) => {
    for (const dangers of [[], ['it may delete something for good']]) {
      let state = withView(START, viewOf({ ...first, dangers, isHarmless: dangers.length === 0 } as WaitingAsk), 1000);
      for (const letter of text) state = at(state, 2500, letter).state;
      state = backspaces(state, times);
      expect(state.ask?.at).toMatchObject({ draft: { text: left }, marked: 'reject' });
      expect(at(state, 4000, enter).action).toMatchObject({
        answers: [{ decision: { type: 'reject', reason: left } }],
      });
    }
  });

  test('is nothing when nothing is left, and the cursor stays on no', () => {
    const state = backspaces(at(at(asked(1000), 2500, 'w').state, 2500, 'h').state, 2);
    expect(at(state, 4000, enter)).toMatchObject({ state: { ask: { at: { at: 'reason' } } } });
  });
});

describe('a no', () => {
  const asksWhy = at(at(asked(1000), 2500, 'n').state, 2600, enter);

  test('asks why, and decides nothing before', () => {
    expect([asksWhy.action, asksWhy.state.ask?.at.at]).toEqual([undefined, 'reason']);
  });

  test('takes what is written as the reason, whatever it is', () => {
    let { state } = asksWhy;
    for (const key of ['y', ' ', '2']) ({ state } = at(state, 3000, key));
    expect(at(state, 4000, enter).action).toMatchObject({
      answers: [{ decision: { type: 'reject', reason: 'y 2' } }],
    });
  });

  test('needs no reason', () => {
    expect(at(asksWhy.state, 3000, enter).action).toMatchObject({ answers: [{ decision: { type: 'reject' } }] });
  });

  test('is taken back by Esc', () => {
    const { state, action } = at(at(asksWhy.state, 3000, 'x').state, 3100, { name: 'escape' });
    expect([action, state.ask?.at]).toEqual([undefined, expect.objectContaining({ at: 'panel', marked: null })]);
  });
});

describe('with other arguments on the screen', () => {
  const other = approval('execute', { command: 'touch OTHER' }) as ApprovalAsk;
  const shown = (now: number): ScreenState =>
    withReconsidered(asked(1000), { args: { command: 'o' }, text: 'o', field: 'command' }, other, now);

  test('details are of those, and lead back to them', () => {
    const page = at(at(shown(2000), 3000, 'd').state, 3100, enter).state;
    expect(page.ask?.at).toMatchObject({ at: 'whole', about: { of: 'edited', ask: other } });
    const back = at(page, 3200, { name: 'escape' }).state;
    expect(at(at(back, 3300, 'y').state, 3400, enter).action).toMatchObject({
      answers: [{ decision: { type: 'edit', args: { command: 'o' } } }],
    });
  });

  test('words are a reason for a no, and never lead to the call as it was', () => {
    let { state } = at(shown(2000), 3000, 'y');
    ({ state } = at(state, 3100, 'o'));
    expect(state.ask?.at).toMatchObject({ about: { of: 'edited' } });
    expect(at(state, 3200, enter).action).toMatchObject({ answers: [{ decision: { type: 'reject', reason: 'yo' } }] });
    ({ state } = at(state, 3200, { name: 'backspace' }));
    ({ state } = at(state, 3300, { name: 'backspace' }));
    const { action, state: after } = at(state, 3400, enter);
    expect([action, after.said]).toEqual([undefined, expect.stringContaining('nothing was decided')]);
  });

  test('Enter alone runs nothing for a second', () => {
    expect(at(shown(2000), 2400, enter).action).toBeUndefined();
    expect(at(shown(2000), 3100, enter).action).toMatchObject({ answers: [{ decision: { type: 'edit' } }] });
  });
});

test.each([['delay'], ['why'], ["don't run"], ['go away'], ['by no means'], ['quite wrong']])(
  'words that are typed in the details or the help are a reason, whole: %j',
  (text) => {
    for (const key of ['d', '?']) {
      let { state } = at(at(asked(1000), 2500, key).state, 2600, enter);
      for (const letter of text) ({ state } = at(state, 2700, letter));
      expect(at(state, 2800, enter).action).toMatchObject({
        answers: [{ decision: { type: 'reject', reason: text } }],
      });
    }
  },
);

test.each([
  ['from before on', 1000, 30],
  ['after half a second, and repeated after another', 1500, 600],
])('Enter that is held down approves nothing: %s', (_, begin, delay) => {
  let state = asked(1000);
  for (let now = begin; now < 6000; now += now === begin ? delay : 30) {
    const pressed = at(state, now, enter);
    expect(pressed.action).toBeUndefined();
    ({ state } = pressed);
  }
});

test('Auto-approve, where another call that waits stands out, is turned on by a second Enter', () => {
  const risky = { ...second, dangers: ['it may delete something for good'], isHarmless: false } as WaitingAsk;
  const view = viewOf(first, risky);
  const press2 = (state: ScreenState, now: number, key: string | { name: KeyName }) => at(state, now, key, true, view);
  let { state } = press2(press2(withView(START, view, 1000), 2500, 'A').state, 2501, enter);
  let action: KeyAction | undefined;
  ({ state, action } = press2(press2(state, 4000, 'y').state, 4001, enter));
  expect([action, state.said]).toEqual([undefined, expect.stringContaining('careful')]);
  expect(press2(state, 5001, enter).action).toMatchObject({ type: 'approveAll' });
});

test('a reason keeps the cursor on no', () => {
  const { state } = at(asked(1000), 3000, 'wrong');
  const up = at(state, 3100, { name: 'up' }).state;
  expect(at(up, 3200, enter).action).toMatchObject({ answers: [{ decision: { type: 'reject', reason: 'wrong' } }] });
});

test('Tab right after Tab goes to the next call, and decides nothing', () => {
  const three = ['one', 'two', 'three'].map((command, index) =>
    approval('execute', { command }, {}, { index: index + 1, of: 3 }),
  );
  const sitting = new Sitting(three, { columns: 80, rows: 30 });
  sitting.wait(1500);
  for (const which of ['two', 'three', 'one']) {
    sitting.wait(50);
    expect(sitting.press('tab')).toBeUndefined();
    expect(sitting.state.ask?.ask.request.args).toEqual({ command: which });
  }
  expect(sitting.press('enter')).toBeUndefined();
  expect(sitting.frames.at(-1)).toContain('that key came too early');
});

describe('a yes in words that came in one piece', () => {
  const typed = (text: string): ScreenState => at(asked(1000), 2000, text).state;

  test('is a yes and not a reason', () => {
    for (const text of ['yes', 'Yes', 'YES', 'ok'])
      expect(at(typed(text), 3000, enter).action).toMatchObject({ answers: approved });
    expect(at(typed('yes but only the tests'), 3000, enter).action).toMatchObject({
      answers: [{ decision: { type: 'reject', reason: 'yes but only the tests' } }],
    });
  });

  test('approves only where its Enter was pressed on its own', () => {
    const { state, action } = at(typed('yes'), 3000, enter, false);
    expect([action, state.said]).toEqual([undefined, 'press Enter again']);
    expect(at(state, 4000, enter).action).toMatchObject({ answers: approved });
  });

  test('approves nothing that may not be approved: it is a reason there', () => {
    const only = { ...first.request, allowedDecisions: ['reject'] as const };
    const view = viewOf({ ...first, request: only } as WaitingAsk);
    const state = withView(typed(''), view, 2500);
    const pressed = at(at(state, 3000, 'yes').state, 3100, enter);
    expect(pressed.action).toMatchObject({ answers: [{ decision: { type: 'reject', reason: 'yes' } }] });
  });
});

describe('several calls', () => {
  const view = viewOf(first, second);
  const press2 = (state: ScreenState, now: number, key: string | { name: KeyName }) => at(state, now, key, true, view);
  const one = { approvalId: first.request.approvalId };
  const other = { approvalId: second.request.approvalId };

  test('a yes can become a no until the last has its own answer', () => {
    let state = withView(START, view, 1000);
    ({ state } = press2(press2(state, 2000, 'y').state, 2001, enter));
    expect([state.held.length, state.ask?.ask.request.approvalId]).toEqual([1, second.request.approvalId]);
    ({ state } = press2(state, 3000, { name: 'tab' }));
    expect(state.ask?.ask.request.approvalId).toBe(first.request.approvalId);
    const no = press2(press2(state, 4000, 'not this').state, 4001, enter);
    const decision = { type: 'reject', reason: 'not this' };
    expect(no.action).toMatchObject({ type: 'decide', answers: [{ ...one, decision }] });
    expect(no.state.ask?.ask.request.approvalId).toBe(second.request.approvalId);
    const left = viewOf(second);
    const after = withView(no.state, left, 4500);
    const last = at(at(after, 5000, 'y', true, left).state, 5001, enter, true, left);
    expect(last.action).toMatchObject({ type: 'decide', answers: [{ ...other, decision: { type: 'approve' } }] });
  });

  test.each([
    ['n', enter, enter],
    ['never run this', enter],
  ])('a no is given at once, so that no other person can approve the call meanwhile: %j', (text, ...keys) => {
    let { state, action } = press2(withView(START, view, 1000), 2000, text);
    for (const key of keys) ({ state, action } = press2(state, 2001, key));
    expect(action).toMatchObject({ type: 'decide', answers: [{ ...one, decision: { type: 'reject' } }] });
    expect([state.held, state.ask?.ask.request.approvalId]).toEqual([[], second.request.approvalId]);
  });

  test.each([
    ['y', 'rejected by mia', '“Run `one`” was rejected by mia: your yes is void'],
    ['s', 'approved by bob', '“Run `one`” was approved by bob: your always is void'],
    ['edit', 'approved by bob', '“Run `one`” was approved by bob: your edit is void'],
  ])('a %s that somebody overtook is told, with the call, the name, and that it is void', (how, what, said) => {
    const decision = how === 'edit' ? { type: 'edit' as const, args: {} } : { type: 'approve' as const };
    const answer =
      how === 's' ? { type: 'always' as const, scope: 'session' as const } : { type: 'decide' as const, decision };
    const state = { ...withView(START, view, 1000), held: [{ ...one, ...answer }] };
    const decided = { [one.approvalId]: what };
    const overtaken = [{ request: first.request, behind: [] }];
    const after = withView(state, { ...viewOf(second), decided, overtaken }, 3000);
    expect([after.held, after.said]).toEqual([[], said]);
  });

  test('after "No, back to the call" a second Enter runs nothing: the cursor stays on no', () => {
    let state = withView(START, viewOf(first), 1000);
    const press3 = (now: number, key: string | { name: KeyName }) => at(state, now, key, true, viewOf(first));
    ({ state } = press3(2500, 's'));
    ({ state } = press3(2600, enter));
    expect(state.ask?.at).toMatchObject({ about: { of: 'always' } });
    ({ state } = press3(4000, enter));
    expect(state.ask?.at).toMatchObject({ about: { of: 'call' }, marked: 'reject' });
    const { state: after, action } = press3(6000, enter);
    expect([action, after.ask?.at.at]).toEqual([undefined, 'reason']);
  });

  test('x skips it, and is not in the row of choices', () => {
    const sitting = new Sitting([first], { columns: 80, rows: 24 });
    sitting.wait(1500);
    expect(sitting.frames.at(-1)).not.toContain('x skip');
    sitting.type('x');
    sitting.wait(500);
    expect(sitting.frames.at(-1)).toContain('x skip');
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: [{ decision: { type: 'skip' } }] });
  });

  test('"all like this" does not count a call that has an answer of its own', () => {
    const third = approval('execute', { command: 'three' });
    const ids = [first, second, third].map(({ request }) => request.approvalId);
    const all = [first, second, third].map((each) => ({
      ...each,
      alike: ids.filter((id) => id !== each.request.approvalId),
    })) as WaitingAsk[];
    const three = viewOf(...all);
    const state = at(at(withView(START, three, 1000), 2000, 'y', true, three).state, 2001, enter, true, three).state;
    expect([state.held.length, state.ask?.ask]).toEqual([1, expect.objectContaining({ alike: [ids[2]] })]);
  });

  test('an answer that is held is given before Auto-approve is turned on', () => {
    let state = withView(START, view, 1000);
    ({ state } = press2(press2(state, 2000, 'y').state, 2001, enter));
    ({ state } = press2(press2(state, 3000, 'A').state, 3001, enter));
    const { action } = press2(press2(state, 4000, 'y').state, 4001, enter);
    expect(action).toMatchObject({ type: 'approveAll', answers: [{ ...one, decision: { type: 'approve' } }] });
  });
});

describe('a second look is for the key that comes next, and for a while', () => {
  const risky = { ...first, dangers: ['it may delete something for good'], isHarmless: false } as WaitingAsk;

  /** It is armed: y and Enter. */
  function armed(): Sitting {
    const sitting = new Sitting([risky], { columns: 80, rows: 24 });
    sitting.wait(1500);
    sitting.type('y');
    sitting.wait(500);
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('careful');
    sitting.wait(500);
    return sitting;
  }

  test.each<[string, (KeyName | { text: string } | number)[]]>([
    ['Esc', ['escape']],
    ['Ctrl+U', ['ctrl-u']],
    ['words that were taken back', ['ctrl-u', { text: 'not this' }, 'ctrl-u']],
    ['the details', ['ctrl-u', { text: 'd' }, 'enter', 'escape']],
    ['arrows', ['up', 'down']],
    ['time', [11_000]],
  ])('it is gone after %s', (_, keys) => {
    const sitting = armed();
    for (const key of keys) {
      if (typeof key === 'number') sitting.wait(key);
      else if (typeof key === 'string') sitting.press(key);
      else sitting.type(key.text);
      sitting.wait(500);
    }
    // Where only time went by, y still stands there.
    if (typeof keys[0] !== 'number') sitting.type('y');
    sitting.wait(500);
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('careful');
    sitting.wait(1000);
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: approved });
  });

  test.each(['y', 'Y', '1', 'yes', 'ok'])('%s and Enter again is the second yes, and no reason for a no', (word) => {
    const sitting = armed();
    sitting.wait(1000);
    for (const letter of word) expect(sitting.type(letter)).toBeUndefined();
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: approved });
  });

  test('a y that comes too early is not written, and takes nothing back', () => {
    const sitting = new Sitting([risky], { columns: 80, rows: 24 });
    sitting.wait(1500);
    sitting.type('y');
    expect(sitting.press('enter')).toBeUndefined();
    sitting.wait(500);
    expect(sitting.type('y')).toBeUndefined();
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('too early');
    sitting.wait(1000);
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: approved });
  });

  test('a reason that begins with a y is a reason', () => {
    const sitting = armed();
    sitting.wait(1000);
    for (const letter of 'you must not') sitting.type(letter);
    expect(sitting.press('enter')).toMatchObject({
      answers: [{ decision: { type: 'reject', reason: 'you must not' } }],
    });
  });

  test.each(['yy', 'yyy', 'nn', 'YY'])('%s decides nothing', (word) => {
    const sitting = new Sitting([risky], { columns: 80, rows: 24 });
    sitting.wait(1500);
    for (const letter of word) sitting.type(letter);
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.said).toContain('nothing was decided');
    expect(readAnswer(word, risky.request as ApprovalAsk['request'])).toMatchObject({ type: 'say' });
    expect(readInChat(word, risky as ApprovalAsk)).toMatchObject({ type: 'say' });
  });

  test.each([
    ['writing `packages/frontend/src/hello.txt` is not covered by any rule', 'why  not covered by any rule'],
    ['`rm -rf ./*`: policy.toml:14 asks: "gone"', 'why  policy.toml:14 asks: "gone"'],
  ])('where there is one row for why %s, it says that without the call', (why, row) => {
    const sitting = new Sitting([{ ...first, why } as WaitingAsk], { columns: 40, rows: 12 });
    expect(sitting.frames.at(-1)).toContain(row);
  });

  describe('a command of the prompt', () => {
    const words = { kind: 'text', question: 'Where?' } as const;
    const sit = (ask: WaitingAsk): Sitting => {
      const sitting = new Sitting([ask], { columns: 80, rows: 24 });
      sitting.wait(1500);
      return sitting;
    };

    test.each([
      ['/policy', 'is a command, for when nothing waits'],
      ['/polic', 'is not a command (did you mean /policy?)'],
      ['/status', 'is neither a command nor a reason'],
    ])('%s is no reason, and decides nothing', (line, why) => {
      const said = `${line} ${why}`;
      expect(readInChat(line, risky as ApprovalAsk)).toMatchObject({
        type: 'say',
        lines: [`Nothing was decided: ${said}.`, SHORT],
      });
      for (const before of ['panel', 'reason']) {
        const sitting = sit(risky);
        if (before === 'reason') {
          sitting.type('n');
          sitting.press('enter');
          expect(sitting.state.ask?.at.at).toBe('reason');
        }
        for (const letter of line) sitting.type(letter);
        for (const _ of 'ab') {
          expect(sitting.press('enter')).toBeUndefined();
          expect(sitting.state.said).toBe(`nothing was decided: ${said}`);
          sitting.wait(1500);
        }
        expect(sitting.frame.lines.join(' ').replaceAll(/\s+/g, ' ')).toContain('nothing was decided');
      }
    });

    test.each(['/tmp is gone', '/tmp/a', '/etc/hosts stays'])('%s is a reason', (line) => {
      expect(readInChat(line, risky as ApprovalAsk)).toEqual({ type: 'reject', reason: line });
    });

    test.each(['/policy', '/polic', '/policy git push'])('%s answers a question when it is given twice', (line) => {
      const sitting = sit(questions([words]));
      for (const letter of line) sitting.type(letter);
      expect(sitting.press('enter')).toBeUndefined();
      expect(sitting.state.said).toContain('press Enter again to answer with it');
      sitting.wait(33);
      expect(sitting.press('enter')).toBeUndefined();
      sitting.wait(1500);
      expect(sitting.press('enter')).toMatchObject({ type: 'answer', answers: [line] });
    });

    test.each(['/tmp/a', '/tmp', '/', '/etc/hosts and more'])('%s answers a question at once', (line) => {
      const sitting = sit(questions([words]));
      for (const letter of line) sitting.type(letter);
      expect(sitting.press('enter')).toMatchObject({ type: 'answer', answers: [line] });
    });

    test('an option that is called like one is an answer', () => {
      const options = [{ label: '/policy' }, { label: '/runs' }];
      const sitting = sit(questions([{ kind: 'multiple_choice', question: 'Which?', options }]));
      sitting.type('1');
      expect(sitting.press('enter')).toMatchObject({ type: 'answer', answers: ['/policy'] });
    });
  });

  test.each([200, 500, 999])('an Enter that is held down, and repeats after %i ms, gives one yes alone', (delay) => {
    const sitting = new Sitting([risky], { columns: 80, rows: 24 });
    sitting.wait(1500);
    sitting.type('y');
    expect(sitting.press('enter')).toBeUndefined();
    sitting.wait(delay);
    for (let times = 0; times < 100; times++) {
      expect(sitting.press('enter')).toBeUndefined();
      sitting.wait(33);
    }
    sitting.wait(1000);
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: approved });
  });

  test('an Enter that comes too early sends no prompt that was being written before', () => {
    const sitting = new Sitting([risky], { columns: 80, rows: 24 });
    sitting.state = { ...sitting.state, draft: draftOf('go on') };
    sitting.wait(1500);
    sitting.type('y');
    expect(sitting.press('enter')).toBeUndefined();
    sitting.wait(600);
    expect(sitting.press('enter')).toBeUndefined();
    expect(sitting.state.draft.text).toBe('go on');
    sitting.wait(1000);
    expect(sitting.press('enter')).toMatchObject({ type: 'decide', answers: approved });
  });

  test('also where something was asked about it', () => {
    const sitting = armed();
    for (const key of ['ctrl-u', 's', 'enter', 'y', 'enter'] as const) {
      if (key.length === 1) sitting.type(key);
      else sitting.press(key as KeyName);
      sitting.wait(500);
    }
    expect(sitting.state.said).toContain('careful');
    for (const key of ['escape', 'escape', 'y', 'enter'] as const) {
      sitting.wait(500);
      expect(key.length === 1 ? sitting.type(key) : sitting.press(key as KeyName)).toBeUndefined();
    }
    expect(sitting.state.said).toContain('careful');
  });

  test('also of questions: another key, or time, and Esc asks anew', () => {
    const kind = 'multiple_choice' as const;
    const asking = questions([{ kind, question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }]);
    for (const between of ['down', 11_000] as const) {
      const sitting = new Sitting([asking], { columns: 80, rows: 24 });
      sitting.wait(1500);
      expect(sitting.press('escape')).toBeUndefined();
      sitting.wait(500);
      if (between === 'down') sitting.press('down');
      else sitting.wait(between);
      sitting.wait(500);
      expect(sitting.press('escape')).toBeUndefined();
      sitting.wait(500);
      expect(sitting.press('escape')).toMatchObject({ type: 'answer', answers: null });
    }
  });
});
