/** What was found of a call with its approval: good until the next decision, and for this turn of the event loop alone. */
import { expect, test } from 'vitest';
import { TurnStaleness } from '../../ts/gate/turn-staleness.js';
import type { CallStaleness } from '../../ts/native.js';

const found = { changed: [] } as unknown as CallStaleness;

test('it is taken once', () => {
  const staleness = new TurnStaleness();
  staleness.keep('a', found);
  staleness.decided('a');
  expect(staleness.take('b')).toBeUndefined();
  expect(staleness.take('a')).toBe(found);
  expect(staleness.take('a')).toBeUndefined();
});

test('a decision about another request may have changed what it was found from', () => {
  const staleness = new TurnStaleness();
  staleness.keep('a', found);
  staleness.decided('b');
  expect(staleness.take('a')).toBeUndefined();
});

test('in the next turn of the event loop it is looked at anew', async () => {
  const staleness = new TurnStaleness();
  staleness.keep('a', found);
  await new Promise((resolve) => setImmediate(resolve));
  expect(staleness.take('a')).toBeUndefined();
});
