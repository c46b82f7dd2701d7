/** Policies as they are read: what is wrong with them, and where. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { PolicyDocument, PolicyProblem } from '../../index.js';
import {
  checkPolicy,
  CountersignError,
  createGate,
  definePolicy,
  explainPolicy,
  InvalidConfigError,
  lintPolicy,
  loadPolicy,
  parsePolicy,
  PolicyError,
  replayPolicy,
  shellGlob,
  streamWithEvents,
  gateTools,
  toolApproval,
} from '../../ts/index.js';
import { scratch } from './support.js';

/** What a policy is refused for. */
function problemsOf(read: () => unknown): readonly PolicyProblem[] {
  try {
    read();
  } catch (error) {
    if (PolicyError.isInstance(error)) return error.problems;
    throw error;
  }
  throw new Error('it was taken');
}

type Fault = [name: string, text: string, code: string, line: number, column: number | null, message: RegExp];
const faults: Fault[] = [
  ['broken TOML', 'version = 1\n[[rule]\n', 'ERR_POLICY_SYNTAX', 2, null, /./],
  ['an unclosed string', 'version = 1\n[[rule]]\neffect = "allow\n', 'ERR_POLICY_SYNTAX', 3, null, /./],
  ['a key twice', 'version = 1\nversion = 1\n', 'ERR_POLICY_SYNTAX', 2, null, /./],
  ['no version', 'default = "ask"\n', 'ERR_POLICY_VERSION', 1, null, /version/],
  ['a version to come', 'version = 2\n', 'ERR_POLICY_VERSION', 1, 11, /2/],
  ['a key that is not known', 'version = 1\ndefalt = "ask"\n', 'ERR_POLICY_UNKNOWN_KEY', 2, 1, /default/],
  [
    'a key of a rule that is not known',
    'version = 1\n[[rule]]\neffect = "deny"\ntools = "x"\ncommand = ["rm"]\n',
    'ERR_POLICY_UNKNOWN_KEY',
    5,
    1,
    /commands/,
  ],
  [
    'a key of a reading that is not known',
    'version = 1\n[tools.x]\ncomand = "c"\n',
    'ERR_POLICY_UNKNOWN_KEY',
    3,
    1,
    /command/,
  ],
  [
    'an effect that is none',
    'version = 1\n[[rule]]\ntools = "x"\neffect = "alow"\n',
    'ERR_POLICY_VALUE',
    4,
    10,
    /allow/,
  ],
  ['a rule without an effect', 'version = 1\n[[rule]]\ntools = "x"\n', 'ERR_POLICY_VALUE', 2, null, /effect/],
  ['a rule of everything', 'version = 1\n[[rule]]\neffect = "allow"\n', 'ERR_POLICY_VALUE', 2, null, /tools/],
  ['another type', 'version = 1\n[[rule]]\neffect = "deny"\nreads = 5\n', 'ERR_POLICY_VALUE', 4, 9, /reads/],
  ['a broken glob', 'version = 1\n[[rule]]\neffect = "deny"\nreads = ["a{b"]\n', 'ERR_POLICY_VALUE', 4, null, /\{/],
  [
    'a broken address',
    'version = 1\n[[rule]]\neffect = "deny"\nurls = ["https://"]\n',
    'ERR_POLICY_VALUE',
    4,
    null,
    /./,
  ],
  ['an empty list', 'version = 1\n[[rule]]\neffect = "allow"\ncommands = []\n', 'ERR_POLICY_VALUE', 4, null, /./],
  [
    'a shell that is none',
    'version = 1\n[tools.x]\ncommand = "c"\nshell = "basch"\n',
    'ERR_POLICY_VALUE',
    4,
    9,
    /bash/,
  ],
  [
    'an example that does not match',
    'version = 1\n[[rule]]\neffect = "allow"\ncommands = ["git status"]\nexamples = { match = ["git push"] }\n',
    'ERR_POLICY_EXAMPLE',
    5,
    null,
    /git push/,
  ],
  [
    'an example that must not match',
    'version = 1\n[[rule]]\neffect = "allow"\ncommands = ["git status"]\nexamples = { not_match = ["git status -s"] }\n',
    'ERR_POLICY_EXAMPLE',
    5,
    null,
    /git status -s/,
  ],
];

describe('what is wrong with a text', () => {
  it.each(faults)('%s', (_, text, code, line, column, message) => {
    const [problem] = problemsOf(() => parsePolicy(text, { name: 'my.toml' }));
    expect(problem).toMatchObject({ code, source: 'my.toml', line });
    if (column !== null) expect(problem?.column).toBe(column);
    expect(problem?.message).toMatch(message);
    expect(problem?.message).toContain('my.toml');
    expect(problem?.message).toContain(`:${line}`);
  });

  it.each(faults)('%s, in a file', async (_, text, code, line) => {
    const path = join(scratch(), 'policy.toml');
    writeFileSync(path, text);
    const error = await loadPolicy(path).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PolicyError);
    expect(error).toBeInstanceOf(CountersignError);
    expect(error).toMatchObject({ code, name: 'PolicyError', problems: [{ source: path, line }] });
    expect((error as Error).message).toContain(path);
  });

  it('each fault is told, not the first only', () => {
    const text = 'version = 1\nfoo = 1\n[[rule]]\neffect = "alow"\nbar = 2\n';
    const codes = problemsOf(() => parsePolicy(text)).map(({ code, line }) => [code, line]);
    expect(codes).toEqual(
      expect.arrayContaining([
        ['ERR_POLICY_UNKNOWN_KEY', 2],
        ['ERR_POLICY_VALUE', 4],
        ['ERR_POLICY_UNKNOWN_KEY', 5],
      ]),
    );
  });

  it.each([
    ['{"version":1,"rule":[{"effect":"deny","tools":"x","comands":["rm"]}]}', 'ERR_POLICY_UNKNOWN_KEY', 1],
    ['{\n"version":1,\n"rule":[{"effect":"dny","commands":["rm"]}]}', 'ERR_POLICY_VALUE', 3],
    ['{"version":1', 'ERR_POLICY_SYNTAX', 1],
    ['[]', 'ERR_POLICY_VALUE', 1],
    ['null', 'ERR_POLICY_VALUE', 1],
    ['', 'ERR_POLICY_SYNTAX', 1],
    ['{"version":1,"version":1}', 'ERR_POLICY_SYNTAX', 1],
  ])('JSON %j', (text, code, line) => {
    for (const options of [{ format: 'json' }, { name: 'p.json' }, { name: 'p.jsonc' }] as const)
      expect(problemsOf(() => parsePolicy(text, options))[0]).toMatchObject({ code, line });
  });

  it('a text of another type than it is said to be', () => {
    expect(problemsOf(() => parsePolicy('{"version":1}', { format: 'toml' }))[0]?.code).toBe('ERR_POLICY_SYNTAX');
    expect(problemsOf(() => parsePolicy('version = 1', { format: 'json' }))[0]?.code).toBe('ERR_POLICY_SYNTAX');
  });

  it('a file that is not there, is a directory, is no text', async () => {
    const root = scratch();
    const binary = join(root, 'b.toml');
    writeFileSync(binary, Buffer.from([0x76, 0xff, 0xfe]));
    for (const path of [join(root, 'none.toml'), root, binary])
      await expect(loadPolicy(path)).rejects.toMatchObject({
        code: 'ERR_POLICY_FILE',
        problems: [{ source: path, line: null, column: null }],
        cause: expect.anything() as never,
      });
  });
});

