/** What a preset lets run unasked since it runs confined: nothing leaves the project by it, and nothing runs so that is not confined. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { tool, jsonSchema } from 'ai';
import type { Backend, DeepAgentOptions } from '../../agent.js';
import type { ApprovalRequest } from '../../index.js';
import { createDeepAgent, createLocalBackend } from '../../ts/agent/index.js';
import { checkPolicy, confinementReport, createGate, explainPolicy } from '../../ts/index.js';
import { heldTo, runnerOf, runsConfined } from '../../ts/gate/confined-runner.js';
import { executed } from '../support/confined-agent.js';
import { sample } from '../support/effort.js';
import { call, calls, collect, says, scripted } from '../support/model.js';
import { untilGone } from '../support/running.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();
/** Where less is held, the presets ask as they do without. */
const isHeld = report.supported && report.open.length === 0;

const base = ownPlace('confined-unasked');
afterAll(() => rmSync(base, { recursive: true }));

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' });

let root: string;
let outside: string;
beforeEach(() => {
  const place = realpathSync(mkdtempSync(join(base, 'x-')));
  [root, outside] = [join(place, 'project'), join(place, 'outside')];
  for (const folder of [root, outside]) mkdirSync(folder);
  for (const [file, content] of [
    [join(root, 'kept.txt'), 'KEPT'],
    [join(outside, 'theirs.txt'), 'THEIRS'],
  ] as const)
    writeFileSync(file, content);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  writeFileSync(join(root, '.env'), 'SECRET=hidden');
  writeFileSync(join(root, 'notes.txt'), 'NOTES of a rule');
});

type Options = Omit<DeepAgentOptions, 'model'>;

/** Each command in the words of a hostile model; what it got, and what a human was asked. */
async function run(commands: readonly (string | object)[], options: Options, answer = false) {
  const asked: ApprovalRequest[] = [];
  const all = commands.map((command) => (typeof command === 'string' ? { command } : command));
  const said = await executed(all, { policy: 'preset:developer', ...options } as Options, (request) => {
    asked.push(request);
    return answer;
  });
  return { said, asked };
}

const local = () => createLocalBackend({ root });

/** A script of the project that tries what it can. What it prints at its end does not stand in it. */
function hostile(): string {
  const script = join(root, 'build.sh');
  writeFileSync(
    script,
    `#!/bin/sh
echo made > made.txt
for place in ${outside} ${outside}/theirs.txt ${outside}/new.txt $HOME/.profile /etc/motd; do echo EVIL > $place; done
rm -rf ${outside}/* .git/objects .git/refs .git/HEAD
mv .git moved
echo EVIL > .git/hooks/pre-commit
git commit -q --amend -m EVIL --allow-empty
cat .env notes.txt
(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null
ln -s ${outside} link && echo EVIL > link/through.txt
(setsid sh -c "echo up; sleep 1; echo EVIL > ${outside}/late.txt" &) | read up
echo rea''ched
`,
  );
  chmodSync(script, 0o755);
  return './build.sh';
}

async function expectNothingOutside(): Promise<void> {
  // What the script leaves behind was killed, or has tried.
  await untilGone(`${outside}/late.txt`);
  expect(execFileSync('ls', ['-A', outside], { encoding: 'utf8' })).toBe('theirs.txt\n');
  expect(readFileSync(join(outside, 'theirs.txt'), 'utf8')).toBe('THEIRS');
  expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
  expect(git('log', '--format=%s')).toBe('first\n');
  expect(git('show', 'HEAD:kept.txt')).toBe('KEPT');
  expect(git('fsck', '--strict')).not.toContain('missing');
}

