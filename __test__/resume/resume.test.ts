/** A run that another gate on the same ledger continues: what was decided, or not, when it does. */
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Gate } from '../../index.js';
import { listRuns, resume, RunError, streamWithEvents } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, text, type ModelTurn } from '../support/model.js';
import { types, until } from '../support/play.js';
import { askThenLeave, goOn, RUN, stage } from './stage.js';

const one = (): ModelTurn[] => [[...text('A'), ...calls(call('del', { path: '/1' }, 'c1'))]];
const two = (): ModelTurn[] => [
  [
    ...text('A'),
    ...calls(call('read', { path: '/r' }, 'c0'), call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2')),
  ],
];

describe('a decision made while no process ran', () => {
  const cases: [string, (gate: Gate, id: string) => Promise<unknown>, string[], unknown][] = [
    ['approved', (gate, id) => gate.approve(id), ['del /1'], { type: 'text', value: 'deleted /1' }],
    ['rejected', (gate, id) => gate.reject(id, 'not today'), [], { type: 'execution-denied', reason: 'not today' }],
    ['skipped', (gate, id) => gate.skip(id), [], expect.objectContaining({ type: 'execution-denied' })],
    ['answered', (gate, id) => gate.respond(id, 'use /tmp'), [], { type: 'text', value: 'use /tmp' }],
    [
      'edited',
      (gate, id) => gate.edit(id, { path: '/other' }),
      ['del /other'],
      { type: 'text', value: expect.stringMatching(/^deleted \/other\n\nNote: /) as string },
    ],
  ];
  it.each(cases)('%s', async (_, decide, ran, result) => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1);
    const other = on.gate();
    await decide(other, waiting[0]!.approvalId);
    const { prompts, run, events } = await goOn(on, [says('done')]);
    expect(on.ran).toEqual(ran);
    expect(prompts).toHaveLength(1);
    expect(resultsIn(prompts[0])).toEqual({ c1: result });
    expect(types(events)[0]).toBe('run-resumed');
    const { text: last, steps, usage } = await run.result;
    expect(last).toBe('done');
    expect(steps.map(({ stepNumber, text }) => [stepNumber, text])).toEqual([
      [0, 'A'],
      [1, 'done'],
    ]);
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    expect(await listRuns(other)).toMatchObject([{ runId: RUN, status: 'done', steps: 2, pending: 0 }]);
  });

  it('rejected with stop: the turn ends, the model is not called, nothing else runs', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, two(), 2, { results: 1 });
    const gate = on.gate();
    await gate.reject(waiting[0]!.approvalId, { stop: true });
    const onApprovalRequest = vi.fn(() => true);
    const { prompts, run, of } = await goOn(on, [], { onApprovalRequest });
    expect(on.ran).toEqual(['read /r']);
    expect(prompts).toEqual([]);
    expect(of('done')).toHaveLength(1);
    expect((await run.result).messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(onApprovalRequest).not.toHaveBeenCalled();
    expect(await gate.pending()).toEqual([]);
  });

  it('expired', async () => {
    let on = stage();
    // On a busy machine the deadline may pass before the run is left: then again, with a later one.
    for (let approvalTimeout = 50; ; approvalTimeout *= 4) {
      const { waiting } = await askThenLeave(on, one(), 1, { approvalTimeout });
      await new Promise((done) => setTimeout(done, approvalTimeout + 20));
      if (waiting.length === 1) break;
      on = stage();
    }
    const { prompts } = await goOn(on, [says('done')]);
    expect(on.ran).toEqual([]);
    expect(resultsIn(prompts[0])).toMatchObject({ c1: { type: 'execution-denied' } });
  });
});

