/** `confine`: real commands that try to leave what they were given, and what is told of it. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConfinementError, InvalidConfigError, confine, confinementReport } from '../../ts/index.js';
import type { ConfineOptions } from '../../index.js';
import { tightened } from '../../ts/confine/confine.js';
import { confineProgram } from '../../ts/native.js';
import { ownPlace } from '../support/own-place.js';
import { listenToWarnings } from '../support/warnings.js';

const report = confinementReport();

/** Outside of the temporary folder, which a command has one of its own of. */
const base = ownPlace('confine');
let root: string;
let outside: string;

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(base, 'x-')));
  root = join(folder, 'project');
  outside = join(folder, 'outside');
  for (const each of [root, outside]) mkdirSync(each);
  writeFileSync(join(outside, 'kept'), 'kept');
});

afterAll(() => rmSync(base, { recursive: true }));

function run(command: string | readonly string[], options: ConfineOptions = {}) {
  const { file, args, cwd, env, refusals, putAside } = confine(command, { cwd: root, ...options });
  const { status, signal, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  return { status, signal, stdout, stderr, refused: refusals(stdout + stderr), aside: putAside() };
}

// Where there is nothing to confine with, most tests of confinement are skipped. There that would not be missed.
test.runIf(process.env.CI && process.platform === 'linux')('in CI a command can be confined, with namespaces', () => {
  expect(report).toMatchObject({ by: 'landlock', supported: true, namespaces: true });
});

describe.runIf(report.by === 'landlock')('a confined command', () => {
  test('writes where it may and nowhere else, and what was refused is told', () => {
    const { stdout, refused, status } = run('echo x > own && cat own; echo x > ../outside/kept; exit 4');
    expect([stdout, status]).toEqual(['x\n', 4]);
    const target = join(outside, 'kept');
    expect(refused).toEqual([{ kind: 'write', target, text: `writing ${target}`, canBeGiven: true }]);
    expect(readFileSync(target, 'utf8')).toBe('kept');
  });

  test('reads the system, and neither other folders nor what is hidden', () => {
    writeFileSync(join(root, '.env'), 'SECRET');
    const { stdout, refused } = run('ls /usr/bin | head -1; cat ../outside/kept .env', { hide: ['.env'] });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    const targets = refused.map(({ kind, target }) => [kind, target]);
    expect(targets).toContainEqual(['read', join(outside, 'kept')]);
    // Root may open it, and finds nothing in it.
    if (report.namespaces && process.getuid?.() !== 0) expect(targets).toContainEqual(['read', join(root, '.env')]);
  });

  test('cannot replace the program that confines the next one, also where it may write around it', () => {
    const folder = dirname(confineProgram ?? '');
    const planted = join(folder, 'planted');
    onTestFinished(() => rmSync(planted, { force: true }));
    const { status } = run(['sh', '-c', 'echo x > "$0"', planted], { write: [dirname(folder)] });
    expect([status === 0, existsSync(planted)]).toEqual([false, false]);
  });

  test('may be given more', () => {
    expect(run('cat ../outside/kept', { read: ['../outside'] }).stdout).toBe('kept');
    expect(run('echo more > ../outside/more; echo x > own', { write: ['../outside'] }).status).not.toBe(0);
    expect(readFileSync(join(outside, 'more'), 'utf8')).toBe('more\n');
    expect(existsSync(join(root, 'own'))).toBe(false);
  });

  test('reaches no network, and the host is told', () => {
    const { refused, status } = run([
      process.execPath,
      '-e',
      "fetch('http://registry.example.com/x').catch((e) => { console.error(e.cause); process.exit(3) })",
    ]);
    expect(status).toBe(3);
    expect(refused).toEqual([
      {
        kind: 'network',
        target: 'registry.example.com',
        text: 'connecting to registry.example.com',
        canBeGiven: true,
      },
    ]);
  });

  test.runIf(report.namespaces)('has a network of its own when it is given one', () => {
    const program = `const s = require('net').createServer((c) => c.end('hello')).listen(0, '127.0.0.1', () => {
      require('net').connect(s.address().port).on('data', (d) => { console.log(String(d)); s.close(); }) })`;
    expect(run([process.execPath, '-e', program], { network: 'loopback' }).stdout).toBe('hello\n');
    expect(run([process.execPath, '-e', program]).stdout).toBe('');
  });

  test.runIf(report.namespaces)('cannot change what git would run later', () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    const { refused, status } = run('echo x > .git/hooks/pre-commit; git config core.fsmonitor "touch pwned"');
    expect(status).not.toBe(0);
    expect(refused.map(({ target }) => target)).toContain(join(root, '.git/hooks/pre-commit'));
    expect(readFileSync(join(root, '.git/config'), 'utf8')).not.toContain('pwned');
    expect(
      run(
        'git status --short && echo x > a && git add a && git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline | wc -l',
      ).stdout,
    ).toBe('1\n');
  });

  test('leaves no repository that was not there, nor what git would obey of one', () => {
    const made = run('mkdir -p .git/hooks && echo "touch pwned" > .git/hooks/pre-commit; echo x > own');
    expect(made.aside).toEqual([join(root, '.git')]);
    expect([
      existsSync(join(root, '.git')),
      existsSync(join(root, '.git.unchecked')),
      existsSync(join(root, 'own')),
    ]).toEqual([false, true, true]);
    // A file or a symlink that names a folder elsewhere, once more.
    expect(run('echo "gitdir: ../elsewhere" > .git').aside).toEqual([join(root, '.git')]);
    expect(run('mkdir -p bad/hooks; ln -s bad .git').aside).toEqual([join(root, '.git')]);
    expect(existsSync(join(root, '.git.unchecked-3'))).toBe(true);
  });

  test('cannot take all the names that it would be put aside as', () => {
    const line = "mkdir .git new; for i in '' $(seq -f -%g 2 100); do mkdir .git.unchecked$i; done";
    expect(run(line, { absent: ['new'] }).aside.toSorted()).toEqual([join(root, '.git'), join(root, 'new')]);
    const long = 'ä'.repeat(125);
    expect(run(`mkdir ${long}`, { absent: [long] }).aside).toEqual([join(root, long)]);
  });

  test('leaves nothing for a submodule or a worktree that git would take over', () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    const { aside } = run('mkdir -p .git/modules/lib/hooks .git/worktrees/x');
    expect(aside.toSorted()).toEqual([join(root, '.git/modules'), join(root, '.git/worktrees')]);
    mkdirSync(join(root, '.git/modules/libs/one'), { recursive: true });
    writeFileSync(join(root, '.git/modules/libs/one/HEAD'), '');
    // A name that is made a repository hides no others.
    const more = run('cd .git/modules; ln -s libs link; mkdir -p libs/two new libs/one/refs; touch libs/HEAD');
    const left = more.aside.map((path) => path.slice(join(root, '.git/modules/').length)).toSorted();
    expect(left).toEqual(['libs/HEAD', 'libs/two', 'link', 'new']);
    expect(readdirSync(join(root, '.git/modules/libs'))).toEqual(['one']);
    expect(existsSync(join(root, '.git/modules-libs-two.unchecked'))).toBe(true);
  });

  test.each(['modules', 'worktrees'])(
    'leaves the symlink by which git keeps its %s elsewhere, and nothing new there',
    (name) => {
      spawnSync('sh', ['-c', `git init -q; mkdir -p mods/old; touch mods/old/HEAD; ln -s ../mods .git/${name}`], {
        cwd: root,
      });
      expect(run('echo x > mods/old/x').aside).toEqual([]);
      expect(run('mkdir mods/new').aside).toEqual([join(root, 'mods/new')]);
      expect(readdirSync(join(root, 'mods'))).toEqual(['old']);
      expect(existsSync(join(root, `.git/${name}-new.unchecked`))).toBe(true);
      expect(readlinkSync(join(root, '.git', name))).toBe('../mods');
      // Another symlink in its place leads elsewhere.
      const { aside } = run(`mkdir -p dev/new; ln -sfn ../dev .git/${name}`);
      expect(aside).toEqual(report.namespaces ? [] : [join(root, '.git', name)]);
      expect(existsSync(join(root, 'dev/new'))).toBe(true);
    },
  );

  test('puts nothing in the place of a symlink, nor where one leads', () => {
    spawnSync('git', ['init', '-q', '--template='], { cwd: root });
    symlinkSync('../dev', join(root, '.git/hooks'));
    expect(run('mkdir dev').aside).toEqual([join(root, 'dev')]);
    mkdirSync(join(root, 'dev'));
    expect(run('touch dev/own; true').aside).toEqual([]);
    const hooks = join(root, '.git/hooks');
    for (const line of ['rm .git/hooks; mkdir .git/hooks', 'ln -sfn ../own .git/hooks']) {
      // With namespaces it cannot be replaced.
      expect(run(line).aside).toEqual(report.namespaces ? [] : [hooks]);
      if (!report.namespaces) symlinkSync('../dev', hooks);
      expect(readlinkSync(hooks)).toBe('../dev');
    }
  });

  test.each<[string, string, ConfineOptions, string]>([
    ['hooks behind a symlink', 'git config core.hooksPath hk/x; ln -s src hk', {}, 'hk/x'],
    ['hooks behind a symlink to a file', 'git config core.hooksPath hk/x; ln -s own hk', {}, 'hk/x'],
    ['hooks behind a symlink to nothing', 'git config core.hooksPath hk/x; ln -s nothing hk', {}, 'hk/x'],
    ['hooks behind a symlink to outside', 'git config core.hooksPath hk/x; ln -s ../outside hk', {}, 'hk/x'],
    ['hooks behind two symlinks', 'git config core.hooksPath hl/x; ln -s hk hl; ln -s src hk', {}, 'hk/x'],
    ['hooks in packages', 'git config core.hooksPath hk/hooks; ln -s deps hk; mkdir deps', {}, 'hk/hooks'],
    ['hooks above a symlink', 'git config core.hooksPath hk/../x/y; ln -s src/deep hk', {}, 'src/x/y'],
    ['hooks of husky', 'git config core.hooksPath hk/_; ln -s src hk', {}, 'hk/_'],
    ['settings behind a symlink', 'git config include.path ../hk/inc.cfg; ln -s src hk', {}, 'hk/inc.cfg'],
    ['settings behind symlinks and nothing', 'git config include.path ../hk/i; ln -s src/no/../../out hk', {}, 'hk/i'],
    ['what must not be made', 'ln -s src hk', { absent: ['hk/q'] }, 'hk/q'],
    ['what must not be made, behind a file', 'ln -s own hk', { absent: ['hk/q'] }, 'hk/q'],
    ['what must not be made, a symlink itself', 'ln -s nothing hk', { absent: ['hk'] }, 'hk/q'],
  ])('puts nothing in the place of a symlink on the way to what is not there: %s', (_, setup, options, made) => {
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    mkdirSync(join(root, 'locked'));
    spawnSync('sh', ['-c', `git init -q --template=; echo x > own; ${setup}`], { cwd: root });
    const before = readlinkSync(join(root, 'hk'));
    for (const line of ['rm hk', 'mv hk zz', 'ln -sfn locked hk; rm hk']) {
      const folder = dirname(made);
      const { aside } = run(`${line}; mkdir -p ${made.endsWith('x') ? made : folder} && echo x > ${made}/x`, options);
      if (report.namespaces) expect([line, readlinkSync(join(root, 'hk'))]).toEqual([line, before]);
      else expect(aside).toEqual([join(root, 'hk')]);
      expect(existsSync(join(root, made))).toBe(false);
    }
  });

  test('adds nothing to a repository that git would obey', () => {
    spawnSync('git', ['init', '-q', '--template='], { cwd: root });
    const line =
      'mkdir -p .git/hooks .git/info; echo x > .git/hooks/pre-commit; echo "* filter=x" > .git/info/attributes; echo .. > .git/commondir; echo x > .git/config.worktree; git add -A . 2>/dev/null; true';
    const { aside } = run(line);
    // What is there is found again by git, without what was put aside.
    const left = aside.map((path) => path.slice(root.length + 1)).toSorted();
    expect(left).toEqual(['.git/commondir', '.git/config.worktree', '.git/hooks', '.git/info']);
    expect(spawnSync('git', ['status', '--short'], { cwd: root }).status).toBe(0);
    expect(run(':').aside).toEqual([]);
  });

  test('puts aside no file that it was given, nor one that was there', () => {
    const file = join(outside, 'kept');
    const { aside, status } = run(`echo more >> "${file}"; echo x > own`, {
      write: [file, root],
      absent: ['../outside/kept/x', '../outside/kept/x/y'],
    });
    expect([aside, status, readFileSync(file, 'utf8')]).toEqual([[], 0, 'keptmore\n']);
    writeFileSync(join(root, 'there'), '');
    expect(run('echo x > there', { absent: ['new'] }).aside).toEqual([]);
    expect(run('echo x > new', { absent: ['new', 'there'] }).aside).toEqual([join(root, 'new')]);
  });

  test.runIf(process.getuid?.() !== 0)('is an error where it closes what was to be looked at', () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    const { file, args, cwd, env, putAside } = confine('chmod 0 .git', { cwd: root });
    spawnSync(file, args, { cwd, env });
    expect(putAside).toThrow(ConfinementError);
    chmodSync(join(root, '.git'), 0o755);
  });

  test('follows no symlink to what it puts aside', () => {
    spawnSync('git', ['init', '-q'], { cwd: root });
    writeFileSync(join(outside, 'attributes'), 'kept');
    const { aside } = run(`rm -rf .git/info; ln -s "${outside}" .git/info`);
    expect(aside).toEqual([join(root, '.git/info')]);
    expect(readFileSync(join(outside, 'attributes'), 'utf8')).toBe('kept');
  });

  test('that starts in / may write nothing and read what all may', () => {
    const { stdout, status } = run(`cat "${join(outside, 'kept')}"; touch /x; pwd`, { cwd: '/' });
    expect([stdout, status]).toEqual(['/\n', 0]);
    expect(() => run(':', { write: ['/'] })).toThrow(/whole disk/);
  });

  test('gets the variables that find programs, and no keys', () => {
    process.env.AWS_SECRET_ACCESS_KEY = 'a key';
    try {
      const { stdout } = run('env');
      expect(stdout).toMatch(/^PATH=/m);
      expect(stdout).not.toContain('a key');
      expect(run('env', { env: { PATH: '/usr/bin:/bin', OWN: '1', NONE: undefined } }).stdout).toMatch(/^OWN=1$/m);
    } finally {
      delete process.env.AWS_SECRET_ACCESS_KEY;
    }
  });

  test('uses the toolchains that PATH leads to', () => {
    const { stdout, stderr } = run(['node', '-p', '1 + 1']);
    expect([stdout, stderr]).toEqual(['2\n', '']);
  });

  test.runIf(report.namespaces)('has an empty home that goes with it', () => {
    const name = `.countersign-test-${process.pid}`;
    expect(run(`echo x > ~/${name} && cat ~/${name}`).stdout).toBe('x\n');
    expect(existsSync(join(homedir(), name))).toBe(false);
  });

  test('is one plan, however long and whatever is in it', () => {
    const text = 'ä€😀"\\\n'.repeat(20_000);
    const { stdout } = run(['node', '-e', 'console.log(process.argv[1].length)', 'x'.repeat(100_000)]);
    expect(stdout).toBe('100000\n');
    expect(run(['printf', '%s', text.slice(0, 30_000)]).stdout).toBe(text.slice(0, 30_000));
  });

  test('says nothing of refusals that are none of the sandbox', () => {
    writeFileSync(join(root, 'closed'), '', { mode: 0 });
    expect(run('cat nothing-here; ls /nothing-at-all; cat ../outside/nothing').refused).toEqual([]);
    expect(run('echo "Permission denied: closed"').refused).toEqual([]);
  });
});