describe('what is taken', () => {
  it.each([
    ['TOML with a byte order mark', '\ufeffversion = 1\n', undefined],
    ['TOML with other line ends', 'version = 1\r\n[[rule]]\r\neffect = "deny"\r\ntools = "x"\r\n', undefined],
    ['JSON with comments', '// ours\n{ "version": 1, /* all */ "rule": [] }', 'p.jsonc'],
    ['a schema, as editors want it', '{ "$schema": "https://example.com/s.json", "version": 1 }', 'p.json'],
  ])('%s', (_, text, name) => {
    expect(parsePolicy(text, name === undefined ? {} : { name })).toMatchObject({ text, name: name ?? 'policy' });
  });

  it('is frozen, and what looks like it is not taken for it', async () => {
    const policy = parsePolicy('version = 1\ndefault = "deny"\n');
    expect(Object.isFrozen(policy)).toBe(true);
    expect(() => createGate({ policy: { ...policy, text: 'version = 1\ndefault = "allow"' } })).toThrow(
      /policy is not the very object that definePolicy or loadPolicy gave/,
    );
  });
});

describe('objects', () => {
  const deny = { effect: 'deny', commands: ['rm'] };
  const readers: [string, (policy: never) => unknown][] = [
    ['createGate', (policy) => createGate({ policy })],
    ['streamWithEvents', (policy) => streamWithEvents({ model: 'x' as never, prompt: 'x', policy })],
    ['gateTools', (policy) => gateTools({}, { policy })],
    ['toolApproval', (policy) => toolApproval({ policy })],
    ['lintPolicy', (policy) => lintPolicy(policy)],
  ];
  const unfit: [string, unknown, RegExp][] = [
    ['a function', () => true, /policy must be/],
    ['a number', 5, /policy must be/],
    ['null', null, /policy (?:must be|is null)/],
    ['a text', 'version = 1', /no preset.*parsePolicy/],
    ['a path', './policy.toml', /loadPolicy/],
    ['a list in a list', [[{ version: 1 }]], /policy must be/],
    [
      'a function inside',
      { version: 1, rule: [{ effect: 'deny', tools: 'x', if: () => true }] },
      /function.*definePolicy/,
    ],
    ['a symbol inside', { version: 1, rule: [{ effect: 'deny', tools: Symbol('x') }] }, /symbol/],
    [
      'nothing where patterns were meant',
      { version: 1, rule: [{ effect: 'allow', tools: 'x', commands: undefined }] },
      /undefined/,
    ],
    ['a bigint', { version: 1n }, /plain data/],
    [
      'a class',
      new (class Policy {
        version = 1;
        get rule() {
          return [deny];
        }
      })(),
      /: policy must be a plain object/,
    ],
    ['what inherits', Object.assign(Object.create({ rule: [deny] }), { version: 1 }), /: policy must be .*inherits/],
    [
      'what inherits of what inherits nothing',
      Object.assign(Object.create(Object.assign(Object.create(null), { rule: [deny] })), { version: 1 }),
      /: policy must be .*inherits/,
    ],
    ['a promise', Promise.resolve({ version: 1, rule: [deny] }), /: policy must be .*await/],
    ['a set of documents', new Set([{ version: 1, rule: [deny] }]), /: policy must be/],
    ['a list with another in it', [{ version: 1 }, new Map([['version', 1]])], /: policy\[1\] must be .*a Map/],
    [
      'a map inside',
      { version: 1, tools: new Map([['deploy', { command: 'script' }]]) },
      /: policy\.tools must be .*a Map/,
    ],
    ['a promise inside', { version: 1, tools: Promise.resolve({}) }, /: policy\.tools must be .*await/],
    [
      'one deep inside',
      { version: 1, tools: { deploy: Promise.resolve({}) } },
      /: policy\.tools\.deploy must be .*await/,
    ],
    [
      'what can be awaited',
      {
        version: 1,
        tools: {
          deploy: JSON.parse('{ "then": 1 }', (key, value: unknown) => (key === 'then' ? () => {} : value)) as object,
        },
      },
      /: policy\.tools\.deploy\.then is a function/,
    ],
    ['a set of rules', { version: 1, rule: new Set([deny]) }, /: policy\.rule must be/],
    ['a class of rules', { version: 1, rule: class Rules extends Array {}.from([deny]) }, /: policy\.rule must be/],
    [
      'rules that more is said of',
      { version: 1, rule: Object.assign([deny], { also: [deny] }) },
      /: policy\.rule must be/,
    ],
    // eslint-disable-next-line no-sparse-arrays
    ['rules with a gap', { version: 1, rule: [deny, , deny] }, /: policy\.rule must be/],
    [
      'a rule that inherits who must agree',
      { version: 1, rule: [Object.assign(Object.create({ approvers: ['bob'] }), { effect: 'ask', tools: ['x'] })] },
      /: policy\.rule\[0\] must be .*inherits/,
    ],
    [
      'a rule whose patterns are a set',
      { version: 1, rule: [{ effect: 'deny', commands: new Set(['rm']) }] },
      /: policy\.rule\[0\]\.commands must be/,
    ],
    [
      'a rule with a getter',
      {
        version: 1,
        rule: [
          {
            effect: 'allow',
            get commands() {
              return ['ls'];
            },
          },
        ],
      },
      /: policy\.rule\[0\]\.commands is a getter/,
    ],
    [
      'a rule with what is not enumerable',
      { version: 1, rule: [Object.defineProperty({ effect: 'allow', tools: 'x' }, 'commands', { value: ['ls'] })] },
      /: policy\.rule\[0\]\.commands is not enumerable/,
    ],
    ['a name that is no text', { version: 1, [Symbol('rule')]: [deny] }, /: policy has Symbol\(rule\)/],
    [
      'a text of its own',
      { version: 1, default: 'deny', toJSON: () => ({ version: 1, default: 'allow' }) },
      /: policy\.toJSON is a function/,
    ],
    [
      'no number',
      { version: 1, rule: [{ effect: 'ask', tools: 'x', quorum: Number.NaN }] },
      /: policy\.rule\[0\]\.quorum is NaN/,
    ],
    ['a date', { version: 1, default: new Date(0) }, /: policy\.default must be/],
  ];
  describe.each(readers)('%s', (_name, read) => {
    it.each(unfit)('refuses %s', (_, policy, message) => {
      expect(() => read(policy as never)).toThrow(InvalidConfigError);
      expect(() => read(policy as never)).toThrow(message);
    });

    it('says what is wrong with a document', () => {
      const [problem] = problemsOf(() =>
        read({ version: 1, rule: [{ effect: 'deny', tools: 'x', comands: ['rm'] }] } as never),
      );
      expect(problem).toMatchObject({ code: 'ERR_POLICY_UNKNOWN_KEY', line: null, column: null });
      expect(problem?.message).toMatch(/rule\[0\].*commands/);
    });

    it('refuses a preset that is not there', () => {
      expect(() => read('preset:admin' as never)).toThrow(/preset/);
      expect(() => read('preset:../../etc/passwd' as never)).toThrow(/preset/);
      expect(() => read('preset:' as never)).toThrow(/preset/);
    });
  });

  it('a document is copied: changing it later changes nothing', async () => {
    const rule = [{ effect: 'deny' as 'allow' | 'deny', commands: ['rm'] }];
    const gate = createGate({ policy: { version: 1, rule } });
    const call = { toolName: 'execute', args: { command: 'rm x' } };
    (rule[0] as { effect: string }).effect = 'allow';
    expect((await gate.check(call)).effect).toBe('deny');
  });

  it('what a document inherits is not passed over, wherever it is asked alone', async () => {
    const inherited = Object.assign(Object.create({ default: 'deny' }) as PolicyDocument, { version: 1 as const });
    const call = { toolName: 'x', args: {} };
    for (const [name, asking] of [
      ['checkPolicy', () => checkPolicy(inherited, call)],
      ['explainPolicy', () => explainPolicy(inherited, call)],
      ['replayPolicy', () => replayPolicy([call], inherited)],
    ] as const)
      await expect(asking()).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        message: expect.stringMatching(new RegExp(`^${name}: policy must be a plain object.*inherits`)) as never,
      });
  });

  it('what is plain is taken, of whatever it is made', async () => {
    const bare = Object.assign(Object.create(null) as object, {
      version: 1,
      rule: Object.freeze([Object.freeze({ ...deny })]),
    });
    const elsewhere = runInNewContext("({ version: 1, rule: [{ effect: 'deny', commands: ['rm'] }] })") as object;
    const nothing = JSON.parse('{ "version": 1, "rule": [{ "effect": "deny", "commands": ["rm"] }] }') as object;
    for (const policy of [bare, elsewhere, nothing])
      expect((await checkPolicy(policy as never, { toolName: 'execute', args: { command: 'rm x' } })).effect).toBe(
        'deny',
      );
  });
});

