/** The screen over a chat that does what it is told, for a test. */
import { onTestFinished } from 'vitest';
import type { ChatView } from '../../ts/cli/chat/view.js';
import { approval, startFake, type Fake, type Script } from './fake.js';
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

/** With one call that waits, as soon as keys are taken. */
export async function asking(
  ask = approval('execute', { command: 'rm -rf build' }),
  options: TerminalOptions = {},
): Promise<Fake> {
  const fake = start({ isBusy: true, asks: [ask] }, options);
  await fake.terminal.waitFor('? help');
  return fake;
}

/** What was decided, once something was. */
export async function decided(fake: Fake): Promise<unknown[]> {
  const find = (): unknown[] | undefined => fake.calls().find(([name]) => name !== 'close');
  await fake.terminal.waitUntil(() => find() !== undefined, 'a decision');
  return find()!;
}
