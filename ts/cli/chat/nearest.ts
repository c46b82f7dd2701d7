/** What somebody probably meant who typed a name that there is not. */

/** `undefined`: nothing is near. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ name: each, away: distance(name, each) }))
    .toSorted((one, other) => one.away - other.away);
  return best !== undefined && best.away <= Math.max(2, Math.floor(name.length / 3)) ? best.name : undefined;
}

/** How many letters must change, come or go. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [column, wanted] of [...other].entries())
      next.push(Math.min(next[column]! + 1, row[column + 1]! + 1, row[column]! + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}
