// @ts-check
/**
 * A page in the browser for the approver. The run waits; the page shows what waits, in this process and in all others that share
 * the ledger.
 *
 *     node examples/inbox.mjs       (open the link that it prints)
 */
import { tool } from 'ai';
import { createGate, streamWithEvents } from 'countersign';
import { serveInbox } from 'countersign/inbox';
import { z } from 'zod';
import { scriptedModel } from './model.mjs';

const tools = {
  refund: tool({
    description: 'Pays money back',
    inputSchema: z.object({ order: z.string(), euros: z.number().max(500) }),
    execute: async ({ order, euros }) => `paid back ${euros} EUR for ${order}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'refund', args: { order: 'A-17', euros: 120 } }],
  (results) => `The refund: ${results.at(-1)}.`,
);

const auto = process.env.COUNTERSIGN_AUTO;
// Where no human is, none is waited for.
const gate = createGate({ timeout: process.stdin.isTTY || auto ? 600_000 : 2_000 });
const inbox = await serveInbox(gate, { by: 'ada' });
const link = inbox.link();
console.log(auto ? 'The inbox decides by itself.' : `Decide here: ${link}`);

const run = streamWithEvents({ model, tools, prompt: 'Refund order A-17.', interruptOn: 'all', gate });
for await (const event of run) {
  if (event.type === 'approval-requested') {
    console.log(`${event.toolName} waits`);
    if (auto) await decide(event.approvalId, auto);
  } else if (event.type === 'approval-response')
    console.log(`${event.toolName}: ${event.decision.type} by ${event.decidedBy}`);
  else if (event.type === 'tool-result') console.log(`ran ${event.toolName}:`, event.result);
  else if (event.type === 'tool-denied') console.log(`did not run ${event.toolName}: ${event.reason}`);
  else if (event.type === 'text') process.stdout.write(event.text);
}
console.log();
await inbox.close();
await gate.close();

/**
 * What the page does when a button is pressed: the link gives a session, the session a token, and the token goes with each
 * decision.
 *
 * @param {string} approvalId
 * @param {string} answer
 */
async function decide(approvalId, answer) {
  const opened = await fetch(link);
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const api = new URL('api/', link);
  const session = await fetch(new URL('session', api), { headers: { cookie } });
  const { csrf } = /** @type {{ csrf: string }} */ (await session.json());
  const decision = answer === 'approve' ? { type: 'approve' } : { type: 'reject', reason: 'not today' };
  const decided = await fetch(new URL(`requests/${approvalId}/decision`, api), {
    method: 'POST',
    headers: { cookie, origin: api.origin, 'content-type': 'application/json', 'x-countersign-csrf': csrf },
    body: JSON.stringify({ decision }),
  });
  console.log(`the inbox answered ${decided.status}`);
}