describe.runIf(isHeld)('a command that is not known', () => {
  test('runs unasked where it is confined, and changes the project alone', async () => {
    const { said, asked } = await run([hostile()], { backend: local(), confine: true });
    expect(asked).toEqual([]);
    expect(said).toContain('reached');
    expect(existsSync(join(root, 'made.txt'))).toBe(true);
    expect(said).not.toContain('SECRET=hidden');
    await expectNothingOutside();
  });

  test('is asked about by the same agent without confinement', async () => {
    const { said, asked } = await run([hostile()], { backend: local() });
    expect(asked).toHaveLength(1);
    expect(said).not.toContain('reached');
    expect(existsSync(join(root, 'made.txt'))).toBe(false);
  });

  test('can write nothing at all where the policy is read-only', async () => {
    const options = { backend: local(), confine: true as const, policy: 'preset:read-only' as const };
    const { said, asked } = await run([hostile(), 'cat kept.txt | ./build.sh'], options);
    expect(asked).toEqual([]);
    expect(said).toContain('reached');
    expect(existsSync(join(root, 'made.txt'))).toBe(false);
    await expectNothingOutside();
  });

  /** Where git keeps what was committed; a command that leads git elsewhere, and one that deletes what is kept. */
  const STORES = [
    ['.git', 'true', '', '.git/objects'],
    ['the symlink .git', 'mv .git store && ln -s store .git', '.git', 'store'],
    ['a symlink in the file .git', 'mkdir st && mv .git st/x && ln -s st lk && echo "gitdir: lk/x" > .git', 'lk', 'st'],
    [
      'a symlink in alternates',
      'mkdir rl && mv .git/objects rl/oo && mkdir -p .git/objects/info && ln -s rl pl && echo ../../pl/oo > .git/objects/info/alternates',
      'pl',
      'rl',
    ],
    [
      'a name in quotes',
      `mkdir "p q" && mv .git/objects 'p q/o"o' && mkdir -p .git/objects/info && printf '%s' '"../../p q/o\\"o"' > .git/objects/info/alternates`,
      '',
      'p q',
    ],
  ];
  test.each(sample(STORES, 2))('cannot have git lose what was committed by %s', async (_, made, link, store) => {
    execFileSync('sh', ['-c', made], { cwd: root });
    expect(git('log', '--format=%s')).toBe('first\n');
    mkdirSync(join(root, 'elsewhere'));
    const target = link === '' ? '' : readlinkSync(join(root, link));
    writeFileSync(join(root, 'one.sh'), link === '' ? 'true\n' : `rm ${link}; ln -s elsewhere ${link}\n`);
    writeFileSync(join(root, 'two.sh'), `rm -rf '${store}'\necho tri''ed\n`);
    const { said, asked } = await run(['sh ./one.sh', 'sh ./two.sh'], { backend: local(), confine: true });
    expect(asked).toHaveLength(link === '' ? 0 : 2);
    if (link === '') expect(said).toContain('tried');
    else {
      expect(asked[0]?.description).toContain('What git keeps of earlier work may be lost');
      expect(readlinkSync(join(root, link))).toBe(target);
    }
    expect(git('log', '--format=%s')).toBe('first\n');
    expect(git('show', 'HEAD:kept.txt')).toBe('KEPT');
  });

  const ASKED = [
    'rm kept.txt',
    './build.sh; git push',
    'git reset --hard HEAD~1',
    './build.sh > ../outside/theirs.txt',
    'curl https://example.com',
    'npm install left-pad',
    'cat .env',
    'find . -delete',
    'fd -e txt -x rm',
    "sh <<<'rm notes.txt'",
    "echo 'rm notes.txt' | sh",
    'bash -c "$(echo rm notes.txt)"',
    'tar --remove-files -cf new.tar notes.txt',
    'zip -m new.zip notes.txt',
    'mv -f kept.txt notes.txt',
    './build.sh > notes.txt',
    'yarn clean',
    'npm run clean:all',
    'yarn deploy-prod',
    'make clean-all',
  ];
  test.each(sample(ASKED, 6))('%s is asked about', async (command) => {
    hostile();
    const { asked } = await run([command], { backend: local(), confine: true });
    expect(asked.map(({ args }) => args)).toEqual([{ command }]);
  });

  test.each([
    ['./build.sh > fresh.txt', 'fresh.txt'],
    ['./build.sh >> notes.txt', 'notes.txt'],
    ['./build.sh > kept.txt', 'kept.txt'],
    ["sh <<'E'\n./build.sh | tee fresh.txt\nE", 'fresh.txt'],
  ])('%s runs unasked: git has what it replaces, or nothing is lost', async (command, file) => {
    hostile();
    const { asked } = await run([command], { backend: local(), confine: true });
    expect(asked).toEqual([]);
    expect(readFileSync(join(root, file), 'utf8')).toContain('reached');
    await expectNothingOutside();
  });

  test('that wants more than confined commands have is asked about', async () => {
    const reaching = { command: hostile(), reach: { write: [outside] } };
    const { said, asked } = await run([reaching], { backend: local(), confine: true });
    expect(asked).toHaveLength(1);
    expect(said).not.toContain('reached');
  });

  test('runs without walls once a human approved it, who was shown it so', async () => {
    const command = "echo ours > ../outside/ours.txt; ./build.sh; echo rea''ched";
    const options = { backend: local(), confine: true as const, interruptOn: ['execute' as const] };
    const { said, asked } = await run([command, './unknown'], options, true);
    expect(said).toContain('reached');
    expect(existsSync(join(outside, 'ours.txt'))).toBe(true);
    expect(asked[1]?.description).toContain('Approved, it runs unconfined.');
    // Not the verdict for a confined run: this one is not confined.
    expect(asked[1]?.verdict).toMatchObject({ effect: 'ask' });
    expect(asked[1]?.verdict).not.toHaveProperty('confined');
  });

  test('cannot read what the policy of its subagent denies', async () => {
    const command = hostile();
    const subagent = {
      name: 'worker',
      description: 'works',
      policy: {
        version: 1,
        rule: [
          { effect: 'deny', reads: '${project}/notes.txt' },
          { effect: 'allow', confined: 'project' },
        ],
      },
    } as const;
    const turns = [
      calls(call('task', { subagent_type: 'worker', description: 'build' }, 't')),
      calls(call('execute', { command }, 'c')),
      says('done below'),
      says('done'),
    ];
    const { model, prompts } = scripted(turns);
    const policy = ['preset:developer', { version: 1, rule: [{ effect: 'allow', tools: 'task' }] }] as const;
    const agent = createDeepAgent({ model, backend: local(), confine: true, policy, subagents: [subagent] });
    const asked: unknown[] = [];
    await agent.generate({
      prompt: 'go',
      onApprovalRequest: ({ toolName, args }) => {
        asked.push([toolName, args]);
        return false;
      },
    });
    const said = JSON.stringify(prompts);
    expect(asked).toEqual([]);
    expect(said).toContain('reached');
    expect(said).not.toContain('NOTES of a rule');
    await expectNothingOutside();
  });
});

