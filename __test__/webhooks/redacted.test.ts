/** Secrets, everywhere that a request can be read: the inbox, webhooks, links, events, the history. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GateEvent, GateOptions } from '../../index.js';
import { inboxHandler } from '../../ts/inbox/index.js';
import { createGate } from '../../ts/index.js';
import { createActionLinks, newWebhookSecret, sendWebhooks } from '../../ts/webhooks/index.js';
import { receiver, SECRET } from './receiver.js';

/** In pieces, so that nobody takes this file for a leak. */
const leak = (prefix: string): string => prefix + 'aB3dE6gH9j'.repeat(4).slice(0, 36);
const [asked, edited, said, answered] = ['ghp_', 'ghp_x', 'ghp_y', 'ghp_z'].map(leak) as [
  string,
  string,
  string,
  string,
];

async function readsOf(options: GateOptions) {
  const hooks = await receiver();
  const gate = createGate({ redact: 'secrets', ...options });
  onTestFinished(() => gate.close());
  const sender = await sendWebhooks(gate, {
    endpoints: [{ url: hooks.url, secret: SECRET, events: ['requested', 'voted', 'decided', 'settled'] }],
    include: 'args',
    firstDelay: 5,
  });
  onTestFinished(() => sender.close());
  const events: GateEvent[] = [];
  const ended = (async () => {
    for await (const event of gate.events()) events.push(event);
  })();
  const inbox = inboxHandler(gate, { authenticate: () => ({ name: 'ada' }) });
  const links = createActionLinks(gate, { secret: newWebhookSecret(), url: 'https://a.example/decide' });
  const look = async (url: string) => (await inbox(new Request(`https://a.example/api/${url}`))).text();

  const read: string[] = [];
  const ask = async (toolCallId: string, more: object = {}) => {
    const answer = gate.request({ toolName: 'push', args: { token: asked, note: asked }, toolCallId, ...more });
    answer.catch(() => {});
    for (;;) {
      const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
      if (found !== undefined) return { id: found.approvalId, answer };
    }
  };
  const quorum = await ask('c1', { approvers: ['ada', 'bo'], quorum: 2 });
  const link = await links.link({ approvalId: quorum.id, decision: 'approve', by: 'bo' });
  await gate.approve(quorum.id, { by: 'ada', reason: said });
  read.push(await look('pending'), await look(`requests/${quorum.id}`));
  read.push(await (await links.handler()(new Request(link))).text());
  await gate.approve(quorum.id, { by: 'bo', reason: said });
  const edit = await ask('c2');
  await gate.edit(edit.id, { token: edited }, { by: 'ada', reason: said });
  const respond = await ask('c3');
  await gate.respond(respond.id, { token: answered }, { by: 'ada', reason: said });
  const all = await Promise.all([quorum, edit, respond].map(({ answer }) => answer));
  await hooks.until(({ taken }) => taken.length >= 9);
  read.push(await look('history'), await look('audit'), await look('runs'));
  for (const { id } of [quorum, edit, respond]) read.push(await look(`requests/${id}`));
  read.push((await (await links.handler()(new Request(link))).text()) + JSON.stringify(await gate.history()));
  await gate.close();
  await ended;
  return { all, read, events, told: hooks.taken.map(({ body }) => body) };
}

describe.each<[string, GateOptions]>([
  ['memory', {}],
  ['a file', { ledger: 'sqlite:' }],
])('over %s', (_, options) => {
  it('nothing of a redacted request, of votes and of decisions shows a secret', async () => {
    const { all, read, events, told } = await readsOf(options);
    // Who asked goes on with all of it.
    expect(JSON.stringify(all)).toContain(asked);
    expect(JSON.stringify(all)).toContain(edited);
    expect(read.join()).toContain('[redacted');
    expect(told.join()).toContain('[redacted');
    for (const secret of [asked, edited, said, answered])
      for (const [where, text] of Object.entries({
        read: read.join('\n'),
        told: told.join('\n'),
        events: JSON.stringify(events),
      }))
        expect(text.includes(secret), `${where}: ${secret}`).toBe(false);
  });
});
