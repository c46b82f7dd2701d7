/** A program that stands still for a while (a busy machine, Ctrl+Z) reads what was typed meanwhile when it goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { approval, startFake, withFake } from './fake.js';
import { decided } from './stage.js';

withFake();

/** Types `y` while the program stands still, from before keys count until after. Gives what comes of it. */
async function typed(): Promise<'refused' | 'approved'> {
  const fake = startFake({ view: { isBusy: true, asks: [approval('execute', { command: 'rm -rf build' })] } });
  onTestFinished(() => fake.close());
  await fake.terminal.waitFor('read it first');
  process.kill(fake.terminal.pid, 'SIGSTOP');
  fake.terminal.press('y');
  // Longer than a question has to be in sight.
  await sleep(400);
  process.kill(fake.terminal.pid, 'SIGCONT');
  const isEarly = (): boolean => fake.terminal.raw.includes('that key came too early');
  await fake.terminal.waitUntil(() => isEarly() || fake.calls().length > 0, 'what comes of the key');
  if (!isEarly()) return 'approved';
  await fake.terminal.waitFor('? help');
  await fake.terminal.take('n');
  expect(JSON.stringify(await decided(fake))).toContain('reject');
  return 'refused';
}

test.skipIf(process.platform === 'win32')('a key that was typed before it counts decides nothing', async () => {
  // On a slow machine the question may have been in sight for long enough before the program stands still.
  let result: string = 'approved';
  for (let attempt = 0; attempt < 10 && result !== 'refused'; attempt++) result = await typed();
  expect(result).toBe('refused');
});
