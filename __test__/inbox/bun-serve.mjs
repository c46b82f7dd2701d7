/** The compiled inbox in a `Bun.serve`, used by itself over real connections. Prints what came of it. */
import { createGate } from '../../dist/index.js';
import { inboxHandler } from '../../dist/inbox.js';

const gate = createGate({ ledger: 'sqlite:' });
const authenticate = (request) => (request.headers.get('x-person') ? { name: request.headers.get('x-person') } : null);
const inbox = inboxHandler(gate, { authenticate, assets: process.argv[2], basePath: '/inbox' });
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: inbox });
const base = `http://127.0.0.1:${server.port}/inbox/`;
const headers = { 'x-person': 'mia' };

const { body } = await fetch(`${base}api/events`, { headers });
const names = [];
const reading = (async () => {
  for await (const bytes of body) {
    for (const [, name] of new TextDecoder().decode(bytes).matchAll(/^event: (.*)$/gm)) names.push(name);
    if (names.includes('change')) return;
  }
})();
const asking = gate.request({ toolName: 'deploy', args: {} });
await reading;
const { csrf } = await (await fetch(`${base}api/session`, { headers })).json();
const pending = await (await fetch(`${base}api/pending`, { headers })).json();
const decided = await fetch(`${base}api/requests/${pending.items[0].approvalId}/decision`, {
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json', 'x-countersign-csrf': csrf, origin: new URL(base).origin },
  body: JSON.stringify({ decision: { type: 'approve' } }),
});
const { decidedBy } = await asking;
const page = await fetch(base, { headers });
const nobody = await fetch(`${base}api/session`);
console.log(
  JSON.stringify({
    page: page.status,
    pending: pending.total,
    decided: decided.status,
    decidedBy,
    events: [...new Set(names)],
    nobody: nobody.status,
  }),
);
await server.stop(true);
await gate.close();
process.exit(0);
