/** What the live view of `countersign watch` shows, and what keys do to it. Nothing here reads or writes. */
import type { GateEvent } from '../../index.js';
import type { KeptRecord } from '../native.js';

export interface WatchState {
  /** What waits, oldest first. */
  records: readonly KeptRecord[];
  /** An id, never a row: what arrives does not move what is meant. */
  selected: string | null;
  mode: { at: 'list' } | { at: 'request'; scroll: number } | { at: 'confirm'; what: 'approve' | 'reject'; id: string };
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

/** What came from the keyboard at once. Only a key of its own confirms: what is pasted, or typed ahead, does not. */
export function press(state: WatchState, keys: string): { state: WatchState; action?: WatchAction } {
  if (keys === 'q' || keys.includes('\u0003') || keys === '\u0004') return { state, action: { type: 'quit' } };
  const { mode } = state;
  if (mode.at === 'confirm') {
    const back = { ...state, mode: { at: 'list' as const }, said: '' };
    if (keys === 'y' || keys === 'Y') return { state: back, action: { type: mode.what, id: mode.id } };
    return { state: { ...back, said: `${mode.id.slice(-8)} goes on waiting` } };
  }
  const { selected } = state;
  switch (keys) {
    case 'j':
    case '\u001b[B':
      return { state: move(state, 1) };
    case 'k':
    case '\u001b[A':
      return { state: move(state, -1) };
    case '\r':
    case '\n':
      if (selected === null) return { state };
      return { state: { ...state, mode: mode.at === 'list' ? { at: 'request', scroll: 0 } : { at: 'list' } } };
    case '\u001b':
    case '\u007f':
      return { state: { ...state, mode: { at: 'list' }, said: '' } };
    case 'a':
    case 'r':
      if (selected === null) return { state };
      return { state: { ...state, mode: { at: 'confirm', what: keys === 'a' ? 'approve' : 'reject', id: selected } } };
    default:
      return { state };
  }
}

function move(state: WatchState, by: number): WatchState {
  const { mode, records, selected } = state;
  if (mode.at === 'request') return { ...state, mode: { at: 'request', scroll: Math.max(0, mode.scroll + by) } };
  const row = records.findIndex(({ approvalId }) => approvalId === selected);
  const next = records[Math.min(records.length - 1, Math.max(0, row + by))];
  return { ...state, selected: next?.approvalId ?? null, said: '' };
}
