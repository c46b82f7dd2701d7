/** A call that a human rejected, made once more to the letter. */
import { generateText, tool, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, RunOptions } from '../../index.js';
import { createGate, gateTools, InvalidConfigError, streamWithEvents } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, type ModelTurn } from '../support/model.js';
import { play, type PlayOptions } from '../support/play.js';
import { askUserTool, COLOUR } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';

const BEFORE = 'The human rejected this same call before.';
const twice: ModelTurn[] = [
  calls(call('del', { path: '/1' }, 'c1')),
  calls(call('del', { path: '/1' }, 'c2')),
  says('Done.'),
];

/** Each turn is a step; the first answer is given, every other call is approved. */
async function answered(first: ApprovalAnswer, options: Partial<PlayOptions> = {}) {
  const { ran, tools } = recordingTools();
  const asked: string[] = [];
  const onApprovalRequest = ({ toolCallId }: { toolCallId: string }) => {
    asked.push(toolCallId);
    return asked.length === 1 ? first : true;
  };
  const played = await play({
    turns: twice,
    tools,
    interruptOn: 'all',
    repeatedRejections: 'answer',
    onApprovalRequest: onApprovalRequest as never,
    ...options,
  });
  return { ...played, asked, ran };
}

describe("with 'answer'", () => {
  it('it is rejected again with the same reason, and nobody is asked', async () => {
    const gate = createGate();
    const { asked, ran, prompts, of } = await answered({ type: 'reject', reason: 'keep it' }, { gate });
    expect(asked).toEqual(['c1']);
    expect(ran).toEqual([]);
    const reason = `keep it. ${BEFORE}`;
    expect(of('approval-requested').map(({ toolCallId, isAutomatic }) => [toolCallId, isAutomatic])).toEqual([
      ['c1', false],
      ['c2', true],
    ]);
    expect(of('approval-response')[1]).toMatchObject({ approved: false, reason, decidedBy: 'countersign' });
    expect(of('tool-denied')[1]).toMatchObject({ toolCallId: 'c2', reason });
    expect(resultsIn(prompts[2])['c2']).toEqual({ type: 'execution-denied', reason });
    const { approvalId } = of('approval-requested')[1]!;
    expect(await gate.get(approvalId)).toMatchObject({ status: 'rejected', via: 'system', decision: { reason } });
  });

  it('without a reason it says only that', async () => {
    const { of } = await answered(false);
    expect(of('tool-denied').map(({ reason }) => reason)).toEqual([undefined, BEFORE]);
  });

  it.each([
    ['other arguments', call('del', { path: '/2' }, 'c2')],
    ['another tool', call('read', { path: '/1' }, 'c2')],
    ['one more argument', call('del', { path: '/1', force: true }, 'c2')],
  ])('%s: it is asked about', async (_, other) => {
    const loose = tool({
      inputSchema: z.looseObject({ path: z.string() }),
      execute: async () => 'ok',
    });
    const { asked } = await answered(false, {
      turns: [calls(call('del', { path: '/1' }, 'c1')), calls(other), says('Done.')],
      tools: { del: loose, read: loose },
    });
    expect(asked).toEqual(['c1', 'c2']);
  });

  it('the order of the arguments is nothing', async () => {
    const { asked } = await answered(false, {
      turns: [
        calls(call('del', { path: '/1', force: true }, 'c1')),
        calls(call('del', '{"force":true,"path":"/1"}', 'c2')),
        says('Done.'),
      ],
      tools: { del: tool({ inputSchema: z.looseObject({ path: z.string() }), execute: async () => 'ok' }) },
    });
    expect(asked).toEqual(['c1']);
  });

  it.each([
    ['skip', { type: 'skip' }],
    ['respond', { type: 'respond', output: 'no' }],
    ['an edit', { type: 'edit', args: { path: '/2' } }],
    ['approve', true],
    ['an answer that is none', { type: 'nonsense' } as never],
  ] satisfies [string, ApprovalAnswer][])('%s is no rejection: it is asked about again', async (_, first) => {
    expect((await answered(first)).asked).toEqual(['c1', 'c2']);
  });

  it('neither is a deadline', async () => {
    const { of } = await answered(new Promise<boolean>(() => {}) as never, { approvalTimeout: 20 });
    expect(of('approval-requested').map(({ toolCallId, isAutomatic }) => [toolCallId, isAutomatic])).toEqual([
      ['c1', false],
      ['c2', false],
    ]);
  });

  it('neither is a denial of a policy that is gone', async () => {
    let effect: 'deny' | 'ask' = 'deny';
    const gate = createGate({ judge: () => effect });
    const { asked } = await answered(true, {
      gate,
      onStepFinish: () => {
        effect = 'ask';
      },
      onStepEnd: () => {
        effect = 'ask';
      },
    });
    expect(asked).toEqual(['c2']);
  });

  it('what a policy denies it denies, with its own reason', async () => {
    let effect: 'deny' | 'ask' = 'ask';
    const gate = createGate({ judge: () => ({ effect, reason: 'by the judge' }) });
    const { of } = await answered(
      { type: 'reject', reason: 'keep it' },
      {
        gate,
        onStepFinish: () => {
          effect = 'deny';
        },
        onStepEnd: () => {
          effect = 'deny';
        },
      },
    );
    expect(of('tool-denied').map(({ reason }) => reason)).toEqual(['keep it', 'by the judge']);
  });

  it('another run asks again', async () => {
    const gate = createGate();
    await answered(false, { gate });
    expect((await answered(false, { gate })).asked).toEqual(['c1']);
  });

  it('a question that was not answered may be put again', async () => {
    const onQuestion = vi.fn(() => null);
    await play({
      turns: [
        calls(call('ask_user', { questions: [COLOUR] }, 'q1')),
        calls(call('ask_user', { questions: [COLOUR] }, 'q2')),
        says('Done.'),
      ],
      tools: { ask_user: askUserTool() },
      repeatedRejections: 'answer',
      onQuestion,
    });
    expect(onQuestion).toHaveBeenCalledTimes(2);
  });

  it('a part of the run has what its parent heard, and the other way round', async () => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const onApprovalRequest = ({ origin }: { origin: readonly string[] }) => {
      asked.push(origin.join(' > '));
      return false;
    };
    const child = (path: string) => [calls(call('del', { path }, 'd1')), says('Done.')];
    const task = tool({
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }, options) => {
        const { model } = scripted(child(path));
        const { text } = await streamWithEvents({ model, prompt: 'go', tools, parent: options } as never).result;
        return text;
      },
    });
    await play({
      turns: [
        calls(call('del', { path: '/1' }, 'c1')),
        calls(call('task', { path: '/1' }, 't1')),
        calls(call('task', { path: '/2' }, 't2')),
        calls(call('del', { path: '/2' }, 'c2')),
        says('Done.'),
      ],
      tools: { ...tools, task },
      interruptOn: { del: true },
      repeatedRejections: 'answer',
      onApprovalRequest: onApprovalRequest as never,
    });
    expect(ran).toEqual([]);
    expect(asked).toEqual(['main', 'main > task:t2 > task']);
  });
});

