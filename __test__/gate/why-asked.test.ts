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
      'the program, where rules would allow it',
      { policy: allows },
      { execute: true },
      'the program asks about calls of execute, although the rules would allow it (`ls`: policy option (rule 1) allows)',
    ],
    ['the program alone', {}, { execute: true }, 'the program asks about calls of execute; no rule has a say'],
  ])('%s', async (_, options, interruptOn, why) => {
    const { request, inbox } = await asked(options, interruptOn);
    expect(inbox).toBe(why);
    expect(askOf(request, 0, 1)).toMatchObject({ why });
    expect(whole({ ...request, details: request, status: 'pending' } as unknown as KeptRecord, 200)).toContain(
      `why       ${why}`,
    );
  });
});

describe('names the rule', () => {
  const verdict = (source: string, layer: 'project' | 'user', reason: string): ApprovalRequest['verdict'] =>
    ({ effect: 'ask', reason, rule: { source, layer, line: 14, column: 1, index: 0 }, subjects: [] }) as never;

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
