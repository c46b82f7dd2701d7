/** Several processes that make a ledger at the same moment, each killed or cut off where it may be. */
import { describe, expect, it } from 'vitest';
import { freshLedger, isMissing, query, shared, titled } from '../../support/postgres.js';
import { effort } from '../../support/effort.js';
import { sleep, stage } from '../processes.js';

const on = stage();

describe.skipIf(isMissing)(titled('a ledger that is made'), () => {
  it('by several at once: all have it, and it was made once', async () => {
    for (let round = 0; round < effort(1, 4); round++) {
      const ledger = freshLedger();
      const openers = Array.from({ length: effort(3, 6) }, () => on.start('opener', [ledger]));
      for (const opener of openers) await opener.says('open');
      const gate = on.gate(ledger);
      const kinds: string[] = [];
      for await (const { kind } of gate.audit.list()) kinds.push(kind);
      expect(kinds).toEqual(['opened']);
      await Promise.all(openers.map((opener) => opener.kill()));
    }
  });

  it('by some whose connections are terminated meanwhile: whoever comes next finds it whole', async () => {
    for (let round = 0; round < effort(1, 4); round++) {
      const ledger = freshLedger();
      const openers = Array.from({ length: effort(2, 3) }, () => on.start('opener', [ledger]));
      for (const opener of openers) await opener.says('opening');
      for (let time = 0; time < 5; time++) {
        await sleep(5 * round);
        await query(
          shared.url as string,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()",
          [new URL(ledger).searchParams.get('schema')],
        );
      }
      for (const opener of openers) await opener.says('open');
      const gate = on.gate(ledger);
      expect(await gate.pending()).toEqual([]);
      expect(await gate.audit.verify()).toMatchObject({ ok: true, faults: [] });
      await Promise.all(openers.map((opener) => opener.kill()));
    }
  });
});
