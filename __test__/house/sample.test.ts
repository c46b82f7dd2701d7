/** What `npm test` tries of a long list. */
import { expect, test } from 'vitest';
import { isWhole, sample } from '../support/effort.js';

test.skipIf(isWhole)('a sample has no case twice, and has one from each part of the list', () => {
  for (let size = 2; size < 200; size++)
    for (const count of [1, 2, 3, 8, 10]) {
      const cases = Array.from({ length: size }, (_, index) => index);
      const taken = sample(cases, count);
      const told = `${taken.length} of ${size}`;
      expect(new Set(taken).size, told).toBe(taken.length);
      expect(taken, told).toEqual(taken.toSorted((one, other) => one - other));
      const widest = Math.max(...[...taken, size].map((at, place) => at - (taken[place - 1] ?? -1)));
      expect(widest, told).toBeLessThanOrEqual(2 * Math.ceil(size / taken.length));
    }
});
