/** One decision for several requests: each by itself, and none that stands out unless somebody looked at it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonSchema } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApprovalRequest, Gate, GateOptions } from '../../index.js';
import { createGate, gateTools, InvalidDecisionError } from '../../ts/index.js';
import { WaitingAsks } from '../../ts/cli/chat/asks.js';
import { readAnswer } from '../../ts/cli/chat/answers.js';
import { choicesOf } from '../../ts/cli/chat/screen/choices.js';
import type { ApprovalAsk } from '../../ts/cli/chat/view.js';
import { isAlike } from '../../ts/gate/batch.js';
import { countersign } from '../cli/command.js';
import { PATIENTLY } from '../runtimes.js';

function gateOf(options: GateOptions = {}): Gate {
  const gate = createGate(options);
  onTestFinished(() => gate.close());
  return gate;
}

/** Calls that wait, in their order. */
async function waiting(gate: Gate, ...commands: string[]): Promise<string[]> {
  for (const [at, command] of commands.entries())
    gate.request({ toolName: 'execute', args: { command }, runId: 'run', toolCallId: `call-${at}` }).catch(() => {});
  return vi.waitFor(async () => {
    const found = await gate.pending();
    expect(found).toHaveLength(commands.length);
    const idOf = (at: number) => found.find(({ toolCallId }) => toolCallId === `call-${at}`)!.approvalId;
    return commands.map((_, at) => idOf(at));
  }, PATIENTLY);
}

const statusOf = async (gate: Gate, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await gate.get(id))?.status));

