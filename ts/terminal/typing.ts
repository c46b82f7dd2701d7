/** How fast people type on a terminal, wherever lines are read from one. */

/** Lines that a terminal sends sooner after each other are of one paste, in ms: no person types that fast. */
export const TOGETHER = 50;

/** What was typed sooner after what it would answer was not typed with that in sight, in ms. */
export const SEEN = 250;
