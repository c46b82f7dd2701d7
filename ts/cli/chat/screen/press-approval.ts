/** What keys do to a tool call that waits. */
import type { Decision } from '../../../../index.js';
import { messageOf } from '../../../errors/message-of.js';
import { revive, snapshot } from '../../../values/snapshot.js';
import { isUnchanged } from '../../../gate/edited-call.js';
import { textOfCall, withText } from '../../../gate/text-field.js';
import { beginsYes, notOffered } from '../../../terminal/words.js';
import { slipInReason } from '../commands.js';
import {
  choicesOf,
  doubtsOf,
  markedOf,
  meaningOf,
  type ApprovalAsk,
  type ChoiceName,
  type PanelChoice,
} from './choices.js';
import { draftOf, edited, EMPTY, insert, type TextDraft } from './draft.js';
import type { PressedKey } from './keys.js';
import type { PressContext } from './press-context.js';
import { nextPage } from './seen.js';
import {
  focused,
  goTo,
  heldFor,
  isHabit,
  isHalfDone,
  isSecondLook,
  isYesAnswer,
  PANEL,
  sent,
  together,
  TOO_EARLY,
  unseen,
  unwarned,
  warned,
  type CallAnswer,
  type PagePlace,
  type PanelPlace,
  type PressResult,
  type ScreenState,
} from './state.js';
import type { ChatView, WaitingAsk } from '../view.js';
import { typedJson } from '../../../values/typed-json.js';

/** One key, and what it meets. */
interface Pressing {
  state: ScreenState;
  ask: ApprovalAsk;
  key: PressedKey;
  isAlone: boolean;
  around: PressContext;
}

const TOO_EARLY_NO = 'that key came too early: in a second Enter rejects it';
const ENTER_AGAIN = 'press Enter again to run it';
const NOT_SEEN = 'not all of it was seen: space shows more, d all of it';

export function pressApproval(
  state: ScreenState,
  ask: ApprovalAsk,
  key: PressedKey,
  isAlone: boolean,
  around: PressContext,
): PressResult {
  const at = state.ask?.at;
  const pressing: Pressing = { state, ask, key, isAlone, around };
  switch (at?.at) {
    case 'panel':
      return pressPanel(pressing, at);
    case 'reason':
      return pressDraft(pressing, at.draft, {
        stay: (draft) => ({ ...at, draft }),
        done: (reason) => slipped(state, reason) ?? rejected(pressing, reason, at.isWritten),
        mayBeEmpty: true,
      });
    case 'respond':
      return pressDraft(pressing, at.draft, {
        stay: (draft) => ({ at: 'respond', draft }),
        done: (text) => answered(pressing, { type: 'respond', output: text }),
      });
    case 'edit':
      return pressDraft(pressing, at.draft, {
        stay: (draft) => ({ at: 'edit', draft, field: at.field }),
        done: (_, whole) => withEdited(state, ask, whole, at.field),
      });
    case 'whole':
    case 'help':
      return pressPage(pressing, at);
    default:
      return { state };
  }
}

// --- the panel --------------------------------------------------------------------------------------------------------

function pressPanel(pressing: Pressing, at: PanelPlace): PressResult {
  const { state, ask, key, around } = pressing;
  const choices = choicesOf(ask, at.about);
  if (key.kind !== 'key') return typed(pressing, at, choices);
  const line = meaningOf(at.draft.text, choices, at.isWords);
  const isWriting = line.type === 'words';
  switch (key.name) {
    case 'enter':
      return taken(pressing, at, choices);
    case 'escape':
      return escaped(state, at);
    case 'page-down':
      return { state: more(pressing, at) };
    case 'page-up':
      return { state: goTo(state, { ...at, scroll: scrolledTo(at.scroll - around.scroll.page, around) }) };
    case 'tab':
    case 'shift-tab':
      return isWriting ? { state } : nextCall(pressing, key.name === 'tab' ? 1 : -1);
    case 'up':
    case 'down': {
      const moved = edited(at.draft, key.name);
      if (moved !== undefined) return { state: goTo(state, { ...at, draft: moved }) };
      // A reason is about a no: the cursor stays there until it is gone.
      return isWriting
        ? { state: { ...state, said: 'Enter gives this reason; Esc empties the line' } }
        : moveCursor(pressing, at, choices);
    }
    default: {
      const draft = edited(at.draft, key.name);
      // What is left of words is words: no letter of them was meant as a key.
      return draft === undefined ? { state } : { state: goTo(state, withLine(at, draft, isWriting, choices)) };
    }
  }
}

