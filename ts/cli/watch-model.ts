/** What the live view of `countersign watch` shows, and what keys do to it. Nothing here reads or writes. */
import type { GateEvent } from '../../index.js';
import { doubtsAbout } from '../gate/danger.js';
import type { KeptRecord } from '../native.js';
import type { PressedKey } from './chat/screen/keys.js';
import { toJson } from './shown.js';

export interface WatchState {
  /** What waits, oldest first. */
  records: readonly KeptRecord[];
  /** An id, never a row: what arrives does not move what is meant. */
  selected: string | null;
  mode:
    | { at: 'list' }
    | { at: 'request'; scroll: number }
    /** `quietSince`: since when it is on the screen and no key was pressed, in ms. */
    | { at: 'confirm'; what: 'approve' | 'reject'; id: string; quietSince: number };
  /** When each arrived, in ms since the epoch; what waited before it began is not there. */
  arrived: ReadonlyMap<string, number>;
  /** What was done last. */
  said: string;
}

export type WatchAction = { type: 'quit' } | { type: 'approve' | 'reject'; id: string };

export const START: WatchState = {
  records: [],
  selected: null,
  mode: { at: 'list' },
  arrived: new Map(),
  said: '',
};

/** With another list of what waits. What is no longer there is neither selected nor confirmed. */
export function withRecords(state: WatchState, records: readonly KeptRecord[]): WatchState {
  const ids = new Set<string | null>(records.map(({ approvalId }) => approvalId));
  const isThere = (id: string | null) => ids.has(id);
  let { selected, mode, said } = state;
  if (!isThere(selected)) {
    const row = state.records.findIndex(({ approvalId }) => approvalId === selected);
    selected = (records[Math.max(0, row)] ?? records.at(-1))?.approvalId ?? null;
    if (mode.at === 'request') mode = { at: 'list' };
  }
  if (mode.at === 'confirm' && !isThere(mode.id)) {
    said = `${mode.id.slice(-8)} no longer waits`;
    mode = { at: 'list' };
  }
  const arrived = new Map([...state.arrived].filter(([id]) => isThere(id)));
  return { ...state, records, selected, mode, said, arrived };
}

/** With what came to wait, and without what was decided. Many may come at once: each is looked at once. */
export function withEvents(state: WatchState, events: readonly GateEvent[], now: number): WatchState {
  const records = new Map(state.records.map((record) => [record.approvalId, record]));
  const arrived = new Map(state.arrived);
  for (const event of events) {
    if (event.type === 'decided') records.delete(event.request.approvalId);
    if (event.type === 'voted' || event.type === 'escalated') {
      const { approvalId } = event.request;
      if (records.has(approvalId)) records.set(approvalId, event.request as KeptRecord);
    }
    if (event.type !== 'requested' || records.has(event.request.approvalId)) continue;
    records.set(event.request.approvalId, event.request as KeptRecord);
    arrived.set(event.request.approvalId, now);
  }
  return withRecords({ ...state, arrived }, [...records.values()]);
}

export const without = (state: WatchState, id: string): WatchState =>
  withRecords(
    state,
    state.records.filter(({ approvalId }) => approvalId !== id),
  );

/** Without what is due. */
export const withoutDue = (state: WatchState, now: number): WatchState =>
  withRecords(
    state,
    state.records.filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
  );

/**
 * So long, in ms, must a question have been on the screen, and no key pressed, before a key answers it: what was typed before that was
 * for another, and a key that is held down is for none.
 */
const SEEN = 250;

/**
 * What came from the keyboard at once, key by key, on what was on the screen when it was typed. A question that these keys
 * themselves have brought was not on it, so none of them answers it, and none of them is for what is there after an answer. What is
 * pasted is no key.
 */
export function press(
  state: WatchState,
  keys: readonly PressedKey[],
  now: number,
): { state: WatchState; action?: WatchAction } {
  const names = keys.flatMap(namesOf);
  let next = state;
  for (const [at, name] of names.entries()) {
    if (name === 'q' || name === 'ctrl-c' || name === 'ctrl-d') return { state: next, action: { type: 'quit' } };
    const { mode } = next;
    if (mode.at !== 'confirm') next = moved(next, name, now);
    else if (now - mode.quietSince >= SEEN) return answered(next, mode, names.slice(at));
    else next = { ...next, mode: { ...mode, quietSince: now } };
  }
  return { state: next };
}

/** Each key by itself: a letter, or the name of another key. */
function namesOf(key: PressedKey): string[] {
  if (key.kind === 'paste') return [];
  return key.kind === 'text' ? [...key.text] : [key.name];
}

type ConfirmMode = Extract<WatchState['mode'], { at: 'confirm' }>;

/** Yes, with whatever Enter or repetition came with it. Anything else, words that begin with a y among it, is no. */
function answered(
  state: WatchState,
  { what, id }: ConfirmMode,
  names: readonly string[],
): { state: WatchState; action?: WatchAction } {
  const back = { ...state, mode: { at: 'list' as const }, said: '' };
  const isYes = isYesKey(names[0]) && names.every((name) => isYesKey(name) || isEnter(name));
  return isYes
    ? { state: back, action: { type: what, id } }
    : { state: { ...back, said: `${id.slice(-8)} goes on waiting` } };
}

const isYesKey = (name: string | undefined): boolean => name === 'y' || name === 'Y';
const isEnter = (name: string): boolean => name === 'enter' || name === 'newline';

function moved(state: WatchState, name: string, now: number): WatchState {
  const { mode, selected } = state;
  switch (name) {
    case 'j':
    case 'down':
      return move(state, 1);
    case 'k':
    case 'up':
      return move(state, -1);
    case 'd':
    case 'enter':
    case 'newline':
      if (selected === null) return state;
      return { ...state, mode: mode.at === 'list' ? { at: 'request', scroll: 0 } : { at: 'list' } };
    case 'escape':
    case 'backspace':
      return { ...state, mode: { at: 'list' }, said: '' };
    case 'y':
    case 'n': {
      const record = state.records.find(({ approvalId }) => approvalId === selected);
      if (record === undefined) return state;
      // One line has no room for what stands out: it is looked at whole before it is asked about.
      if (name === 'y' && mode.at === 'list' && doubtsAbout(toJson(record)).length > 0)
        return { ...state, mode: { at: 'request', scroll: 0 }, said: 'Look at it whole; y then approves.' };
      const what = name === 'y' ? 'approve' : 'reject';
      return { ...state, mode: { at: 'confirm', what, id: record.approvalId, quietSince: now } };
    }
    default:
      return state;
  }
}

function move(state: WatchState, by: number): WatchState {
  const { mode, records, selected } = state;
  if (mode.at === 'request') return { ...state, mode: { at: 'request', scroll: Math.max(0, mode.scroll + by) } };
  const row = records.findIndex(({ approvalId }) => approvalId === selected);
  const next = records[Math.min(records.length - 1, Math.max(0, row + by))];
  return { ...state, selected: next?.approvalId ?? null, said: '' };
}
