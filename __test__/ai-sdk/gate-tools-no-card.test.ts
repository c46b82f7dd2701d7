/** With `mode: 'stop'`, a page shows no request that no answer could let run. */
import * as ai from 'ai';
import { expect, it } from 'vitest';
import type { GateOptions } from '../../index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { call, calls, resultsIn, says, scripted, stepCount } from '../support/model.js';
import { recordingTools } from '../support/tools.js';

it.each([
  [
    'a policy denies',
    '/a',
    { policy: { version: 1, rule: [{ effect: 'deny', tools: 'del', reason: 'never' }] } },
    /never/,
  ],
  ['is larger than the gate takes', 'a'.repeat(100), { maxArgumentBytes: 50 }, /large|bytes/],
  ['holds half a character', '\ud800', {}, /character|surrogate|text/],
] as [string, string, GateOptions, RegExp][])('a call that %s is denied at once', async (_, path, options, why) => {
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
