/** Other ways to run: an agent, a UI stream; and what a run had done before it was left. */
import { stepCountIs, ToolLoopAgent, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentRun } from '../../index.js';
import { createGate, listRuns, resume, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, text, type ModelTurn } from '../support/model.js';
import { until } from '../support/play.js';
import { askThenLeave, goOn, RUN, stage } from './stage.js';

const one = (): ModelTurn[] => [[...text('A'), ...calls(call('del', { path: '/1' }, 'c1'))]];

describe('an agent', () => {
  it('goes on with its own options, its hook is called once, its model only for the next turn', async () => {
    const on = stage();
    const prepared: number[] = [];
    const agentOf = (turns: ModelTurn[]) => {
      const { model, prompts } = scripted(turns);
      const agent = new ToolLoopAgent({
        model,
        instructions: 'You delete files.',
        tools: on.tools(),
        prepareCall: (options: object) => {
          prepared.push(1);
          return options as never;
        },
      } as never);
      return { agent, prompts };
    };
    const gate = on.gate();
    const first = streamWithEvents({
      agent: agentOf(one()).agent,
      prompt: 'go',
      interruptOn: { del: true },
      gate,
      runId: RUN,
    } as never) as AgentRun;
    const { approvalId } = await until(first, 'approval-requested');
    await first.suspend();
    await gate.approve(approvalId);
    const { agent, prompts } = agentOf([says('done')]);
    const again = resume({ agent, interruptOn: { del: true }, gate, runId: RUN } as never) as AgentRun;
    const events = await collect(again);
    expect(events[0]).toMatchObject({ type: 'run-resumed', drift: { tools: [], prompt: false }, steps: 1 });
    expect(on.ran).toEqual(['del /1']);
    expect(prompts).toHaveLength(1);
    expect(prompts[0]?.[0]).toMatchObject({ role: 'system', content: 'You delete files.' });
    expect(prepared).toHaveLength(2);
    expect((await again.result).text).toBe('done');
  });
});

describe('a UI stream', () => {
  it('begins with what is open, and tells the decision and the rest', async () => {
    const on = stage();
    await askThenLeave(on, one(), 1);
    const { model } = scripted([says('done')]);
    const run = resume({
      model,
      tools: on.tools(),
      interruptOn: { del: true },
      gate: on.gate(),
      runId: RUN,
      onApprovalRequest: () => true,
    } as never) as AgentRun;
    const chunks = (await collect(run.toUIMessageStream() as never)) as { type: string }[];
    const types = chunks.map(({ type }) => type);
    expect(types.filter((type) => type === 'start')).toHaveLength(1);
    expect(types[0]).toBe('start');
    expect(types.indexOf('tool-input-available')).toBeGreaterThan(0);
    expect(types.indexOf('tool-approval-request')).toBeGreaterThan(types.indexOf('tool-input-available'));
    expect(types.indexOf('tool-output-available')).toBeGreaterThan(types.indexOf('tool-approval-request'));
    expect(types.at(-1)).toBe('finish');
    expect(on.ran).toEqual(['del /1']);
  });
});

