/** What a key meets beside the state of the screen. */
import type { ChatCommand, ChatView } from '../view.js';
import type { ScrolledView } from './approval.js';

/** What is known beside the state. */
export interface PressContext {
  view: ChatView;
  /** In ms of {@link performance.now}. */
  now: number;
  /** Before this no key was typed that is read now: it may have waited while the program stood still. */
  typedAfter: number;
  /** The whole lines that a line may become. */
  complete(line: string): string[];
  /** All commands. */
  commands: readonly ChatCommand[];
  /** Whether enough of what is asked about is on the screen to approve or answer it. */
  isShown: boolean;
  /** Why the window has no room for that. */
  tooSmall?: string | undefined;
  scroll: ScrolledView;
  /** Whether there is an editor for arguments. */
  hasEditor: boolean;
}
