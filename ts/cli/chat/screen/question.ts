/** Questions of the model, as lines: one question at a time. All of it is seen before it is answered. */
import type { Question } from '../../../../index.js';
import type { WaitingAsk } from '../view.js';
import { isCut, oneLine, style, widthOf } from '../../style.js';
import { hasChoices, type DrawContext, type DrawnLines } from './approval.js';
import { laid } from './draft.js';
import { hanging, partOf, placed, rows, rule, wrap, type ScreenSymbols } from './layout.js';
import { ESCAPES, isSpaceMore, isWriting } from './press-question.js';
import { isSeenWhole } from './seen.js';
import type { AnsweringState, AskState } from './state.js';

type QuestionAsk = Extract<WaitingAsk, { kind: 'question' }>;

export function questionLines(asked: AskState, ask: QuestionAsk, drawing: DrawContext): DrawnLines {
  const { at } = asked;
  const { screen, room } = drawing;
  const { columns, symbols } = screen;
  const question = at.at === 'question' ? ask.questions[at.index] : undefined;
  if (at.at !== 'question' || question === undefined)
    return { lines: [], isShown: false, scroll: { most: 0, page: 1 } };
  const width = columns - 2;
  const header = oneLine(question.header ?? '');
  // A header is the model's: alone it could pose as the tool of a call that waits.
  const name = header === '' ? 'a question' : `a question: ${header}`;
  const count = ask.questions.length > 1 ? `${at.index + 1} of ${ask.questions.length}` : '';
  const head = [rule(ask.from === '' ? name : `${name} (${ask.from})`, count, screen, 'cyan')];
  const asks = [
    ...wrap(question.question, width).map((line) => ` ${style('bold', line)}`),
    ...(question.required === false ? [` ${style('dim', 'may be left out')}`] : []),
  ];
  const keys = keysOf(question, at, true, symbols.dot, width);
  const others = keysOf(question, at, false, symbols.dot, width);
  // Help is what there is least need of.
  const helped = Math.min(Math.max(keys.length, others.length), Math.max(0, room - head.length - LEAST_ROOM));
  const note = wrap(drawing.said, width)
    .filter((line) => line !== '')
    .slice(0, Math.max(1, room - head.length - helped - LEAST_ROOM))
    .map((line) => ` ${style('yellow', line)}`);
  const roomy = Math.max(0, room - head.length - helped);
  const left = Math.max(0, roomy - note.length);

  const written = question.kind === 'text' ? boxOf(at, symbols, width, Math.max(1, Math.floor(left / 3))) : undefined;
  const options = optionLines(question, at, symbols, width);
  // A short question stays above its options, even when a note on the last key takes lines.
  const isPinned = asks.length <= Math.floor(roomy / 2);
  const pinned = isPinned ? asks : [];
  const body = isPinned ? options.lines : [...asks, ...options.lines];
  const offset = isPinned ? 0 : asks.length;
  const mark = { from: offset + options.from, to: offset + options.to };
  const space = Math.max(0, left - pinned.length - (written?.lines.length ?? 0));
  const page = body.length <= space ? space : space - 1;
  const scroll = at.isFollowing ? Math.min(mark.from, Math.max(at.scroll, mark.to - page)) : at.scroll;
  const part = partOf(body, scroll, space);

  // What the human writes is no part of what is asked.
  const total = offset + options.asked;
  const [from, to] = [Math.min(part.from, total), Math.min(part.to, total)];
  const standing = { of: `question ${at.index} ${width} ${isPinned}`, from, to, total };
  const isInside = screen.tooSmall === undefined && !isCut([...pinned, ...part.lines], columns - 1);
  const isRoom = pinned.length + Math.min(space, body.length) + (written?.lines.length ?? 0) <= left;
  const isAnswerable = isInside && isRoom && hasChoices(asked, drawing);
  const isShown = isAnswerable && isSeenWhole(asked.seen, standing);
  const how = isSpaceMore(question, at, isShown) ? 'space shows more' : 'PageDown shows more';
  const above = [...head, ...pinned];
  const shown = placed(part, body.length, screen, how);
  const isMarkSeen = part.from <= mark.from && mark.from < part.to;
  const foot = asked.isAnswered ? [`answering${symbols.more}`] : drawing.isReady ? (isShown ? keys : others) : [];
  // As long as no key is meant for it their place stays empty: the question stands where it will be answered.
  const help = Array.from({ length: helped }, (_, index) => foot[index] ?? '');
  const cursor =
    written === undefined
      ? options.cursor !== undefined &&
        isMarkSeen && { x: options.cursor.x, y: above.length + offset + options.cursor.y - part.from }
      : { x: written.cursor.x, y: above.length + shown.length + written.cursor.y };
  return {
    lines: [
      ...above,
      ...shown,
      ...(written?.lines ?? []),
      ...note,
      ...help.map((line) => (line === '' ? '' : ` ${style('dim', line)}`)),
    ].slice(0, room),
    ...(cursor === false ? {} : { cursor }),
    isShown,
    scroll: {
      most: part.most,
      page: part.page,
      from: part.from,
      hasMark: question.kind !== 'multiple_choice' || isMarkSeen,
    },
    ...(isAnswerable ? { standing } : {}),
  };
}

