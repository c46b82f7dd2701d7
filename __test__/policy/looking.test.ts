/** A grant for a number of calls is used by calls that run. To look at what an edit would be uses nothing. */
import { tool } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createGate } from '../../ts/index.js';
import { call, calls, collect, says } from '../support/model.js';
import { start, until } from '../support/play.js';

test('what a human edits a call into uses no grant: a person allowed it', async () => {
  const gate = createGate({ policy: { version: 1 } });
  onTestFinished(() => gate.close());
  const ran: string[] = [];
  const execute = tool({
    inputSchema: z.object({ command: z.string() }),
    execute: ({ command }) => void ran.push(command),
  });
  const asked = async (command: string, toolCallId: string) => {
    const turns = [calls(call('execute', { command }, toolCallId)), says('.')];
    const { run } = start({ turns, tools: { execute }, gate });
    return { run, ...(await until(run, 'approval-requested')) };
  };
  const first = await asked('npm run build', 'c1');
  await gate.approve(first.approvalId, { remember: { scope: 'session', times: 2 } });
  await collect(first.run);
  const second = await asked('npm run lint', 'c2');
  await gate.edit(second.approvalId, { command: 'npm run build' });
  await collect(second.run);
  expect(ran).toEqual(['npm run build', 'npm run build']);
  expect((await gate.grants.list()).map(({ times }) => times)).toEqual([2]);
});
