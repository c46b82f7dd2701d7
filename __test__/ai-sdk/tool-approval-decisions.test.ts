/** What a loop cannot carry out is no answer to its requests: it would be lost where nobody sees it. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, DecisionType, InterruptOn } from '../../index.js';
import { createGate, gateTools, toolApproval } from '../../ts/index.js';
import { call, calls, major, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const turns = () => scripted([calls(call('del', { path: '/a' }, 'c1')), says('Done.')]).model;
const { tools } = recordingTools();

const LOOPS: [string, boolean, DecisionType[], (options: object, interruptOn: InterruptOn) => object][] = [
  [
    "gateTools in mode 'stop'",
    true,
    ['approve', 'edit', 'reject', 'skip'],
    (options, interruptOn) => ({ tools: gateTools(tools, { mode: 'stop', interruptOn, ...options } as never) }),
  ],
  [
    'toolApproval',
    major === 7,
    ['approve', 'reject', 'skip'],
    (options, interruptOn) => ({ tools, toolApproval: toolApproval({ interruptOn, ...options } as never) }),
  ],
];

describe.each(LOOPS.filter(([, isThere]) => isThere))('%s', (_, _isThere, takes, loop) => {
  const asked = async (interruptOn: InterruptOn) => {
    const gate = createGate();
    const options = loop({ gate, runId: 'r' }, interruptOn);
    await ai.generateText({ model: turns(), prompt: 'go', stopWhen: stepCount(5), ...options } as never);
    const [request] = await gate.pending();
    return { gate, request: request as ApprovalRequest };
  };

  it('a request offers only what can be carried out, and takes nothing else', async () => {
    const { gate, request } = await asked(['del']);
    expect(request.allowedDecisions).toEqual(takes);
    const refused = { code: 'ERR_DECISION_NOT_ALLOWED', allowedDecisions: takes };
    await expect(gate.respond(request.approvalId, 'x')).rejects.toMatchObject(refused);
    if (!takes.includes('edit'))
      await expect(gate.edit(request.approvalId, { path: '/b' })).rejects.toMatchObject(refused);
    expect(await gate.pending()).toHaveLength(1);
    await gate.close();
  });

  it('what the tool allows narrows it further; a rejection is left where nothing else is', async () => {
    for (const [allowed, left] of [
      [['approve', 'respond'], ['approve']],
      [['respond'], ['reject']],
    ] as [DecisionType[], DecisionType[]][]) {
      const { gate, request } = await asked({ del: { allowedDecisions: allowed } });
      expect(request.allowedDecisions).toEqual(left);
      await gate.close();
    }
  });
});

describe.runIf(major === 7)('a callback of toolApproval', () => {
  it('is shown the same, and an edit of it is told as what it is: not an answer to this call', async () => {
    const offered: unknown[] = [];
    await using gate = createGate();
    const onApprovalRequest = ({ allowedDecisions }: ApprovalRequest) => {
      offered.push(allowedDecisions);
      return { type: 'edit', args: { path: '/b' } } as const;
    };
    const approval = toolApproval({ interruptOn: ['del'], gate, onApprovalRequest: onApprovalRequest as never });
    await ai.generateText({
      model: turns(),
      tools,
      prompt: 'go',
      stopWhen: stepCount(5),
      toolApproval: approval,
    } as never);
    expect(offered).toEqual([['approve', 'reject', 'skip']]);
    expect((await gate.history()).map(({ status }) => status)).toEqual(['rejected']);
  });
});
