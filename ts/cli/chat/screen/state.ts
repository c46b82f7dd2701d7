/** What the screen is about at one moment. Never changed: the next moment is another object. */
import type { Decision, GrantScope, QuestionsAnswered } from '../../../../index.js';
import { PAUSE } from '../../../press/second-look.js';
import type { WaitingAsk, ChatView } from '../view.js';
import type { ApprovalAsk, ChoiceName, PanelAbout } from './choices.js';
import { EMPTY, type TextDraft } from './draft.js';
import { headline } from './headline.js';
import type { KeyName } from './keys.js';
import { hidden, standing, stood, type SeenLines, type StandingLines } from './seen.js';

export interface ScreenState {
  /** What is being written to the agent. */
  readonly draft: TextDraft;
  /** When the human last wrote on it, in ms of {@link performance.now}. */
  readonly draftedAt: number;
  /**
   * The draft was written about a call that no longer waits. It becomes a prompt when Enter says so twice. While it is there no key
   * is about a call, and none is shown.
   */
  readonly late: LateDraft | null;
  readonly history: InputHistory;
  /** Which of the commands that are listed the cursor is on. */
  readonly menu: number;
  /** What is asked at this moment. */
  readonly ask: AskState | null;
  /** What runs of calls that came together, until the last of them has an answer: until then each can become another. A no is given at once. */
  readonly held: readonly CallAnswer[];
  /** The ids of what was answered and still waits: the chat is about to take it. */
  readonly sent: readonly string[];
  /** One line about the last key, until the next. */
  readonly said: string;
}

export interface LateDraft {
  /** What was being written to the agent before: it comes back. */
  readonly before: TextDraft;
  /** Enter was pressed once. */
  readonly isAsked: boolean;
}

export interface InputHistory {
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Which line is shown; `null`: the draft. */
  readonly at: number | null;
  /** The draft. */
  readonly kept: TextDraft;
}

/** What is asked, and how far the human is with it. */
export interface AskState {
  readonly ask: WaitingAsk;
  /** When what a key would decide about came on the screen, in ms of {@link performance.now}. */
  readonly shownAt: number;
  /** When Enter was pressed, where that was the last key, in ms of {@link performance.now}. */
  readonly enteredAt?: number | undefined;
  /** It was answered: the chat is about to take it. */
  readonly isAnswered: boolean;
  /** The human was told to look twice. */
  readonly warned?: SecondLook;
  /** How much of what would run was on the screen. */
  readonly seen?: SeenPart;
  /** The text whose details were all on the screen, as {@link shownText} names it. */
  readonly seenWhole?: string;
  readonly at: AskPlace;
}

/** The key that takes something when it is pressed once more, at once and next, and what it would take. */
export interface SecondLook {
  readonly key: KeyName;
  readonly of: string;
  /** In ms of {@link performance.now}. */
  readonly at: number;
}

/** Of the details: `whole` is the text that they are of, as {@link shownText} names it. */
export type SeenPart = SeenLines & { readonly whole?: string | undefined };
export type StandingPart = StandingLines & { readonly whole?: string | undefined };

export type AskPlace =
  | PanelPlace
  /** Why it is rejected. `isWritten`: the no was written, and Enter did not only find the cursor there. */
  | { readonly at: 'reason'; readonly draft: TextDraft; readonly isWritten: boolean }
  /** A result to respond with. */
  | { readonly at: 'respond'; readonly draft: TextDraft }
  /** A text of the call, its argument `field`; `null`: all arguments, as JSON. */
  | { readonly at: 'edit'; readonly draft: TextDraft; readonly field: string | null }
  /** Other arguments are looked at before they are shown. */
  | { readonly at: 'checking' }
  /** All of it, and the keys. `about`: of what, and where that leads back to. */
  | PagePlace
  | AnsweringState;

export interface PagePlace {
  readonly at: 'whole' | 'help';
  readonly about: PanelAbout;
  readonly scroll: number;
}

