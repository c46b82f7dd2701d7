/** Which model the chat talks to, and what it says when the model's server is not there. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { openModel } from '../../ts/cli/chat/model.js';

const choice = { model: 'm', baseUrl: 'http://127.0.0.1:9/v1', sendsKey: false };

test('a server that cannot be reached is an error', async () => {
  await expect(openModel(choice)).rejects.toMatchObject({ code: 'ERR_MODEL' });
});

test('a server that is slow to answer is not: it may be loading the model, or the machine may be busy', async () => {
  const late = vi
    .spyOn(AbortSignal, 'timeout')
    .mockReturnValue(AbortSignal.abort(new DOMException('it took too long', 'TimeoutError')));
  onTestFinished(() => late.mockRestore());
  await expect(openModel(choice)).resolves.toMatchObject({ label: 'm at http://127.0.0.1:9/v1' });
});
