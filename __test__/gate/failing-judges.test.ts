/** Functions that decide whether a call is asked about, and fail: it is asked about, and the developer is told. */
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '../../index.js';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

const throws = () => {
  throw new Error('of the secret kind');
};

async function askedAbout(options: object): Promise<string[]> {
  const asked: string[] = [];
  const onApprovalRequest = ({ toolName }: ApprovalRequest) => asked.push(toolName) === 0;
  const { model } = scripted([calls(call('del', { path: '/hidden' }, 'c1')), says('.')]);
  const ran: string[] = [];
  await collect(
    streamWithEvents({ model, prompt: 'x', tools: recordingTools(ran).tools, onApprovalRequest, ...options } as never),
  );
  expect(ran).toEqual([]);
  return asked;
}

test.each<[string, () => object, string]>([
  [
    'shouldApprove throws',
    () => ({ interruptOn: { del: { shouldApprove: throws, description: 'd' } } }),
    'shouldApprove failed (Error',
  ],
  [
    'it gives no answer',
    () => ({ interruptOn: { del: { shouldApprove: () => 'no' } } }),
    'shouldApprove returned a string',
  ],
  [
    'judge throws',
    () => ({ gate: createGate({ policy: { version: 1, default: 'allow' }, judge: throws }) }),
    'judge failed (Error',
  ],
])('%s', async (_, options, told) => {
  using heard = listenToWarnings();
  expect(await askedAbout(options())).toEqual(['del']);
  await expect.poll(() => heard.warnings.join()).toContain(told);
  expect(heard.warnings.join()).toContain('at a call of "del", so that it is asked about');
  expect(heard.warnings.join()).not.toMatch(/hidden|secret/);
});

test('what an abort ends has not failed', async () => {
  using heard = listenToWarnings();
  const controller = new AbortController();
  const shouldApprove = () => {
    controller.abort();
    return new Promise<boolean>(() => {});
  };
  await askedAbout({ interruptOn: { del: { shouldApprove } }, abortSignal: controller.signal }).catch(() => {});
  expect(heard.warnings).toEqual([]);
});
