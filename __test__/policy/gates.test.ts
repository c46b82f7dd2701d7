/** Policies at work in a gate: files that change, modes, tools that are hidden, places, hints of tools. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { tool } from 'ai';
import { z } from 'zod';
import type { GateEvent, PolicyDocument, PolicyEffect, PolicyMode } from '../../index.js';
import {
  checkPolicy,
  createGate,
  definePolicy,
  explainPolicy,
  InvalidConfigError,
  ModeForbiddenError,
} from '../../ts/index.js';
import { localGate } from '../../ts/gate/gate.js';
import { snapshot } from '../../ts/values/snapshot.js';
import { sample } from '../support/effort.js';
import { call, calls, says, type ModelTurn } from '../support/model.js';
import { play } from '../support/play.js';
import { machine } from './machine.js';
import { scratch, usualTools } from './support.js';
import { became, ways } from './ways.js';

const run = (command: string) => ({ toolName: 'execute', args: { command } });
const [stream] = ways as [(typeof ways)[number]];
const rule = (effect: string, commands: string) => `[[rule]]\neffect = "${effect}"\ncommands = ["${commands}"]\n`;
const file = (text: string) => `version = 1\n${text}`;

describe('a policy file that changes', () => {
  const watched = () => {
    const { root, user, project } = machine();
    const error = vi.fn();
    const gate = createGate({ policyFiles: true, place: { cwd: root }, logger: { error } });
    const events: GateEvent[] = [];
    void (async () => {
      for await (const event of gate.events()) events.push(event);
    })();
    const effect = async (command: string) => (await gate.check(run(command))).effect;
    return { root, user, project, gate, events, error, effect };
  };

  it('counts from the next call on', async () => {
    const { user, effect, events, gate } = watched();
    expect(await effect('make')).toBe('ask');
    user(file(rule('allow', 'make')));
    expect(await effect('make')).toBe('allow');
    const path = user(file(rule('deny', 'make')));
    expect(await effect('make')).toBe('deny');
    // What it denied stays denied: it may not have been removed on purpose.
    rmSync(path);
    expect(await effect('make')).toBe('deny');
    rmSync(dirname(path), { recursive: true });
    expect(await effect('make')).toBe('deny');
    user(file(rule('allow', 'make')));
    expect(await effect('make')).toBe('allow');
    await gate.close();
    expect(events.filter(({ type }) => type === 'policy-changed').length).toBeGreaterThan(3);
  });

  it('and goes away denies what it denied, allows nothing, and is told of', async () => {
    const { user, effect, events, gate } = watched();
    const path = user(file(`${rule('allow', 'make')}${rule('deny', 'rm')}`));
    expect([await effect('make'), await effect('rm x')]).toEqual(['allow', 'deny']);
    rmSync(path);
    expect([await effect('make'), await effect('rm x')]).toEqual(['ask', 'deny']);
    await gate.close();
    const told = events.filter((event) => event.type === 'policy-changed').at(-1);
    expect(told?.problems).toEqual([expect.objectContaining({ code: 'ERR_POLICY_FILE', source: path })]);
    expect(told?.problems[0]?.message).toContain('was there and is gone');
  });

  it.runIf(process.platform !== 'win32')('and is a symlink to what is away lets nothing be allowed', async () => {
    const { root, user } = machine();
    const path = user(file(rule('deny', 'rm')));
    rmSync(path);
    symlinkSync(join(root, 'nope.toml'), path);
    const policy = { version: 1, rule: [{ effect: 'allow', commands: ['rm', 'make'] }] } as const;
    await using gate = createGate({ policyFiles: true, policy, place: { cwd: root } });
    const { effect, reason } = await gate.check(run('make'));
    expect([effect, reason]).toEqual(['ask', expect.stringContaining('is a symlink to what is not there')]);
  });

  it('of the same length and in the same moment counts too', async () => {
    const { user, effect } = watched();
    for (let round = 0; round < 20; round++) {
      user(file(rule(round % 2 === 0 ? 'allow' : 'deny '.trim(), 'make').replace('"deny"', '"deny" ')));
      expect(await effect('make')).toBe(round % 2 === 0 ? 'allow' : 'deny');
    }
  });

  const broken = file('[[rule]]\nefect = "allow"\ncommands = ["rm"]\n');

  it('and cannot be read keeps the old rules, until it is mended', async () => {
    const { user, effect } = watched();
    user(file(`${rule('deny', 'rm')}${rule('ask', 'make')}`));
    expect([await effect('rm x'), await effect('make')]).toEqual(['deny', 'ask']);
    user(broken);
    expect([await effect('rm x'), await effect('make')]).toEqual(['deny', 'ask']);
    user(file(rule('allow', 'make')));
    expect([await effect('rm x'), await effect('make')]).toEqual(['ask', 'allow']);
  });

  it('and cannot be read is told of', async () => {
    const { user, effect, events, error, gate } = watched();
    user(file(rule('deny', 'rm')));
    await effect('rm x');
    const path = user(broken);
    await effect('rm x');
    await gate.close();
    const told = events.filter((event) => event.type === 'policy-changed').at(-1);
    expect(told?.problems.map(({ code, source, line }) => [code, source, line])).toContainEqual([
      'ERR_POLICY_UNKNOWN_KEY',
      path,
      3,
    ]);
    expect(error).toHaveBeenCalledWith(expect.stringMatching(/cannot be read/), expect.anything());
  });

  it('and is broken from the start asks about everything, and says so', async () => {
    const { root, user } = machine();
    user('version = ');
    const error = vi.fn();
    const gate = createGate({
      policy: { version: 1, default: 'allow' },
      policyFiles: true,
      place: { cwd: root },
      logger: { error },
    });
    expect((await gate.check(run('ls'))).effect).toBe('ask');
    expect(error).toHaveBeenCalled();
    expect((await became(stream, run('ls'), { gate })).effect).toBe('ask');
  });

  it('and is broken from the start takes its denies with it: each question and a warning name the file', async () => {
    const { root, user } = machine();
    const path = user(file('[[rule]]\nefect = "deny"\neffect = "deny"\nreads = ["${project}/.env"]\n'));
    const warned: string[] = [];
    const listen = (warning: Error) => warned.push(warning.message);
    process.on('warning', listen);
    const said = `${path}:3:1 is broken, and none of its rules count, denies included: unknown key "efect"`;
    try {
      for (const policy of [undefined, { version: 1 as const, default: 'allow' as const }]) {
        const gate = createGate({ policyFiles: true, place: { cwd: root }, ...(policy && { policy }) });
        for (const command of ['cat .env', 'ls']) {
          const { effect, reason } = await gate.check(run(command));
          expect([effect, reason.slice(0, said.length)], command).toEqual(['ask', said]);
        }
        await gate.close();
      }
      await new Promise((resolve) => setTimeout(resolve, 0));
      expect(warned).toEqual([expect.stringContaining(said)]);
    } finally {
      process.off('warning', listen);
    }
  });

  it.each<[string, (path: string) => void]>([
    ['becomes a directory', (path) => (rmSync(path), mkdirSync(path))],
    ['becomes a link that leads nowhere', (path) => (rmSync(path), symlinkSync('/nowhere/x', path))],
    ['becomes a link to itself', (path) => (rmSync(path), symlinkSync(path, path))],
    ["is everybody's to write", (path) => chmodSync(path, 0o666)],
  ])('and %s never loosens', async (_, change) => {
    const { user, effect } = watched();
    const path = user(file(rule('deny', 'rm')));
    expect(await effect('rm x')).toBe('deny');
    change(path);
    expect(await effect('rm x')).not.toBe('allow');
    expect(await effect('ls')).toBe('ask');
  });

  it('in the middle of a run counts for its next call', async () => {
    const { root, user } = machine();
    user(file(rule('allow', 'make')));
    const { ran, tools } = usualTools(root);
    const asked: string[] = [];
    await play({
      tools,
      gate: createGate({ policyFiles: true, place: { cwd: root } }),
      turns: [
        calls(call('execute', { command: 'make' }, 'c1')),
        () => (user(file(rule('deny', 'make'))), calls(call('execute', { command: 'make' }, 'c2'))),
        says('.'),
      ],
      onApprovalRequest: ({ toolCallId }) => asked.push(toolCallId) < 0,
    });
    expect([ran, asked]).toEqual([['$ make'], []]);
  });
});

describe('modes', () => {
  const policy: PolicyDocument = {
    version: 1,
    rule: [
      { effect: 'deny', commands: ['rm'] },
      { effect: 'allow', commands: ['make'] },
    ],
  };
  const table: [PolicyMode, PolicyEffect, PolicyEffect, PolicyEffect][] = [
    ['safe', 'allow', 'ask', 'deny'],
    ['auto', 'allow', 'allow', 'deny'],
    ['plan', 'deny', 'deny', 'deny'],
    ['deny-all-asks', 'allow', 'deny', 'deny'],
  ];
  let turn = 0;
  describe.each(ways)('%s', (...way) => {
    it.each(table)('%s', async (mode, allowed, asked, denied) => {
      const commands = [
        ['make', allowed],
        ['npm test', asked],
        ['rm x', denied],
        ['make; npm test', asked],
        ['$X', asked],
      ] as const;
      for (const [command, effect] of sample(commands, 1, turn++))
        expect([command, (await became(way, run(command), { gate: createGate({ policy, mode }) })).effect]).toEqual([
          command,
          effect,
        ]);
    });
  });

  it.each(['auto', 'plan', 'deny-all-asks'] as const)('%s is refused where the policy forbids it', async (mode) => {
    const gate = createGate({ policy: { version: 1, forbid: [mode] } });
    await expect(gate.setMode(mode)).rejects.toBeInstanceOf(ModeForbiddenError);
    await expect(gate.setMode(mode)).rejects.toMatchObject({
      code: 'ERR_MODE_FORBIDDEN',
      mode,
      source: 'policy option',
    });
  });

  it('a mode that a file comes to forbid does not hold any more, and is back when the file is', async () => {
    const { root, user } = machine();
    const gate = createGate({ policyFiles: true, mode: 'auto', place: { cwd: root } });
    expect((await gate.check(run('x'))).effect).toBe('allow');
    user(file('forbid = ["auto"]\n'));
    expect((await gate.check(run('x'))).effect).toBe('ask');
    user(file(''));
    expect((await gate.check(run('x'))).effect).toBe('allow');
  });

  it('a project that nobody trusts may forbid, for that tightens', async () => {
    const { root, project } = machine();
    project(file('forbid = ["auto"]\n'));
    const gate = createGate({ policyFiles: true, place: { cwd: root } });
    await expect(gate.setMode('auto')).rejects.toBeInstanceOf(ModeForbiddenError);
  });

  it('counts where it is set while a call is judged', async () => {
    const { control } = localGate(createGate({ mode: 'auto' }), 'test');
    // The administrator's files count: they are looked at on another thread.
    const policies = control.narrower({ version: 1, default: 'ask' }, 'test');
    const call = { toolCallId: 'c1', toolName: 'execute', args: snapshot({ command: 'make' }) };
    const judging = control.judge(call, policies, { asksFunctions: false, opinions: async () => [] });
    // By now it is: no answer of a thread comes before the turn of the event loop ends.
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    await control.setMode('deny-all-asks');
    expect((await judging).effect).toBe('deny');
  });
});

describe('tools that are denied whatever the arguments', () => {
  const policy: PolicyDocument = {
    version: 1,
    rule: [
      { effect: 'deny', tools: ['deploy', 'mcp__*'] },
      { effect: 'deny', tools: 'read_file', reads: '**/.env' },
      { effect: 'allow', tools: 'execute', commands: ['ls'] },
    ],
  };
  const seenIn = async (options: object, turns = 1) => {
    const { tools } = usualTools(scratch());
    const mcp = { mcp__x__y: tool({ inputSchema: z.object({}), execute: async () => 1 }) };
    const seen: string[][] = [];
    const turn = (last: boolean): ModelTurn =>
      (({ tools }: { tools?: { name: string }[] }) => {
        seen.push((tools ?? []).map(({ name }) => name).toSorted());
        return last ? says('.') : calls(call('execute', { command: 'ls' }, `c${seen.length}`));
      }) as never;
    await play({
      tools: { ...tools, ...mcp },
      turns: Array.from({ length: turns }, (_, at) => turn(at === turns - 1)),
      ...options,
    });
    return seen;
  };
  const left = ['execute', 'read_file', 'write_file'];

  it.each([
    ['of the run', { policy }],
    ['of the gate', { gate: createGate({ policy }) }],
    ['of both', { gate: createGate({ policy }), policy: { version: 1, default: 'allow' } }],
  ])('are left out (%s)', async (_, options) => {
    expect(await seenIn({ ...options, hideDeniedTools: true }, 3)).toEqual([left, left, left]);
  });

  it('are left out of the tools that were active, and of those that prepareStep wants', async () => {
    const base = { policy, hideDeniedTools: true };
    expect(await seenIn({ ...base, activeTools: ['deploy', 'execute'] })).toEqual([['execute']]);
    expect(await seenIn({ ...base, prepareStep: () => ({ activeTools: ['mcp__x__y', 'read_file'] }) }, 2)).toEqual([
      ['read_file'],
      ['read_file'],
    ]);
    expect(await seenIn({ ...base, activeTools: ['execute'], prepareStep: () => ({}) })).toEqual([['execute']]);
    expect(await seenIn({ ...base, activeTools: ['deploy'] })).toEqual([[]]);
  });

  it('are seen where nobody asked to hide them, and do not run then', async () => {
    expect((await seenIn({ policy }))[0]).toContain('deploy');
    expect((await became(stream, { toolName: 'deploy', args: {} }, { policy })).effect).toBe('deny');
  });
});

