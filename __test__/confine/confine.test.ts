/** `confine`: real commands that try to leave what they were given, and what is told of it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfinementError, InvalidConfigError, confine, confinementReport } from '../../ts/index.js';
import type { ConfineOptions } from '../../index.js';
import { listenToWarnings } from '../support/warnings.js';

const report = confinementReport();

/** Outside of the temporary folder, which a command has one of its own of. */
const base = mkdtempSync(join(import.meta.dirname, '../../.build/confine-'));
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
  const { file, args, cwd, env, refusals } = confine(command, { cwd: root, ...options });
  const { status, signal, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' });
  return { status, signal, stdout, stderr, refused: refusals(stdout + stderr) };
}

describe.runIf(report.by === 'landlock')('a confined command', () => {
  test('writes where it may and nowhere else, and what was refused is told', () => {
    const { stdout, refused, status } = run('echo x > own && cat own; echo x > ../outside/kept; exit 4');
    expect([stdout, status]).toEqual(['x\n', 4]);
    const target = join(outside, 'kept');
    expect(refused).toEqual([{ kind: 'write', target, text: `writing ${target}` }]);
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
      { kind: 'network', target: 'registry.example.com', text: 'connecting to registry.example.com' },
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

  test('is told of the folder that a command starts in', () => {
    expect(() => run('true', { cwd: join(root, 'nowhere') })).toThrow(`cwd: ${join(root, 'nowhere')} is no folder`);
  });
});

describe('what cannot be', () => {
  test.each<[string, () => unknown]>([
    ['no command', () => confine([])],
    ['a null byte', () => confine('a\0b')],
    ['a path that is none', () => confine(':', { write: [''] })],
    ['a port that is none', () => confine(':', { network: { proxy: 0 } })],
    ['a network that is none', () => confine(':', { network: 'all' as never })],
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
