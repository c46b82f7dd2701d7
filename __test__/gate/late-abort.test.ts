/** A signal that is made for those who ask for it. */
import { expect, test } from 'vitest';
import { LateAbort } from '../../ts/values/late-abort.js';

test('a signal that is asked for before or after the abort is aborted for the first reason', () => {
  const [early, late] = [new LateAbort(), new LateAbort()];
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  for (const abort of [early, late]) {
    abort.abort(() => 'first');
    abort.abort(() => 'second');
    expect(abort.isAborted).toBe(true);
  }
  for (const each of [signal, early.signal, late.signal]) expect([each.aborted, each.reason]).toEqual([true, 'first']);
  expect(late.signal).toBe(late.signal);
});

test('the reason is made once, and only for those who ask', () => {
  const abort = new LateAbort();
  let made = 0;
  abort.abort(() => ++made);
  expect(made).toBe(0);
  expect([abort.reason, abort.signal.reason, abort.reason]).toEqual([1, 1, 1]);
});

test('what waits is called once, before those who listen to the signal, unless it was taken back', () => {
  const abort = new LateAbort();
  const called: string[] = [];
  abort.signal.addEventListener('abort', () => called.push('listener'));
  abort.onAbort(() => called.push('kept'));
  abort.onAbort(() => called.push('taken back'))();
  abort.abort(() => undefined);
  abort.abort(() => undefined);
  // Too late: that it was aborted is the caller's to look for.
  abort.onAbort(() => called.push('late'));
  expect(called).toEqual(['kept', 'listener']);
});
