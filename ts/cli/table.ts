/** Rows in columns that fit the terminal. */
import { columns, fit, style, widthOf, type TextStyle } from './style.js';

export interface TableColumn<ROW> {
  title: string;
  /** Safe to show, on one line. */
  text(row: ROW): string;
  /** Takes what the others leave, and is cut. The others are never cut. */
  grows?: boolean;
  right?: boolean;
  style?(row: ROW): TextStyle | undefined;
}

const GAP = 2;

/** One line per row, and one above them. */
export function table<ROW>(rows: readonly ROW[], all: readonly TableColumn<ROW>[], width = columns()): string[] {
  // A column that says nothing is left out.
  const shown = all.filter((column) => column.grows === true || rows.some((row) => column.text(row) !== ''));
  const cells = rows.map((row) => shown.map((column) => column.text(row)));
  const needed = shown.map(({ title }, at) => Math.max(widthOf(title), ...cells.map((line) => widthOf(line[at]!))));
  const grows = shown.findIndex((column) => column.grows);
  const others = needed.reduce((sum, one, at) => sum + (at === grows ? 0 : one + GAP), 0);
  const widths = needed.map((one, at) => (at === grows ? Math.max(8, Math.min(one, width - others)) : one));
  const line = (texts: readonly string[], styleOf: (at: number) => TextStyle | undefined) =>
    texts
      .map((text, at) => {
        const cut = fit(text, widths[at]!);
        const space = ' '.repeat(Math.max(0, widths[at]! - widthOf(cut)));
        const how = styleOf(at);
        const said = how === undefined ? cut : style(how, cut);
        if (shown[at]!.right === true) return space + said;
        return at === texts.length - 1 ? said : said + space;
      })
      .join(' '.repeat(GAP));
  const head = line(
    shown.map(({ title }) => title),
    () => 'dim',
  );
  return [head, ...cells.map((texts, row) => line(texts, (at) => shown[at]!.style?.(rows[row]!)))];
}