/** Choices under a cursor, and a line to write on. */
export interface PanelPlace {
  readonly at: 'panel';
  readonly about: PanelAbout;
  readonly draft: TextDraft;
  /** The line holds words, even if they look like a command: they were pasted, or are left of words. */
  readonly isWords: boolean;
  /** Where the cursor was moved to; `null`: not moved. */
  readonly marked: ChoiceName | null;
  readonly scroll: number;
}

/** The call itself, with nothing written. */
export const PANEL: PanelPlace = {
  at: 'panel',
  about: { of: 'call' },
  draft: EMPTY,
  isWords: false,
  marked: null,
  scroll: 0,
};

/** How far a human is with one question. */
export interface AnswerPlace {
  /** Which option the cursor is on; behind the last one is "other". */
  readonly option: number;
  readonly chosen: readonly number[];
  /** The answer to a question of kind `text`, or "other". */
  readonly draft: TextDraft;
  /** Whether the human has moved the cursor, chosen or written: then Enter takes what was meant. */
  readonly isMoved: boolean;
}

/** Questions, one at a time. */
export interface AnsweringState extends AnswerPlace {
  readonly at: 'question';
  readonly index: number;
  /** Where the view of it was scrolled to. */
  readonly scroll: number;
  /** Whether the view goes along with the cursor, from there. */
  readonly isFollowing: boolean;
  /** How far each question is that was left, for the way back and forth. */
  readonly places: readonly AnswerPlace[];
  readonly answers: QuestionsAnswered['answers'];
}

/** An answer to one call. */
export type CallAnswer =
  | { type: 'decide'; approvalId: string; decision: Decision }
  | { type: 'always'; approvalId: string; scope: GrantScope };

/** Whether something runs by it. */
export const isYesAnswer = (answer: CallAnswer): boolean =>
  answer.type === 'always' || answer.decision.type === 'approve' || answer.decision.type === 'edit';

/** What a key asks for beyond the screen. */
export type KeyAction =
  /** `isKept`: it may be kept for other sessions. */
  | { type: 'submit'; line: string; isKept: boolean }
  /** Of calls that came together, all at once. */
  | { type: 'decide'; answers: readonly CallAnswer[] }
  /** First those that were answered by themselves. */
  | { type: 'approveAll'; answers: readonly CallAnswer[]; approvalId: string }
  | { type: 'answer'; approvalId: string; answers: QuestionsAnswered['answers'] | null }
  /** In the human's editor: the argument `field`, or all as JSON. */
  | { type: 'edit'; approvalId: string; text: string; field: string | null; extension: string }
  /** What other arguments would do. */
  | { type: 'reconsider'; approvalId: string; args: unknown; text: string; field: string | null }
  | { type: 'interrupt' }
  | { type: 'repaint' }
  | { type: 'quit' };

export interface PressResult {
  state: ScreenState;
  action?: KeyAction;
}

export const START: ScreenState = {
  draft: EMPTY,
  draftedAt: -Infinity,
  late: null,
  history: { lines: [], at: null, kept: EMPTY },
  menu: 0,
  ask: null,
  held: [],
  sent: [],
  said: '',
};

/** No key decides anything before what it decides about has been on the screen for so long, in ms. */
const SEEN = 250;
/** Nor before so long after the last key of a prompt that was being written when it came, in ms. */
const QUIET = 1000;

/**
 * Whether Enter alone, with the cursor where it was at first, came so soon that it was perhaps pressed out of habit, or held down: so
 * long must a call or a question have been on the screen, without another Enter.
 */
export const isHabit = ({ ask }: ScreenState, now: number): boolean =>
  now - Math.max(ask?.shownAt ?? now, ask?.enteredAt ?? -Infinity) < PAUSE;

/** With a key that was pressed about what is asked: only an Enter is one that may be held down. */
export const entered = (state: ScreenState, isEnter: boolean, now: number): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, enteredAt: isEnter ? now : undefined } };

