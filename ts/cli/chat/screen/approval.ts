/** A tool call that waits, as lines: never more than there is room for, and what would run is what is seen. */
import { preview } from '../../../native.js';
import { oneLine, style, widthOf, type TextStyle } from '../../style.js';
import { bothEnds, coloured, countdown, hanging, pieces, rows, rule, wrap, type ScreenKind } from './layout.js';
import { laid, type TextDraft } from './draft.js';
import { offers, type ApprovalAsk } from './press-approval.js';
import type { AskState, AskPlace } from './state.js';
import { wholeLines } from './whole.js';

/** Lines, and what of them matters to keys. */
export interface DrawnLines {
  lines: string[];
  /** Where the human writes, from the first line. */
  cursor?: { x: number; y: number };
  /** Whether enough of the call is seen to approve it. */
  isShown: boolean;
  scroll: { most: number; page: number };
}

/** Fewer lines of a call are too few to decide on it, unless it has no more. */
const FEWEST = 3;
/** A few calls in a row are not pushed out of sight by one that is long. */
const MOST = 24;
const INDENT = ' ';

export interface DrawContext {
  screen: ScreenKind;
  /** How many lines there may be. */
  room: number;
  /** In ms since the epoch. */
  now: number;
  /** Whether keys are meant for it by now. */
  isReady: boolean;
  /** One line about the last key. */
  said: string;
}

export function approvalLines(asked: AskState, ask: ApprovalAsk, drawing: DrawContext): DrawnLines {
  const { at } = asked;
  if (at.at === 'whole') return scrolling(ask, wholeOf(ask, drawing.screen), at.scroll, drawing);
  if (at.at === 'help') return scrolling(ask, helpOf(ask, drawing.screen), at.scroll, drawing);
  const { screen, room } = drawing;
  const width = screen.columns - 1;
  const head = [title(ask, drawing), ...reasons(ask, screen, at, room)];
  const body = bodyOf(ask, at, width - INDENT.length).map((line) => `${INDENT}${coloured(line)}`);
  // What the keys are is measured first: they are always seen. Whether `y` is among them depends on what is seen.
  const foot = (isShown: boolean): FootLines => footOf(asked, ask, drawing, isShown);
  const fits = (lines: number): boolean => lines >= Math.min(body.length, FEWEST);
  const left = room - head.length - foot(true).lines.length;
  const isShown = fits(left);
  const footing = foot(isShown);
  const space = Math.max(0, Math.min(MOST, room - head.length - footing.lines.length));
  const shown = bothEnds(body, space, screen.symbols, ': d shows all');
  const lines = [...head, ...shown, ...footing.lines];
  const top = head.length + shown.length;
  const cursor = footing.cursor === undefined ? {} : { cursor: { x: footing.cursor.x, y: top + footing.cursor.y } };
  // In a very small window the keys are what is seen.
  const hidden = Math.max(0, lines.length - room);
  return { lines: lines.slice(hidden), ...cursor, isShown, scroll: { most: 0, page: 1 } };
}

function title(ask: ApprovalAsk, { screen, now }: DrawContext): string {
  const { request, index, of, warnings } = ask;
  const left = request.expiresAt === null ? '' : `${countdown(request.expiresAt - now)} left`;
  const count = of > 1 ? `Tool ${index} of ${of}` : '';
  const right = [count, left].filter((part) => part !== '').join(` ${screen.symbols.dot} `);
  return rule(request.toolName, right, screen, warnings.length > 0 ? 'red' : 'yellow');
}

/** Who asks, why, and what to beware of. Long ones are cut, so that the call itself is seen. */
function reasons(ask: ApprovalAsk, { columns, symbols }: ScreenKind, at: AskPlace, room: number): string[] {
  const { from, why, warnings } = ask;
  const width = columns - 1 - INDENT.length;
  const most = Math.max(1, Math.floor(room / 6));
  const part = (label: string, text: string, how?: TextStyle): string[] => {
    if (text === '') return [];
    const lines = bothEnds(wrap(oneLine(text), width - widthOf(label)), most, symbols);
    return hanging(label, how === undefined ? lines : lines.map((line) => style(how, line)), how ?? 'dim');
  };
  if (at.at === 'always') {
    const intro = wrap('From now on, until this program ends, it would run unasked:', width);
    return intro.map((line) => `${INDENT}${line}`);
  }
  return [
    ...part('from ', from),
    ...part('why  ', why),
    ...part('says ', saysOf(ask)),
    ...warnings.flatMap((warning) => part('!    ', warning, 'red')),
  ].map((line) => `${INDENT}${line}`);
}

