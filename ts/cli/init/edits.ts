/** Changes of a text, by places in it. */

export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** The text with all of them. They must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at);
}

const CONTEXT = 2;

/** The lines that differ, with some around them, as `diff -u` shows them. */
export function diffLines(name: string, before: string | undefined, after: string): string[] {
  const [old, now] = [linesOf(before ?? ''), linesOf(after)];
  const kept = common(old, now);
  const rows: { sign: ' ' | '-' | '+'; text: string; old: number; now: number }[] = [];
  let [o, n] = [0, 0];
  for (const [oldLine, newLine] of [...kept, [old.length, now.length] as const]) {
    for (; o < oldLine; o += 1) rows.push({ sign: '-', text: old[o]!, old: o, now: n });
    for (; n < newLine; n += 1) rows.push({ sign: '+', text: now[n]!, old: o, now: n });
    if (o < old.length && n < now.length) rows.push({ sign: ' ', text: old[o]!, old: o++, now: n++ });
  }
  const isNear = rows.map((_, at) =>
    rows.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  const lines = [before === undefined ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`];
  for (let at = 0; at < rows.length;) {
    if (!isNear[at]) {
      at += 1;
      continue;
    }
    let end = at;
    while (end < rows.length && isNear[end]) end += 1;
    const hunk = rows.slice(at, end);
    const first = hunk[0]!;
    const [removed, added] = [
      hunk.filter(({ sign }) => sign !== '+').length,
      hunk.filter(({ sign }) => sign !== '-').length,
    ];
    lines.push(`@@ -${first.old + (removed > 0 ? 1 : 0)},${removed} +${first.now + 1},${added} @@`);
    lines.push(...hunk.map(({ sign, text }) => sign + text));
    at = end;
  }
  return lines;
}

const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/** Lines that both have, in order: the longest such list. */
function common(old: readonly string[], now: readonly string[]): (readonly [number, number])[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [rows, columns] = [old.length - start - end, now.length - start - end];
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      lengths[row]![column] =
        old[start + row] === now[start + column]
          ? lengths[row + 1]![column + 1]! + 1
          : Math.max(lengths[row + 1]![column]!, lengths[row]![column + 1]!);
  const pairs: (readonly [number, number])[] = Array.from({ length: start }, (_, line) => [line, line] as const);
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    if (old[start + row] === now[start + column]) pairs.push([start + row++, start + column++]);
    else if (lengths[row + 1]![column]! >= lengths[row]![column + 1]!) row += 1;
    else column += 1;
  }
  for (let line = end; line > 0; line -= 1) pairs.push([old.length - line, now.length - line]);
  return pairs;
}