describe('definePolicy', () => {
  it('says which rule it cannot take', () => {
    expect(() => definePolicy([{ when: (() => true) as never, effect: 'allow' }])).toThrow(/rule\[0\].*`if`/);
    expect(() => definePolicy([{ if: true as never, effect: 'allow' }])).toThrow(/rule\[0\]/);
    expect(() => definePolicy([{ when: [], effect: 'allow' }])).toThrow(/rule\[0\].*empty/);
    expect(() => definePolicy([{ tools: 'x', effect: 'yes' as never }])).toThrow(PolicyError);
    expect(() => definePolicy([{ effect: 'deny', toolz: 'x' } as never])).toThrow(PolicyError);
    expect(() => definePolicy([{ tools: 'x', when: undefined, effect: 'allow' }])).toThrow(
      /`when`.*rule\[0\].*undefined/,
    );
    expect(() => definePolicy([{ tools: 'x', if: undefined, effect: 'allow' }])).toThrow(/`if`.*rule\[0\].*undefined/);
    expect(() => definePolicy([{ tools: undefined, when: shellGlob('ls'), effect: 'allow' }])).toThrow(/undefined/);
    expect(() => definePolicy([{ when: shellGlob(undefined as never), effect: 'allow' }])).toThrow(InvalidConfigError);
  });

  const rule = { effect: 'deny', tools: 'deploy' };
  it.each([
    ['a set of rules', new Set([rule]), {}, /rules must be a list/],
    [
      'a rule that inherits its condition',
      [Object.assign(Object.create({ if: () => false }), rule)],
      {},
      /rule\[0\] must be/,
    ],
    [
      'a class of a rule',
      [
        new (class Rule {
          effect = 'allow';
          get when() {
            return shellGlob('ls');
          }
        })(),
      ],
      {},
      /rule\[0\] must be/,
    ],
    [
      'a rule with a getter',
      [
        { ...rule },
        {
          effect: 'allow',
          get tools() {
            return 'x';
          },
        },
      ],
      {},
      /rule\[1\]\.tools is a getter/,
    ],
    [
      'patterns in a map',
      [{ effect: 'allow', when: { matches: new Map([['commands', ['ls']]]) } }],
      {},
      /rule\[0\]\.when\.matches must be/,
    ],
    [
      'patterns that are inherited',
      [{ effect: 'allow', when: Object.create(shellGlob('ls')) as object }],
      {},
      /rule\[0\]\.when must be/,
    ],
    ['readings in a map', [rule], { tools: new Map([['deploy', { command: 'script' }]]) }, /tools must be .*a Map/],
    ['a reading that comes later', [rule], { tools: { deploy: Promise.resolve({}) } }, /tools\.deploy must be .*await/],
  ])('refuses %s', (_, rules, options, message) => {
    expect(() => definePolicy(rules as never, options as never)).toThrow(InvalidConfigError);
    expect(() => definePolicy(rules as never, options as never)).toThrow(message);
  });
});

it('a network that is every host is a finding, and what is more than a host an error', () => {
  const findings = (network: readonly string[]) =>
    lintPolicy({ version: 1, network }).map(({ code, message }) => `${code}: ${message}`);
  expect(findings(['registry.npmjs.org', '*.crates.io'])).toEqual([]);
  expect(findings(['*'])).toEqual([expect.stringContaining('too-broad: "*" is every host')]);
  expect(() => findings(['https://a.example/path'])).toThrow(/more than a host/);
});
