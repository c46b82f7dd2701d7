/** Subagents that wait when their process goes: another one continues them where they stood. */
import { streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { AgentRun, ApprovalRequest, Gate } from '../../index.js';
import { RunKeeper } from '../../ts/ai-sdk/saved/keep-run.js';
import type { LocalGate } from '../../ts/gate/gate.js';
import { GateClosedError, gateTools, listRuns, resume, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted, sleep } from '../support/model.js';
import { of, until, waiting } from '../support/play.js';
import { del, processOf, task } from './agents.js';
import { RUN, stage, type Stage } from './stage.js';

/** Reads on until `count` requests wait; then the process is gone, as far as possible without a kill. */
async function leaveAt(run: AgentRun, gate: Gate, count: number): Promise<ApprovalRequest[]> {
  const reading = collect(run);
  reading.catch(() => {});
  const requests = await waiting(gate, count);
  await gate.close();
  await reading;
  return requests;
}

describe.each([
  ['ungated', { del: true }],
  ['approved by the policy', { del: true, task: false }],
])('a %s subagent', (_, interruptOn) => {
  it('that waits is continued where it stood, and no model says anything twice', async () => {
    const on = stage();
    const first = processOf(on, { main: [calls(task('child', 'c1'))], child: [del('/a')] }, { interruptOn });
    const [request] = await leaveAt(first.begin(), first.gate, 1);
    expect(request?.origin).toEqual(['main', 'task:c1', 'task']);
    const elsewhere = on.gate();
    await elsewhere.approve(request!.approvalId);
    expect(on.ran).toEqual([]);

    const second = processOf(on, { main: [says('all done')], child: [says('gone')] }, { interruptOn });
    const run = second.goOn();
    const events = await collect(run);
    expect(on.ran).toEqual(['del /a']);
    expect(of(events)('approval-response')).toMatchObject([{ approved: true, origin: request?.origin }]);
    expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'gone' }]);
    expect(Object.entries(second.prompts).map(([name, all]) => [name, all.length])).toEqual([
      ['main', 1],
      ['child', 1],
    ]);
    expect(resultsIn(second.prompts['child']?.[0] as never)).toEqual({ k1: { type: 'text', value: 'deleted /a' } });
    expect(resultsIn(second.prompts['main']?.[0] as never)).toEqual({ c1: { type: 'text', value: 'gone' } });
    expect(of(events)('done')).toMatchObject([{ text: 'all done' }]);
    expect((await listRuns(elsewhere)).map(({ runId, status }) => [runId, status]).toSorted()).toEqual([
      [RUN, 'done'],
      [`${RUN}>c1`, 'done'],
    ]);
  });
});

it('several at once, beside calls of the parent, each continued by itself', async () => {
  const on = stage();
  const script = { main: [calls(task('one', 'c1'), call('del', { path: '/main' }, 'm1'), task('two', 'c2'))] };
  const first = processOf(on, { ...script, one: [del('/1')], two: [del('/2')] });
  const requests = await leaveAt(first.begin(), first.gate, 3);
  const elsewhere = on.gate();
  const idOf = (path: string) =>
    requests.find(({ args }) => (args as { path: string }).path === path)?.approvalId as string;
  await elsewhere.approve(idOf('/1'));
  await elsewhere.reject(idOf('/main'), 'no');
  const second = processOf(
    on,
    { main: [says('ok')], one: [says('one done')], two: [says('two done')] },
    { onApprovalRequest: () => ({ type: 'reject', reason: 'later' }) },
  );
  const events = await collect(second.goOn());
  expect(on.ran).toEqual(['del /1']);
  expect(of(events)('done')).toHaveLength(1);
  expect(resultsIn(second.prompts['main']?.[0] as never)).toMatchObject({
    c1: { value: 'one done' },
    m1: { type: 'execution-denied', reason: 'no' },
    c2: { value: 'two done' },
  });
  expect(resultsIn(second.prompts['two']?.[0] as never)).toMatchObject({ k1: { reason: 'later' } });
});

