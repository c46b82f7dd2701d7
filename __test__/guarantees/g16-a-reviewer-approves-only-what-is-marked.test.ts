/**
 * G16. A reviewer approves nothing that a rule has not left to it, and never what is a person's to say.
 *
 * The reviewer of these tests approves all that it is asked about, with `mayApprove`: all calls that run unasked ran because of
 * it.
 */
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import type { ApprovalRequest, CallReviewer, GateOptions, PolicyDocument, PolicyRule } from '../../index.js';
import { createAskUserTool } from '../../ts/agent/index.js';
import { createGate } from '../../ts/index.js';
import { waitingEntries, type Entry } from '../support/entries.js';
import { call, calls, says } from '../support/model.js';
import { play } from '../support/play.js';
import { recordingTools } from '../support/tools.js';

/** Asked about calls of these tools. */
function yes(more: object = {}) {
  const asked: string[] = [];
  const review: CallReviewer = {
    mayApprove: true,
    review: ({ toolName }) => {
      asked.push(toolName);
      return { answer: 'approve', reason: 'all is well' };
    },
    ...more,
  } as CallReviewer;
  return { reviewer: review, asked };
}

const rules = (...rule: PolicyRule[]): PolicyDocument => ({ version: 1, rule });
const marked: PolicyRule = { tools: 'del', effect: 'ask', reviewer: true };
const turns = [calls(call('del', { path: 'a.txt' }, 'c1')), says('.')];

interface Became {
  ran: string[];
  /** What humans were asked, and said no to. */
  shown: ApprovalRequest[];
  reviewed: string[];
}

async function became(
  entry: Entry,
  options: GateOptions,
  more: object = {},
  toolsOf: (ran: string[]) => ToolSet = (ran) => recordingTools(ran).tools as ToolSet,
): Promise<Became> {
  const { reviewer, asked } = yes();
  const ran: string[] = [];
  const shown: ApprovalRequest[] = [];
  await using gate = createGate({ reviewer, ...options });
  const onApprovalRequest = (request: ApprovalRequest) => {
    shown.push(request);
    return { type: 'reject', by: 'ada' } as const;
  };
  await entry({ turns, tools: toolsOf(ran), gate, onApprovalRequest, ...more } as never);
  return { ran, shown, reviewed: asked };
}

