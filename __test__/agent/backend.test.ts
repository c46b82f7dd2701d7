/** The files of a local backend: real ones, in a folder of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Backend } from '../../agent.js';
import { BackendError, createLocalBackend } from '../../ts/agent/index.js';
import { CountersignError, InvalidConfigError } from '../../ts/index.js';
import { effort } from '../support/effort.js';
import { sha256 } from './memory-backend.js';

let place: string;
let root: string;
let backend: Backend;

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'backend-')));
  root = join(place, 'root');
  mkdirSync(root);
  mkdirSync(join(place, 'outside'));
  writeFileSync(join(place, 'outside/secret.txt'), 'the secret');
  backend = createLocalBackend({ root });
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

const put = (path: string, content: string | Buffer) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};

const failure = async (work: Promise<unknown>): Promise<BackendError> => {
  const error: unknown = await work.then(
    (value) => expect.unreachable(`it did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!BackendError.isInstance(error)) throw error;
  return error;
};

describe('files', () => {
  test('are made, read, edited and found', async () => {
    const content = 'one\ntwo ⌘\nthree';
    expect(await backend.writeFile('src/a.txt', content)).toEqual({
      created: true,
      bytes: Buffer.byteLength(content),
      sha256: sha256(content),
    });
    expect(await backend.readFile(join(root, 'src/a.txt'), { offset: 2, limit: 1 })).toEqual({
      text: 'two ⌘\n',
      firstLine: 2,
      lines: 1,
      totalLines: 3,
      sha256: sha256(content),
    });
    const change = { oldString: 'two', newString: '2', replaceAll: false };
    expect(await backend.editFile('src/a.txt', change)).toEqual({ replaced: 1, sha256: sha256('one\n2 ⌘\nthree') });
    expect(readFileSync(join(root, 'src/a.txt'), 'utf8')).toBe('one\n2 ⌘\nthree');
    expect(await backend.writeFile('b.txt', 'B')).toMatchObject({ created: true });
    expect(await backend.list('.')).toEqual({
      entries: [
        { path: 'b.txt', type: 'file', size: 1 },
        { path: 'src', type: 'directory' },
      ],
      truncated: false,
    });
    expect(await backend.list('', { limit: 1 })).toMatchObject({ entries: [{ path: 'b.txt' }], truncated: true });
    expect(await backend.glob('**/a.*')).toEqual({ paths: ['src/a.txt'], truncated: false });
    expect(await backend.glob('*', { path: 'src' })).toEqual({ paths: ['src/a.txt'], truncated: false });
    expect(await backend.grep('^(2|b)', { ignoreCase: true })).toEqual({
      matches: [
        { path: 'b.txt', line: 1, text: 'B' },
        { path: 'src/a.txt', line: 2, text: '2 ⌘' },
      ],
      files: 2,
      truncated: false,
    });
    expect(await backend.grep('.', { glob: 'b.*', path: '.', limit: 5 })).toMatchObject({ files: 1 });
  });

  test('of many bytes come and go whole', async () => {
    const content = 'é\u{feff}"\\\u{1}🙂\r\n'.repeat(200_000);
    await backend.writeFile('large.txt', content);
    expect((await backend.readFile('large.txt')).text).toBe(content);
    const small = createLocalBackend({ root, maxFileBytes: 1_000 });
    expect((await failure(small.readFile('large.txt'))).code).toBe('ERR_FILE_TOO_LARGE');
    // Its content does not matter to a writer that replaces it.
    expect(await small.writeFile('large.txt', 'x', { expected: sha256(content) })).toMatchObject({ created: false });
  });

  test('are changed only when they are as expected', async () => {
    put('a.txt', 'now');
    const change = { oldString: 'now', newString: 'then', replaceAll: false };
    const refused = await Promise.all(
      [
        backend.writeFile('a.txt', 'x', { expected: null }),
        backend.writeFile('a.txt', 'x', { expected: sha256('then') }),
        backend.writeFile('b/c.txt', 'x', { expected: sha256('') }),
        backend.editFile('a.txt', change, { expected: sha256('then') }),
      ].map(failure),
    );
    expect(refused.map(({ code }) => code)).toEqual(Array(4).fill('ERR_FILE_CHANGED'));
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('now');
    await backend.editFile('a.txt', change, { expected: sha256('now') });
    await backend.writeFile('b/c.txt', 'x', { expected: null });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('then');
  });

  test('lose none of the edits that come at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `<${index}>`);
    put('a.txt', names.join('\n'));
    await Promise.all(
      names.map((name) =>
        backend.editFile('a.txt', { oldString: name, newString: name.replace('<', '<done '), replaceAll: false }),
      ),
    );
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(names.map((name) => name.replace('<', '<done ')).join('\n'));
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  test('of which only one is made by those who want a new one', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => backend.writeFile('new.txt', `${index}`, { expected: null })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(root)).toEqual(['new.txt']);
  });
});

