/**
 * G10. A lower layer only tightens.
 *
 * The layers here: the user's file, the project's, code and what is remembered. The administrator's file belongs to root and
 * has one place: the core tests it, with a place of its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyDocument, PolicyEffect, PolicyInput, PolicyPlace } from '../../index.js';
import { checkPolicy, createGate, explainPolicy } from '../../ts/index.js';
import { countersign } from '../cli/command.js';
import { machine } from '../policy/machine.js';
import {
  pick,
  random,
  randomCall,
  randomPolicy,
  shuffled,
  strictest,
  strictness,
  type Random,
} from '../policy/random.js';
import { scratch } from '../policy/support.js';
import { effort } from '../support/effort.js';
import { major } from '../support/model.js';

/** The core decides these, on either version of the AI SDK: one of them is enough for most. */
const ROUNDS = effort(major === 7 ? 25 : 5, 250);
const tightening: readonly PolicyEffect[] = ['ask', 'deny'];
/** JSON is TOML's inline table in no way: a file of the machine is written out. */
const toml = ({ rule = [], ...head }: PolicyDocument): string => {
  const value = (each: unknown): string =>
    Array.isArray(each)
      ? `[${each.map(value).join(', ')}]`
      : typeof each === 'object' && each !== null
        ? `{ ${Object.entries(each)
            .map(([key, item]) => `${JSON.stringify(key)} = ${value(item)}`)
            .join(', ')} }`
        : JSON.stringify(each);
  const table = (each: object) =>
    Object.entries(each)
      .map(([key, item]) => `${key} = ${value(item)}`)
      .join('\n');
  return `${table(head)}\n${rule.map((each) => `[[rule]]\n${table(each)}\n`).join('\n')}`;
};
const file = (text: string) => `version = 1\n${text}`;
const rule = (effect: string, commands: string) => `[[rule]]\neffect = "${effect}"\ncommands = ["${commands}"]\n`;
const run = (command: string) => ({ toolName: 'execute', args: { command } });

async function effectOf(
  policy: PolicyInput | PolicyInput[],
  call: { toolName: string; args: unknown },
  place: PolicyPlace,
) {
  return (await checkPolicy(policy, call, place)).effect;
}

