/** What keys do. Nothing here reads or writes. */
import { draftOf, edited, EMPTY, insert, MOST, type TextDraft } from './draft.js';
import type { PressedKey, KeyPress } from './keys.js';
import { chosenIn, menuOf, moved, type CommandMenu } from './menu.js';
import { isYesAgain, pressApproval } from './press-approval.js';
import type { PressContext } from './press-context.js';
import { pressQuestion } from './press-question.js';
import { entered, readyAt, unseen, unwarned, type LateDraft, type PressResult, type ScreenState } from './state.js';

/** Said behind a Ctrl+C, and true until the next key. */
export const LEAVES = 'press Ctrl+C again to leave';

export function press(before: ScreenState, { key, isAlone }: KeyPress, around: PressContext): PressResult {
  const name = key.kind === 'key' ? key.name : undefined;
  const { warned: look } = before.ask ?? {};
  // Any other key than the requested one cancels the second look, but for the same yes on the line.
  const state = look?.key === name || isYesAgain(before, key) ? before : unwarned(before);
  const clear = { ...state, said: '' };
  if (name === 'ctrl-l') return { state, action: { type: 'repaint' } };
  if (name === 'ctrl-c') {
    const isDrafting = state.ask === null && !around.view.isBusy && state.draft.text !== '';
    if (isDrafting) return { state: withDraft(clear, EMPTY, around.now) };
    // One that comes late, when its run has just ended, must not end the session.
    if (before.said === LEAVES) return { state: clear, action: { type: 'quit' } };
    return { state: { ...state, said: LEAVES }, action: { type: 'interrupt' } };
  }
  const { ask } = state;
  // A late draft of unknown meaning is not an answer: until that is clear nothing is asked.
  if (ask === null || state.late !== null) return pressPrompt(clear, key, around);
  if (around.typedAfter < readyAt(state)) return pressEarly(state, key, around);
  if (ask.isAnswered) return { state };
  const pressed =
    ask.ask.kind === 'question'
      ? pressQuestion(clear, ask.ask, key, around)
      : pressApproval(clear, ask.ask, key, isAlone, around);
  return { ...pressed, state: entered(pressed.state, name === 'enter', around.now) };
}

/** The question has only just come: a person who was writing goes on writing, and nothing else is meant yet. */
function pressEarly(state: ScreenState, key: PressedKey, around: PressContext): PressResult {
  const name = key.kind === 'key' ? key.name : undefined;
  const isWarned = state.ask?.warned !== undefined;
  const isDrafting = !isWarned && state.draft.text !== '' && name !== 'escape';
  if (isDrafting) return pressPrompt(state, key, around);
  // It decides nothing: who goes through the calls need not wait at each.
  const isTab = name === 'tab' || name === 'shift-tab';
  if (isTab && state.ask?.ask.kind === 'approval' && state.ask.at.at === 'panel') {
    const moved = pressApproval({ ...state, said: '' }, state.ask.ask, key, true, around);
    if (moved.state.ask?.ask !== state.ask.ask) return moved;
  }
  // Nor does what takes away a text that is on the line.
  const at = state.ask?.at;
  const isTakenAway = name === 'escape' && at !== undefined && 'draft' in at && at.draft.text !== '';
  if (isTakenAway && state.ask?.ask.kind === 'question')
    return pressQuestion({ ...unwarned(state), said: '' }, state.ask.ask, key, around);
  const early = { ...state, said: 'that key came too early: press it again' };
  // A key that is held down repeats: it is never meant.
  return { state: name === 'enter' ? unseen(early, around.now) : early };
}

