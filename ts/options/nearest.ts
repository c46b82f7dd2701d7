/** The name that was probably meant by an unknown one. */

/** How many letters may differ. */
const FURTHEST = 2;

/** `undefined`: nothing is near. */
export function nearestOf(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; away: number } | undefined;
  for (const each of known) {
    const away = fold(name) === fold(each) ? 0 : distance(name, each);
    if (away < (best?.away ?? Infinity)) best = { name: each, away };
  }
  // Two names that share hardly a letter are no misspelling of each other.
  return best !== undefined && best.away <= FURTHEST && best.away * 2 < best.name.length ? best.name : undefined;
}

/** The same for names that differ in case, `-` and `_` alone. */
export const fold = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** How many letters must change, come, go, or change places with the next. */
function distance(one: string, other: string): number {
  // The lengths alone say that it is more: the rest costs the product of the two.
  if (Math.abs(one.length - other.length) > FURTHEST) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const changed = row[to]! + (one[at] === other[to] ? 0 : 1);
      const swapped = at > 0 && to > 0 && one[at] === other[to - 1] && one[at - 1] === other[to];
      next.push(Math.min(next[to]! + 1, row[to + 1]! + 1, changed, swapped ? before[to - 1]! + 1 : Infinity));
    }
    [before, row] = [row, next];
  }
  return row.at(-1)!;
}
