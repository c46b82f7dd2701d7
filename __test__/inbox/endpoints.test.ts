/** What each endpoint answers. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ApprovalRecord } from '../../index.js';
import type {
  AuditState,
  BulkResults,
  CheckAnswer,
  DecideAnswer,
  EntriesAnswer,
  RequestDetail,
  ErrorBody,
  HistoryAnswer,
  PendingAnswer,
  RunsAnswer,
  SessionAnswer,
} from '../../ts/inbox/protocol.js';
import { summaryOf } from '../../ts/inbox/view.js';
import { ask, gateOf, inboxOf, Person, scratch } from './support.js';

/** Invisible characters, raw or as JSON writes them. */
const HIDDEN = /\\u001b|\\u0000|\\u0007|[\u200b\u202e]/;

type Failed = { error: ErrorBody };

const setUp = (gate = gateOf(), name = 'mia') => {
  const inbox = inboxOf(gate);
  return { gate, inbox, mia: new Person(inbox, name), noah: new Person(inbox, 'noah') };
};

const policy = {
  version: 1,
  rule: [
    { effect: 'ask', commands: ['git push'], reason: 'it leaves this machine' },
    { effect: 'allow', commands: ['git status'] },
    { effect: 'deny', commands: ['rm'], reason: 'never' },
  ],
} as const;

describe('session', () => {
  it('says who looks', async () => {
    const { gate, inbox } = setUp();
    const { body, headers } = await new Person(inbox, 'mia/ops,security').get<SessionAnswer>('api/session');
    expect(body).toMatchObject({
      person: { name: 'mia', groups: ['ops', 'security'], mayDecide: true },
      ledger: { isDurable: true },
    });
    expect(body.csrf.length).toBeGreaterThan(40);
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(
      (await new Person(inboxOf(gateOf({ ledger: 'memory:' })), 'mia').get<SessionAnswer>('api/session')).body.ledger,
    ).toEqual({
      isDurable: false,
    });
    await gate.close();
  });
});

