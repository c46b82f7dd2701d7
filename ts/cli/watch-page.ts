/** What `countersign watch` shows of the request that is looked at or asked about, and how much of it must be seen before a yes. */
import { isSeenWhole, type StandingLines } from './chat/screen/seen.js';
import type { KeptRecord } from '../native.js';
import { foldedTo } from './folded.js';
import { isCut } from './style.js';
import { wholeParts, type KeptBeside } from './shown.js';
import type { WatchState } from './watch-state.js';

/** How much room there is for it. */
export interface WatchRoom {
  columns: number;
  rows: number;
  /** Why nothing in it counts as seen. */
  tooSmall?: string | undefined;
}

export interface WatchPage {
  lines: string[];
  scroll: number;
  /** How far it scrolls. */
  most: number;
  /** The lines that are on the screen, of those that a yes is about; `undefined`: their ends may be out of it. */
  standing: StandingLines | undefined;
}

/** @returns `undefined`: the list is shown, or the keys */
export function pageIn(
  state: WatchState,
  { columns, rows, tooSmall }: WatchRoom,
  now = Date.now(),
): WatchPage | undefined {
  const { mode, selected, records, beside } = state;
  if (mode.at !== 'request' && mode.at !== 'confirm') return undefined;
  if (mode.at === 'confirm' && mode.what === 'skip') return undefined;
  const id = mode.at === 'confirm' ? mode.id : selected;
  const record = records.find(({ approvalId }) => approvalId === id);
  if (record === undefined) return undefined;
  const isOther = mode.at === 'confirm' && 'lines' in mode;
  const { lines, total } = isOther
    ? foldedParts([mode.lines, []], columns)
    : foldedRequest(record, beside.get(record.approvalId), columns, now);
  const most = Math.max(0, lines.length - rows);
  const from = Math.min(mode.scroll, most);
  const what = isOther ? mode.what : 'request';
  const standing = {
    of: `${what} ${record.approvalId} ${columns} ${total}`,
    from,
    to: Math.min(lines.length, from + rows),
    total,
  };
  // The end of a line outside of the window was not seen.
  const isInside = tooSmall === undefined && !isCut(lines.slice(from, from + rows), columns);
  return { lines, scroll: from, most, standing: isInside ? standing : undefined };
}

/** Whether all that a yes is about was seen, with what is on the screen now. */
export function isRead(state: WatchState, room: WatchRoom, now?: number): boolean {
  const page = pageIn(state, room, now);
  return page !== undefined && page.standing !== undefined && isSeenWhole(state.seen, page.standing);
}

interface FoldedLines {
  lines: string[];
  /** How many of them, from the first, show what is decided about. */
  total: number;
}

function foldedParts(parts: readonly (readonly string[])[], columns: number): FoldedLines {
  const [first = [], rest = []] = parts.map((lines) => foldedTo(lines, columns));
  return { lines: [...first, ...rest], total: first.length };
}

let last: { about: readonly unknown[]; folded: FoldedLines } | undefined;

/** The shown request is laid out once a second, not at each key. */
function foldedRequest(record: KeptRecord, beside: KeptBeside | undefined, columns: number, now: number): FoldedLines {
  const about = [record, beside, columns, Math.floor(now / 1000)];
  if (last === undefined || about.some((each, at) => each !== last?.about[at]))
    last = { about, folded: foldedParts(wholeParts(record, columns, now, beside), columns) };
  return last.folded;
}
