/** The screen over a chat that does what it is told, for a test. */
import { onTestFinished } from 'vitest';
import type { ChatView } from '../../ts/cli/chat/view.js';
import { approval, startFake, type Fake, type Script } from './fake.js';
import { isThorough } from '../support/effort.js';
import type { TerminalOptions } from './terminal.js';

/** Starts it; it ends with the test. */
export function start(
  view: Partial<ChatView>,
  options: TerminalOptions & { runtime?: string } = {},
  more: Partial<Script> = {},
): Fake {
  const fake = startFake({ view, ...more }, options);
  onTestFinished(() => fake.close());
  return fake;
}

/** Shows one call after another, for tests that ask for no terminal of their own, also those of other files in this process. */
let shared: Fake | undefined;
process.once('exit', () => void shared?.close());

/** With one call that waits, as soon as keys are taken. In `npm test` several tests have one program. */
export async function asking(
  ask = approval('execute', { command: 'npm test' }),
  options?: TerminalOptions,
): Promise<Fake> {
  const view = { isBusy: true, asks: [ask] };
  let fake: Fake;
  if (isThorough || options !== undefined) fake = start(view, options);
  else {
    if (shared?.terminal.code !== undefined) shared = undefined;
    const isNew = shared === undefined;
    fake = shared ??= startFake({ view: {} });
    if (!isNew) {
      fake.show({ mode: 'safe', isBusy: false, asks: [] });
      // What the test before has left on the line is about its call: until it is taken away nothing else is asked.
      fake.terminal.press('escape');
    }
    await fake.terminal.waitFor('what should I do');
    fake.show(view);
  }
  await fake.terminal.waitFor('? help');
  return fake;
}

/** What was decided, once something was. */
export async function decided(fake: Fake): Promise<unknown[]> {
  const find = (): unknown[] | undefined => fake.calls().find(([name]) => name !== 'close');
  await fake.terminal.waitUntil(() => find() !== undefined, 'a decision');
  return find()!;
}