describe('decideAll', () => {
  it('approves each with its own arguments, by one who is named', async () => {
    const gate = gateOf();
    const ids = await waiting(gate, 'make a', 'make b', 'make c');
    const results = await gate.decideAll(
      [...ids, ids[0]!],
      { type: 'approve', reason: 'all three' },
      {
        by: 'ada',
        seen: ids,
      },
    );
    expect(results.map(({ record }) => [record?.args, record?.decidedBy, record?.decision])).toEqual(
      ['make a', 'make b', 'make c'].map((command) => [{ command }, 'ada', { type: 'approve', reason: 'all three' }]),
    );
    expect(new Set(results.map(({ record }) => record?.digest)).size).toBe(3);
  });

  it('leaves what stands out waiting, unless it was seen', async () => {
    const gate = gateOf({ policy: { version: 1 } });
    const ids = await waiting(gate, 'ls', 'rm -rf build', 'ls \u202Ea');
    const results = await gate.decideAll(ids, { type: 'approve' });
    expect(results.map(({ error }) => error instanceof InvalidDecisionError)).toEqual([false, true, true]);
    expect((await statusOf(gate, ids)).slice(1)).toEqual(['pending', 'pending']);
    const again = await gate.decideAll(ids.slice(1), { type: 'approve' }, { seen: [ids[1]!] });
    expect(again.map(({ record }) => record !== null)).toEqual([true, false]);
    // To refuse it nobody has to look.
    const [refused] = await gate.decideAll([ids[2]!], { type: 'reject' });
    expect(refused?.record?.status).toBe('rejected');
  });

  it('leaves what nobody looked at waiting, unless it is proven to do no harm', async () => {
    const commands = [
      'cp a .git/hooks/pre-commit',
      'echo x >> ~/.bashrc',
      'cat .env',
      'eval "$X"',
      'git config --global core.editor x',
      'make deploy',
      './x',
    ];
    for (const options of [{}, { policy: { version: 1 } } as const]) {
      const gate = gateOf(options);
      const ids = await waiting(gate, ...commands);
      const results = await gate.decideAll(ids, { type: 'approve' });
      expect(results.map(({ error }) => error?.message)).toEqual(
        commands.map(() => expect.stringMatching(/not approved among others/) as string),
      );
      expect(await statusOf(gate, ids)).toEqual(commands.map(() => 'pending'));
      const seen = await gate.decideAll(ids, { type: 'approve' }, { seen: ids });
      expect(seen.every(({ record }) => record?.status === 'approved' || record?.status === 'succeeded')).toBe(true);
    }
  });

  it('leaves what is to reach more than its line says waiting: no proof is about that', async () => {
    const gate = gateOf({ policy: { version: 1 } });
    const reaches = [{ write: ['/etc'] }, { read: ['/etc'] }, { network: ['*'] }, 'all'];
    for (const [at, reach] of reaches.entries())
      gate
        .request({ toolName: 'execute', args: { command: 'ls', reach }, runId: 'run', toolCallId: `reach-${at}` })
        .catch(() => {});
    const ids = await vi.waitFor(async () => {
      const found = await gate.pending();
      expect(found).toHaveLength(reaches.length);
      return found.map(({ approvalId }) => approvalId);
    }, PATIENTLY);
    const results = await gate.decideAll(ids, { type: 'approve' });
    expect(results.map(({ error }) => error instanceof InvalidDecisionError)).toEqual(ids.map(() => true));
    expect(await statusOf(gate, ids)).toEqual(ids.map(() => 'pending'));
    const seen = await gate.decideAll(ids, { type: 'approve' }, { seen: ids });
    expect(seen.map(({ error }) => error)).toEqual(ids.map(() => null));
  });

  it('goes on where one is decided by then, or is not there', async () => {
    const gate = gateOf();
    const ids = await waiting(gate, 'make a', 'make b');
    await gate.reject(ids[0]!);
    const nobody = '00000000-0000-7000-8000-000000000000';
    const results = await gate.decideAll([ids[0]!, nobody, ids[1]!], { type: 'approve' }, { seen: ids });
    expect(results.map(({ error }) => (error as { code?: string } | null)?.code)).toEqual([
      'ERR_ALREADY_DECIDED',
      'ERR_UNKNOWN_APPROVAL',
      undefined,
    ]);
  });

  it('changes nothing of what another edited, answered or refused', async () => {
    const gate = gateOf();
    const ids = await waiting(gate, 'make a', 'make b', 'make c', 'make d');
    await gate.edit(ids[0]!, { command: 'make z' }, { by: 'noah' });
    await gate.respond(ids[1]!, 'made by hand');
    await gate.reject(ids[2]!, 'no');
    const results = await gate.decideAll(ids, { type: 'approve' }, { by: 'mia', seen: ids });
    expect(results.map(({ error }) => (error as { code?: string } | null)?.code)).toEqual([
      'ERR_ALREADY_DECIDED',
      'ERR_ALREADY_DECIDED',
      'ERR_ALREADY_DECIDED',
      undefined,
    ]);
    const [edited] = await Promise.all(ids.map((id) => gate.get(id)));
    expect([edited?.decidedBy, edited?.decision]).toMatchObject([
      'noah',
      { type: 'edit', args: { command: 'make z' } },
    ]);
  });

  it('lets none run whose file is no longer what was shown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'batch-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const gate = gateOf({ policy: { version: 1 }, place: { cwd: folder, project: folder } });
    const ran: string[] = [];
    const execute = async ({ path }: { path: string }) => ran.push(path);
    const tools = gateTools({ write_file: { inputSchema: jsonSchema({ type: 'object' }), execute } } as never, {
      gate,
    }) as unknown as { write_file: { execute: (args: object, options: object) => Promise<unknown> } };
    const write = (path: string) =>
      tools.write_file.execute({ path, content: 'new' }, { toolCallId: path, messages: [] }).catch(() => {});
    const first = write('a.txt');
    void write('b.txt');
    const ids = await vi.waitFor(async () => {
      const found = await gate.pending();
      expect(found).toHaveLength(2);
      return found.map(({ approvalId }) => approvalId);
    }, PATIENTLY);
    writeFileSync(join(folder, 'b.txt'), 'of somebody else');
    await gate.decideAll(ids, { type: 'approve' });
    await first;
    // It is asked about once more, with what it would write over now, and stands out.
    const again = await vi.waitFor(async () => {
      const [found] = await gate.pending();
      expect(found).toBeDefined();
      return found!;
    }, PATIENTLY);
    expect([again.toolCallId, ran]).toEqual(['b.txt', ['a.txt']]);
    const [refused] = await gate.decideAll([again.approvalId], { type: 'approve' });
    expect(refused?.error?.message).toMatch(/stands out/);
  });

  it.each([
    [{ type: 'edit', args: {} }],
    [{ type: 'respond', output: 1 }],
    [{ type: 'approve', remember: 'session' }],
    [true],
    [null],
  ])('takes no %j: nothing is decided', async (decision) => {
    const gate = gateOf();
    const ids = await waiting(gate, 'make a');
    await expect(gate.decideAll(ids, decision as never)).rejects.toThrow(InvalidDecisionError);
    expect(await statusOf(gate, ids)).toEqual(['pending']);
  });

  it('takes at most 100, and ids alone', async () => {
    const gate = gateOf();
    const ids = Array.from({ length: 101 }, (_, at) => String(at));
    await expect(gate.decideAll(ids, { type: 'skip' })).rejects.toThrow(/at most 100/);
    await expect(gate.decideAll('all' as never, { type: 'skip' })).rejects.toThrow(/list of approval ids/);
  });
});

