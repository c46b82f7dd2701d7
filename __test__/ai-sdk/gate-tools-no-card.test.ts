/** With `mode: 'stop'`, a page shows no request that no answer could let run. */
import * as ai from 'ai';
import { expect, it } from 'vitest';
import type { GateOptions } from '../../index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

const REFUSED: [string, string, GateOptions, RegExp][] = [
  [
    'a policy denies',
    '/a',
    { policy: { version: 1, rule: [{ effect: 'deny', tools: 'del', reason: 'never' }] } },
    /never/,
  ],
  ['is larger than the gate takes', 'a'.repeat(100), { maxArgumentBytes: 50 }, /large|bytes/],
  ['holds half a character', '\ud800', {}, /character|surrogate|text/],
];

it.each(REFUSED)('a call that %s is denied at once', async (_, path, options, why) => {
  await using gate = createGate(options);
  const { ran, tools } = recordingTools();
  const gated = gateTools(tools, { interruptOn: ['del'], gate, mode: 'stop', runId: 'r' });
  const { model, prompts } = scripted([calls(call('del', { path }, 'c1')), says('Done.')]);
  const { steps } = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(2) });
  expect(steps.flatMap(({ content }) => content.map(({ type }) => type))).not.toContain('tool-approval-request');
  expect(resultsIn(prompts[1])['c1']).toMatchObject({
    type: 'execution-denied',
    reason: expect.stringMatching(why) as string,
  });
  expect([ran, await gate.pending()]).toEqual([[], []]);
});

// Nothing here would deny it: a browser executes what it is not asked about.
it.each(REFUSED)('a call that %s is never left to a browser as one that may run', async (_, path, options) => {
  await using gate = createGate(options);
  const { del } = recordingTools().tools;
  const { execute: _execute, ...elsewhere } = del;
  const gated = gateTools({ del: elsewhere } as ai.ToolSet, { interruptOn: ['del'], gate, mode: 'stop', runId: 'r' });
  const { model } = scripted([calls(call('del', { path }, 'c1'))]);
  const { content } = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(2) });
  expect(content.map(({ type }) => type)).toContain('tool-approval-request');
});

it('a call with the id of an open one is never left to a browser as one that may run', async () => {
  await using gate = createGate();
  const { del } = recordingTools().tools;
  const { execute: _execute, ...elsewhere } = del;
  const gated = gateTools({ del: elsewhere } as ai.ToolSet, { interruptOn: ['del'], gate, mode: 'stop', runId: 'r' });
  for (const path of ['/a', '/b']) {
    const { model } = scripted([calls(call('del', { path }, 'c1'))]);
    const { content } = await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(2) });
    expect(content.map(({ type }) => type)).toContain('tool-approval-request');
  }
});

it('a call that was not executed after its denial denies no later call with its id', async () => {
  await using gate = createGate({ maxArgumentBytes: 50 });
  const { ran, tools } = recordingTools();
  const shouldApprove = ({ path }: { path: string }): boolean => path !== '/b';
  const gated = gateTools(tools, { interruptOn: { del: { shouldApprove } }, gate, mode: 'stop' });
  const { needsApproval } = gated['del'] as unknown as {
    needsApproval: (input: unknown, options: object) => Promise<boolean>;
  };
  const options = { toolCallId: 'c1', messages: [{ role: 'user', content: 'go' }] };
  expect(await needsApproval({ path: 'a'.repeat(100) }, options)).toBe(false);
  const { model } = scripted([calls(call('del', { path: '/b' }, 'c1')), says('Done.')]);
  await ai.generateText({ model, tools: gated, prompt: 'go', stopWhen: stepCount(2) });
  expect(ran).toHaveLength(1);
});
