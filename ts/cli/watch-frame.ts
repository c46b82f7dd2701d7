/** The live view as lines of a terminal. */
import { doubtsAbout } from '../gate/danger.js';
import { standsOut } from '../gate/stands-out.js';
import { pendingColumns, summary, toJson, whole } from './shown.js';
import { fit, style, widthOf } from './style.js';
import { table } from './table.js';
import type { WatchState } from './watch-model.js';

/** How long something is new, in ms. */
const NEW_FOR = 10_000;

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** Exactly as many lines as there are rows, none wider than the screen. */
export function frame(state: WatchState, { columns, rows }: ScreenSize, place: string, now: number): string[] {
  const waiting = state.records.length;
  const title = `${waiting === 0 ? 'nothing waits' : `${waiting} waiting`}  ${place}`;
  const room = Math.max(1, rows - 3);
  const body =
    state.mode.at === 'request'
      ? request(state, state.mode.scroll, columns, room, now)
      : list(state, columns, room, now);
  const lines = [style('bold', fit(title, columns)), ...body.slice(0, room)];
  while (lines.length < rows - 2) lines.push('');
  lines.push(status(state, columns), style('dim', fit(KEYS[state.mode.at], columns)));
  return lines.slice(-rows);
}

const KEYS = {
  list: 'j k move  d details  y approve  n reject  q quit',
  request: 'j k scroll  d back  y approve  n reject  q quit',
  confirm: 'y yes  any other key no',
} as const;

function list({ records, selected, arrived }: WatchState, columns: number, room: number, now: number): string[] {
  if (records.length === 0) return [];
  const [head = '', ...lines] = table(records, pendingColumns(now, columns - 2), columns - 2);
  const at = Math.max(
    0,
    records.findIndex(({ approvalId }) => approvalId === selected),
  );
  // What is selected is always seen.
  const seen = room - 1;
  const first = Math.max(0, Math.min(at - Math.floor(seen / 2), records.length - seen));
  const marked = lines.slice(first, first + seen).map((line, index) => {
    const { approvalId } = records[first + index]!;
    const mark = approvalId === selected ? '>' : now - (arrived.get(approvalId) ?? -Infinity) < NEW_FOR ? '*' : ' ';
    return `${style(mark === '*' ? 'green' : 'bold', mark)} ${line}`;
  });
  return [`  ${head}`, ...marked];
}

function request(
  { records, selected }: WatchState,
  scroll: number,
  columns: number,
  room: number,
  now: number,
): string[] {
  const record = records.find(({ approvalId }) => approvalId === selected);
  if (record === undefined) return [];
  const lines = whole(record, columns, now).flatMap((line) =>
    widthOf(plain(line)) > columns ? wrapped(line, columns) : [line],
  );
  return lines.slice(Math.min(scroll, Math.max(0, lines.length - room)));
}

function status({ mode, records, said }: WatchState, columns: number): string {
  if (mode.at !== 'confirm') return style('yellow', fit(said, columns));
  const record = records.find(({ approvalId }) => approvalId === mode.id);
  if (record === undefined) return '';
  const doubts = mode.what === 'approve' ? doubtsAbout(toJson(record)) : standsOut(record);
  const beware = doubts.length > 0 ? ` (${doubts.join(', ')})` : '';
  const question = `${mode.what}${beware}? `;
  const text = `${question}${summary(record, Math.max(10, columns - widthOf(question)))}`;
  return style(doubts.length > 0 ? 'red' : 'yellow', fit(text, columns));
}

// oxlint-disable-next-line no-control-regex -- our own colours
const COLOURS = /\u001b\[\d+m/g;
const plain = (line: string): string => line.replaceAll(COLOURS, '');

/** A long line in pieces, without its colours. */
function wrapped(line: string, columns: number): string[] {
  const pieces = [''];
  for (const character of plain(line)) {
    if (widthOf(pieces.at(-1)! + character) > columns) pieces.push('');
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}
