/** Texts as lines of a screen. */
import { fit, LEAST, oneLine, style, tooSmall, widthOf, type TextStyle } from '../../style.js';
import { safeLong } from '../../../terminal/safe-long.js';

/** How big the screen is, and what it can show. */
export interface ScreenKind {
  readonly columns: number;
  readonly rows: number;
  readonly symbols: ScreenSymbols;
  /** Why nothing on it counts as seen: it is smaller than this layout. */
  readonly tooSmall?: string | undefined;
}

/** As it is laid out in a window: a window that is too small shows a part of it, and says so. */
export const screenIn = (window: Omit<ScreenKind, 'tooSmall'>): ScreenKind => ({
  columns: Math.max(LEAST.columns, window.columns),
  rows: Math.max(LEAST.rows, window.rows),
  symbols: window.symbols,
  tooSmall: tooSmall(window),
});

/** Signs of our own. */
export interface ScreenSymbols {
  readonly safe: string;
  readonly auto: string;
  readonly other: string;
  readonly rule: string;
  readonly dot: string;
  readonly prompt: string;
  readonly cursor: string;
  readonly more: string;
  readonly succeeded: string;
  readonly failed: string;
  readonly denied: string;
  readonly cancelled: string;
  readonly runs: string;
  readonly waits: string;
  readonly on: string;
  readonly off: string;
  /** A line as this terminal can show it. */
  shown(line: string): string;
}

const UNICODE: ScreenSymbols = {
  safe: '🟢 Safe mode',
  auto: '🟠 Auto-approve',
  other: '🔵',
  rule: '─',
  dot: '·',
  prompt: '›',
  cursor: '❯',
  more: '…',
  succeeded: '✓',
  failed: '✗',
  denied: '⊘',
  cancelled: '–',
  runs: '◐',
  waits: '○',
  on: '◉',
  off: '○',
  shown: (line) => line,
};

const WITHOUT_EMOJI: ScreenSymbols = { ...UNICODE, safe: '[safe] Safe mode', auto: '[auto] Auto-approve', other: '' };

/** What the previews of the core use, and lists of ours. One column for one: lines stay as wide as they are. */
const TO_ASCII: Readonly<Record<string, string>> = {
  '│': '|',
  '┆': ':',
  '↪': '>',
  '…': '~',
  '⏎': '$',
  '⇥': '>',
  '␍': '$',
  '−': '-',
  '–': '-',
  '·': '-',
  '─': '-',
  '“': '"',
  '”': '"',
  '’': "'",
};

const ASCII: ScreenSymbols = {
  ...WITHOUT_EMOJI,
  rule: '-',
  dot: '-',
  prompt: '>',
  cursor: '>',
  more: '...',
  succeeded: '+',
  failed: 'x',
  denied: '!',
  cancelled: '-',
  runs: '*',
  waits: '?',
  on: '[x]',
  off: '[ ]',
  // ESC is of our own colours: nothing else has any by now.
  shown: (line) => line.replace(/[^ -~\p{Cc}]/gu, (sign) => TO_ASCII[sign] ?? '?'),
};

/** What the terminal's locale lets it show. */
export function symbolsFor(emoji: boolean | undefined, env: NodeJS.ProcessEnv = process.env): ScreenSymbols {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  // Windows' and macOS' terminals speak UTF-8 in every locale.
  const isUtf8 = /utf-?8/i.test(locale) || process.platform === 'win32' || process.platform === 'darwin';
  if (!isUtf8) return ASCII;
  return emoji === false || env['TERM'] === 'linux' ? WITHOUT_EMOJI : UNICODE;
}

/** A text in lines of `width` columns, broken between words where it can be. What deceives the eye is made visible. */
export function wrap(text: string, width: number, continuation = ''): string[] {
  return safeLong(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(1, width), continuation));
}

function wrapLine(line: string, width: number, continuation: string): string[] {
  if (widthOf(line) <= width) return [line];
  const rows = [''];
  let used = 0;
  const start = (): void => {
    rows.push(continuation);
    used = widthOf(continuation);
  };
  for (const [word] of line.matchAll(/\s+|\S+/gu)) {
    const wide = widthOf(word);
    const isSpace = /^\s/.test(word);
    if (used + wide > width && !isSpace && wide <= width - widthOf(continuation)) start();
    // A space at the end of a line is not seen, and begins no other.
    if (isSpace && used + wide > width && wide < width) continue;
    for (const character of word) {
      const one = widthOf(character);
      if (used + one > width) start();
      rows[rows.length - 1] += character;
      used += one;
    }
  }
  return rows;
}