it('nested ones', async () => {
  const on = stage();
  const first = processOf(on, {
    main: [calls(task('middle', 'c'))],
    middle: [calls(task('inner', 'm'))],
    inner: [del('/deep')],
  });
  const [request] = await leaveAt(first.begin(), first.gate, 1);
  await on.gate().approve(request!.approvalId);
  const second = processOf(on, { main: [says('1')], middle: [says('2')], inner: [says('3')] });
  const events = await collect(second.goOn());
  expect(on.ran).toEqual(['del /deep']);
  expect(of(events)('subagent-finish').map(({ result }) => result)).toEqual(['3', '2']);
});

it('twice over', async () => {
  const on = stage();
  const first = processOf(on, { main: [calls(task('child', 'c1'))], child: [del('/a')] });
  const [one] = await leaveAt(first.begin(), first.gate, 1);
  await on.gate().approve(one!.approvalId);
  const second = processOf(on, { child: [del('/b', 'k2')] });
  const [two] = await leaveAt(second.goOn(), second.gate, 1);
  await on.gate().approve(two!.approvalId);
  const third = processOf(on, { main: [says('ok')], child: [says('both')] });
  await collect(third.goOn());
  expect(on.ran).toEqual(['del /a', 'del /b']);
  expect(resultsIn(third.prompts['main']?.[0] as never)).toEqual({ c1: { type: 'text', value: 'both' } });
});

it('that had ended, of which its parent had not heard, is not run again', async () => {
  const on = stage();
  const first = processOf(
    on,
    { main: [calls(task('child', 'c1'))], child: [del('/a'), says('gone')] },
    { onApprovalRequest: () => true },
  );
  const run = first.begin();
  // Nobody reads on from here: the result stays where it is.
  await until(run, 'approval-response');
  const elsewhere = on.gate();
  const status = async () => (await listRuns(elsewhere)).find(({ runId }) => runId === `${RUN}>c1`)?.status;
  while ((await status()) !== 'done') await sleep(2);
  await first.gate.close();
  const second = processOf(on, { main: [says('ok')] });
  const events = await collect(second.goOn());
  expect(on.ran).toEqual(['del /a']);
  expect(second.prompts['child']).toEqual([]);
  expect(resultsIn(second.prompts['main']?.[0] as never)).toEqual({ c1: { type: 'text', value: 'gone' } });
  expect(of(events)('subagent-finish')).toMatchObject([{ status: 'done', result: 'gone' }]);
});

it('that a human had to allow is asked about again, and then goes on where it stood', async () => {
  const on = stage();
  const gated = { interruptOn: { del: true, task: true } };
  const first = processOf(on, { main: [calls(task('child', 'c1'))], child: [del('/a')] }, gated);
  const run = first.begin();
  const reading = collect(run);
  reading.catch(() => {});
  await first.gate.approve((await waiting(first.gate))[0]!.approvalId);
  while ((await first.gate.pending())[0]?.toolName !== 'del') await sleep(2);
  await first.gate.close();
  await reading;
  const second = processOf(
    on,
    { main: [says('ok')], child: [says('gone')] },
    { ...gated, onApprovalRequest: () => true },
  );
  const events = await collect(second.goOn());
  expect(of(events)('approval-requested').map(({ toolName }) => toolName)).toEqual(['task', 'del']);
  expect(on.ran).toEqual(['del /a']);
  expect(resultsIn(second.prompts['main']?.[0] as never)).toEqual({ c1: { type: 'text', value: 'gone' } });
});

it('is let go of with its parent, and continued in the same process', async () => {
  const on = stage();
  const first = processOf(on, {
    main: [calls(task('child', 'c1'), call('read', { path: '/r' }, 'r1'))],
    child: [del('/a')],
  });
  const run = first.begin();
  // Both, in whichever order they come.
  const awaited = new Set<string>(['approval-requested', 'tool-result']);
  while (awaited.size > 0) {
    const { value, done } = await run.next();
    if (done === true) throw new Error('the run ended too soon');
    awaited.delete(value.type);
  }
  await run.suspend();
  await expect(run.result).rejects.toThrow('suspended');
  expect((await listRuns(first.gate)).map(({ runId, status }) => [runId, status]).toSorted()).toEqual([
    [RUN, 'suspended'],
    [`${RUN}>c1`, 'suspended'],
  ]);
  const [request] = await first.gate.pending();
  await first.gate.approve(request!.approvalId);
  const second = processOf(on, { main: [says('ok')], child: [says('gone')] });
  await collect(second.goOn());
  expect(on.ran).toEqual(['read /r', 'del /a']);
  expect(resultsIn(second.prompts['main']?.[0] as never)).toMatchObject({
    c1: { value: 'gone' },
    r1: { value: 'content of /r' },
  });
});

