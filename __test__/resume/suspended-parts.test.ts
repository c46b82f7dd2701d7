/** `run.suspend()` of a run with subagents ends it, whatever each of them does at that moment. */
import { describe, expect, it } from 'vitest';
import type { AgentEvent, AgentRun } from '../../index.js';
import { listRuns } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says } from '../support/model.js';
import { of, waiting } from '../support/play.js';
import { del, processOf, task } from './agents.js';
import { RUN, stage } from './stage.js';

/** Reads to the end, and suspends it at the first event that is meant. */
async function suspendAt(run: AgentRun, isMeant: (event: AgentEvent) => boolean): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  let suspending: Promise<void> | undefined;
  for await (const event of run) {
    events.push(event);
    if (isMeant(event)) suspending ??= run.suspend();
  }
  expect(suspending).toBeDefined();
  await suspending;
  await expect(run.result).rejects.toThrow('suspended');
  return events;
}

describe('a run that is suspended before its subagent is started ends at once', () => {
  it.each(['step-start', 'tool-call'])('at its %s, and another process starts the subagent', async (type) => {
    const on = stage();
    const first = processOf(on, { main: [calls(task('child', 'c1'))], child: [del('/a')] });
    await suspendAt(first.begin(), (event) => event.type === type);
    expect(await first.gate.pending()).toEqual([]);
    const second = processOf(
      on,
      { main: [says('ok')], child: [del('/a'), says('gone')] },
      { onApprovalRequest: () => true },
    );
    expect(of(await collect(second.goOn()))('done')).toMatchObject([{ text: 'ok' }]);
    expect(on.ran).toEqual(['del /a']);
    expect(resultsIn(second.prompts['main']?.[0] as never)).toMatchObject({ c1: { value: 'gone' } });
  });
});

it.each(['subagent-finish', 'tool-result'])(
  'a run that is continued and suspended at the %s of one subagent while another waits ends, and goes on once more',
  async (type) => {
    const on = stage();
    const script = { main: [calls(task('one', 'c1'), task('two', 'c2'))], one: [del('/1')], two: [del('/2')] };
    const first = processOf(on, script);
    const reading = collect(first.begin());
    const requests = await waiting(first.gate, 2);
    await first.gate.close();
    await reading;
    const idOf = (path: string) => requests.find(({ args }) => (args as { path: string }).path === path)?.approvalId;
    await on.gate().approve(idOf('/2') as string);

    const second = processOf(on, { one: [says('one done')], two: [says('two done')] });
    await suspendAt(
      second.goOn(),
      (event) => event.type === type && 'toolCallId' in event && event.toolCallId === 'c2',
    );
    expect((await listRuns(second.gate)).map(({ runId, status }) => `${runId} ${status}`).toSorted()).toEqual([
      `${RUN} suspended`,
      `${RUN}>c1 suspended`,
      `${RUN}>c2 done`,
    ]);
    expect(on.ran).toEqual(['del /2']);
    await second.gate.approve(idOf('/1') as string);

    const third = processOf(on, { main: [says('ok')], one: [says('one done')] });
    expect(of(await collect(third.goOn()))('done')).toMatchObject([{ text: 'ok' }]);
    expect(on.ran).toEqual(['del /2', 'del /1']);
    expect(resultsIn(third.prompts['main']?.[0] as never)).toMatchObject({
      c1: { value: 'one done' },
      c2: { value: 'two done' },
    });
  },
);

describe('a run that is suspended as often as it is continued', () => {
  it('tells no drift where nothing has changed, and asks nobody about its subagent', async () => {
    const on = stage();
    const script = { main: [calls(call('del', { path: '/m' }, 'm1'), task('child', 'c1'))], child: [del('/a')] };
    const first = processOf(on, script);
    await suspendAt(first.begin(), ({ type }) => type === 'approval-requested');
    for (let times = 0; times < 3; times++) {
      const events = await suspendAt(processOf(on, {}).goOn(), ({ type }) => type === 'run-resumed');
      expect(of(events)('run-resumed')).toMatchObject([{ drift: { tools: [], prompt: false } }]);
    }
    const last = processOf(
      on,
      { main: [says('ok')], child: [del('/a'), says('gone')] },
      { onApprovalRequest: () => true },
    );
    const events = await collect(last.goOn());
    expect(of(events)('run-resumed')).toMatchObject([{ drift: { tools: [], prompt: false } }]);
    expect(of(events)('approval-requested').map(({ toolName }) => toolName)).toEqual(['del', 'del']);
    expect(on.ran.toSorted()).toEqual(['del /a', 'del /m']);
    expect(of(events)('done')).toMatchObject([{ text: 'ok' }]);
  });

  it('tells no drift for a tool that is not gated any more, once that is known', async () => {
    const on = stage();
    const first = processOf(on, { main: [del('/a')] });
    await suspendAt(first.begin(), ({ type }) => type === 'approval-requested');
    const loose = { interruptOn: { read: true } };
    const drifts = [];
    for (let times = 0; times < 2; times++) {
      const events = await suspendAt(processOf(on, {}, loose).goOn(), ({ type }) => type === 'approval-requested');
      drifts.push(...of(events)('run-resumed').map(({ drift }) => drift.tools));
    }
    const [request] = await first.gate.pending();
    await first.gate.approve(request?.approvalId as string);
    const read = calls(call('read', { path: '/r' }, 'r1'));
    const third = await suspendAt(
      processOf(on, { main: [read] }, loose).goOn(),
      (event) => event.type === 'approval-requested' && event.toolName === 'read',
    );
    const last = processOf(on, { main: [says('ok')] }, { ...loose, onApprovalRequest: () => true });
    const events = [...third, ...(await collect(last.goOn()))];
    drifts.push(...of(events)('run-resumed').map(({ drift }) => drift.tools));
    // It is new that `read` is asked about. That `del` is not is nothing to those who wait for it.
    expect(drifts).toEqual([['read'], [], [], []]);
    expect(on.ran).toEqual(['del /a', 'read /r']);
  });
});
