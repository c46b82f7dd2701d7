/** Calls that an earlier life of a run had started, and runs that are begun twice: what would pay a second time. */
import type { ApprovalRequest } from '../../index.js';
import { describe, expect, it, vi } from 'vitest';
import { streamWithEvents } from '../../ts/index.js';
import { localGate } from '../../ts/gate/gate.js';
import { PATIENTLY } from '../runtimes.js';
import { call, calls, collect, says, scripted, sleep, text, type ModelTurn } from '../support/model.js';
import { of, until } from '../support/play.js';
import { askThenLeave, askUnanswered, goOn, RUN, stage, type Stage } from './stage.js';

const one = (): ModelTurn[] => [[...text('A'), ...calls(call('del', { path: '/1' }, 'c1'))]];

/** A life in which the call is approved and started, and its process gone before it has a result. */
async function startThenDie(on: Stage): Promise<void> {
  const gate = on.gate();
  const tools = on.tools();
  let tellStarted = () => {};
  const started = new Promise<void>((resolve) => (tellStarted = resolve));
  const del = {
    ...tools.del,
    execute: () => {
      on.ran.push('begun');
      tellStarted();
      return new Promise<never>(() => {});
    },
  };
  const options = { tools: { ...tools, del }, interruptOn: { del: true }, gate, runId: RUN };
  const run = streamWithEvents({
    model: scripted(one()).model,
    prompt: 'go',
    onApprovalRequest: () => true,
    ...options,
  } as never);
  void collect(run);
  await started;
  await gate.close();
}

/** A life in which it is asked about, and gone before anybody has answered. */
async function askThenDie(on: Stage) {
  const gate = on.gate();
  const asked: ApprovalRequest[] = [];
  const run = askUnanswered(on, gate, (request) => {
    asked.push(request);
    return new Promise<never>(() => {});
  });
  const resumed = await until(run, 'run-resumed');
  await until(run, 'approval-requested');
  await vi.waitUntil(() => asked.length === 1, PATIENTLY);
  const pending = await gate.pending();
  await gate.close();
  for await (const _ of run);
  return { interrupted: resumed.interrupted, asked: asked[0], pending: pending[0] };
}

