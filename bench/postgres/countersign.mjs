// @ts-check
// countersign on PostgreSQL, as it would be installed.

import assert from 'node:assert/strict';
import { countersign } from '../app.mjs';
import { keep, openNative } from '../ledger/native.mjs';
import { nextCall, SIZES } from '../ledger/task.mjs';

/** @param {string} url @param {number} [connections] */
const ledgerOf = (url, connections = 1) =>
  /** @type {`postgres://${string}`} */ (`${url}?schema=countersign&pool=${connections}`);

/** @param {string} url */
async function setUp(url) {
  const gate = countersign.createGate({ ledger: ledgerOf(url) });
  await gate.ready();
  await gate.close();
}

/** A decision through the API, on a request without a waiting caller in this process. @type {import('./worker.mjs').Contestant} */
export const decide = {
  setUp,
  async open(url, connections) {
    const asking = await openNative(ledgerOf(url, connections));
    const gate = countersign.createGate({ ledger: ledgerOf(url, connections) });
    await gate.ready();
    return {
      prepare: () => keep(asking, nextCall(SIZES.run1)),
      // Otherwise it would read on with each decision, for a waiting caller.
      prepared: () => asking.call('close', JSON.stringify(['done'])),
      run: async (id) => assert.equal((await gate.approve(id, { by: 'somebody' })).status, 'approved'),
      close: () => gate.close(),
    };
  },
};

/** Asked, shown, approved and told, through the API. @type {import('./worker.mjs').Contestant} */
export const whole = {
  setUp,
  async open(url, connections) {
    const gate = countersign.createGate({ ledger: ledgerOf(url, connections) });
    await gate.ready();
    // The other processes' requests are told here as well.
    const own = new Set();
    const answering = (async () => {
      for await (const event of gate.events()) {
        if (event.type === 'requested' && own.delete(event.request.toolCallId))
          gate.approve(event.request.approvalId, { by: 'somebody' }).catch(() => {});
      }
    })();
    return {
      async run() {
        const call = nextCall(SIZES.run1);
        own.add(call.toolCallId);
        const { approved } = await gate.request(call);
        assert(approved);
      },
      async close() {
        await gate.close();
        await answering;
      },
    };
  },
};
