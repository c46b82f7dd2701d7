/** Keys without a terminal: one at a time of the clock. */
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import type { ChatView, WaitingAsk } from '../../ts/cli/chat/view.js';
import type { KeyName, PressedKey } from '../../ts/cli/chat/screen/keys.js';
import { press } from '../../ts/cli/chat/screen/press.js';
import type { PressContext } from '../../ts/cli/chat/screen/press-context.js';
import type { KeyAction, ScreenState } from '../../ts/cli/chat/screen/state.js';

export const viewOf = (...asks: WaitingAsk[]): ChatView => ({
  mode: 'safe',
  isBusy: true,
  model: 'm',
  folder: '/',
  entries: [],
  asks,
  todos: [],
  subagents: [],
});

/** Presses one key, where all of what is asked about is on the screen. */
export function pressAt(
  state: ScreenState,
  now: number,
  typed: string | { name: KeyName },
  isAlone: boolean,
  view: ChatView,
): { state: ScreenState; action?: KeyAction } {
  const key: PressedKey = typeof typed === 'string' ? { kind: 'text', text: typed } : { kind: 'key', name: typed.name };
  const around: PressContext = {
    view,
    now,
    typedAfter: now,
    complete: () => [],
    commands: COMMANDS,
    isShown: true,
    scroll: { most: 0, page: 1 },
    hasEditor: false,
  };
  return press(state, { key, isAlone }, around);
}
