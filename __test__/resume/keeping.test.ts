/** When a step that goes on is kept. */
import { expect, test } from 'vitest';
import { Keeping } from '../../ts/ai-sdk/run/keeping.js';
import type { ModelRound } from '../../ts/ai-sdk/run/round.js';
import type { RunSetup } from '../../ts/ai-sdk/run/setup.js';

test.each([
  ['is kept while it is read', true, undefined, ['saved']],
  ['is not kept once it is not read any more', false, undefined, []],
  ['is not kept once the SDK has said it itself', true, {}, []],
])('a step that goes on %s', async (_, isRead, finish, expected) => {
  const saved: string[] = [];
  const runs = {
    saveRun: async ({ entries }: { entries: unknown[] }) => {
      saved.push('saved');
      return entries.map(() => '0'.repeat(64));
    },
  };
  const unwritten = { take: () => [], end: () => [], notes: () => [] };
  const asker = { gate: { runs, notKept: () => {} }, runId: 'r', unwritten };
  const conversation = { messages: [], marks: new Map(), inputLength: 0, usage: undefined, finishReason: undefined };
  const keeping = new Keeping(asker as never, { ...conversation, marksWith: () => new Map() } as never, undefined);
  const setup = {
    sdk: { version: { major: 7, messagesSoFar: () => [{ role: 'user', content: 'go' }] } },
    callOptions: {},
    guard: { tools: {}, asks: () => false },
  };
  const round = { soFar: { messages: async () => [] }, ownSteps: [], first: 0, steps: [], number: 1, finish };
  const isKept = await keeping.saveSoFar(setup as unknown as RunSetup, round as unknown as ModelRound, () => isRead);
  expect([saved, isKept]).toEqual([expected, expected.length > 0]);
});
