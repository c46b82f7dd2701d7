// @ts-check
/**
 * Requests as messages in Slack, with buttons. When somebody decided, wherever that was, the message says so.
 *
 *     node examples/slack.mjs
 *
 * With SLACK_BOT_TOKEN (`chat:write`), SLACK_SIGNING_SECRET, SLACK_CHANNEL and PORT it talks to Slack itself; the app's
 * interactivity address is this server's. Without them a server in this process stands for Slack and asks on the terminal.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tool } from 'ai';
import { AlreadyDecidedError, createGate, safeText, streamWithEvents } from 'countersign';
import { z } from 'zod';
import { scriptedModel } from './model.mjs';
import { pretendSlack } from './pretend-slack.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { ApprovalRequest } from 'countersign' */

const tools = {
  deploy: tool({
    description: 'Deploys a branch',
    inputSchema: z.object({ branch: z.string(), to: z.string() }),
    execute: async ({ branch, to }) => `deployed ${branch} to ${to}`,
  }),
};

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'deploy', args: { branch: 'main', to: 'production' } }],
  (results) => `The deployment: ${results.join('; ')}.`,
);

const gate = createGate({ timeout: 600_000 });

// --- what Slack sends here -------------------------------------------------------------------------------------------

const server = createServer((request, response) => void interaction(request, response).catch(console.error));
server.listen(Number(process.env.PORT ?? 0));
await once(server, 'listening');
const { port } = /** @type {AddressInfo} */ (server.address());

const slack = process.env.SLACK_BOT_TOKEN === undefined ? await pretendSlack(`http://127.0.0.1:${port}`) : undefined;
const api = slack?.api ?? 'https://slack.com/api';
const token = process.env.SLACK_BOT_TOKEN ?? 'xoxb-pretended';
const secret = slack?.secret ?? process.env.SLACK_SIGNING_SECRET ?? '';
const channel = process.env.SLACK_CHANNEL ?? '#approvals';

/** Somebody pressed a button. @param {IncomingMessage} request @param {ServerResponse} response */
async function interaction(request, response) {
  const body = await bodyOf(request);
  if (body === undefined || !isFromSlack(request, body)) {
    response.writeHead(401).end();
    return;
  }
  // Slack wants an answer within 3 s; what became of it comes later.
  response.writeHead(200).end();
  const { user, actions, response_url } = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
  const [action] = actions;
  const { approvalId, digest } = JSON.parse(action.value);
  const type = action.action_id === 'approve' ? 'approve' : 'reject';
  try {
    // A button approves the call that it was made for.
    if ((await gate.get(approvalId))?.digest !== digest) throw new Error('this is another call');
    const reason = type === 'reject' ? 'rejected in Slack' : undefined;
    await gate.decide(approvalId, { type, reason }, { by: `slack:${user.id}` });
  } catch (error) {
    const said = AlreadyDecidedError.isInstance(error)
      ? `${error.winner.decidedBy} was first: ${error.winner.decision?.type}.`
      : `Nothing was decided: ${/** @type {Error} */ (error).message}`;
    await post(response_url, { response_type: 'ephemeral', replace_original: false, text: plain(said) });
  }
}

/** `v0`: HMAC-SHA256 over time and body, no older than five minutes. @param {IncomingMessage} request @param {string} body */
function isFromSlack(request, body) {
  const time = String(request.headers['x-slack-request-timestamp']);
  const given = Buffer.from(String(request.headers['x-slack-signature']));
  const right = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`);
  const isNow = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  return isNow && secret !== '' && given.length === right.length && timingSafeEqual(given, right);
}

/** @param {IncomingMessage} request */
async function bodyOf(request) {
  let body = '';
  for await (const text of request.setEncoding('utf8')) {
    body += text;
    if (body.length > 100_000) return undefined;
  }
  return body;
}

// --- what is sent to Slack -------------------------------------------------------------------------------------------

/** @param {string} url @param {object} message @returns {Promise<{ ok?: boolean, ts?: string, channel?: string }>} */
async function post(url, message) {
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` };
  // The token is for the API alone.
  if (!url.startsWith(api)) headers.authorization = '';
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
  return answer.headers.get('content-type')?.includes('json') ? await answer.json() : {};
}

/** Slack gives a meaning to these three only. @param {string} text */
const plain = (text) =>
  safeText(text).replace(/[&<>]/g, (each) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[each] ?? '');

/** Both ends of a text that is too long for a block, with a note of the gap. @param {string} text */
function cut(text) {
  if (text.length <= 2_800) return text;
  const [head, tail] = [text.slice(0, 2_000), text.slice(-700)];
  return `${head}\n… ${text.length - head.length - tail.length} characters are not shown here …\n${tail}`;
}

/** @param {ApprovalRequest} request @param {string} [outcome] */
function blocksOf({ approvalId, digest, toolName, preview, flags }, outcome) {
  const value = JSON.stringify({ approvalId, digest });
  const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {string} */ style) => ({
    type: 'button',
    action_id: id,
    value,
    style,
    text: { type: 'plain_text', text },
    ...(id === 'approve' && flags.length > 0
      ? {
          confirm: {
            title: { type: 'plain_text', text: 'Look twice' },
            text: { type: 'plain_text', text: flags.join(', ') },
          },
        }
      : {}),
  });
  return [
    { type: 'header', text: { type: 'plain_text', text: `${safeText(toolName)} waits`.slice(0, 150) } },
    // Preformatted text has no markup that arguments could use.
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: cut(preview) }] }],
    },
    outcome === undefined
      ? { type: 'actions', elements: [button('approve', 'Approve', 'primary'), button('reject', 'Reject', 'danger')] }
      : { type: 'context', elements: [{ type: 'plain_text', text: outcome }] },
  ];
}

/** Where the message of a request is. @type {Map<string, { channel: string | undefined, ts: string | undefined }>} */
const messages = new Map();

const telling = (async () => {
  for await (const event of gate.events()) {
    if (event.type === 'requested') {
      const { request } = event;
      const text = `${plain(request.toolName)} waits for an approval`;
      const sent = await post(`${api}/chat.postMessage`, { channel, text, blocks: blocksOf(request) });
      messages.set(request.approvalId, { channel: sent.channel, ts: sent.ts });
    } else if (event.type === 'decided') {
      const { request, decision, decidedBy } = event;
      const outcome = safeText(`${decision.type} by ${decidedBy}`);
      const where = messages.get(request.approvalId);
      messages.delete(request.approvalId);
      await post(`${api}/chat.update`, { ...where, text: plain(outcome), blocks: blocksOf(request, outcome) });
    }
  }
})();

for await (const event of streamWithEvents({
  model,
  tools,
  prompt: 'Deploy main.',
  interruptOn: { deploy: true },
  gate,
})) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'tool-result') console.log('ran deploy:', event.result);
  else if (event.type === 'tool-denied') console.log(`did not run deploy: ${event.reason}`);
}
console.log();

await slack?.close();
await gate.close();
await telling;
server.close();
server.closeAllConnections();
