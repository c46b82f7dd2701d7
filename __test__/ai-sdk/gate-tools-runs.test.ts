/** Which run the calls of a loop belong to that was given no `runId`. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { createGate, gateTools, InvalidDecisionError, toolApproval } from '../../ts/index.js';
import type { ApprovalRequest, Gate } from '../../index.js';
import { call, calls, major, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';
import { listenToWarnings } from '../support/warnings.js';

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

describe('what is remembered for the run', () => {
  const policies = { policy: { version: 1 }, place: { cwd: '/project', project: '/project' } } as const;
  const TWICE = [calls(call('del', { path: '/a' }, 'c1')), calls(call('del', { path: '/a' }, 'c2')), says('Done.')];

  describe.each(['gateTools', ...(major === 7 ? ['toolApproval'] : [])])('under %s', (way) => {
    const options = (asking: object, tools: ReturnType<typeof recordingTools>['tools']): object =>
      way === 'gateTools'
        ? { tools: gateTools(tools, asking as never) }
        : { tools, toolApproval: toolApproval(asking as never) };

    it.each(['approve', 'reject'])('holds with a runId, and is not lost in silence without one (%s)', async (type) => {
      using heard = listenToWarnings();
      const asksOf = async (more: object): Promise<number> => {
        let asked = 0;
        const { tools } = recordingTools();
        await using gate = createGate(policies);
        const onApprovalRequest = () => ((asked += 1), { type, remember: 'run' });
        const asking = { gate, interruptOn: ['del'], onApprovalRequest, ...more };
        const { model } = scripted(TWICE);
        await ai.generateText({ model, ...options(asking, tools), prompt: 'go', stopWhen: stepCount(5) } as never);
        expect((await gate.grants.list()).length).toBe('runId' in more ? 1 : 0);
        return asked;
      };
      expect(await asksOf({ runId: 'chat' })).toBe(1);
      expect(heard.warnings).toEqual([]);
      expect(await asksOf({})).toBe(2);
      expect(heard.warnings.join()).toMatch(/counts once and is not remembered: .*runId/);
    });
  });

  it('is refused at the gate where there is no run, and the request waits on', async () => {
    await using gate = createGate(policies);
    const { tools } = recordingTools();
    const { del } = gateTools(tools, { gate, interruptOn: 'all' });
    const over = del.execute!({ path: '/a' }, { toolCallId: 'c1', messages: [] } as never);
    void gate.request({ toolName: 'del', args: {} }).catch(() => {});
    const open = await waits(gate, 2);
    for (const { approvalId } of open)
      await expect(gate.approve(approvalId, { remember: 'run' })).rejects.toSatisfy(InvalidDecisionError.isInstance);
    for (const { approvalId } of await waits(gate, 2)) await gate.approve(approvalId);
    expect(await over).toBe('deleted /a');
  });
});
