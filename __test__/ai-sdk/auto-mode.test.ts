/** The mode that approves: it says what it approved, and answers what waits when it is turned on. */
import * as ai from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GateEvent, PolicyDocument } from '../../index.js';
import { createGate, gateTools, streamWithEvents, toolApproval } from '../../ts/index.js';
import { call, calls, collect, major, says, scripted, stepCount } from '../support/model.js';
import { play, start, types, until } from '../support/play.js';
import { askUserTool, COLOUR } from '../support/questions.js';
import { recordingTools } from '../support/tools.js';

const one = () => [calls(call('del', { path: '/1' }, 'c1')), says('.')];
const two = () => [calls(call('del', { path: '/1' }, 'c1'), call('read', { path: '/2' }, 'c2')), says('.')];

describe('what the mode approves is no secret', () => {
  it('the run tells it, the gate keeps it, and the tool runs once', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ mode: 'auto' });
    const told: GateEvent['type'][] = [];
    const events = gate.events();
    const reading = (async () => {
      for await (const { type } of events) told.push(type);
    })();
    let asked = 0;
    const { of, events: all } = await play({
      turns: two(),
      tools,
      interruptOn: { del: true },
      gate,
      onApprovalRequest: () => ++asked > 100,
    });
    expect(of('approval-requested')).toMatchObject([{ toolCallId: 'c1', isAutomatic: true, step: 1 }]);
    expect(of('approval-response')).toMatchObject([
      { toolCallId: 'c1', isAutomatic: true, approved: true, decidedBy: 'auto' },
    ]);
    expect(types(all).indexOf('approval-response')).toBeLessThan(types(all).lastIndexOf('tool-result'));
    expect([asked, ran.toSorted()]).toEqual([0, ['del /1', 'read /2']]);
    expect(await gate.history()).toMatchObject([{ toolName: 'del', decidedBy: 'auto', status: 'succeeded' }]);
    await gate.close();
    await reading;
    expect(told).toEqual(['requested', 'decided', 'started', 'settled']);
  });

  it('in a loop that is not ours the gate keeps it', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ mode: 'auto' });
    const options = { model: scripted(one()).model, tools: gateTools(tools, { interruptOn: 'all', gate }) };
    await ai.generateText({ ...options, prompt: 'go', stopWhen: stepCount(3) } as never);
    expect(ran).toEqual(['del /1']);
    expect(await gate.history()).toMatchObject([{ decidedBy: 'auto', status: 'succeeded' }]);
  });

  const stopping =
    major === 7 ? (['stop', 'toolApproval', 'toolApproval, with a callback'] as const) : (['stop'] as const);
  it.each(stopping)('where the turn would end at the approval the gate keeps it too (%s)', async (how) => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ mode: 'auto' });
    const shared = { interruptOn: 'all', gate, runId: 'r' } as const;
    const onApprovalRequest = () => expect.unreachable();
    const options =
      how === 'stop'
        ? { tools: gateTools(tools, { ...shared, mode: 'stop' }) }
        : {
            tools,
            toolApproval: toolApproval(how === 'toolApproval' ? shared : { ...shared, onApprovalRequest }),
          };
    const model = scripted(one()).model;
    await ai.generateText({ model, ...options, prompt: 'go', stopWhen: stepCount(3) } as never);
    expect(ran).toEqual(['del /1']);
    expect(await gate.history()).toMatchObject([{ toolName: 'del', decidedBy: 'auto', status: 'succeeded' }]);
  });

  it.each(['chat', undefined])(
    'a call of a loop that does not stop at approvals runs on a record at the gate, once (runId: %s)',
    async (runId) => {
      const { ran, tools } = recordingTools();
      const gate = createGate({ mode: 'auto' });
      const gated = gateTools(tools, {
        interruptOn: 'all',
        gate,
        mode: 'stop',
        ...(runId === undefined ? {} : { runId }),
      });
      const execute = gated.del.execute as (input: unknown, options: object) => Promise<unknown>;
      const options = { toolCallId: 'c1', messages: [] };
      expect(await execute({ path: '/1' }, options)).toBe('deleted /1');
      const records = await gate.history();
      expect(records).toMatchObject([{ toolName: 'del', decidedBy: 'auto', via: 'system', status: 'succeeded' }]);
      expect(await execute({ path: '/1' }, options)).toMatchObject({ type: 'execution-denied' });
      expect(ran).toEqual(['del /1']);
    },
  );

  it('a response says whether a human gave it', async () => {
    const { tools } = recordingTools();
    const responses = async (more: object) =>
      (await play({ turns: one(), tools, interruptOn: 'all', ...more })).of('approval-response')[0]?.isAutomatic;
    expect(await responses({ onApprovalRequest: () => true })).toBe(false);
    expect(await responses({ onApprovalRequest: () => false })).toBe(false);
    expect(await responses({})).toBe(true);
    expect(await responses({ approvalTimeout: 1, onApprovalRequest: () => new Promise(() => {}) })).toBe(true);
  });
});

