/** "Always": what is offered, what is kept and for how long, and what it answers. */
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { ApprovalRequest, Gate, GrantOffer, GrantScope, PolicyDocument, Remember } from '../../index.js';
import { createGate, DecisionNotAllowedError, InvalidDecisionError } from '../../ts/index.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, says } from '../support/model.js';
import { start, until } from '../support/play.js';
import { listenToWarnings } from '../support/warnings.js';
import { machine } from './machine.js';
import { scratch, usualTools } from './support.js';
import { became, ways } from './ways.js';
import { fakeClock } from '../support/fake-clock.js';

/** What no machine has. */
const NOWHERE = { cwd: '/dev/null/p', project: '/dev/null/p', home: '/dev/null/h' };

const asks: PolicyDocument = { version: 1, default: 'ask' };
const run = (command: string) => ({ toolName: 'execute', args: { command } });
const [stream] = ways as [(typeof ways)[number]];

/** The request that a human gets about this command. */
async function requestFor(command: string, { policy = asks, place = NOWHERE } = {}): Promise<ApprovalRequest> {
  const { asked } = await became(stream, run(command), { gate: createGate({ policy, place }) });
  const [request] = asked;
  if (request === undefined) throw new Error(`nobody was asked about ${command}`);
  return request;
}

/** These words, and nothing behind them. */
const exactly = (...words: string[]) => ({ words, exact: true });

const commandsOf = (offer: GrantOffer | null) => offer?.rules.map(({ commands }) => commands?.[0]);

