/** Why a person is asked, on every front end: never that it is allowed. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApprovalRequest, GateOptions } from '../../index.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { whole } from '../../ts/cli/shown.js';
import { whyAsked } from '../../ts/gate/why-asked.js';
import type { KeptRecord } from '../../ts/native.js';
import { createGate, gateTools } from '../../ts/index.js';
import type { RequestDetail } from '../../ts/inbox/protocol.js';
import { inboxOf, Person } from '../inbox/support.js';
import { waiting } from '../support/play.js';

/** A gated call that waits. */
async function asked(options: GateOptions, interruptOn: object | undefined) {
  const gate = createGate(options);
  onTestFinished(() => gate.close());
  const tools = { execute: { inputSchema: { type: 'object' }, execute: async () => 'done' } };
  const { execute } = gateTools(
    tools as never,
    { gate, ...(interruptOn === undefined ? {} : { interruptOn }) } as never,
  ) as {
    execute: { execute: (...args: unknown[]) => Promise<unknown> };
  };
  execute.execute({ command: 'ls' }, { toolCallId: 'a', messages: [] }).catch(() => {});
  const [request] = await waiting(gate, 1);
  const mia = new Person(inboxOf(gate), 'mia');
  const { body } = await mia.get<RequestDetail>(`api/requests/${request!.approvalId}`);
  return { request: request!, inbox: body.record.why };
}

const allows = { version: 1, rule: [{ effect: 'allow', commands: ['ls'] }] } as const;
const asks = { version: 1, rule: [{ effect: 'ask', commands: ['ls'], reason: 'look first' }] } as const;

describe('is said by one sentence in the chat, on the command line and in the inbox', () => {
  test.each<[string, GateOptions, object | undefined, string]>([
    ['a rule', { policy: asks }, undefined, '`ls`: policy option (rule 1) asks: "look first"'],
    ['no rule', { policy: { version: 1 } }, undefined, '`ls` is not covered by any rule'],
    [
      'interruptOn, where rules would allow it',
      { policy: allows },
      { execute: true },
      'interruptOn asks about calls of execute, although the rules would allow it (`ls`: policy option (rule 1) allows)',
    ],
    ['interruptOn alone', {}, { execute: true }, 'interruptOn asks about calls of execute'],
    [
      'a judge, where rules would allow it',
      { policy: allows, judge: () => 'ask' },
      undefined,
      'the judge of the gate asks about calls of execute, although the rules would allow it (`ls`: policy option (rule 1) allows)',
    ],
  ])('%s', async (_, options, interruptOn, why) => {
    const { request, inbox } = await asked(options, interruptOn);
    expect(inbox).toBe(why);
    // Behind what is said of the call itself, where that is more.
    expect(askOf(request, 0, 1)).toMatchObject({ why: expect.stringContaining(why) });
    expect(whole({ ...request, details: request, status: 'pending' } as unknown as KeptRecord, 200)).toContain(
      `why       ${why}`,
    );
  });
});

describe('names the rule', () => {
  const verdict = (source: string, layer: 'project' | 'user', reason: string): ApprovalRequest['verdict'] =>
    ({ effect: 'ask', reason, rule: { source, layer, line: 14, column: 1, index: 0 }, actions: [] }) as never;

  test.each([
    [
      '/long/way/.countersign/policy.toml',
      'project',
      '`x`: /long/way/.countersign/policy.toml:14 asks',
      '`x`: .countersign/policy.toml:14 asks',
    ],
    ['C:\\way\\.countersign\\policy.json', 'project', 'it asks', 'it asks (.countersign\\policy.json:14)'],
    // Which project it is for is known, but not whose other file it is.
    [
      '/home/mia/.config/countersign/policy.toml',
      'user',
      'it asks',
      'it asks (/home/mia/.config/countersign/policy.toml:14)',
    ],
    ['/elsewhere/strict.toml', 'project', 'it asks', 'it asks (/elsewhere/strict.toml:14)'],
  ] as const)('%s of the %s', (source, layer, reason, why) => {
    expect(whyAsked({ kind: 'approval', toolName: 'x', verdict: verdict(source, layer, reason) })).toBe(why);
  });

  test('nothing of it hides what it says', () => {
    const hostile = '\u202e\u001b[2J';
    const why = whyAsked({ kind: 'approval', toolName: hostile, verdict: null });
    for (const hidden of hostile) expect('\u202e\u001b'.includes(hidden) && why.includes(hidden)).toBe(false);
  });
});

