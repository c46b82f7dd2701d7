/** A tool that asks at the gate itself, in its `execute`: readers of the run must see that it waits. */
import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent, AgentRun, Gate, Resolution } from '../../index.js';
import { createGate, gateTools, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { of, until } from '../support/play.js';

const request = { toolName: 'charge', args: { amount: 9 }, description: 'Charges 9' };

/** A run with a tool whose `execute` is this. */
function running(execute: (input: unknown, options: { toolCallId: string }) => unknown, gate: Gate, more: object = {}) {
  const pay = { description: 'Pays', inputSchema: z.object({}), execute };
  const { model } = scripted([calls(call('pay', {}, 'c1')), says('Done.')]);
  return streamWithEvents({ model, prompt: 'go', tools: { pay }, gate, runId: 'r', ...more } as never) as AgentRun;
}

/** Reads the run to its end, and gives each request this answer. */
async function answering(run: AgentRun, gate: Gate): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.type === 'approval-requested') await gate.approve(event.approvalId, 'go on');
  }
  return events;
}

describe('a request made inside execute', () => {
  it('comes out of the run, is of that run, and is answered by what reads it', async () => {
    const gate = createGate();
    let resolution: Resolution | undefined;
    const run = running(async () => {
      resolution = await gate.request(request);
      return 'charged';
    }, gate);
    const told = of(await answering(run, gate));
    expect(told('approval-requested')).toMatchObject([
      {
        toolName: 'charge',
        args: { amount: 9 },
        description: 'Charges 9',
        runId: 'r',
        origin: ['main'],
        isAutomatic: false,
      },
    ]);
    expect(told('approval-response')).toMatchObject([{ toolName: 'charge', approved: true, reason: 'go on' }]);
    expect(resolution).toMatchObject({ approved: true });
    expect(told('tool-result')).toMatchObject([{ result: 'charged' }]);
  });

  it.each(['streamWithEvents', 'gateTools'])(
    'is put to the callback of the run that answers for it (%s)',
    async (way) => {
      const gate = createGate();
      const asked: string[] = [];
      const onApprovalRequest = ({ toolName }: { toolName: string }) => {
        asked.push(toolName);
        return true;
      };
      let resolution: Resolution | undefined;
      const execute = async () => {
        resolution = await gate.request(request);
        return 'charged';
      };
      if (way === 'streamWithEvents')
        await running(execute, gate, { onApprovalRequest, interruptOn: { pay: true } }).result;
      else {
        const pay = tool({ inputSchema: z.object({}), execute });
        const gated = gateTools({ pay }, { gate, onApprovalRequest, interruptOn: { pay: true } } as never);
        await (gated.pay.execute as (input: object, given: object) => unknown)({}, { toolCallId: 'x', messages: [] });
      }
      expect(asked).toEqual(['pay', 'charge']);
      expect(resolution).toMatchObject({ approved: true });
    },
  );

  it('in a tool that a human had to allow, after that', async () => {
    const gate = createGate();
    const run = running(async () => gate.request(request), gate, { interruptOn: { pay: true } });
    const names = of(await answering(run, gate))('approval-requested').map(({ toolName }) => toolName);
    expect(names).toEqual(['pay', 'charge']);
  });

  it('in a generator, between two of its values', async () => {
    const gate = createGate();
    const run = running(async function* () {
      yield 'asking';
      const { approved } = await gate.request(request);
      yield approved ? 'charged' : 'not charged';
    }, gate);
    const told = of(await answering(run, gate));
    expect(told('approval-requested')).toHaveLength(1);
    expect(told('tool-result').at(-1)).toMatchObject({ result: 'charged' });
  });

  it('by gateTools within such a run, and by its subagents', async () => {
    const gate = createGate();
    const inner = tool({ inputSchema: z.object({}), execute: async () => gate.request(request) });
    const run = running(async (_input, options) => {
      const { model } = scripted([calls(call('inner', {}, 'i1')), says('ok')]);
      const sub = streamWithEvents({ model, prompt: 'x', tools: { inner }, parent: options } as never) as AgentRun;
      await sub.result;
      const gated = gateTools({ inner }, { parent: options } as never);
      await (gated.inner.execute as (input: object, given: object) => unknown)({}, { toolCallId: 'x', messages: [] });
      return 'ok';
    }, gate);
    const asked = of(await answering(run, gate))('approval-requested').filter(({ toolName }) => toolName === 'charge');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ origin: ['main', 'task:c1', 'pay'] });
  });

  it('is cancelled with the run, and nobody waits for ever', async () => {
    const gate = createGate();
    let resolution: Promise<Resolution> | undefined;
    const run = running(() => (resolution = gate.request(request)), gate);
    await until(run, 'approval-requested');
    await run.return();
    expect(await resolution).toMatchObject({ approved: false, decision: { type: 'cancelled' } });
    expect(await gate.pending()).toEqual([]);
  });

  it('at another gate is none of this run', async () => {
    const gate = createGate();
    const other = createGate();
    const run = running(async () => {
      const asked = other.request(request);
      await other.approve((await other.pending())[0]?.approvalId ?? '');
      return (await asked).approved;
    }, gate);
    expect(of(await collect(run))('approval-requested')).toEqual([]);
  });

  it('under an id and a path of its own keeps them', async () => {
    const gate = createGate();
    const run = running(async () => gate.request({ ...request, runId: 'own', origin: ['till'] }), gate);
    expect(of(await answering(run, gate))('approval-requested')).toMatchObject([{ runId: 'own', origin: ['till'] }]);
  });

  it('outside of any call is told by no run', async () => {
    const gate = createGate();
    const run = running(() => 'ok', gate);
    const asked = gate.request(request);
    const events = await collect(run);
    expect(of(events)('approval-requested')).toEqual([]);
    const [pending] = await gate.pending();
    expect(pending?.runId).not.toBe('r');
    await gate.reject(pending?.approvalId ?? '');
    await asked;
  });
});