/** A line that is safe to show, in pieces of `width` columns. It breaks at any character: spaces may matter. */
export function pieces(line: string, width: number, continuation: string): string[] {
  const rows = [''];
  let used = 0;
  for (const character of line) {
    const wide = widthOf(character);
    if (used + wide > width) {
      rows.push(continuation);
      used = widthOf(continuation);
    }
    rows[rows.length - 1] += character;
    used += wide;
  }
  return rows;
}

/** The lines with something before the first, and as much room before the others. */
export function hanging(first: string, lines: readonly string[], how?: TextStyle): string[] {
  const room = ' '.repeat(widthOf(first));
  return lines.map((line, at) => `${at === 0 ? (how === undefined ? first : style(how, first)) : room}${line}`);
}

/** Whole words from the beginning of a line, as many as there is room for. */
export const beginning = (text: string, most: number): string =>
  widthOf(text) <= most ? text : `${wrap(text, Math.max(1, most - 1))[0]?.trimEnd()}…`;

/** A text in at most `most` lines: what there is no room for is left out of the last one, with a sign. */
export function clipped(text: string, width: number, most: number): string[] {
  const lines = wrap(text, width);
  const last = lines.slice(most - 1).join(' ');
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), fit(last, width)];
}

/** At most `most` lines: the beginning and the end, and how many are between. */
export function bothEnds(lines: readonly string[], most: number, { more }: ScreenSymbols, hint = ''): string[] {
  if (lines.length <= most) return [...lines];
  if (most < 3) return lines.slice(0, Math.max(0, most));
  const tail = Math.max(1, Math.floor((most - 1) / 3));
  const head = most - 1 - tail;
  const left = lines.length - head - tail;
  return [
    ...lines.slice(0, head),
    style('yellow', `${more} ${left} more ${left === 1 ? 'line' : 'lines'}${hint}`),
    ...lines.slice(lines.length - tail),
  ];
}

/** A part of what does not fit. */
export interface BodyPart {
  lines: string[];
  /** Which lines of the body they are. */
  from: number;
  to: number;
  /** How far it scrolls, and by how much. */
  most: number;
  page: number;
}

/** What there is room for: where that is not all, a line is left for where it is, see {@link placed}. */
export function partOf(body: readonly string[], scroll: number, space: number): BodyPart {
  if (body.length <= space) return { lines: [...body], from: 0, to: body.length, most: 0, page: 1 };
  const page = space - 1;
  // One line is no view of anything.
  if (page < 1) return { lines: [], from: 0, to: 0, most: 0, page: 1 };
  const most = body.length - page;
  const from = Math.max(0, Math.min(scroll, most));
  return { lines: body.slice(from, from + page), from, to: from + page, most, page };
}

/** The part, and which one of all lines it is. */
export function placed(
  { lines, from, to, most }: BodyPart,
  total: number,
  { symbols, columns }: ScreenKind,
  how = 'space shows more',
): string[] {
  if (most === 0) return lines;
  const more = to < total ? `: ${how}` : '';
  const where = `${symbols.more} lines ${from + 1} to ${to} of ${total}${more}`;
  const isNarrow = widthOf(where) > columns - 2;
  return [
    ...lines,
    style('yellow', isNarrow ? fit(`${symbols.more} ${from + 1}-${to} of ${total}${more}`, columns - 2) : where),
  ];
}

/** A line across the screen, with a title on the left and something on the right. */
export function rule(title: string, right: string, { columns, symbols }: ScreenKind, how: TextStyle): string {
  const end = right === '' ? '' : ` ${right} ${symbols.rule}`;
  const name = fit(oneLine(title), Math.max(8, columns - widthOf(end) - 5));
  const line = Math.max(1, columns - widthOf(name) - widthOf(end) - 5);
  return style(how, `${symbols.rule.repeat(2)} ${name} ${symbols.rule.repeat(line)}${end}`);
}

/** Coloured as a diff: what a call adds and takes away, and where. */
export function coloured(line: string): string {
  if (/^[│|]? ?\+ /.test(line)) return style('green', line);
  if (/^[│|]? ?- /.test(line)) return style('red', line);
  return line.startsWith('@@ ') ? style('cyan', line) : line;
}

/** Parts side by side, as many as there is room for. */
export function row(parts: readonly string[], separator: string, width: number): string {
  let line = '';
  for (const part of parts.filter((part) => part !== '')) {
    const next = line === '' ? part : `${line}${separator}${part}`;
    if (widthOf(next) > width) return line === '' ? fit(part, width) : line;
    line = next;
  }
  return line;
}

/** Parts side by side in as many lines as they need. */
export function rows(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const next = last === undefined ? part : `${last}${separator}${part}`;
    if (last !== undefined && widthOf(next) <= width) lines[lines.length - 1] = next;
    else lines.push(fit(part, width));
  }
  return lines;
}

/** How long there is still time: `59s`, `4m 12s`, `2h 5m`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours > 0) return `${hours}h ${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}
