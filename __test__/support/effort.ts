/**
 * How much a test does: little in `npm test`, all of it in `npm run test:all`. What a test proves is the same; how often it
 * tries, over how many processes and on how many runtimes differs.
 */

const EFFORT = process.env.COUNTERSIGN_EFFORT ?? 'quick';

/** Whether this is the project `long` of `npm run test:all`. */
export const isThorough = EFFORT === 'thorough';

/** Whether all cases are tried: in `npm run test:all`, in any project. */
export const isWhole = isThorough || EFFORT === 'whole';

/**
 * Whether `npm test` runs the same test elsewhere, on AI SDK 7 and in memory: here, on AI SDK 6 or over a durable ledger, some
 * of its cases will do. `npm run test:all` has all of them here, too.
 */
export const isSample = EFFORT === 'sample';

/** How many: of rounds, processes or runs. @param sampled where `isSample` */
export const effort = (quick: number, thorough: number, sampled = quick): number =>
  isThorough ? thorough : isSample ? sampled : quick;

/** Whether this is on AI SDK 6 or over a durable ledger: all cases are tried on AI SDK 7 and in memory. */
const isElsewhere = process.env.AI_MAJOR === '6' || process.env.COUNTERSIGN_LEDGER !== undefined;

/**
 * In `npm run test:all` all of these, and elsewhere twice as many as in `npm test`. There some, from all parts of the list:
 * `sampled`, and half of that where `isSample`.
 *
 * @param turn of a caller that asks for the same list again and again: each turn has others, and many turns have all
 */
export function sample<CASE>(cases: readonly CASE[], sampled = 2, turn = 0): CASE[] {
  if (cases.length === 0) throw new Error('sample([]): there are no cases, so that nothing would be tested');
  const most = isWhole ? (isElsewhere ? 2 * sampled : Infinity) : isSample ? Math.ceil(sampled / 2) : sampled;
  if (cases.length <= most) return [...cases];
  // One of each part, not always at the same place in it: what was made of several lists has of each, as far as so few can.
  return Array.from({ length: most }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.ceil((edge * cases.length) / most)) as [number, number];
    return cases[from + Math.floor((((part + turn) * 0.618) % 1) * (to - from))] as CASE;
  });
}