/**
 * Whether a key writes the yes once more that was looked at twice: with Enter it is the second yes, as Enter alone is. A line that
 * becomes something else is no yes.
 */
export function isYesAgain({ ask }: ScreenState, key: PressedKey): boolean {
  if (ask?.warned === undefined || key.kind !== 'text' || ask.ask.kind !== 'approval' || ask.at.at !== 'panel')
    return false;
  const { at } = ask;
  const text = at.draft.text + key.text;
  const line = meaningOf(text, choicesOf(ask.ask, at.about), at.isWords);
  return beginsYes(text) || (line.type === 'choice' && line.name === at.marked);
}

/** What is typed: the key of a choice, where it is the first of an empty line, or words. */
function typed(pressing: Pressing, at: PanelPlace, choices: readonly PanelChoice[]): PressResult {
  const { state, key } = pressing;
  if (key.kind === 'key') return { state };
  const text = at.draft.text === '' ? key.text.replace(/^\s+/, '') : key.text;
  // A space on an empty line: the next page, as everywhere.
  if (text === '') return { state: more(pressing, at) };
  const after = withLine(at, insert(at.draft, text), at.isWords || key.kind === 'paste', choices);
  const meaning = meaningOf(after.draft.text, choices, after.isWords).type;
  const isReason = after.about.of === 'edited' && meaning === 'words';
  const said = isReason
    ? 'Enter gives this as the reason for a no to the call'
    : meaning === 'unoffered'
      ? notOffered(after.draft.text)
      : state.ask?.warned === undefined
        ? ''
        : ENTER_AGAIN;
  return { state: goTo(state, after, said) };
}

/** More of the call: its next page, or the details where there is no more of it here, and not all of it was seen. */
function more({ state, around }: Pressing, at: PanelPlace): ScreenState {
  const scroll = nextPage(at.scroll, around.scroll, state.ask?.seen);
  const isEnd = scroll === Math.min(at.scroll, around.scroll.most);
  if (isEnd && !around.isShown) return goTo(state, { at: 'whole', about: at.about, scroll: 0 });
  return goTo(state, { ...at, scroll });
}

/** With another line. The cursor is where the line says: what Enter takes is what is seen under it. */
function withLine(at: PanelPlace, draft: TextDraft, wasWords: boolean, choices: readonly PanelChoice[]): PanelPlace {
  const isWords = wasWords && draft.text !== '';
  const line = meaningOf(draft.text, choices, isWords);
  if (line.type === 'empty' || line.type === 'unoffered') return { ...at, draft, isWords };
  if (line.type === 'choice') return { ...at, draft, isWords, marked: line.name };
  // Words are about the call, also on a panel that asks something else about it. What was edited is not lost for them.
  if (at.about.of === 'edited') return { ...at, draft, isWords, marked: 'back' };
  return { ...at, about: { of: 'call' }, draft, isWords, marked: 'reject' };
}

function escaped(state: ScreenState, at: PanelPlace): PressResult {
  if (at.draft.text !== '') return { state: goTo(state, { ...at, draft: EMPTY, isWords: false, marked: null }) };
  if (at.about.of !== 'call') return { state: goTo(state, PANEL, 'nothing was decided: the call still waits') };
  return { state: { ...state, said: 'Esc decides nothing: n and Enter reject it, Ctrl+C ends the run' } };
}

/** The cursor, up or down through all choices. */
function moveCursor(
  { state, ask, key, around }: Pressing,
  at: PanelPlace,
  choices: readonly PanelChoice[],
): PressResult {
  const here = markedOf(ask, at, around.isShown);
  const index = choices.findIndex(({ name }) => name === here);
  const next = index + (key.kind === 'key' && key.name === 'up' ? -1 : 1);
  const marked = choices[Math.max(0, Math.min(choices.length - 1, next))]?.name ?? null;
  return { state: goTo(state, { ...at, draft: EMPTY, isWords: false, marked }) };
}

const scrolledTo = (place: number, { scroll }: PressContext): number => Math.max(0, Math.min(scroll.most, place));

