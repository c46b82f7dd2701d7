/** What is taken out before anything is stored, what is left alone, and how much work that is. */
import { runInThisContext } from 'node:vm';
import { tool, type ToolSet } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ApprovalAnswer, ApprovalRequest, GateOptions, RedactOptions } from '../../index.js';
import { createGate, InvalidConfigError } from '../../ts/index.js';
import { RedactedNative } from '../../ts/gate/redacted-native.js';
import { NativeGate } from '../../ts/native.js';
import { Originals } from '../../ts/redact/originals.js';
import { FAILED, Redactor, WITHHELD } from '../../ts/redact/redactor.js';
import { keptRequest, originalRequest } from '../../ts/redact/request.js';
import { SECRETS } from '../../ts/redact/secrets.js';
import { MAX_CHARACTERS } from '../../ts/redact/search.js';
import { snapshot } from '../../ts/values/snapshot.js';
import {
  answer as answerIn,
  continueUnguarded,
  stoppingEntries,
  verifyApprovals,
  waitingEntries,
} from '../support/entries.js';
import { call, calls, collect, major, says } from '../support/model.js';
import { start, until } from '../support/play.js';

const of = (options: RedactOptions): Redactor => Redactor.from(options) as Redactor;
const common = of('secrets');
const some = (length: number): string => 'aB3dE6gH9j'.repeat(Math.ceil(length / 10)).slice(0, length);
/** In two pieces, so that nobody takes this file for a leak. */
const fake = (prefix: string, length: number): string => prefix + some(length);
const M = '[redacted: secret]';
const github = fake('ghp_', 36);