describe('what would not be confined is asked about as ever', () => {
  const tools = (execute: (input: { command: string }) => string) => ({
    execute: tool({
      description: 'runs it',
      inputSchema: jsonSchema<{ command: string }>({ type: 'object', properties: { command: { type: 'string' } } }),
      execute,
    }),
  });

  test.each<[string, () => Options]>([
    ['no confinement', () => ({ backend: local() })],
    ['a backend that confines by itself', () => ({ backend: createLocalBackend({ root, confine: true }) })],
    ['a tool of the same name', () => ({ backend: local(), confine: true, tools: tools(() => 'reached') })],
    ['an execute that is not that of the backend', () => ({ backend: pretending(), confine: true })],
    ['more of the network', () => ({ backend: local(), confine: { network: { proxy: 9 } } })],
    ['hosts of a list', () => ({ backend: local(), confine: { network: ['127.0.0.1:9'] } })],
    ['sockets of the machine', () => ({ backend: local(), confine: { localSockets: true } })],
    ['places to write outside of the project', () => ({ backend: local(), confine: { write: [root, outside] } })],
  ])('%s', async (name, options) => {
    if (!report.supported && name !== 'no confinement') return;
    const { said, asked } = await run([hostile()], options());
    expect(asked).toHaveLength(1);
    expect(said).not.toContain('reached');
  });

  /** It says that it confines, and does not. */
  const pretending = (): Backend => ({
    ...local(),
    execute: async () => ({ exitCode: 0, signal: null, output: 'reached', bytes: 7, truncated: false, stopped: null }),
  });

  test.runIf(isHeld)('a verdict for a confined run starts none that is not', async () => {
    const backend = local();
    const ran: string[] = [];
    const gate = createGate({
      policy: 'preset:developer',
      place: { cwd: root },
      // Between the verdict and the run somebody puts another function in its place.
      judge: () => {
        backend.execute = async (command) => {
          ran.push(command);
          return { exitCode: 0, signal: null, output: '', bytes: 0, truncated: false, stopped: null };
        };
        return undefined;
      },
    });
    const said = await executed([{ command: hostile() }], { backend, confine: true, gate }, undefined);
    await gate.close();
    expect(said).toContain('allowed to run confined, and here it would not be');
    expect(ran).toEqual([]);
    expect(existsSync(join(root, 'made.txt'))).toBe(false);
  });

  test('a function is one that confines only by itself', () => {
    const runner = { runOf: () => ({ writes: ['/work'] }) };
    const [mine, other] = [() => 1, () => 2];
    runsConfined(mine, runner);
    expect([runnerOf(mine), runnerOf(other), runnerOf('mine'), runnerOf(undefined)]).toEqual([
      runner,
      undefined,
      undefined,
      undefined,
    ]);
    const needed = { writes: 'project', by: runner } as const;
    expect(heldTo(undefined, other, 'execute')).toBeUndefined();
    expect(heldTo(needed, mine, 'execute')).toBe('project');
    expect(() => heldTo(needed, other, 'execute')).toThrow('it was allowed to run confined');
    const another = { ...needed, by: { ...runner } };
    expect(() => heldTo(another, mine, 'execute')).toThrow('it was allowed to run confined');
  });
});