/** Enter: what the cursor is on. */
function taken(pressing: Pressing, at: PanelPlace, choices: readonly PanelChoice[]): PressResult {
  const { state, ask, around } = pressing;
  const { type } = meaningOf(at.draft.text, choices, at.isWords);
  if (type === 'words')
    return slipped(state, at.draft.text) ?? answered(pressing, { type: 'reject', reason: at.draft.text.trim() });
  if (type === 'unoffered')
    return { state: goTo(state, { ...at, draft: EMPTY, marked: null }, notOffered(at.draft.text)) };
  const name = markedOf(ask, at, around.isShown);
  const choice = choices.find((each) => each.name === name);
  if (choice === undefined) return { state };
  if (choice.runs && isTooEarly(pressing, at)) return { state: unseen({ ...state, said: TOO_EARLY }, around.now) };
  const refusal = choice.runs ? objectionTo(pressing) : undefined;
  // With an empty line, where space shows more.
  if (refusal !== undefined)
    return { state: goTo(state, around.isShown ? at : { ...at, draft: EMPTY, marked: null }, refusal) };
  if (choice.runs && !ASKS_AGAIN.has(name)) {
    const doubts = doubtsOf(ask, at.about, around.view.asks).join('; ');
    const look = { key: 'enter', of: `${name} ${doubts}`, at: around.now } as const;
    if (doubts !== '' && !isSecondLook(state, look)) {
      const said = `careful, ${doubts}: ${ENTER_AGAIN}`;
      // The line is empty again: the same answer, written once more, is that answer.
      const after = goTo(state, { ...at, draft: EMPTY, isWords: false, marked: name });
      return { state: unseen(warned(after, said, look), around.now) };
    }
  }
  switch (name) {
    case 'approve':
      return answered(pressing, { type: 'approve' });
    case 'reject':
      return { state: goTo(state, { at: 'reason', draft: EMPTY, isWritten: at.draft.text !== '' }) };
    case 'always':
      return { state: asking(state, { of: 'always' }, around.now) };
    case 'like': {
      const alike = around.view.asks.filter(
        (each): each is ApprovalAsk => each.kind === 'approval' && ask.alike.includes(each.request.approvalId),
      );
      return { state: asking(state, { of: 'like', asks: [ask, ...alike] }, around.now) };
    }
    case 'auto':
      return { state: asking(state, { of: 'auto' }, around.now) };
    case 'edit':
      return edit(pressing, textOfCall(ask.request.args)?.name ?? null);
    case 'edit-all':
      return edit(pressing, null);
    case 'respond':
      return { state: goTo(state, { at: 'respond', draft: EMPTY }) };
    case 'skip':
      return answered(pressing, { type: 'skip' });
    case 'details':
      return { state: goTo(state, { at: 'whole', about: at.about, scroll: 0 }) };
    case 'help':
      return { state: goTo(state, { at: 'help', about: at.about, scroll: 0 }) };
    case 'back':
      // Who has just said no presses Enter once more: it must run nothing.
      return { state: goTo(state, { ...PANEL, marked: 'reject' }, 'nothing was decided: the call still waits') };
    case 'again':
      return at.about.of === 'edited' ? edit(pressing, at.about.field, at.about.text) : { state };
    case 'agree':
      return agreed(pressing, at);
    case 'agree-project':
      return answeredBy(pressing, { type: 'always', approvalId: ask.request.approvalId, scope: 'always' });
  }
}

/** An Enter that is held down gives no reason, and is no no: no person has written one. */
function rejected(pressing: Pressing, reason: string, isWritten: boolean): PressResult {
  if (reason !== '') return answered(pressing, { type: 'reject', reason });
  const { state, around } = pressing;
  if (!isWritten && isHabit(state, around.now)) return { state: { ...state, said: TOO_EARLY_NO } };
  return answered(pressing, { type: 'reject' });
}

/** A command is no reason: it stays on the line. */
function slipped(state: ScreenState, reason: string): PressResult | undefined {
  const slip = slipInReason(reason);
  return slip === undefined ? undefined : { state: { ...state, said: `nothing was decided: ${slip}` } };
}

/** These show something else first, and ask about that. */
const ASKS_AGAIN: ReadonlySet<ChoiceName> = new Set(['edit', 'edit-all', 'again', 'always', 'like', 'auto']);

/** Why what runs something cannot be taken now; `undefined`: it can. */
function objectionTo({ isAlone, around }: Pressing): string | undefined {
  // What is pasted, or typed ahead, runs nothing.
  if (!isAlone) return 'press Enter again';
  return around.isShown ? undefined : (around.tooSmall ?? NOT_SEEN);
}

/** Enter alone with the cursor unmoved. */
function isTooEarly({ state, around }: Pressing, at: PanelPlace): boolean {
  const isUnmoved = at.marked === null && at.draft.text === '';
  return isUnmoved && isHabit(state, around.now);
}

