/** A program that stands still for a while (a busy machine, Ctrl+Z) reads what was typed meanwhile when it goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { approval, startFake, withFake } from './fake.js';
import { decided } from './stage.js';

withFake();

/** Longer than a question has to be in sight before keys count. */
const LONG_ENOUGH_MS = 400;

test.skipIf(process.platform === 'win32').each(['busy', 'stopped'])(
  'a key that was typed before it counts decides nothing: the program was %s',
  async (why) => {
    const ask = approval('execute', { command: 'rm -rf build' });
    const fake = startFake({ view: { isBusy: true, asks: [ask] }, standsStill: true });
    onTestFinished(() => fake.close());
    const { terminal } = fake;
    await terminal.waitFor('please read');
    if (why === 'stopped') {
      process.kill(terminal.pid, 'SIGSTOP');
      fake.goOn();
    }
    terminal.writeNow('y');
    await sleep(LONG_ENOUGH_MS);
    if (why === 'stopped') process.kill(terminal.pid, 'SIGCONT');
    else fake.goOn();
    await terminal.waitFor('? help');
    // It is on no line either: what is taken now is the no.
    await terminal.reject();
    expect(terminal.raw).toContain('that key came too early');
    expect(await decided(fake)).toEqual([
      'decide',
      ask.request.approvalId,
      expect.objectContaining({ type: 'reject' }),
    ]);
  },
);