describe('what is offered', () => {
  it.each<[string, unknown[]]>([
    ['git status -s', [['git', 'status']]],
    ['npm test', [exactly('npm', 'test')]],
    ['make all', [exactly('make', 'all')]],
    ['git push && make all', [exactly('git', 'push'), exactly('make', 'all')]],
    ['git push; git push --force', [exactly('git', 'push'), exactly('git', 'push', '--force')]],
  ])('%s: this command and no other', async (command, commands) => {
    const { always } = await requestFor(command);
    expect(commandsOf(always.allow)).toEqual(commands);
    expect(
      always.allow?.rules.every(({ effect, tools }) => effect === 'allow' && [tools].flat().join() === 'execute'),
    ).toBe(true);
    expect(always.allow?.label).toMatch(/^Always allow /);
    expect(always.allow?.also.length).toBeGreaterThan(0);
    expect(always.deny?.rules).toHaveLength(1);
    expect(always.deny?.label).toMatch(/^Always reject /);
  });

  const neverOffered = [
    'sudo ls',
    'doas ls',
    'su root',
    'sh x.sh',
    'python -c "print(1)"',
    'python3 x.py',
    'node x.js',
    'perl -e 1',
    'ruby x.rb',
    'xargs rm',
    'ssh host',
    'eval ls',
    'source x',
    '. x',
    'cd x',
    '$X',
    '$(ls)',
    'git $X',
    'ls "$X" | $Y',
    'git push; $X',
    'bash',
    'find . -exec sh -c "$X" \\;',
    'git -c core.pager=x log',
    'awk \'BEGIN { system("x") }\'',
    'php -r 1',
    '/usr/bin/python3 x.py',
    'busybox sh',
    'ksh x',
    'npx cowsay',
    'uvx ruff',
    'lua x.lua',
    'nodejs x.js',
    'python3.12 x.py',
    // Not known to run whatever it is given.
    'bun x.ts',
  ];
  it.each(sample(neverOffered, 3))('%s: nothing is offered', async (command) => {
    expect((await requestFor(command)).always.allow).toBeNull();
  });

  // What no beginning is safe for is offered as it stands: nothing else may stand behind it.
  it.each(['git', 'deno run x.ts', 'docker run -it ubuntu', 'kubectl exec pod -- sh'])(
    '%s: exactly these words',
    async (command) => {
      expect(commandsOf((await requestFor(command)).always.allow)).toEqual([exactly(...command.split(' '))]);
    },
  );

  it.each(['bash -c "ls a"', 'env ls a', 'nice timeout 5 ls a'])('%s: what it runs is offered', async (command) => {
    expect(commandsOf((await requestFor(command)).always.allow)).toEqual([['ls', 'a']]);
  });

  it.each<[string, string]>([
    ['rm build.log', 'rm build.log ~/x'],
    ['cp a b', 'cp a b /etc'],
    ['mv a b', 'mv a b -t /etc'],
  ])('an always for %s does not answer %s', async (granted, other) => {
    const gate = createGate({ policy: asks, place: NOWHERE });
    await became(stream, run(granted), { gate }, ({ always }) =>
      always.allow === null ? true : { type: 'approve', remember: 'session' },
    );
    expect((await gate.check(run(other))).effect).not.toBe('allow');
  });

  it.each<[string, string]>([
    ['rm a', 'rm a -rf /'],
    ['chmod +x a', 'chmod +x a -R /'],
    ['curl https://example.com', 'curl https://example.com -o ~/.bashrc'],
    ['find . -name x', 'find . -name x -delete'],
    ['tee a', 'tee a ~/.bashrc'],
  ])('an always for %s does not answer %s', async (granted, other) => {
    const gate = createGate({ policy: asks, place: NOWHERE });
    const { asked } = await became(stream, run(granted), { gate }, ({ always }) =>
      always.allow === null ? true : { type: 'approve', remember: 'session' },
    );
    expect(asked).toHaveLength(1);
    expect((await gate.check(run(other))).effect).not.toBe('allow');
  });

  it('a protected file is asked about each time', async () => {
    for (const command of ['echo x > .env', 'echo x > ~/.bashrc', 'cat ~/.ssh/id_rsa', 'echo x > .git/hooks/x'])
      expect(
        (await requestFor(command, { policy: { version: 1, rule: [{ effect: 'allow', commands: ['echo', 'cat'] }] } }))
          .always.allow,
        command,
      ).toBeNull();
  });

  it('a tool that nothing is known of: all its calls, and it says so', async () => {
    const { asked } = await became(
      stream,
      { toolName: 'deploy', args: { to: 'x' } },
      { gate: createGate({ policy: asks }) },
    );
    expect(asked[0]?.always.allow?.rules).toMatchObject([{ effect: 'allow' }]);
    expect(asked[0]?.always.allow?.label).toBe('Always allow every call of deploy');
  });

  it('a tool whose name is a pattern: that very name', async () => {
    const gate = createGate({ policy: asks });
    const star = { toolName: 'mcp__*', args: {} };
    await became(stream, star, { gate }, ({ always }) =>
      always.allow === null ? true : { type: 'approve', remember: 'session' },
    );
    expect((await gate.check({ toolName: 'mcp__other', args: {} })).effect).toBe('ask');
  });

  it('what a policy denies is offered to nobody, for nobody is asked', async () => {
    const policy: PolicyDocument = { version: 1, rule: [{ effect: 'deny', commands: ['rm'] }] };
    expect((await became(stream, run('rm x'), { gate: createGate({ policy }) })).asked).toEqual([]);
  });

  it('without a policy too: interruptOn asks, and "always" answers', async () => {
    const gate = createGate();
    const gating = { gate, interruptOn: { execute: true } };
    const first = await became(stream, run('make all'), gating, () => ({ type: 'approve', remember: 'session' }));
    expect(commandsOf(first.asked[0]?.always.allow ?? null)).toEqual([exactly('make', 'all')]);
    expect((await became(stream, run('make all'), gating)).effect).toBe('allow');
    expect((await became(stream, run('make all -j'), gating)).effect).toBe('ask');
    expect((await became(stream, run('make install'), gating)).effect).toBe('ask');
  });

  it('every offer answers the very call it was made for', async () => {
    const commands = [
      'make',
      'make a && make b',
      'CI=1 make',
      'make > out.txt',
      'cat a | grep b',
      'curl https://example.com/x',
      'tar xf a.tar',
      'echo hi',
    ];
    for (const command of sample(commands)) {
      const gate = createGate({ policy: asks, place: NOWHERE });
      const { asked } = await became(stream, run(command), { gate }, ({ always }) =>
        always.allow === null ? true : { type: 'approve', remember: 'session' },
      );
      if (asked[0]?.always.allow !== null)
        expect([command, (await gate.check(run(command))).effect]).toEqual([command, 'allow']);
    }
  });
});

const remembers: Remember[] = ['session', { scope: 'session' }, { scope: 'session', expiresIn: 60_000 }];

