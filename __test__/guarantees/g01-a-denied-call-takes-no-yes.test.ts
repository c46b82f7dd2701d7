/**
 * G1, for those who look at a gate: a call that is denied stands in the ledger, and nobody can approve it there, in the moment before
 * its denial is written down either. What denies it may no longer do so by the time that it would run.
 */
import { tool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Gate, GateOptions } from '../../index.js';
import { planFor } from '../../ts/ai-sdk/messages/open-step.js';
import { createGate, definePolicy, streamWithEvents, verifyApprovals } from '../../ts/index.js';
import { answer, stoppingEntries, waitingEntries } from '../support/entries.js';
import { call, calls, says, scripted } from '../support/model.js';

/** Each denies the first time, and never again. */
const denials: [name: string, make: () => { options: GateOptions; later?: (gate: Gate) => Promise<unknown> }][] = [
  [
    'a judge',
    () => {
      let judged = 0;
      return {
        options: {
          policy: { version: 1, default: 'allow' },
          judge: () => (judged++ === 0 ? { effect: 'deny', reason: 'too fast' } : undefined),
        },
      };
    },
  ],
  [
    'a condition',
    () => {
      let asked = 0;
      const policy = definePolicy([
        { effect: 'deny', tools: 'del', if: () => asked++ === 0 },
        { effect: 'allow', tools: '*' },
      ] as never);
      return { options: { policy } };
    },
  ],
  [
    'the mode plan',
    () => ({
      options: { policy: { version: 1, default: 'ask' }, mode: 'plan' },
      later: (gate) => gate.setMode('safe'),
    }),
  ],
];

/** Says yes to all that it hears of, and to all that waits. */
async function yesToAll(
  gate: Gate,
  later: ((gate: Gate) => Promise<unknown>) | undefined,
  heard: string[],
): Promise<void> {
  for await (const event of gate.events()) {
    // It may be told of the end when the gate is closed by now.
    if (event.type === 'decided') continue;
    await later?.(gate);
    heard.push(event.type);
    const waiting = await gate.pending();
    for (const { approvalId } of event.type === 'requested' ? [event.request, ...waiting] : waiting)
      await gate.approve(approvalId, { by: 'mia' });
  }
}

function deletes() {
  const ran: unknown[] = [];
  const tools: ToolSet = {
    del: tool({ inputSchema: z.looseObject({}), execute: async (args) => void ran.push(args) }),
  };
  return { ran, tools };
}

const turns = () => [calls(call('del', { path: '/a' }, 'c1')), says('.')];

describe.each(denials)('denied by %s', (_, make) => {
  it.each(waitingEntries)('it runs on nobody’s yes: %s', async (_name, entry) => {
    const { options, later } = make();
    const gate = createGate(options);
    const { ran, tools } = deletes();
    const heard: string[] = [];
    const approving = yesToAll(gate, later, heard);
    await entry({ turns: turns(), tools, gate });
    const records = await gate.history();
    await gate.close();
    await approving;
    expect(ran).toEqual([]);
    expect(heard.filter((type) => type !== 'decided' && type !== 'mode-changed')).toEqual([]);
    expect(records.map(({ status, decidedBy, needs }) => ({ status, decidedBy, needs }))).toEqual(
      records.map(() => ({ status: 'rejected', decidedBy: 'countersign', needs: [] })),
    );
  });

  it.each(stoppingEntries)('nor where the turn ends at the approval: %s', async (_name, open) => {
    const { options, later } = make();
    const gate = createGate(options);
    const { ran, tools } = deletes();
    const heard: string[] = [];
    const approving = yesToAll(gate, later, heard);
    const chat = open({ gate, tools, runId: 'chat', interruptOn: 'none' } as never);
    const history = await chat.speak([{ role: 'user', content: 'go' }], turns() as never);
    const sent = await verifyApprovals(answer(history, true), gate, { runId: 'chat' });
    await chat.speak(sent, [says('.')]);
    await gate.close();
    await approving;
    expect(ran).toEqual([]);
    expect(heard.filter((type) => type !== 'decided' && type !== 'mode-changed')).toEqual([]);
  });

  it('nor where a program asks at the gate', async () => {
    const { options, later } = make();
    const gate = createGate(options);
    const heard: string[] = [];
    const approving = yesToAll(gate, later, heard);
    const answer = await gate.request({ toolName: 'del', args: { path: '/a' } });
    await gate.close();
    await approving;
    expect(answer.approved).toBe(false);
    expect(heard.filter((type) => type !== 'decided' && type !== 'mode-changed')).toEqual([]);
  });
});

it('says so to whoever knows its id', async () => {
  const gate = createGate({ policy: { version: 1, default: 'allow', rule: [{ effect: 'deny', tools: ['del'] }] } });
  const { tools, ran } = deletes();
  const tried: unknown[] = [];
  const run = streamWithEvents({ model: scripted(turns()).model, tools, gate, prompt: 'x' } as never);
  for await (const event of run) {
    if (event.type !== 'approval-requested') continue;
    expect(event.isAutomatic).toBe(true);
    expect(event.allowedDecisions).toEqual(['reject']);
    tried.push(await gate.approve(event.approvalId).catch((error: unknown) => (error as { code: string }).code));
  }
  expect(tried).toEqual([expect.stringMatching(/^ERR_(DECISION_NOT_ALLOWED|ALREADY_DECIDED)$/)]);
  expect(ran).toEqual([]);
});

it('is judged anew where the process ended before the denial was written down', () => {
  const record = {
    approvalId: 'a',
    status: 'pending',
    toolName: 'del',
    args: {},
    decision: null,
    details: { isDenied: true },
  } as never;
  const step = { drift: undefined, isThere: true, isAmbiguous: false, isStopped: false };
  expect(planFor(record, step)).toMatchObject({ do: 'ask', instead: { approvalId: 'a' }, takeBack: true });
});
