import { withGlobal, type Clock, type FakeMethod } from '@sinonjs/fake-timers';
import { onTestFinished } from 'vitest';

const TIMERS: readonly FakeMethod[] = ['setTimeout', 'clearTimeout'];

/**
 * A clock that only the test moves, until the test has ended. That of Vitest is not used: `vi.waitFor`, `vi.waitUntil` and `expect.poll`
 * move it with every look, also one that an earlier test of the same process left behind.
 *
 * @param names what it takes the place of
 */
export function fakeClock(names: readonly FakeMethod[] = TIMERS): Clock {
  const clock = withGlobal(globalThis).install({ now: Date.now(), toFake: [...names] });
  onTestFinished(() => clock.uninstall());
  return clock;
}
