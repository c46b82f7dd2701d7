/** Arguments in an editor, beside those that were asked for. */
import { diffLines } from 'diff';
import { typedJson } from '../../values/typed-json.js';
import type { DiffRow } from './shown-diff.js';

/** What cannot be seen, or moves what can be: all of these may be written as escapes inside a JSON string. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cs}]|(?! )\p{Zs}/gu;

const escaped = (text: string) =>
  text.replaceAll(UNSEEN, (found) =>
    found === '\n'
      ? found
      : found.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

/** As it is compared and shown: indented, with escapes for what cannot be seen. */
export const written = (value: unknown): string => escaped(JSON.stringify(value, null, 2) ?? '');

export type ParsedText = { ok: true; value: unknown } | { ok: false; message: string };

export function parse(text: string): ParsedText {
  try {
    return { ok: true, value: typedJson(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? escaped(error.message) : 'This is not JSON' };
  }
}

/** The lines around a change that are shown with it. */
const CONTEXT = 3;
/** So long, in ms, may the comparison take. */
const LONGEST = 200;

/** What changed, by lines; `null`: too much to tell. None: nothing. */
export function changedRows(before: string, after: string): DiffRow[] | null {
  const parts = diffLines(`${before}\n`, `${after}\n`, { timeout: LONGEST });
  if (parts === undefined) return null;
  const rows: DiffRow[] = [];
  let left = 1;
  let right = 1;
  for (const { value, added, removed } of parts) {
    for (const text of value.replace(/\n$/, '').split('\n')) {
      if (added) rows.push({ kind: 'added', text, before: null, after: right++ });
      else if (removed) rows.push({ kind: 'removed', text, before: left++, after: null });
      else rows.push({ kind: 'same', text, before: left++, after: right++ });
    }
  }
  return near(rows);
}

/** Without what is far from any change. */
function near(rows: readonly DiffRow[]): DiffRow[] {
  const isChange = rows.map(({ kind }) => kind !== 'same');
  const kept: DiffRow[] = [];
  let gap = false;
  for (const [index, row] of rows.entries()) {
    if (isChange.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).includes(true)) {
      if (gap && kept.length > 0) kept.push({ kind: 'hunk', text: '⋯', before: null, after: null });
      gap = false;
      kept.push(row);
    } else gap = true;
  }
  return kept;
}
