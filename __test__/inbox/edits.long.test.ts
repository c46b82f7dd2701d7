/** Arguments that a human edits: checked by the schema that is kept with the request, in any process. Questions: answered. */
import { tool } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createAskUserTool } from '../../ts/agent/index.js';
import { GateValues } from '../../ts/gate/values.js';
import type { CheckAnswer, DecideAnswer, RequestDetail, ErrorBody } from '../../ts/inbox/protocol.js';
import { problemsOf } from '../../ts/inbox/schema.js';
import { gateTools, streamWithEvents } from '../../ts/index.js';
import type { Gate } from '../../index.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { gateOf, inboxOf, later, Person, scratch } from './support.js';

const transfer = (ran: unknown[]) =>
  tool({
    description: 'Sends money',
    inputSchema: z.object({ to: z.string().min(1), amount: z.number().int().max(1_000), note: z.string().optional() }),
    execute: (args) => {
      ran.push(args);
      return 'sent';
    },
  });

const waiting = async (gate: Gate) => {
  await expect.poll(() => gate.pending()).toHaveLength(1);
  return (await gate.pending())[0]?.approvalId ?? '';
};

function run(gate: Gate, ran: unknown[]) {
  const { model } = scripted([calls(call('transfer', { to: 'ada', amount: 5 }, 'call_1')), says('done')]);
  return collect(
    streamWithEvents({ model, prompt: 'go', tools: { transfer: transfer(ran) }, gate, interruptOn: 'all' } as never),
  );
}

