/** Requests that say who must agree, told by webhooks and decided by links. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Gate, GateOptions, GateRequest } from '../../index.js';
import { createGate } from '../../ts/index.js';
import { createActionLinks, newWebhookSecret, sendWebhooks } from '../../ts/webhooks/index.js';
import { receiver, SECRET, type Receiver } from './receiver.js';

function file(): `sqlite:${string}` {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-webhooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return `sqlite:${join(folder, 'approvals.db')}`;
}

async function waiting(options: GateOptions, request: Partial<GateRequest>) {
  const gate = createGate({ timeout: 3_600_000, ...options });
  onTestFinished(() => gate.close());
  const hooks = await receiver();
  const sender = await sendWebhooks(gate, { endpoints: [{ url: hooks.url, secret: SECRET }] });
  onTestFinished(() => sender.close());
  const resolution = gate.request({ toolName: 'pay', args: { euros: 100 }, ...request });
  resolution.catch(() => {});
  let approvalId = '';
  while (approvalId === '') approvalId = (await gate.pending())[0]?.approvalId ?? '';
  return { gate, hooks, approvalId, resolution };
}

const told = ({ taken }: Receiver, type: string) =>
  taken.filter(({ event }) => event.type === `approval.${type}`).map(({ event }) => event.data);

/** A link that approves, and its button: the answer to anyone who has it. */
async function press(gate: Gate, approvalId: string, by: string, groups: string[] = []) {
  const links = createActionLinks(gate, { secret: newWebhookSecret(), url: 'https://approvals.example.com/decide' });
  const url = await links.link({ approvalId, decision: 'approve', by, groups });
  const form = new URLSearchParams({ decision: 'approve' });
  const response = await links.handler()(new Request(url, { method: 'POST', body: form }));
  return { status: response.status, text: await response.text() };
}

describe.each([
  ['memory', () => 'memory:' as const],
  ['a file', file],
])('over %s', (_, ledger) => {
  it('votes are told, by links too, and the last one decides', async () => {
    const { gate, hooks, approvalId, resolution } = await waiting(
      { ledger: ledger() },
      { quorum: 2, approvers: ['ada', 'group:ops'] },
    );
    expect((await press(gate, approvalId, 'eve')).status).toBe(403);
    const first = await press(gate, approvalId, 'ada');
    expect(first.status).toBe(200);
    expect(first.text).toContain('Others must agree, too');
    // The same person counts once.
    expect((await press(gate, approvalId, 'ada')).text).toContain('So far: ada.');
    await hooks.until((all) => told(all, 'voted').length === 1);
    expect(told(hooks, 'voted')).toMatchObject([
      { by: 'ada', via: 'link', summary: 'pay was approved by ada, and others must agree, too.' },
    ]);
    expect(told(hooks, 'requested')[0]?.needs).toMatchObject([{ quorum: 2, approvers: ['ada', 'group:ops'] }]);
    expect((await press(gate, approvalId, 'bob', ['ops'])).text).toContain('pay was approved by bob');
    expect(await resolution).toMatchObject({ approved: true, decidedBy: 'bob' });
    await hooks.until((all) => told(all, 'decided').length === 1);
    expect(told(hooks, 'decided')).toMatchObject([{ by: 'bob', via: 'link', decision: { type: 'approve' } }]);
    expect(await gate.get(approvalId)).toMatchObject({ via: 'link' });
  });

  it('a link for somebody who may not decide is no way around', async () => {
    const { gate, approvalId } = await waiting({ ledger: ledger() }, { requester: 'ada', excludeRequester: true });
    expect((await press(gate, approvalId, 'ada')).status).toBe(403);
    expect((await gate.get(approvalId))?.status).toBe('pending');
  });

  it('what authorize refuses, a link does not decide', async () => {
    const authorize: GateOptions['authorize'] = (_decision, { by, via }) => !(by === 'ada' && via === 'link');
    const { gate, approvalId } = await waiting({ ledger: ledger(), authorize }, {});
    expect((await press(gate, approvalId, 'ada')).status).toBe(403);
    expect((await gate.get(approvalId))?.status).toBe('pending');
  });

  it('reminders and escalations are told', async () => {
    const { gate, hooks, approvalId } = await waiting(
      { ledger: ledger() },
      { approvers: ['ada'], escalate: { after: 50, to: ['bob'] }, timeout: 3_600_000, remind: 3_599_900 },
    );
    await hooks.until((all) => told(all, 'reminded').length === 1 && told(all, 'escalated').length === 1);
    expect(told(hooks, 'escalated')).toMatchObject([{ approvalId, to: ['bob'] }]);
    expect(told(hooks, 'reminded')[0]?.summary).toBe('pay still waits, and its deadline is near.');
    await gate.approve(approvalId, { by: 'bob' });
    await hooks.until((all) => told(all, 'decided').length === 1);
  });
});
