/** A rule that marks what it speaks of as a risk: it tightens nothing, and is shown wherever somebody decides. */
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { ApprovalRequest, Gate, GateOptions, PolicyDocument } from '../../index.js';
import { beware, dangersInWords, doubtsAbout, isHarmless, needsSecondYes } from '../../ts/gate/danger.js';
import { isHighRisk, standsApart } from '../../ts/gate/stands-out.js';
import { checkPolicy, createGate, explainPolicy, parsePolicy, terminalApprover } from '../../ts/index.js';
import type { HistoryAnswer, PendingAnswer } from '../../ts/inbox/protocol.js';
import { toPermissionRequest } from '../../ts/protocols/acp.js';
import { quickly as countersign } from '../cli/command.js';
import { ask, inboxOf, Person } from '../inbox/support.js';
import { scratch } from '../policy/support.js';

const open: Gate[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((gate) => gate.close()));
});

const policy = {
  version: 1,
  rule: [
    { effect: 'ask', commands: ['terraform'], risk: 'high', because: 'it changes what customers use' },
    { effect: 'ask', commands: ['git push'] },
    { effect: 'allow', commands: ['ls'], risk: 'high' },
    { effect: 'allow', commands: ['pwd'] },
  ],
} as const satisfies PolicyDocument;

function gateOf(options: GateOptions = {}): Gate {
  const gate = createGate({ policy, ...options });
  open.push(gate);
  return gate;
}

const run = (command: string) => ({ toolName: 'execute', args: { command } });
const risky = (gate: Gate): Promise<ApprovalRequest> => ask(gate, run('terraform apply'));

const WORDS = /^it is a high risk: it changes what customers use \(.+\)$/;

describe('a verdict', () => {
  test('has the rules that mark it, whatever they say', async () => {
    const verdict = await checkPolicy(policy, run('ls && terraform apply'));
    expect(verdict.effect).toBe('ask');
    expect(verdict.risks?.map(({ level, because, rule }) => [level, because, rule.index])).toEqual([
      ['high', 'it changes what customers use', 0],
      ['high', null, 2],
    ]);
    const { text } = await explainPolicy(policy, run('terraform apply'));
    expect(text).toContain('marks a high risk: it changes what customers use');
  });

  test('is no stricter for it, and has none where no such rule speaks of it', async () => {
    expect(await checkPolicy(policy, run('ls'))).toMatchObject({ effect: 'allow', risks: [{ because: null }] });
    expect(await checkPolicy(policy, run('pwd'))).not.toHaveProperty('risks');
    expect(await checkPolicy(policy, run('git push'))).not.toHaveProperty('risks');
  });
});

test('a policy says how great a risk is, and why only with that', () => {
  const rule = (more: string) => () => parsePolicy(`version = 1\n[[rule]]\neffect = "ask"\ntools = ["x"]\n${more}`);
  expect(rule('risk = "high"\nbecause = "so"')).not.toThrow();
  expect(rule('risk = "low"')).toThrow('"risk" must be "high"');
  expect(rule('because = "so"')).toThrow('write risk = "high" beside it');
});