describe.each(waitingEntries)('by %s', (_, entry) => {
  it('approves what a rule leaves to it, and asks nobody', async () => {
    const { ran, shown, reviewed } = await became(entry, { policy: rules(marked) });
    expect({ ran, shown, reviewed }).toEqual({ ran: ['del a.txt'], shown: [], reviewed: ['del'] });
  });

  const barred: [name: string, options: GateOptions, more?: object][] = [
    ['a rule that does not say so', { policy: rules({ ...marked, reviewer: false }) }],
    ['no rule at all', { policy: rules({ tools: 'other', effect: 'allow' }) }],
    ['a second rule that asks for itself', { policy: rules(marked, { effect: 'ask', tools: ['d*'] }) }],
    ['a second policy that asks for itself', { policy: [rules(marked), rules({ effect: 'ask', tools: 'del' })] }],
    ['people who must agree', { policy: rules({ ...marked, approvers: ['ada'] }) }],
    ['a quorum', { policy: rules({ ...marked, quorum: 2 }) }],
    ['a quorum of another rule', { policy: rules(marked, { tools: 'del', effect: 'ask', quorum: 2 }) }],
    ['interruptOn', { policy: rules(marked) }, { interruptOn: ['del'] }],
    ['interruptOn alone', {}, { interruptOn: ['del'] }],
    ['a judge', { policy: rules(marked), judge: () => 'ask' }],
    ['a judge alone', { policy: rules({ tools: 'del', effect: 'allow' }), judge: () => 'ask' }],
  ];

  it.each(barred)('approves nothing where it is asked by %s', async (__, options, more) => {
    const { ran, shown, reviewed } = await became(entry, options, more);
    expect(ran).toEqual([]);
    expect(reviewed).toEqual(['del']);
    expect(shown[0]?.review ?? { decides: false }).toMatchObject({ decides: false });
  });

  it('approves nothing that nobody understands, though a rule for the whole tool leaves it to it', async () => {
    const options = { policy: rules({ tools: 'execute', effect: 'ask', reviewer: true }) };
    const execute = (ran: string[]) => ({
      execute: tool({
        inputSchema: z.object({ command: z.string() }),
        execute: async ({ command }: { command: string }) => void ran.push(command),
      }),
    });
    const runs = (command: string) => ({ turns: [calls(call('execute', { command }, 'c1')), says('.')] });
    const unknown = await became(entry, options, runs('eval "$X"'), execute as never);
    expect([unknown.ran, unknown.shown[0]?.review?.bar]).toEqual([[], 'unmarked']);
    const known = await became(entry, options, runs('ls'), execute as never);
    expect([known.ran, known.shown]).toEqual([['ls'], []]);
  });

  it.each(['plan', 'deny-all-asks'] as const)('is not asked about what the mode %s denies', async (mode) => {
    const { ran, shown, reviewed } = await became(entry, { policy: rules(marked), mode });
    expect({ ran, shown, reviewed }).toEqual({ ran: [], shown: [], reviewed: [] });
  });

  it('is not asked about what the mode auto approves, and only advises where that asks', async () => {
    const open = await became(entry, { policy: rules(marked), mode: 'auto' });
    expect([open.ran, open.reviewed]).toEqual([['del a.txt'], []]);
    const hard = await became(entry, { policy: rules({ ...marked, quorum: 2 }), mode: 'auto' });
    expect([hard.ran, hard.reviewed, hard.shown[0]?.review?.bar]).toEqual([[], ['del'], 'people']);
  });

  it('approves nothing without mayApprove', async () => {
    const { reviewer } = yes({ mayApprove: false });
    const { ran, shown } = await became(entry, { policy: rules(marked), reviewer });
    expect([ran, shown[0]?.review]).toMatchObject([[], { answer: 'approve', decides: false, bar: 'advises' }]);
  });

  it('approves no call of a tool that a human has refused in the run', async () => {
    let times = 0;
    const review = () => ({ answer: times++ === 0 ? 'unsure' : 'approve', reason: '' }) as const;
    const again = [...turns.slice(0, 1), calls(call('del', { path: 'a.txt', force: true }, 'c2')), says('.')];
    const reviewer = { review, mayApprove: true };
    const { ran, shown } = await became(entry, { policy: rules(marked), reviewer }, { turns: again });
    expect([ran, shown.map((request) => request.review?.bar)]).toEqual([[], [null, 'refused']]);
  });

  it('approves nothing that may not be approved', async () => {
    const { ran } = await became(
      entry,
      { policy: rules(marked) },
      {
        interruptOn: { del: { shouldApprove: () => false, allowedDecisions: ['reject'] } },
      },
    );
    expect(ran).toEqual([]);
  });
});

test('a question is put to the human alone', async () => {
  const { reviewer, asked } = yes();
  await using gate = createGate({ reviewer, policy: rules({ effect: 'ask', reviewer: true, tools: '*' }) });
  const { of } = await play({
    turns: [calls(call('ask_user', { questions: [{ question: 'Which?', kind: 'text' }] }, 'q1')), says('.')],
    tools: { ask_user: createAskUserTool() } as ToolSet,
    gate,
    onQuestion: () => ['this one'],
  });
  expect(asked).toEqual([]);
  expect(of('question-answered')).toMatchObject([{ answer: { answers: ['this one'] } }]);
});

test('what code asks a person at the gate is a person’s to say', async () => {
  const { reviewer, asked } = yes();
  await using gate = createGate({ reviewer, policy: rules({ ...marked, tools: 'deploy' }) });
  const waits = gate.request({ toolName: 'deploy', args: {} });
  await expect.poll(async () => (await gate.pending()).length).toBe(1);
  const [request] = await gate.pending();
  expect([asked, request?.review]).toMatchObject([['deploy'], { decides: false, bar: 'beside' }]);
  await gate.reject(request!.approvalId);
  expect((await waits).approved).toBe(false);
});
