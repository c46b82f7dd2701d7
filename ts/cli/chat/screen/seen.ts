/**
 * How much of a long text a human has seen, line by line. A line counts once it has stood on the screen for a while, where it can
 * be answered, and none before it was left out. What only went by was not seen.
 */

/** The part of a text that stands on the screen. */
export interface StandingLines {
  /** Which text, laid out in which way. */
  readonly of: string;
  /** Its lines from here to before `to`, out of `total`. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** What was seen of one text. */
export interface SeenLines {
  readonly of: string;
  readonly total: number;
  /** How many lines from its beginning count as seen. */
  readonly lines: number;
  /** The lines that stand on the screen begin here, and each stands there since then, in ms. */
  readonly from: number;
  readonly since: readonly number[];
}

/** So long must a line stand on the screen, in ms. Keys that are held down come more often. */
const STOOD = 100;

/** How many lines from its beginning count as seen. */
const linesSeen = (seen: SeenLines | undefined, of: string): number => (seen?.of === of ? seen.lines : 0);

/** Whether nothing of it is left to be seen, with what stands there now. */
export function isSeenWhole(seen: SeenLines | undefined, { of, from, to, total }: StandingLines): boolean {
  const lines = linesSeen(seen, of);
  return Math.max(lines, from <= lines ? to : 0) >= total;
}

/** With what has stood there until now. */
export function stood(seen: SeenLines, now: number): SeenLines {
  let { lines } = seen;
  while (now - (seen.since[lines - seen.from] ?? Infinity) >= STOOD) lines += 1;
  return lines === seen.lines ? seen : { ...seen, lines };
}

/** With what stands there from now on. */
export function standing(seen: SeenLines | undefined, { of, from, to, total }: StandingLines, now: number): SeenLines {
  const before = seen?.of === of ? stood(seen, now) : undefined;
  const since = Array.from({ length: to - from }, (_, at) => before?.since[from + at - before.from] ?? now);
  return { of, total, lines: before?.lines ?? 0, from, since };
}

/** With nothing on the screen from now on. */
export const hidden = (seen: SeenLines, now: number): SeenLines => ({ ...stood(seen, now), since: [] });

/** The page that comes next; at the end of what was not seen whole, the one where that begins. */
export function nextPage(scroll: number, { most, page }: { most: number; page: number }, seen?: SeenLines): number {
  const left = seen !== undefined && seen.lines < seen.total && seen.lines < seen.from ? seen.lines : most;
  return scroll >= most ? Math.min(most, left) : Math.min(most, scroll + page);
}