describe.runIf(report.supported)('what is not there', () => {
  test.each([
    ['hide', 'secrets/**', 'Name the folder, "secrets", or each file.'],
    ['hide', '**/*.pem', 'Name each file by its name.'],
    ['protect', 'a/b?/c', 'Name the folder, "a", or each file.'],
    ['read', '../{a,b}', 'Name the folder, "..", or each file.'],
    ['write', 'app/[id]', 'Name the folder, "app", or each file.'],
    ['absent', '**/.envrc', 'Name each file by its name.'],
  ])('is an error where it is a pattern: %s: %s', (name, path, told) => {
    const wrong = () => run(':', { [name]: [path] });
    expect(wrong).toThrow(InvalidConfigError);
    expect(wrong).toThrow(`there is no ${path}, and patterns are not read. ${told}`);
  });

  test('is no pattern where a file is called so', () => {
    writeFileSync(join(root, '[id].pem'), 'SECRET');
    const { stdout } = run('cat "[id].pem"; echo read', { hide: ['[id].pem'] });
    expect(stdout).toBe(report.namespaces ? 'read\n' : 'SECRETread\n');
  });

  test('is warned of, where it restricts', () => {
    using heard = listenToWarnings();
    for (let i = 0; i < 2; i++) run('true', { hide: ['.evn'], protect: ['kep'], read: ['nothing'] });
    expect(heard.warnings).toEqual(
      report.by === 'landlock'
        ? [expect.stringContaining(`${join(root, '.evn')} is not there`), expect.stringContaining(join(root, 'kep'))]
        : [],
    );
  });

  test('is told truly in a folder in which nothing can be made', () => {
    mkdirSync(join(root, 'sub/deep'), { recursive: true });
    symlinkSync('sub', join(root, 'link'));
    using heard = listenToWarnings();
    const { status } = run('mkdir sub/y', { protect: ['sub', 'sub/y', 'link/z'], hide: ['sub/x'] });
    expect([status === 0, existsSync(join(root, 'sub/y'))]).toEqual([false, false]);
    run('true', { protect: ['sub', 'sub/deep/y'], write: ['.', 'sub/deep'] });
    const absent = heard.warnings.filter((each) => each.includes('is not there'));
    const told = [...Array.from({ length: 3 }, () => 'so no command makes it'), 'can make it'];
    expect(absent).toEqual(report.by === 'landlock' ? told.map((each) => expect.stringContaining(each)) : []);
  });

  test.each([
    ['..', ['.']],
    ['/', ['.']],
    ['.', ['deep']],
  ])('protects nothing in a place to write that it is around, which is warned of: %s', (path, write) => {
    mkdirSync(join(root, 'deep'));
    using heard = listenToWarnings();
    const { stdout } = run('echo x > deep/made && echo made', { protect: [path], write });
    expect(stdout).toBe('made\n');
    const told = `has ${join(root, write[0] as string)} in it, where commands may write`;
    expect(heard.warnings).toEqual(report.by === 'landlock' ? [expect.stringContaining(told)] : []);
  });

  test('is told of the folder that a command starts in', () => {
    expect(() => run('true', { cwd: join(root, 'nowhere') })).toThrow(`cwd: ${join(root, 'nowhere')} is not a folder`);
  });
});

