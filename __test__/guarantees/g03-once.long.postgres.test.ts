/**
 * G3 over PostgreSQL: processes of agents and of deciders (3 each in `npm run test:all`) on one ledger, whose server is killed
 * twice. Every tool that was approved ran exactly once, and no other.
 *
 * `COUNTERSIGN_RUNS=1000 npx vitest run --project long-postgres g03-once.long.postgres` has more of it.
 */
import { describe, expect, it } from 'vitest';
import { eventually, stage, type Worker } from '../ledger/processes.js';
import { effort } from '../support/effort.js';
import { isMissing, ownServer, titled } from '../support/postgres.js';

const PROCESSES = effort(2, 3);
const AGENTS = ['a', 'b', 'c'].slice(0, PROCESSES);
const DECIDERS = ['mia', 'noa', 'ola'].slice(0, PROCESSES);
/** For each process of agents. Two executions each. */
const RUNS = Number(process.env['COUNTERSIGN_RUNS'] ?? effort(15, 200));
const AT_ONCE = 10;
/** In ms: it takes as long as it takes. */
const PATIENCE = 300_000 + RUNS * 3_000;

const on = stage();

const all = (workers: readonly Worker[], word: string) => workers.flatMap((worker) => worker.said(word));

describe.skipIf(isMissing)(titled('a server that is killed twice'), () => {
  const server = ownServer();

  it(
    `${AGENTS.length} × ${RUNS} runs, decided by ${DECIDERS.length}: each approved tool runs once`,
    { timeout: PATIENCE },
    async () => {
      const since = performance.now();
      const ledger = server.ledger();
      const ran = on.path();
      const deciders = DECIDERS.map((name) => on.start('decider', [ledger, name]));
      const agents = AGENTS.map((name) => on.start('agents', [ledger, name, String(RUNS), String(AT_ONCE), ran]));
      const total = AGENTS.length * RUNS * 2;
      for (const [part, how] of [
        [1 / 3, 'crash'],
        [2 / 3, 'immediate'],
      ] as const) {
        await eventually(() => on.lines(ran).length >= total * part || undefined);
        await server.stop(how);
        await server.start();
      }
      for (const agent of agents) await agent.says('finished');
      for (const decider of deciders) decider.tell('end');
      for (const decider of deciders) expect(await decider.ended, decider.stderr).toEqual({ code: 0, signal: null });
      for (const agent of agents) expect(await agent.ended, agent.stderr).toEqual({ code: 0, signal: null });

      const took = performance.now() - since;
      const gate = on.gate(ledger);
      const lines = on.lines(ran);
      const approved = new Set<string>();
      const entries: string[] = [];
      for await (const { approvalId } of gate.audit.list({ kind: 'decided' })) {
        entries.push(approvalId as string);
        const record = await gate.get(approvalId as string);
        const path = `${record?.runId}.${record?.toolCallId?.slice(1)}`;
        if (record?.decision?.type !== 'approve') continue;
        expect(record, path).toMatchObject({ status: 'succeeded' });
        approved.add(path);
      }
      expect(entries.length, 'decided twice').toBe(new Set(entries).size);
      expect(lines.length, 'ran twice').toBe(new Set(lines).size);
      expect(new Set(lines)).toEqual(approved);
      // A run ends once, whatever it went through.
      const over = agents
        .flatMap((agent) => [...agent.said('over'), ...agent.said('ERR_RUN_OVER')])
        .map(([runId]) => runId);
      expect([over.length, new Set(over).size]).toEqual([AGENTS.length * RUNS, AGENTS.length * RUNS]);
      // Who was told that he won is who it was.
      for (const [id = '', by, type] of [...all(deciders, 'won'), ...all(deciders, 'lost')])
        expect(await gate.get(id)).toMatchObject({ decidedBy: by, decision: { type } });
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
      expect(await gate.pending()).toEqual([]);
      console.info(
        `${lines.length} executions of ${total} calls, ${entries.length} decisions, ${all(deciders, 'lost').length} lost races, ` +
          `${all(deciders, 'trouble').length} errors told to deciders, ${agents.flatMap((one) => one.lines).filter((line) => line.startsWith('ERR_')).length} to agents, ` +
          `${Math.round(took / 1000)} s`,
      );
    },
  );
});
