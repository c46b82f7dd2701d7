/**
 * G12. An edited call passes the tool's schema and the policy again before it runs.
 *
 * The policy is `policy` of the gate and of the run, `shouldApprove`, the tool's own `needsApproval`, the `toolApproval` of
 * AI SDK 7 and a judge.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchema, tool, type ToolSet } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, ApprovalRequest, Gate, PolicyDocument } from '../../index.js';
import { createGate, definePolicy, InvalidDecisionError } from '../../ts/index.js';
import { PATIENTLY } from '../runtimes.js';
import { ways as waysWithPolicy } from '../policy/ways.js';
import { sample } from '../support/effort.js';
import { waitingEntries } from '../support/entries.js';
import { call, calls, collect, major, resultsIn, says } from '../support/model.js';
import { play, start, until } from '../support/play.js';

const turns = (input: unknown = { path: '/a' }) => [calls(call('del', input, 'c1')), says('.')];

/** A tool of this schema; what ran is written down. */
function toolOf(inputSchema: unknown, more: object = {}) {
  const ran: unknown[] = [];
  const execute = async (args: unknown) => {
    ran.push(args);
    return 'done';
  };
  return { ran, tools: { del: tool({ inputSchema, execute, ...more } as never) } as ToolSet };
}

const path = z.object({ path: z.string().startsWith('/') });
const unequal = z.object({ a: z.number(), b: z.number() }).refine(({ a, b }) => a !== b, 'a equals b');
const slow = z.object({
  path: z.string().refine(async (value) => (await Promise.resolve(value)) !== '/no', 'not this one'),
});
const checked = jsonSchema<{ path: string }>(
  { type: 'object', properties: { path: { type: 'string' } } },
  {
    validate: (value) =>
      (value as { path?: unknown }).path === '/no'
        ? { success: false, error: new Error('not this one') }
        : { success: true, value: value as { path: string } },
  },
);

/** Every way in which an edit comes. */
const ways: [name: string, answer: (args: unknown) => ApprovalAnswer][] = [
  ['ours', (args) => ({ type: 'edit', args })],
  ["LangChain's", (args) => ({ type: 'edit', editedAction: { name: 'del', args } })],
  ['with approved', (args) => ({ type: 'edit', args, approved: true }) as ApprovalAnswer],
];

type Case = [name: string, schema: unknown, asked: unknown, written: unknown, runs: unknown];
const fitting: Case[] = [
  ['plain', path, { path: '/a' }, { path: '/b' }, { path: '/b' }],
  ['the same as before', path, { path: '/a' }, { path: '/a' }, { path: '/a' }],
  [
    'with a default',
    path.extend({ depth: z.number().default(1) }),
    { path: '/a' },
    { path: '/b', depth: 1 },
    { path: '/b', depth: 1 },
  ],
  ['as it is coerced', z.object({ n: z.coerce.number() }), { n: 1 }, { n: 42 }, { n: 42 }],
  [
    'a Date, as its text',
    z.object({ at: z.string().transform((text) => new Date(text)) }),
    { at: '2020' },
    { at: '2021-01-01T00:00:00.000Z' },
    { at: new Date('2021') },
  ],
  ['refined', unequal, { a: 1, b: 2 }, { a: 3, b: 4 }, { a: 3, b: 4 }],
  ['refined slowly', slow, { path: '/a' }, { path: '/b' }, { path: '/b' }],
  ['checked by a function', checked, { path: '/a' }, { path: '/b' }, { path: '/b' }],
];
const unfit: Case[] = [
  // What would run is not what the human wrote and saw.
  ['with a key that is stripped', path, { path: '/a' }, { path: '/b', force: true }, undefined],
  [
    'without a default',
    path.extend({ depth: z.number().default(1) }),
    { path: '/a', depth: 2 },
    { path: '/b' },
    undefined,
  ],
  ['coerced', z.object({ n: z.coerce.number() }), { n: 1 }, { n: '42' }, undefined],
  ['trimmed', z.object({ path: z.string().trim() }), { path: '/a' }, { path: ' /b ' }, undefined],
  [
    'transformed once more',
    z.object({ path: z.string().transform((text) => text.replace('/tmp', '/prod')) }),
    { path: '/a' },
    { path: '/tmp/b' },
    undefined,
  ],
  ['of another type', path, { path: '/a' }, { path: 1 }, undefined],
  ['not what the schema wants', path, { path: '/a' }, { path: 'b' }, undefined],
  ['missing a key', path, { path: '/a' }, {}, undefined],
  ['no object', path, { path: '/a' }, 'rm -rf /', undefined],
  ['null', path, { path: '/a' }, null, undefined],
  ['an array', path, { path: '/a' }, ['/b'], undefined],
  ['with a key too many', z.strictObject({ path: z.string() }), { path: '/a' }, { path: '/b', force: true }, undefined],
  ['refined away', unequal, { a: 1, b: 2 }, { a: 3, b: 3 }, undefined],
  ['refined away slowly', slow, { path: '/a' }, { path: '/no' }, undefined],
  ['refused by a function', checked, { path: '/a' }, { path: '/no' }, undefined],
];

