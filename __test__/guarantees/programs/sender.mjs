/**
 * Sends webhooks, and asks about as many calls as it is told to.
 *
 *     sender.mjs <ledger> <address> <secret> <requests> [ms after which another takes over]
 */
import { createGate } from 'countersign';
import { sendWebhooks } from 'countersign/webhooks';
import { say } from './lib.mjs';

const [ledger, url, secret, requests, takeOverAfter = '300'] = process.argv.slice(2);
const gate = createGate({ ledger, timeout: 600_000 });
await sendWebhooks(gate, {
  endpoints: [{ url, secret, name: 'hooks' }],
  firstDelay: 5,
  attempts: 1_000,
  maxDelay: 50,
  takeOverAfter: Number(takeOverAfter),
});
say('sending');
for (let call = 0; call < Number(requests); call++) {
  gate
    .request({ toolName: 'pay', args: { call }, runId: `run-${process.pid}`, toolCallId: `c${call}` })
    .catch(() => {});
  const found = await gate.pending({ runId: `run-${process.pid}` });
  const request = found.find(({ toolCallId }) => toolCallId === `c${call}`);
  if (request === undefined) call--;
  else say('asked', request.approvalId);
}
say('done');
process.stdin.resume();