export const TOO_EARLY = 'that key came too early: read it first';

/** From when on keys are meant for what is asked, in ms of {@link performance.now}. */
export function readyAt({ ask, draftedAt }: ScreenState): number {
  if (ask === null) return Infinity;
  // The second yes must not be of the press that was the first one.
  const seen = ask.warned?.key === 'enter' ? PAUSE : SEEN;
  return Math.max(ask.shownAt + seen, draftedAt + QUIET);
}

/** With what the chat shows now: another question comes on the screen, or the shown one no longer waits. */
export function withView(before: ScreenState, view: ChatView, now: number): ScreenState {
  const after = shown(before, view, now);
  const overtaken = before.held.filter(({ approvalId }) => view.decided[approvalId] !== undefined);
  const told = overtaken.map((answer) => overtakenInWords(answer, view));
  return told.length === 0 ? after : { ...after, said: [...told, after.said].filter((text) => text !== '').join('; ') };
}

/** Somebody else decided a call whose answer was still held here: which call, and that the answer counts for nothing. */
function overtakenInWords({ approvalId, ...answer }: CallAnswer, { decided, overtaken }: ChatView): string {
  const request = overtaken.find((each) => each.request.approvalId === approvalId)?.request;
  const what = request === undefined ? 'one that you had answered' : headline(request, 60).replace(/\?$/, '');
  const type = answer.type === 'always' ? 'always' : answer.decision.type === 'edit' ? 'edit' : 'yes';
  return `“${what}” was ${decided[approvalId]}: your ${type} is void`;
}

function shown(before: ScreenState, view: ChatView, now: number): ScreenState {
  const waits = (id: string): boolean => view.asks.some(({ request }) => request.approvalId === id);
  const state: ScreenState = {
    ...before,
    held: before.held.filter(({ approvalId }) => waits(approvalId)),
    sent: before.sent.filter(waits),
  };
  const old = state.ask;
  const next = nextAsk(state, view);
  const gone = old === null || waits(old.ask.request.approvalId) ? '' : goneInWords(old.ask, view);
  const late = old === null || gone === '' ? undefined : lateDraft(state, old);
  if (late !== undefined) return { ...withNext(late, next, now), said: `${gone}; what you wrote stays on the line` };
  if (next === undefined) {
    if (old === null) return state;
    return { ...state, ask: null, said: state.late === null && isHalfDone(old) ? gone : state.said };
  }
  const { approvalId } = next.request;
  const isAnswered = state.sent.includes(approvalId);
  if (old?.ask.request.approvalId === approvalId)
    return { ...state, ask: { ...old, ask: unanswered(state, next), isAnswered } };
  const isCut = old !== null && state.late === null && isHalfDone(old);
  return {
    ...focused(state, next, now, isCut || state.late !== null),
    said: isCut ? gone : state.late === null ? '' : state.said,
    // A person who was writing goes on for a moment: that is not about what has come instead.
    draftedAt: isCut ? now : state.draftedAt,
  };
}

const withNext = (state: ScreenState, next: WaitingAsk | undefined, now: number): ScreenState =>
  // A person who was writing goes on: that is not about what has come instead.
  ({ ...(next === undefined ? { ...state, ask: null } : focused(state, next, now)), draftedAt: now });

/** With what was being written about a call that is gone: it is kept whole, and is no prompt by itself. `undefined`: nothing was. */
function lateDraft(state: ScreenState, { at, isAnswered }: AskState): ScreenState | undefined {
  // A letter of a choice, too: what was meant by it was meant for that call.
  if (isAnswered || !('draft' in at) || at.draft.text === '') return undefined;
  const before = state.late === null ? state.draft : state.late.before;
  return { ...state, draft: at.draft, late: { before, isAsked: false } };
}

/** What became of one that no longer waits. */
const goneInWords = ({ request }: WaitingAsk, { decided }: ChatView): string =>
  `the one before no longer waits${decided[request.approvalId] === undefined ? '' : `: ${decided[request.approvalId]}`}`;