function agreed(pressing: Pressing, at: PanelPlace): PressResult {
  const { state, ask } = pressing;
  const { approvalId } = ask.request;
  switch (at.about.of) {
    case 'always':
      return answeredBy(pressing, { type: 'always', approvalId, scope: 'session' });
    case 'like': {
      // Each is an approval of its own, bound to what was shown of it.
      const ids = at.about.asks.map((each) => each.request.approvalId);
      const answers = ids.map((id) => ({ type: 'decide', approvalId: id, decision: { type: 'approve' } }) as const);
      return { state: sent(state, ids), action: { type: 'decide', answers } };
    }
    case 'edited':
      return answered(pressing, { type: 'edit', args: at.about.args, shown: at.about.ask.shown ?? null });
    case 'auto': {
      // What was answered by itself must not be answered by the mode.
      const answers = state.held;
      const ids = [...answers.map((each) => each.approvalId), approvalId];
      return { state: sent(state, ids), action: { type: 'approveAll', answers, approvalId } };
    }
    case 'call':
      return { state };
  }
}

const answered = (pressing: Pressing, decision: Decision): PressResult =>
  answeredBy(pressing, { type: 'decide', approvalId: pressing.ask.request.approvalId, decision });

/**
 * The yes to one of several is held until the others have an answer, too: until then it can become another. A no is given at once, so
 * that no other person can approve the call meanwhile.
 */
function answeredBy({ state, ask, around }: Pressing, answer: CallAnswer): PressResult {
  const { approvalId } = answer;
  const others = together(ask, around.view, state.sent).filter((each) => each.request.approvalId !== approvalId);
  const held = [...state.held.filter((each) => each.approvalId !== approvalId), answer];
  const after = { ...state, held };
  const open = others.find((each) => heldFor(after, each) === undefined);
  if (open === undefined) return given(after, [approvalId, ...others.map(({ request }) => request.approvalId)]);
  if (isYesAnswer(answer)) return { state: focused(after, open, around.now) };
  return {
    state: focused(sent(state, [approvalId]), open, around.now),
    action: { type: 'decide', answers: [answer] },
  };
}

/** With the answers that these calls have. */
function given(state: ScreenState, ids: readonly string[]): Required<PressResult> {
  const answers = state.held.filter((each) => ids.includes(each.approvalId));
  // A no first: what is allowed from now on must not answer it.
  const ordered = [...answers.filter((each) => !isYesAnswer(each)), ...answers.filter(isYesAnswer)];
  return { state: sent(state, ids), action: { type: 'decide', answers: ordered } };
}

/**
 * The held answers of calls that all have one, since somebody else has decided the last of the others; `undefined`: some call has
 * no answer yet. A person who is about to change such an answer goes on.
 */
export function heldNow(state: ScreenState, view: ChatView): Required<PressResult> | undefined {
  const groups = state.held.flatMap(({ approvalId }) => {
    const ask = view.asks.find(({ request }) => request.approvalId === approvalId);
    return ask === undefined ? [] : [together(ask, { asks: view.asks }, state.sent)];
  });
  const { ask } = state;
  // Where it has come in the place of another call, the cursor is at the details by itself.
  const isUntouched = ask?.at.at === 'panel' && ask.at.marked === 'details' && ask.at.draft.text === '';
  const isChanging = (each: WaitingAsk): boolean =>
    ask !== null && !isUntouched && isHalfDone(ask) && ask.ask.request.approvalId === each.request.approvalId;
  const whole = groups.find((all) => all.every((each) => heldFor(state, each) !== undefined && !isChanging(each)));
  return (
    whole &&
    given(
      state,
      whole.map(({ request }) => request.approvalId),
    )
  );
}

/** Another call of those that wait together: an answer that it has can become another one. */
function nextCall({ state, ask, around }: Pressing, way: 1 | -1): PressResult {
  const all = together(ask, around.view, state.sent);
  if (all.length < 2) return { state };
  const at = all.findIndex(({ request }) => request.approvalId === ask.request.approvalId);
  const next = all[(at + way + all.length) % all.length]!;
  return { state: focused(state, next, around.now) };
}

// --- other arguments --------------------------------------------------------------------------------------------------

function edit({ state, ask, around }: Pressing, field: string | null, text?: string): PressResult {
  const { approvalId, args } = ask.request;
  const given = textOfCall(args);
  const isText = field !== null && given?.name === field;
  const before = text ?? (isText ? given.text : `${JSON.stringify(snapshot(args).json, null, 2)}`);
  const extension = isText ? given.extension : '.json';
  if (around.hasEditor) {
    const at = state.ask?.at;
    // The letter has done what it was typed for: it is not what is being written about the call.
    const after = at?.at === 'panel' ? goTo(state, { ...at, draft: EMPTY, isWords: false }) : state;
    return { state: after, action: { type: 'edit', approvalId, text: before, field, extension } };
  }
  return { state: goTo(state, { at: 'edit', draft: draftOf(before), field }) };
}

