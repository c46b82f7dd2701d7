/** What the live view of `countersign watch` shows, and what keys do to it. Nothing here reads or writes. */
import type { DecisionType, GateEvent } from '../../index.js';
import { doubtsAbout } from '../gate/danger.js';
import type { KeptRecord } from '../native.js';
import { PAUSE } from '../press/second-look.js';
import { draftOf, EMPTY, edited as typedIn, insert } from './chat/screen/draft.js';
import type { KeyName, PressedKey } from './chat/screen/keys.js';
import { hidden, nextPage, standing, stood } from './chat/screen/seen.js';
import { toJson } from './shown.js';
import { unlessRoomy } from './style.js';
import { isRead, pageIn, type WatchRoom } from './watch-page.js';
import type { SeenEdit } from '../gate/seen-edit.js';
import type { ConfirmMode, WatchState, WordsMode } from './watch-state.js';

export type { ConfirmMode, WatchState, WordsMode };

export type WatchAction =
  | { type: 'quit' }
  | { type: 'approve' | 'skip' | 'always'; id: string }
  | { type: 'reject'; id: string; reason: string | null }
  | { type: 'respond'; id: string; output: string }
  | { type: 'edit'; id: string; args: unknown; shown?: SeenEdit | undefined }
  /** Is to be looked up, or changed in an editor; then it is asked about. */
  | { type: 'offer' | 'change'; id: string };

export const START: WatchState = {
  records: [],
  selected: null,
  mode: { at: 'list' },
  arrived: new Map(),
  beside: new Map(),
  said: '',
};

/**
 * With another list of what waits. What is no longer there is neither selected nor confirmed. A line that is written about it stays:
 * what is typed on is for no other request.
 */
