/** G2. An approval that the AI SDK could not use lets nothing run later: the call failed, and its answer does not count again. */
import { tool, type ToolSet } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createGate, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';

test('a call whose input the schema does not take any more after the yes', async () => {
  await using gate = createGate();
  const ran: unknown[] = [];
  let looks = 0;
  const inputSchema = z.object({ path: z.string() }).refine(() => ++looks !== 2, 'no longer');
  const del = tool({ inputSchema, execute: async (args: unknown) => void ran.push(args) });
  const tools = { del } as ToolSet;
  const common = { gate, runId: 'r', tools, interruptOn: { del: true } };
  let approvalId = '';
  const events = await collect(
    streamWithEvents({
      ...common,
      model: scripted([calls(call('del', { path: '/a' }, 'c1')), says('.')]).model,
      prompt: 'x',
      onApprovalRequest: (request) => {
        ({ approvalId } = request);
        return true;
      },
    }),
  );
  expect(events.map(({ type }) => type)).toContain('tool-error');
  expect(await gate.get(approvalId)).toMatchObject({ status: 'cancelled', decision: { reason: 'The call failed.' } });

  const asked: string[] = [];
  const messages = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'del', input: { path: '/a' } },
        { type: 'tool-approval-request', approvalId, toolCallId: 'c1' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] },
  ];
  await collect(
    streamWithEvents({
      ...common,
      model: scripted([says('.')]).model,
      messages: messages as never,
      onApprovalRequest: ({ toolName }) => asked.push(toolName) < 0,
    }),
  );
  expect(ran).toEqual([]);
});