describe('a call that was started in an earlier life', () => {
  it('is named by every later one, in the event, to the callback and at the gate', async () => {
    const on = stage();
    await startThenDie(on);
    for (let life = 2; life <= 4; life++) {
      const { interrupted, asked, pending } = await askThenDie(on);
      expect(interrupted, `life ${life}`).toEqual(['c1']);
      expect(asked, `life ${life}`).toMatchObject({ toolCallId: 'c1', startedBefore: true });
      expect(pending, `life ${life}`).toMatchObject({ startedBefore: true });
    }
    const { of: told } = await goOn(on, [says('done')], { onApprovalRequest: () => true });
    expect(told('approval-requested')).toMatchObject([{ startedBefore: true }]);
    expect(on.ran).toEqual(['begun', 'del /1']);
  });

  it('stays so when it is taken back and asked about anew, since its tool has changed', async () => {
    const on = stage();
    await startThenDie(on);
    await askThenDie(on);
    const tools = on.tools();
    const changed = { ...tools, del: { ...tools.del, description: 'Deletes a file, and its backups' } };
    const { of: told } = await goOn(on, [says('done')], { tools: changed, onApprovalRequest: () => false });
    expect(told('run-resumed')).toMatchObject([{ interrupted: ['c1'], drift: { tools: ['del'] } }]);
    expect(told('approval-requested')).toMatchObject([{ startedBefore: true }]);
    expect(on.ran).toEqual(['begun']);
  });

  it('approved again and gone before it ran: the next life says so too', async () => {
    const on = stage();
    await startThenDie(on);
    const { pending } = await askThenDie(on);
    await on.gate().approve(pending?.approvalId ?? '');
    const { of: told } = await goOn(on, [says('done')]);
    expect(told('run-resumed')).toMatchObject([{ interrupted: ['c1'] }]);
    expect(on.ran).toEqual(['begun', 'del /1']);
  });

  it('no mode runs it again by itself, set before or while it waits', async () => {
    const on = stage();
    await startThenDie(on);
    for (const mode of ['auto', 'safe'] as const) {
      const gate = on.gate({ mode });
      const run = askUnanswered(on, gate);
      expect(await until(run, 'approval-requested')).toMatchObject({ isAutomatic: false, startedBefore: true });
      await gate.setMode('auto');
      expect(await gate.pending()).toHaveLength(1);
      await gate.close();
      for await (const _ of run);
    }
    expect(on.ran).toEqual(['begun']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a no', { onApprovalRequest: () => false }],
    ['a no with a reason', { onApprovalRequest: () => ({ type: 'reject', reason: 'not today' }) }],
    ['a skip', { onApprovalRequest: () => ({ type: 'skip' }) }],
    ['its tool being gone', { tools: {}, interruptOn: 'none', onApprovalRequest: () => true }],
    ['a rule', { policy: { version: 1, rule: [{ tools: ['del'], effect: 'deny' }] }, onApprovalRequest: () => true }],
    ['the end of the turn', { onApprovalRequest: () => ({ type: 'reject', stop: true }) }],
  ])('denied by %s: the model is told that it may have had its effect', async (how, more) => {
    const on = stage();
    await startThenDie(on);
    const { run } = await goOn(on, [says('done')], more);
    const { messages } = await run.result;
    const told = JSON.stringify(messages.filter(({ role }) => role === 'tool'));
    expect(told).toContain('It was started before, by a process that is gone');
    expect(told).toContain('It was not run again.');
    if (how === 'a no with a reason') expect(told).toContain('not today');
    expect(on.ran).toEqual(['begun']);
  });

  it.each<[string, unknown, string[], boolean]>([
    ['edited', { type: 'edit', args: { path: '/2' } }, ['begun', 'del /2'], true],
    ['answered', { type: 'respond', output: 'already gone' }, ['begun'], true],
    ['edited to what it was', { type: 'edit', args: { path: '/1' } }, ['begun', 'del /1'], false],
    ['approved', true, ['begun', 'del /1'], false],
  ])('%s: the model is told of the first start where it would not know', async (_, answer, ran, isTold) => {
    const on = stage();
    await startThenDie(on);
    const { run } = await goOn(on, [says('done')], { onApprovalRequest: () => answer });
    const { messages } = await run.result;
    const told = JSON.stringify(messages.filter(({ role }) => role === 'tool'));
    expect(told.includes('It was started before, by a process that is gone')).toBe(isTold);
    expect(told.includes(String.raw`It was started with: {\"path\":\"/1\"}`)).toBe(isTold);
    expect(on.ran).toEqual(ran);
  });

  it('one that was only asked about is no such call', async () => {
    const on = stage();
    await askThenLeave(on, one(), 1);
    const { interrupted, asked } = await askThenDie(on);
    expect(interrupted).toEqual([]);
    expect(asked).toMatchObject({ startedBefore: false });
  });
});

describe('a run that is begun once more under its id', () => {
  const again = async (on: Stage, runId = RUN) => {
    const { model, prompts } = scripted(one());
    const onApprovalRequest = vi.fn(() => true);
    const gate = on.gate();
    const options = { model, prompt: 'go', tools: on.tools(), interruptOn: { del: true }, gate, runId };
    const run = streamWithEvents({ ...options, onApprovalRequest } as never);
    const error: unknown = await run.result.then(
      () => undefined,
      (error: unknown) => error,
    );
    return { error, prompts, onApprovalRequest, gate };
  };

  it('is refused before the model is called, and an approval that was given stays', async () => {
    const on = stage();
    const { waiting } = await askThenLeave(on, one(), 1);
    await on.gate().approve(waiting[0]?.approvalId ?? '', { by: 'ada' });
    const { error, prompts, onApprovalRequest } = await again(on);
    expect(error).toMatchObject({ code: 'ERR_RUN_EXISTS', message: expect.stringContaining('use resume(') as string });
    expect(prompts).toEqual([]);
    expect(onApprovalRequest).not.toHaveBeenCalled();
    const { run } = await goOn(on, [says('done')]);
    await run.result;
    expect(on.ran).toEqual(['del /1']);
  });

  it('what waits in it goes on waiting', async () => {
    const on = stage();
    await askThenLeave(on, one(), 1);
    const { error, gate } = await again(on);
    expect(error).toMatchObject({ code: 'ERR_RUN_EXISTS' });
    expect(await gate.pending()).toHaveLength(1);
    expect(await localGate(gate, 'test').runs.run(RUN)).toMatchObject({ info: { status: 'running', active: false } });
  });

  it('one that goes on in a process that lives is refused before the model is called', async () => {
    const on = stage();
    const gate = on.gate();
    const options = { prompt: 'go', tools: on.tools(), interruptOn: { del: true }, gate, runId: RUN };
    const first = streamWithEvents({ model: scripted(one()).model, ...options } as never);
    await until(first, 'approval-requested');
    const { error, prompts } = await again(on);
    expect(error).toMatchObject({ code: 'ERR_RUN_ACTIVE' });
    expect(prompts).toEqual([]);
    expect(await gate.pending()).toHaveLength(1);
    await first.return();
  });

  it.each(['done', 'cancelled'])('one that is %s, too', async (end) => {
    const on = stage();
    const gate = on.gate();
    const options = { prompt: 'go', tools: on.tools(), interruptOn: { del: true }, gate, runId: RUN };
    const first = streamWithEvents({
      model: scripted([...one(), says('hi')]).model,
      ...options,
    } as never);
    const { approvalId } = await until(first, 'approval-requested');
    if (end === 'done') {
      await gate.reject(approvalId);
      expect(of(await collect(first))('done')).toHaveLength(1);
    } else await first.return();
    const { error, prompts } = await again(on);
    expect(error).toMatchObject({ code: 'ERR_RUN_OVER', message: expect.stringContaining('another runId') as string });
    expect(prompts).toEqual([]);
  });

  it('one that failed can be continued, so it is not begun anew', async () => {
    const on = stage();
    const gate = on.gate();
    const turns = [...one(), () => Promise.reject(new Error('outage'))];
    const options = { tools: on.tools(), interruptOn: { del: true }, gate, runId: RUN, maxRetries: 0 };
    const first = streamWithEvents({
      model: scripted(turns).model,
      prompt: 'go',
      onApprovalRequest: () => true,
      ...options,
    } as never);
    await expect(first.result).rejects.toThrow('outage');
    expect((await again(on)).error).toMatchObject({ code: 'ERR_RUN_EXISTS' });
    await sleep(0);
    expect(on.ran).toEqual(['del /1']);
  });
});
