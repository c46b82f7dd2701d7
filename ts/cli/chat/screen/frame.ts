/** All that is below the scrollback, as lines of the screen: always fewer than it has rows. */
import type { Chat, TranscriptEntry } from '../view.js';
import { fit, oneLine, style, widthOf, unlessRoomy } from '../../style.js';
import { approvalLines, type DrawnLines } from './approval.js';
import { laid } from './draft.js';
import { liveLines, statusLine, workLines } from './entries.js';
import { beginning, hanging, wrap, type ScreenKind } from './layout.js';
import { menuOf } from './menu.js';
import { questionLines } from './question.js';
import { heldFor, listed, readyAt, type ScreenState } from './state.js';

export interface ScreenFrame extends DrawnLines {
  /** As they are written: with colours. */
  lines: string[];
}

/** Time in ms: until when all keys were read, as {@link performance.now}, and now, since the epoch. */
export interface FrameTime {
  heard: number;
  epoch: number;
}

/**
 * @param live entries that still change
 * @param before the last one that does not
 */
export function frame(
  state: ScreenState,
  chat: Pick<Chat, 'view' | 'commands'>,
  live: readonly TranscriptEntry[],
  before: TranscriptEntry | undefined,
  screen: ScreenKind,
  now: FrameTime,
): ScreenFrame {
  const { view } = chat;
  const room = Math.max(1, screen.rows - 1);
  const asks = view.asks.filter((each) => heldFor(state, each) === undefined);
  const status = statusLine({ ...view, asks }, screen);
  const isAsked = state.ask !== null && state.late === null;
  const asked = isAsked ? askLines(state, view, screen, room - 1, now) : undefined;
  const below = asked ?? promptLines(state, chat, screen, room - 2);
  const isPage = isAsked && (state.ask?.at.at === 'whole' || state.ask?.at.at === 'help');
  const work = isPage ? [] : workLines(view, screen).slice(0, Math.max(0, room - 1 - below.lines.length));
  const space = isPage ? 0 : room - 1 - below.lines.length - work.length;
  const above = liveLines(
    live.map((entry) => withAnswer(entry, state, view)),
    before,
    space,
    screen,
  );
  // One empty line, where there is room, between what was said and what is written.
  const gap = space > above.length && (above.length > 0 || before !== undefined) ? [''] : [];
  const top = above.length + gap.length + work.length;
  const cursor = below.cursor === undefined ? {} : { cursor: { x: below.cursor.x, y: top + below.cursor.y } };
  const lines = [...above, ...gap, ...work, ...below.lines, style('dim', status)];
  return { ...below, lines: lines.map((line) => screen.symbols.shown(line)), ...cursor };
}

/** A call that has its answer, and waits for those that came with it, no longer waits for the human. */
function withAnswer(entry: TranscriptEntry, state: ScreenState, { asks }: Pick<Chat['view'], 'asks'>): TranscriptEntry {
  if (entry.kind !== 'tool' || entry.status !== 'waits' || state.held.length === 0) return entry;
  const isAnswered = asks.some(
    (each) =>
      each.request.toolCallId === entry.toolCallId &&
      each.request.origin.map(oneLine).join('\n') === entry.origin.join('\n') &&
      heldFor(state, each) !== undefined,
  );
  return isAnswered ? { ...entry, status: 'answered' } : entry;
}

function askLines(
  state: ScreenState,
  view: Pick<Chat['view'], 'asks'>,
  screen: ScreenKind,
  room: number,
  now: FrameTime,
): DrawnLines {
  const asked = state.ask;
  if (asked === null) return { lines: [], isShown: false, scroll: { most: 0, page: 1 } };
  const calls = listed(state, asked.ask, view);
  const isReady = now.heard >= readyAt(state);
  const drawing = {
    screen,
    room,
    now: now.epoch,
    isReady,
    said: unlessRoomy(state.said, screen.tooSmall) || (screen.tooSmall ?? ''),
    together: calls,
    waiting: view.asks,
  };
  if (asked.ask.kind === 'question') return questionLines(asked, asked.ask, drawing);
  return approvalLines(asked, asked.ask, drawing);
}

/** With less room, no help is shown. */
const FEW = 12;

const shortHelp = (help: string, most: number): string => (most < FEW ? '' : beginning(help, most));

/** Commands that are listed while one is typed. */
const LISTED = 10;

/** What a command may become, with a cursor; in a small window what is around it. */
function menuLines(
  state: ScreenState,
  commands: Chat['commands'],
  { columns, symbols }: ScreenKind,
  room: number,
): string[] {
  const menu = menuOf(state, commands);
  if (menu === undefined) return [];
  const most = Math.max(0, Math.min(LISTED, room));
  const width = Math.max(...menu.commands.map(({ usage }) => usage.length));
  const from = Math.max(0, Math.min(menu.at - Math.floor(most / 2), menu.commands.length - most));
  return menu.commands.slice(from, from + most).map(({ usage, help }, index) => {
    const isHere = from + index === menu.at;
    const text = fit(
      `${oneLine(usage).padEnd(width)}  ${shortHelp(oneLine(help), columns - 6 - width)}`.trimEnd(),
      columns - 4,
    );
    return ` ${isHere ? symbols.cursor : ' '} ${style(isHere ? 'bold' : 'dim', text)}`;
  });
}

/** What stands under a draft that was written about a call that is gone, after the first words about it. */
const lateNote = ({ ask, late }: ScreenState): string => {
  if (late === null) return '';
  const behind = ask === null ? '' : ', and the next call is shown';
  return `that was about a call that no longer waits: Esc takes it away${behind}`;
};

function promptLines(
  state: ScreenState,
  { commands, view }: Pick<Chat, 'view' | 'commands'>,
  screen: ScreenKind,
  room: number,
): DrawnLines {
  const { columns, symbols } = screen;
  const { draft, said } = state;
  const box = laid(draft, columns - 3);
  const most = Math.max(1, Math.min(8, room - 2));
  const first = Math.max(0, Math.min(box.cursor.row - most + 1, box.rows.length - most));
  const isEmpty = draft.text === '';
  const hint = view.isBusy ? 'your next prompt' : 'what should I do? /help lists commands';
  const rows = isEmpty
    ? [style('dim', widthOf(hint) <= columns - 3 ? hint : fit('what next? /help', columns - 3))]
    : box.rows.slice(first, first + most);
  const listed = menuLines(state, commands, screen, room - rows.length);
  // A second line of it only where there is room.
  const notes = wrap(said === '' ? lateNote(state) : said, columns - 2)
    .filter((line) => line !== '')
    .slice(0, room - rows.length - listed.length > 1 ? 2 : 1);
  return {
    lines: [
      ...hanging(`${symbols.prompt} `, rows, 'cyan'),
      ...listed,
      ...notes.map((line) => ` ${style('yellow', line)}`),
    ],
    cursor: { x: 2 + box.cursor.column, y: box.cursor.row - first },
    isShown: false,
    scroll: { most: 0, page: 1 },
  };
}
