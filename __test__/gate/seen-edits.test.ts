/** What was shown of an edit: the decision is bound to what was shown of it first. */
import { expect, test } from 'vitest';
import { SeenEdits, type SeenEdit } from '../../ts/gate/seen-edits.js';

const seenAs = (before: string): SeenEdit => ({
  context: { cwd: `/${before}` },
  changes: [{ path: 'a', target: '/a', before }],
});

test('what is shown of the same edit later takes the place of nothing', () => {
  const seen = new SeenEdits();
  seen.keep('r', { path: '/b', force: true }, seenAs('first'));
  seen.keep('r', { force: true, path: '/b' }, seenAs('later'));
  expect(seen.of('r', { path: '/b', force: true })).toEqual(seenAs('first'));
});

test('each request and each edit has its own, until the request is decided', () => {
  const seen = new SeenEdits();
  seen.keep('r', { path: '/b' }, seenAs('one'));
  seen.keep('r', { path: '/c' }, seenAs('two'));
  seen.keep('other', { path: '/b' }, seenAs('three'));
  expect(seen.of('r', { path: '/d' })).toBeUndefined();
  seen.forget('r');
  expect([seen.of('r', { path: '/b' }), seen.of('r', { path: '/c' })]).toEqual([undefined, undefined]);
  expect(seen.of('other', { path: '/b' })).toEqual(seenAs('three'));
});
