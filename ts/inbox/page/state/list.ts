/** The list of what waits, as it stands on the page. Nothing here reads or writes. */
import type { InboxItem } from '../../protocol.js';

/** A row. What no longer waits stays, `gone`, while it is selected: rows do not move under the hand that points at them. */
export interface ListRow {
  item: InboxItem;
  gone: boolean;
}

/** With what the inbox says that waits now; the selected row keeps its place whatever has become of it. */
export function withItems(rows: readonly ListRow[], items: readonly InboxItem[], selected: string | null): ListRow[] {
  const fresh = items.map((item): ListRow => ({ item, gone: false }));
  if (items.some(({ approvalId }) => approvalId === selected)) return fresh;
  const before = rows.findIndex(({ item }) => item.approvalId === selected);
  if (before === -1) return fresh;
  // After the nearest row above it that is still there.
  const above = new Set(rows.slice(0, before).map(({ item }) => item.approvalId));
  const place = fresh.findLastIndex(({ item }) => above.has(item.approvalId)) + 1;
  return fresh.toSpliced(place, 0, { item: rows[before]!.item, gone: true });
}

/** The id of the row so many below (above, for negatives) the selected one; with none selected the first, or the last. */
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