export function withRecords(state: WatchState, records: readonly KeptRecord[]): WatchState {
  const ids = new Set<string | null>(records.map(({ approvalId }) => approvalId));
  const isThere = (id: string | null) => ids.has(id);
  let { selected, mode, said } = state;
  if (!isThere(selected)) {
    const row = state.records.findIndex(({ approvalId }) => approvalId === selected);
    selected = (records[Math.max(0, row)] ?? records.at(-1))?.approvalId ?? null;
  }
  const open = mode.at === 'request' ? state.selected : mode.at === 'confirm' ? mode.id : null;
  if (open !== null && !isThere(open)) {
    said = `${open.slice(-8)} no longer waits`;
    mode = { at: 'list' };
  }
  // The line says it itself.
  if (mode.at === 'words' && !isThere(mode.id)) said = '';
  const arrived = new Map([...state.arrived].filter(([id]) => isThere(id)));
  const beside = new Map([...state.beside].filter(([id]) => isThere(id)));
  return { ...state, records, selected, mode, said, arrived, beside };
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

/** The request that is shown whole while nothing beside it is known yet; `undefined`: no such request. */
export function unknownBeside({ mode, selected, records, beside }: WatchState): KeptRecord | undefined {
  if (mode.at !== 'request' || selected === null || beside.has(selected)) return undefined;
  return records.find(({ approvalId }) => approvalId === selected);
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
 * So long, in ms, must what is asked have been on the screen, and no key pressed, before a key means it: what was typed before that was
 * for another. A yes takes longer: it is the second one, and a key that is held down gives none.
 */
const SEEN = 250;

/** With what is on the screen from now on, in ms of {@link performance.now}. */
export function withPage(before: WatchState, room: WatchRoom, now: number): WatchState {
  const state = stillSaid(before.seen === undefined ? before : { ...before, seen: stood(before.seen, now) }, room);
  const page = pageIn(state, room);
  if (page === undefined) return state;
  if (page.standing !== undefined) return { ...state, seen: standing(state.seen, page.standing, now) };
  return state.seen === undefined ? state : { ...state, seen: hidden(state.seen, now) };
}

/**
 * What came from the keyboard at once, key by key, on what was on the screen when it was typed. A question that these keys
 * themselves have brought was not on it, so none of them answers it, and none of them is for what is there after an answer. What is
 * pasted is no key: it is text, where text is written.
 */
export function press(
  state: WatchState,
  keys: readonly PressedKey[],
  now: number,
  room: WatchRoom = { columns: Infinity, rows: Infinity },
): { state: WatchState; action?: WatchAction } {
  const strokes = keys.flatMap(strokesOf);
  let next = state.seen === undefined ? state : { ...state, seen: stood(state.seen, now) };
  for (const [at, stroke] of strokes.entries()) {
    const { mode } = next;
    const { name } = stroke;
    if (name === 'ctrl-c' || name === 'ctrl-d' || (name === 'q' && mode.at !== 'words'))
      return { state: next, action: { type: 'quit' } };
    if (mode.at === 'words') {
      const written = writing(next, mode, stroke, { isAlone: strokes.length === 1, now });
      if (written.action !== undefined) return written;
      next = written.state;
    } else if (name === undefined) continue;
    else if (mode.at === 'confirm') {
      const moved = scrolled(next, name, room);
      if (moved !== undefined) next = moved;
      else if (now - mode.quietSince >= (isYesKey(name) ? PAUSE : SEEN))
        return answered(next, mode, strokes.slice(at), room);
      else next = { ...next, mode: { ...mode, quietSince: now, isEarly: true } };
    } else {
      const moved = pressed(next, name, now, room);
      if (moved.action !== undefined) return moved;
      next = moved.state;
    }
  }
  return { state: next };
}

/** Each key by itself: a letter, the name of another key, or a text that was pasted. */
interface KeyStroke {
  /** A letter, or the name of a key. */
  name?: string;
  key?: KeyName;
  text?: string;
}

function strokesOf(key: PressedKey): KeyStroke[] {
  if (key.kind === 'paste') return [{ text: key.text }];
  return key.kind === 'text'
    ? [...key.text].map((text) => ({ name: text, text }))
    : [{ name: key.name, key: key.name }];
}

type PressedState = { state: WatchState; action?: WatchAction };

/** Where a key scrolls what is shown of a request; `undefined`: it does not. */
function scrolled(state: WatchState, name: string, room: WatchRoom): WatchState | undefined {
  const { mode, seen } = state;
  const page = pageIn(state, room);
  if (page === undefined || (mode.at !== 'request' && mode.at !== 'confirm')) return undefined;
  const { scroll, most } = page;
  const to: Readonly<Record<string, number>> = {
    j: scroll + 1,
    down: scroll + 1,
    k: scroll - 1,
    up: scroll - 1,
    ' ': nextPage(scroll, { most, page: room.rows }, seen),
    'page-down': nextPage(scroll, { most, page: room.rows }, seen),
    'page-up': scroll - room.rows,
    home: 0,
    end: most,
  };
  if (!Object.hasOwn(to, name)) return undefined;
  return { ...state, mode: { ...mode, scroll: Math.max(0, Math.min(most, to[name] ?? 0)) } };
}

/** Yes, with any Enter or repetition that came with it. Anything else, words that begin with a y among it, is no. */
function answered(state: WatchState, mode: ConfirmMode, strokes: readonly KeyStroke[], room: WatchRoom): PressedState {
  const { id } = mode;
  const back = { ...state, mode: { at: 'list' as const }, said: '' };
  const names = strokes.map(({ name }) => name);
  const isYes = isYesKey(names[0]) && names.every((name) => isYesKey(name) || isEnter(name));
  if (!isYes) return { state: { ...back, said: `${id.slice(-8)} still waits` } };
  if (mode.what !== 'skip' && !isRead(state, room)) return { state: { ...state, said: room.tooSmall ?? NOT_READ } };
  return {
    state: back,
    action:
      mode.what === 'edit'
        ? { type: 'edit', id, args: mode.args, ...(mode.shown === undefined ? {} : { shown: mode.shown }) }
        : { type: mode.what, id },
  };
}

/** Said as long as it is so. */
const NOT_READ = 'Not all of it was seen: space shows more, and y approves it then.';
const NOT_READ_YET = 'Not all of it was seen: space shows more.';

/** What is said, without what was so and is no longer. */
function stillSaid(state: WatchState, room: WatchRoom): WatchState {
  const isOver = (state.said === NOT_READ || state.said === NOT_READ_YET) && isRead(state, room);
  const said = isOver ? '' : unlessRoomy(state.said, room.tooSmall);
  return said === state.said ? state : { ...state, said };
}

const isYesKey = (name: string | undefined): boolean => name === 'y' || name === 'Y';
const isEnter = (name: string | undefined): boolean => name === 'enter' || name === 'newline';

/**
 * A key on a line of words. Enter sends it when it came by itself, and the line was there before it. Where the request no longer waits
 * it only ends the line.
 */
function writing(
  state: WatchState,
  mode: WordsMode,
  { key, text }: KeyStroke,
  { isAlone, now }: { isAlone: boolean; now: number },
): PressedState {
  const { what, id, draft, quietSince } = mode;
  const isGone = !state.records.some(({ approvalId }) => approvalId === id);
  const isEnd = key === 'enter' || key === 'newline';
  if (key === 'escape' || (isEnd && isAlone && isGone)) {
    const said = isGone ? 'no longer waits: nothing was sent' : 'still waits';
    return { state: { ...state, mode: { at: 'list' }, said: `${id.slice(-8)} ${said}` } };
  }
  if (isEnd && isGone) return { state };
  if (isEnd) {
    if (!isAlone || now - quietSince < SEEN) return { state: { ...state, said: 'Press Enter again to send it.' } };
    const words = what === 'reject' && draft.text.trim() === 'o' ? '' : draft.text.trim();
    if (what === 'respond' && words === '')
      return { state: { ...state, said: 'Type what the model gets as the result.' } };
    const back = { ...state, mode: { at: 'list' as const }, said: '' };
    return what === 'respond'
      ? { state: back, action: { type: 'respond', id, output: words } }
      : { state: back, action: { type: 'reject', id, reason: words === '' ? null : words } };
  }
  const typed = text === undefined ? key && typedIn(draft, key) : insert(draft, text.replaceAll(/\s+/g, ' '));
  // The n of a "no" was the key that began the line.
  const next =
    what === 'reject' && typed !== undefined && /^o[ ,.;:!]$/.test(typed.text) ? draftOf(`n${typed.text}`) : typed;
  return { state: next === undefined ? state : { ...state, mode: { ...mode, draft: next }, said: '' } };
}

function pressed(state: WatchState, name: string, now: number, room: WatchRoom): PressedState {
  const { mode, selected } = state;
  const moved = scrolled(state, name, room);
  if (moved !== undefined) return { state: moved };
  switch (name) {
    case 'j':
    case 'down':
      return { state: move(state, 1) };
    case 'k':
    case 'up':
      return { state: move(state, -1) };
    case '?':
      return { state: { ...state, mode: mode.at === 'help' ? { at: 'list' } : { at: 'help', scroll: 0 }, said: '' } };
    case 'd':
    case 'enter':
    case 'newline':
      if (mode.at === 'help') return { state: { ...state, mode: { at: 'list' } } };
      if (selected === null) return { state };
      return { state: { ...state, mode: mode.at === 'list' ? { at: 'request', scroll: 0 } : { at: 'list' } } };
    case 'escape':
    case 'backspace':
      return { state: { ...state, mode: { at: 'list' }, said: '' } };
    default: {
      const record = mode.at === 'help' ? undefined : state.records.find(({ approvalId }) => approvalId === selected);
      return record === undefined ? { state } : begun(state, record, name, now, room);
    }
  }
}

/** What each key decides, as everywhere; nothing is decided by it alone. */
const DECIDES: Readonly<Record<string, DecisionType>> = {
  y: 'approve',
  s: 'approve',
  n: 'reject',
  e: 'edit',
  r: 'respond',
  x: 'skip',
};

/** Whether a key may decide it here. A question is answered with its options before the eyes. */
export const mayBegin = (record: KeptRecord, name: string): boolean => {
  const type = Object.hasOwn(DECIDES, name) ? DECIDES[name] : undefined;
  return type === undefined || (record.allowedDecisions.includes(type) && !isAnsweredWhole(record, type));
};

const isAnsweredWhole = (record: KeptRecord, type: DecisionType): boolean =>
  toJson(record).kind === 'question' && (type === 'approve' || type === 'respond');

function begun(state: WatchState, record: KeptRecord, name: string, now: number, room: WatchRoom): PressedState {
  const type = Object.hasOwn(DECIDES, name) ? DECIDES[name] : undefined;
  if (type === undefined) return { state };
  const { approvalId: id } = record;
  const refused = (said: string): PressedState => ({ state: { ...state, said } });
  if (isAnsweredWhole(record, type))
    return refused(`It is a question: countersign respond ${id.slice(-8)} --answer TEXT, one for each question`);
  if (!mayBegin(record, name)) return refused(`This request does not allow: ${name}`);
  // One line has no room for what stands out: it is looked at whole before it is asked about.
  if (type === 'approve' && state.mode.at === 'list' && doubtsAbout(toJson(record)).length > 0)
    return { state: { ...state, mode: { at: 'request', scroll: 0 }, said: `Look at it whole; ${name} then asks.` } };
  switch (type) {
    case 'reject':
    case 'respond':
      return { state: { ...state, mode: { at: 'words', what: type, id, draft: EMPTY, quietSince: now }, said: '' } };
    case 'edit':
      return { state: { ...state, said: '' }, action: { type: 'change', id } };
    case 'approve':
      if (name === 's' && state.mode.at === 'list')
        return { state: { ...state, mode: { at: 'request', scroll: 0 }, said: 'Look at it whole; s then asks.' } };
      if (name === 's' && !isRead(state, room)) return refused(room.tooSmall ?? NOT_READ_YET);
      if (name === 's') return { state: { ...state, said: '' }, action: { type: 'offer', id } };
      break;
    case 'skip':
  }
  const scroll = state.mode.at === 'request' ? state.mode.scroll : 0;
  return { state: { ...state, mode: { at: 'confirm', what: type, id, quietSince: now, scroll }, said: '' } };
}

function move(state: WatchState, by: number): WatchState {
  const { mode, records, selected } = state;
  if (mode.at === 'help') return { ...state, mode: { ...mode, scroll: Math.max(0, mode.scroll + by) } };
  const row = records.findIndex(({ approvalId }) => approvalId === selected);
  const next = records[Math.min(records.length - 1, Math.max(0, row + by))];
  return { ...state, selected: next?.approvalId ?? null, said: '' };
}
