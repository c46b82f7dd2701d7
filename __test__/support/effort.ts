/**
 * How much a test does: little in `npm test`, all of it in `npm run test:all`. What a test proves is the same; how often it
 * tries, over how many processes and on how many runtimes differs.
 */

/** Whether this is the project `long` of `npm run test:all`. */
export const isThorough = process.env.COUNTERSIGN_EFFORT === 'thorough';

/** How many: of rounds, processes or runs. */
export const effort = (quick: number, thorough: number): number => (isThorough ? thorough : quick);
