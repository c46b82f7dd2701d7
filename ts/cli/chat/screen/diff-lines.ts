/** A preview as lines of the screen: what changes in files has line numbers, marks for words, and keeps its colours where it breaks. */
import { style, widthOf, type TextStyle } from '../../style.js';
import { pieces } from './layout.js';

/** A part of a line that looks alike. */
interface InkedText {
  text: string;
  how: readonly TextStyle[];
}

interface DiffRow {
  sign: ' ' | '+' | '-';
  text: string;
  /** From 1; `null`: not known. */
  number: number | null;
}

/** Where a hunk begins, before and after. Only the core writes lines without a gutter. */
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** Lines of the file or of the call. */
const LINE = /^│ ([ +-]) /;

/** The lines of a preview in `width` columns. */
export function previewLines(text: readonly string[], width: number): string[] {
  const numbers = text.flatMap((line) => HUNK.exec(line)?.slice(1, 3).map(Number) ?? []);
  // Those of the last hunk have no more digits than that.
  const digits = String(Math.max(0, ...numbers) + text.length).length;
  const lines: string[] = [];
  for (let at = 0; at < text.length;) {
    const line = text[at]!;
    const hunk = HUNK.exec(line);
    if (hunk === null) {
      // Only our own words stand without the gutter.
      const isCalls = line.startsWith('│');
      lines.push(...pieces(line, width, isCalls ? '│ ↪ ' : '  ').map((each) => (isCalls ? each : style('dim', each))));
      at += 1;
      continue;
    }
    const rows = rowsOf(text.slice(at + 1), Number(hunk[1]), Number(hunk[2]));
    if (at > 0 && LINE.test(text[at - 1]!)) lines.push(style('dim', `${' '.repeat(digits)} ┆`));
    for (const [index, row] of rows.entries()) lines.push(...rowLines(row, inked(rows, index), digits, width));
    at += 1 + rows.length;
  }
  return lines;
}

/** The lines of one hunk. */
function rowsOf(text: readonly string[], before: number, after: number): DiffRow[] {
  const rows: DiffRow[] = [];
  for (const line of text) {
    const sign = LINE.exec(`${line} `)?.[1] as DiffRow['sign'] | undefined;
    if (sign === undefined) break;
    rows.push({ sign, text: line.slice('│ + '.length), number: sign === '-' ? before : after });
    if (sign !== '+') before += 1;
    if (sign !== '-') after += 1;
  }
  return rows;
}

const COLOUR: Readonly<Record<DiffRow['sign'], readonly TextStyle[]>> = { ' ': [], '+': ['green'], '-': ['red'] };

function rowLines({ sign, number }: DiffRow, parts: readonly InkedText[], digits: number, width: number): string[] {
  const numbered = (number === null ? '' : String(number)).padStart(digits);
  const how = COLOUR[sign];
  const first = `${style('dim', numbered)} │ ${style(how, sign)} `;
  const more = `${' '.repeat(digits)} │ ↪ `;
  return broken(parts, width - digits - 5).map((line, at) => `${at === 0 ? first : more}${line}`.trimEnd());
}

/** Parts in lines of `width` columns, each with its own colours. */
function broken(parts: readonly InkedText[], width: number): string[] {
  const lines = [''];
  let used = 0;
  for (const { text, how } of parts) {
    let piece = '';
    const end = (): void => {
      if (piece !== '') lines[lines.length - 1] += style(how, piece);
      piece = '';
    };
    for (const character of text) {
      const wide = widthOf(character);
      if (used + wide > width && used > 0) {
        end();
        lines.push('');
        used = 0;
      }
      piece += character;
      used += wide;
    }
    end();
  }
  return lines;
}

/** A row with the words marked that its counterpart has not. */
function inked(rows: readonly DiffRow[], at: number): InkedText[] {
  const row = rows[at]!;
  const how = COLOUR[row.sign];
  const other = counterpart(rows, at);
  const [head, tail] = other === undefined ? [0, 0] : common(words(row.text), words(other.text));
  const all = words(row.text);
  // Lines that have little in common are other lines.
  const isLike =
    all
      .slice(0, head)
      .concat(all.slice(all.length - tail))
      .join('')
      .trim().length *
      3 >=
    row.text.trim().length;
  if (other === undefined || !isLike || head + tail >= all.length) return [{ text: row.text, how }];
  const parts: InkedText[] = [
    { text: all.slice(0, head).join(''), how },
    { text: all.slice(head, all.length - tail).join(''), how: [...how, 'bold', 'underline'] },
    { text: all.slice(all.length - tail).join(''), how },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** The line that it was before, or is now: of a run of lines that went and one that came, one each. */
function counterpart(rows: readonly DiffRow[], at: number): DiffRow | undefined {
  const { sign } = rows[at]!;
  if (sign === ' ') return undefined;
  let first = at;
  while (rows[first - 1]?.sign === sign) first -= 1;
  if (sign === '-') {
    let end = at;
    while (rows[end + 1]?.sign === '-') end += 1;
    const other = rows[end + 1 + at - first];
    return rows.slice(end + 1, end + 2 + at - first).every((row) => row.sign === '+') ? other : undefined;
  }
  let removed = first;
  while (rows[removed - 1]?.sign === '-') removed -= 1;
  return removed + at - first < first ? rows[removed + at - first] : undefined;
}

const words = (text: string): string[] => text.match(/\w+|\s+|[^\w\s]/gu) ?? [];

/** How many words are alike at both ends. */
function common(one: readonly string[], other: readonly string[]): [head: number, tail: number] {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [head, tail];
}