it.each([[undefined], ['ask']] as const)('with %s it is asked about again', async (repeatedRejections) => {
  const { asked } = await answered(false, { repeatedRejections: repeatedRejections as never });
  expect(asked).toEqual(['c1', 'c2']);
});

it('anything else is an error', () => {
  const { model } = scripted([]);
  const repeatedRejections = 'never' as unknown as RunOptions<ToolSet>['repeatedRejections'];
  expect(() => streamWithEvents({ model, prompt: 'go', repeatedRejections } as never)).toThrow(InvalidConfigError);
  expect(() => gateTools({}, { repeatedRejections })).toThrow(InvalidConfigError);
});

describe('gateTools', () => {
  const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 5;

  it.each([
    ['answer', ['c1']],
    ['ask', ['c1', 'c2']],
  ] as const)("with '%s'", async (repeatedRejections, expected) => {
    const { ran, tools } = recordingTools();
    const asked: string[] = [];
    const { model, prompts } = scripted(twice);
    const gate = createGate();
    const gated = gateTools(tools, {
      interruptOn: 'all',
      repeatedRejections,
      gate,
      runId: 'chat-1',
      onApprovalRequest: ({ toolCallId }) => {
        asked.push(toolCallId);
        return { type: 'reject', reason: 'keep it' };
      },
    });
    await generateText({ model, prompt: 'go', tools: gated, stopWhen } as never);
    expect(asked).toEqual(expected);
    expect(ran).toEqual([]);
    const reason = repeatedRejections === 'answer' ? `keep it. ${BEFORE}` : 'keep it';
    expect(resultsIn(prompts[2])['c2']).toEqual({ type: 'execution-denied', reason });
  });

  it('as a part of a run it has what the run heard, and the run tells what came of it', async () => {
    const { ran, tools } = recordingTools();
    const task = tool({
      inputSchema: z.object({}),
      execute: async (_, options) => {
        const { model } = scripted([calls(call('del', { path: '/1' }, 'd1')), says('Done.')]);
        const gated = gateTools(tools, { parent: options });
        return (await generateText({ model, prompt: 'go', tools: gated, stopWhen } as never)).text;
      },
    });
    const { of } = await play({
      turns: [calls(call('del', { path: '/1' }, 'c1')), calls(call('task', {}, 't1')), says('Done.')],
      tools: { ...tools, task },
      interruptOn: { del: true },
      repeatedRejections: 'answer',
      onApprovalRequest: () => ({ type: 'reject', reason: 'keep it' }),
    });
    expect(ran).toEqual([]);
    expect(of('approval-requested').map(({ toolCallId, isAutomatic }) => [toolCallId, isAutomatic])).toEqual([
      ['c1', false],
      ['d1', true],
    ]);
    expect(of('approval-response')[1]).toMatchObject({ toolCallId: 'd1', reason: `keep it. ${BEFORE}` });
  });

  it('needs to know the conversation', () => {
    expect(() => gateTools({}, { repeatedRejections: 'answer' })).toThrow(InvalidConfigError);
    const gate = createGate();
    expect(() => gateTools({}, { repeatedRejections: 'answer', runId: 'a', gate, mode: 'stop' })).toThrow(
      InvalidConfigError,
    );
  });
});
