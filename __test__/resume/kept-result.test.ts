/** What is kept of an execution is what the model itself is shown of it. */
import * as ai from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { keptResult } from '../../ts/ai-sdk/gating/kept-result.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { call, calls, resultsIn, says, scripted } from '../support/model.js';

const input = { path: '/a' };
const thrown: [what: string, error: unknown][] = [
  ['an error', new Error('it broke')],
  ['an error of another kind', new TypeError('not that')],
  ['an error without a message', new RangeError()],
  ['text', 'only text'],
  ['data', { code: 7 }],
  ['null', null],
  ['nothing', undefined],
];

it.each(thrown)('an execution that threw %s', async (_what, error) => {
  const tool = ai.tool({ inputSchema: z.object({ path: z.string() }), execute: () => Promise.reject<string>(error) });
  expect(await keptResult(tool, 'c1', snapshot(input), { error })).toEqual(await shownOf(tool));
});

it('keeps text that the ledger takes, whatever was thrown', async () => {
  const broken = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('no');
    },
  });
  for (const error of [new Error('half \ud800'), broken]) {
    const { type, value } = await keptResult(undefined, 'c1', snapshot(input), { error });
    expect({ type, isText: (value as string).isWellFormed() }).toEqual({ type: 'error-text', isText: true });
  }
});

/** What the SDK tells the model of a call of this tool. */
async function shownOf(tool: ai.Tool): Promise<unknown> {
  const { model, prompts } = scripted([calls(call('tool', input, 'c1')), says('done')]);
  const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length === 2;
  const result = ai.streamText({ model, prompt: 'go', tools: { tool }, stopWhen, onError: () => {} } as never);
  await result.consumeStream();
  return resultsIn(prompts[1])['c1'];
}