/** Something that comes when the test says so. */
function moment(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A tool whose result takes long to be written down, one of the times that this is done: the first, or the second. */
function heldAt(time: number) {
  const isHeld = moment();
  const isReleased = moment();
  let times = 0;
  const quick = tool({
    inputSchema: z.object({}),
    execute: async () => 'done',
    toModelOutput: async () => {
      if (++times === time) {
        isHeld.resolve();
        await isReleased.promise;
      }
      return { type: 'text', value: 'done' };
    },
  });
  return { quick, isHeld: isHeld.promise, release: isReleased.resolve };
}

/** The step of the main run is kept when its subagent asks, and again with each result that comes then. */
describe('keeps what another call came to while it was kept itself', () => {
  async function begun(held: number) {
    const on = stage();
    const { quick, ...hold } = heldAt(held);
    const [isSeen, isRead] = [moment(), moment()];
    let reads = 0;
    const slow = tool({
      inputSchema: z.object({}),
      execute: async () => {
        reads += 1;
        await isRead.promise;
        return 'its content';
      },
    });
    const tools = { quick, slow };
    const more = { interruptOn: { del: { shouldApprove: () => isSeen.promise.then(() => true) } } };
    const step = calls(task('child', 'c1'), call('quick', {}, 'q1'), call('slow', {}, 'r1'));
    const { gate, begin } = processOf(on, { main: [step], child: [del('/a')] }, more, tools);
    const run = begin();
    run.result.catch(() => {});
    await until(run, 'tool-result');
    isSeen.resolve();
    const isKept = async (): Promise<void> => {
      const script = { main: [says('ok')], child: [says('gone')] };
      const { goOn, prompts } = processOf(on, script, { ...more, onApprovalRequest: () => true }, tools);
      await collect(goOn());
      expect(resultsIn(prompts['main']?.[0] as never)).toMatchObject({
        c1: { value: 'gone' },
        q1: { value: 'done' },
        r1: { value: 'its content' },
      });
      expect(reads).toBe(1);
    };
    return { run, gate, ...hold, read: isRead.resolve, isKept };
  }

  it('where that took longer than what came later, and the process is gone', async () => {
    const { run, gate, isHeld, release, read, isKept } = await begun(1);
    await isHeld;
    const saved = vi.spyOn(RunKeeper.prototype, 'save');
    onTestFinished(() => saved.mockRestore());
    read();
    await until(run, 'tool-result');
    await expect.poll(() => saved.mock.calls.length).toBe(1);
    release();
    await until(run, 'approval-requested');
    await gate.close();
    await collect(run);
    await isKept();
  });

  it('where it is let go of before that is written', async () => {
    const { run, isHeld, release, read, isKept } = await begun(2);
    await until(run, 'approval-requested');
    read();
    await until(run, 'tool-result');
    await isHeld;
    await run.suspend();
    await expect(run.result).rejects.toThrow('suspended');
    release();
    await isKept();
  });
});

describe('a subagent whose call does not run again', () => {
  const gated = { interruptOn: { del: true, task: true } };

  /** It waits two levels below, and its process is gone. */
  async function left(on: Stage): Promise<string> {
    const script = { main: [calls(task('middle', 'c1'))], middle: [calls(task('inner', 'm1'))], inner: [del('/a')] };
    const first = processOf(on, script, gated);
    const reading = collect(first.begin());
    for (const toolCallId of ['c1', 'm1', 'k1']) {
      const asked = async () => (await first.gate.pending()).find((request) => request.toolCallId === toolCallId);
      while ((await asked()) === undefined) await sleep(2);
      const { approvalId } = (await asked())!;
      if (toolCallId !== 'k1') await first.gate.approve(approvalId);
      else {
        await first.gate.close();
        await reading;
        return approvalId;
      }
    }
    throw new Error('nobody asked');
  }

  const statuses = async (gate: Gate) =>
    (await listRuns(gate)).map(({ runId, status }) => `${runId} ${status}`).toSorted();

  it.each<[string, object]>([
    ['rejected', { type: 'reject' }],
    ['rejected, and the turn with it', { type: 'reject', stop: true }],
    ['answered', { type: 'respond', output: 'instead' }],
    ['skipped', { type: 'skip' }],
  ])('since it is %s, is cancelled with all that waits in it', async (_, answer) => {
    const on = stage();
    const approvalId = await left(on);
    const second = processOf(on, { main: [says('ok')] }, { ...gated, onApprovalRequest: () => answer });
    expect((await collect(second.goOn())).at(-1)?.type).toBe('done');
    expect(await second.gate.pending()).toEqual([]);
    expect(await second.gate.get(approvalId)).toMatchObject({ status: 'cancelled' });
    expect(await statuses(second.gate)).toEqual([`${RUN} done`, `${RUN}>c1 cancelled`, `${RUN}>c1>m1 cancelled`]);
    expect(on.ran).toEqual([]);
    await expect(second.gate.approve(approvalId)).rejects.toMatchObject({ code: 'ERR_ALREADY_DECIDED' });
  });

  it('since the run is aborted before, is cancelled with all that waits in it', async () => {
    const on = stage();
    await left(on);
    const leaving = new AbortController();
    const second = processOf(on, {}, { ...gated, abortSignal: leaving.signal });
    const run = second.goOn();
    await until(run, 'approval-requested');
    expect(await second.gate.pending()).toHaveLength(2);
    leaving.abort();
    expect((await collect(run)).at(-1)?.type).toBe('abort');
    expect(await second.gate.pending()).toEqual([]);
    expect(await statuses(second.gate)).toEqual([`${RUN} cancelled`, `${RUN}>c1 cancelled`, `${RUN}>c1>m1 cancelled`]);
  });

  it('is not touched while that may still be decided', async () => {
    const on = stage();
    await left(on);
    const second = processOf(on, {}, gated);
    const run = second.goOn();
    await until(run, 'approval-requested');
    await second.gate.close();
    await collect(run);
    const third = processOf(on, {}, gated);
    expect(await statuses(third.gate)).toEqual([`${RUN} suspended`, `${RUN}>c1 suspended`, `${RUN}>c1>m1 suspended`]);
    expect(await third.gate.pending()).toHaveLength(2);
  });
});

describe('a call that asks with tools of gateTools', () => {
  const begun = async (leave: (run: AgentRun, gate: Gate) => Promise<unknown>) => {
    const on = stage();
    const gate = on.gate();
    const ownLoop = tool({
      inputSchema: z.object({}),
      execute: async (_, options) => {
        const { model } = scripted([del('/a')]);
        return await streamText({ model, prompt: 'x', tools: gateTools(on.tools(), { parent: options }) }).text;
      },
    });
    const options = { tools: { ...on.tools(), own_loop: ownLoop }, interruptOn: { del: true }, runId: RUN };
    const { model } = scripted([calls(call('own_loop', {}, 'c1'))]);
    await leave(streamWithEvents({ model, prompt: 'go', ...options, gate } as never) as AgentRun, gate);
    const { model: next, prompts } = scripted([says('I see.')]);
    const second = on.gate();
    await collect(resume({ model: next, ...options, gate: second } as never) as AgentRun);
    expect(resultsIn(prompts[0])).toMatchObject({ c1: { type: 'error-text' } });
    expect([on.ran, await second.pending()]).toEqual([[], []]);
  };

  it('is found again, and what it asked is cancelled with it', () => begun((run, gate) => leaveAt(run, gate, 1)));

  it('has no result, whatever its tool makes of a gate that is about to be closed', () =>
    begun(async (run, gate) => {
      const reading = collect(run).catch(() => {});
      const [request] = await waiting(gate);
      // As a gate does that waits for what was begun before: its ledger is still there.
      (gate as Gate & LocalGate).stopWaiting(request!.runId, new GateClosedError({ message: 'The gate was closed.' }));
      await Promise.race([reading, sleep(500)]);
      await gate.close();
      await reading;
    }));
});
