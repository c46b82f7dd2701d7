/** A call that needed no approval and was cut off: what it runs on when the run is continued. */
import { tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CallGuard } from '../../ts/ai-sdk/gating/guard.js';
import { isByMode, type CallVerdict } from '../../ts/gate/judge.js';
import { snapshot } from '../../ts/values/snapshot.js';

const allowed: CallVerdict = { effect: 'allow' };
const denied: CallVerdict = { effect: 'deny', reason: 'the policies changed' };

test.each<[string, CallVerdict, CallVerdict['effect']]>([
  ['runs again where it is allowed', allowed, 'allow'],
  ['runs again without an approval that the mode would give', { ...allowed, instead: { effect: 'ask' } }, 'allow'],
  ['is asked about where it would be by now', { effect: 'ask' }, 'ask'],
  ['is denied where it would be by now', denied, 'deny'],
])('it %s', async (_, said, effect) => {
  const tools = { task: tool({ inputSchema: z.object({}), execute: () => 'done' }) };
  const gating = { action: 'ask', entry: null, allowedDecisions: null, timeout: null, changesFile: false } as const;
  const asker = { judge: async () => said, judgesAll: true, approvalTimeout: null };
  const guard = new CallGuard({
    tools,
    makeTools: () => ({}),
    plan: { tools: [['task', gating]] } as never,
    interruptOn: undefined,
    asker: asker as never,
    signal: undefined,
    call: () => undefined,
  });
  const args = snapshot({});
  // Before it was judged it runs on an approval alone.
  guard.restore('c1', args, {}, 'task');
  expect(guard.call('c1')?.verdict?.effect).toBe('ask');
  expect(await guard.judgeRerun('c1', 'task', args)).toBe(said);
  const { verdict } = guard.call('c1') ?? {};
  expect([verdict?.effect, isByMode(verdict)]).toEqual([effect, false]);
});