function pressPrompt(before: ScreenState, key: PressedKey, around: PressContext): PressResult {
  const { draft, late } = before;
  const isEnter = key.kind === 'key' && key.name === 'enter';
  if (late !== null && isEnter && !late.isAsked && draft.text.trim() !== '') return { state: askedLate(before, late) };
  const state = late === null || isEnter ? before : { ...before, late: { ...late, isAsked: false } };
  const { now } = around;
  const menu = menuOf(state, around.commands);
  const isMoved = menu !== undefined && state.menu > 0;
  if (key.kind !== 'key') return { state: withText(state, key.text, now) };
  switch (key.name) {
    case 'enter': {
      const typed = draft.text.trim();
      if (typed === '') return { state };
      // What is whole as it was typed is meant, wherever the cursor is.
      const chosen = menu === undefined || isWhole(typed, menu) ? undefined : chosenIn(menu);
      if (chosen?.isWhole === false) return { state: withDraft(state, draftOf(chosen.line), now) };
      const line = chosen?.line ?? typed;
      return {
        state: { ...withDraft(state, EMPTY, now), history: remembered(state, line) },
        // As shells have it: what begins with a space is not kept.
        action: { type: 'submit', line, isKept: !draft.text.startsWith(' ') },
      };
    }
    case 'tab':
      return {
        state: isMoved ? withDraft(state, draftOf(chosenIn(menu).line), now) : completed(state, around),
      };
    case 'escape':
      return { state: menu === undefined && late === null ? state : withDraft(state, EMPTY, now) };
    case 'ctrl-d':
      if (draft.text === '') return { state, action: { type: 'quit' } };
      return { state: withDraft(state, edited(draft, 'delete') ?? draft, now) };
    case 'up':
    case 'down': {
      if (menu !== undefined && menu.commands.length > 1) return { state: { ...state, menu: moved(menu, key.name) } };
      const within = edited(draft, key.name);
      return { state: within === undefined ? fromHistory(state, key.name) : withDraft(state, within, now) };
    }
    default:
      return { state: withDraft(state, edited(draft, key.name) ?? draft, now) };
  }
}

/** Whether this is the name of a command, not only the beginning of one. */
const isWhole = (typed: string, { commands }: CommandMenu): boolean =>
  commands.some(({ name }) => `/${name}` === typed);

function withDraft(state: ScreenState, draft: TextDraft, now: number): ScreenState {
  const after = { ...state, menu: 0, draftedAt: now };
  // What was being written before it comes back.
  if (state.late !== null && draft.text === '') return unseen({ ...after, draft: state.late.before, late: null }, now);
  return { ...after, draft };
}

/** What was written about a call that is gone was no prompt: Enter asks first. */
const askedLate = (state: ScreenState, late: LateDraft): ScreenState => ({
  ...state,
  late: { ...late, isAsked: true },
  said: 'that was about a call that no longer waits: press Enter again to send it as a prompt, Esc takes it away',
});

function withText(state: ScreenState, text: string, now: number): ScreenState {
  const draft = insert(state.draft, text);
  const said =
    draft.text.length >= MOST ? `a prompt has at most ${MOST} characters: the rest was left out` : state.said;
  return { ...withDraft(state, draft, now), said };
}

/** How many prompts are kept. */
const REMEMBERED = 500;

function remembered({ history }: ScreenState, line: string): ScreenState['history'] {
  const lines = history.lines.at(-1) === line ? history.lines : [...history.lines, line].slice(-REMEMBERED);
  return { lines, at: null, kept: EMPTY };
}

function fromHistory(state: ScreenState, way: 'up' | 'down'): ScreenState {
  const { lines, at, kept } = state.history;
  const next = (at ?? lines.length) + (way === 'up' ? -1 : 1);
  if (next < 0 || next > lines.length) return state;
  const history = { lines, at: next === lines.length ? null : next, kept: at === null ? state.draft : kept };
  return { ...state, history, menu: 0, draft: next === lines.length ? kept : draftOf(lines[next] ?? '') };
}

/** As far as all that it may become agree. */
function completed(state: ScreenState, { complete, now }: PressContext): ScreenState {
  const { text } = state.draft;
  if (!text.startsWith('/')) return state;
  const lines = complete(text);
  const [first = text, ...others] = lines;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  const common = first.slice(0, length);
  return common.length > text.length ? withDraft(state, draftOf(common), now) : state;
}
