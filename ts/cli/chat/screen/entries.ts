/** What was said and done, and what goes on, as lines. */
import type { ChatView, TranscriptEntry } from '../view.js';
import { fit, oneLine, style, widthOf, type TextStyle } from '../../style.js';
import { bothEnds, coloured, hanging, row, wrap, type ScreenKind, type ScreenSymbols } from './layout.js';

/** Lines of a tool's output that are shown of one call. */
const DETAIL = 12;

/** An entry, with an empty line before it where something else begins. */
export function entryLines(entry: TranscriptEntry, before: TranscriptEntry | undefined, screen: ScreenKind): string[] {
  const isApart =
    before !== undefined && (before.kind !== entry.kind || entry.kind === 'user' || entry.kind === 'text');
  return [...(isApart ? [''] : []), ...linesOf(entry, screen)];
}

function linesOf(entry: TranscriptEntry, { columns, symbols }: ScreenKind): string[] {
  const width = columns - 1;
  const from = nameOf(entry);
  switch (entry.kind) {
    case 'user':
      return hanging(
        `${symbols.prompt} `,
        wrap(entry.text, width - 2).map((line) => style('bold', line)),
        'cyan',
      );
    case 'text':
      if (from === '') return wrap(entry.text, width);
      return [style('dim', fit(`${from}:`, width)), ...wrap(entry.text, width - 2).map((line) => `  ${line}`)];
    case 'note': {
      const how: TextStyle = entry.level === 'error' ? 'red' : entry.level === 'warning' ? 'yellow' : 'dim';
      const sign = entry.level === 'info' ? symbols.dot : '!';
      return hanging(
        `${sign} `,
        wrap(entry.text, width - 2).map((line) => (how === 'dim' ? line : style(how, line))),
        how,
      );
    }
    case 'tool': {
      const [sign, how] = STATUS[entry.status];
      const whose = from === '' ? '' : ` (${from})`;
      const what = fit(oneLine(`${entry.toolName} ${entry.title}${whose}`), width - 2);
      const word = WORD[entry.status];
      const detail = entry.detail === '' ? [] : wrap(entry.detail, width - 4);
      return [
        `${style(how, symbols[sign])} ${what}${word === undefined || what.length + word.length + 5 > width ? '' : style('dim', ` ${symbols.dot} ${word}`)}`,
        ...bothEnds(detail, DETAIL, symbols).map((line) => `    ${entry.status === 'denied' ? line : coloured(line)}`),
      ];
    }
  }
}

/** The subagent that it comes from; empty for the main agent. */
const nameOf = ({ origin }: TranscriptEntry): string => (origin.length > 1 ? oneLine(origin.at(-1) ?? '') : '');

const STATUS: Readonly<
  Record<Extract<TranscriptEntry, { kind: 'tool' }>['status'], [sign: keyof ScreenSymbols & EntrySign, how: TextStyle]>
> = {
  called: ['runs', 'dim'],
  waits: ['waits', 'yellow'],
  approved: ['waits', 'green'],
  answered: ['waits', 'dim'],
  runs: ['runs', 'cyan'],
  succeeded: ['succeeded', 'green'],
  failed: ['failed', 'red'],
  denied: ['denied', 'red'],
  cancelled: ['cancelled', 'dim'],
};
type EntrySign = 'runs' | 'waits' | 'succeeded' | 'failed' | 'denied' | 'cancelled';

/** What the sign alone does not say. */
const WORD: Readonly<Partial<Record<Extract<TranscriptEntry, { kind: 'tool' }>['status'], string>>> = {
  waits: 'waits for you',
  approved: 'approved, waits for the others',
  answered: 'answered, waits for the others',
  failed: 'failed',
  denied: 'did not run',
  cancelled: 'cancelled',
};

/** Entries that still change: of what there is no room for, the end is seen. */
export function liveLines(
  entries: readonly TranscriptEntry[],
  before: TranscriptEntry | undefined,
  room: number,
  screen: ScreenKind,
): string[] {
  // A long text is laid out again with each word: only what may be seen of it.
  const seen = entries.map((entry) => shortened(entry, room * screen.columns));
  const lines = seen.flatMap((entry, at) => entryLines(entry, at === 0 ? before : entries[at - 1], screen));
  return room <= 0 ? [] : lines.slice(-room);
}

function shortened(entry: TranscriptEntry, most: number): TranscriptEntry {
  if (entry.kind !== 'text' || entry.text.length <= most) return entry;
  const from = entry.text.indexOf('\n', entry.text.length - most);
  return { ...entry, text: entry.text.slice(from === -1 ? -most : from + 1) };
}

/** The plan and who works on it, in a few lines. */
export function workLines({ todos, subagents }: ChatView, { columns, symbols }: ScreenKind): string[] {
  const width = columns - 1;
  const lines: string[] = [];
  const done = todos.filter(({ status }) => status === 'completed' || status === 'cancelled').length;
  if (done < todos.length) {
    const now =
      todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending');
    lines.push(fit(`plan ${done}/${todos.length} ${symbols.dot} ${oneLine(now?.content ?? '')}`, width));
  }
  const [most, more] = [3, subagents.length - 3];
  for (const { name, task } of subagents.slice(0, more === 1 ? most + 1 : most))
    lines.push(fit(`${symbols.runs} ${oneLine(name)}: ${oneLine(task)}`, width));
  if (more > 1) lines.push(`${symbols.more} and ${more} subagents more`);
  return lines.map((line) => style('dim', line));
}

/** The last line: in which mode, what waits, which model, where. */
export function statusLine({ mode, asks, isBusy, model, folder }: ChatView, { columns, symbols }: ScreenKind): string {
  const modes = {
    safe: symbols.safe,
    auto: symbols.auto,
    plan: `${symbols.other} Plan mode`.trim(),
    'deny-all-asks': `${symbols.other} Deny mode`.trim(),
  };
  const waiting = asks.length > 0 ? `${asks.length} waiting` : isBusy ? `working${symbols.more}` : '';
  const stop = isBusy ? 'Ctrl+C cancels' : '';
  const between = ` ${symbols.dot} `;
  const all = [modes[mode], waiting, oneLine(model), oneLine(folder), stop].filter((part) => part !== '').join(between);
  if (widthOf(all) < columns) return all;
  // Each has its share, so that none pushes the others out. Of a model on some server its name is enough.
  const share = Math.max(12, Math.floor(columns / 3) - 4);
  const [name = ''] = oneLine(model).split(' at ', 1);
  return row([modes[mode], waiting, fit(name, share), fit(oneLine(folder), share), stop], between, columns - 1);
}
