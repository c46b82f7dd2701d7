import { it } from 'vitest';
import * as ai from 'ai';
import { z } from 'zod';
import { call, calls, says, scripted } from '../support/model.js';
it('x', async () => {
  const { model } = scripted([calls(call('act', { path: '1' }, 'c1')), says('.')]);
  const r = ai.streamText({ model, prompt: 'go', stopWhen: ai.stepCountIs(3), onError() {},
    tools: { act: ai.tool({ inputSchema: z.object({ path: z.string().transform((p) => BigInt(p)) }), execute: async () => 1 }) } });
  for await (const e of r.fullStream) console.log(e.type, (e as any).error);
});
