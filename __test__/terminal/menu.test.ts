/** The commands that are listed while one is typed: arrows move in them, Enter takes one. */
import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import { menuOf } from '../../ts/cli/chat/screen/menu.js';
import type { KeyName } from '../../ts/cli/chat/screen/keys.js';
import { START, type KeyAction, type ScreenState } from '../../ts/cli/chat/screen/state.js';
import { pressAt, viewOf } from './presses.js';

/** A letter, or the name of a key in brackets. */
function typed(keys: string, from: ScreenState = START): { state: ScreenState; action: KeyAction | undefined } {
  let state = from;
  let action: KeyAction | undefined;
  for (const [, name, letter] of keys.matchAll(/\[([a-z-]+)\]|([^])/g)) {
    const pressed = pressAt(state, 1_000, name === undefined ? letter! : { name: name as KeyName }, true, viewOf());
    ({ state } = pressed);
    ({ action } = pressed);
  }
  return { state, action };
}

const marked = (state: ScreenState): string | undefined => {
  const menu = menuOf(state, COMMANDS);
  return menu?.commands[menu.at]?.name;
};

describe('the list of commands', () => {
  test('begins with a slash and shrinks with what is typed', () => {
    expect(marked(START)).toBeUndefined();
    expect(menuOf(typed('/').state, COMMANDS)?.commands).toEqual(COMMANDS);
    expect(menuOf(typed('/p').state, COMMANDS)?.commands.map(({ name }) => name)).toEqual(['policy', 'pending']);
    expect(menuOf(typed('/zz').state, COMMANDS)).toBeUndefined();
    expect(menuOf(typed('/policy l').state, COMMANDS)).toBeUndefined();
    expect(menuOf(typed('what is / here').state, COMMANDS)).toBeUndefined();
  });

  test('arrows move in it, and from one end to the other', () => {
    expect(marked(typed('/').state)).toBe(COMMANDS[0]!.name);
    expect(marked(typed('/[down]').state)).toBe(COMMANDS[1]!.name);
    expect(marked(typed('/[down][up][up]').state)).toBe(COMMANDS.at(-1)!.name);
    expect(marked(typed('/p[down]').state)).toBe('pending');
    // Another letter makes another list.
    expect(marked(typed('/p[down]e').state)).toBe('pending');
    expect(marked(typed('/[down][down]r').state)).toBe('runs');
  });

  test('Enter takes what the cursor is on: at once, also where something may follow', () => {
    expect(typed('/p[down][enter]').action).toEqual({ type: 'submit', line: '/pending', isKept: true });
    expect(typed('/mod[enter]').action).toEqual({ type: 'submit', line: '/model', isKept: true });
    expect(typed('/p[enter]').action).toEqual({ type: 'submit', line: '/policy', isKept: true });
  });

  test('what is whole as it was typed is meant', () => {
    expect(typed('/policy[enter]').action).toMatchObject({ line: '/policy' });
    expect(typed('/approve off[enter]').action).toMatchObject({ line: '/approve off' });
    expect(typed('/nothing[enter]').action).toMatchObject({ line: '/nothing' });
  });

  test('Tab takes what the cursor was moved to, and Esc leaves', () => {
    expect(typed('/p[down][tab]').state.draft.text).toBe('/pending');
    expect(typed('/p[escape]').state.draft.text).toBe('');
  });

  test('a command of before is no list: the arrows go on through what was written', () => {
    const before = typed('one[enter]/policy[enter]/pending[enter]').state;
    expect(typed('[up][up]', before).state.draft.text).toBe('/policy');
    expect(typed('[up][up][up]', before).state.draft.text).toBe('one');
    expect(typed('[up][down]', before).state.draft.text).toBe('');
  });
});

test('what begins with a space is not kept for other sessions', () => {
  expect(typed(' a secret[enter]').action).toEqual({ type: 'submit', line: 'a secret', isKept: false });
  expect(typed('no secret[enter]').action).toEqual({ type: 'submit', line: 'no secret', isKept: true });
});
