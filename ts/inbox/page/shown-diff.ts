/** A diff as rows. The text is the server's, and safe to show. */

export interface DiffRow {
  /** `note`: said about the diff, not in it. */
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  /** From 1; `null` where the line is not in that file, or where that is not known. */
  before: number | null;
  after: number | null;
}

/** Where a hunk begins, before and after. */
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** All lines of the file or of the call stand behind a gutter; all others are the server's own. */
const LINE = /^│ ([ +-]) /;

const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/** Reads {@link FileChange.diff}. What is not understood is a note: nothing of it is left out. */
export function readDiff(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before: number | null = null;
  let after: number | null = null;
  for (const line of diff.split('\n')) {
    const sign = LINE.exec(line)?.[1] as keyof typeof KINDS | undefined;
    if (sign === undefined) {
      const hunk = HUNK.exec(line);
      // Lines may be left out before what follows a note, as long as no hunk begins.
      if (!line.startsWith('\\')) [before, after] = hunk ? [Number(hunk[1]), Number(hunk[2])] : [null, null];
      rows.push({ kind: hunk ? 'hunk' : 'note', text: line, before: null, after: null });
      continue;
    }
    const kind = KINDS[sign];
    rows.push({
      kind,
      text: line.slice('│ + '.length),
      before: kind === 'added' ? null : before,
      after: kind === 'removed' ? null : after,
    });
    if (kind !== 'added' && before !== null) before++;
    if (kind !== 'removed' && after !== null) after++;
  }
  return rows;
}