// What waits in `toolApproval` cannot edit: the SDK runs its own arguments, so an edit is a denial there.
const editing = waitingEntries.filter(([name]) => name !== 'toolApproval');

describe.each(editing.map(([name, entry], turn) => [name, entry, turn] as const))('%s', (_, entry, turn) => {
  const edits = (kind: Case[]) =>
    ways.flatMap(([way, answer]) => kind.map((one) => [way, one[0], answer, one] as const));

  it.each(sample(edits(fitting), 1, turn))(
    'runs an edit (%s) that is %s',
    async (_way, _name, answer, [, schema, asked, written, runs]) => {
      const { ran, tools } = toolOf(schema);
      await entry({ turns: turns(asked), tools, interruptOn: 'all', onApprovalRequest: () => answer(written) });
      expect(ran).toEqual([runs]);
    },
  );

  it.each(sample(edits(unfit), 1, turn))(
    'rejects an edit (%s) that is %s, and says why',
    async (_way, _name, answer, [, schema, asked, written]) => {
      await using gate = createGate();
      const { ran, tools } = toolOf(schema);
      let id = '';
      const onApprovalRequest = ({ approvalId }: { approvalId: string }) => {
        id = approvalId;
        return answer(written);
      };
      await entry({ turns: turns(asked), tools, interruptOn: 'all', gate, onApprovalRequest });
      expect(ran).toEqual([]);
      expect((await gate.get(id))?.decision).toMatchObject({
        type: 'reject',
        reason: expect.stringMatching(/schema of del/) as never,
      });
    },
  );

  it('rejects an edit to another tool', async () => {
    const { ran, tools } = toolOf(path);
    const onApprovalRequest = () => ({ type: 'edit', editedAction: { name: 'read', args: { path: '/b' } } }) as const;
    await entry({
      turns: turns(),
      tools: { ...tools, read: tools['del'] } as ToolSet,
      interruptOn: 'all',
      onApprovalRequest,
    });
    expect(ran).toEqual([]);
  });

  it('rejects an edit that is not allowed', async () => {
    const { ran, tools } = toolOf(path);
    const onApprovalRequest = () => ({ type: 'edit', args: { path: '/b' } }) as const;
    await entry({
      turns: turns(),
      tools,
      interruptOn: { del: { allowedDecisions: ['approve', 'reject'] } },
      onApprovalRequest,
    });
    expect(ran).toEqual([]);
  });

  it.each([
    ['shouldApprove', false],
    ['needsApproval', true],
  ])('asks %s about the edited arguments, as the tool would get them', async (name, own) => {
    const judge = vi.fn((_args: unknown) => true);
    const { ran, tools } = toolOf(path.extend({ depth: z.number().default(1) }), own ? { [name]: judge } : {});
    const onApprovalRequest = () => ({ type: 'edit', args: { path: '/b', depth: 1 } }) as const;
    await entry({ turns: turns(), tools, interruptOn: own ? {} : { del: { [name]: judge } }, onApprovalRequest });
    expect(judge.mock.calls.map(([args]) => args)).toEqual([
      { path: '/a', depth: 1 },
      { path: '/b', depth: 1 },
    ]);
    expect(ran).toEqual([{ path: '/b', depth: 1 }]);
  });

  it('runs no edit whose check fails in itself', async () => {
    const broken = z.object({
      path: z.string().transform((value) => {
        if (value === '/b') throw new Error('broken');
        return value;
      }),
    });
    const { ran, tools } = toolOf(broken);
    await entry({
      turns: turns(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    });
    expect(ran).toEqual([]);
  });

  it('runs no edit to arguments that cannot be shown', async () => {
    const { ran, tools } = toolOf(
      z.object({ path: z.string().transform((value) => (value === '/b' ? () => {} : value)) }),
    );
    await entry({
      turns: turns(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    });
    expect(ran).toEqual([]);
  });
});

describe.each(editing)('%s', (_, entry) => {
  it('asks again about the edited call, not about the one that the model made, where the edit holds no more', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'countersign-g12-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    for (const folder of ['one', 'two']) mkdirSync(join(cwd, folder));
    symlinkSync('one', join(cwd, 'link'));
    await using gate = createGate({ place: { cwd }, policy: definePolicy([{ tools: 'write_file', effect: 'ask' }]) });
    const ran: unknown[] = [];
    const execute = async (args: unknown) => void ran.push(args);
    const inputSchema = z.object({ file_path: z.string(), content: z.string() });
    const [model, person] = ['model', 'person'].map((name) => ({ file_path: `link/${name}`, content: 'x' }));
    // The edit is bound by now, and its path leads elsewhere before it runs.
    const shouldApprove = (args: unknown) => {
      if ((args as typeof model)?.file_path !== person?.file_path) return true;
      rmSync(join(cwd, 'link'));
      symlinkSync('two', join(cwd, 'link'));
      return true;
    };
    const asked: ApprovalRequest[] = [];
    const onApprovalRequest = (request: ApprovalRequest): ApprovalAnswer =>
      asked.push(request) === 1 ? { type: 'edit', args: person, by: 'ada' } : true;
    const tools = { write_file: tool({ inputSchema, execute } as never) } as ToolSet;
    await entry({
      turns: [calls(call('write_file', model, 'c1')), says('.')],
      tools,
      interruptOn: { write_file: { shouldApprove } },
      gate,
      onApprovalRequest,
    });
    expect(asked).toMatchObject([
      { args: model, editedFrom: null },
      { args: person, editedFrom: model },
    ]);
    expect(asked[1]?.description).toMatch(
      /^Asked again: .*A person \(ada\) had changed the arguments\. The model wrote write_file: /,
    );
    expect(ran).toEqual([person]);
  });
});

describe('gate.edit', () => {
  const open = async (schema: unknown, asked: unknown, gate: Gate) => {
    const { ran, tools } = toolOf(schema);
    const { run } = start({ turns: turns(asked), tools, interruptOn: 'all', gate });
    const { approvalId } = await until(run, 'approval-requested');
    return { ran, run, approvalId };
  };
  const decideWays: [string, (gate: Gate, id: string, args: unknown) => Promise<unknown>][] = [
    ['edit', (gate, id, args) => gate.edit(id, args)],
    ['decide', (gate, id, args) => gate.decide(id, { type: 'edit', args })],
  ];

  it.each(
    sample(
      decideWays.flatMap(([way, edit]) => unfit.map((one) => [way, one[0], edit, one] as const)),
      3,
    ),
  )('(%s) refuses what is %s; the request goes on waiting', async (_way, _name, edit, [, schema, asked, written]) => {
    await using gate = createGate();
    const { ran, run, approvalId } = await open(schema, asked, gate);
    await expect(edit(gate, approvalId, written)).rejects.toBeInstanceOf(InvalidDecisionError);
    expect(await gate.get(approvalId)).toMatchObject({ status: 'pending', decision: null });
    await gate.approve(approvalId);
    await collect(run);
    expect(ran).toEqual([asked]);
  });

  it.each(
    sample(
      decideWays.flatMap(([way, edit]) => fitting.map((one) => [way, one[0], edit, one] as const)),
      3,
    ),
  )(
    '(%s) runs what is %s, and the record says what ran',
    async (_way, _name, edit, [, schema, asked, written, runs]) => {
      await using gate = createGate();
      const { ran, run, approvalId } = await open(schema, asked, gate);
      await edit(gate, approvalId, written);
      await collect(run);
      expect(ran).toEqual([runs]);
      expect(await gate.get(approvalId)).toMatchObject({ status: 'succeeded', decision: { type: 'edit', args: runs } });
    },
  );

  it('takes the second of two edits when the first is bad', async () => {
    await using gate = createGate();
    const { ran, run, approvalId } = await open(slow, { path: '/a' }, gate);
    const edits = await Promise.allSettled([
      gate.edit(approvalId, { path: '/no' }),
      gate.edit(approvalId, { path: '/b' }),
    ]);
    expect(edits.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await collect(run);
    expect(ran).toEqual([{ path: '/b' }]);
  });

  it('does not run an edit that was still being checked when somebody rejected', async () => {
    await using gate = createGate();
    let go: (good: boolean) => void = () => {};
    const held = z.object({
      path: z.string().refine((value) => value === '/a' || new Promise<boolean>((resolve) => (go = resolve))),
    });
    const { ran, run, approvalId } = await open(held, { path: '/a' }, gate);
    const editing = gate.edit(approvalId, { path: '/b' });
    await vi.waitFor(() => expect(go.length).toBe(1), PATIENTLY);
    await gate.reject(approvalId);
    go(true);
    await expect(editing).rejects.toMatchObject({ code: 'ERR_ALREADY_DECIDED' });
    await collect(run);
    expect(ran).toEqual([]);
  });

  it('gives the tool a copy of its own', async () => {
    await using gate = createGate();
    const { ran, run, approvalId } = await open(z.looseObject({}), {}, gate);
    const args = { path: '/b', list: [1] };
    const editing = gate.edit(approvalId, args);
    args.path = '/evil';
    args.list.push(2);
    await editing;
    await collect(run);
    expect(ran).toEqual([{ path: '/b', list: [1] }]);
  });
});

describe.each([undefined, 'a secret of the server, long enough'])('the message history, with secret %s', (secret) => {
  const options = secret === undefined ? {} : { experimental_toolApprovalSecret: secret };

  it.each(fitting)('carries an edit that is %s', async (_, schema, asked, written, runs) => {
    const { ran, tools } = toolOf(schema);
    const { prompts, of } = await play({
      turns: turns(asked),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: written }),
      ...options,
    });
    expect([ran, of('error')]).toEqual([[runs], []]);
    expect(JSON.stringify(resultsIn(prompts[1])['c1'])).toMatch(/human changed/);
  });
});

