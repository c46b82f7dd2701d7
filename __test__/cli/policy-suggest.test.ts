/** `countersign policy suggest`: what it proposes from a real history, what it writes, and what it leaves alone. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { jsonSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, Gate, GateOptions, InterruptOn, PolicyDocument } from '../../index.js';
import { createGate, gateTools } from '../../ts/index.js';
import { scratch } from '../policy/support.js';
import { quickly as countersign } from './command.js';

type Answer = 'approve' | 'reject' | 'edit';

interface AskedBefore {
  command: string;
  answer?: Answer;
  times?: number;
}

const ASKS: PolicyDocument = { version: 1, rule: [{ effect: 'allow', commands: ['pwd'] }] };

/** A project in which these commands were asked about, and answered by a human. */
async function project(
  history: readonly AskedBefore[],
  { toml, interruptOn, ...options }: Partial<GateOptions> & { toml?: string; interruptOn?: InterruptOn } = {
    policy: ASKS,
  },
) {
  const root = scratch();
  const folder = join(root, 'app');
  mkdirSync(join(folder, '.countersign'), { recursive: true });
  const file = join(folder, '.countersign', 'policy.toml');
  if (toml !== undefined) writeFileSync(file, toml);
  const ledger = `sqlite:${join(folder, '.countersign', 'ledger.db')}` as const;
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config'), COUNTERSIGN_LEDGER: ledger };
  const run = (...args: string[]) => countersign(['policy', 'suggest', '--cwd', folder, ...args], { cwd: folder, env });
  const gate = createGate({ ledger, place: { cwd: folder, home: root }, ...options });
  const execute = async (): Promise<string> => 'done';
  const tools = gateTools({ execute: { inputSchema: jsonSchema({ type: 'object' }), execute } } as never, {
    gate,
    ...(interruptOn && { interruptOn }),
  }) as {
    execute: { execute: (args: object, options: object) => Promise<string> };
  };
  let made = 0;
  for (const { command, answer = 'approve', times = 1 } of history) {
    for (let time = 0; time < times; time++) {
      made++;
      const asked = tools.execute.execute({ command }, { toolCallId: `call-${made}`, messages: [] });
      const { approvalId } = await firstOf(gate);
      if (answer === 'edit') await gate.edit(approvalId, { command: 'pwd' });
      else await gate[answer](approvalId, { by: 'ada' });
      await asked.catch(() => {});
    }
  }
  await gate.close();
  const check = async (command: string) =>
    (await countersign(['policy', 'check', command], { cwd: folder, env })).stdout.split(':')[0];
  return { root, folder, file, env, run, check };
}

