/** What ran before the first step of a round is kept with that step, while it goes on, and once only where it is cut off. */
import { tool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentRun } from '../../index.js';
import { resume, streamWithEvents } from '../../ts/index.js';
import { call, calls, collect, resultsIn, says, scripted } from '../support/model.js';
import { of, until } from '../support/play.js';
import { del } from './agents.js';
import { RUN, stage, type Stage } from './stage.js';

/** A second step in which somebody is asked about one call while the other does not end. */
const second = calls(call('slow', {}, 's1'), call('del', { path: '/b' }, 'k2'));

function setUp(on: Stage, turns: Parameters<typeof scripted>[0], more: object = {}) {
  const slow = tool({ inputSchema: z.object({}), execute: () => new Promise(() => {}) });
  const { model, prompts } = scripted(turns);
  const gate = on.gate();
  return {
    gate,
    prompts,
    options: { model, tools: { ...on.tools(), slow }, interruptOn: { del: true }, gate, runId: RUN, ...more },
  };
}

async function untilSecond(on: Stage, more: object = {}) {
  const { gate, options } = setUp(on, [del('/a'), second], more);
  const run = streamWithEvents({ ...options, prompt: 'go' } as never) as AgentRun;
  const { approvalId } = await until(run, 'approval-requested');
  await gate.approve(approvalId);
  await until(run, 'approval-requested');
  return { gate, run };
}

it('the result of an approved call is there when the run is left in the step after it', async () => {
  const on = stage();
  const { gate, run } = await untilSecond(on);
  await gate.close();
  await collect(run);
  const { options, prompts } = setUp(on, [says('ok')], { onApprovalRequest: () => false });
  expect(of(await collect(resume(options as never) as AgentRun))('done')).toMatchObject([{ text: 'ok' }]);
  expect(resultsIn(prompts[0])).toMatchObject({ k1: { value: 'deleted /a' } });
  expect(on.ran).toEqual(['del /a']);
});

it('and is there once when the run is aborted in that step', async () => {
  const leaving = new AbortController();
  const { run } = await untilSecond(stage(), { abortSignal: leaving.signal });
  leaving.abort();
  const [aborted] = of(await collect(run))('abort');
  const parts = (aborted?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? (content as object[]) : [],
  );
  expect(parts.filter((part) => 'type' in part && part.type === 'tool-result')).toMatchObject([
    { toolCallId: 'k1', output: { value: 'deleted /a' } },
  ]);
});
