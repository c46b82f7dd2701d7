/** The commands that are listed while one is typed, and the one that the cursor is on. */
import type { ChatCommand } from '../view.js';
import type { ScreenState } from './state.js';

export interface CommandMenu {
  commands: readonly ChatCommand[];
  /** Which one the cursor is on. */
  at: number;
}

/** What the beginning of a command may become; `undefined`: no command is being typed. What was written before is no beginning. */
export function menuOf(
  { draft, history, menu }: Pick<ScreenState, 'draft' | 'history' | 'menu'>,
  commands: readonly ChatCommand[],
): CommandMenu | undefined {
  if (history.at !== null || !/^\/\S*$/.test(draft.text)) return undefined;
  const typed = draft.text.slice(1).toLowerCase();
  const found = commands.filter(({ name }) => name.startsWith(typed));
  return found.length === 0 ? undefined : { commands: found, at: Math.min(menu, found.length - 1) };
}

/** The line that the choice of a command makes, and whether it is whole: what needs something more waits for that. */
export function chosenIn({ commands, at }: CommandMenu): { line: string; isWhole: boolean } {
  const { name, usage } = commands[at]!;
  const needsMore = / [^[]/.test(usage.replace(/\[.*\]/, ''));
  return { line: `/${name}${needsMore ? ' ' : ''}`, isWhole: !needsMore };
}

/** Up and down, from one end to the other. */
export const moved = ({ commands, at }: CommandMenu, way: 'up' | 'down'): number =>
  (at + (way === 'up' ? -1 : 1) + commands.length) % commands.length;
