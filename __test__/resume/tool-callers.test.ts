/** A tool that calls others, as code mode does, and whose process goes while it waits for a human. */
import { toolSearch, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import type { AgentRun } from '../../index.js';
import { resume, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, major, resultsIn, says, scripted, sleep } from '../support/model.js';
import { waiting } from '../support/play.js';
import { programCaller } from '../support/tool-caller.js';
import { RUN, stage } from './stage.js';

const made = ['/a', '/b'].map((path) => ({ tool: 'del', input: { path } }));
const program = calls(call('program', { calls: made }, 'c1'));

/** The first process: the program waits for its second call. */
async function begun(interruptOn: object) {
  const on = stage();
  const tools = { ...on.tools(), program: programCaller(on.ran) } as ToolSet;
  const options = { tools, interruptOn, runId: RUN, experimental_toolCallers: { del: ['program'] } };
  const gate = on.gate();
  const run = streamWithEvents({ model: scripted([program]).model, prompt: 'go', ...options, gate } as never);
  const reading = collect(run as AgentRun);
  reading.catch(() => {});
  // The program where it is asked about, and its first call.
  for (const _ of Object.keys(interruptOn)) await gate.approve((await waiting(gate))[0]!.approvalId);
  await expect.poll(() => on.ran).toContain('del /a');
  await waiting(gate);
  await gate.close();
  await reading;
  return { on, options };
}

describe.runIf(major === 7)('a tool that calls others, and is cut off', () => {
  it('that was approved is asked about again, and so is each of its calls', async () => {
    const { on, options } = await begun({ program: true, del: true });
    const gate = on.gate();
    const { model, prompts } = scripted([says('Done.')]);
    const reading = collect(resume({ model, ...options, gate } as never) as AgentRun);
    const asked: unknown[] = [];
    // Until then there is what the first process asked.
    while ((await gate.pending())[0]?.toolName !== 'program') await sleep(2);
    for (let count = 0; count < 3; count++) {
      const [request] = await waiting(gate);
      asked.push([request?.toolName, request?.args]);
      expect(await gate.pending()).toHaveLength(1);
      await gate.approve(request!.approvalId);
    }
    await reading;
    expect(asked).toEqual([
      ['program', { calls: made }],
      ['del', { path: '/a' }],
      ['del', { path: '/b' }],
    ]);
    expect(on.ran).toEqual(['program', 'del /a', 'program', 'del /a', 'del /b']);
    expect(resultsIn(prompts[0])['c1']).toMatchObject({ type: 'json', value: ['deleted /a', 'deleted /b'] });
    expect(await gate.pending()).toEqual([]);
  });

  it('that nobody had to approve does not run again: the model is told, and nothing waits any more', async () => {
    const { on, options } = await begun({ del: true });
    const gate = on.gate();
    const { model, prompts } = scripted([says('I see.')]);
    await collect(resume({ model, ...options, gate } as never) as AgentRun);
    expect(resultsIn(prompts[0])).toMatchObject({ c1: { type: 'error-text' } });
    expect(on.ran).toEqual(['program', 'del /a']);
    expect(await gate.pending()).toEqual([]);
  });

  it('before it began runs with its tools, and asks about their calls', async () => {
    const on = stage();
    const tools = { ...on.tools(), program: programCaller(on.ran) } as ToolSet;
    const options = {
      tools,
      interruptOn: { program: true, del: true },
      runId: RUN,
      experimental_toolCallers: { del: ['program'] },
    };
    const gate = on.gate();
    const first = collect(
      streamWithEvents({ model: scripted([program]).model, prompt: 'go', ...options, gate } as never) as AgentRun,
    );
    first.catch(() => {});
    await waiting(gate);
    await gate.close();
    await first;
    const second = on.gate();
    const reading = collect(
      resume({ model: scripted([says('Done.')]).model, ...options, gate: second } as never) as AgentRun,
    );
    for (let count = 0; count < 3; count++) await second.approve((await waiting(second))[0]!.approvalId);
    await reading;
    expect(on.ran).toEqual(['program', 'del /a', 'del /b']);
  });
});

it.runIf(major === 7)('what toolSearch found is shown in the next process, too', async () => {
  const on = stage();
  const tools = { search: toolSearch(), ...Object.fromEntries(deferred(on.tools())) } as ToolSet;
  const options = { tools, interruptOn: { del: true }, runId: RUN };
  const gate = on.gate();
  const found = calls(call('search', { query: 'deletes' }, 's1'));
  const first = scripted([found, calls(call('del', { path: '/a' }, 'd1'))]);
  const reading = collect(
    streamWithEvents({ model: first.model, prompt: 'go', ...options, gate } as never) as AgentRun,
  );
  reading.catch(() => {});
  await waiting(gate);
  await gate.close();
  await reading;
  const second = on.gate();
  const { model } = scripted([calls(call('del', { path: '/b' }, 'd2')), says('Done.')]);
  const going = collect(resume({ model, ...options, gate: second } as never) as AgentRun);
  for (let count = 0; count < 2; count++) await second.approve((await waiting(second))[0]!.approvalId);
  await going;
  expect(on.ran).toEqual(['del /a', 'del /b']);
});

const deferred = (tools: object) =>
  Object.entries(tools).map(([name, tool]) => [name, { ...tool, deferLoading: true }]);
