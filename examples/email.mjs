// @ts-check
/**
 * The approver gets a mail with two links. Opening one decides nothing, since mail scanners open links too: only the button on
 * the page behind it does.
 *
 *     node examples/email.mjs
 *
 * Without SMTP_URL (smtp://user:password@host) the mails go to a mailbox in this process, which is asked on the terminal.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tool } from 'ai';
import { createGate, safeText, streamWithEvents } from 'countersign';
import { toNodeListener } from 'countersign/inbox';
import { createActionLinks, newWebhookSecret } from 'countersign/webhooks';
import { z } from 'zod';
import { scriptedModel } from './model.mjs';

const { createTransport } = await import('nodemailer').catch(missing);
const { openMailbox } = await import('./mailbox.mjs').catch(missing);

/** @import { AddressInfo } from 'node:net' */
/** @import { ApprovalRequest } from 'countersign' */

const tools = {
  transfer: tool({
    description: 'Transfers money',
    inputSchema: z.object({ euros: z.number(), to: z.string() }),
    execute: async ({ euros, to }) => `transferred ${euros} EUR to ${to}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'transfer', args: { euros: 900, to: '<b>Grace</b>' } }],
  (results) => `The money: ${results.join('; ')}.`,
);

const gate = createGate({ timeout: 600_000 });

// Behind a proxy that speaks HTTPS, its address would be PUBLIC_URL. LINK_SECRET is the same in each process.
const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {AddressInfo} */ (server.address());
const links = createActionLinks(gate, {
  url: process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}/decide`,
  secret: process.env.LINK_SECRET ?? newWebhookSecret(),
});
const listener = toNodeListener(links.handler());

const mailbox = process.env.SMTP_URL === undefined ? await openMailbox() : undefined;
const mails = createTransport(process.env.SMTP_URL ?? mailbox?.url ?? '');

/** Any other way to send a mail will do as well. @param {ApprovalRequest} request @param {string} by @param {string} address */
async function sendMail({ approvalId, toolName, preview }, by, address) {
  const approve = await links.link({ approvalId, decision: 'approve', by });
  const reject = await links.link({ approvalId, decision: 'reject', by });
  await mails.sendMail({
    from: 'Agents <agents@example.com>',
    to: address,
    subject: `${safeText(toolName)} waits for you`,
    // The preview is safe to show as text. In HTML it must be escaped as well.
    text: `${preview}\n\nApprove: ${approve}\nReject: ${reject}\n`,
    html: `<pre>${escape(preview)}</pre><p><a href="${escape(approve)}">Approve</a> or <a href="${escape(reject)}">reject</a></p>`,
  });
}

/** @param {string} text */
function escape(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const telling = (async () => {
  for await (const event of gate.events()) {
    if (event.type === 'requested') await sendMail(event.request, 'ada', 'ada@example.com');
    if (event.type === 'decided')
      console.log(`\n${event.request.toolName}: ${event.decision.type} by ${event.decidedBy}`);
  }
})();

for await (const event of streamWithEvents({
  model,
  tools,
  prompt: 'Pay Grace.',
  interruptOn: { transfer: true },
  gate,
})) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'tool-result') console.log('ran transfer:', event.result);
  else if (event.type === 'tool-denied') console.log(`did not run transfer: ${event.reason}`);
}
console.log();

await gate.close();
await telling;
await mailbox?.close();
mails.close();
server.close();
server.closeAllConnections();

/** @returns {never} */
function missing() {
  console.error('email.mjs needs two more packages: npm install nodemailer smtp-server');
  process.exit(1);
}
