/** The live view as lines of a terminal. */
import { doubtsAbout } from '../gate/danger.js';
import type { KeptRecord } from '../native.js';
import { wrap } from './chat/screen/layout.js';
import { pendingColumns, summary, toJson } from './shown.js';
import { fit, isCut, oneLine, plainLine, style, tooSmall, widthOf, type TextStyle } from './style.js';
import { table } from './table.js';
import { mayBegin, type WatchState, type WordsMode } from './watch-model.js';
import { isRead, pageIn, type WatchRoom } from './watch-page.js';

/** How long something is new, in ms. */
const NEW_FOR = 10_000;

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** Lines around what is seen of a request beside what is said or asked: the title and the keys. */
const AROUND = 2;
/** The most lines for messages. */
const SAID = 3;

/** How much room there is for a request. */
export const roomIn = (state: WatchState, { columns, rows }: ScreenSize): WatchRoom => ({
  columns,
  rows: Math.max(1, rows - AROUND - statusHeight(state, columns)),
  tooSmall: tooSmall({ columns, rows }),
});

/** How many lines stand below the request. One more than the question has: for the call, or what to press. */
function statusHeight(state: WatchState, columns: number): number {
  if (state.said !== '') return saidLines(state, columns).length;
  const asked = askedAbout(state);
  return asked !== undefined && isLong(asked.question, columns) ? questionLines(asked.question, columns).length + 1 : 1;
}

/** What is said, in lines. One is kept for it. */
const saidLines = ({ said }: WatchState, columns: number): string[] => wrap(said, columns).slice(0, SAID);

/** Exactly as many lines as there are rows, none wider than the screen. */
export function frame(state: WatchState, size: ScreenSize, place: string, now: number): string[] {
  const { columns, rows } = size;
  const waiting = state.records.length;
  const title = `${waiting === 0 ? 'nothing waits' : `${waiting} waiting`}  ${place}`;
  const room = roomIn(state, size);
  const lines = [style('bold', fit(title, columns)), ...body(state, room, now).slice(0, room.rows)];
  const said = status(state, room, now);
  while (lines.length < rows - 1 - said.length) lines.push('');
  lines.push(...said, style('dim', fit(keysIn(state, columns), columns)));
  // The terminal would wrap what is wider, and what is above would scroll out of it.
  return lines.slice(-rows).map((line) => (isCut([line], columns) ? fit(plainLine(line), columns) : line));
}

function body(state: WatchState, room: WatchRoom, now: number): string[] {
  const { mode } = state;
  if (mode.at === 'help') return helpLines(room.columns).slice(Math.min(mode.scroll, Math.max(0, HELP.length - 1)));
  const page = pageIn(state, room, now);
  return page === undefined ? list(state, room.columns, room.rows, now) : page.lines.slice(page.scroll);
}

const HELP: readonly (readonly [key: string, what: string])[] = [
  ['j k', 'the next request, the one before; in a request they scroll, and space is a page'],
  ['d', 'the request whole, and back; so does Enter'],
  ['y', 'shows it whole; one more y approves it, once all of it was seen'],
  ['n', 'reject it; what you type is the reason'],
  ['e', 'change it in your editor; it is shown once more before it runs'],
  ['r', 'do not run it, and give the model a result of your own'],
  ['s', 'approve it, and remember that for its project; it says first what that is'],
  ['x', 'skip it: the model goes on without'],
  ['Esc', 'back; it decides nothing'],
  ['q', 'end'],
];

const helpLines = (columns: number): string[] =>
  HELP.flatMap(([key, what]) => {
    const lines = wrap(what, Math.max(10, columns - 5));
    return lines.map((line, at) => `${at === 0 ? style('bold', key.padEnd(5)) : '     '}${line}`);
  });

function keysIn({ mode, records, selected }: WatchState, columns: number): string {
  const record = records.find(({ approvalId }) => approvalId === selected);
  /** Without what may not be decided so. */
  const offered = (keys: readonly string[]): string[] =>
    record === undefined ? [...keys] : keys.filter((key) => mayBegin(record, key.slice(0, 1)));
  switch (mode.at) {
    case 'list':
      return row(
        offered([
          'y approve',
          'n reject',
          'd details',
          '? keys',
          'e edit',
          's always',
          'r respond',
          'x skip',
          'j k move',
          'q quit',
        ]),
        '  ',
        columns,
      );
    case 'request':
      return row(
        offered([
          'y approve',
          'n reject',
          'd back',
          'j k scroll',
          '? keys',
          'e edit',
          's always',
          'r respond',
          'x skip',
          'q quit',
        ]),
        '  ',
        columns,
      );
    case 'help':
      return 'd back  j k scroll  q quit';
    case 'words':
      return records.some(({ approvalId }) => approvalId === mode.id) ? 'Enter sends it  Esc back' : 'Esc back';
    case 'confirm':
      if (mode.isEarly) return 'that key came too early: press it again  any other key leaves it waiting';
      return mode.what === 'skip'
        ? 'y yes  any other key leaves it waiting'
        : 'y yes  space j k scroll  any other key leaves it waiting';
  }
}

