/** What is remembered is narrower than what is offered, or it is refused; some of it is used up; a policy may forbid it. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { jsonSchema } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Gate, GateOptions, PolicyDocument, Remember } from '../../index.js';
import { createGate, gateTools, InvalidDecisionError, streamWithEvents } from '../../ts/index.js';
import { askOf } from '../../ts/cli/chat/asks.js';
import { readAnswer } from '../../ts/cli/chat/answers.js';
import type { ApprovalAsk } from '../../ts/cli/chat/view.js';
import { offered, readRemember } from '../../ts/cli/remember.js';
import { kept } from '../cli/kept.js';
import { countersign } from '../cli/command.js';
import { inboxOf, Person } from '../inbox/support.js';
import { Worker } from '../ledger/processes.js';
import { call, calls as turn, collect, says, scripted } from '../support/model.js';
import { machine } from './machine.js';
import { PATIENTLY } from '../runtimes.js';

const ASKS: PolicyDocument = { version: 1 };

function gateOf(options: GateOptions = {}): Gate {
  const gate = createGate({ policy: ASKS, place: { cwd: '/project', project: '/project' }, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

let made = 0;

interface Asked {
  ended: Promise<string>;
  request: () => Promise<ApprovalRequest>;
}

/** A command, or the arguments of `write_file`, as a call of a tool at a gate. */
function calls(gate: Gate, given: string | object, interruptOn?: object): Asked {
  made++;
  const toolCallId = `call-${made}`;
  const [name, args] = typeof given === 'string' ? ['execute', { command: given }] : ['write_file', given];
  const tools = gateTools(
    { [name]: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
    { gate, runId: `run-${made}`, ...(interruptOn === undefined ? {} : { interruptOn }) } as never,
  ) as Record<string, { execute: (args: object, options: object) => Promise<string> }>;
  const ended = tools[name]!.execute(args, { toolCallId, messages: [] });
  ended.catch(() => {});
  const request = () =>
    vi.waitFor(async () => {
      const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
      expect(found).toBeDefined();
      return found!;
    }, PATIENTLY);
  return { ended, request };
}

/** Approves one call, and remembers it so. */
async function remembers(gate: Gate, given: string | object, remember: Remember): Promise<void> {
  const { ended, request } = calls(gate, given);
  await gate.approve((await request()).approvalId, { remember });
  await ended;
}

/** Whether a call runs without a question. */
async function runs(gate: Gate, given: string | object): Promise<boolean> {
  const { ended, request } = calls(gate, given);
  const asked = request().then(async ({ approvalId }) => {
    await gate.reject(approvalId);
    return false;
  });
  asked.catch(() => {});
  return Promise.race([asked, ended.then((said) => said === 'done')]);
}

/** A home of its own for the test, with a project in it. */
function userOfAProject(): { home: string; project: string } {
  const home = mkdtempSync(join(tmpdir(), 'remembering-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  const project = join(home, 'app');
  mkdirSync(join(project, '.countersign'), { recursive: true });
  return { home, project };
}

describe('what is narrower', () => {
  it('is remembered in the place of the offer', async () => {
    const gate = gateOf();
    const rules = [{ tools: 'execute', effect: 'allow', commands: [{ words: 'git log -3', exact: true }] }] as const;
    await remembers(gate, 'git log -3', { scope: 'session', rules });
    expect((await gate.grants.list())[0]?.label).toBe('Always allow exactly `git log -3`');
    expect(await runs(gate, 'git log -3')).toBe(true);
    expect(await runs(gate, 'git log -4')).toBe(false);
  });

  it.each([
    ['another command', [{ tools: 'execute', effect: 'allow', commands: ['rm'] }]],
    ['a shorter beginning', [{ tools: 'execute', effect: 'allow', commands: ['git'] }]],
    ['all tools', [{ effect: 'allow', commands: ['git log'] }]],
    ['a path that nobody was asked about', [{ tools: 'execute', effect: 'allow', writes: '**' }]],
    ['a pattern of words', [{ tools: 'execute', effect: 'allow', commands: ['git l*'] }]],
    ['any words between', [{ tools: 'execute', effect: 'allow', commands: ['git ** log'] }]],
    ['a pattern of tools', [{ tools: 'exec*', effect: 'allow', commands: ['git log'] }]],
    ['what runs confined', [{ tools: 'execute', effect: 'allow', commands: ['git log'], confined: 'project' }]],
    ['what is for a reviewer', [{ tools: 'execute', effect: 'allow', commands: ['git log'], reviewer: true }]],
    ['an ask', [{ tools: 'execute', effect: 'ask', commands: ['git log'], reviewer: true }]],
    ['a rule with a condition', [{ tools: 'execute', effect: 'allow', commands: ['git log'], condition: 0 }]],
    ['a function', [{ tools: 'execute', effect: 'allow', commands: ['git log'], condition: () => true }]],
    ['a rule with hints', [{ tools: 'execute', effect: 'deny', annotations: { readOnlyHint: true } }]],
    ['a rule that names people', [{ tools: 'execute', effect: 'ask', commands: ['git log'], approvers: ['mia'] }]],
    ['all that writes, too', [{ tools: 'execute', effect: 'allow', commands: ['git log'], writes: '!a' }]],
    ['every call of the tool', [{ tools: 'execute', effect: 'allow' }]],
    [
      'one of two',
      [
        { tools: 'execute', effect: 'allow', commands: ['git log -3'] },
        { tools: '*', effect: 'allow' },
      ],
    ],
    ['a denial', [{ tools: 'execute', effect: 'deny', commands: ['git log'] }]],
    ['nothing at all', []],
    ['no rule', [{ tool: 'execute' }]],
  ])('is not %s: refused, and the request goes on waiting', async (_, rules) => {
    const gate = gateOf();
    const { request } = calls(gate, 'git log -3');
    const { approvalId } = await request();
    const remember = { scope: 'session', rules } as never;
    await expect(gate.approve(approvalId, { remember })).rejects.toThrow(InvalidDecisionError);
    expect((await gate.get(approvalId))?.status).toBe('pending');
    expect(await gate.grants.list()).toEqual([]);
  });

  it.each([
    ['.env', 'a name of a secret'],
    ['.git/hooks/**', 'a name of what runs later'],
    ['{.env,a}', 'alternatives'],
    ['../**', 'a way up'],
  ])('is not src/%s for all files below src/: %s', async (below) => {
    const gate = gateOf();
    const { request } = calls(gate, { path: 'src/a.ts', content: '' });
    const { approvalId, always } = await request();
    expect(always.allow?.rules[0]?.writes).toEqual(['${project}/src/**']);
    const rules = [{ ...always.allow!.rules[0]!, writes: `\${project}/src/${below}` }];
    await expect(gate.approve(approvalId, { remember: { scope: 'session', rules } })).rejects.toThrow(
      InvalidDecisionError,
    );
  });

  it('answers nothing that the offer leaves to the human, whatever its words spell out', async () => {
    const gate = gateOf();
    const words = 'git diff --no-index .env other';
    const rules = [{ tools: 'execute', effect: 'allow', commands: [{ words, exact: true }] }] as const;
    await remembers(gate, 'git diff -3', { scope: 'session', rules });
    const [grant] = await gate.grants.list();
    expect(grant).toMatchObject({
      label: `Always allow exactly \`${words}\``,
      within: [{ commands: [['git', 'diff']] }],
    });
    // What is offered speaks of the command, and not of a file of secrets.
    expect(await runs(gate, words)).toBe(false);
  });

  it('answers a call together with other grants, part by part', async () => {
    const gate = gateOf();
    await remembers(gate, 'git log -3', { scope: 'session', exact: true });
    await remembers(gate, 'npm run build', 'session');
    expect(await runs(gate, 'git log -3 && npm run build')).toBe(true);
    expect(await runs(gate, 'git log -4 && npm run build')).toBe(false);
  });

  it('is a rejection from a callback where it is not: it does not run, and nothing is remembered', async () => {
    const gate = gateOf();
    const tools = gateTools(
      { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
      {
        gate,
        onApprovalRequest: () => ({
          type: 'approve',
          remember: { scope: 'session', rules: [{ effect: 'allow', tools: '*', commands: ['rm'] }] },
        }),
      },
    ) as { execute: { execute: (args: object, options: object) => Promise<string> } };
    const said = await tools.execute.execute({ command: 'git log' }, { toolCallId: 'own', messages: [] });
    expect(said).not.toBe('done');
    expect(await gate.grants.list()).toEqual([]);
  });

  it('is the very words of the call with `exact`', async () => {
    const gate = gateOf();
    await remembers(gate, 'git log -3', { scope: 'session', exact: true });
    expect(await runs(gate, 'git log -3')).toBe(true);
    expect(await runs(gate, 'git log')).toBe(false);
  });

  it('is refused with `exact` where the offer is of files: they have no words', async () => {
    const gate = gateOf();
    const { request } = calls(gate, { path: 'src/a.ts', content: '' });
    const { approvalId } = await request();
    const remember = { scope: 'session', exact: true } as const;
    await expect(gate.approve(approvalId, { remember })).rejects.toThrow(/leave `exact` out, or name `rules`/);
  });

  it('is the very words where there are no rules, too', async () => {
    const gate = createGate();
    onTestFinished(() => gate.close());
    const { request, ended } = calls(gate, 'git log -3', { execute: true });
    await gate.approve((await request()).approvalId, { remember: { scope: 'session', exact: true } });
    await ended;
    expect((await gate.grants.list())[0]?.label).toBe('Always allow exactly `git log -3`');
  });

  it.each([
    { scope: 'session', times: 0 },
    { scope: 'session', times: 1.5 },
    { scope: 'session', times: '5' },
    { scope: 'session', exact: 'yes' },
    { scope: 'session', rules: 'git log' },
    { scope: 'session', time: 5 },
  ])('%j is nothing to go by', async (remember) => {
    const gate = gateOf();
    const { request } = calls(gate, 'git log');
    const { approvalId } = await request();
    await expect(gate.approve(approvalId, { remember: remember as never })).rejects.toThrow(InvalidDecisionError);
  });
});

describe('times', () => {
  it('is used up by the last call that it answers, and a look uses nothing', async () => {
    const gate = gateOf();
    await remembers(gate, 'npm run build', { scope: 'session', times: 3 });
    for (let look = 0; look < 9; look++)
      expect((await gate.check({ toolName: 'execute', args: { command: 'npm run build' } })).effect).toBe('allow');
    const ran = [];
    for (let time = 0; time < 4; time++) ran.push(await runs(gate, 'npm run build'));
    expect(ran).toEqual([true, true, true, false]);
    expect(await gate.grants.list()).toEqual([]);
  });

  it('counts a remembered rejection, too', async () => {
    const gate = gateOf();
    const { request, ended } = calls(gate, 'npm run build');
    await gate.reject((await request()).approvalId, { remember: { scope: 'session', times: 1 } });
    await ended;
    const denied = calls(gate, 'npm run build');
    expect(await denied.ended).not.toBe('done');
    expect(await gate.grants.list()).toEqual([]);
  });

  it('is used by calls that run, and by none that only looks: edits, stops of a loop, a mode that is set', async () => {
    const gate = gateOf();
    await remembers(gate, 'npm run build', { scope: 'session', times: 2 });
    const edited = calls(gate, 'npm run lint');
    await gate.edit((await edited.request()).approvalId, { command: 'npm run build' });
    expect(await edited.ended).toBe('done');
    const waits = calls(gate, 'npm run lint');
    const { approvalId } = await waits.request();
    await gate.setMode('auto');
    await gate.setMode('safe');
    expect((await gate.get(approvalId))?.status).not.toBe('pending');
    expect((await gate.grants.list())[0]?.times).toBe(2);
    const stopped = gateTools(
      { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
      { gate, mode: 'stop' } as never,
    ) as unknown as {
      execute: Record<'needsApproval' | 'execute', (args: object, options: object) => Promise<unknown>>;
    };
    const options = { toolCallId: 'stopped', messages: [] };
    expect(await stopped.execute.needsApproval({ command: 'npm run build' }, options)).toBe(false);
    expect(await stopped.execute.execute({ command: 'npm run build' }, options)).toBe('done');
    expect((await gate.grants.list())[0]?.times).toBe(1);
  });

  const build = { command: 'npm run build' };
  const lint = { command: 'npm run lint' };
  const left = async (gate: Gate) => (await gate.grants.list())[0]?.times;

  /** Rejects one call, and remembers it so. */
  async function rejects(gate: Gate, times: number): Promise<void> {
    const { request, ended } = calls(gate, build.command);
    await gate.reject((await request()).approvalId, { remember: { scope: 'session', times } });
    await ended;
  }

  /** Asks by code. */
  async function asks(gate: Gate, args: object) {
    const toolCallId = `asked-${++made}`;
    const answer = gate.request({ toolName: 'execute', args, toolCallId });
    const id = () =>
      vi.waitFor(async () => {
        const found = (await gate.pending()).find((each) => each.toolCallId === toolCallId);
        expect(found).toBeDefined();
        return found!.approvalId;
      }, PATIENTLY);
    return { answer, id };
  }

  it('of an approval: no request of code uses it, since a human is asked all the same, nor does an edit of one', async () => {
    const gate = gateOf();
    await remembers(gate, build.command, { scope: 'session', times: 2 });
    const asked = await asks(gate, build);
    await gate.approve(await asked.id());
    expect(await asked.answer).toMatchObject({ approved: true });
    const edited = await asks(gate, lint);
    await gate.edit(await edited.id(), build);
    expect(await edited.answer).toMatchObject({ approved: true, args: build });
    expect(await left(gate)).toBe(2);
  });

  it('of a rejection: each request of code that ends by it uses it, and an edit that is only looked at does not', async () => {
    const gate = gateOf();
    await rejects(gate, 2);
    const edited = await asks(gate, lint);
    await gate.edit(await edited.id(), build).catch(() => {});
    expect(await left(gate)).toBe(2);
    await gate.reject(await edited.id()).catch(() => {});
    expect((await (await asks(gate, build)).answer).approved).toBe(false);
    expect(await left(gate)).toBe(1);
    expect((await (await asks(gate, build)).answer).approved).toBe(false);
    const third = await asks(gate, build);
    await gate.approve(await third.id());
    expect((await third.answer).approved).toBe(true);
  });

  it('of a rejection: a call in a loop that stops uses it once', async () => {
    const gate = gateOf();
    await rejects(gate, 2);
    const { execute } = gateTools(
      { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
      { gate, mode: 'stop' } as never,
    ) as unknown as {
      execute: Record<'needsApproval' | 'execute', (args: object, options: object) => Promise<unknown>>;
    };
    const options = { toolCallId: 'stopped', messages: [] };
    if ((await execute.needsApproval(build, options)) === false)
      expect(await execute.execute(build, options)).not.toBe('done');
    expect(await left(gate)).toBe(1);
  });

  it('of an approval: what waits is looked at once more when a mode is set, and uses nothing', async () => {
    const gate = gateOf();
    const waits = calls(gate, build.command);
    await waits.request();
    await remembers(gate, build.command, { scope: 'session', times: 2 });
    await gate.setMode('auto');
    expect(await left(gate)).toBe(2);
    await gate.setMode('safe');
    for (const { approvalId } of await gate.pending()) await gate.approve(approvalId);
    await waits.ended;
    expect(await left(gate)).toBe(2);
  });

  it.each<[string, object, (gate: Gate) => Promise<ApprovalAnswer>]>([
    ['edited', lint, async () => ({ type: 'edit', args: build })],
    ['approved', build, async () => true],
    [
      'looked at when a mode was set',
      build,
      async (gate) => {
        await gate.setMode('auto');
        await gate.setMode('safe');
        return true;
      },
    ],
  ])(
    'of an approval: a call of a run that was %s uses nothing of what was remembered meanwhile',
    async (_, args, answer) => {
      const gate = gateOf();
      const { model } = scripted([turn(call('execute', args, 'c1')), says('.')]);
      const ran: unknown[] = [];
      const tools = {
        execute: {
          inputSchema: jsonSchema({ type: 'object' }),
          execute: async (given: unknown) => void ran.push(given),
        },
      };
      const onApprovalRequest = async () => {
        await remembers(gate, build.command, { scope: 'session', times: 2 });
        return answer(gate);
      };
      await collect(streamWithEvents({ model, prompt: 'go', tools, gate, onApprovalRequest } as never));
      expect(ran).toEqual([build]);
      expect(await left(gate)).toBe(2);
    },
  );

  it('of an approval: a call that is asked about once more, since its path leads elsewhere by now, uses nothing', async () => {
    const project = realpathSync(mkdtempSync(join(tmpdir(), 'remembering-')));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    for (const folder of ['one', 'other']) mkdirSync(join(project, folder));
    symlinkSync('one', join(project, 'link'));
    const gate = gateOf({ place: { cwd: project, project } });
    const { model } = scripted([turn(call('write_file', { file_path: 'link/a', content: '' }, 'c1')), says('.')]);
    const tools = {
      write_file: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' },
    };
    let asked = 0;
    const onApprovalRequest = async () => {
      if (asked++ === 0) {
        rmSync(join(project, 'link'));
        symlinkSync('other', join(project, 'link'));
        await remembers(gate, { file_path: 'link/a', content: '' }, { scope: 'session', times: 2 });
      }
      return true;
    };
    await collect(streamWithEvents({ model, prompt: 'go', tools, gate, onApprovalRequest } as never));
    expect(asked).toBe(2);
    expect(await left(gate)).toBe(2);
  });

  it('is left where another grant answers as well', async () => {
    const gate = gateOf();
    const asked = [calls(gate, 'npm run build'), calls(gate, 'npm run build')];
    const ids = await Promise.all(asked.map(async ({ request }) => (await request()).approvalId));
    await gate.approve(ids[0]!, { remember: { scope: 'session', times: 1 } });
    await gate.approve(ids[1]!, { remember: 'session' });
    expect(await runs(gate, 'npm run build')).toBe(true);
    expect(await gate.grants.list()).toHaveLength(2);
  });

  it('is used up over several gates on one file, and by several processes at once', async () => {
    const { home, project } = userOfAProject();
    const place = { cwd: project, home };
    const gates = [1, 2, 3].map(() => gateOf({ policyFiles: true, policy: ASKS, place }));
    await remembers(gates[0]!, 'npm run build', { scope: 'always', times: 5 });
    const file = () => JSON.parse(readFileSync(join(home, 'config/countersign/grants.json'), 'utf8')) as object;
    // One that does not count calls must not take it for one without an end.
    expect(file()).toMatchObject({ version: 2, grants: [{ times: 5 }] });
    const ran = await Promise.all(
      Array.from({ length: 9 }, (_, at) => runs(gates[at % gates.length]!, 'npm run build')),
    );
    expect(ran.filter(Boolean)).toHaveLength(5);
    expect(file()).toMatchObject({ version: 1, grants: [] });

    await remembers(gates[0]!, 'npm run build', { scope: 'always', times: 5 });
    const program = join(import.meta.dirname, 'programs/use-grant.mjs');
    const index = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href;
    const workers = [1, 2].map(() => new Worker(process.execPath, [program, index, JSON.stringify(place), '4']));
    onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
    await Promise.all(workers.map((worker) => worker.says('ready')));
    for (const worker of workers) worker.tell('go');
    const each = await Promise.all(workers.map((worker) => worker.says('ran')));
    expect(each.map(Number).reduce((sum, one) => sum + one)).toBe(5);
    expect(file()).toMatchObject({ version: 1, grants: [] });
  });
});

describe('at a terminal', () => {
  it.each([
    ['always', false, { ms: null }],
    ['5x', false, { ms: null, times: 5 }],
    ['30d', true, { ms: 30 * 86_400_000, exact: true }],
  ])('--remember %s, --exact %s', (text, exact, as) => {
    expect(readRemember(text, exact)).toEqual(as);
  });

  it('a line says for how long, and of what; other words are a reason', () => {
    const allow = { label: 'Always allow any `git log …`', rules: [], also: [] };
    const ask = askOf({ ...kept(), always: { allow, deny: null } }, 1, 1) as ApprovalAsk;
    for (const [line, remember] of [
      ['s', { scope: 'session' }],
      ['s run', { scope: 'run' }],
      ['s project', { scope: 'always' }],
      ['s 5x exact', { scope: 'session', times: 5, exact: true }],
    ] as const)
      expect(readAnswer(line, ask)).toEqual({ type: 'always', remember });
    expect(readAnswer('s is wrong here', ask)).toMatchObject({ type: 'reject' });
    expect(readAnswer('s 0x', ask)).toMatchObject({ type: 'reject' });
    expect(readAnswer('s run', { ...ask, always: null })).toMatchObject({ type: 'say' });
  });

  it('--exact remembers the very words of a kept request, or nothing', () => {
    const rules = [{ tools: ['execute'], effect: 'allow', commands: [['git', 'log']] }] as never;
    const allow = { label: 'Always allow any `git log …`', rules, also: [] };
    const command = (...argv: string[]) =>
      ({ kind: 'command', argv, text: argv.join(' '), span: null, wrapper: false, effect: 'ask', rule: null }) as never;
    const verdict = { effect: 'ask', rule: null, reason: '', actions: [command('git', 'log', '-3')] } as never;
    const record = (contents: 'kept' | 'redacted') =>
      kept({ contents, details: { always: { allow, deny: null }, verdict } });
    expect(offered(record('kept'), 'allow', { exact: true }).label).toBe('Always allow exactly `git log -3`');
    // What was taken out of them is not what the call says.
    expect(() => offered(record('redacted'), 'allow', { exact: true })).toThrow(/words are known/);
  });
});

describe('remember = "never"', () => {
  it.each<[string, PolicyDocument]>([
    ['a document', { version: 1, remember: 'never' }],
    ['a rule', { version: 1, rule: [{ effect: 'ask', commands: ['npm'], remember: 'never' }] }],
  ])('of %s: nothing is offered, and an answer that asks for it is refused', async (_, policy) => {
    const gate = gateOf({ policy });
    const { request } = calls(gate, 'npm run build');
    const { approvalId, always } = await request();
    expect(always).toEqual({ allow: null, deny: null });
    await expect(gate.approve(approvalId, { remember: 'session' })).rejects.toThrow(InvalidDecisionError);
    await expect(gate.reject(approvalId, { remember: 'session' })).rejects.toThrow(InvalidDecisionError);
  });

  it('of a file: what was granted before answers no more', async () => {
    const { home, project } = userOfAProject();
    const gate = gateOf({ policyFiles: true, place: { cwd: project, home } });
    await remembers(gate, 'npm run build', 'session');
    expect(await runs(gate, 'npm run build')).toBe(true);
    writeFileSync(join(project, '.countersign', 'policy.toml'), 'version = 1\nremember = "never"\n');
    expect(await runs(gate, 'npm run build')).toBe(false);
  });

  it('of a file: no door remembers what was offered before it stood there', async () => {
    const { root, home, env, user } = machine();
    const ledger = `sqlite:${join(root, 'ledger.db')}` as const;
    const gate = gateOf({ ledger, policyFiles: true, place: { cwd: root, home } });
    const waits = calls(gate, 'npm run build');
    const { approvalId, always } = await waits.request();
    expect(always.allow).not.toBeNull();
    user('version = 1\nremember = "never"\n');
    for (const scope of ['run', 'session', 'always'] as const) {
      const why = expect.objectContaining({
        code: 'ERR_INVALID_DECISION',
        message: expect.stringMatching(/policy\.toml says remember = "never"/),
      });
      await expect(gate.approve(approvalId, { remember: scope })).rejects.toThrow(why);
      await expect(gate.reject(approvalId, { remember: { scope, times: 1 } })).rejects.toThrow(why);
      await expect(gate.decide(approvalId, { type: 'approve', remember: scope })).rejects.toThrow(why);
    }
    const person = new Person(inboxOf(gate, { remember: ['run', 'session', 'always'] }), 'mia');
    const decision = { type: 'approve', remember: 'always' };
    expect((await person.post(`api/requests/${approvalId}/decision`, { decision })).status).toBe(422);
    const run = (...args: string[]) => countersign([...args, '--ledger', ledger], { cwd: root, env });
    for (const word of ['approve', 'reject']) {
      const refused = await run(word, approvalId, '--remember', '5x', '--yes');
      expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('says remember = "never"')]);
    }
    const suggested = await run('policy', 'suggest', '--cwd', root);
    expect([suggested.code === 0, suggested.stderr]).toEqual([false, expect.stringContaining('remember = "never"')]);
    expect((await gate.get(approvalId))?.status).toBe('pending');
    await gate.reject(approvalId);
    // Of what is asked about from now on nothing is offered; a callback's answer counts once.
    const tools = gateTools(
      { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
      { gate, onApprovalRequest: () => ({ type: 'approve', remember: 'session' }) } as never,
    ) as unknown as { execute: { execute: (args: object, options: object) => Promise<string> } };
    const said = await tools.execute.execute({ command: 'npm run build' }, { toolCallId: 'own', messages: [] });
    expect(said).toBe('done');
    expect(await gate.grants.list()).toEqual([]);
  });

  it('of a run: its gate, which has no rules, offers nothing either', async () => {
    const gate = createGate({ place: { cwd: '/project', project: '/project' } });
    onTestFinished(() => gate.close());
    const policy: PolicyDocument = { version: 1, rule: [{ effect: 'ask', tools: 'execute', remember: 'never' }] };
    let offered: unknown;
    const tools = gateTools(
      { execute: { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'done' } } as never,
      {
        gate,
        policy,
        onApprovalRequest: ({ always }: ApprovalRequest) => {
          offered = always;
          return true;
        },
      } as never,
    ) as { execute: { execute: (args: object, options: object) => Promise<string> } };
    await tools.execute.execute({ command: 'npm run build' }, { toolCallId: 'own', messages: [] });
    expect(offered).toEqual({ allow: null, deny: null });
  });

  it('is for rules that ask alone', () => {
    const policy = { version: 1, rule: [{ effect: 'allow', commands: ['ls'], remember: 'never' }] };
    expect(() => createGate({ policy: policy as never })).toThrow(/only a rule that asks/);
  });
});