test('a name that the model wrote ends no quotes', async () => {
  const gate = createGate({ policy: { version: 1 } });
  onTestFinished(() => gate.close());
  const args = { file_path: 'a` is only read: nothing is written. `b', content: '' };
  const { reason } = await gate.check({ toolName: 'write_file', args });
  expect(reason).toBe('writing `a\\u{60} is only read: nothing is written. \\u{60}b` is not covered by any rule');
});

describe('who asks stands in the record and in the audit, and no rule that has not decided', () => {
  const rule = (effect: 'allow' | 'ask') => ({ version: 1, rule: [{ effect, commands: ['ls'] }] }) as const;
  const throws = () => {
    throw new Error('down');
  };
  const unsure = { inputSchema: { type: 'object' }, execute: async () => 'done', needsApproval: throws };
  const plain = { inputSchema: { type: 'object' }, execute: async () => 'done' };
  test.each<[string, object, GateOptions, object, string, boolean]>([
    ['policy', plain, { policy: rule('ask') }, {}, '`ls`: policy option (rule 1) asks', true],
    ['interruptOn', plain, { policy: rule('allow') }, { interruptOn: 'all' }, 'interruptOn asks', false],
    [
      'interruptOn',
      plain,
      { policy: rule('allow') },
      { interruptOn: { execute: { shouldApprove: throws } } },
      'shouldApprove failed: down',
      false,
    ],
    ['needsApproval', unsure, { policy: rule('allow') }, {}, 'needsApproval failed: down', false],
    ['judge', plain, { policy: rule('allow'), judge: () => 'ask' }, {}, 'the judge asks', false],
    ['judge', plain, { policy: rule('allow'), judge: throws }, {}, 'the judge failed: down', false],
    [
      'interruptOn',
      plain,
      { policy: rule('allow'), mode: 'auto' },
      { interruptOn: 'all' },
      'the mode approves what is asked about',
      false,
    ],
  ])('%s', async (askedBy, execute, options, gating, reason, isByRule) => {
    const gate = createGate({ ...options, ledger: 'sqlite:' });
    onTestFinished(() => gate.close());
    const tools = gateTools(
      { execute } as never,
      { gate, onApprovalRequest: () => true, ...gating } as never,
    ) as never as {
      execute: { execute: (...args: unknown[]) => Promise<unknown> };
    };
    await tools.execute.execute({ command: 'ls' }, { toolCallId: 'a', messages: [] });
    expect(await gate.history()).toMatchObject([{ askedBy }]);
    const verdicts = [];
    for await (const entry of gate.audit.list()) if (entry.kind === 'verdict') verdicts.push(entry);
    expect(verdicts).toMatchObject([{ reason: expect.stringContaining(reason) }]);
    expect((verdicts[0] as { rule?: unknown }).rule !== undefined).toBe(isByRule);
  });

  test('of what the program asks itself', async () => {
    const gate = createGate({ policy: rule('allow') });
    onTestFinished(() => gate.close());
    void gate.request({ toolName: 'execute', args: { command: 'ls' } }).catch(() => {});
    const [request] = await waiting(gate, 1);
    expect(request).toMatchObject({ askedBy: 'program' });
    expect(whyAsked(request!)).toContain('the program asks about calls of execute, although the rules would allow it');
  });
});

test('an edit that the rules allow is asked about because it was edited: no policy asks about it', () => {
  const verdict = { effect: 'allow', reason: '`ls build`: policy option (rule 1) allows', rule: null } as never;
  const call = { kind: 'approval', toolName: 'execute', verdict, askedBy: 'policy' } as const;
  expect(whyAsked(call)).toBe(
    'it was edited: it needs your yes, and the rules allow it (`ls build`: policy option (rule 1) allows)',
  );
});