describe('what is wrong', () => {
  test.each<[string, (backend: Backend) => Promise<unknown>, string]>([
    ['../outside/secret.txt', (backend) => backend.readFile('../outside/secret.txt'), 'ERR_OUTSIDE_ROOT'],
    ['/etc/passwd', (backend) => backend.readFile('/etc/passwd'), 'ERR_OUTSIDE_ROOT'],
    ['link/secret.txt', (backend) => backend.writeFile('link/secret.txt', 'x'), 'ERR_OUTSIDE_ROOT'],
    ['missing', (backend) => backend.readFile('missing'), 'ERR_NO_SUCH_FILE'],
    ['folder', (backend) => backend.readFile('folder'), 'ERR_NOT_A_FILE'],
    ['text.txt', (backend) => backend.list('text.txt'), 'ERR_NOT_A_DIRECTORY'],
    ['text.txt/x', (backend) => backend.writeFile('text.txt/x', ''), 'ERR_NOT_A_DIRECTORY'],
    ['binary', (backend) => backend.readFile('binary'), 'ERR_NOT_TEXT'],
    ['half', (backend) => backend.writeFile('half', '\ud800'), 'ERR_NOT_TEXT'],
    [
      'text.txt',
      (backend) => backend.editFile('text.txt', { oldString: 'z', newString: '', replaceAll: true }),
      'ERR_NO_MATCH',
    ],
    ['(', (backend) => backend.grep('('), 'ERR_PATTERN'],
    ['[', (backend) => backend.glob('['), 'ERR_PATTERN'],
    ['read-only', (backend) => backend.writeFile('read-only', 'x'), 'ERR_FILE_PERMISSION'],
  ])('with %j is said', async (path, work, code) => {
    mkdirSync(join(root, 'folder'));
    symlinkSync('../outside', join(root, 'link'));
    put('text.txt', 'text');
    put('binary', Buffer.from([0xff, 0]));
    writeFileSync(join(root, 'read-only'), 'x', { mode: 0o400 });
    const before = readdirSync(root);
    const error = await failure(work(backend));
    expect(error).toMatchObject({ code, path, name: 'BackendError' });
    expect(error.message).toMatch(/\w/);
    expect(CountersignError.isInstance(error)).toBe(true);
    expect(readdirSync(root)).toEqual(before);
    expect(readFileSync(join(place, 'outside/secret.txt'), 'utf8')).toBe('the secret');
  });

  test('with the options is said at once', () => {
    expect(() => createLocalBackend({ root: join(place, 'missing') })).toThrow(InvalidConfigError);
    expect(() => createLocalBackend({ root: join(place, 'outside/secret.txt') })).toThrow(InvalidConfigError);
    expect(() => createLocalBackend({ root: '' })).toThrow(InvalidConfigError);
    expect(() => createLocalBackend({ root, maxFileBytes: 0 })).toThrow(InvalidConfigError);
    expect(() => createLocalBackend({ root, commandTimeout: Number.NaN })).toThrow(InvalidConfigError);
    expect(createLocalBackend().root).toBe(process.cwd());
    expect(BackendError.isInstance(new InvalidConfigError({ message: 'x' }))).toBe(false);
  });
});