describe('tools with hints of their own', () => {
  const policy: PolicyDocument = {
    version: 1,
    default: 'allow',
    rule: [
      { effect: 'deny', tools: 'mcp__*', annotations: { destructiveHint: true } },
      { effect: 'ask', tools: 'mcp__github__*', annotations: { readOnlyHint: false } },
    ],
  };
  const hinted = async (name: string, annotations: unknown) => {
    const ran: string[] = [];
    const asked: string[] = [];
    const tools = {
      [name]: { ...tool({ inputSchema: z.object({}), execute: async () => void ran.push(name) }), annotations },
    };
    await play({
      tools: tools as never,
      policy,
      turns: [calls(call(name, {}, 'c1')), says('.')],
      onApprovalRequest: ({ toolName }) => asked.push(toolName) < 0,
    });
    return asked.length > 0 ? 'ask' : ran.length > 0 ? 'allow' : 'deny';
  };
  it.each<[string, unknown, PolicyEffect]>([
    ['mcp__a__x', { destructiveHint: true }, 'deny'],
    ['mcp__a__x', { destructiveHint: false }, 'allow'],
    // What a tool does not say of itself is taken to be so.
    ['mcp__a__x', undefined, 'deny'],
    ['mcp__a__x', {}, 'deny'],
    ['mcp__a__x', { destructiveHint: 'false' }, 'deny'],
    ['mcp__a__x', { destructiveHint: 0 }, 'deny'],
    ['mcp__a__x', 'destructiveHint', 'deny'],
    ['mcp__github__x', { readOnlyHint: 'yes', destructiveHint: false }, 'ask'],
    ['mcp__a__x', Object.create({ destructiveHint: false }), 'deny'],
    ['mcp__github__x', { readOnlyHint: false, destructiveHint: false }, 'ask'],
    ['mcp__github__x', { readOnlyHint: true, destructiveHint: false }, 'allow'],
    ['mcp__github__x', { readOnlyHint: false, destructiveHint: true }, 'deny'],
    ['other', { destructiveHint: true }, 'allow'],
  ])('%s with %j: %s', async (name, annotations, effect) => {
    expect(await hinted(name, annotations)).toBe(effect);
  });

  it('they cannot allow', () => {
    expect(() =>
      createGate({
        policy: { version: 1, rule: [{ effect: 'allow', tools: 'x', annotations: { readOnlyHint: true } }] },
      }),
    ).toThrow(/annotations/);
  });

  it.each([
    ['mcp__*', 'mcp__a__b', true],
    ['mcp__github__*', 'mcp__gitlab__x', false],
    ['*__read', 'mcp__a__read', true],
    ['*', 'anything', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['MCP__*', 'mcp__x', false],
    ['a.b', 'axb', false],
  ])('the name %s and the tool %s: %s', async (tools, toolName, matches) => {
    const policy: PolicyDocument = { version: 1, default: 'allow', rule: [{ effect: 'deny', tools }] };
    expect((await checkPolicy(policy, { toolName, args: {} })).effect).toBe(matches ? 'deny' : 'allow');
  });
});

describe('beside interruptOn and needsApproval', () => {
  const policies: [PolicyEffect, PolicyDocument][] = (['allow', 'ask', 'deny'] as const).map((effect) => [
    effect,
    { version: 1, rule: [{ effect, tools: 'x' }] },
  ]);
  const order = ['allow', 'ask', 'deny'];
  const entries = [undefined, true, false, 'all', 'predicate'] as const;
  const cases = policies.flatMap(([said, policy]) =>
    entries.flatMap((entry) => ([undefined, true, false] as const).map((own) => [said, entry, own, policy] as const)),
  );

  it.each(sample(cases, 6))('policy %s, entry %s, needsApproval %s', async (said, entry, own, policy) => {
    const ran: unknown[] = [];
    const asked: unknown[] = [];
    const x = tool({
      inputSchema: z.object({}),
      ...(own === undefined ? {} : { needsApproval: own }),
      execute: async () => void ran.push(1),
    });
    const interruptOn =
      entry === 'all'
        ? 'all'
        : entry === 'predicate'
          ? { x: { shouldApprove: () => true } }
          : entry === undefined
            ? undefined
            : { x: entry };
    await play({
      tools: { x },
      policy,
      ...(interruptOn === undefined ? {} : { interruptOn }),
      turns: [calls(call('x', {}, 'c1')), says('.')],
      onApprovalRequest: () => asked.push(1) < 0,
    } as never);
    const interrupts = entry === undefined || (entry === 'all' && own !== undefined) ? own === true : entry !== false;
    const expected = order[Math.max(order.indexOf(said), interrupts ? 1 : 0)];
    expect(asked.length > 0 ? 'ask' : ran.length > 0 ? 'allow' : 'deny').toBe(expected);
  });
});

describe('places', () => {
  const read = (file_path: string) => ({ toolName: 'read_file', args: { file_path } });
  const denies = (reads: string): PolicyDocument => ({
    version: 1,
    default: 'allow',
    rule: [{ effect: 'deny', reads }],
  });
  it.each<[string, string, string, PolicyEffect]>([
    ['relative paths start at cwd', '/p/q/x', 'x', 'deny'],
    ['~ is home', '/h/x', '~/x', 'deny'],
    ['~ of rules is home', '~/x', '/h/x', 'deny'],
    ['${project} is the project', '${project}/x', '../x', 'deny'],
    ['relative patterns start at cwd', 'x', '/p/q/x', 'deny'],
    ['what leads out is out', '/p/q/**', '../../etc/x', 'allow'],
  ])('%s', async (_, pattern, path, effect) => {
    const place = { cwd: '/p/q', project: '/p', home: '/h' };
    expect((await checkPolicy(denies(pattern), read(path), place)).effect).toBe(effect);
    expect((await createGate({ policy: denies(pattern), place }).check(read(path))).effect).toBe(effect);
    expect((await explainPolicy(denies(pattern), read(path), place)).effect).toBe(effect);
  });

  it('a link is followed, also of a parent, also to what is not there', async () => {
    const root = scratch();
    symlinkSync('/etc', join(root, 'link'));
    for (const path of ['link/passwd', 'link/none', './link/../link/x', join(root, 'link', 'x')])
      expect((await checkPolicy(denies('/etc/**'), read(path), { cwd: root })).effect).toBe('deny');
  });

  it.each([
    { cwd: 5 },
    { cwd: 'relative' },
    { cwd: '' },
    { home: 5 },
    { project: {} },
    { cwd: '/a\0b' },
    { cwd: ['/'] },
    5,
    'x',
  ])('%j is refused, with what to do', async (place) => {
    const policy: PolicyDocument = { version: 1 };
    expect(() => createGate({ policy, place: place as never })).toThrow(InvalidConfigError);
    expect(() => createGate({ policy, place: place as never })).toThrow(/place/);
    await expect(checkPolicy(policy, run('ls'), place as never)).rejects.toBeInstanceOf(InvalidConfigError);
  });
});

describe('check of a gate', () => {
  it('leaves nothing behind: nobody is asked, nothing waits', async () => {
    const gate = createGate({ policy: { version: 1 } });
    expect((await gate.check(run('x'))).effect).toBe('ask');
    expect(await gate.pending()).toEqual([]);
  });

  it('without anything that judges allows, and says why', async () => {
    expect(await createGate().check(run('x'))).toMatchObject({ effect: 'allow', reason: 'no policy is set' });
  });

  it('of a closed gate still answers', async () => {
    const gate = createGate({ policy: { version: 1 } });
    await gate.close();
    expect((await gate.check(run('x'))).effect).toBe('ask');
  });

  it('with conditions that wait asks them all at once', async () => {
    let asked = 0;
    const all = new Promise<void>(
      (resolve) =>
        void setImmediate(function poll() {
          if (asked === 3) resolve();
          else setImmediate(poll);
        }),
    );
    const slow = async () => ((asked += 1), await all, true);
    const policy = definePolicy(
      ['a', 'b', 'c'].map((name) => ({ tools: `*${name}*`, if: slow, effect: 'allow' as const })),
    );
    expect((await checkPolicy(policy, { toolName: 'abc', args: {} })).effect).toBe('allow');
  });
});

describe('a policy file that cannot be read', () => {
  const call = { toolName: 'execute', args: { command: 'make all' } };
  const allowed = 'version = 1\n[[rule]]\neffect = "allow"\ncommands = ["make"]\n';
  const gateOn = (root: string, mode: 'auto' | 'safe') => createGate({ policyFiles: true, mode, place: { cwd: root } });

  it('keeps Auto-approve off: what it would deny nobody knows', async () => {
    const { root, user } = machine();
    user('version = 1\n[[rule]\n');
    const gate = gateOn(root, 'auto');
    expect((await gate.check(call)).effect).toBe('ask');
    await expect(gate.setMode('auto')).rejects.toThrow(/cannot be read \(.*policy\.toml:2:/);
    user(allowed);
    expect((await gate.check(call)).effect).toBe('allow');
    await gate.setMode('auto');
  });

  it('leaves it on when what held before still holds', async () => {
    const { root, user } = machine();
    user('version = 1\n[[rule]]\neffect = "deny"\ncommands = ["rm"]\n');
    const gate = gateOn(root, 'auto');
    expect((await gate.check(call)).effect).toBe('allow');
    user('version = 1\n[[rule]\n');
    expect((await gate.check(call)).effect).toBe('allow');
    expect((await gate.check({ toolName: 'execute', args: { command: 'rm x' } })).effect).toBe('deny');
  });
});
