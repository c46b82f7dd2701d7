// @ts-check
/**
 * A server that stands for Slack, so that `slack.mjs` needs no account: it takes messages, shows them, lets the person at the
 * terminal press a button, and sends what Slack would send then. Before that, somebody else tries to press it.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { askOnTerminal } from './ask.mjs';

/** @import { IncomingMessage } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */

/** @param {string} app where the app takes interactions */
export async function pretendSlack(app) {
  const secret = randomBytes(16).toString('hex');
  /** @type {Promise<void>[]} */
  const pressing = [];
  let answered = () => {};
  /** @type {Promise<void>} */
  const answer = new Promise((resolve) => (answered = resolve));
  const server = createServer(async (request, response) => {
    const message = JSON.parse(await bodyOf(request));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, channel: 'C1', ts: '1.1' }));
    if (request.url === '/api/chat.postMessage') pressing.push(press(message));
    else if (request.url === '/api/chat.update') console.log(`\nthe message says: ${message.text}`);
    else {
      console.log(`only the user sees: ${message.text}`);
      answered();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;

  /** @param {{ blocks: any[] }} message */
  async function press({ blocks }) {
    const [, text, actions] = blocks;
    const decision = await askOnTerminal({ preview: text.elements[0].elements[0].text, flags: [] });
    const action =
      actions.elements.find((/** @type {any} */ each) => each.action_id === decision.type) ?? actions.elements[1];
    const payload = { user: { id: 'U1ADA' }, actions: [action], response_url: `${url}/response` };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const now = Math.floor(Date.now() / 1000);
    console.log('somebody forges a press:', await send(body, now, 'not the secret'));
    console.log('somebody replays an old one:', await send(body, now - 600, secret));
    console.log('the button is pressed:', await send(body, now, secret));
    console.log('and once more:', await send(body, now, secret));
    await answer;
  }

  /** @param {string} body @param {number} time @param {string} key */
  async function send(body, time, key) {
    const signature = `v0=${createHmac('sha256', key).update(`v0:${time}:${body}`).digest('hex')}`;
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(time),
      'x-slack-signature': signature,
    };
    return (await fetch(app, { method: 'POST', headers, body })).status;
  }

  return {
    api: `${url}/api`,
    secret,
    close: async () => {
      await Promise.all(pressing);
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param {IncomingMessage} request */
async function bodyOf(request) {
  let body = '';
  for await (const text of request.setEncoding('utf8')) body += text;
  return body;
}
