/** Questions of the model, as lines: one question at a time. */
import type { WaitingAsk } from '../view.js';
import { oneLine, style, widthOf } from '../../style.js';
import type { DrawContext, DrawnLines } from './approval.js';
import { laid } from './draft.js';
import { bothEnds, hanging, rows, rule, wrap } from './layout.js';
import { isWriting } from './press-question.js';
import type { AskState } from './state.js';

type QuestionAsk = Extract<WaitingAsk, { kind: 'question' }>;

export function questionLines({ at, isAnswered }: AskState, ask: QuestionAsk, drawing: DrawContext): DrawnLines {
  const { screen, room, isReady, said } = drawing;
  const { columns, symbols } = screen;
  const question = at.at === 'question' ? ask.questions[at.index] : undefined;
  const none = { isShown: false, scroll: { most: 0, page: 1 } };
  if (at.at !== 'question' || question === undefined) return { lines: [], ...none };
  const width = columns - 2;
  const header = oneLine(question.header ?? '');
  // A header is the model's: alone it could pose as the tool of a call that waits.
  const name = header === '' ? 'a question' : `a question: ${header}`;
  const count = ask.questions.length > 1 ? `${at.index + 1} of ${ask.questions.length}` : '';
  const head = [rule(ask.from === '' ? name : `${name} (${ask.from})`, count, screen, 'cyan')];
  const asks = wrap(question.question, width).map((line) => ` ${style('bold', line)}`);

  const foot = isAnswered ? [`answering${symbols.more}`] : isReady ? keysOf(question.kind, symbols.dot, width) : [];
  const tail = [
    ...wrap(said, width)
      .filter((line) => line !== '')
      .map((line) => ` ${style('yellow', line)}`),
    ...foot.map((line) => ` ${style('dim', line)}`),
  ];
  const optional = question.required === false ? [` ${style('dim', 'may be left out')}`] : [];
  const left = Math.max(1, room - head.length - optional.length - tail.length);
  const asked = bothEnds(asks, Math.max(1, Math.floor(left / 2)), symbols);
  const above = [...head, ...asked, ...optional];
  const space = Math.max(1, room - above.length - tail.length);

  if (question.kind === 'text') {
    const box = laid(at.draft, width - 2);
    const first = Math.max(0, box.cursor.row - space + 1);
    const written = hanging(` ${symbols.prompt} `, box.rows.slice(first, first + space), 'bold');
    return {
      lines: [...above, ...written, ...tail].slice(0, room),
      cursor: { x: 3 + box.cursor.column, y: above.length + box.cursor.row - first },
      ...none,
    };
  }

  let cursor: { x: number; y: number } | undefined;
  let [from, to] = [0, 1];
  const lines: string[] = [];
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
      cursor = { x: widthOf(label_) + written.cursor.column, y: lines.length + written.cursor.row };
      lines.push(...hanging(label_, written.rows, 'bold'));
    } else {
      const text = hanging(first, wrap(oneLine(label), width - widthOf(first)));
      lines.push(...(isHere ? text.map((line) => style('bold', line)) : text));
      const room_ = ' '.repeat(widthOf(first));
      if (description !== '')
        lines.push(...wrap(oneLine(description), width - room_.length).map((line) => `${room_}${style('dim', line)}`));
    }
    if (isHere) to = lines.length;
  }
  // Where the cursor is, is always seen.
  const top = Math.max(0, Math.min(Math.max(0, to - space), from, lines.length - space));
  return {
    lines: [...above, ...lines.slice(top, top + space), ...tail].slice(0, room),
    ...(cursor === undefined ? {} : { cursor: { x: cursor.x, y: above.length + cursor.y - top } }),
    ...none,
  };
}

function keysOf(kind: QuestionAsk['questions'][number]['kind'], dot: string, width: number): string[] {
  const move = ['arrows or digits move'];
  const parts = {
    text: ['Enter answers', 'Ctrl+J new line'],
    multiple_choice: [...move, 'Enter answers', 'type for another answer'],
    multi_select: [...move, 'space chooses', 'Enter answers'],
  }[kind];
  return rows([...parts, 'Esc does not answer'], ` ${dot} `, width);
}
