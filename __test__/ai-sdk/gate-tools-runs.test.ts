/** Which run the calls of a loop belong to that was given no `runId`. */
import * as ai from 'ai';
import { expect, it } from 'vitest';
import { createGate, gateTools } from '../../ts/index.js';
import type { ApprovalRequest, Gate } from '../../index.js';
import { call, calls, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const STEPS = [
  calls(call('del', { path: '/a' }, 'c1'), call('del', { path: '/b' }, 'c2')),
  calls(call('del', { path: '/c' }, 'c3')),
  says('Done.'),
];

async function waits(gate: Gate, count: number): Promise<ApprovalRequest[]> {
  await expect.poll(async () => (await gate.pending()).length).toBe(count);
  return gate.pending();
}

const runsOf = (requests: readonly ApprovalRequest[]): number => new Set(requests.map(({ runId }) => runId)).size;

it.each<[string, (options: Parameters<typeof ai.streamText>[0]) => PromiseLike<string>]>([
  ['generateText', async (options) => (await ai.generateText(options as Parameters<typeof ai.generateText>[0])).text],
  ['streamText', async (options) => ai.streamText(options).text],
])('%s: the calls of one step are one run, and those of the next one another', async (_, start) => {
  const gate = createGate();
  const { ran, tools } = recordingTools();
  const gated = gateTools(tools, { gate, interruptOn: 'all' });
  const { model } = scripted(STEPS);
  const over = start({ model, tools: gated, prompt: 'go', stopWhen: stepCount(5) });
  const step = await waits(gate, 2);
  expect(runsOf(step)).toBe(1);
  for (const { approvalId } of step) await gate.approve(approvalId);
  const [next] = await waits(gate, 1);
  expect(runsOf([step[0]!, next!])).toBe(2);
  await gate.approve(next!.approvalId);
  expect(await over).toBe('Done.');
  expect(ran).toHaveLength(3);
});

it('what a loop adds to its own messages begins another step, and an id that comes twice is a run of its own', async () => {
  const gate = createGate();
  const { tools } = recordingTools();
  const { del } = gateTools(tools, { gate, interruptOn: 'all' });
  const messages: ai.ModelMessage[] = [{ role: 'user', content: 'go' }];
  const abort = new AbortController();
  const start = (toolCallId: string, of = messages) =>
    void Promise.resolve(
      del.execute!({ path: '/a' }, { toolCallId, messages: of, abortSignal: abort.signal } as never),
    ).catch(() => {});
  start('c1');
  start('c2');
  expect(runsOf(await waits(gate, 2))).toBe(1);
  start('c1');
  expect(runsOf(await waits(gate, 3))).toBe(2);
  messages.push({ role: 'assistant', content: 'and' });
  start('c1');
  start('c2');
  expect(runsOf(await waits(gate, 5))).toBe(3);
  // Without a conversation nothing says which step it is.
  start('c1', []);
  start('c2', []);
  expect(runsOf(await waits(gate, 7))).toBe(5);
  abort.abort();
});
