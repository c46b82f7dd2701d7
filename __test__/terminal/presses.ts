/** Keys without a terminal: one at a time of the clock. */
import { COMMANDS } from '../../ts/cli/chat/commands.js';
import type { ChatView, WaitingAsk } from '../../ts/cli/chat/view.js';
import type { KeyName, PressedKey } from '../../ts/cli/chat/screen/keys.js';
import { press } from '../../ts/cli/chat/screen/press.js';
import type { PressContext } from '../../ts/cli/chat/screen/press-context.js';
import { frame, type ScreenFrame } from '../../ts/cli/chat/screen/frame.js';
import { screenIn, symbolsFor, type ScreenKind } from '../../ts/cli/chat/screen/layout.js';
import {
  START,
  unseen,
  withStanding,
  withStood,
  withView,
  type KeyAction,
  type ScreenState,
} from '../../ts/cli/chat/screen/state.js';

export const viewOf = (...asks: WaitingAsk[]): ChatView => ({
  mode: 'safe',
  isBusy: true,
  model: 'm',
  folder: '/',
  entries: [],
  asks,
  decided: {},
  overtaken: [],
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

/** A person at the screen: keys, time and frames as the program has them, without a terminal. */
export class Sitting {
  readonly frames: string[] = [];
  state: ScreenState;
  frame!: ScreenFrame;
  now = 1000;
  hasEditor = false;
  view: ChatView;
  size: { columns: number; rows: number };

  constructor(asks: WaitingAsk[], size: { columns: number; rows: number }) {
    this.view = viewOf(...asks);
    this.size = size;
    this.state = withView(START, this.view, this.now);
    this.#draw();
  }

  wait(ms: number): void {
    this.now += ms;
    this.#draw();
  }

  show(asks: WaitingAsk[], decided: ChatView['decided'] = {}): void {
    this.view = { ...viewOf(...asks), decided };
    this.state = withView(this.state, this.view, this.now);
    this.#draw();
  }

  resize(size: { columns: number; rows: number }): undefined {
    this.size = size;
    this.state = unseen(this.state, this.now);
    this.#draw();
    return undefined;
  }

  type = (text: string): KeyAction | undefined => this.#key({ kind: 'text', text });
  press = (name: KeyName): KeyAction | undefined => this.#key({ kind: 'key', name });

  #key(key: PressedKey): KeyAction | undefined {
    this.state = withStood(this.state, this.now);
    const around: PressContext = {
      view: this.view,
      now: this.now,
      typedAfter: this.now,
      complete: () => [],
      commands: COMMANDS,
      isShown: this.frame.isShown,
      tooSmall: this.#screen.tooSmall,
      scroll: this.frame.scroll,
      hasEditor: this.hasEditor,
    };
    const { state, action } = press(this.state, { key, isAlone: true }, around);
    this.state = state;
    this.#draw();
    return action;
  }

  get #screen(): ScreenKind {
    return screenIn({ ...this.size, symbols: symbolsFor(true, { LANG: 'C.UTF-8' }) });
  }

  #draw(): void {
    const chat = { view: this.view, commands: COMMANDS };
    this.frame = frame(this.state, chat, [], undefined, this.#screen, { heard: this.now, epoch: 0 });
    this.state = withStanding(this.state, this.frame.standing, this.now);
    // oxlint-disable-next-line no-control-regex -- our own colours
    this.frames.push(this.frame.lines.join('\n').replaceAll(/\u001b\[\d+m/g, ''));
  }
}