describe('policies of one list', () => {
  const rounds = (test: (next: Random, place: PolicyPlace, told: string) => Promise<void>) => async () => {
    const place = { cwd: scratch(), home: '/home/nobody' };
    for (let seed = 0; seed < ROUNDS; seed++) await test(random(seed), place, `seed ${seed}`);
  };

  it(
    'a deny or an ask more weakens nothing',
    rounds(async (next, place, told) => {
      const [policy, call] = [randomPolicy(next), randomCall(next)];
      // A default is for what no rule of the list speaks of: an ask that does speak of it answers where a default denied.
      const denies = (policy.default ?? (policy.match === 'first' ? 'deny' : 'ask')) === 'deny';
      const more = randomPolicy(next, { effects: denies ? ['deny'] : tightening });
      const before = await effectOf(policy, call, place);
      const after = await effectOf([policy, more], call, place);
      expect(strictness(after), `${told} ${JSON.stringify([policy, more, call])}`).toBeGreaterThanOrEqual(
        strictness(before),
      );
      // Under "strictest" the same holds within one document.
      if (policy.match === undefined && more.rule?.length) {
        const one = await effectOf({ ...policy, rule: [...(policy.rule ?? []), ...more.rule] }, call, place);
        expect(strictness(one), `${told} ${JSON.stringify([policy, more, call])}`).toBeGreaterThanOrEqual(
          strictness(before),
        );
      }
    }),
  );

  it(
    'their order, and the order of strictest rules, says nothing',
    rounds(async (next, place, told) => {
      const policies = Array.from({ length: 3 }, () => randomPolicy(next));
      const call = randomCall(next);
      const mixed = shuffled(next, policies).map((policy) =>
        policy.match === 'first' ? policy : { ...policy, rule: shuffled(next, policy.rule ?? []) },
      );
      expect(await effectOf(mixed, call, place), `${told} ${JSON.stringify([policies, call])}`).toBe(
        await effectOf(policies, call, place),
      );
    }),
  );

  it(
    'a deny of one is a deny of all',
    rounds(async (next, place, told) => {
      const policies = Array.from({ length: 3 }, () => randomPolicy(next));
      const call = randomCall(next);
      const alone = await Promise.all(policies.map((policy) => checkPolicy(policy, call, place)));
      const together = await effectOf(policies, call, place);
      if (alone.some(({ effect, rule }) => effect === 'deny' && rule !== null))
        expect(together, `${told} ${JSON.stringify([policies, call, alone])}`).toBe('deny');
      else if (!alone.some(({ effect }) => effect === 'deny')) expect(together).not.toBe('deny');
    }),
  );

  it(
    'explain says what check says, and so does a gate',
    rounds(async (next, place, told) => {
      const policies = Array.from({ length: 1 + Math.floor(next() * 2) }, () => randomPolicy(next));
      const call = randomCall(next);
      const checked = await checkPolicy(policies, call, place);
      const { text, ...explained } = await explainPolicy(policies, call, place);
      expect(explained, told).toEqual(checked);
      expect(text.split('\n')[0], told).toMatch(new RegExp(`^${checked.effect}: `));
      expect(await createGate({ policy: policies, place }).check(call), told).toEqual(checked);
      const strict = checked.actions.map(({ effect }) => effect);
      expect(strictness(checked.effect), told).toBeGreaterThanOrEqual(strictness(strictest(...strict)));
    }),
  );

  it('the command says what check says', async () => {
    const cwd = scratch();
    const next = random(99);
    const calls = Array.from({ length: effort(25, 400) }, (_, id) => {
      const policy = Array.from({ length: 1 + Math.floor(next() * 2) }, () => randomPolicy(next));
      return { id, policy, call: randomCall(next), cwd, project: cwd, home: '/home/nobody' };
    });
    const { stdout } = await countersign(['policy', 'check', '--batch'], {
      input: calls.map((each) => JSON.stringify(each)).join('\n'),
    });
    const said = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; effect: PolicyEffect });
    const effects = await Promise.all(
      calls.map(async ({ id, policy, call, home }) => ({ id, effect: await narrowed(policy, call, { cwd, home }) })),
    );
    expect(said.map(({ id, effect }) => ({ id, effect }))).toEqual(effects);
    expect(new Set(effects.map(({ effect }) => effect))).toEqual(new Set(['allow', 'ask', 'deny']));
  });

  it('the project of a line is that of its `cwd`, as in the API', async () => {
    const root = scratch();
    const policy: PolicyDocument = { version: 1, default: 'allow', rule: [{ effect: 'deny', reads: '${project}/**' }] };
    const call = { toolName: 'read_file', args: { file_path: 'a' } };
    expect(await effectOf(policy, call, { cwd: root })).toBe('deny');
    const { stdout } = await countersign(['policy', 'check', '--batch'], {
      input: JSON.stringify({ id: 1, policy, call, cwd: root }),
    });
    expect(JSON.parse(stdout)).toMatchObject({ effect: 'deny' });
  });

  /** In a line of a batch, each policy after the first narrows those before it. */
  async function narrowed(policies: PolicyDocument[], call: { toolName: string; args: unknown }, place: PolicyPlace) {
    return strictest(...(await Promise.all(policies.map((policy) => effectOf(policy, call, place)))));
  }
});