describe('what was done before', () => {
  it('steps count on: stopWhen and maxSteps look at all of them', async () => {
    for (const limit of [{ stopWhen: stepCountIs(2) }, { maxSteps: 2 }]) {
      const on = stage();
      const turns: ModelTurn[] = [calls(call('read', { path: '/r' }, 'c0')), ...one()];
      const { waiting } = await askThenLeave(on, turns, 1, limit);
      await on.gate().approve(waiting[0]!.approvalId);
      const { prompts, run } = await goOn(on, [], limit);
      expect(on.ran).toEqual(['read /r', 'del /1']);
      expect(prompts).toEqual([]);
      const { steps, messages } = await run.result;
      expect(steps.map(({ toolResults }) => toolResults.length)).toEqual([1, 1]);
      expect(messages.at(-1)).toMatchObject({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1' }] });
    }
  });

  it('the result of a whole run is that of one that was never left', async () => {
    const turns = (): ModelTurn[] => [
      calls(call('read', { path: '/r' }, 'c0')),
      [...text('A'), ...calls(call('del', { path: '/1' }, 'c1'), call('read', { path: '/s' }, 'c2'))],
      says('done'),
    ];
    const plain = stage();
    const whole = scripted(turns());
    const expected = await (
      streamWithEvents({
        model: whole.model,
        messages: [{ role: 'user', content: 'go' }],
        tools: plain.tools(),
        interruptOn: { del: true },
        gate: createGate({ ledger: 'memory:' }),
        onApprovalRequest: () => true,
      } as never) as AgentRun
    ).result;
    const on = stage();
    const { waiting } = await askThenLeave(on, turns().slice(0, 2), 1, { results: 2 });
    await on.gate().approve(waiting[0]!.approvalId);
    const { run, prompts } = await goOn(on, [says('done')]);
    const result = await run.result;
    const plainly = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/"aitxt-\w+"/g, '"id"')) as unknown;
    expect(plainly(result.messages)).toEqual(plainly(expected.messages));
    expect(plainly(result.responseMessages)).toEqual(plainly(expected.responseMessages));
    expect(plainly(prompts[0])).toEqual(plainly(whole.prompts[2]));
    expect(result.finishReason).toBe(expected.finishReason);
    expect(result.steps.map(({ finishReason, text, toolCalls }) => [finishReason, text, toolCalls.length])).toEqual(
      expected.steps.map(({ finishReason, text, toolCalls }) => [finishReason, text, toolCalls.length]),
    );
  });

  it('arguments that the schema changes stay what was asked about, dates among them', async () => {
    const on = stage();
    const ran: unknown[] = [];
    const tools = () => ({
      plan: tool({
        inputSchema: z.object({ at: z.string().transform((at) => new Date(at)), mode: z.string().default('soft') }),
        execute: async (args: unknown) => {
          ran.push(args);
          return 'planned';
        },
      }),
    });
    const more = { interruptOn: { plan: true } };
    const turns = [calls(call('plan', { at: '2030-01-01T00:00:00Z', extra: 1 }, 'c1'))];
    const { waiting } = await askThenLeave(on, turns, 1, { ...more, tools: tools() });
    await on.gate().approve(waiting[0]!.approvalId);
    const { prompts } = await goOn(on, [says('done')], { ...more, tools: tools() });
    expect(ran).toEqual([{ at: new Date('2030-01-01T00:00:00Z'), mode: 'soft' }]);
    expect(resultsIn(prompts[0])).toEqual({ c1: { type: 'text', value: 'planned' } });
  });

  it('a call whose arguments were redacted does not run, and says so', async () => {
    const on = stage();
    const gate = on.gate({ redact: 'secrets' });
    const { model } = scripted([calls(call('del', { path: '/1', password: 'hunter2hunter2' }, 'c1'))]);
    const open = z.object({ path: z.string(), password: z.string() });
    const tools = { del: tool({ inputSchema: open, execute: async () => void on.ran.push('del') }) };
    const run = streamWithEvents({ model, prompt: 'x', tools, interruptOn: { del: true }, gate, runId: RUN } as never);
    const { approvalId } = await until(run, 'approval-requested');
    await run.suspend();
    await gate.approve(approvalId);
    const { prompts } = await goOn(on, [says('done')], { tools, gate: on.gate({ redact: 'secrets' }) });
    expect(on.ran).toEqual([]);
    expect(resultsIn(prompts[0])['c1']).toMatchObject({
      type: 'execution-denied',
      reason: expect.stringContaining('redacted') as string,
    });
    expect(JSON.stringify(prompts)).not.toContain('hunter2');
    expect(await listRuns(gate)).toMatchObject([{ status: 'done' }]);
  });
});