/** A secret, the kind that it is, and the part of it that must be gone. */
const found: [kind: string, text: string, secret?: string][] = [
  ['aws-access-key', fake('AKIA', 0) + 'IOSFODNN7EXAMPLE'],
  ['github-token', github],
  ['github-token', fake('github_pat_', 82)],
  ['gitlab-token', fake('glpat-', 20)],
  ['slack-token', fake('xoxb-', 40)],
  ['slack-webhook', `https://hooks.slack.com/services/T0001/B0001/${some(24)}`, some(24)],
  ['npm-token', fake('npm_', 36)],
  ['pypi-token', fake('pypi-AgE', 120)],
  ['anthropic-key', fake('sk-ant-api03-', 90)],
  ['openai-key', fake('sk-proj-', 120)],
  ['openai-key', fake('sk-', 48)],
  ['google-key', fake('AIza', 35)],
  ['google-key', fake('ya29.', 60)],
  ['stripe-key', fake('sk_live_', 24)],
  ['stripe-key', fake('whsec_', 32)],
  ['huggingface-token', fake('hf_', 34)],
  ['sendgrid-key', `SG.${some(22)}.${some(43)}`],
  ['digitalocean-token', `dop_v1_${'0a'.repeat(32)}`],
  ['docker-token', fake('dckr_pat_', 27)],
  ['vault-token', fake('hvs.', 90)],
  ['telegram-token', `123456789:AA${some(33)}`],
  ['jwt', `eyJ${some(20)}.eyJ${some(60)}.${some(43)}`],
  ['private-key', `-----BEGIN RSA PRIVATE KEY-----\n${some(64)}\n${some(64)}\n-----END RSA PRIVATE KEY-----`, some(64)],
  ['private-key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${some(64)} and so on`, some(64)],
  ['authorization', `Authorization: Bearer ${some(30)}`, some(30)],
  ['authorization', `-H 'authorization: Basic ${some(12)}=='`, some(12)],
  ['authorization', `{"Authorization":"Token ${some(12)}"}`, some(12)],
  ['authorization', `used bearer ${some(30)} for it`, some(30)],
  ['url-credentials', `postgres://admin:${some(9)}@db.example.com/app`, some(9)],
  ['url-credentials', `https://${some(40)}@example.com/x`, some(40)],
  ['secret', `password=${some(9)}`, some(9)],
  ['secret', `DB_PASSWORD="with spaces ${some(9)}"`, some(9)],
  ['secret', `PGPASSWORD='${some(9)}' psql`, some(9)],
  ['secret', `{"password": "${some(9)}"}`, some(9)],
  ['secret', `{\\"password\\": \\"${some(4)} \\\\\\"${some(9)}\\"}`, some(9)],
  ['secret', `client_secret: ${some(9)}`, some(9)],
  ['secret', `passphrase: correct horse ${some(9)}`, some(9)],
  ['secret', `AWS_SECRET_ACCESS_KEY=${some(40)}`, some(40)],
  ['secret', `AccountKey=${some(40)}==;`, some(40)],
  ['secret', `https://x.test/?access_token=${some(9)}&page=2`, some(9)],
  ['secret', `mysql --password ${some(9)} db`, some(9)],
  ['secret', `tool --db-api-key '${some(9)} x' y`, some(9)],
  ['secret', `password=[redacted: x]${some(9)}`, some(9)],
  ['secret', `password="[redacted: x] ${some(9)}"`, some(9)],
  ['secret', `secret => "${some(9)}"`, some(9)],
];

describe('common credentials', () => {
  it.each(found)('%s: %s', (kind, text, secret = text) => {
    const clean = common.text(`before ${text}\nafter`);
    expect(clean).not.toContain(secret);
    expect(clean).toContain(`[redacted: ${kind}]`);
    expect(clean.startsWith('before ')).toBe(true);
    // A key that was cut off takes the rest with it.
    if (!text.includes('and so on')) expect(clean.endsWith('after')).toBe(true);
    expect(common.text(clean)).toBe(clean);
  });

  it('are all tried', () => {
    expect(new Set(found.map(([kind]) => kind))).toEqual(new Set(SECRETS.map(({ name }) => name)));
  });

  it.each([
    'git status && npm run test',
    'PWD=/home/me OLDPWD=/tmp',
    'curl -H "x-api-key: $API_KEY" https://example.com',
    'password=${DB_PASSWORD}',
    'max_tokens: 4096, totalTokens=12',
    'git clone ssh://git@github.com/a/b.git',
    'mail me@example.com about https://example.com/a@b',
    'the bearer of bad news',
    'risk-assessment sk-loading task-123',
    'eyJ is how they begin',
    'a non-secret value',
    '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----',
    '',
  ])('are not: %s', (text) => {
    expect(common.text(text)).toBe(text);
  });

  it('are all found in one text, and what stands between them is kept', () => {
    const text = `A=1 ${github} B=2 token=${some(12)} C=3 ${github},${github} D`;
    const mark = '[redacted: github-token]';
    expect(common.text(text)).toBe(`A=1 ${mark} B=2 token=[redacted: secret] C=3 ${mark},${mark} D`);
  });
});

describe('arguments', () => {
  const named = { toolName: 't' };
  const args = (value: unknown, redactor = common) => redactor.args(named, snapshot(value).json);

  it.each<[string, unknown, unknown]>([
    ['a name that says it', { user: 'me', password: 'hunter2' }, { user: 'me', password: '[redacted: secret]' }],
    ['a number', { pin: 1, password: 1234 }, { pin: 1, password: '[redacted: secret]' }],
    ['all in it', { secrets: { a: 'x', b: ['y', 2] } }, { secrets: { a: M, b: [M, M] } }],
    ['a name in other letters', { 'X-API-Key': 'x', dbPassword: 'y' }, { 'X-API-Key': M, dbPassword: M }],
    ['what it is rather than that it is', { token: github }, { token: '[redacted: github-token]' }],
    ['nothing', { password: '', token: null, secret: true }, { password: '', token: null, secret: true }],
    ['a reference', { password: '$DB_PASSWORD', pwd: '/home/me' }, { password: '$DB_PASSWORD', pwd: '/home/me' }],
    ['a flag', ['mysql', '--password', 'hunter2', 'db'], ['mysql', '--password', M, 'db']],
    ['a pair', { env: [{ name: 'DB_PASSWORD', value: 'x' }] }, { env: [{ name: 'DB_PASSWORD', value: M }] }],
    ['a key', { [github]: 1, other: 2 }, { '[redacted: github-token]': 1, other: 2 }],
    [
      'two keys',
      { [github]: 1, [`${github}x`]: 2 },
      { '[redacted: github-token]': 1, '[redacted: github-token] (2)': 2 },
    ],
    [
      'a key of the prototype',
      JSON.parse('{"__proto__": {"password": "x"}}'),
      JSON.parse(`{"__proto__": {"password": "${M}"}}`),
    ],
  ])('%s', (_, before, after) => {
    const { json, redacted } = args(before);
    expect(json).toEqual(after);
    expect(redacted).toBe(JSON.stringify(before) !== JSON.stringify(after));
  });

  it.each<[string, unknown]>([
    ['a map', new Map<string, unknown>([['password', github.slice(4)]])],
    ['a map with an object', new Map([[{ password: github.slice(4) }, 1]])],
    ['a set', new Set([github])],
    ['an address', { at: new URL(`https://me:${github}@example.com`) }],
    ['an address under a name', { token: new URL(`https://example.com/${github.slice(4)}`) }],
    ['bytes', { file: new TextEncoder().encode(`x ${github} y`) }],
    ['a buffer', { file: Buffer.from(`password=${github}`) }],
    [
      'an instance',
      new (class Login {
        password = github.slice(4);
      })(),
    ],
    ['an expression', { at: new RegExp(github) }],
    ['a big integer', { password: 12345678901234567890n }],
  ])('finds it in %s', (_, value) => {
    const { json, redacted } = args(value);
    expect(redacted).toBe(true);
    const text = JSON.stringify(json);
    for (const secret of [github.slice(4), Buffer.from(github).toString('base64').slice(4, 20), '1234567890123'])
      expect(text).not.toContain(secret);
  });

  it('are not changed themselves', () => {
    const { json } = snapshot({ password: 'x', list: [github] });
    const before = JSON.stringify(json);
    common.args(named, json);
    expect(JSON.stringify(json)).toBe(before);
  });
});

describe('a function', () => {
  const json = snapshot({ path: 'a', card: '4111 1111', token: github }).json;
  const run = (using: (call: { toolName: string; args: never }) => unknown, patterns?: 'secrets') =>
    of({ using: using as never, ...(patterns === undefined ? {} : { patterns }) }).args({ toolName: 'pay' }, json);

  it('says what is kept', () => {
    const seen: unknown[] = [];
    const kept = of((given) => (seen.push(given), { path: 'a' })).args({ toolName: 'pay' }, json);
    expect(kept).toMatchObject({ json: { path: 'a' }, redacted: true, byFunction: true });
    expect(seen).toEqual([{ toolName: 'pay', args: json }]);
  });

  it('may change what it got', () => {
    const kept = run(({ args }) => {
      (args as { card: string }).card = 'gone';
      return args;
    });
    expect(kept).toMatchObject({ json: { path: 'a', card: 'gone', token: github }, redacted: true, byFunction: true });
    expect(json).toHaveProperty('card', '4111 1111');
  });

  it('may leave it as it is', () => {
    expect(run(({ args }) => args)).toMatchObject({ json, redacted: false, byFunction: false });
  });

  it('comes before the patterns', () => {
    const kept = run(({ args }) => ({ ...(args as object), card: `x ${github}` }), 'secrets');
    expect(kept.json).toEqual({ path: 'a', card: 'x [redacted: github-token]', token: '[redacted: github-token]' });
  });

  it.each<[string, (call: { args: never }) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns a function', () => () => 1],
    ['returns a promise', async () => ({})],
    ['returns a promise that fails, which ends no process', async () => Promise.reject(new Error('no'))],
    ['returns a symbol inside', () => ({ a: Symbol('x') })],
    [
      'returns a cycle',
      () => {
        const a: { a?: unknown } = {};
        a.a = a;
        return a;
      },
    ],
    [
      'has a getter that throws',
      () => ({
        get a(): never {
          throw new Error('no');
        },
      }),
    ],
  ])('that %s: nothing of the arguments is kept', (_, using) => {
    expect(run(using)).toMatchObject({ json: FAILED, redacted: true, byFunction: true });
    expect(FAILED).toBe('[redacted: the redact function failed]');
  });
});