describe('the verdict says it', () => {
  test.runIf(isHeld)('and so is the model told', () => {
    const prompt = (options: Partial<DeepAgentOptions>) =>
      createDeepAgent({ model: scripted([]).model, backend: local(), policy: 'preset:developer', ...options })
        .systemPrompt;
    expect(prompt({ confine: true })).toContain('runs in a sandbox: it has no network');
    for (const options of [{}, { confine: { localSockets: true } }])
      expect(prompt(options)).not.toContain('runs in a sandbox');
  });

  const call_ = { toolName: 'execute', args: { command: 'python x.py' } };
  const place = () => ({ cwd: root, project: root });

  test('in checkPolicy and explainPolicy, of a call that would run so', async () => {
    const confined = { writes: [root] };
    const verdict = await checkPolicy('preset:developer', { ...call_, confined }, place());
    expect(verdict).toMatchObject({ effect: 'allow', confined: 'project' });
    expect(verdict.reason).toMatch(/it runs confined to the project$/);
    expect(await checkPolicy('preset:developer', call_, place())).toMatchObject({ effect: 'ask' });
    const { text } = await explainPolicy('preset:developer', { ...call_, confined }, place());
    expect(text).toContain('it runs confined to the project');
    const wrong = { ...call_, confined: { writes: ['relative'] } };
    await expect(checkPolicy('preset:developer', wrong, place())).rejects.toThrow('absolute paths');
  });

  test.runIf(isHeld)('in the audit', async () => {
    const gate = createGate({ policy: 'preset:developer', place: { cwd: root }, ledger: `sqlite:${outside}.db` });
    await executed([{ command: hostile() }], { backend: local(), confine: true, gate }, undefined);
    const entries = await collect(gate.audit.list({ kind: 'verdict' }));
    await gate.close();
    expect(JSON.stringify(entries)).toContain('it runs confined to the project');
  });
});

describe.runIf(isHeld)('what was committed stays, wherever git keeps it', () => {
  const attack = (store: string) =>
    `rm -rf ${store}/objects/* ${store}/refs; mkdir -p ${store}/hooks; echo x > ${store}/hooks/post-commit; true`;

  test('behind a .git that is a file', async () => {
    git('init', '-q', '--separate-git-dir', join(root, 'store'));
    writeFileSync(join(root, 'x.sh'), attack('store'));
    const { said, asked } = await run(['sh x.sh'], { backend: local(), confine: true });
    expect([asked, existsSync(join(root, 'store/hooks/post-commit'))], JSON.stringify(said)).toEqual([[], false]);
    expect(git('log', '--format=%s')).toBe('first\n');
  });

  test('in a store that several work trees share', async () => {
    git('clone', '-q', '--bare', '.', '.bare');
    git('--git-dir=.bare', 'worktree', 'add', '-q', join(root, 'tree'), '-b', 'other');
    writeFileSync(join(root, 'x.sh'), attack('.bare'));
    const { said, asked } = await run(['sh x.sh'], { backend: local(), confine: true });
    expect([asked, existsSync(join(root, '.bare/hooks/post-commit'))], JSON.stringify(said)).toEqual([[], false]);
    expect(git('--git-dir=.bare', 'log', '--format=%s')).toBe('first\n');
  });
});