describe.each(ways)('%s', (...way) => {
  it.each(
    sample(
      remembers,
      1,
      ways.findIndex(([name]) => name === way[0]),
    ),
  )('remembers (%j)', async (remember) => {
    const gate = createGate({ policy: asks });
    const first = await became(way, run('make all'), { gate }, () => ({ type: 'approve', remember }));
    expect([first.effect, first.ran.length]).toEqual(['ask', 1]);
    expect((await became(way, run('make all'), { gate })).effect).toBe('allow');
    expect((await became(way, run('make install'), { gate })).effect).toBe('ask');
    expect((await gate.check(run('make all'))).effect).toBe('allow');
  });

  it('remembers a rejection', async () => {
    const gate = createGate({ policy: asks });
    await became(way, run('make all'), { gate }, () => ({ type: 'reject', reason: 'no', remember: 'session' }));
    expect(await gate.grants.list()).toMatchObject([{ effect: 'deny', scope: 'session' }]);
    const again = await became(way, run('true && make all -k'), { gate });
    expect([again.effect, again.ran]).toEqual(['deny', []]);
    expect((await gate.check(run('make all'))).reason).toMatch(/[Aa]lways reject/);
    expect((await became(way, run('make install'), { gate })).effect).toBe('ask');
  });
});

describe('what a grant answers', () => {
  const granting = async (policy: PolicyDocument, command: string) => {
    const gate = createGate({ policy, place: NOWHERE });
    const { asked } = await became(stream, run(command), { gate }, () => ({ type: 'approve', remember: 'session' }));
    expect([asked.length, (await gate.grants.list()).length]).toEqual([1, 1]);
    return async (other: string) => (await gate.check(run(other))).effect;
  };

  it('no deny, nothing unknown, no part that it does not speak of', async () => {
    const effect = await granting({ version: 1, rule: [{ effect: 'deny', commands: ['make all evil'] }] }, 'make all');
    expect(await effect('make all')).toBe('allow');
    expect(await effect('make all evil')).toBe('deny');
    for (const other of [
      'make all "$X"',
      'make all install',
      'make all; $X',
      'make all $(ls)',
      'make all > /etc/x',
      'make all | tee y',
      'X=1 make all',
      'sudo make all',
      '$X all',
      'eval make all',
      'make all &&',
      './make all',
    ])
      expect([other, await effect(other)]).toEqual([other, 'ask']);
  });

  it('an ask that a rule states, as well as a default', async () => {
    const effect = await granting(
      { version: 1, default: 'allow', rule: [{ effect: 'ask', commands: ['make'] }] },
      'make all',
    );
    expect([await effect('make all'), await effect('make x')]).toEqual(['allow', 'ask']);
  });

  it('several together answer a call that each answers a part of', async () => {
    const gate = createGate({ policy: asks });
    for (const command of ['make all', 'npm test'])
      await became(stream, run(command), { gate }, () => ({ type: 'approve', remember: 'session' }));
    expect((await gate.check(run('make all && npm test'))).effect).toBe('allow');
    expect((await gate.check(run('make all && npm test && rm x'))).effect).toBe('ask');
  });

  it('a judge that asks goes on asking about what was not granted as a whole, and its deny stands', async () => {
    let says: 'ask' | 'deny' | undefined = 'ask';
    const gate = createGate({ policy: asks, judge: () => says });
    await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'session' }));
    says = 'deny';
    expect((await gate.check(run('make all'))).effect).toBe('deny');
  });

  it('a rejection speaks of the part that asks, not of one that is granted', async () => {
    const gate = createGate({ policy: asks });
    await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'session' }));
    const second = await became(stream, run('make all && npm test'), { gate }, () => ({
      type: 'reject',
      remember: 'session',
    }));
    expect(second.effect).toBe('ask');
    expect((await gate.check(run('npm test'))).effect).toBe('deny');
    expect((await gate.check(run('make all'))).effect).toBe('allow');
  });

  it('no symlink that takes the place of the file or the folder that was shown', async () => {
    const root = scratch();
    const at = (path: string) => join(root, path);
    for (const folder of ['sub', 'more']) mkdirSync(at(folder));
    for (const path of ['notes.txt', 'other.txt', 'sub/x', 'more/x']) writeFileSync(at(path), '');
    const toolNames = ['write_file', 'read_file'];
    for (const [file_path, link, target] of [
      ['notes.txt', 'notes.txt', 'other.txt'],
      ['sub/x', 'sub', 'more'],
    ] as const)
      for (const toolName of toolNames) {
        const gate = createGate({ policy: asks, place: { cwd: root, project: root, home: '/nonexistent' } });
        const args = toolName === 'read_file' ? { file_path } : { file_path, content: 'x' };
        const asked = { toolName, args };
        await became(stream, asked, { gate }, () => ({ type: 'approve', remember: 'session' }));
        expect((await gate.check(asked)).effect, `${toolName} ${file_path}`).toBe('allow');
        renameSync(at(link), at('kept'));
        symlinkSync(target, at(link));
        expect((await gate.check(asked)).effect, `${toolName} ${file_path}: a symlink`).toBe('ask');
        rmSync(at(link));
        renameSync(at('kept'), at(link));
        expect((await gate.check(asked)).effect, `${toolName} ${file_path}: the file is back`).toBe('allow');
        await gate.close();
      }
  });

  it('in plan mode only what is read-only', async () => {
    const gate = createGate({ policy: asks });
    await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'session' }));
    await gate.setMode('plan');
    expect((await gate.check(run('make all'))).effect).toBe('deny');
    await gate.setMode('deny-all-asks');
    expect((await gate.check(run('make all'))).effect).toBe('allow');
    expect((await gate.check(run('make install'))).effect).toBe('deny');
  });
});

