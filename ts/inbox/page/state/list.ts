/** The list of what waits, as it stands on the page. Nothing here reads or writes. */
import type { InboxItem } from '../../protocol.js';

/** A row. What no longer waits stays, `gone`, while it is selected: rows do not move under the hand that points at them. */
export interface ListRow {
  item: InboxItem;
  gone: boolean;
}

/**
 * With what the inbox says that waits now, run by run. Rows that are there keep their order, and what comes stands below them: in its
 * run where that is the last one, else in one of its own. The selected row keeps its place, even if it no longer waits.
 *
 * @param isSame whether the rows are of this list, and not of another search
 */
export function withItems(
  rows: readonly ListRow[],
  items: readonly InboxItem[],
  selected: string | null,
  isSame = true,
): ListRow[] {
  const fresh = inOrder(isSame ? rows : [], items).map((item): ListRow => ({ item, gone: false }));
  if (items.some(({ approvalId }) => approvalId === selected)) return fresh;
  const before = rows.findIndex(({ item }) => item.approvalId === selected);
  if (before === -1) return fresh;
  // After the nearest row above it that is still there.
  const above = new Set(rows.slice(0, before).map(({ item }) => item.approvalId));
  const place = fresh.findLastIndex(({ item }) => above.has(item.approvalId)) + 1;
  return fresh.toSpliced(place, 0, { item: rows[before]!.item, gone: true });
}

function inOrder(rows: readonly ListRow[], items: readonly InboxItem[]): InboxItem[] {
  const places = new Map(rows.map(({ item }, place) => [item.approvalId, place]));
  const placeOf = ({ approvalId }: InboxItem): number => places.get(approvalId) ?? Infinity;
  const [known, news] = [true, false].map((is) => items.filter((item) => places.has(item.approvalId) === is));
  const kept = known!.toSorted((one, other) => placeOf(one) - placeOf(other));
  const groups = new Map<string | undefined, InboxItem[]>([[kept.at(-1)?.group, []]]);
  for (const item of news!) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...kept, ...[...groups.values()].flat()];
}

/** Rows of one run that stand together. */
export interface RowGroup {
  group: string;
  rows: readonly ListRow[];
}

export function groupsOf(rows: readonly ListRow[]): RowGroup[] {
  const groups: { group: string; rows: ListRow[] }[] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last?.group === row.item.group) last.rows.push(row);
    else groups.push({ group: row.item.group, rows: [row] });
  }
  return groups;
}

/** The id of the row `by` rows below (above, for negatives) the selected one; with none selected the first, or the last. */
export function stepFrom(rows: readonly ListRow[], selected: string | null, by: number): string | null {
  const at = rows.findIndex(({ item }) => item.approvalId === selected);
  const next = at === -1 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  return rows[next]?.item.approvalId ?? null;
}

/** Those that were not there before. */
export function arrivals(before: readonly ListRow[], after: readonly ListRow[]): ListRow[] {
  const known = new Set(before.map(({ item }) => item.approvalId));
  return after.filter(({ item }) => !known.has(item.approvalId));
}
