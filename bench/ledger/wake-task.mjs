// @ts-check

/** µs of a clock that all processes share. */
export const now = () => Number(process.hrtime.bigint() / 1_000n);

/** How long the human takes, in ms: from disks and processors that are awake to some that have gone to rest. @param {number} round */
export const pause = (round) => 2 + ((round * 7) % 23);