test('what is asked for in addition to settings opens nothing of them, and each may demand all walls', () => {
  for (const [own, more, demand] of [
    [{}, {}, 'walls'],
    [{ demand: 'whole' }, {}, 'whole'],
    [{ demand: 'whole' }, { demand: 'walls' }, 'whole'],
    [{}, { demand: 'whole' }, 'whole'],
    [{ demand: 'walls' }, { demand: 'whole' }, 'whole'],
  ] as const)
    expect(tightened({ hide: ['a'], ...own }, { hide: ['b'], ...more }, 'x')).toMatchObject({
      hide: ['a', 'b'],
      demand,
    });
  expect(() => tightened({}, { write: ['/'] }, 'x')).toThrow(InvalidConfigError);
});

describe('what cannot be', () => {
  test.each<[string, () => unknown]>([
    ['no command', () => confine([])],
    ['a null byte', () => confine('a\0b')],
    ['a path that is none', () => confine(':', { write: [''] })],
    ['a port that is none', () => confine(':', { network: { proxy: 0 } })],
    ['a network that is none', () => confine(':', { network: 'all' as never })],
    ['hosts without somebody who decides', () => confine(':', { network: ['example.com'] })],
    ['questions without somebody who is asked', () => confine(':', { network: 'ask' })],
    ['a demand that is none', () => confine(':', { demand: 'all' as never })],
    ['an unknown option', () => confine(':', { writes: [] } as never)],
    ['nothing in what restricts', () => confine(':', { hide: undefined } as never)],
  ])('is an error of whoever wrote it: %s', (_, call) => {
    expect(call).toThrow(report.supported ? InvalidConfigError : /confine/);
  });

  test.runIf(!report.supported)('is not run unconfined', () => {
    expect(() => confine(':')).toThrow(ConfinementError);
    expect(report.reason).not.toBeNull();
  });
});