/** What to ask: the shown question while it waits; otherwise one that came with it; otherwise the oldest. */
function nextAsk({ ask, sent, held }: ScreenState, { asks }: ChatView): WaitingAsk | undefined {
  const open = asks.filter(({ request }) => !sent.includes(request.approvalId));
  const shown = open.find(({ request }) => request.approvalId === ask?.ask.request.approvalId);
  if (shown !== undefined) return shown;
  const isHeld = ({ request }: WaitingAsk): boolean => held.some(({ approvalId }) => approvalId === request.approvalId);
  const alike = ask === null ? [] : open.filter((each) => isTogether(each, ask.ask));
  return alike.find((each) => !isHeld(each)) ?? open.find((each) => !isHeld(each)) ?? open[0] ?? asks[0];
}

/** Whether two calls wait for each other: those of one agent, in one step. */
export const isTogether = (one: WaitingAsk, other: WaitingAsk): boolean =>
  one.kind === 'approval' &&
  other.kind === 'approval' &&
  one.request.runId === other.request.runId &&
  JSON.stringify(one.request.origin) === JSON.stringify(other.request.origin);

/** The calls that wait together with this one, itself included. */
export const together = (ask: WaitingAsk, { asks }: Pick<ChatView, 'asks'>, sent: readonly string[]): WaitingAsk[] =>
  asks.filter((each) => isTogether(each, ask) && !sent.includes(each.request.approvalId));

/**
 * With another one on the screen. One that came in the place of what the human was about to answer has the cursor where Enter decides
 * nothing.
 */
export function focused(
  state: ScreenState,
  ask: WaitingAsk,
  now: number,
  isInstead = state.late !== null,
): ScreenState {
  const panel: PanelPlace = isInstead ? { ...PANEL, marked: 'details' } : PANEL;
  const at: AskPlace = ask.kind === 'question' ? firstQuestion() : panel;
  const isAnswered = state.sent.includes(ask.request.approvalId);
  return { ...state, ask: { ask: unanswered(state, ask), shownAt: now, isAnswered, at }, said: '' };
}

/** Those that are like it, without those that have an answer of their own: that one stays. */
function unanswered({ held, sent }: ScreenState, ask: WaitingAsk): WaitingAsk {
  if (ask.kind !== 'approval') return ask;
  const answered = [...held.map(({ approvalId }) => approvalId), ...sent];
  return { ...ask, alike: ask.alike.filter((id) => !answered.includes(id)) };
}

/** The human was about to answer when somebody, or time, was faster. */
export function isHalfDone({ isAnswered, at }: AskState): boolean {
  if (isAnswered) return false;
  if (at.at === 'panel') return at.draft.text !== '' || at.about.of !== 'call' || at.marked !== null;
  return at.at !== 'question' || at.answers.length > 0 || at.chosen.length > 0 || at.draft.text !== '';
}

const UNANSWERED: AnswerPlace = { option: 0, chosen: [], draft: EMPTY, isMoved: false };

export const firstQuestion = (): AnsweringState => ({
  at: 'question',
  index: 0,
  ...UNANSWERED,
  scroll: 0,
  isFollowing: false,
  places: [],
  answers: [],
});

/** At another question, as far as that one was, with the answers to those before it. */
export function atQuestion(at: AnsweringState, index: number, answers: AnsweringState['answers']): AnsweringState {
  const { option, chosen, draft, isMoved } = at;
  const places = Array.from({ length: Math.max(at.places.length, at.index + 1) }, (_, each) =>
    each === at.index ? { option, chosen, draft, isMoved } : (at.places[each] ?? UNANSWERED),
  );
  const before = places[index];
  // A new question is read from its beginning.
  const isFollowing = before !== undefined;
  return { at: 'question', index, ...(before ?? UNANSWERED), scroll: 0, isFollowing, places, answers };
}