async function firstOf(gate: Gate): Promise<ApprovalRequest> {
  for (;;) {
    const [request] = await gate.pending();
    if (request !== undefined) return request;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('what is proposed', () => {
  it('is what was approved three times, with its proof, as a diff; on a pipe nothing is written', async () => {
    const { file, run } = await project([
      { command: 'npm run build', times: 3 },
      { command: 'npm run lint', times: 2 },
      { command: 'npm publish', answer: 'reject' },
    ]);
    const { code, stdout } = await run();
    expect(code).toBe(0);
    expect(stdout).toContain('+commands = [{ words = "npm run build", exact = true }]');
    expect(stdout).not.toContain('npm run lint');
    expect(stdout).toContain(
      'It would have saved 3 of 6 questions, allows none of the 1 calls that were rejected or changed, and nothing unknown.',
    );
    expect(stdout).toContain('Nothing was written. To write it, add --write.');
    expect(existsSync(file)).toBe(false);
  });

  it('denies what was rejected again and again', async () => {
    const { folder, env, run, check } = await project([
      { command: 'git push origin main', answer: 'reject', times: 3 },
    ]);
    expect((await run('--write', '--by', 'ada')).stdout).toContain('+effect = "deny"');
    expect(await check('git push --force')).toBe('deny');
    const { stdout } = await countersign(['audit', 'list', '--kind', 'granted', '--json'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ by: 'ada', effect: 'deny' });
    const exported = (await countersign(['audit', 'export'], { cwd: folder, env })).stdout;
    expect(exported).toMatch(/"kind":"granted".*any `git push …`.*"policy"/);
  });

  it('leaves out, and tells, what would let through a call that was changed before it ran', async () => {
    const { file, run } = await project([
      { command: 'npm run build', times: 4 },
      { command: 'npm run build', answer: 'edit' },
    ]);
    const { stdout } = await run('--write');
    expect(stdout).toContain('left out: exactly `npm run build`: it would allow a call that was rejected');
    expect(existsSync(file)).toBe(false);
  });

  it('counts no approval that no human gave', async () => {
    const { folder, env, run } = await project([]);
    const gate = createGate({ ledger: env.COUNTERSIGN_LEDGER, policy: ASKS, mode: 'auto', place: { cwd: folder } });
    const execute = async (): Promise<string> => 'done';
    const tools = gateTools({ execute: { inputSchema: jsonSchema({ type: 'object' }), execute } } as never, {
      gate,
    }) as {
      execute: { execute: (args: object, options: object) => Promise<string> };
    };
    for (let time = 0; time < 3; time++)
      await tools.execute.execute({ command: 'npm run build' }, { toolCallId: `auto-${time}`, messages: [] });
    await gate.close();
    expect((await run()).stdout).toBe('Nothing to suggest.\nPeople answered no question of this project.\n');
  });

  it('counts nothing of another project on the same ledger', async () => {
    const { root, run, env } = await project([{ command: 'npm run build', times: 3 }]);
    const other = join(root, 'other');
    mkdirSync(join(other, '.countersign'), { recursive: true });
    const there = await countersign(['policy', 'suggest', '--cwd', other], { cwd: other, env });
    expect(there.stdout).toBe('Nothing to suggest.\nPeople answered no question of this project.\n');
    expect((await run()).stdout).toContain('3 of 3');
  });

  it('promises nothing of questions that interruptOn asks, which no rule answers', async () => {
    const { file, run } = await project([{ command: 'npm run build', times: 3 }], {
      policy: ASKS,
      interruptOn: { execute: true },
    });
    const { stdout } = await run('--write');
    expect(stdout).toContain('Nothing to suggest.\nNo question that a rule can answer');
    expect(stdout).toContain(
      'No rule answers 3 of them: they come from the program itself (e.g. interruptOn, its own policy)',
    );
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['a rule of the policy of the program', { policy: { version: 1, rule: [{ effect: 'ask', commands: ['npm'] }] } }],
    ['its default', { policy: { version: 1, default: 'ask' } }],
    ['a preset', { policy: 'preset:read-only' }],
  ] as [string, Parameters<typeof project>[1]][])('promises no allow for what %s asks', async (_, options) => {
    const { run } = await project([{ command: 'npm run build', times: 3 }], options);
    const { stdout } = await run('--write');
    expect(stdout).not.toContain('+[[rule]]');
    expect(stdout).toContain('No rule answers 3 of them: they come from the program itself');
    const rejected = await project([{ command: 'npm publish', answer: 'reject', times: 3 }], options);
    expect((await rejected.run()).stdout).toContain('+effect = "deny"');
  });

  it('says that a gate without policies records no project', async () => {
    const { run } = await project([{ command: 'npm run build', times: 3 }], {
      interruptOn: { execute: true },
    });
    expect((await run()).stdout).toContain('3 questions do not say the project: only a gate with policies');
  });

  it('says which questions no rule answers: named approvers, secrets that were taken out', async () => {
    const named = await project([{ command: 'npm run build', times: 3 }], {
      policy: { version: 1, rule: [{ effect: 'ask', commands: ['npm'], approvers: ['ada'] }] },
    });
    const told = (await named.run()).stdout;
    expect(told).not.toContain('+[[rule]]');
    expect(told).toContain('No rule answers 3 of them: they named approvers, who are asked each time.');
    const redacted = await project([{ command: 'npm run deploy -- sesame', times: 3 }], {
      policy: ASKS,
      redact: [/sesame/g],
    });
    const { stdout } = await redacted.run();
    expect(stdout).not.toContain('+[[rule]]');
    expect(stdout).toContain('No rule answers 3 of them: they have arguments that are not kept whole.');
  });
});

describe('what is written', () => {
  const TOML = '# ours\nversion = 1 # stays\n\n[[rule]]\neffect = "deny"   # spaces stay\ncommands = ["rm"]\n';

  it('comes at the end: comments, order and rights of the file stay', async () => {
    const { file, folder, run, check } = await project([{ command: 'npm run build', times: 3 }], {
      policy: ASKS,
      toml: TOML,
    });
    chmodSync(file, 0o664);
    const { stdout } = await run('--write');
    expect(stdout).toContain(' commands = ["rm"]\n+\n+[[rule]]\n');
    expect(stdout).toContain('countersign policy trust. It was not trusted before: read all of it first.');
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith(TOML)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o664);
    expect(readdirSync(join(folder, '.countersign')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    // It allows nothing until the user trusts it.
    expect(await check('npm run build')).toBe('ask');
  });

  it('counts once the file is trusted, and is not proposed again', async () => {
    const { folder, env, run, check } = await project([{ command: 'npm run build', times: 3 }]);
    expect((await run('--write')).stdout).toContain('count only in programs that read it (`policyFiles: true`)');
    expect((await run()).stdout).toContain(
      'Rules that exist now answer 3 of them.\nThe file is not trusted: its allows answer none of them until you trust it.',
    );
    await countersign(['policy', 'trust'], { cwd: folder, env });
    expect((await run()).stdout).not.toContain('not trusted');
    expect(await check('npm run build')).toBe('allow');
    expect(await check('npm run build -- --watch')).toBe('ask');
    const { stdout } = await run('--write');
    expect(stdout).toContain('Nothing to suggest.\nNo question that a rule can answer');
    expect(stdout).toContain('Rules that exist now answer 3 of them.');
  });

  it.each([
    ['a file with a fault', 'version = 1\n[[rule]\n'],
    [
      'a file whose rules are one list, behind which nothing can be added',
      'version = 1\nrule = [{ effect = "deny", commands = ["rm"] }]\n',
    ],
  ])('is nothing over %s', async (_, toml) => {
    const { file, run } = await project([{ command: 'npm run build', times: 3 }], { policy: ASKS, toml });
    const { code, stderr } = await run('--write');
    expect([code, stderr]).toEqual([1, expect.stringContaining('policy.toml')]);
    expect(readFileSync(file, 'utf8')).toBe(toml);
  });

  it('is refused where the file is another one by then', async () => {
    const { acceptRules } = await import('../../ts/native.js');
    const { file, folder } = await project([], { toml: TOML });
    const rules = { directory: folder, before: 'version = 1\n', after: 'version = 1\n\n', trust: false };
    await expect(acceptRules(rules)).rejects.toThrow(/changed since it was shown/);
    expect(readFileSync(file, 'utf8')).toBe(TOML);
  });
});

it('nothing is written where the policy of the project is a symlink to another file', async () => {
  const { root, file, run } = await project([{ command: 'npm run build', times: 3 }]);
  const other = join(root, 'config', 'policy.toml');
  mkdirSync(join(root, 'config'));
  writeFileSync(other, 'version = 1\n');
  symlinkSync(other, file);
  const { code, stderr } = await run('--write');
  expect([code, stderr]).toEqual([1, expect.stringContaining('is a symlink')]);
  expect(readFileSync(other, 'utf8')).toBe('version = 1\n');
});
