/** The time of a command stands still while a human thinks. */
import { expect, test, vi } from 'vitest';
import { CommandTime } from '../../ts/agent/backend/command-time.js';
import { fakeClock } from '../support/fake-clock.js';

/** Something that is waited for, and how to end it. */
function wait(time: CommandTime): { done: () => void; over: Promise<void> } {
  let done: () => void = () => {};
  const over = time.without(() => new Promise<void>((resolve) => (done = resolve)));
  return { done: () => done(), over };
}

test('goes on where it stood when all that is waited for is there', async () => {
  const clock = fakeClock(['performance', 'setTimeout', 'clearTimeout']);
  const stop = vi.fn();
  const time = new CommandTime(1_000);
  time.start(stop);
  clock.tick(600);
  const [one, two] = [wait(time), wait(time)];
  clock.tick(10_000);
  one.done();
  await one.over;
  clock.tick(10_000);
  expect(stop).not.toHaveBeenCalled();
  two.done();
  await two.over;
  clock.tick(399);
  expect(stop).not.toHaveBeenCalled();
  clock.tick(1);
  expect(stop).toHaveBeenCalledTimes(1);
});

test('never ends a command that has ended, whatever is still waited for', async () => {
  const clock = fakeClock(['performance', 'setTimeout', 'clearTimeout']);
  const stop = vi.fn();
  const time = new CommandTime(1_000);
  time.start(stop);
  const one = wait(time);
  time.end();
  one.done();
  await one.over;
  clock.tick(10_000);
  expect(stop).not.toHaveBeenCalled();
});