describe.runIf(major === 7)("AI SDK 7's toolApproval", () => {
  it('denies an edit that it denies', async () => {
    const { ran, tools } = toolOf(path);
    const toolApproval = vi.fn(({ toolCall }: { toolCall: { input: { path: string } } }) =>
      toolCall.input.path === '/secret' ? { type: 'denied', reason: 'never that' } : 'user-approval',
    );
    const { of } = await play({
      turns: turns(),
      tools,
      toolApproval,
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/secret' } }),
    });
    expect(ran).toEqual([]);
    expect(of('approval-response')).toMatchObject([
      { approved: false, reason: expect.stringMatching(/never that/) as never },
    ]);
    expect(toolApproval.mock.calls.map(([{ toolCall }]) => toolCall.input.path)).toEqual(['/a', '/secret']);
  });

  it('keeps the request waiting when gate.edit would do what it denies', async () => {
    await using gate = createGate();
    const { ran, tools } = toolOf(path);
    const toolApproval = { del: ({ path }: { path: string }) => (path === '/secret' ? 'denied' : 'user-approval') };
    const { run } = start({ turns: turns(), tools, toolApproval, gate });
    const { approvalId } = await until(run, 'approval-requested');
    await expect(gate.edit(approvalId, { path: '/secret' })).rejects.toBeInstanceOf(InvalidDecisionError);
    await gate.edit(approvalId, { path: '/b' });
    await collect(run);
    expect(ran).toEqual([{ path: '/b' }]);
  });

  it('cannot carry out an edit through toolApproval(): it is a denial', async () => {
    const { ran, tools } = toolOf(path);
    const entry = waitingEntries.find(([name]) => name === 'toolApproval')?.[1];
    await entry?.({
      turns: turns(),
      tools,
      interruptOn: 'all',
      onApprovalRequest: () => ({ type: 'edit', args: { path: '/b' } }),
    });
    expect(ran).toEqual([]);
  });
});