describe('an abort', () => {
  const reason = new Error('enough');

  test('that came before does nothing', async () => {
    const abortSignal = AbortSignal.abort(reason);
    await expect(backend.writeFile('a.txt', 'x', { abortSignal })).rejects.toBe(reason);
    await expect(backend.execute('touch a.txt', { abortSignal })).rejects.toBe(reason);
    expect(readdirSync(root)).toEqual([]);
  });

  test('ends what runs, with its reason', async () => {
    // More than is searched between two lines of this thread.
    put('large.txt', `${'x'.repeat(99)}\n`.repeat(500_000));
    const aborter = new AbortController();
    const found = backend.grep('needle', { abortSignal: aborter.signal });
    aborter.abort(reason);
    await expect(found).rejects.toBe(reason);
  });
});

test.skipIf(process.platform === 'win32')(
  'a folder that is swapped for a symlink meanwhile leads nowhere else',
  async () => {
    put('a/secret.txt', 'public');
    const stop = join(place, 'stop');
    // Away with the folder, a symlink in its place, and back.
    const script = 'while ! [ -e "$1" ]; do mv a kept; ln -s ../outside a; rm a; mv kept a; done; echo done';
    const swapping = spawn('sh', ['-c', script, 'sh', stop], { cwd: root, stdio: 'ignore' });
    const ended = once(swapping, 'exit');
    const texts = new Set<string>();
    const codes = new Set<string>();
    for (let round = 0; round < effort(20, 300) || !codes.has('ERR_OUTSIDE_ROOT'); round++) {
      const work = [
        backend.readFile('a/secret.txt').then(({ text }) => void texts.add(text)),
        backend.editFile('a/secret.txt', { oldString: 'secret', newString: 'stolen', replaceAll: true }),
        backend.grep('.').then(({ matches }) => matches.forEach(({ text }) => texts.add(text))),
      ];
      for (const done of await Promise.allSettled(work)) {
        if (done.status === 'rejected') codes.add(BackendError.isInstance(done.reason) ? done.reason.code : 'other');
      }
    }
    writeFileSync(stop, '');
    await ended;
    expect([...texts]).toEqual(['public']);
    expect(codes).toContain('ERR_OUTSIDE_ROOT');
    expect(codes).not.toContain('other');
    expect(readFileSync(join(place, 'outside/secret.txt'), 'utf8')).toBe('the secret');
  },
);

test('a root that became another folder is refused', async () => {
  rmSync(root, { recursive: true });
  symlinkSync('outside', root);
  expect((await failure(backend.readFile('secret.txt'))).code).toBe('ERR_OUTSIDE_ROOT');
});

test('the thread of JavaScript is free meanwhile', async () => {
  put('large.txt', `${'x'.repeat(99)}\n`.repeat(50_000));
  let turns = 0;
  // On a busy machine this thread may not have its turn meanwhile; it would never have it if it were kept.
  for (let attempt = 0; attempt < 20 && turns <= 5; attempt++) {
    turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await backend.grep('needle|x{98}y');
    done = true;
  }
  expect(turns).toBeGreaterThan(5);
});

test('what a file was like stays: its mode', async () => {
  put('run.sh', 'echo old');
  const { mode } = statSync(join(root, 'run.sh'));
  appendFileSync(join(root, 'run.sh'), '\n');
  await backend.writeFile('run.sh', 'echo new');
  expect(statSync(join(root, 'run.sh')).mode).toBe(mode);
  expect(existsSync(join(root, 'run.sh'))).toBe(true);
});
