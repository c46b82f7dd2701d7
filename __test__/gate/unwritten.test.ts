/** What could not be written down, or was too long to be: no call runs on it, and no grant answers. */
import { tool } from 'ai';
import { expect, it, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { Gate, GateOptions, PolicyDocument } from '../../index.js';
import { createGate, gateTools, LedgerError } from '../../ts/index.js';
import { NativeGate } from '../../ts/native/gate.js';
import { call, calls, collect, says } from '../support/model.js';
import { play, start, until } from '../support/play.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

function open(options: GateOptions = {}): Gate {
  const gate = createGate({ ledger: 'sqlite:', ...options });
  onTestFinished(() => gate.close());
  return gate;
}

/** From now on nothing can be added to the audit. */
function auditIsFull(): void {
  const failure = new LedgerError({ code: 'ERR_LEDGER_FULL', message: 'the disk is full' });
  const note = vi.spyOn(NativeGate.prototype, 'note').mockRejectedValue(failure);
  onTestFinished(() => note.mockRestore());
}

const options = { toolCallId: 'c1', messages: [] };

test.each<[string, PolicyDocument]>([
  ['allow', { version: 1, default: 'allow' }],
  ['approve by mode', { version: 1, default: 'ask' }],
])('a call that the policies %s does not run where that could not be written down', async (what, policy) => {
  using heard = listenToWarnings();
  const { ran, tools } = recordingTools();
  const gate = open({ policy, mode: what === 'allow' ? 'safe' : 'auto' });
  const { del } = gateTools(tools, { gate });
  const execute = del.execute as (input: unknown, options: object) => Promise<unknown>;
  auditIsFull();
  const answer = await execute({ path: '/1' }, options);
  expect(ran).toEqual([]);
  expect(JSON.stringify(answer)).toContain('could not be written down');
  expect(heard.warnings.join()).toMatch(/A call of del did not run.*the disk is full/);
});

it('does not run in a run either, and the model is told', async () => {
  using _heard = listenToWarnings();
  const { ran, tools } = recordingTools();
  const gate = open({ policy: { version: 1, default: 'allow' } });
  auditIsFull();
  const turns = [calls(call('del', { path: '/1' }, 'c1')), says('.')];
  const { prompts } = await play({ turns, tools, gate });
  expect(ran).toEqual([]);
  expect(JSON.stringify(prompts[1])).toContain('could not be written down');
});

test('a decision that is to be remembered counts once where the grant has no trace in the audit', async () => {
  const lines: string[] = [];
  const { ran, tools } = recordingTools();
  const gate = open({
    policy: { version: 1, default: 'ask' },
    logger: { error: (what) => void lines.push(what) },
  });
  const turns = [calls(call('del', { path: '/1' }, 'c1')), says('.')];
  const { run } = start({ turns, tools, gate });
  const { approvalId } = await until(run, 'approval-requested');
  auditIsFull();
  const record = await gate.approve(approvalId, { by: 'mia', remember: 'session' });
  await collect(run);
  expect([record.status, ran]).toEqual(['approved', ['del /1']]);
  expect(lines).toContain('not noted in the audit');
  expect(await gate.grants.list()).toEqual([]);
});

test.each([
  ['is kept', 1_048_576 - 2, true],
  ['is not kept where it is longer than a ledger keeps', 1_048_576 - 1, false],
])('a result %s', async (_, length, isKept) => {
  const settle = vi.spyOn(NativeGate.prototype, 'settle');
  onTestFinished(() => settle.mockRestore());
  const value = 'x'.repeat(length);
  const read = tool({
    inputSchema: z.object({}),
    execute: () => 'read',
    toModelOutput: () => value as never,
  });
  const turns = [calls(call('read', {}, 'c1')), says('.')];
  await play({ turns, tools: { read }, gate: open(), interruptOn: 'all', onApprovalRequest: () => true });
  expect(settle.mock.calls.map(([, succeeded, kept]) => [succeeded, kept === value])).toEqual([[true, isKept]]);
  expect(settle.mock.calls.map(([, , kept]) => kept === null)).toEqual([!isKept]);
});
