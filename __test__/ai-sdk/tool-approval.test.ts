/** `toolApproval` of AI SDK 7, asked in the middle of a step. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ToolApprovalOptions } from '../../index.js';
import { createGate, toolApproval } from '../../ts/index.js';
import { call, calls, major, resultsIn, says, scripted } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const LITERALS = ['not-applicable', 'approved', 'denied', 'user-approval'];

async function generate(
  options: ToolApprovalOptions,
  turns = [calls(call('del', { path: '/a' }, 'c1')), says('Done.')],
) {
  const { ran, tools } = recordingTools();
  const { model, prompts } = scripted(turns);
  const result = await ai.generateText({
    model,
    tools,
    prompt: 'go',
    stopWhen: ai.isStepCount(5),
    toolApproval: toolApproval(options),
  } as never);
  return { ran, prompts, result, told: resultsIn(prompts[1])['c1'] };
}

describe.runIf(major === 7)('in a step of the SDK', () => {
  it('with a callback, waits: approved calls run in the same step', async () => {
    const { ran, result, prompts } = await generate({ interruptOn: { del: true }, onApprovalRequest: () => true });
    expect(ran).toEqual(['del /a']);
    expect([result.text, prompts.length]).toEqual(['Done.', 2]);
  });

  it('a rejection and its reason reach the model', async () => {
    const { ran, told } = await generate({
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'reject', reason: 'no' }),
    });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied', reason: 'no' });
  });

  it.each([
    ['edit', { type: 'edit', args: { path: '/b' } }],
    ['respond', { type: 'respond', output: 'x' }],
  ] as const)('%s cannot be carried out here: nothing runs, and the model is told', async (_, answer) => {
    const { ran, told } = await generate({ interruptOn: 'all', onApprovalRequest: () => answer });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied' });
  });

  it('nobody to ask: denied', async () => {
    const { ran, told } = await generate({ interruptOn: 'all' });
    expect(ran).toEqual([]);
    expect(told).toMatchObject({ type: 'execution-denied' });
  });

  it('with a gate: the turn ends, and the request waits there', async () => {
    const gate = createGate();
    const { ran, result } = await generate({ interruptOn: 'all', gate, runId: 'chat-1' });
    expect(ran).toEqual([]);
    expect(result.finishReason).toBe('tool-calls');
    expect(await gate.pending({ runId: 'chat-1' })).toHaveLength(1);
  });

  it('what is not configured runs', async () => {
    const { ran } = await generate({ interruptOn: { read: true } });
    expect(ran).toEqual(['del /a']);
  });
});

describe('the function by itself', () => {
  const { tools } = recordingTools();
  const status = (options: ToolApprovalOptions, more: object = {}, messages: unknown[] = []) =>
    toolApproval(options)({
      toolCall: { toolCallId: 'c1', toolName: 'del', input: { path: '/a' }, ...more },
      tools,
      messages,
    } as never);

  it('is not applicable to what the provider executes', async () => {
    expect(await status({ interruptOn: 'all' }, { providerExecuted: true })).toEqual({ type: 'not-applicable' });
  });

  it.each<[string, ToolApprovalOptions, object]>([
    [
      'a predicate that throws',
      {
        interruptOn: {
          del: {
            shouldApprove: () => {
              throw new Error('down');
            },
          },
        } as never,
      },
      {},
    ],
    [
      'a callback that throws',
      {
        interruptOn: 'all',
        onApprovalRequest: () => {
          throw new Error('down');
        },
      },
      {},
    ],
    ['a tool that is not there', { interruptOn: 'all', unknownTools: 'ignore' }, { toolName: 'nope' }],
    ['a typo in the configuration', { interruptOn: { dell: true } }, {}],
    [
      'arguments that cannot be shown',
      { interruptOn: 'all', onApprovalRequest: () => true },
      { input: { f: () => {} } },
    ],
    [
      'arguments with a cycle',
      { interruptOn: 'all', onApprovalRequest: () => true },
      {
        input: Object.assign(
          {},
          {
            get self() {
              return this;
            },
          },
        ),
      },
    ],
    [
      'an answer in the messages to what nobody asked',
      { interruptOn: 'all', onApprovalRequest: () => true },
      { resumed: true },
    ],
  ])('%s: denied, one of the four literals, no throw', async (_, options, more) => {
    const messages =
      'resumed' in more
        ? [
            { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c1' }] },
            { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
          ]
        : [];
    const answer = await status(options, more, messages);
    expect(LITERALS).toContain(answer.type);
    expect(answer.type).toBe('denied');
  });

  it('anything at all in place of a call does not throw', async () => {
    const approval = toolApproval({ interruptOn: 'all' });
    for (const given of [undefined, null, {}, { toolCall: null }, { toolCall: {}, tools: null, messages: null }]) {
      expect(await approval(given as never)).toMatchObject({ type: 'denied' });
    }
  });
});