describe('for how long', () => {
  it('a grant expires', async () => {
    const clock = fakeClock(['Date']);
    const gate = createGate({ policy: asks });
    await became(stream, run('make all'), { gate }, () => ({
      type: 'approve',
      remember: { scope: 'session', expiresIn: 60_000 },
    }));
    const [grant] = await gate.grants.list();
    expect(grant).toMatchObject({
      expiresAt: (grant?.createdAt ?? 0) + 60_000,
      scope: 'session',
      runId: null,
      effect: 'allow',
      by: 'callback',
    });
    expect(grant?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    clock.setSystemTime(Date.now() + 59_999);
    expect((await gate.check(run('make all'))).effect).toBe('allow');
    clock.setSystemTime(Date.now() + 1);
    expect((await gate.check(run('make all'))).effect).toBe('ask');
    expect(await gate.grants.list()).toEqual([]);
  });

  it('a grant of a run holds for that run, and ends with it', async () => {
    const gate = createGate({ policy: asks });
    const { ran, tools } = usualTools(scratch());
    const turn = (id: string) => calls(call('execute', { command: 'make all' }, id));
    const { run: first } = start({ tools, gate, runId: 'r1', turns: [turn('c1'), turn('c2'), says('.')] });
    const { approvalId } = await until(first, 'approval-requested');
    await gate.approve(approvalId, { remember: 'run' });
    expect(await gate.grants.list()).toMatchObject([{ scope: 'run', runId: 'r1' }]);
    expect((await gate.check({ ...run('make all'), runId: 'r1' })).effect).toBe('allow');
    expect((await gate.check({ ...run('make all'), runId: 'r2' })).effect).toBe('ask');
    expect((await gate.check(run('make all'))).effect).toBe('ask');
    const rest = await collect(first);
    expect([rest.filter(({ type }) => type === 'approval-requested').length, ran.length]).toEqual([0, 2]);
    expect(await gate.grants.list()).toEqual([]);
    const { run: second } = start({ tools, gate, runId: 'r1', turns: [turn('c3'), says('.')] });
    expect((await until(second, 'approval-requested')).toolCallId).toBe('c3');
    await second.return();
  });

  it.each(['left', 'aborted', 'failed'])('a grant of a run that is %s ends with it', async (how) => {
    const gate = createGate({ policy: asks });
    const { tools } = usualTools(scratch());
    const controller = new AbortController();
    const turn = (id: string) => calls(call('execute', { command: 'make all' }, id));
    const failing = () => {
      throw new Error('no model');
    };
    const { run: first } = start({
      tools,
      gate,
      abortSignal: controller.signal,
      maxRetries: 0,
      turns: [turn('c1'), how === 'failed' ? failing : turn('c2'), says('.')],
    });
    const { approvalId } = await until(first, 'approval-requested');
    await gate.approve(approvalId, { remember: 'run' });
    expect(await gate.grants.list()).toHaveLength(1);
    if (how === 'left') await first.return();
    if (how === 'aborted') controller.abort();
    await collect(first);
    expect(await gate.grants.list()).toEqual([]);
  });

  it('a grant is revoked', async () => {
    const gate = createGate({ policy: asks });
    await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'session' }));
    const [grant] = await gate.grants.list();
    expect(await gate.grants.revoke(grant?.id ?? '')).toBe(true);
    expect(await gate.grants.revoke(grant?.id ?? '')).toBe(false);
    expect([await gate.grants.list(), (await gate.check(run('make all'))).effect]).toEqual([[], 'ask']);
  });

  it.each(['', 'x', '../../etc', '00000000-0000-7000-8000-000000000000'])(
    'to revoke %j revokes nothing',
    async (id) => {
      const gate = createGate({ policy: asks });
      await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'session' }));
      expect(await gate.grants.revoke(id)).toBe(false);
      expect(await gate.grants.list()).toHaveLength(1);
    },
  );
});