/** With the question at another place. */
export const goTo = (state: ScreenState, at: AskPlace, said = ''): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, at }, said };

/** Something else is on the screen now: nothing is decided about it before it has been seen. */
export const unseen = (state: ScreenState, now: number): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, shownAt: now } };

/** With what stands on the screen of what would run; `undefined`: nothing that could be answered there. */
export function withStanding(state: ScreenState, part: StandingPart | undefined, now: number): ScreenState {
  const { ask } = withStood(state, now);
  if (ask === null) return state;
  if (part === undefined)
    return ask.seen === undefined
      ? state
      : { ...state, ask: { ...ask, seen: { ...ask.seen, ...hidden(ask.seen, now) } } };
  return { ...state, ask: { ...ask, seen: { ...standing(ask.seen, part, now), whole: part.whole } } };
}

/** With what has stood on the screen until now. */
export function withStood(state: ScreenState, now: number): ScreenState {
  const { ask } = state;
  if (ask?.seen === undefined) return state;
  const seen = { ...ask.seen, ...stood(ask.seen, now) };
  const isWhole = seen.whole !== undefined && seen.lines >= seen.total;
  return { ...state, ask: { ...ask, seen, ...(isWhole ? { seenWhole: seen.whole } : {}) } };
}

/** So long does a second look wait for its key, in ms. */
const PATIENCE = 10_000;

/** The human is told to look twice: what was taken counts when it is taken once more, by the same key. */
export const warned = (state: ScreenState, said: string, look: SecondLook): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, warned: look }, said };

/** Whether this key is the second one, for the same thing. */
export const isSecondLook = ({ ask }: ScreenState, { key, of, at }: SecondLook): boolean =>
  ask?.warned !== undefined && ask.warned.key === key && ask.warned.of === of && at < ask.warned.at + PATIENCE;

/** Until when the key is waited for. */
export const warnedUntil = ({ ask }: ScreenState): number => (ask?.warned?.at ?? Infinity) + PATIENCE;

/** With nothing that one key would take: another key came first, or too much time went by. */
export function unwarned(state: ScreenState): ScreenState {
  if (state.ask?.warned === undefined) return state;
  const { warned: _, ...ask } = state.ask;
  return { ...state, ask };
}

/** Answered: no key means them any more. */
export function sent(state: ScreenState, ids: readonly string[]): ScreenState {
  const { ask } = state;
  const all = {
    ...state,
    sent: [...state.sent, ...ids],
    held: state.held.filter((each) => !ids.includes(each.approvalId)),
  };
  return ask !== null && ids.includes(ask.ask.request.approvalId)
    ? { ...all, ask: { ...ask, isAnswered: true }, said: '' }
    : all;
}

/** It was answered, and waits nevertheless: the answer was not taken. */
export function unsent(state: ScreenState, approvalId: string): ScreenState {
  if (!state.sent.includes(approvalId)) return state;
  const all = {
    ...state,
    sent: state.sent.filter((id) => id !== approvalId),
  };
  const { ask } = all;
  if (ask?.ask.request.approvalId !== approvalId) return all;
  const at: AskPlace = ask.ask.kind === 'question' ? firstQuestion() : PANEL;
  return { ...all, ask: { ...ask, isAnswered: false, at } };
}

/** The answer that is held for a call. */
export const heldFor = ({ held }: Pick<ScreenState, 'held'>, { request }: WaitingAsk): CallAnswer | undefined =>
  held.find(({ approvalId }) => approvalId === request.approvalId);

/** The calls that wait together with it, each with the answer that it has by now. */
export const listed = (
  state: Pick<ScreenState, 'held'>,
  ask: WaitingAsk,
  view: Pick<ChatView, 'asks'>,
): { ask: WaitingAsk; answer: CallAnswer | undefined }[] =>
  together(ask, view, []).map((each) => ({ ask: each, answer: heldFor(state, each) }));

export type { ApprovalAsk };
