/** A unified diff as rows. The text is the server's, and safe to show. */

export interface DiffRow {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  /** From 1; `null` where the line is not in that file. */
  before: number | null;
  after: number | null;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** What is not understood is kept as a note: nothing of a diff is left out. */
export function readUnified(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      isInHunk = true;
      rows.push({ kind: 'hunk', text: line, before: null, after: null });
      continue;
    }
    const text = line.slice(1);
    if (!isInHunk) {
      if (!/^(?:---|\+\+\+) /.test(line)) rows.push({ kind: 'note', text: line, before: null, after: null });
    } else if (line.startsWith('+')) rows.push({ kind: 'added', text, before: null, after: after++ });
    else if (line.startsWith('-')) rows.push({ kind: 'removed', text, before: before++, after: null });
    else if (line.startsWith(' ')) rows.push({ kind: 'same', text, before: before++, after: after++ });
    else rows.push({ kind: 'note', text: line, before: null, after: null });
  }
  return rows;
}