describe('expressions', () => {
  it.each<[RedactOptions, string, string]>([
    [[/\d{4}/], 'pin 1234, 5678', 'pin [redacted: pattern 1], [redacted: pattern 1]'],
    [[/a/gy, /B/i], 'xaxb', 'x[redacted: pattern 1]x[redacted: pattern 2]'],
    [['secrets', /x+/], `xx ${github}`, '[redacted: pattern 2] [redacted: github-token]'],
    [{ patterns: [/y*/] }, 'xyyx', 'x[redacted: pattern 1]x'],
    [{ patterns: 'secrets' }, 'password=abc', `password=${M}`],
    [[/(?<=k)v$/m], 'kv\nkv', 'k[redacted: pattern 1]\nk[redacted: pattern 1]'],
  ])('%j in %j', (options, text, clean) => {
    expect(of(options).text(text)).toBe(clean);
  });

  it('leave names alone', () => {
    expect(of([/zzz/]).args({ toolName: 't' }, { password: 'x' })).toMatchObject({ redacted: false });
  });

  it('keep no state of their own or of the caller', () => {
    const mine = /a/g;
    mine.lastIndex = 5;
    const redactor = of([mine]);
    expect([redactor.text('a'), redactor.text('a')]).toEqual(['[redacted: pattern 1]', '[redacted: pattern 1]']);
    expect(mine.lastIndex).toBe(5);
  });
});

