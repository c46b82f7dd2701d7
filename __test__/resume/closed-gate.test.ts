/** A run whose gate is closed ends with it, wherever it is: who hears `done` may rely on it. */
import { expect, it } from 'vitest';
import type { AgentEvent, AgentRun } from '../../index.js';
import { listRuns } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, says } from '../support/model.js';
import { of, until } from '../support/play.js';
import { del, processOf, task } from './agents.js';
import { RUN, stage } from './stage.js';

const read = calls(call('read', { path: '/r' }, 'r1'));

/** Closes the gate at this event of the run; whether the run has come so far. */
async function closeAt(run: AgentRun, index: number, close: () => Promise<void>): Promise<AgentEvent[] | undefined> {
  const events: AgentEvent[] = [];
  let closing: Promise<void> | undefined;
  for await (const event of run) {
    if (events.push(event) === index + 1) closing = close();
  }
  await closing;
  return closing === undefined ? undefined : events;
}

it.each([
  ['a run', { main: [del('/a'), read, says('ok')] }],
  ['a nested run', { main: [calls(task('child', 'c1')), says('ok')], child: [del('/a'), read, says('gone')] }],
])('%s whose gate is closed at any of its events is not done, and goes on elsewhere', async (_, script) => {
  const more = { onApprovalRequest: () => true };
  const all = await collect(processOf(stage(), script, more).begin());
  for (const index of sample([...all.keys()], 4)) {
    const on = stage();
    const first = processOf(on, script, more);
    const run = first.begin();
    const events = await closeAt(run, index, () => first.gate.close());
    if (events === undefined) throw new Error(`closed at ${index}: the run was over before`);
    const last = events[index]?.type;
    if (last === 'done') {
      await run.result;
      continue;
    }
    await expect(run.result, `closed at ${index}, ${last}`).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
    expect(of(events)('done')).toEqual([]);
    const elsewhere = on.gate();
    const [kept] = (await listRuns(elsewhere)).filter(({ runId }) => runId === RUN);
    // Before anything is asked, nothing is kept.
    expect([undefined, 'suspended'], `closed at ${index}, ${last}`).toContain(kept?.status);
    const started = (await elsewhere.history()).filter(
      ({ status }) => status === 'started' || status === 'interrupted',
    );
    const left = Object.fromEntries(Object.entries(script).map(([name, turns]) => [name, turnsByPrompt(turns)]));
    const second = processOf(on, left, more);
    const end = kept === undefined ? second.begin() : second.goOn();
    expect(of(await collect(end))('done'), `closed at ${index}, ${last}`).toMatchObject([{ text: 'ok' }]);
    // What was in the middle of its tool was asked about again, and approved again.
    expect(on.ran.filter((each) => each === 'del /a')).toHaveLength(1 + started.length);
    expect((await elsewhere.history()).filter(({ status }) => status === 'approved')).toEqual([]);
  }
});

it('an approved call that its gate was closed before is no error to the model: it runs on its approval, elsewhere', async () => {
  const on = stage();
  const first = processOf(on, { main: [del('/a'), says('it failed')] });
  const run = first.begin();
  const { approvalId } = await until(run, 'approval-requested');
  await on.gate().approve(approvalId, { by: 'mia' });
  await until(run, 'approval-response');
  const closing = first.gate.close();
  const events = await collect(run);
  await closing;
  expect(events.map(({ type }) => type)).toEqual(['error']);
  await expect(run.result).rejects.toMatchObject({ code: 'ERR_GATE_CLOSED' });
  expect(first.prompts['main']).toHaveLength(1);
  const second = processOf(on, { main: [says('ok')] });
  expect(of(await collect(second.goOn()))('approval-response')).toMatchObject([{ decidedBy: 'mia' }]);
  expect(on.ran).toEqual(['del /a']);
});

/** Answers by the number of earlier turns, for a model that is asked in the middle of a conversation. */
function turnsByPrompt(turns: readonly object[][]) {
  const next = ({ prompt }: { prompt: unknown[] }) =>
    turns[(prompt as { role: string }[]).filter(({ role }) => role === 'assistant').length] as never;
  return turns.map(() => next);
}