/** The lines reserved for the question before help gets any. */
const LEAST_ROOM = 4;

/** The line that an answer is written on, in at most `most` rows: those up to the cursor. */
function boxOf(
  { draft }: AnsweringState,
  { prompt }: ScreenSymbols,
  width: number,
  most: number,
): { lines: string[]; cursor: { x: number; y: number } } {
  const box = laid(draft, width - 2);
  const first = Math.max(0, box.cursor.row - most + 1);
  return {
    lines: hanging(` ${prompt} `, box.rows.slice(first, first + most), 'bold'),
    cursor: { x: 3 + box.cursor.column, y: box.cursor.row - first },
  };
}

interface OptionLines {
  lines: string[];
  /** How many of them the model wrote. */
  asked: number;
  /** The lines of the option at the cursor; for a written answer, the line with the cursor. */
  from: number;
  to: number;
  /** Where the human writes, from the first of them. */
  cursor?: { x: number; y: number };
}

function optionLines(question: Question, at: AnsweringState, symbols: ScreenSymbols, width: number): OptionLines {
  if (question.kind === 'text') return { lines: [], asked: 0, from: 0, to: 0 };
  const lines: string[] = [];
  let cursor: { x: number; y: number } | undefined;
  let [from, to, asked] = [0, 0, 0];
  const entries = question.options.map(({ label, description = '' }) => ({ label, description }));
  if (question.kind === 'multiple_choice') entries.push({ label: 'something else', description: '' });
  for (const [index, { label, description }] of entries.entries()) {
    const isHere = index === at.option;
    const box = question.kind === 'multi_select' ? `${at.chosen.includes(index) ? symbols.on : symbols.off} ` : '';
    const number = index < 9 ? `${index + 1}. ` : '   ';
    const first = ` ${isHere ? symbols.cursor : ' '} ${box}${number}`;
    if (isHere) from = lines.length;
    if (isHere && isWriting(question, at)) {
      const written = laid(at.draft, Math.max(4, width - widthOf(first) - widthOf(label) - 2));
      const label_ = `${first}${label}: `;
      from = lines.length + written.cursor.row;
      cursor = { x: widthOf(label_) + written.cursor.column, y: from };
      lines.push(...hanging(label_, written.rows, 'bold'));
    } else {
      const text = hanging(first, wrap(oneLine(label), width - widthOf(first)));
      lines.push(...(isHere ? text.map((line) => style('bold', line)) : text));
      const room_ = ' '.repeat(widthOf(first));
      if (description !== '')
        lines.push(...wrap(oneLine(description), width - room_.length).map((line) => `${room_}${style('dim', line)}`));
    }
    if (isHere) to = cursor === undefined ? lines.length : from + 1;
    if (index < question.options.length) asked = lines.length;
  }
  return { lines, asked, from, to, ...(cursor === undefined ? {} : { cursor }) };
}

function keysOf(question: Question, at: AnsweringState, isShown: boolean, dot: string, width: number): string[] {
  const move = ['arrows or digits move'];
  const isMore = isSpaceMore(question, at, isShown);
  const parts = {
    text: ['Enter answers', 'Ctrl+J new line'],
    multiple_choice: [...move, 'Enter answers', 'type for another answer'],
    multi_select: [...move, isMore ? 'space shows more' : 'space chooses', 'Enter answers'],
  }[question.kind];
  return rows([...parts, at.draft.text === '' ? ESCAPES : 'Esc empties the line'], ` ${dot} `, width);
}
