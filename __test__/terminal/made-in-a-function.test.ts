/**
 * `terminalApprover` that a function makes for each call, on a pipe of its own. It knows of all requests that functions have skipped
 * in the process: so these tests are alone in theirs, and the one that skips is the last.
 *
 * @isolated
 */
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ApprovalRequest, Decision } from '../../index.js';
import { createGate, terminalApprover } from '../../ts/index.js';
import { call, calls, collect, says } from '../support/model.js';
import { start } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';
import { place } from './place.js';

const two = calls(call('read', { path: '/one' }, 'one'), call('read', { path: '/two' }, 'two'));
type Before = (request: ApprovalRequest, abortSignal: AbortSignal) => Promise<void>;

/** Runs two calls, for each of which an approver is made when the function has done something else. */
function begin(gate: ReturnType<typeof createGate>, before: Before) {
  const { input, output, until } = place(false);
  const { ran, tools } = recordingTools();
  const onApprovalRequest = async (request: ApprovalRequest, { abortSignal }: { abortSignal: AbortSignal }) => {
    await before(request, abortSignal);
    return terminalApprover({ input, output })(request) as Promise<Decision>;
  };
  const { run } = start({ tools, gate, interruptOn: 'all', onApprovalRequest, turns: [two, says('.')] });
  return { input, ran, until, events: collect(run) };
}

test('each piped line answers its call', async () => {
  await using gate = createGate();
  const { input, ran, events } = begin(gate, async () => {});
  input.end('n\ny\n');
  await events;
  expect(ran).toEqual(['read /two']);
});

test('the line of a call that was decided elsewhere while it was asked about answers no other', async () => {
  await using gate = createGate();
  const { input, ran, events, until } = begin(gate, async () => {});
  await until('Run it? ');
  await gate.reject((await gate.pending()).find(({ toolCallId }) => toolCallId === 'one')!.approvalId);
  await until('Run it? ', 2);
  input.end('n\ny\n');
  await events;
  expect(ran).toEqual(['read /two']);
});

test('after a call that was decided elsewhere before the first of them was made, no line answers anything', async () => {
  await using gate = createGate();
  using warned = listenToWarnings();
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => failed.mockRestore());
  const { input, ran, events } = begin(gate, async ({ approvalId, toolCallId }, abortSignal) => {
    if (toolCallId !== 'one') return;
    const aborted = once(abortSignal, 'abort');
    await gate.reject(approvalId);
    await aborted;
    abortSignal.throwIfAborted();
  });
  input.end('y\nn\n');
  expect((await events).at(-1)).toMatchObject({ type: 'error', error: { code: 'ERR_INPUT_ENDED' } });
  expect(ran).toEqual([]);
  expect(warned.warnings.join()).toContain('it is unknown which call');
});