describe('the schema of a tool', () => {
  it.each(['memory:', 'sqlite:'] as const)('is told with the request, over %s', async (ledger) => {
    const gate = gateOf({ ledger });
    const done = run(gate, []);
    const mia = new Person(inboxOf(gate), 'mia');
    const approvalId = await waiting(gate);
    await expect
      .poll(async () => (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body.schema)
      .toMatchObject({ type: 'object', required: ['to', 'amount'], properties: { amount: { maximum: 1_000 } } });
    await mia.decide(approvalId, { type: 'reject' });
    await done;
  });

  it('has no text that nobody sees, in names of properties neither', async () => {
    const gate = gateOf();
    const evil = 'text\u202e\u0000\u200b\u001b[2J';
    const send = tool({
      inputSchema: z.object({ to: z.string().describe(evil), [evil]: z.string().optional() }),
      execute: () => 'sent',
    });
    const { model } = scripted([calls(call('send', { to: 'ada' }, 'call_1')), says('done')]);
    const done = collect(streamWithEvents({ model, prompt: 'go', tools: { send }, gate, interruptOn: 'all' } as never));
    const mia = new Person(inboxOf(gate), 'mia');
    const approvalId = await waiting(gate);
    const schema = async () => (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body.schema;
    await expect.poll(schema).toMatchObject({ type: 'object', required: ['to'] });
    expect(JSON.stringify(await schema())).not.toMatch(/\\u001b|\\u0000|[\u200b\u202e]/);
    await mia.decide(approvalId, { type: 'reject' });
    await done;
  });

  it('is kept once for all requests', async () => {
    const gate = gateOf();
    const set = vi.spyOn(GateValues.prototype, 'set');
    later(() => set.mockRestore());
    const { model } = scripted([
      calls(call('transfer', { to: 'a', amount: 1 }, 'call_1'), call('transfer', { to: 'b', amount: 2 }, 'call_2')),
      says('done'),
    ]);
    const tools = gateTools({ transfer: transfer([]), other: transfer([]) }, { gate, interruptOn: 'all' });
    const done = collect(streamWithEvents({ model, prompt: 'go', tools } as never));
    await expect.poll(() => gate.pending()).toHaveLength(2);
    for (const { approvalId } of await gate.pending()) await gate.reject(approvalId);
    await done;
    expect(set.mock.calls.map(([key]) => key)).toEqual([expect.stringMatching(/^schema:[0-9a-f]{64}$/)]);
  });

  it.each([
    ['another type', { to: 'ada', amount: 'five' }, '/amount'],
    ['too much', { to: 'ada', amount: 1_001 }, '/amount'],
    ['too little', { to: '', amount: 5 }, '/to'],
    ['something left out', { amount: 5 }, ''],
    ['a list', [], ''],
    ['nothing', null, ''],
  ])('says what is wrong with an edit: %s', async (_, args, path) => {
    const file = `sqlite:${scratch()}/ledger.db` as const;
    const [agent, people] = [gateOf({ ledger: file }), gateOf({ ledger: file })];
    const ran: unknown[] = [];
    const done = run(agent, ran);
    const approvalId = await waiting(agent);
    // In a process that has never seen the tool.
    const mia = new Person(inboxOf(people), 'mia');
    await expect
      .poll(async () => (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body.schema)
      .not.toBeNull();
    const { body } = await mia.post<CheckAnswer>(`api/requests/${approvalId}/check`, { args });
    expect(body.problems.map((each) => each.path)).toContain(path);
    const refused = await mia.decide<{ error: ErrorBody }>(approvalId, { type: 'edit', args });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'ERR_INVALID_DECISION']);
    expect(refused.body.error.problems).toEqual(body.problems);
    const taken = await mia.decide<DecideAnswer>(approvalId, { type: 'edit', args: { to: 'grace', amount: 7 } });
    expect([taken.status, JSON.parse(taken.body.record.decision?.text ?? '')]).toEqual([
      200,
      { to: 'grace', amount: 7 },
    ]);
    await done;
    expect(ran).toEqual([{ to: 'grace', amount: 7 }]);
  });

  it.each([
    ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', required: ['a'] }],
    ['draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['a'] }],
    ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required: ['a'] }],
    ['no draft', { type: 'object', required: ['a'] }],
  ])('is understood in %s', (_, schema) => {
    expect(problemsOf(schema, {})).toHaveLength(1);
    expect(problemsOf(schema, { a: 1 })).toEqual([]);
  });

  it('that is not understood says nothing: the loop looks itself', () => {
    expect(problemsOf({ $ref: '#/nowhere' }, {})).toEqual([]);
    expect(problemsOf({ type: 5, pattern: '(' }, 'x').length).toBeLessThan(2);
    expect(problemsOf(null, {})).toEqual([]);
  });

  it('holds nobody with an expression that a tool chose', () => {
    const text = `${'a'.repeat(40_000)}!`;
    const hold = { type: 'string', pattern: '^(\\w+\\s?)*$' };
    const schema = { type: 'object', properties: { a: hold, pattern: { type: 'string' }, url: { format: 'url' } } };
    expect(problemsOf(schema, { a: text, pattern: 'x', url: text })).toEqual([
      { path: '/a', message: 'String does not match pattern.' },
    ]);
    expect(problemsOf(schema, { a: 'two words' })).toEqual([]);
    // Nor with references that double the work, or with lists that are compared with themselves.
    const definitions = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [
        `d${at}`,
        { anyOf: [{ $ref: `#/definitions/d${at + 1}` }, { $ref: `#/definitions/d${at + 1}` }] },
      ]),
    );
    expect(
      problemsOf({ definitions: { ...definitions, d25: { type: 'string' } }, $ref: '#/definitions/d0' }, 1),
    ).toEqual([]);
    const many = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    expect(problemsOf({ type: 'array', uniqueItems: true }, many)).toEqual([]);
    // Each beside other words of the schema, and a name is no expression.
    const both = { type: 'string', format: 'uuid', pattern: '^0', allOf: [{ maxLength: 3 }] };
    expect(problemsOf(both, '1234').map(({ message }) => message)).toEqual(
      expect.arrayContaining(['String does not match pattern.']),
    );
    expect(problemsOf({ enum: [{ pattern: '^a' }] }, { pattern: '^a' })).toEqual([]);
    expect(problemsOf({ enum: [{ a: 1 }] }, { a: 2 })).not.toEqual([]);
    // A property that is called as what holds values is a schema all the same.
    for (const name of ['default', 'examples', 'const', 'enum'])
      for (const map of ['properties', 'patternProperties', 'dependencies', 'dependentSchemas'])
        problemsOf(
          { type: 'object', [map]: { [name]: map === 'properties' ? hold : { properties: { a: hold } } } },
          {
            [name]: text,
            a: text,
          },
        );
    // What the engine does not know is left to the loop.
    expect(problemsOf({ type: 'string', pattern: '^(?!b)' }, 'b')).toEqual([]);
    expect(
      problemsOf({ type: 'object', patternProperties: { '^(a+)+$': {} }, additionalProperties: false }, { [text]: 1 }),
    ).toEqual([]);
  });

  it('is looked at for those who may decide alone', async () => {
    const gate = gateOf();
    const done = run(gate, []);
    const approvalId = await waiting(gate);
    const viewer = new Person(
      inboxOf(gate, { authenticate: () => ({ name: 'vic', mayDecide: false, session: 's' }) }),
      'vic',
    );
    const { status, body } = await viewer.post<{ error: ErrorBody }>(`api/requests/${approvalId}/check`, { args: {} });
    expect([status, body.error.code]).toEqual([403, 'ERR_FORBIDDEN']);
    await gate.reject(approvalId);
    await done;
  });

  it('says what is wrong where it is wrong, safely, and not without end', () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
      additionalProperties: false,
    };
    expect(problemsOf(schema, { list: [{ n: 1 }, { n: 'x' }] }).map(({ path }) => path)).toEqual(['/list/1/n']);
    const evil = problemsOf(schema, { '\u202e\u0000': 1 });
    expect(evil).toEqual([{ path: expect.stringMatching(/^\/\S+/), message: 'The tool knows nothing of this.' }]);
    const lacks = problemsOf({ ...schema, required: ['a\u202e'] }, {});
    expect(lacks).toHaveLength(1);
    expect(JSON.stringify([evil, lacks])).not.toMatch(/\u202e|\\u0000/);
    expect(problemsOf(schema, { list: Array.from({ length: 1_000 }, () => ({ n: 'x' })) }).length).toBeLessThanOrEqual(
      50,
    );
  });
});

