/** The longest that a timer can wait, in ms: 24.8 days. A longer one ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