describe('an edit that the policy denies', () => {
  const policy: PolicyDocument = {
    version: 1,
    rule: [
      { effect: 'deny', commands: ['rm'], reason: 'nothing is deleted' },
      { effect: 'deny', tools: 'execute', writes: '/etc/**' },
    ],
  };
  const denied = ['rm -rf /', 'true; rm x', 'sh -c "rm x"', 'echo x > /etc/passwd', 'echo $(rm x)'];
  const judge = ({ args }: { args: unknown }) =>
    (args as { command: string }).command.includes('smelly') ? ('deny' as const) : undefined;
  const executing = () => {
    const ran: string[] = [];
    const execute = async ({ command }: { command: string }) => void ran.push(command);
    const tools = { execute: tool({ inputSchema: z.object({ command: z.string() }), execute }) } as ToolSet;
    return { ran, tools, turns: [calls(call('execute', { command: 'make' }, 'c1')), says('.')] };
  };
  const gatings: [string, () => { gate: Gate; policy?: PolicyDocument }][] = [
    ['of the gate', () => ({ gate: createGate({ policy, judge }) })],
    ['of the run', () => ({ gate: createGate({ judge }), policy })],
    ['of the run, on a gate that allows', () => ({ gate: createGate({ policy: { version: 1 }, judge }), policy })],
  ];

  it.each(gatings)('(%s) is refused, and the request goes on waiting', async (_, gating) => {
    const { ran, tools, turns } = executing();
    const { gate, ...more } = gating();
    const { run } = start({ turns, tools, gate, interruptOn: 'all', ...more });
    const { approvalId } = await until(run, 'approval-requested');
    for (const command of [...denied, 'smelly']) {
      await expect(gate.edit(approvalId, { command })).rejects.toBeInstanceOf(InvalidDecisionError);
      await expect(gate.decide(approvalId, { type: 'edit', args: { command } })).rejects.toThrow(InvalidDecisionError);
      expect(await gate.get(approvalId)).toMatchObject({ status: 'pending', decision: null });
    }
    await expect(gate.edit(approvalId, { command: 'rm x' })).rejects.toThrow(/nothing is deleted/);
    await gate.edit(approvalId, { command: 'ls' });
    await collect(run);
    expect(ran).toEqual(['ls']);
    await gate.close();
  });

  it.each(gatings)('(%s) is a rejection when a callback answers it', async (_, gating) => {
    for (const [name, entry] of waysWithPolicy) {
      const { ran, tools, turns } = executing();
      const { gate, ...more } = gating();
      const onApprovalRequest = () => ({ type: 'edit', args: { command: 'true && rm x' } }) as const;
      await entry({ turns, tools, gating: { gate, interruptOn: 'all', ...more, onApprovalRequest } });
      expect([name, ran]).toEqual([name, []]);
    }
  });

  it('is refused where a policy that came meanwhile denies it', async () => {
    const { ran, tools, turns } = executing();
    let strict = false;
    const policy = definePolicy(
      [
        { if: () => strict, effect: 'deny' },
        { tools: 'execute', effect: 'ask' },
      ],
      { match: 'strictest' },
    );
    const gate = createGate({ policy });
    const { run } = start({ turns, tools, gate });
    const { approvalId } = await until(run, 'approval-requested');
    strict = true;
    await expect(gate.edit(approvalId, { command: 'ls' })).rejects.toBeInstanceOf(InvalidDecisionError);
    strict = false;
    await gate.edit(approvalId, { command: 'ls -l' });
    await collect(run);
    expect(ran).toEqual(['ls -l']);
  });
});