/** With other arguments, as the human wrote them: what they would do is looked at, and shown before they run. */
export function withEdited(
  state: ScreenState,
  { request }: ApprovalAsk,
  text: string,
  field: string | null,
): PressResult {
  const { approvalId } = request;
  const before = snapshot(request.args).json;
  let json: unknown;
  if (field === null) {
    try {
      json = typedJson(text);
    } catch (error) {
      const said = `that is not JSON: ${messageOf(error)}`;
      return { state: goTo(state, { at: 'edit', draft: draftOf(text), field }, said) };
    }
  } else {
    const was = textOfCall(request.args)?.text ?? '';
    // Editors end a file with a line end.
    json = withText(before, field, was.endsWith('\n') ? text : text.replace(/\n$/, ''));
  }
  // What is tagged stays what its tag says.
  const args = revive(json);
  if (isUnchanged(before, args)) return { state: goTo(state, PANEL, 'nothing changed: the call still waits') };
  return { state: goTo(state, { at: 'checking' }), action: { type: 'reconsider', approvalId, args, text, field } };
}

/** They were looked at: now they are shown, and asked about. */
export function withReconsidered(
  state: ScreenState,
  { args, text, field }: { args: unknown; text: string; field: string | null },
  ask: ApprovalAsk,
  now: number,
): ScreenState {
  return asking(state, { of: 'edited', args, text, field, ask }, now);
}

/** Something else is asked about now. Who was told to look twice was told so of what was asked before. */
function asking(state: ScreenState, about: PanelPlace['about'], now: number): ScreenState {
  const { ask } = unwarned(state);
  return ask === null ? state : { ...state, ask: { ...ask, at: { ...PANEL, about }, shownAt: now }, said: '' };
}

/** A text that is written, until Enter. */
function pressDraft(
  { state, key }: Pressing,
  draft: TextDraft,
  {
    stay,
    done,
    mayBeEmpty = false,
  }: {
    stay: (draft: TextDraft) => NonNullable<ScreenState['ask']>['at'];
    done: (text: string, whole: string) => PressResult;
    mayBeEmpty?: boolean;
  },
): PressResult {
  const back: PressResult = { state: goTo(state, PANEL) };
  if (key.kind !== 'key') return { state: goTo(state, stay(insert(draft, key.text))) };
  if (key.name === 'escape') return back;
  if (key.name === 'backspace' && draft.text === '') return back;
  if (key.name !== 'enter') return { state: goTo(state, stay(edited(draft, key.name) ?? draft)) };
  const text = draft.text.trim();
  return text === '' && !mayBeEmpty ? back : done(text, draft.text);
}

// --- pages ------------------------------------------------------------------------------------------------------------

/** What is written on a page is written on the line of the panel: a letter scrolls nothing, and none of a sentence is lost. */
function pressPage(pressing: Pressing, at: PagePlace): PressResult {
  const { state, key, around } = pressing;
  const panel: PanelPlace = { ...PANEL, about: at.about };
  if (key.kind !== 'key' && key.text.trim() !== '') {
    const { state: after } = pressPanel({ ...pressing, state: goTo(state, panel) }, panel);
    const marked = after.ask?.at.at === 'panel' ? after.ask.at.marked : null;
    const runs = choicesOf(pressing.ask, at.about).some((choice) => choice.runs && choice.name === marked);
    return { state: runs && !around.isShown ? { ...after, said: around.tooSmall ?? NOT_SEEN } : after };
  }
  const isPage = key.kind !== 'key' || key.name === 'page-down';
  const scroll = isPage
    ? nextPage(at.scroll, around.scroll, state.ask?.seen)
    : scrolledBy(at.scroll, key.name, around.scroll);
  return { state: goTo(state, scroll === undefined ? panel : { ...at, scroll }) };
}

/** Where a key scrolls to; `undefined`: it leaves. */
function scrolledBy(at: number, name: string, { most, page }: PressContext['scroll']): number | undefined {
  const to = (place: number): number => Math.min(most, Math.max(0, place));
  switch (name) {
    case 'down':
    case 'enter':
      return to(at + 1);
    case 'up':
      return to(at - 1);
    case 'page-up':
      return to(at - page);
    case 'home':
      return 0;
    case 'end':
      return most;
    case 'escape':
    case 'backspace':
      return undefined;
    default:
      return to(at);
  }
}
