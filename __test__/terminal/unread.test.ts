/** A terminal whose other end does not read: the program goes on, and nothing is approved that was not drawn. */
import { describe, expect, test } from 'vitest';
import { approval, entry, withFake, type Fake } from './fake.js';
import { decided, start } from './stage.js';

withFake();

const asked = approval('execute', { command: 'npm test' });
/** More than an unread terminal takes. */
const MUCH = entry({ kind: 'text', text: Array.from({ length: 3000 }, (_, at) => `line ${at} of many`).join('\n') });
const view = { isBusy: true, entries: [MUCH], asks: [asked] };

async function unread(): Promise<Fake> {
  const fake = start({});
  await fake.terminal.waitFor('what should I do');
  fake.terminal.leaveUnread();
  return fake;
}

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(process.platform === 'win32')('a terminal that nobody reads', () => {
  test('takes keys, and none of them approves what it did not show', async () => {
    const { terminal, calls, show, seen, taken } = await unread();
    show(view);
    await seen();
    for (const key of ['y', 'enter', 'y', 'enter']) await taken(key);
    terminal.press('ctrlC');
    await terminal.waitUntil(() => calls().length > 0, 'Ctrl+C');
    expect(calls()).toEqual([['interrupt']]);
  });

  test('shows the call when it is read again, and then it is approved', async () => {
    const fake = await unread();
    const { terminal } = fake;
    fake.show(view);
    await fake.seen();
    await fake.taken('y');
    await fake.taken('enter');
    terminal.read();
    await terminal.waitFor((screen) => screen.includes('npm test') && screen.includes('? help'));
    expect(fake.calls()).toEqual([]);
    await terminal.take('y');
    expect(await decided(fake)).toMatchObject(['decide', expect.any(String), { type: 'approve' }]);
  });

  test('keeps no program from ending at a signal', async () => {
    const fake = await unread();
    const { pid } = fake.terminal;
    fake.show(view);
    await fake.seen();
    process.kill(pid, 'SIGTERM');
    await fake.terminal
      .waitUntil(() => !isThere(pid), 'the end of the program')
      .catch((error: unknown) => {
        // The end of the program is what is waited for.
        if (isThere(pid)) throw error;
      });
  });
});
