/** What keys decide, and when: nothing is decided about what nobody can have seen. */
import { describe, expect, test } from 'vitest';
import type { WaitingAsk, ChatView } from '../../ts/cli/chat/view.js';
import { draftOf } from '../../ts/cli/chat/screen/draft.js';
import type { PressedKey, KeyName } from '../../ts/cli/chat/screen/keys.js';
import { press } from '../../ts/cli/chat/screen/press.js';
import type { PressContext } from '../../ts/cli/chat/screen/press-context.js';
import {
  sent,
  START,
  unseen,
  unsent,
  withView,
  type KeyAction,
  type ScreenState,
} from '../../ts/cli/chat/screen/state.js';
import { approval } from './fake.js';

const viewOf = (...asks: WaitingAsk[]): ChatView => ({
  mode: 'safe',
  isBusy: true,
  model: 'm',
  folder: '/',
  entries: [],
  asks,
  todos: [],
  subagents: [],
});

const [first, second] = [approval('execute', { command: 'one' }), approval('execute', { command: 'two' })];

/** Presses one key at a time of the clock. */
function at(
  state: ScreenState,
  now: number,
  typed: string | { name: KeyName },
  isAlone = true,
): { state: ScreenState; action?: KeyAction } {
  const key: PressedKey = typeof typed === 'string' ? { kind: 'text', text: typed } : { kind: 'key', name: typed.name };
  const around: PressContext = {
    view: viewOf(first),
    now,
    typedAfter: now,
    complete: () => [],
    isShown: true,
    scroll: { most: 0, page: 1 },
    hasEditor: false,
  };
  return press(state, { key, isAlone }, around);
}

const asked = (now: number, state = START): ScreenState => withView(state, viewOf(first), now);

describe('keys that come too early', () => {
  test('decide nothing for a quarter of a second', () => {
    for (const key of ['y', 'A', 's', 'n', 'x']) {
      const { state, action } = at(asked(1000), 1249, key);
      expect([action, state.ask?.at.at, state.said]).toEqual([undefined, 'keys', expect.stringContaining('too early')]);
    }
    expect(at(asked(1000), 1000, { name: 'escape' }).action).toBeUndefined();
    expect(at(asked(1000), 1250, 'y').action).toMatchObject({ type: 'decide', decision: { type: 'approve' } });
  });

  test('what stands out is approved by a second key, and not by one that came with the first', () => {
    const warned = { ...first, warnings: ['a part of it is not shown: d shows all of it'] } as WaitingAsk;
    for (const [key, type] of [
      ['y', 'decide'],
      ['A', 'approveAll'],
    ] as const) {
      const once = at(withView(START, viewOf(warned), 1000), 2000, key);
      expect([once.action, once.state.said]).toEqual([undefined, expect.stringContaining('look twice, a part of it')]);
      expect(at(once.state, 2100, key).action).toBeUndefined();
      expect(at(once.state, 2300, key).action).toMatchObject({ type });
    }
    // Nor by a word for it.
    let { state, action } = at(withView(START, viewOf(warned), 1000), 2000, 'o');
    ({ state, action } = at(state, 2001, 'k'));
    ({ state, action } = at(state, 2400, { name: 'enter' }));
    expect([action, state.said]).toEqual([undefined, expect.stringContaining('look twice')]);
    expect(at(state, 2800, { name: 'enter' }).action).toMatchObject({ decision: { type: 'approve' } });
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
    ({ state, action } = at(state, 3800, 'y'));
    expect(action).toMatchObject({ type: 'decide', decision: { type: 'approve' } });
    // It is still there when that is over.
    expect(withView(state, viewOf(), 4000).draft.text).toBe('remove it, my way');
  });

  test('for each question anew', () => {
    const { state } = at(asked(1000), 2000, 'y');
    const next = withView(state, viewOf(second), 2010);
    expect(at(next, 2100, 'y').action).toBeUndefined();
    expect(at(next, 2260, 'y').action).toMatchObject({ approvalId: second.request.approvalId });
  });

  test('also for what "always" means, for other arguments, and after the editor', () => {
    const { state } = at(asked(1000), 2000, 's');
    expect(at(state, 2100, 'y').action).toBeUndefined();
    expect(at(state, 2250, 'y').action).toMatchObject({ type: 'always' });
    const edit = at(asked(1000), 2000, 'e').state;
    const all = { ...edit, ask: { ...edit.ask!, at: { at: 'edit' as const, draft: draftOf('{"command":"ls"}') } } };
    const shown = at(all, 3000, { name: 'enter' });
    expect([shown.state.ask?.at.at, shown.action]).toEqual(['edited', undefined]);
    expect(at(shown.state, 3100, 'y').action).toBeUndefined();
    expect(at(shown.state, 3250, 'y').action).toMatchObject({ decision: { type: 'edit', args: { command: 'ls' } } });
    expect(at(unseen(asked(1000), 5000), 5100, 'y').action).toBeUndefined();
  });
});

test('what was answered is not answered again, unless it was not taken', () => {
  const answered = sent(asked(1000));
  expect(at(answered, 5000, 'y').action).toBeUndefined();
  expect(at(unsent(answered, first.request.approvalId), 5000, 'y').action).toMatchObject({ type: 'decide' });
  expect(unsent(answered, 'another')).toBe(answered);
});

test('a reason that was half written is not taken for the next one', () => {
  const { state } = at(asked(1000), 2000, 'x');
  expect(state.ask?.at).toMatchObject({ at: 'reason', draft: { text: 'x' } });
  const next = withView(state, viewOf(second), 3000);
  expect(next.ask?.at.at).toBe('keys');
  expect(next.said).toContain('no longer waits');
});

test('a key that is not alone approves nothing, wherever it is', () => {
  expect(at(asked(1000), 2000, 'y', false).action).toBeUndefined();
  expect(at(asked(1000), 2000, 'A', false).action).toBeUndefined();
  const { state } = at(asked(1000), 2000, 's');
  expect(at(state, 3000, 'y', false).action).toBeUndefined();
});

describe('a yes in words that came in one piece', () => {
  const typed = (text: string): ScreenState => at(asked(1000), 2000, text).state;

  test('is a yes and not a reason', () => {
    for (const text of ['yes', 'Yes', 'YES', 'ok'])
      expect(at(typed(text), 3000, { name: 'enter' }).action).toMatchObject({ decision: { type: 'approve' } });
    expect(at(typed('yes but only the tests'), 3000, { name: 'enter' }).action).toMatchObject({
      decision: { type: 'reject', reason: 'yes but only the tests' },
    });
  });

  test('approves only where its Enter was pressed on its own', () => {
    const { state, action } = at(typed('yes'), 3000, { name: 'enter' }, false);
    expect([action, state.ask?.at.at, state.said]).toEqual([undefined, 'reason', 'Enter once more approves it']);
    expect(at(state, 4000, { name: 'enter' }).action).toMatchObject({ decision: { type: 'approve' } });
  });

  test('approves nothing that may not be approved', () => {
    const only = { ...first.request, allowedDecisions: ['reject'] as const };
    const view = viewOf({ ...first, request: only } as WaitingAsk);
    const around = { view, now: 3000, typedAfter: 3000, complete: () => [], isShown: true, hasEditor: false };
    const state = withView(typed('yes'), view, 2500);
    const enter = { key: { kind: 'key', name: 'enter' } as const, isAlone: true };
    const pressed = press(state, enter, { ...around, scroll: { most: 0, page: 1 } });
    expect([pressed.action, pressed.state.said]).toEqual([undefined, 'it cannot be approved here']);
  });
});