describe('pending', () => {
  it('lists what waits, oldest first, with facets, filters and words', async () => {
    const { gate, mia } = setUp();
    const one = await ask(gate, { runId: 'a', args: { command: 'git push' } });
    const two = await ask(gate, { runId: 'b', toolName: 'send_mail', args: { to: 'ada' }, origin: ['main', 'writer'] });
    const { body } = await mia.get<PendingAnswer>('api/pending');
    expect(body.items.map(({ approvalId }) => approvalId)).toEqual([one.approvalId, two.approvalId]);
    expect(body.items[0]).toMatchObject({
      tool: 'execute',
      summary: 'git push',
      run: 'a',
      agent: 'main',
      status: 'pending',
    });
    expect(body.items[0]?.mayDecide).toEqual(['approve', 'edit', 'reject', 'respond', 'skip']);
    expect(body).toMatchObject({ total: 2, next: null });
    expect(body.facets.tools).toEqual([
      { value: 'execute', label: 'execute', count: 1 },
      { value: 'send_mail', label: 'send_mail', count: 1 },
    ]);
    const written = { content: 'to be or not\nto be', file_path: 'a.txt' };
    const three = await ask(gate, { runId: 'c', toolName: 'write_file', args: written });
    expect((await mia.get<PendingAnswer>('api/pending?run=c')).body.items[0]?.summary).toMatch(
      /^file_path=a\.txt content=to/,
    );
    await gate.reject(three.approvalId);
    const ids = async (query: string) =>
      (await mia.get<PendingAnswer>(`api/pending?${query}`)).body.items.map(({ approvalId }) => approvalId);
    expect(await ids('run=a')).toEqual([one.approvalId]);
    expect(await ids('agent=writer')).toEqual([two.approvalId]);
    expect(await ids('tool=send_mail')).toEqual([two.approvalId]);
    expect(await ids('q=PUSH+git')).toEqual([one.approvalId]);
    expect(await ids('q=nothing')).toEqual([]);
    expect(await ids('run=a&tool=send_mail')).toEqual([]);
    expect((await mia.get<Failed>('api/pending?cursor=x')).status).toBe(400);
    expect((await mia.get<Failed>(`api/pending?q=${'x'.repeat(1_001)}`)).status).toBe(400);
  });

  it('comes in pages, as it came, and none is lost when one is decided between them', async () => {
    const { gate, mia } = setUp(gateOf({ ledger: 'memory:' }));
    const request = (number: number) => void gate.request({ toolName: 'execute', args: { number } }).catch(() => {});
    for (let number = 0; number < 200; number++) request(number);
    // What came at one moment is on one page.
    await delay(5);
    request(200);
    const numbers = ({ items }: PendingAnswer) => items.map(({ summary }) => Number(/number=(\d+)/.exec(summary)?.[1]));
    const first = (await mia.get<PendingAnswer>('api/pending')).body;
    expect([first.total, numbers(first)]).toEqual([201, Array.from({ length: 200 }, (_, number) => number)]);
    await gate.reject(first.items.at(-1)!.approvalId);
    const second = (await mia.get<PendingAnswer>(`api/pending?cursor=${first.next}`)).body;
    expect([second.next, numbers(second)]).toEqual([null, [200]]);
  });

  it('shows hostile texts safely, and takes its own values back', async () => {
    const { gate, mia } = setUp();
    const evil = 'run\u202e\u0000\u200b<script>';
    await ask(gate, {
      runId: evil,
      toolName: `tool${evil}`,
      origin: ['main', `agent${evil}`],
      args: { command: 'ls \u202e\u001b[2Jhs.txt\u0007' },
      description: '\u202eHi\u200b',
    });
    await ask(gate, { runId: 'another', toolName: 'another', origin: ['another'] });
    const { body } = await mia.get<PendingAnswer>('api/pending');
    const runs = await mia.get<RunsAnswer>('api/runs');
    for (const told of [body, runs.body]) expect(JSON.stringify(told)).not.toMatch(HIDDEN);
    for (const [name, facets] of [
      ['run', body.facets.runs],
      ['agent', body.facets.agents],
      ['tool', body.facets.tools],
    ] as const) {
      const { value = '' } = facets.find((facet) => facet.value !== 'another') ?? {};
      const again = await mia.get<PendingAnswer>(`api/pending?${name}=${encodeURIComponent(value)}`);
      expect(again.body.items.map((item) => item.runId)).toEqual([
        body.facets.runs.find((run) => run.value !== 'another')?.value,
      ]);
    }
  });
});