describe('options', () => {
  it.each<[unknown]>([[undefined], [[]], [{}]])('%j: nothing is redacted', (options) => {
    expect(Redactor.from(options as never)).toBeUndefined();
  });

  it.each<[unknown]>([
    ['secret'],
    [true],
    [null],
    [5],
    [['x']],
    [{ pattern: [] }],
    [{ patterns: [] }],
    [{ patterns: undefined }],
    [{ using: 'x' }],
    [{ patterns: [1] }],
    [[/x/, null]],
  ])('%j is refused', (options) => {
    expect(() => Redactor.from(options as never)).toThrow(InvalidConfigError);
  });
});

describe('work', () => {
  /** Beginnings that lead nowhere, and ends that do not come. */
  const hostile: [name: string, text: (size: number) => string][] = [
    ['a', 'x'],
    ...[
      'ghp_',
      'github_pat_',
      'eyJ',
      '.eyJ',
      'eyJaaaaa.',
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----',
      '://',
      '://a',
      'password',
      'password=',
      'password="',
      'password=\\"',
      "secret='\\\\\\",
      'authorization:',
      'authorization: "',
      'bearer ',
      'bearer\t\t',
      '--password ',
      ' --a',
      '-a-',
      'secret_access_',
      'sk-',
      'sk-ant-',
      'xoxb-',
      '"',
      '\\',
      ' ',
      '\n',
      '=',
      'SG.aaaaaaaaaaaaaaaa',
      '[redacted: ',
      'token=[redacted: ',
      '1',
      'npm_',
      'AKIA',
    ].map((unit) => [unit, unit] as const),
  ].map(([name, unit]) => [name, (size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)]);

  /**
   * Work that grows with the text alone is done in less than 2 s of processor time, on a slow machine. What grows with its square
   * takes minutes where a step is the cheapest there is (a search for one text, many bytes at once), and hours elsewhere. What is
   * between the two is further apart than machines are.
   */
  const SIZE = 4_000_000;
  const MOST_MS = 40_000;
  /** An expression that does not end would hold up this process, and its own limit with it. */
  const HANG_MS = 400_000;

  const cost = (work: () => void): number => {
    const hook = 'countersignWork';
    Reflect.set(globalThis, hook, work);
    const before = process.cpuUsage();
    try {
      runInThisContext(`${hook}()`, { timeout: HANG_MS });
    } finally {
      Reflect.deleteProperty(globalThis, hook);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };

  it.skipIf(major === 6).each(hostile)('grows no faster than the text: %j', (_, text) => {
    const all = text(SIZE);
    expect(cost(() => common.text(all))).toBeLessThan(MOST_MS);
  });

  it('is bounded: what is beyond is taken out unseen', () => {
    const half = 'x'.repeat(MAX_CHARACTERS / 2);
    expect(of([/zzz/]).json([half, half, 'x'])).toEqual([half, half, '[redacted: too large to be searched]']);
  });

  it('is bounded in depth', () => {
    let deep: unknown = github;
    for (let depth = 0; depth < 5000; depth++) deep = [deep];
    const text = JSON.stringify(common.json(deep));
    expect(text).toContain('[redacted: nested too deep to be searched]');
    expect(text).not.toContain(github);
  });
});

describe('a gate', () => {
  const SECRET = fake('ghp_', 40);
  const OTHER = fake('glpat-', 30);
  const secrets = [SECRET, OTHER, 'hunter2', 'hunter3'];
  const args = { command: `curl -H "Authorization: Bearer ${SECRET}"`, password: 'hunter2' };
  const turns = () => [calls(call('login', args, 'c1')), says('.')];

  /** Everything that a gate tells of, but for what the process that asks is shown. */
  async function listening(options: GateOptions) {
    const told: unknown[] = [];
    const log = (...line: unknown[]) => void told.push(line);
    const logger = { trace: log, debug: log, info: log, warn: log, error: log };
    const gate = createGate({ logger, ...options });
    const events = gate.events();
    const reading = (async () => {
      for await (const event of events) told.push(event);
    })();
    const look = async () => {
      const waiting = await gate.pending();
      told.push(waiting, ...(await Promise.all(waiting.map(({ approvalId }) => gate.get(approvalId)))));
      return waiting;
    };
    const end = async (approvalId?: string) => {
      if (approvalId !== undefined) told.push(await gate.get(approvalId));
      await gate.close();
      await reading;
      return JSON.stringify(told);
    };
    return { gate, logger, look, end, told };
  }

  const expectClean = (text: string) => {
    for (const secret of secrets) expect(text).not.toContain(secret);
  };

  const answers: [name: string, answer: ApprovalAnswer, ran: unknown[]][] = [
    ['approve', { type: 'approve', reason: `since password=hunter3` }, [args]],
    ['reject', { type: 'reject', reason: `no ${OTHER}` }, []],
    [
      'edit',
      { type: 'edit', args: { command: `echo ${OTHER}`, password: 'hunter3' } },
      [{ command: `echo ${OTHER}`, password: 'hunter3' }],
    ],
    [
      'edit to what is no secret',
      { type: 'edit', args: { command: 'ls', password: '' } },
      [{ command: 'ls', password: '' }],
    ],
    ['respond', { type: 'respond', output: { token: OTHER } }, []],
    ['skip', { type: 'skip', reason: OTHER }, []],
  ];

  describe.each(waitingEntries)('%s', (entryName, entry) => {
    it.each(answers)('%s: nothing secret is told, and what runs is what was shown', async (name, answer, ran) => {
      const { gate, logger, look, end } = await listening({ redact: 'secrets' });
      const execute = vi.fn<(given: unknown) => string>(() => 'in');
      const login = tool({
        inputSchema: z.object({ command: z.string(), password: z.string() }),
        execute: execute as never,
      });
      let shown: ApprovalRequest | undefined;
      const onApprovalRequest = async (request: ApprovalRequest) => {
        shown = request;
        await look();
        return answer;
      };
      const played = await entry({
        turns: turns(),
        tools: { login },
        interruptOn: { login: { description: `Log in with ${SECRET}?` } },
        gate,
        logger,
        onApprovalRequest: onApprovalRequest as never,
      });
      expect(shown?.args).toEqual(args);
      expect(shown?.preview).toContain(SECRET);
      expect(shown?.description).toContain(SECRET);
      // It cannot carry out an edit.
      const expected = entryName === 'toolApproval' && name.startsWith('edit') ? [] : ran;
      expect(execute.mock.calls.map(([given]) => given)).toEqual(expected);
      if (name === 'respond' && entryName !== 'toolApproval') expect(JSON.stringify(played)).toContain(OTHER);
      const text = await end(shown?.approvalId);
      expectClean(text);
      expect(text).toContain('[redacted: authorization]');
      expect(text).toContain('"contents":"redacted"');
    });
  });

  describe.each(stoppingEntries)('%s', (_, chat) => {
    const login = () => {
      const execute = vi.fn<(given: unknown) => string>(() => 'in');
      const inputSchema = z.object({ command: z.string(), password: z.string() });
      return { execute, tools: { login: tool({ inputSchema, execute: execute as never }) } as ToolSet };
    };

    it('runs what was approved, and nothing that differs in the secret alone', async () => {
      for (const password of ['hunter2', 'hunter3']) {
        const { execute, tools } = login();
        const { gate, end } = await listening({ redact: 'secrets' });
        const { speak } = chat({ gate, tools, interruptOn: { login: true }, runId: 'r' });
        const asked = await speak([{ role: 'user', content: 'go' }], turns());
        const sent = answerIn(JSON.parse(JSON.stringify(asked).replace('hunter2', password)) as typeof asked, true);
        const refused: string[] = [];
        const verified = await verifyApprovals(sent, gate, {
          runId: 'r',
          onRefused: ({ reason }) => refused.push(reason),
        });
        await continueUnguarded(verified, tools, [says('.')]);
        expect(execute.mock.calls).toHaveLength(password === 'hunter2' ? 1 : 0);
        expect(refused).toEqual(
          password === 'hunter2' ? [] : [expect.stringContaining('not the one that was asked about')],
        );
        expectClean(await end());
      }
    });
  });

  it('holds what a callback edits against the schema', async () => {
    const { gate, end } = await listening({ redact: 'secrets' });
    const execute = vi.fn<(given: unknown) => string>(() => 'in');
    const inputSchema = z.object({ command: z.string(), password: z.string().trim() });
    const tools = { login: tool({ inputSchema, execute: execute as never }) };
    const onApprovalRequest = () => ({ type: 'edit', args: { command: 'ls', password: ' hunter3 ' } }) as const;
    const { run } = start({ turns: turns(), tools, interruptOn: { login: true }, gate, onApprovalRequest });
    await collect(run);
    // The output of the schema was not shown, and the message about it has no secret in it.
    expect(execute).not.toHaveBeenCalled();
    expect(JSON.stringify(await gate.history())).not.toContain('hunter3');
    await end();
  });

  it('tells of a request as it is kept, and gives the one who asked the original', async () => {
    const { gate, look, end } = await listening({ redact: 'secrets' });
    const asking = gate.request({ toolName: 'login', args, description: `as ${SECRET}` });
    const [waiting] = await look();
    expect(waiting).toMatchObject({
      args: { command: 'curl -H "Authorization: [redacted: authorization]"', password: '[redacted: secret]' },
      description: 'as [redacted: github-token]',
    });
    expect(waiting?.preview).toContain('password: [redacted: secret]');
    const edited = { ...args, password: 'hunter3' };
    const decided = await gate.edit(waiting!.approvalId, edited, { reason: `with ${OTHER}` });
    expect(decided.decision).toMatchObject({
      args: { password: '[redacted: secret]' },
      reason: 'with [redacted: gitlab-token]',
    });
    expect(await asking).toMatchObject({ approved: true, args: edited, reason: `with ${OTHER}` });
    expectClean(await end(waiting?.approvalId));
  });

  it('binds to the original, not to what is kept', async () => {
    const { gate } = await listening({ redact: 'secrets' });
    const plain = createGate();
    const request = { toolName: 't', args, toolCallId: 'c', runId: 'r' };
    const asking = Promise.allSettled([gate.request(request), plain.request(request)]);
    const [[kept], [original]] = [await gate.pending(), await plain.pending()];
    expect(kept?.args).not.toEqual(original?.args);
    expect(kept?.digest).toBe(original?.digest);
    await Promise.all([gate.close(), plain.close(), asking]);
  });

  it('keeps what has no secret as it is', async () => {
    const { gate, look, end } = await listening({ redact: 'secrets' });
    const asking = gate.request({ toolName: 'x', args: { path: 'notes.txt' } });
    const [waiting] = await look();
    const record = await gate.approve(waiting?.approvalId ?? '', 'fine');
    expect(record).toMatchObject({
      args: { path: 'notes.txt' },
      decision: { type: 'approve', reason: 'fine' },
    });
    expect(record).not.toMatchObject({ contents: 'redacted' });
    expect((await asking).approved).toBe(true);
    await end();
  });

  it('keeps nothing of the arguments when the function fails, and goes on', async () => {
    const redact = () => {
      throw new Error('hunter2');
    };
    const { gate, look, end } = await listening({ redact });
    const asking = gate.request({ toolName: 'login', args, description: 'with hunter2' });
    const [waiting] = await look();
    expect(waiting).toMatchObject({ args: FAILED, description: '[redacted: it quotes redacted arguments]' });
    await gate.approve(waiting?.approvalId ?? '');
    expect(await asking).toMatchObject({ approved: true, args });
    expectClean(await end(waiting?.approvalId));
  });

  it('keeps no policy texts, diffs and offers that quote what was taken out', async () => {
    for (const redact of [
      'secrets',
      ({ args }: { args: unknown }) => ({ ...(args as object), command: '', password: '' }),
    ] as const) {
      const { gate, look, end } = await listening({ redact, policy: { version: 1, default: 'ask' } });
      let shown: ApprovalRequest | undefined;
      const { run } = start({
        turns: [calls(call('execute', { command: `deploy --token ${SECRET} x` }, 'c1')), says('.')],
        tools: {
          execute: tool({ inputSchema: z.object({ command: z.string() }), execute: async () => 'ok' }),
        } as ToolSet,
        gate,
      });
      shown = await until(run, 'approval-requested');
      expect(JSON.stringify(shown.verdict)).toContain(SECRET);
      const [waiting] = await look();
      expect(waiting?.verdict?.effect).toBe('ask');
      expect(waiting?.always.allow).toBeNull();
      // What would be saved has to be what is shown.
      expect(shown.always.allow).toBeNull();
      await gate.approve(waiting?.approvalId ?? '');
      expect(await collect(run)).toContainEqual(expect.objectContaining({ type: 'tool-result', result: 'ok' }));
      expectClean(await end(waiting?.approvalId));
    }
  });

  it('keeps no secret in why a call is asked about again, and the process that asks has it', () => {
    const askedAgain = { because: `The model wrote execute: curl -H ${github} it`, takenBack: true };
    const beside = { description: null, details: { askedAgain }, page: null };
    const asked = { toolName: 'execute', args: {} };
    const page = () => ({ text: '', flags: [] });
    expect(keptRequest(common, asked, beside, page).details).toMatchObject({
      askedAgain: { because: 'The model wrote execute: curl -H [redacted: github-token] it', takenBack: true },
    });
    const withheld = keptRequest(
      of(() => ({})),
      { ...asked, args: { a: 1 } },
      beside,
      page,
    ).details;
    expect(withheld).toMatchObject({ askedAgain: { because: WITHHELD, takenBack: true } });
    const kept = { ...asked, askedAgain: null } as never as ApprovalRequest;
    const own = originalRequest(kept, { ...beside, args: { value: {}, json: {} } }, page);
    expect(own.askedAgain).toEqual(askedAgain);
  });

  it.each([
    ['by its name', common, 'Asked again: The model wrote login: [redacted: secret].'],
    ['by the function', of(({ args }) => ((args as { password?: string }).password ? {} : args)), WITHHELD],
  ])('keeps no secret of the model in what is said of a call that a person has changed: %s', (_, redactor, said) => {
    const because = 'The model wrote login: hunter2.';
    const details = { askedAgain: { because, takenBack: true }, editedFrom: { password: 'hunter2' } };
    const beside = { description: `Asked again: ${because}`, details, page: null };
    const kept = keptRequest(redactor, { toolName: 'login', args: { user: 'ada' } }, beside, () => ({
      text: '',
      flags: [],
    }));
    expect(kept.description).toBe(said);
    expect(JSON.stringify(kept)).not.toContain('hunter2');
    // Nor where it is asked: the arguments of the model are in `editedFrom`.
    const asked = { ...kept, askedAgain: null, toolName: 'login', preview: '', flags: [] } as never as ApprovalRequest;
    const args = { value: {}, json: { user: 'ada' } };
    const { editedFrom, ...shown } = originalRequest(asked, { ...beside, args }, () => ({ text: '', flags: [] }));
    expect(editedFrom).toEqual({ password: 'hunter2' });
    expect(JSON.stringify([shown.description, shown.askedAgain])).not.toContain('hunter2');
  });

  it('keeps no secret in the description of a call that shows one value without its name', () => {
    const [asked, page] = [{ toolName: 'login', args: { password: 'hunter2.*' } }, () => ({ text: '', flags: [] })];
    const beside = { description: 'login: hunter2.* (asks)', details: null, page: null };
    expect(keptRequest(common, asked, beside, page).description).toBe('login: [redacted: secret] (asks)');
    const unseen = { ...asked, args: { password: 'hunter\u20602' } };
    expect(keptRequest(common, unseen, { ...beside, description: 'login: hunter⟨U+2060⟩2' }, page).description).toBe(
      WITHHELD,
    );
  });

  it('hands no secret of an edit on in why it is taken back', () => {
    const decide = vi.spyOn(NativeGate.prototype, 'decide').mockReturnValue({ status: 'edited' } as never);
    const get = vi.spyOn(NativeGate.prototype, 'get').mockReturnValue({ toolName: 'login' } as never);
    const revoke = vi.spyOn(NativeGate.prototype, 'revoke').mockReturnValue(true);
    const kept = { maxArgumentBytes: 1000, keepDecided: 10, retainContentsMs: null, retainRecordsMs: null };
    const native = new RedactedNative({ ...kept, key: null, ledger: 'memory:' }, common);
    const edit = { type: 'edit', args: { password: 'hunter2' } } as const;
    void native.decide('id', edit, { by: null, via: 'gate' });
    void native.revoke('id', 'It changed. A person had changed it to login: hunter2.');
    expect(revoke.mock.calls[0]?.[1]).toBe('It changed. A person had changed it to login: [redacted: secret].');
    for (const each of [decide, get, revoke]) each.mockRestore();
  });

  it('hands no secret on in a result, nor in why something is taken back', () => {
    const settle = vi.spyOn(NativeGate.prototype, 'settle').mockReturnValue(undefined);
    const revoke = vi.spyOn(NativeGate.prototype, 'revoke').mockReturnValue(true);
    const cancelRun = vi.spyOn(NativeGate.prototype, 'cancelRun').mockReturnValue(undefined);
    const options = {
      maxArgumentBytes: 1000,
      keepDecided: 10,
      key: null,
      retainContentsMs: null,
      retainRecordsMs: null,
    };
    const native = new RedactedNative({ ...options, ledger: 'memory:' }, common);
    const result = { type: 'json', value: { text: `found ${SECRET}`, password: 'hunter2', n: 1 } };
    native.settle('1', true, JSON.stringify(result));
    native.settle('2', false, null);
    native.revoke('3', `changed ${SECRET}`);
    native.cancelRun('r', `since ${OTHER}`, 'system');
    const kept = { text: 'found [redacted: github-token]', password: '[redacted: secret]', n: 1 };
    expect(settle.mock.calls).toEqual([
      ['1', true, JSON.stringify({ type: 'json', value: kept })],
      ['2', false, null],
    ]);
    expect(revoke.mock.calls).toEqual([['3', 'changed [redacted: github-token]']]);
    expect(cancelRun.mock.calls).toEqual([['r', 'since [redacted: gitlab-token]', 'system']]);
    vi.restoreAllMocks();
  });

  it('keeps no reason of a machine that may quote what the function took out', async () => {
    const note = vi.spyOn(NativeGate.prototype, 'note').mockResolvedValue(undefined);
    const revoke = vi.spyOn(NativeGate.prototype, 'revoke').mockReturnValue(true);
    const redactor = of(({ args: given }) => ({ ...(given as object), password: '' }));
    const withheld = '[redacted: it quotes redacted arguments]';
    const options = {
      maxArgumentBytes: 1000,
      keepDecided: 10,
      key: null,
      retainContentsMs: null,
      retainRecordsMs: null,
    };
    const native = new RedactedNative({ ...options, ledger: 'memory:' }, redactor);
    const request = {
      runId: 'r',
      toolName: 't',
      origin: [],
      description: null,
      allowedDecisions: null,
      timeoutMs: null,
    };
    const none = { context: null, details: null, page: null, supersedes: null };
    const ask = async (toolCallId: string, password: string) =>
      (await native.request({ ...request, ...none, toolCallId, args: { password } }, [])).record;
    const [secret, harmless] = [await ask('1', 'hunter2'), await ask('2', '')];
    const reject = { type: 'reject', reason: 'Denied: hunter2' } as const;
    const system = { by: null, via: 'system' } as const;
    const kept = await native.decide(secret.approvalId, reject, system);
    expect(kept.decision).toEqual({ type: 'reject', reason: withheld });
    // Who waits here is told why.
    expect(native.originalDecision(secret.approvalId, kept.decision!)).toEqual(reject);
    expect((await native.decide(harmless.approvalId, reject, system)).decision?.reason).toBe(withheld);
    void native.revoke(secret.approvalId, 'hunter2 changed');
    expect(revoke.mock.calls).toEqual([[secret.approvalId, withheld]]);
    await native.note({ kind: 'granted', reason: 'hunter2', toolName: 't' } as never);
    expect(note.mock.calls).toEqual([[{ kind: 'granted', reason: withheld, toolName: 't', label: undefined }]]);
    vi.restoreAllMocks();
  });

  it('does not take what somebody else decided for its own', () => {
    const originals = new Originals();
    const mine = { type: 'edit', args: { a: OTHER } } as const;
    const kept = { type: 'edit', args: { a: 'gone' }, reason: undefined } as const;
    const forget = originals.expect('1', mine, kept);
    originals.expect('1', { type: 'approve', reason: OTHER }, { type: 'approve', reason: 'gone' });
    expect(originals.take('1', { type: 'edit', args: { a: 'gone' } })).toBe(mine);
    expect(originals.take('1', { type: 'edit', args: { a: 'gone' } })).not.toBe(mine);
    for (const told of [
      { type: 'reject' },
      { type: 'edit', args: { a: 'else' } },
      { type: 'cancelled', reason: 'gone' },
    ] as const) {
      originals.expect('1', mine, kept);
      expect(originals.take('1', told)).toBe(told);
    }
    originals.expect('2', mine, kept)();
    forget();
    expect(originals.take('2', { type: 'edit', args: { a: 'gone' } })).not.toBe(mine);
  });

  it('refuses what it cannot read', () => {
    expect(() => createGate({ redact: 'all' as never })).toThrow(InvalidConfigError);
  });
});