/** As many of these as fit, the first ones first. */
function row(parts: readonly string[], between: string, width: number): string {
  let line = '';
  for (const part of parts) {
    const next = line === '' ? part : `${line}${between}${part}`;
    if (widthOf(next) > width) break;
    line = next;
  }
  return line;
}

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

function status(state: WatchState, room: WatchRoom, now: number): string[] {
  const { mode } = state;
  const { columns } = room;
  if (state.said !== '') return saidLines(state, columns).map((line) => style('yellow', line));
  if (mode.at === 'words') return [wordsLine(mode, recordOf(state, mode.id), columns)];
  const asked = askedAbout(state);
  if (asked === undefined) return [''];
  const { question, doubts, what, call } = asked;
  const isOpen = what !== 'skip' && !isRead(state, room, now);
  const how: TextStyle = !isOpen && doubts.length > 0 ? 'red' : 'yellow';
  const behind = (width: number): string => (isOpen ? hintIn(room, width) : summary(call, Math.max(10, width)));
  const lines = isLong(question, columns)
    ? [...questionLines(question, columns), behind(columns)]
    : [`${question} ${behind(columns - widthOf(question) - 1)}`];
  return lines.map((line) => style(how, fit(line, columns)));
}

const recordOf = ({ records }: WatchState, id: string): KeptRecord | undefined =>
  records.find(({ approvalId }) => approvalId === id);

/** What a second key would be a yes to; `undefined`: nothing is asked. */
interface AskedAbout {
  question: string;
  doubts: readonly string[];
  what: keyof typeof ASKED;
  call: KeptRecord;
}

function askedAbout(state: WatchState): AskedAbout | undefined {
  const { mode } = state;
  const record = mode.at === 'confirm' ? recordOf(state, mode.id) : undefined;
  if (record === undefined || mode.at !== 'confirm') return undefined;
  const { what } = mode;
  const doubts = what === 'edit' ? mode.doubts : what === 'skip' ? [] : doubtsAbout(toJson(record));
  const beware = doubts.length > 0 ? ` (${doubts.join(', ')})` : '';
  const call = what === 'edit' ? { ...record, args: mode.args } : record;
  return { question: `${ASKED[what]}${beware}?`, doubts, what, call };
}

const MORE = 'There is more of it: space shows it, then y.';

/** Whether what is behind the question has no room in its line: neither what is asked nor what to press may be cut out of it. */
const isLong = (question: string, columns: number): boolean => widthOf(question) + 1 + MORE.length > columns;

const questionLines = (question: string, columns: number): string[] => wrap(question, columns).slice(0, SAID);

/** Why there is no yes yet, and what to press. */
function hintIn({ tooSmall: why }: WatchRoom, width: number): string {
  const hint = why ?? MORE;
  return why === undefined && widthOf(hint) > width ? 'space shows more, then y' : hint;
}

const ASKED = { approve: 'approve', skip: 'skip', always: 'approve, and always', edit: 'run it like this' } as const;

/** What the words are about. */
function beforeWords({ what }: WordsMode, { toolName }: KeptRecord): string {
  const tool = fit(oneLine(toolName), 20);
  return what === 'reject' ? `reject ${tool}, because: ` : `the result of ${tool} is: `;
}

/** What is written, its end where it is long: that is where the cursor is. */
function wordsLine(mode: WordsMode, record: KeptRecord | undefined, columns: number): string {
  const { draft } = mode;
  const before = record === undefined ? `${mode.id.slice(-8)} no longer waits, Esc: ` : beforeWords(mode, record);
  const room = Math.max(4, columns - widthOf(before) - 1);
  const shown = [...oneLine(draft.text.slice(0, draft.cursor))];
  while (widthOf(shown.join('')) > room) shown.shift();
  const rest = oneLine(draft.text.slice(draft.cursor));
  return style('yellow', fit(`${before}${shown.join('')}▏${rest}`, columns));
}