/** Nothing to go by: where it were passed over, what is remembered would have no end. */
const oddRemembers: [string, unknown][] = [
  ['a field in other letters', { scope: 'session', expiresin: 60_000 }],
  ['a field that is not known', { scope: 'session', ttl: 60_000 }],
  ['a time that is undefined', { scope: 'session', expiresIn: undefined }],
  ['a time that is null', { scope: 'session', expiresIn: null }],
  ['a time in words', { scope: 'session', expiresIn: '60000' }],
  ['a time without an end', { scope: 'session', expiresIn: Number.POSITIVE_INFINITY }],
  ['a time that no clock has', { scope: 'session', expiresIn: 1e300 }],
  ['a bigint', { scope: 'session', expiresIn: 1n }],
  ['a function', { scope: 'session', expiresIn: () => 1 }],
  [
    'a getter',
    {
      scope: 'session',
      get expiresIn() {
        return 1;
      },
    },
  ],
  ['a time that is inherited', Object.assign(Object.create({ expiresIn: 60_000 }) as object, { scope: 'session' })],
  ['what is inherited', Object.create({ scope: 'session' })],
  ['a map', new Map([['scope', 'session']])],
  ['a scope that is not known', { scope: 'nope' }],
  ['no scope', { expiresIn: 5 }],
  ['a list', ['session']],
  ['a number', 5],
  ['another word', 'foo'],
];