/** What the tool says of the call; what is made of the call itself, or says why it asks, is seen anyway. */
function saysOf({ request }: ApprovalAsk): string {
  const { description, verdict } = request;
  const isOurs = description.startsWith('Run tool ') || (verdict !== null && description.endsWith(verdict.reason));
  return isOurs ? '' : description;
}

/** What would run, in lines of so many columns. */
function bodyOf(ask: ApprovalAsk, at: AskPlace, width: number): string[] {
  if (at.at === 'edited') return callLines(ask.request.toolName, at.args, width);
  if (at.at !== 'always') return previewOf(ask, width);
  const { label = '', also = [] } = ask.always ?? {};
  return [...wrap(oneLine(label), width), ...also.flatMap((each) => hanging('- ', wrap(oneLine(each), width - 2)))];
}

/** The preview, made for this width where it can be. */
function previewOf({ request }: ApprovalAsk, width: number): string[] {
  // With changes of files in it the preview is more than the arguments: it is shown as it was made.
  if (request.changes.length === 0) return callLines(request.toolName, request.args, width);
  const [first = '', ...lines] = request.preview.split('\n');
  const all = first === oneLine(request.toolName) ? lines : [first, ...lines];
  // Only our own words stand without the gutter.
  return all.flatMap((line) => pieces(line, width, line.startsWith('│ ') ? '│ ↪ ' : '  '));
}

/** Without the name of the tool, which is the title. */
function callLines(toolName: string, args: unknown, width: number): string[] {
  const lines = preview(toolName, args, Math.max(20, width)).text.split('\n');
  return lines.length > 1 ? lines.slice(1) : ['(no arguments)'];
}

interface FootLines {
  lines: string[];
  cursor?: { x: number; y: number };
}

/** The keys, or the line that is written on. */
function footOf({ at, isAnswered }: AskState, ask: ApprovalAsk, drawing: DrawContext, isShown: boolean): FootLines {
  const { screen, room, isReady, said } = drawing;
  const { columns, symbols } = screen;
  const width = columns - 1 - INDENT.length;
  const dim = (lines: readonly string[]): string[] => lines.map((line) => `${INDENT}${style('dim', line)}`);
  const note = said === '' ? [] : wrap(said, width).map((line) => `${INDENT}${style('yellow', line)}`);
  const keys = (parts: readonly string[]): string[] =>
    rows(parts, ` ${symbols.dot} `, width).map((line) => `${INDENT}${style('bold', line)}`);
  const tooSmall = isShown
    ? []
    : wrap('too small to show it: make the window larger', width).map((line) => `${INDENT}${style('red', line)}`);
  const hint = room < 10 ? [] : wrap('or type why it must not run', width).slice(0, 1);
  if (isAnswered) return { lines: dim([`answering${symbols.more}`]) };
  if (!isReady) return { lines: [...note, ...dim([`read it first${symbols.more}`])] };
  switch (at.at) {
    case 'reason':
      return writing('reject, because: ', at.draft, [...note, ...dim(['Enter rejects, Esc goes back'])], screen);
    case 'respond':
      return writing(
        'the result is: ',
        at.draft,
        [...note, ...dim(['Enter gives it to the model, Esc goes back'])],
        screen,
      );
    case 'edit':
      return writing('', at.draft, [...note, ...dim(['Enter shows it once more, Esc goes back'])], screen);
    case 'edited':
      return {
        lines: [
          ...note,
          ...tooSmall,
          ...keys([...(isShown ? ['y run it like this'] : []), 'e edit again', 'any other key: back']),
        ],
      };
    case 'always':
      return {
        lines: [
          ...note,
          ...tooSmall,
          ...keys([...(isShown ? ['y allow all of this from now on'] : []), 'any other key: back']),
        ],
      };
    default: {
      const offered = offers(ask, isShown).map(({ key, does }) => `${key} ${does}`);
      return {
        lines: [...note, ...tooSmall, ...keys([...offered, '? help']), ...dim(hint)],
      };
    }
  }
}

