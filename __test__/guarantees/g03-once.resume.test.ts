/** G3. One execution per approval, though a run is continued twice at once: by its lease, and without it by the one use. */
import { expect, it } from 'vitest';
import type { AgentEvent, AgentRun, Gate } from '../../index.js';
import { localGate } from '../../ts/gate/gate.js';
import { resume } from '../../ts/index.js';
import { askThenLeave, RUN, stage } from '../resume/stage.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { of } from '../support/play.js';

const TIMES = 8;
const turn = calls(call('del', { path: '/1' }, 'c1'), call('del', { path: '/2' }, 'c2'));

/** A gate whose ledger lets everybody have every run: all that is left is the one use of each. */
function withoutLease(gate: Gate): Gate {
  const runs = localGate(gate, 'test').runs;
  Object.assign(runs, {
    takeRun: (runId: string) => runs.run(runId),
    saveRun: async ({ entries }: { entries: readonly unknown[] }) => entries.map(() => ''.padStart(64, '0')),
    releaseRun: async () => {},
  });
  return gate;
}

it.each([
  ['with the lease', (gate: Gate) => gate, TIMES - 1],
  ['without it', withoutLease, 0],
] as const)(`${TIMES} continue one run at once, %s: each approved call runs once`, async (_, change, refused) => {
  const on = stage();
  const { waiting } = await askThenLeave(on, [turn], 2);
  const deciding = on.gate();
  for (const { approvalId } of waiting) await deciding.approve(approvalId);
  const played: AgentEvent[][] = await Promise.all(
    Array.from({ length: TIMES }, () => {
      const { model } = scripted([says('done')]);
      const gate = change(on.gate());
      return collect(
        resume({ model, tools: on.tools(), interruptOn: { del: true }, gate, runId: RUN } as never) as AgentRun,
      );
    }),
  );
  expect(on.ran.toSorted()).toEqual(['del /1', 'del /2']);
  const errors = played.flatMap((events) => of(events)('error').map(({ error }) => (error as { code?: string }).code));
  // Without the lease, a process that finds a call executing elsewhere does not go on either. A late one finds it over.
  expect(errors.filter((code) => code !== 'ERR_RUN_ACTIVE' && code !== 'ERR_RUN_OVER')).toEqual([]);
  expect(errors.length).toBeGreaterThanOrEqual(refused);
  expect(errors.length).toBeLessThan(TIMES);
});