describe('to remember', () => {
  const pending = async (
    command: string,
    more: object = {},
  ): Promise<{ gate: Gate; approvalId: string; leave: () => Promise<unknown> }> => {
    const gate = createGate({ policy: asks });
    const { tools } = usualTools(scratch());
    const { run } = start({ tools, gate, turns: [calls(call('execute', { command }, 'c1')), says('.')], ...more });
    const { approvalId } = await until(run, 'approval-requested');
    return { gate, approvalId, leave: () => run.return() };
  };

  const refused: [string, string, (gate: Gate, id: string) => Promise<unknown>][] = [
    ['what is not offered', '$X', (gate, id) => gate.approve(id, { remember: 'session' })],
    [
      'an edit',
      'make all',
      (gate, id) => gate.decide(id, { type: 'edit', args: { command: 'ls' }, remember: 'session' } as never),
    ],
    ['a skip', 'make all', (gate, id) => gate.skip(id, { remember: 'session' })],
    ['for an odd scope', 'make all', (gate, id) => gate.approve(id, { remember: 'forever' as GrantScope })],
    ['for no time', 'make all', (gate, id) => gate.approve(id, { remember: { scope: 'session', expiresIn: 0 } })],
    [
      'for less than no time',
      'make all',
      (gate, id) => gate.approve(id, { remember: { scope: 'session', expiresIn: -1 } }),
    ],
    ['for NaN', 'make all', (gate, id) => gate.approve(id, { remember: { scope: 'session', expiresIn: Number.NaN } })],
    ['null', 'make all', (gate, id) => gate.approve(id, { remember: null as never })],
    ['true', 'make all', (gate, id) => gate.approve(id, { remember: true as never })],
    ...oddRemembers.flatMap(([name, remember]): [string, string, (gate: Gate, id: string) => Promise<unknown>][] => [
      [`${name} (approve)`, 'make all', (gate, id) => gate.approve(id, { remember } as never)],
      [`${name} (reject)`, 'make all', (gate, id) => gate.reject(id, { remember } as never)],
      [`${name} (decide)`, 'make all', (gate, id) => gate.decide(id, { type: 'approve', remember } as never)],
    ]),
  ];
  it.each(sample(refused, 6))('%s is refused, and the request goes on waiting', async (_, command, decide) => {
    const { gate, approvalId, leave } = await pending(command);
    await expect(decide(gate, approvalId)).rejects.toBeInstanceOf(InvalidDecisionError);
    expect([(await gate.get(approvalId))?.status, await gate.grants.list()]).toEqual(['pending', []]);
    await leave();
  });

  it('a decision that is not allowed remembers nothing', async () => {
    const { gate, approvalId, leave } = await pending('make all', {
      interruptOn: { execute: { allowedDecisions: ['reject'] } },
    });
    await expect(gate.approve(approvalId, { remember: 'session' })).rejects.toBeInstanceOf(DecisionNotAllowedError);
    expect(await gate.grants.list()).toEqual([]);
    await leave();
  });

  it('only the decision that stands is remembered, and who made it', async () => {
    const { gate, approvalId, leave } = await pending('make all');
    const events: string[] = [];
    const listening = (async () => {
      for await (const event of gate.events())
        if (event.type === 'granted') events.push(`${event.approvalId} ${event.grant.by}`);
    })();
    const both = await Promise.allSettled([
      gate.approve(approvalId, { by: 'ada', remember: 'session' }),
      gate.reject(approvalId, { by: 'bob', remember: 'session' }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await gate.grants.list()).toMatchObject([{ effect: 'allow', by: 'ada' }]);
    await leave();
    await gate.close();
    await listening;
    expect(events).toEqual([`${approvalId} ada`]);
  });

  it('a decision that is to be remembered wins over one that is made later', async () => {
    for (let round = 0; round < 20; round++) {
      const { gate, approvalId, leave } = await pending('make all');
      const both = await Promise.allSettled([
        gate.approve(approvalId, { by: 'ada', remember: 'session' }),
        round % 2 === 0 ? gate.reject(approvalId, { by: 'bob' }) : gate.reject(approvalId, { remember: 'session' }),
      ]);
      expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      await leave();
      await gate.close();
    }
  });

  it("a callback's answer counts once when it cannot be remembered, and somebody is told", async () => {
    using told = listenToWarnings();
    const warn = vi.fn();
    const gate = createGate({ policy: asks, logger: { warn } });
    const { ran } = await became(stream, run('$X'), { gate }, () => ({ type: 'approve', remember: 'session' }));
    expect([ran.length, await gate.grants.list(), warn.mock.calls.length]).toEqual([1, [], 1]);
    const always = await became(stream, run('make all'), { gate }, () => ({ type: 'approve', remember: 'always' }));
    expect([always.ran.length, await gate.grants.list()]).toEqual([1, []]);
    const alone = await became(stream, run('$X'), { policy: asks }, () => ({ type: 'approve', remember: 'run' }));
    expect(alone.ran).toHaveLength(1);
    const said = told.warnings.join('\n');
    expect(said).toMatch(/counts once and is not remembered.*does not offer/);
    expect(said).toMatch(/counts once and is not remembered.*policyFiles/);
  });

  it.each(sample(oddRemembers))(
    "a callback's answer with %s is a rejection that is told, as other malformed ones are",
    async (name, remember) => {
      const error = vi.fn();
      for (const gating of [{ gate: createGate({ policy: asks, logger: { error } }) }, { policy: asks }]) {
        for (const type of ['approve', 'reject'] as const) {
          const answer = () => ({ type, remember }) as never;
          const { ran } = await became(stream, run('make all'), gating, answer);
          expect(ran, name).toEqual([]);
        }
        expect(await ('gate' in gating ? gating.gate?.grants.list() : [])).toEqual([]);
      }
      const [first, second, ...more] = error.mock.calls.map(([what]: unknown[]) => what);
      expect([first, second, more]).toEqual([
        'onApprovalRequest gave no answer',
        'onApprovalRequest gave no answer',
        [],
      ]);
    },
  );

  it('objectionTo of a callback says what would not be taken, a malformed one among them', async () => {
    const objections: unknown[] = [];
    const { tools } = usualTools(scratch());
    const { run } = start({
      tools,
      policy: asks,
      interruptOn: { execute: { allowedDecisions: ['approve', 'reject', 'edit'] } },
      turns: [calls(call('execute', { command: 'make all' }, 'c1')), says('.')],
      onApprovalRequest: async (_, { objectionTo }) => {
        for (const [, remember] of oddRemembers) objections.push(await objectionTo({ type: 'approve', remember }));
        for (const answer of [{ type: 'skip' }, { type: 'cancelled', reason: 'x' }, { type: 'edit', args: {} }, 'yes'])
          objections.push(await objectionTo(answer));
        for (const answer of [true, { type: 'approve', remember: 'session' }, { type: 'reject', remember: 'always' }])
          objections.push(await objectionTo(answer));
        return false;
      },
    });
    await collect(run);
    const said = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
    expect(objections).toEqual([
      ...oddRemembers.map(() => said(/^`remember` must be|is not plain data/)),
      said(/^skip is not among the answers/),
      said(/cannot be 'cancelled'/),
      said(/command/),
      said(/expected true, false/),
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the user's file", () => {
  const file = (config: string) => join(config, 'grants.json');
  const always = () => ({ type: 'approve', remember: 'always' }) as const;

  it('is shared by gates, is for nobody else to read, and grants in it are revoked', async () => {
    const { root, config } = machine();
    const options = { policy: asks, policyFiles: true, place: { cwd: root } };
    const [one, two] = [createGate(options), createGate(options)];
    await became(stream, run('make all'), { gate: one }, always);
    expect(statSync(file(config)).mode & 0o777).toBe(0o600);
    expect((await became(stream, run('make all'), { gate: two })).effect).toBe('allow');
    const [grant] = await two.grants.list();
    expect(grant).toMatchObject({ scope: 'always', effect: 'allow', runId: null });
    expect(await two.grants.revoke(grant?.id ?? '')).toBe(true);
    expect((await became(stream, run('make all'), { gate: one })).effect).toBe('ask');
    expect(JSON.parse(readFileSync(file(config), 'utf8'))).toEqual({ version: 1, grants: [] });
  });

  it('that cannot be written is told, and the decision counts once', async () => {
    const { root, config } = machine();
    mkdirSync(file(config), { recursive: true });
    using told = listenToWarnings();
    const gate = createGate({ policy: asks, policyFiles: true, place: { cwd: root } });
    expect((await became(stream, run('make all'), { gate }, always)).ran).toHaveLength(1);
    expect(told.warnings.join('\n')).toMatch(/was to be remembered counts once: .*grants\.json/);
  });

  it('is not read where the files of the machine do not count', async () => {
    const { root, config } = machine();
    await became(
      stream,
      run('make all'),
      { gate: createGate({ policy: asks, policyFiles: true, place: { cwd: root } }) },
      always,
    );
    expect(existsSync(file(config))).toBe(true);
    const gate = createGate({ policy: asks, place: { cwd: root } });
    expect([(await gate.check(run('make all'))).effect, await gate.grants.list()]).toEqual(['ask', []]);
  });

  it('is shared by processes, and what is remembered there is a rejection too', async () => {
    const { root, env } = machine();
    const gate = createGate({ policy: asks, policyFiles: true, place: { cwd: root } });
    await became(stream, run('make all'), { gate }, always);
    await became(stream, run('make evil'), { gate }, () => ({ type: 'reject', remember: 'always' }));
    const program = `
      import { createGate } from ${JSON.stringify(join(import.meta.dirname, '../../dist/index.js'))};
      const gate = createGate({ policy: { version: 1 }, policyFiles: true, place: { cwd: ${JSON.stringify(root)} } });
      const effects = [];
      for (const command of ['make all', 'make evil', 'make x']) effects.push((await gate.check({ toolName: 'execute', args: { command } })).effect);
      const grants = await gate.grants.list();
      await gate.grants.revoke(grants[0].id);
      console.log(JSON.stringify({ effects, count: grants.length }));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, ...env },
    });
    expect(JSON.parse(stdout)).toEqual({ effects: ['allow', 'deny', 'ask'], count: 2 });
    expect((await gate.check(run('make all'))).effect).toBe('ask');
    expect((await gate.check(run('make evil'))).effect).toBe('deny');
  });

  it.each([
    ['broken', '{'],
    ['of another version', '{"version":2,"grants":[]}'],
    [
      'with a grant that allows everything',
      JSON.stringify({
        version: 1,
        grants: [
          {
            id: '00000000-0000-7000-8000-000000000000',
            effect: 'allow',
            scope: 'always',
            runId: null,
            label: 'x',
            rules: [{ effect: 'allow' }],
            by: 'x',
            createdAt: 1,
            expiresAt: null,
          },
        ],
      }),
    ],
    ['empty', ''],
  ])('that is %s answers nothing', async (_, text) => {
    const { root, config } = machine();
    mkdirSync(config, { recursive: true });
    writeFileSync(file(config), text);
    const gate = createGate({ policy: asks, policyFiles: true, place: { cwd: root } });
    expect((await gate.check(run('make all'))).effect).toBe('ask');
    const error = vi.fn();
    const logging = createGate({ policy: asks, policyFiles: true, place: { cwd: root }, logger: { error } });
    const { ran } = await became(stream, run('make all'), { gate: logging }, always);
    // The decision stands, whether it could be kept or not.
    expect(ran).toHaveLength(1);
  });

  it.runIf(process.platform !== 'win32').each<[string, (path: string) => void, string]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path]), 'is not a file'],
    ['writable by everybody', (path) => chmodSync(path, 0o666), 'everybody can write to it (mode 666)'],
    ['broken', (path) => writeFileSync(path, '{'), 'EOF while parsing'],
  ])('that is %s answers nothing, and that is told', async (what, change, why) => {
    const { root, config } = machine();
    const options = { policy: asks, policyFiles: true, place: { cwd: root } };
    await became(stream, run('make all'), { gate: createGate(options) }, always);
    if (what === 'a pipe') rmSync(file(config));
    change(file(config));
    const error = vi.fn();
    const gate = createGate({ ...options, logger: { error } });
    for (let times = 0; times < 2; times++) {
      const { asked, ran } = await became(stream, run('make all'), { gate });
      expect([asked.length, ran]).toEqual([1, []]);
    }
    // Once, since nothing changed.
    expect(error.mock.calls.filter((said) => JSON.stringify(said).includes('grants.json'))).toHaveLength(1);
    expect(JSON.stringify(error.mock.calls)).toContain(why);
    expect(await gate.grants.list()).toEqual([]);
  });

  it.each([true, false])('holds for the project that a symlink led to, given by name: %s', async (isNamed) => {
    const { root } = machine();
    const other = join(root, '..', 'other');
    mkdirSync(join(other, '.git'), { recursive: true });
    const link = join(root, '..', 'current');
    symlinkSync(root, link);
    const at = (folder: string) =>
      createGate({ policy: asks, policyFiles: true, place: { cwd: folder, ...(isNamed ? { project: folder } : {}) } });
    const first = at(link);
    await became(stream, run('make all'), { gate: first }, always);
    expect((await first.grants.list()).map(({ project }) => project)).toEqual([root]);
    rmSync(link);
    symlinkSync(other, link);
    for (const [gate, effect] of [
      [at(link), 'ask'],
      [at(other), 'ask'],
      [at(root), 'allow'],
    ] as const)
      expect((await gate.check(run('make all'))).effect).toBe(effect);
    if (!isNamed) return;
    // What led elsewhere when it was made does not speak for where it leads now, and remembers nothing there.
    expect((await first.check(run('make all'))).effect).toBe('ask');
    using _warnings = listenToWarnings();
    await became(stream, run('make more'), { gate: first }, always);
    expect((await at(link).check(run('make more'))).effect).toBe('ask');
  });

  it('counts in the project of its call, and not in that of the gate where it was decided', async () => {
    const { root } = machine();
    const other = join(root, '..', 'other');
    mkdirSync(join(other, '.git'), { recursive: true });
    const at = (folder: string) =>
      createGate({
        ledger: `sqlite:${join(root, '..', 'shared.db')}`,
        policy: asks,
        policyFiles: true,
        place: { cwd: folder },
      });
    await using here = at(root);
    await using there = at(other);
    const { tools } = usualTools(root);
    const turns = [calls(call('execute', { command: 'make all' }, 'c1')), says('.')];
    const { run: asking } = start({ turns, tools, gate: here });
    const { approvalId } = await until(asking, 'approval-requested');
    await there.approve(approvalId, { remember: { scope: 'always' } });
    await collect(asking);
    expect((await here.grants.list()).map(({ project }) => project)).toEqual([root]);
    expect(await there.grants.list()).toEqual([]);
    expect((await here.check(run('make all'))).effect).toBe('allow');
    expect((await there.check(run('make all'))).effect).toBe('ask');
  });

  it('loses none of what several gates keep and revoke at once', async () => {
    const { root } = machine();
    const gates = Array.from({ length: 8 }, () =>
      createGate({ policy: asks, policyFiles: true, place: { cwd: root } }),
    );
    await Promise.all(gates.map((gate, at) => became(stream, run(`make t${at}`), { gate }, always)));
    const [first] = gates;
    expect((await first?.grants.list())?.length).toBe(8);
  });
});