describe('what is not decided', () => {
  it('is waited for, and put to the callback of this process', async () => {
    const on = stage();
    await askThenLeave(on, one(), 1, { onApprovalRequest: () => new Promise(() => {}) });
    const asked: string[] = [];
    const { of, events } = await goOn(on, [says('done')], {
      onApprovalRequest: (request: { approvalId: string; args: unknown }) => {
        asked.push(JSON.stringify(request.args));
        return true;
      },
    });
    expect(asked).toEqual(['{"path":"/1"}']);
    expect(on.ran).toEqual(['del /1']);
    expect(of('approval-requested')).toHaveLength(1);
    expect(types(events)).toEqual([
      'run-resumed',
      'approval-requested',
      'approval-response',
      'tool-result',
      'step-start',
      'text',
      'step-finish',
      'done',
    ]);
    expect(of('step-start')).toEqual([{ type: 'step-start', stepNumber: 2 }]);
  });

  it('is answered by another gate while the run waits', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, two(), 2, { results: 1 });
    const other = on.gate();
    await other.approve(waiting[0]!.approvalId);
    const { model, prompts } = scripted([says('done')]);
    const run = resume({ model, tools: on.tools(), interruptOn: { del: true }, runId: RUN, gate: on.gate() } as never);
    await until(run, 'approval-response');
    expect(on.ran).toEqual(['read /r']);
    await other.reject(waiting[1]!.approvalId, 'no');
    for await (const _ of run);
    expect(on.ran).toEqual(['read /r', 'del /1']);
    expect(resultsIn(prompts[0])).toEqual({
      c0: { type: 'text', value: 'content of /r' },
      c1: { type: 'text', value: 'deleted /1' },
      c2: { type: 'execution-denied', reason: 'no' },
    });
  });
});

describe('drift', () => {
  it('of a tool: what concerns it is asked about again, and an approval does not count', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1);
    await on.gate().approve(waiting[0]!.approvalId);
    const tools = on.tools();
    const described = { ...tools, del: { ...tools.del, description: 'Deletes a file for ever' } };
    const asked: { description: string | null }[] = [];
    const { of } = await goOn(on, [says('done')], {
      tools: described,
      onApprovalRequest: (request: { description: string | null }) => {
        asked.push(request);
        return false;
      },
    });
    expect(of('run-resumed')).toMatchObject([{ drift: { tools: ['del'], prompt: false } }]);
    expect(asked.map(({ description }) => description)).toEqual([expect.stringContaining('The tool del has changed')]);
    expect(on.ran).toEqual([]);
  });

  it('of the prompt: everything that is open is asked about again', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1, { system: 'Be nice.' });
    await on.gate().approve(waiting[0]!.approvalId);
    const { of } = await goOn(on, [says('done')], { system: 'Be quick.', onApprovalRequest: () => true });
    expect(of('run-resumed')).toMatchObject([{ drift: { tools: [], prompt: true } }]);
    expect(of('approval-requested')).toHaveLength(1);
    expect(on.ran).toEqual(['del /1']);
  });

  it('a tool that is gone: denied', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1);
    await on.gate().approve(waiting[0]!.approvalId);
    const { prompts, of } = await goOn(on, [says('done')], { tools: { read: on.tools().read }, interruptOn: {} });
    expect(of('run-resumed')).toMatchObject([{ drift: { tools: ['del'], prompt: false } }]);
    expect(resultsIn(prompts[0])).toEqual({
      c1: { type: 'execution-denied', reason: 'The run was continued without this tool.' },
    });
    expect(on.ran).toEqual([]);
  });

  it('a tool that is not gated any more runs on its approval, once, all the same', async () => {
    const on = stage();
    await askThenLeave(on, one(), 1);
    const { of } = await goOn(on, [says('done')], { interruptOn: {}, onApprovalRequest: () => true });
    const [asked, ...more] = of('approval-requested');
    expect(more).toEqual([]);
    expect(on.ran).toEqual(['del /1']);
    // Not past the guard: the approval is used up.
    expect(await on.gate().get(asked!.approvalId)).toMatchObject({ status: 'succeeded' });
  });
});