describe('what the mode does not approve', () => {
  it('is denied by a policy, and asked of a human where it may not be approved', async () => {
    const { ran, tools } = recordingTools();
    const policy: PolicyDocument = { version: 1, default: 'ask', rule: [{ tools: 'del', effect: 'deny' }] };
    const gate = createGate({ mode: 'auto', policy });
    const asked: string[] = [];
    await play({
      turns: two(),
      tools,
      gate,
      interruptOn: { read: { allowedDecisions: ['reject', 'respond'] } },
      onApprovalRequest: ({ toolName }) => {
        asked.push(toolName);
        return false;
      },
    });
    expect([ran, asked]).toEqual([[], ['read']]);
  });

  it('nor what may not be approved by what the agent is a part of', async () => {
    const { ran, tools } = recordingTools();
    const agent = ai.tool({
      inputSchema: z.object({}),
      execute: async (_, options) => {
        const { model } = scripted(one());
        const child = { model, prompt: 'go', tools, interruptOn: { del: true }, parent: options };
        return (await streamWithEvents(child as never).result).text;
      },
    });
    const { of } = await play({
      turns: [calls(call('agent', {}, 'a1')), says('.')],
      tools: { agent },
      interruptOn: { del: { allowedDecisions: ['reject'] } } as never,
      unknownTools: 'ignore',
      gate: createGate({ mode: 'auto' }),
      onApprovalRequest: () => false,
    });
    expect(of('approval-requested')).toMatchObject([{ isAutomatic: false, allowedDecisions: ['reject'] }]);
    expect(ran).toEqual([]);
  });
});

describe('turned on through the gate, the mode answers what waits', () => {
  it('calls of a run: whoever was asked is told that it is over', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const over: string[] = [];
    const { run } = start({
      turns: two(),
      tools: { ...tools, ask_user: askUserTool() },
      interruptOn: { del: true, read: true },
      gate,
      onApprovalRequest: ({ toolCallId }: { toolCallId: string }, { abortSignal }: { abortSignal: AbortSignal }) =>
        new Promise<boolean>(() => abortSignal.addEventListener('abort', () => over.push(toolCallId))),
    });
    await until(run, 'approval-requested');
    await until(run, 'approval-requested');
    await gate.setMode('auto');
    const events = await collect(run);
    const responses = events.flatMap((event) => (event.type === 'approval-response' ? [event] : []));
    expect(responses.map(({ decidedBy, isAutomatic }) => [decidedBy, isAutomatic])).toEqual([
      ['auto', true],
      ['auto', true],
    ]);
    expect([ran.toSorted(), over]).toEqual([['del /1', 'read /2'], ['c1']]);
  });

  it('but not questions, what people are named for, and what a policy denies', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ groups: { admins: ['ada'] } });
    const { run } = start({
      turns: [
        calls(
          call('del', { path: '/1' }, 'c1'),
          call('read', { path: '/2' }, 'c2'),
          call('ask_user', { questions: [COLOUR] }, 'c3'),
        ),
        says('.'),
      ],
      tools: { ...tools, ask_user: askUserTool() },
      interruptOn: { del: { approvers: ['ada'] }, read: { allowedDecisions: ['respond', 'reject'] } },
      gate,
    });
    const reading = collect(run);
    await expect.poll(async () => (await gate.pending()).length).toBe(3);
    await gate.setMode('auto');
    expect((await gate.pending()).map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2', 'c3']);
    await run.return();
    await reading;
    expect(ran).toEqual([]);
  });

  it('calls in a loop that is not ours', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate();
    const options = { model: scripted(one()).model, tools: gateTools(tools, { interruptOn: 'all', gate }) };
    const done = ai.generateText({ ...options, prompt: 'go', stopWhen: stepCount(3) } as never);
    await expect.poll(async () => (await gate.pending()).length).toBe(1);
    await gate.setMode('auto');
    await done;
    expect(ran).toEqual(['del /1']);
  });

  it('safe again asks again', async () => {
    const { ran, tools } = recordingTools();
    const gate = createGate({ mode: 'auto' });
    await gate.setMode('safe');
    const { run } = start({ turns: one(), tools, interruptOn: 'all', gate });
    await until(run, 'approval-requested');
    expect((await gate.pending()).length).toBe(1);
    await run.return();
    expect(ran).toEqual([]);
  });
});