describe('a request', () => {
  test('stands out on every front end', async () => {
    const request = await risky(gateOf());
    expect(isHighRisk(request)).toBe(true);
    expect(needsSecondYes(request)).toBe(true);
    expect(dangersInWords(request)[0]).toMatch(WORDS);
    expect(doubtsAbout(request)).toContain(dangersInWords(request)[0]);
    expect(isHarmless(request)).toBe(false);
    expect(beware(request)).toMatch(/^Careful: it is a high risk: it changes what customers use/);
    const { options } = toPermissionRequest(request, 'session');
    expect(options.map(({ optionId, name }) => [optionId, name])).toContainEqual([
      'approve-anyway',
      'Approve, though it is a high risk',
    ]);
  });

  test('does not where no rule marks it', async () => {
    const request = await ask(gateOf(), run('git push'));
    expect([isHighRisk(request), standsApart(request)]).toEqual([false, false]);
  });

  test('is shown safely, whatever stands in the rule', async () => {
    const hostile = { ...policy.rule[0], because: 'so\u001b[2J\u202e\nApproved.' };
    const [words = ''] = dangersInWords(await risky(gateOf({ policy: { version: 1, rule: [hostile] } })));
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(words).not.toMatch(/[\u001b\u202e\n]/);
  });

  test('is approved on a terminal by the second yes alone', async () => {
    const request = await risky(gateOf());
    let shown = '';
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
    const answer = { 1: 'y\r', 2: 'y\r' } as Record<number, string>;
    let asked = 0;
    const output = Object.assign(
      new Writable({
        write(chunk, _, done) {
          shown += String(chunk);
          const times = shown.split('Run it? ').length - 1;
          for (; asked < times; asked++) setImmediate((text?: string) => input.write(text ?? ''), answer[asked + 1]);
          done();
        },
      }),
      { isTTY: true },
    );
    const abortSignal = new AbortController().signal;
    expect(await terminalApprover({ input, output })(request, { abortSignal })).toMatchObject({ type: 'approve' });
    expect(asked).toBeGreaterThanOrEqual(2);
    expect(shown).toContain('it is a high risk: it changes what customers use');
    expect(shown).toContain('y again runs it');
  });
});

describe('a list', () => {
  test('of the inbox shows it, and can be filtered by it', async () => {
    const gate = gateOf();
    const [marked] = [await risky(gate), await ask(gate, run('git push')), await ask(gate, run('make'))];
    const mia = new Person(inboxOf(gate), 'mia');
    const { body } = await mia.get<PendingAnswer>('api/pending');
    expect(body.items.map(({ risk }) => risk)).toEqual(['high', null, null]);
    expect(body.facets.risks).toEqual([
      { value: 'high', label: 'High risk', count: 1 },
      { value: 'stands-out', label: 'Stands out', count: 2 },
      { value: 'nothing', label: 'Nothing stands out', count: 1 },
    ]);
    const ids = async (query: string) =>
      (await mia.get<PendingAnswer>(`api/pending?${query}`)).body.items.map(({ approvalId }) => approvalId);
    expect(await ids('risk=high')).toEqual([marked.approvalId]);
    expect(await ids('risk=stands-out')).toHaveLength(2);
    expect(await ids('risk=')).toHaveLength(3);
    expect((await mia.get('api/pending?risk=low')).status).toBe(400);
    await gate.reject(marked.approvalId);
    const past = (await mia.get<HistoryAnswer>('api/history?risk=high')).body.items;
    expect(past.map(({ approvalId }) => approvalId)).toEqual([marked.approvalId]);
  });

  test('of the command line does, and so do the record and the audit', async () => {
    const root = scratch();
    const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
    const gate = gateOf({ ledger });
    const [marked, other] = [await risky(gate), await ask(gate, run('git push'))];
    const env = { COUNTERSIGN_LEDGER: ledger, HOME: root, XDG_CONFIG_HOME: join(root, 'config'), NO_COLOR: '1' };
    const cli = async (...args: string[]) => (await countersign(args, { cwd: root, env })).stdout;
    const short = ({ approvalId }: ApprovalRequest) => approvalId.slice(-8);
    const all = await cli('pending');
    expect(all).toMatch(new RegExp(`${short(marked)}.* high `));
    expect(all).toContain(short(other));
    expect(await cli('pending', '--risk', 'high')).not.toContain(short(other));
    expect(await cli('show', marked.approvalId)).toMatch(/^risk +high$/m);
    expect((await countersign(['pending', '--risk', 'low'], { cwd: root, env })).stderr).toContain(
      '--risk must be high',
    );
    await gate.reject(marked.approvalId);
    await gate.reject(other.approvalId);
    const past = await cli('history', '--risk', 'high');
    expect(past).toContain('high risk');
    expect(past).not.toContain(short(other));
    const record = await gate.get(marked.approvalId);
    expect(record?.verdict?.risks).toMatchObject([{ level: 'high', because: 'it changes what customers use' }]);
    const entries = [];
    for await (const entry of gate.audit.list({ kind: 'verdict' })) entries.push(entry.more);
    expect(entries).toContainEqual({ risk: 'high', because: 'it changes what customers use' });
  });
});
