/** The full-screen front end of the chat. */
import type { NotifyWay } from '../../../terminal/call-person.js';
import { symbolsFor } from './layout.js';
import { ScreenProgram } from './program.js';
import type { PromptHistory } from '../prompt-history.js';
import type { Chat } from '../view.js';

export interface ScreenOptions {
  /** `false`: signs of our own are plain characters. @default whether the terminal's locale is UTF-8 */
  emoji?: boolean;
  /** How the person is called. @default 'none' */
  notify?: NotifyWay;
  /** Prompts of other sessions. @default none are known or kept */
  history?: PromptHistory | undefined;
}

/**
 * Shows a chat on the terminal that this process has, until the human leaves. The terminal is given back however it ends, and
 * what waits then is cancelled. Signals are for the caller.
 *
 * @returns the exit code
 */
export async function showChat(chat: Chat, { emoji, notify = 'none', history }: ScreenOptions = {}): Promise<number> {
  const program = new ScreenProgram(chat, symbolsFor(emoji), notify, history);
  const giveBack = program.start();
  try {
    return await program.over;
  } finally {
    giveBack();
    await chat.close();
  }
}
