/** Who waits for a decision in this process, and whose wait ends. */
import { expect, test } from 'vitest';
import { DecisionWaiters } from '../../ts/gate/waiters.js';

/** Of two runs, and what became of each wait so far. */
function twoRuns() {
  const waiters = new DecisionWaiters({});
  const lost: string[] = [];
  for (const [approvalId, runId] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ] as const)
    waiters.wait(approvalId, runId).catch((error: Error) => lost.push(`${approvalId}: ${error.message}`));
  return { waiters, lost };
}

test('what a run waits for is lost with it, and what other runs wait for is not', async () => {
  const { waiters, lost } = twoRuns();
  waiters.loseRun('a', new Error('it ended'));
  await Promise.resolve();
  expect(lost).toEqual(['a1: it ended', 'a2: it ended']);
  expect(['a1', 'a2', 'b1'].map((approvalId) => waiters.has(approvalId))).toEqual([false, false, true]);
  waiters.lose('b1', new Error('it is over'));
  expect(waiters.areNone).toBe(true);
});

test('all waits are lost with the gate', async () => {
  const { waiters, lost } = twoRuns();
  waiters.loseRun(null, new Error('closed'));
  await Promise.resolve();
  expect(lost).toEqual(['a1: closed', 'a2: closed', 'b1: closed']);
  expect(waiters.areNone).toBe(true);
});
