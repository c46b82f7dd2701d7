/** What the screen is about at one moment. Never changed: the next moment is another object. */
import type { Decision, QuestionsAnswered } from '../../../../index.js';
import type { WaitingAsk, ChatView } from '../view.js';
import { EMPTY, type TextDraft } from './draft.js';

export interface ScreenState {
  /** What is being written to the agent. */
  readonly draft: TextDraft;
  /** When the human last wrote on it, in ms of {@link performance.now}. */
  readonly draftedAt: number;
  readonly history: InputHistory;
  /** What is asked at this moment. */
  readonly ask: AskState | null;
  /** One line about the last key, until the next. */
  readonly said: string;
}

export interface InputHistory {
  /** Oldest first. */
  readonly lines: readonly string[];
  /** Which is shown; `null`: the one that is being written. */
  readonly at: number | null;
  /** The one that was being written. */
  readonly kept: TextDraft;
}

/** What is asked, and how far the human is with it. */
export interface AskState {
  readonly ask: WaitingAsk;
  /** When what a key would decide about came on the screen, in ms of {@link performance.now}. */
  readonly shownAt: number;
  /** It was answered: the chat is about to take it. */
  readonly isAnswered: boolean;
  /** It stands out, and the human was told to look twice. */
  readonly isWarned?: boolean;
  readonly at: AskPlace;
}

export type AskPlace =
  | { readonly at: 'keys' }
  /** A reason for a rejection, a result to respond with, or arguments as JSON. */
  | { readonly at: 'reason' | 'respond' | 'edit'; readonly draft: TextDraft }
  /** Other arguments, shown before they are approved. `text` is their JSON. */
  | { readonly at: 'edited'; readonly args: unknown; readonly text: string }
  | { readonly at: 'always' }
  | { readonly at: 'whole' | 'help'; readonly scroll: number }
  | AnsweringState;

/** Questions, one at a time. */
export interface AnsweringState {
  readonly at: 'question';
  readonly index: number;
  /** Which option the cursor is on; behind the last one is "other". */
  readonly option: number;
  readonly chosen: readonly number[];
  /** The answer to a question of kind `text`, or "other". */
  readonly draft: TextDraft;
  readonly answers: QuestionsAnswered['answers'];
}

/** What a key asks for beyond the screen. */
export type KeyAction =
  | { type: 'submit'; line: string }
  | { type: 'decide'; approvalId: string; decision: Decision }
  | { type: 'always'; approvalId: string }
  | { type: 'approveAll'; approvalId: string }
  | { type: 'answer'; approvalId: string; answers: QuestionsAnswered['answers'] | null }
  /** In the human's editor. */
  | { type: 'edit'; approvalId: string; text: string }
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
  history: { lines: [], at: null, kept: EMPTY },
  ask: null,
  said: '',
};

/** No key decides anything before what it decides about has been on the screen for so long, in ms. */
const SEEN = 250;
/** Nor before so long after the last key of a prompt that was being written when it came, in ms. */
const QUIET = 1000;

/** From when on keys are meant for what is asked, in ms of {@link performance.now}. */
export function readyAt({ ask, draftedAt }: ScreenState): number {
  return ask === null ? Infinity : Math.max(ask.shownAt + SEEN, draftedAt + QUIET);
}

/** With what the chat shows now: another question comes on the screen, or the one that was there no longer waits. */
export function withView(state: ScreenState, view: ChatView, now: number): ScreenState {
  const [first] = view.asks;
  const old = state.ask;
  if (first === undefined) {
    if (old === null) return state;
    return { ...state, ask: null, said: isHalfDone(old) ? 'that no longer waits' : state.said };
  }
  if (old?.ask.request.approvalId === first.request.approvalId) {
    return old.ask === first ? state : { ...state, ask: { ...old, ask: first } };
  }
  const at: AskPlace = first.kind === 'question' ? firstQuestion() : { at: 'keys' };
  const said = old !== null && isHalfDone(old) ? 'the one before no longer waits' : '';
  return { ...state, ask: { ask: first, shownAt: now, isAnswered: false, at }, said };
}

/** The human was about to answer when somebody, or time, was faster. */
function isHalfDone({ isAnswered, at }: AskState): boolean {
  if (isAnswered || at.at === 'keys') return false;
  return at.at !== 'question' || at.answers.length > 0 || at.chosen.length > 0 || at.draft.text !== '';
}

export const firstQuestion = (): AnsweringState => ({
  at: 'question',
  index: 0,
  option: 0,
  chosen: [],
  draft: EMPTY,
  answers: [],
});

/** With the question at another place. */
export const goTo = (state: ScreenState, at: AskPlace, said = ''): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, at }, said };

/** Something else is on the screen now: nothing is decided about it before it has been seen. */
export const unseen = (state: ScreenState, now: number): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, shownAt: now } };

/** The human is told to look twice: what was pressed counts when it is pressed once more. */
export const warned = (state: ScreenState, said: string, now: number): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, isWarned: true, shownAt: now }, said };

/** Answered: no key means it any more. */
export const sent = (state: ScreenState): ScreenState =>
  state.ask === null ? state : { ...state, ask: { ...state.ask, isAnswered: true }, said: '' };

/** It was answered, and waits nevertheless: the answer was not taken. */
export function unsent(state: ScreenState, approvalId: string): ScreenState {
  if (state.ask?.ask.request.approvalId !== approvalId || !state.ask.isAnswered) return state;
  const at: AskPlace = state.ask.ask.kind === 'question' ? firstQuestion() : { at: 'keys' };
  return { ...state, ask: { ...state.ask, isAnswered: false, at } };
}