describe('questions', () => {
  const questions = [
    { kind: 'text', question: 'What shall it be called?\u202e' },
    {
      kind: 'multi_select',
      question: 'Which?',
      options: [{ label: 'one', description: 'the first' }, { label: 'two\u202e' }],
    },
  ];

  it('are shown safely, and answered in their own words', async () => {
    const gate = gateOf();
    const { model, prompts } = scripted([calls(call('ask_user', { questions }, 'call_1')), says('done')]);
    const tools = { ask_user: createAskUserTool() };
    const done = collect(streamWithEvents({ model, prompt: 'go', tools, gate } as never));
    const approvalId = await waiting(gate);
    const mia = new Person(inboxOf(gate), 'mia');
    const { body } = await mia.get<RequestDetail>(`api/requests/${approvalId}`);
    expect(body.record).toMatchObject({ kind: 'question', mayDecide: ['reject', 'respond', 'skip'] });
    const [first, second] = body.questions ?? [];
    expect(first).toMatchObject({ kind: 'text', required: true, options: [] });
    expect(JSON.stringify([first, second?.question, second?.options.map(({ label }) => label)])).not.toContain(
      '\u202e',
    );
    expect(second?.options.map(({ value }) => value)).toEqual(['one', 'two\u202e']);
    for (const answers of [[], ['x', ['three']], ['', ['one']], 'x']) {
      const { status } = await mia.decide(approvalId, { type: 'respond', output: { answers } });
      expect(status).toBe(422);
    }
    expect((await mia.decide(approvalId, { type: 'edit', args: {} })).status).toBe(422);
    expect((await mia.post(`api/requests/${approvalId}/check`, { args: {} })).status).toBe(422);
    const answers = ['Ada', second?.options.map(({ value }) => value)];
    expect((await mia.decide(approvalId, { type: 'respond', output: { answers } })).status).toBe(200);
    await done;
    expect(JSON.stringify(prompts.at(-1))).toContain('Ada');
  });
});

describe('what is to be remembered', () => {
  const policy = { version: 1, rule: [{ effect: 'ask', commands: ['make'] }] } as const;

  const runIn = (gate: Gate, ran: unknown[]) => {
    const execute = tool({
      description: 'Runs a command',
      inputSchema: z.object({ command: z.string() }),
      execute: (args) => String(ran.push(args)),
    });
    const { model } = scripted([calls(call('execute', { command: 'make build' }, 'call_1')), says('done')]);
    return collect(streamWithEvents({ model, prompt: 'go', tools: { execute }, gate } as never));
  };

  it('is shown before, and remembered where it is offered', async () => {
    const gate = gateOf({ policy });
    const ran: unknown[] = [];
    const done = runIn(gate, ran);
    const approvalId = await waiting(gate);
    const mia = new Person(inboxOf(gate), 'mia');
    const { always } = (await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body.record;
    expect(always).toMatchObject({ scopes: ['run', 'session'], allow: { label: expect.stringContaining('make') } });
    // The gate reads no files of the user.
    const forEver = await mia.decide(approvalId, { type: 'approve', remember: 'always' });
    expect([forEver.status, await gate.grants.list()]).toEqual([422, []]);
    const { status } = await mia.decide(approvalId, {
      type: 'approve',
      remember: { scope: 'session', expiresIn: 60_000 },
    });
    expect(status).toBe(200);
    await done;
    expect(await gate.grants.list()).toMatchObject([{ scope: 'session', by: 'mia', label: always.allow?.label }]);
    expect(ran).toHaveLength(1);
  });

  it('is nothing where the inbox does not offer it', async () => {
    const gate = gateOf({ policy });
    const done = runIn(gate, []);
    const approvalId = await waiting(gate);
    const mia = new Person(inboxOf(gate, { remember: [] }), 'mia');
    expect((await mia.get<RequestDetail>(`api/requests/${approvalId}`)).body.record.always.scopes).toEqual([]);
    expect((await mia.decide(approvalId, { type: 'approve', remember: 'session' })).status).toBe(422);
    expect(await gate.pending()).toHaveLength(1);
    await mia.decide(approvalId, { type: 'reject' });
    await done;
  });
});