/** A line that is written on, in at most a few rows: those about the cursor. */
function writing(
  label: string,
  draft: TextDraft,
  below: readonly string[],
  { columns, rows: all }: ScreenKind,
): FootLines {
  const { rows: lines, cursor } = laid(draft, columns - 1 - INDENT.length - widthOf(label));
  const most = Math.max(1, Math.floor(all / 3));
  const first = Math.max(0, Math.min(cursor.row - Math.floor(most / 2), lines.length - most));
  const seen = hanging(label, lines.slice(first, first + most), 'bold').map((line) => `${INDENT}${line}`);
  return {
    lines: [...seen, ...below],
    cursor: { x: INDENT.length + widthOf(label) + cursor.column, y: cursor.row - first },
  };
}

/** A page that is as high as there is room, and may be scrolled. */
function scrolling(ask: ApprovalAsk, all: readonly string[], at: number, drawing: DrawContext): DrawnLines {
  const { screen, room } = drawing;
  const page = Math.max(1, room - 2);
  const most = Math.max(0, all.length - page);
  const from = Math.min(at, most);
  const seen = all.slice(from, from + page);
  const where = most === 0 ? '' : `lines ${from + 1} to ${from + seen.length} of ${all.length}`;
  const keys = most === 0 ? ['Esc back'] : ['j k scroll', 'space next page', 'g G ends', 'Esc back'];
  const foot = rows(keys, ` ${screen.symbols.dot} `, screen.columns - 2)[0] ?? '';
  return {
    lines: [rule(ask.request.toolName, where, screen, 'yellow'), ...seen, `${INDENT}${style('bold', foot)}`],
    isShown: false,
    scroll: { most, page },
  };
}

/** Everything about a call. */
function wholeOf(ask: ApprovalAsk, screen: ScreenKind): string[] {
  const { request, from, why, warnings } = ask;
  const width = screen.columns - 1 - INDENT.length;
  const field = (name: string, text: string): string[] =>
    text === '' ? [] : hanging(name.padEnd(9), wrap(oneLine(text), width - 9), 'dim');
  const changes = request.changes.map(({ path, added, removed }) => `${path}: +${added} -${removed}`);
  return [
    ...field('from', from),
    ...field('why', why),
    ...field('says', saysOf(ask)),
    ...warnings.flatMap((warning) => field('beware', warning)),
    ...changes.flatMap((change) => field('changes', change)),
    '',
    ...previewOf(ask, width).map(coloured),
    '',
    ...wholeLines(request, width),
    ...field('call', callOf(request)),
    ...field('digest', request.digest),
  ].map((line) => `${INDENT}${line}`);
}

/** Which call of the run it is. */
const callOf = ({ toolCallId, step }: ApprovalAsk['request']): string =>
  step === null ? toolCallId : `${toolCallId} (step ${step})`;

function helpOf(ask: ApprovalAsk, { columns }: ScreenKind): string[] {
  const width = columns - 1 - INDENT.length;
  const line = (key: string, help: string): string[] => hanging(`${key.padEnd(8)}`, wrap(help, width - 8), 'bold');
  return [
    ...offers(ask, true).flatMap(({ key, help }) => line(key, help)),
    ...line('Esc', 'As n.'),
    ...line('text', 'Anything else that you type rejects it with that as the reason, when you press Enter.'),
    ...line('Ctrl+C', 'Once: cancel the run, with all that waits. Twice: leave.'),
    '',
    ...wrap('Enter alone decides nothing, nor does a key that was pressed before the question was there.', width),
  ].map((each) => `${INDENT}${each}`);
}