describe('what is alike', () => {
  const allow = { label: 'Always allow any `make …`', rules: [], also: [] };
  const of = (more: object): ApprovalRequest =>
    ({
      approvalId: String(Math.random()),
      kind: 'approval',
      runId: 'run',
      toolName: 'execute',
      args: { command: 'make a' },
      flags: [],
      verdict: null,
      changes: [],
      origin: ['main'],
      description: '',
      allowedDecisions: ['approve', 'reject'],
      needs: [],
      votes: [],
      requester: null,
      contents: 'kept',
      proven: null,
      always: { allow, deny: null },
      ...more,
    }) as never;

  it('is of one tool in one run, what the same "always" would answer, and does not stand out', () => {
    const one = of({});
    expect(isAlike(one, of({}))).toBe(true);
    expect(isAlike(one, one)).toBe(false);
    for (const more of [
      { runId: 'other' },
      { toolName: 'other' },
      { always: { allow: { ...allow, label: 'other' }, deny: null } },
      { always: { allow: null, deny: null } },
      { kind: 'question' },
      { flags: ['bidi'] },
      { args: { command: 'rm -rf build' } },
      { allowedDecisions: ['reject'] },
    ])
      expect(isAlike(one, of(more)), JSON.stringify(more)).toBe(false);
    const none = of({ always: { allow: null, deny: null } });
    expect(isAlike(none, of({ always: { allow: null, deny: null } }))).toBe(false);
  });

  it('is offered in the chat, with how many they are', () => {
    const asks = new WaitingAsks();
    for (const request of [of({}), of({}), of({}), of({ runId: 'other' })]) asks.add(request);
    const [first, , , alone] = asks.view() as ApprovalAsk[];
    const labels = (ask: ApprovalAsk) => choicesOf(ask, { of: 'call' }).map(({ label }) => label);
    expect(labels(first!)).toContain('Yes, to all 3 like this');
    expect(labels(alone!).some((label) => label.includes('like this'))).toBe(false);
    expect(readAnswer('l', first!)).toEqual({ type: 'like' });
  });
});

describe('countersign approve --like', () => {
  it('approves those that wait and are like it, and no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'batch-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const ledger = `sqlite:${join(folder, 'ledger.db')}` as const;
    const gate = gateOf({ ledger });
    const ids = await waiting(gate, 'make a', 'make b');
    // Of requests of code nothing is offered, so that nothing is like them.
    const { code } = await countersign(['approve', ids[0]!, '--like', '--ledger', ledger], { cwd: folder });
    expect(code).toBe(0);
    expect((await statusOf(gate, ids))[1]).toBe('pending');
    const wrong = await countersign(['approve', ids[1]!, '--like', '--remember', 'always', '--ledger', ledger], {
      cwd: folder,
    });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('pass one of them')]);
  });
});