describe('files and code', () => {
  it('a policy of the program is not loosened by the files, nor the files by it', async () => {
    const { root, home, user, project } = machine();
    for (let seed = 0; seed < ROUNDS / 4; seed++) {
      const next = random(seed);
      const [mine, theirs, code, call] = [randomPolicy(next), randomPolicy(next), randomPolicy(next), randomCall(next)];
      const place = { cwd: root, project: root, home };
      user(toml(mine));
      project(toml({ version: 1 }));
      const users = await createGate({ policyFiles: true, place }).check(call);
      project(toml(theirs));
      const both = await createGate({ policyFiles: true, place }).check(call);
      const all = await createGate({ policy: code, policyFiles: true, place }).check(call);
      const told = JSON.stringify({ seed, mine, theirs, code, call });
      // An untrusted project loosens nothing; what the program says as a layer can allow, and denies stay.
      expect(strictness(both.effect), told).toBeGreaterThanOrEqual(strictness(users.effect));
      if (both.effect === 'deny' || (await effectOf(code, call, place)) === 'deny')
        expect(all.effect, told).toBe('deny');
      const pooled = pick(next, [true, false]);
      if (pooled) expect((await createGate({ policyFiles: true, place }).check(call)).effect, told).toBe(both.effect);
    }
  });

  it('without `policyFiles` the files of the user and the project say nothing', async () => {
    const { root, user, project } = machine();
    user(file(rule('deny', 'ls')));
    project(file(rule('deny', 'ls')));
    const gate = createGate({ policy: { version: 1, default: 'allow' }, place: { cwd: root } });
    expect((await gate.check(run('ls'))).effect).toBe('allow');
  });

  it.each<[string, string, string, string, PolicyEffect]>([
    ["a project's allow is dropped", '', rule('allow', 'make'), 'make', 'ask'],
    ["a project's default is dropped", '', 'default = "allow"\n', 'make', 'ask'],
    ["a project's deny counts", rule('allow', 'make'), rule('deny', 'make'), 'make', 'deny'],
    ["a project's ask counts", rule('allow', 'make'), rule('ask', 'make'), 'make', 'ask'],
    ["a project's strict default counts", rule('allow', 'make'), 'default = "deny"\n', 'ls', 'deny'],
    ["the user's deny counts", rule('deny', 'make'), rule('allow', 'make'), 'make', 'deny'],
    ["the user's allow counts", rule('allow', 'make'), '', 'make', 'allow'],
    ['an allow of a tool is dropped', '', '[[rule]]\neffect = "allow"\ntools = ["*"]\n', 'make', 'ask'],
    [
      "a project's reading does not blind the user's rule",
      rule('deny', 'rm'),
      '[tools.execute]\ncommand = "other"\n',
      'rm x',
      'deny',
    ],
    [
      "a project's reading does not let through",
      `${rule('allow', 'ls')}${rule('deny', 'rm')}`,
      '[tools.execute]\ncommand = "other"\nshell = "cmd"\n',
      'ls; rm x',
      'deny',
    ],
  ])('%s', async (_, users, projects, command, effect) => {
    const { root, user, project } = machine();
    user(file(users));
    project(file(projects));
    const gate = createGate({ policyFiles: true, place: { cwd: root } });
    expect((await gate.check(run(command))).effect).toBe(effect);
  });

  describe.each(['default = "deny"\n', 'match = "first"\ndefault = "deny"\n'])('what the user denies by %j', (head) => {
    it.each<PolicyEffect>(['ask', 'allow'])(
      'is not loosened by an %s of the program or the project',
      async (effect) => {
        const { root, user, project } = machine();
        user(file(`${head}${rule('allow', 'ls')}`));
        project(file(rule(effect, 'rm')));
        const policy: PolicyDocument = { version: 1, rule: [{ effect, commands: ['rm'] }] };
        for (const options of [{}, { policy }]) {
          const gate = createGate({ ...options, policyFiles: true, place: { cwd: root } });
          expect((await gate.check(run('rm x'))).effect).toBe('deny');
        }
      },
    );
  });

  it.each<PolicyEffect>(['ask', 'allow'])(
    'what "first" denies is not loosened by an %s of the program',
    async (effect) => {
      const { root, user } = machine();
      user(file(`match = "first"\n${rule('allow', 'ls')}`));
      const place = { cwd: root };
      expect((await createGate({ policyFiles: true, place }).check(run('rm x'))).effect).toBe('deny');
      const policy: PolicyDocument = { version: 1, rule: [{ effect, commands: ['rm'] }] };
      expect((await createGate({ policy, policyFiles: true, place }).check(run('rm x'))).effect).toBe('deny');
    },
  );

  it('a project that is trusted allows, until its file changes; trusting is for that project only', async () => {
    const { root, user, project, env } = machine();
    user(file(rule('deny', 'rm')));
    project(file(rule('allow', 'make')));
    const gate = createGate({ policyFiles: true, place: { cwd: root } });
    const effect = async (command: string) => (await gate.check(run(command))).effect;
    expect(await effect('make')).toBe('ask');
    expect((await countersign(['policy', 'trust', root], { env })).code).toBe(0);
    expect([await effect('make'), await effect('make; rm x')]).toEqual(['allow', 'deny']);
    project(file(`${rule('allow', 'make')}# and more\n`));
    expect(await effect('make')).toBe('ask');
    project(file(rule('allow', 'make')));
    expect(await effect('make')).toBe('allow');
    project(file(`${rule('allow', 'make')}${rule('deny', 'make')}`));
    expect(await effect('make')).toBe('deny');
    expect((await countersign(['policy', 'trust', '--remove', root], { env })).code).toBe(0);
    project(file(rule('allow', 'make')));
    expect(await effect('make')).toBe('ask');
  });

  it("the file of trust itself is the user's to write: a project cannot say that it is trusted", async () => {
    const { root, project } = machine();
    project(file(rule('allow', 'make')));
    writeFileSync(join(root, '.countersign', 'trust.toml'), 'version = 1\n');
    for (const path of [
      '.countersign/policy.toml',
      '.countersign/trust.toml',
      '~/.config/countersign/trust.toml',
      '/etc/countersign/policy.toml',
    ]) {
      const call = { toolName: 'write_file', args: { file_path: path, content: 'x' } };
      const allowing: PolicyDocument = { version: 1, rule: [{ effect: 'allow', writes: '/**' }] };
      const { effect } = await createGate({ policy: allowing, place: { cwd: root } }).check(call);
      expect([path, effect]).toEqual([path, 'ask']);
    }
  });
});
