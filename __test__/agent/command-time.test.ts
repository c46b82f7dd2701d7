/** The time of a command stands still while a human thinks. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandTime } from '../../ts/agent/backend/command-time.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something that is waited for, and how to end it. */
function wait(time: CommandTime): { done: () => void; over: Promise<void> } {
  let done: () => void = () => {};
  const over = time.without(() => new Promise<void>((resolve) => (done = resolve)));
  return { done: () => done(), over };
}

test('goes on where it stood when all that is waited for is there', async () => {
  const stop = vi.fn();
  const time = new CommandTime(1_000);
  time.start(stop);
  vi.advanceTimersByTime(600);
  const [one, two] = [wait(time), wait(time)];
  vi.advanceTimersByTime(10_000);
  one.done();
  await one.over;
  vi.advanceTimersByTime(10_000);
  expect(stop).not.toHaveBeenCalled();
  two.done();
  await two.over;
  vi.advanceTimersByTime(399);
  expect(stop).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(stop).toHaveBeenCalledTimes(1);
});

test('never ends a command that has ended, whatever is still waited for', async () => {
  const stop = vi.fn();
  const time = new CommandTime(1_000);
  time.start(stop);
  const one = wait(time);
  time.end();
  one.done();
  await one.over;
  vi.advanceTimersByTime(10_000);
  expect(stop).not.toHaveBeenCalled();
});