describe('which runs can be continued', () => {
  it('not one that is unknown, done or cancelled', async () => {
    const on = stage();
    const gate = on.gate();
    const codeOf = async (runId: string) => {
      const { model } = scripted([]);
      const run = resume({ model, tools: on.tools(), gate, runId } as never);
      const error: unknown = await run.result.catch((error: unknown) => error);
      expect(RunError.isInstance(error)).toBe(true);
      return (error as RunError).code;
    };
    expect(await codeOf('nobody')).toBe('ERR_UNKNOWN_RUN');
    const { model } = scripted([says('hi')]);
    await streamWithEvents({ model, prompt: 'x', gate, runId: 'done' } as never).result;
    expect(await codeOf('done')).toBe('ERR_RUN_OVER');
    const asking = scripted(one());
    const run = streamWithEvents({
      model: asking.model,
      prompt: 'x',
      tools: on.tools(),
      interruptOn: { del: true },
      gate,
      runId: 'left',
    } as never);
    await until(run, 'approval-requested');
    expect(await codeOf('left')).toBe('ERR_RUN_ACTIVE');
    expect(await gate.pending()).toHaveLength(1);
    await run.return();
    expect(await gate.pending()).toEqual([]);
    expect(await codeOf('left')).toBe('ERR_RUN_OVER');
    expect((await listRuns(gate)).map(({ runId, status }) => [runId, status]).toSorted()).toEqual([
      ['done', 'done'],
      ['left', 'cancelled'],
    ]);
  });

  it('what another one has asked is not cancelled by a run that takes its id, or by one that is left at once', async () => {
    const on = stage();
    const gate = on.gate();
    const more = { tools: on.tools(), interruptOn: { del: true }, runId: RUN };
    const first = streamWithEvents({ model: scripted(one()).model, prompt: 'x', gate, ...more } as never);
    await until(first, 'approval-requested');
    const other = on.gate();
    const second = streamWithEvents({ model: scripted(one()).model, prompt: 'x', gate: other, ...more } as never);
    await expect(second.result).rejects.toMatchObject({ code: 'ERR_RUN_ACTIVE' });
    await resume({ model: scripted([]).model, gate: other, ...more } as never).return();
    expect(await gate.pending()).toHaveLength(1);
    expect(await listRuns(gate)).toMatchObject([{ status: 'active', pending: 1 }]);
    await first.return();
  });

  it('one that failed', async () => {
    const on = stage();
    const gate = on.gate();
    const { model } = scripted([...one(), () => Promise.reject(new Error('outage'))]);
    const run = streamWithEvents({
      model,
      prompt: 'x',
      tools: on.tools(),
      interruptOn: { del: true },
      gate,
      runId: RUN,
      onApprovalRequest: () => true,
      maxRetries: 0,
    } as never);
    await expect(run.result).rejects.toThrow('outage');
    expect(await listRuns(gate)).toMatchObject([{ status: 'failed' }]);
    const { prompts } = await goOn(on, [says('done')]);
    expect(on.ran).toEqual(['del /1']);
    expect(resultsIn(prompts[0])).toEqual({ c1: { type: 'text', value: 'deleted /1' } });
  });

  it('one that was suspended; and not before', async () => {
    const on = stage();
    const gate = on.gate();
    const { model } = scripted(two());
    const run = streamWithEvents({
      model,
      prompt: 'x',
      tools: on.tools(),
      interruptOn: { del: true },
      gate,
      runId: RUN,
    } as never);
    await until(run, 'approval-requested');
    expect(await listRuns(gate, { open: true })).toMatchObject([{ status: 'active' }]);
    await run.suspend();
    await expect(run.result).rejects.toThrow('resume({ gate, runId: "the-run" })');
    expect(await listRuns(gate, { open: true })).toMatchObject([{ status: 'suspended', steps: 1 }]);
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    await goOn(on, [says('done')], { gate, onApprovalRequest: () => true });
    expect(on.ran.toSorted()).toEqual(['del /1', 'del /2', 'read /r']);
  });

  it('suspend needs a durable ledger', async () => {
    const { model } = scripted([says('x')]);
    const run = streamWithEvents({ model, prompt: 'x' } as never);
    await expect(run.suspend()).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG' });
    await run.return();
  });
});

describe('a mode that was set since', () => {
  it.each(['plan', 'deny-all-asks'] as const)(
    '%s: what was approved before does not run, now or later',
    async (mode) => {
      const on = stage();
      const { waiting } = await askThenLeave(on, [calls(call('del', { path: '/a' }, 'c1'))], 1);
      await on.gate().approve(waiting[0]?.approvalId ?? '');
      const gate = on.gate({ mode });
      const { prompts } = await goOn(on, [says('done')], { gate });
      expect(on.ran).toEqual([]);
      expect(JSON.stringify(resultsIn(prompts[0])['c1'])).toContain('was not run');
      expect((await gate.get(waiting[0]?.approvalId ?? ''))?.status).toBe('cancelled');
    },
  );

  it('plan: what is only read runs on the approval', async () => {
    const on = stage();
    const reading = {
      read_file: { description: 'r', inputSchema: z.object({ file_path: z.string() }), execute: async () => 'text' },
    };
    const more = { tools: reading, interruptOn: { read_file: true } };
    const { waiting } = await askThenLeave(on, [calls(call('read_file', { file_path: 'a.txt' }, 'c1'))], 1, more);
    await on.gate().approve(waiting[0]?.approvalId ?? '');
    const { prompts } = await goOn(on, [says('done')], { ...more, gate: on.gate({ mode: 'plan' }) });
    expect(JSON.stringify(resultsIn(prompts[0])['c1'])).toContain('text');
  });
});