describe('one request', () => {
  it('is told whole', async () => {
    const gate = gateOf({ policy });
    const { mia } = setUp(gate);
    const { approvalId } = await ask(gate, { args: { command: 'git push origin main\u202e' } });
    const other = await ask(gate, { args: { command: 'git status' } });
    await ask(gate, { runId: 'another run' });
    const { body, status } = await mia.get<RequestDetail>(`api/requests/${approvalId}`);
    expect(status).toBe(200);
    expect(body.record).toMatchObject({ approvalId, decision: null, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(body.record.argsJson).toBe('{\n  "command": "git push origin main\\u202e"\n}');
    expect(body.record.preview).toContain('git push');
    expect(body.step).toEqual([other.approvalId]);
    expect(body.questions).toBeNull();
    expect((await mia.get(`api/requests/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('shows what was decided about much the same', async () => {
    const { gate, mia } = setUp();
    const decided = async (command: string, reason: string) => {
      const { approvalId } = await ask(gate, { args: { command } });
      await gate.reject(approvalId, reason, { by: 'noah\u202e' });
      return approvalId;
    };
    const same = await decided('git push origin main', 'not today');
    await decided('git pull', 'no');
    const alike = await decided('/usr/bin/git push --force', 'careful\u202e');
    const { approvalId } = await ask(gate, { args: { command: 'git push origin main' } });
    const { similar } = (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body;
    expect(similar.map((each) => [each.approvalId, each.same])).toEqual([
      [alike, false],
      [same, true],
    ]);
    expect(similar[1]).toMatchObject({ status: 'rejected', reason: 'not today', summary: 'git push origin main' });
    expect(JSON.stringify(similar)).not.toContain('\u202e');
  });

  it('shows nothing as similar that was decided in another project', async () => {
    const here = scratch();
    const ledger = `sqlite:${join(here, 'ledger.db')}` as const;
    const inProject = (cwd: string) => gateOf({ ledger, policy, place: { cwd } });
    const [one, other] = [inProject(here), inProject(scratch())];
    for (const gate of [one, other]) {
      const { approvalId } = await ask(gate, { args: { command: 'git push' } });
      await gate.reject(approvalId, gate === one ? 'here' : 'elsewhere', { by: 'noah' });
    }
    const { approvalId } = await ask(one, { args: { command: 'git push' } });
    const { similar } = (await setUp(other).mia.get<RequestDetail>(`api/requests/${approvalId}`)).body;
    expect(similar.map(({ reason }) => reason)).toEqual(['here']);
  });

  it('has no arguments to begin with where JSON cannot say them', async () => {
    const { gate, mia } = setUp();
    const { approvalId } = await ask(gate, { args: { at: new Date(0), big: 3n } });
    const { record } = (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body;
    expect(record.argsJson).toBeNull();
    expect(record.summary).toContain('1970-01-01');
  });
});

describe('a decision', () => {
  it.each([
    [
      { type: 'approve', reason: 'go' },
      { approved: true, status: 'approved' },
    ],
    [
      { type: 'edit', args: { command: 'git status' } },
      { approved: true, status: 'edited' },
    ],
    [
      { type: 'reject', reason: 'no', stop: true },
      { approved: false, status: 'rejected' },
    ],
    [{ type: 'rejectAndStop' }, { approved: false, status: 'rejected' }],
    [
      { type: 'respond', output: { done: 'by hand' } },
      { approved: false, status: 'responded' },
    ],
    [{ type: 'skip' }, { approved: false, status: 'skipped' }],
  ])('%j counts, and stands in the record', async (decision, { approved, status }) => {
    const { gate, mia } = setUp();
    const toolCallId = crypto.randomUUID();
    const resolution = gate.request({ toolName: 'execute', args: { command: 'git push' }, toolCallId, runId: 'run' });
    const [request] = await gate.pending();
    const { approvalId } = request ?? { approvalId: '' };
    const { body, status: http } = await mia.decide<DecideAnswer>(approvalId, decision);
    expect([http, body.counted]).toEqual([200, true]);
    expect(body.record).toMatchObject({ status, decision: { by: 'mia', via: 'inbox' } });
    expect(await resolution).toMatchObject({ approved, decidedBy: 'mia' });
    expect(await gate.get(approvalId)).toMatchObject({ decidedBy: 'mia', via: 'inbox' });
  });

  it('that comes second says what stands', async () => {
    const { gate, mia, noah } = setUp();
    const { approvalId } = await ask(gate);
    const answers = await Promise.all([
      mia.decide<Failed>(approvalId, { type: 'reject', reason: 'mia says no' }),
      noah.decide<Failed>(approvalId, { type: 'reject', reason: 'noah says no' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409)?.body.error;
    const stands = (await gate.get(approvalId)) as ApprovalRecord;
    expect(lost).toMatchObject({
      code: 'ERR_ALREADY_DECIDED',
      winner: { status: 'rejected', decision: { by: stands.decidedBy, reason: stands.decision?.reason } },
    });
  });

  it('that comes too late is gone', async () => {
    const { gate, mia } = setUp();
    expect(await gate.request({ toolName: 'execute', args: {}, timeout: 30 })).toMatchObject({ approved: false });
    const [{ approvalId } = { approvalId: '' }] = await gate.history();
    expect(await gate.get(approvalId)).toMatchObject({ status: 'expired' });
    const { status, body } = await mia.decide(approvalId, { type: 'approve' });
    expect([status, body.error.code]).toEqual([410, 'ERR_EXPIRED']);
  });

  it.each([
    ['another word', { type: 'accept' }, 400],
    ['none', undefined, 400],
    ['a text', 'approve', 400],
    ['the words of another library', { approved: true }, 400],
    ['an edit without arguments', { type: 'edit' }, 400],
    ['an answer without one', { type: 'respond' }, 400],
    ['a reason that is none', { type: 'reject', reason: 5 }, 400],
    ['what machines decide', { type: 'expired' }, 400],
    ['memory that is not offered', { type: 'approve', remember: 'always' }, 422],
    ['memory of nothing', { type: 'approve', remember: { scope: 'universe' } }, 422],
  ])('that is %s is refused, and the request waits', async (_, decision, expected) => {
    const { gate, mia } = setUp();
    const { approvalId } = await ask(gate);
    expect((await mia.decide(approvalId, decision)).status).toBe(expected);
    expect(await gate.pending()).toHaveLength(1);
  });

  it('that the request does not allow is refused', async () => {
    const { gate, mia } = setUp();
    const { approvalId } = await ask(gate, { allowedDecisions: ['reject'] });
    const { status, body } = await mia.decide(approvalId, { type: 'approve' });
    expect([status, body.error.code]).toEqual([422, 'ERR_DECISION_NOT_ALLOWED']);
    expect(await gate.pending()).toHaveLength(1);
  });

  it('about a request that there is not is refused', async () => {
    const { mia } = setUp();
    expect((await mia.decide(crypto.randomUUID(), { type: 'approve' })).status).toBe(404);
  });
});

describe('arguments in an editor', () => {
  it('are shown, and judged, and nothing is decided', async () => {
    const gate = gateOf({ policy });
    const { mia } = setUp(gate);
    const { approvalId } = await ask(gate);
    const look = async (args: unknown) =>
      (await mia.post<CheckAnswer>(`api/requests/${approvalId}/check`, { args })).body;
    const fine = await look({ command: 'git status' });
    expect(fine).toMatchObject({ problems: [], schema: false, verdict: { effect: 'allow' } });
    expect(fine.segments).toMatchObject([{ kind: 'command', text: 'git status', effect: 'allow' }]);
    const denied = await look({ command: 'git status; rm -r x\u202e' });
    expect(denied.verdict.effect).toBe('deny');
    expect(denied.problems).toHaveLength(1);
    expect(denied.flags).toContain('bidi');
    expect([fine.dangers, denied.dangers]).toEqual([[], ['it may delete something for good']]);
    expect(denied.segments.map(({ effect, rule }) => [effect, rule?.source])).toContainEqual(['deny', 'policy option']);
    expect(JSON.stringify(denied)).not.toContain('\u202e');
    expect((await mia.post<Failed>(`api/requests/${approvalId}/check`, {})).status).toBe(400);
    expect(await gate.pending()).toHaveLength(1);
  });

  it('are not judged for somebody who may only look', async () => {
    const gate = gateOf({ policy });
    const { inbox } = setUp(gate);
    const { approvalId } = await ask(gate);
    const { status, body } = await new Person(inbox, '-eve').post<Failed>(`api/requests/${approvalId}/check`, {
      args: { command: 'git status' },
    });
    expect([status, body.error.message]).toEqual([403, 'You may look, and not decide.']);
  });

  it('that are those that were asked for are no edit', async () => {
    const { gate, mia } = setUp();
    const { approvalId } = await ask(gate, { args: { command: 'make', in: 'x' } });
    const { status, body } = await mia.decide<Failed>(approvalId, {
      type: 'edit',
      args: { in: 'x', command: 'make' },
    });
    expect([status, body.error.code]).toEqual([422, 'ERR_INVALID_DECISION']);
    expect(await gate.pending()).toHaveLength(1);
  });

  it('that the policies deny are not taken', async () => {
    const gate = gateOf({ policy });
    const { mia } = setUp(gate);
    const { approvalId } = await ask(gate);
    const { status, body } = await mia.decide<Failed>(approvalId, { type: 'edit', args: { command: 'rm -r x' } });
    expect([status, body.error.code, body.error.problems?.length]).toEqual([422, 'ERR_INVALID_DECISION', 1]);
    expect(await gate.pending()).toHaveLength(1);
  });
});

describe('several at once', () => {
  it('are decided one by one, each with its own end', async () => {
    const { gate, mia } = setUp();
    const make = { args: { command: 'make' } };
    const [one, two, three] = [await ask(gate, make), await ask(gate, make), await ask(gate, make)];
    // What may not be undone is approved by itself.
    const push = await ask(gate);
    await gate.reject(two.approvalId, 'before', { by: 'noah' });
    const ids = [one, two, three, push].map(({ approvalId }) => approvalId);
    const { body } = await mia.post<BulkResults>('api/decisions', { ids, decision: { type: 'approve' } });
    expect(body.results.map(({ approvalId, ok, error }) => [approvalId, ok, error?.code])).toEqual([
      [one.approvalId, true, undefined],
      [two.approvalId, false, 'ERR_ALREADY_DECIDED'],
      [three.approvalId, true, undefined],
      [push.approvalId, false, 'ERR_INVALID_DECISION'],
    ]);
    expect((await gate.get(push.approvalId))?.status).toBe('pending');
    expect(body.results[1]?.error?.winner).toMatchObject({ decision: { by: 'noah', reason: 'before' } });
  });

  it.each([
    ['another run', (ids: string[]) => ({ ids, decision: { type: 'approve' } }), 400],
    ['one that there is not', () => ({ ids: [crypto.randomUUID()], decision: { type: 'approve' } }), 404],
    ['no ids', () => ({ ids: [], decision: { type: 'approve' } }), 400],
    ['ids that are none', () => ({ ids: ['x'], decision: { type: 'approve' } }), 400],
    [
      'too many',
      () => ({ ids: Array.from({ length: 101 }, () => crypto.randomUUID()), decision: { type: 'skip' } }),
      400,
    ],
    ['an edit', ([id]: string[]) => ({ ids: [id], decision: { type: 'edit', args: {} } }), 400],
    [
      'an approval that has other arguments',
      ([id]: string[]) => ({ ids: [id], decision: { type: 'approve', args: { path: 'b' } } }),
      400,
    ],
    ['something to remember', ([id]: string[]) => ({ ids: [id], decision: { type: 'reject', reason: {} } }), 400],
  ])('with %s: none is', async (_, body, expected) => {
    const { gate, mia } = setUp();
    const ids = [(await ask(gate)).approvalId, (await ask(gate, { runId: 'other' })).approvalId];
    expect((await mia.post('api/decisions', body(ids))).status).toBe(expected);
    expect(await gate.pending()).toHaveLength(2);
  });
});

describe('what is over', () => {
  it('is listed, the latest first, in pages and by words', async () => {
    const { gate, mia } = setUp();
    const ids: string[] = [];
    for (const command of ['one', 'two', 'three', 'four']) {
      const { approvalId } = await ask(gate, { args: { command }, runId: command === 'four' ? 'other' : 'run' });
      await gate.reject(approvalId, `because of ${command}`, { by: 'noah' });
      ids.unshift(approvalId);
    }
    await ask(gate);
    const { body } = await mia.get<HistoryAnswer>('api/history');
    expect(body.items.map(({ approvalId }) => approvalId)).toEqual(ids);
    expect(body.next).toBeNull();
    expect(body.items[0]).toMatchObject({ decision: { type: 'reject', by: 'noah', reason: 'because of four' } });
    const first = (await mia.get<HistoryAnswer>('api/history?limit=3')).body;
    const second = (await mia.get<HistoryAnswer>(`api/history?limit=3&before=${first.next}`)).body;
    expect([...first.items, ...second.items].map(({ approvalId }) => approvalId)).toEqual(ids);
    const found = (await mia.get<HistoryAnswer>('api/history?q=because+two')).body;
    expect(found.items.map(({ approvalId }) => approvalId)).toEqual([ids[2]]);
    expect((await mia.get<HistoryAnswer>('api/history?run=other')).body.items).toHaveLength(1);
    expect((await mia.get<HistoryAnswer>('api/history?tool=nothing')).body.items).toHaveLength(0);
    expect((await mia.get('api/history?before=nonsense')).status).toBe(400);
  });
});

describe('entries of the audit', () => {
  it('are told the latest first, page by page, by their kind and by words', async () => {
    const { gate, mia } = setUp();
    for (const command of ['one', 'two', 'three']) {
      const { approvalId } = await ask(gate, { args: { command } });
      await gate.reject(approvalId, { by: 'noah', reason: `not ${command}` });
    }
    const get = async (query: string) => (await mia.get<EntriesAnswer>(`api/entries${query}`)).body;
    const all = await get('');
    const seqs = all.items.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => other - one));
    expect([all.next, all.items.at(-1)?.seq]).toEqual([null, 1]);
    const pages: number[] = [];
    for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null;) {
      const page: EntriesAnswer = await get(`?limit=2${pages.length === 0 ? '' : `&before=${next}`}`);
      pages.push(...page.items.map(({ seq }) => seq));
      ({ next } = page);
    }
    expect(pages).toEqual(seqs);
    const decided = await get('?kind=decided');
    expect(decided.items.map(({ reason, by }) => [reason, by])).toEqual(
      ['three', 'two', 'one'].map((command) => [`not ${command}`, 'noah']),
    );
    expect((await get('?q=not+two')).items).toMatchObject([{ kind: 'decided' }]);
    expect((await mia.get<Failed>('api/entries?before=x')).status).toBe(400);
  });

  it('are none where the ledger does not last', async () => {
    const { mia } = setUp(gateOf({ ledger: 'memory:' }));
    expect((await mia.get<EntriesAnswer>('api/entries')).body).toMatchObject({ items: [], next: null });
  });
});

describe('taking back', () => {
  it('the page is told for how long', async () => {
    const undoOf = async (options: { undo?: number }) =>
      (await new Person(inboxOf(gateOf(), options), 'mia').get<SessionAnswer>('api/session')).body.undo;
    expect([await undoOf({}), await undoOf({ undo: 5_000 })]).toEqual([0, 5_000]);
    for (const undo of [-1, 60_001, '5']) expect(() => inboxOf(gateOf(), { undo } as never)).toThrow(/undo must be/);
  });
});

describe('runs and the audit', () => {
  it('are told', async () => {
    const { gate, mia } = setUp();
    await ask(gate, { runId: 'a' });
    await ask(gate, { runId: 'a', toolName: 'send_mail' });
    await ask(gate, { runId: 'b' });
    const { items } = (await mia.get<RunsAnswer>('api/runs')).body;
    expect(items).toMatchObject([
      { run: 'a', waiting: 2, tools: ['execute', 'send_mail'] },
      { run: 'b', waiting: 1 },
    ]);
    const before = (await mia.get<AuditState>('api/audit')).body;
    expect(before).toMatchObject({ report: null, checkedAt: null, head: { size: expect.any(Number) } });
    const after = (await mia.post<AuditState>('api/audit/verify', {})).body;
    expect(after.report).toMatchObject({ ok: true, records: 3 });
    expect((await mia.get<AuditState>('api/audit')).body.checkedAt).toBe(after.checkedAt);
  });

  it('are nothing where the ledger does not last', async () => {
    const { mia } = setUp(gateOf({ ledger: 'memory:' }));
    expect((await mia.post<AuditState>('api/audit/verify', {})).body).toMatchObject({ head: null, report: null });
  });
});

it('the history is filtered by decision and person, and what waits by "nothing stands out"', async () => {
  const { gate, mia } = setUp();
  const plain = await ask(gate, { runId: 'a', toolName: 'read_file', args: { path: 'a' } });
  const doubted = await ask(gate, { runId: 'a', toolName: 'delete_file', args: { path: 'a' } });
  const waiting = async (query: string) => (await mia.get<PendingAnswer>(`api/pending?${query}`)).body;
  const { items, runs } = await waiting('risk=nothing');
  expect([items.map(({ approvalId }) => approvalId), runs[0]?.waiting]).toEqual([[plain.approvalId], 2]);
  await gate.approve(plain.approvalId, { by: 'bob' });
  await gate.reject(doubted.approvalId, { by: 'mia' });
  const over = async (query: string) =>
    (await mia.get<HistoryAnswer>(`api/history?${query}`)).body.items.map(({ approvalId }) => approvalId);
  expect(await over('decision=approve')).toEqual([plain.approvalId]);
  expect(await over('by=mia')).toEqual([doubted.approvalId]);
  expect(await over('decision=approve&by=mia')).toEqual([]);
  await gate.close();
});

it('a call that writes a file is called what it does to it, and not by its arguments', () => {
  const call = { args: { file_path: 'n.txt', content: 'x' }, contents: 'kept', kind: 'approval' };
  const of = (toolName: string, before: string | null) =>
    summaryOf({ ...call, toolName, changes: [{ path: 'n.txt', before }] } as never);
  expect(of('write_file', null)).toBe('Create n.txt');
  expect(of('write_file', 'd')).toBe('Overwrite n.txt');
  expect(of('edit_file', 'd')).toBe('Edit n.txt');
});
