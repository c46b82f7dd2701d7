/** What each tool does with its backend, gives the model and tells of itself. */
import { describe, expect, test } from 'vitest';
import { createBackendTools, createTodosTool } from '../../ts/agent/index.js';
import { callsOf } from './calls.js';
import { memoryBackend, sha256 } from './memory-backend.js';

function stage(files: Record<string, string> = {}, maxResultCharacters?: number) {
  const backend = memoryBackend(files);
  const tools = createBackendTools({ backend, ...(maxResultCharacters === undefined ? {} : { maxResultCharacters }) });
  return { backend, ...callsOf(tools) };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('ls', () => {
  test('lists what is there', async () => {
    const { run, told } = stage({ 'a.txt': 'abc', 'b.txt': '' });
    expect(await run('ls', {})).toBe('a.txt (3 bytes)\nb.txt (0 bytes)');
    expect(told).toEqual([{ type: 'ls', path: '.', count: 2 }]);
    expect(await stage().run('ls', { path: 'x' })).toBe('(The folder is empty.)');
  });

  test('says when there is more', async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, '']));
    expect(await stage(files).run('ls', {})).toMatch(/\nf999 \(0 bytes\)\n\[There are more\. List a folder below it/);
    expect(await stage(files, 100).run('ls', {})).toMatch(/\n\[… \d+ entries are left out\. List a folder below it/);
  });
});

test.each([
  ['ls', {}, '"a\\nb.txt" (3 bytes)'],
  ['glob', { pattern: '*' }, '"a\\nb.txt"'],
  ['grep', { pattern: 'abc' }, '"a\\nb.txt":1: abc\n[Lines: 1. Files: 1.]'],
] as const)('%s shows a name with a line break as one name', async (name, input, shown) => {
  expect(await stage({ 'a\nb.txt': 'abc' }).run(name, input)).toBe(shown);
});

describe('read_file', () => {
  test('numbers the lines', async () => {
    const { run, told } = stage({ 'a.txt': 'one\n\nthree' });
    expect(await run('read_file', { file_path: 'a.txt' })).toBe('     1\tone\n     2\t\n     3\tthree');
    expect(told).toEqual([{ type: 'file-read', path: 'a.txt', lines: 3 }]);
  });

  test('reads a part, and says how to go on', async () => {
    const { run } = stage({ 'a.txt': numbers(5) });
    expect(await run('read_file', { file_path: 'a.txt', offset: 2, limit: 2 })).toBe(
      '     2\tline 2\n     3\tline 3\n[The file has 5 lines. Read on with offset 4.]',
    );
    expect(await run('read_file', { file_path: 'a.txt', offset: 4 })).toBe('     4\tline 4\n     5\tline 5');
    expect(await run('read_file', { file_path: 'a.txt', offset: 9 })).toBe(
      '(The file has 5 lines: there is no line 9.)',
    );
    expect(await stage({ 'a.txt': '' }).run('read_file', { file_path: 'a.txt' })).toBe('(The file is empty.)');
  });

  test('reads 2,000 lines unless told otherwise', async () => {
    const shown = await stage({ 'a.txt': numbers(2_001) }, 1_000_000).run('read_file', { file_path: 'a.txt' });
    expect(shown.endsWith('\n  2000\tline 2000\n[The file has 2001 lines. Read on with offset 2001.]')).toBe(true);
  });

  test('what is left out can be read as the note says', async () => {
    const { run } = stage({ 'a.txt': numbers(200) }, 400);
    const shown = await run('read_file', { file_path: 'a.txt', offset: 11, limit: 100 });
    expect(shown).toMatch(
      /^ {4}11\tline 11\n[^]*\tline 23\n\[… lines 24 to 98 are left out\. Read them with offset 24 and limit 75 or less …\]\n {4}99\t[^]*\tline 110\n/,
    );
    expect(await run('read_file', { file_path: 'a.txt', offset: 24, limit: 3 })).toMatch(/^ {4}24\tline 24\n/);
  });

  test('a line that is too long is cut, and said to be', async () => {
    const shown = await stage({ 'a.txt': `a\n${'x'.repeat(500)}\nb\n` }, 100).run('read_file', { file_path: 'a.txt' });
    expect(shown).toContain('a part of line 2 is left out, since the line is too long');
    expect(shown.startsWith('     1\ta\n     2\txxx')).toBe(true);
    expect(shown.endsWith('xxx\n     3\tb')).toBe(true);
  });
});

describe.each([
  ['write_file', { file_path: 'a.txt', content: 'new' }, 'old', 'new'],
  ['edit_file', { file_path: 'a.txt', old_string: 'old', new_string: 'new' }, 'old', 'new'],
] as const)('%s', (name, input, before, after) => {
  test('changes the file that a human saw', async () => {
    const { run, backend } = stage({ 'a.txt': before });
    await run(name, input, { changes: [{ path: 'a.txt', before: sha256(before) }] });
    expect(backend.files.get('a.txt')).toBe(after);
  });

  test.each(['a.txt', './a.txt', 'src/../a.txt', '/project/a.txt'])('no other file, shown as %s', async (path) => {
    const { run, backend, told } = stage({ 'a.txt': before });
    await expect(run(name, input, { changes: [{ path, before: sha256('another') }] })).rejects.toThrow('changed');
    await expect(run(name, input, { changes: [{ path, before: null }] })).rejects.toThrow('changed');
    expect(backend.files.get('a.txt')).toBe(before);
    expect(told.map(({ type }) => type)).not.toContain('file-written');
  });

  test('nor what could not be shown', async () => {
    const { run, backend, told } = stage({ 'a.txt': before });
    await expect(run(name, input, { changes: [{ path: 'a.txt', before: 'unreadable' }] })).rejects.toMatchObject({
      code: 'ERR_NOT_TEXT',
    });
    expect(backend.calls).toEqual([]);
    expect(told).toEqual([]);
  });

  test('whatever it has, where nobody had to be shown anything', async () => {
    const { run, backend } = stage({ 'a.txt': before });
    await run(name, input, { changes: [{ path: 'b.txt', before: null }] });
    expect(backend.calls[0]?.call).not.toHaveProperty('expected');
    await stage({ 'a.txt': before }).run(name, input, { elsewhere: true });
  });
});

describe('write_file', () => {
  test('tells what it is about to write, and what it wrote', async () => {
    const { run, told } = stage();
    expect(await run('write_file', { file_path: 'a.txt', content: 'ä' })).toBe('Made a.txt: 2 bytes.');
    expect(await run('write_file', { file_path: 'a.txt', content: '' })).toBe('Replaced a.txt: 0 bytes.');
    expect(told).toEqual([
      { type: 'file-write-start', path: 'a.txt', content: 'ä' },
      { type: 'file-written', path: 'a.txt', created: true, bytes: 2, sha256: sha256('ä') },
      { type: 'file-write-start', path: 'a.txt', content: '' },
      { type: 'file-written', path: 'a.txt', created: false, bytes: 0, sha256: sha256('') },
    ]);
  });

  test.each([
    ['', '0 bytes'],
    ['a', '1 byte'],
    ['aa', '2 bytes'],
  ])('counts the bytes of %j: %s, as ls does', async (content, size) => {
    const { run } = stage();
    expect(await run('write_file', { file_path: 'a.txt', content })).toBe(`Made a.txt: ${size}.`);
    expect(await run('ls', {})).toBe(`a.txt (${size})`);
  });

  test('a new file stays new: what came there meanwhile is not overwritten', async () => {
    const { run, backend } = stage({ 'a.txt': 'came meanwhile' });
    const changes = [{ path: 'a.txt', before: null }];
    await expect(run('write_file', { file_path: 'a.txt', content: 'x' }, { changes })).rejects.toThrow('changed');
    expect(backend.files.get('a.txt')).toBe('came meanwhile');
  });
});

test('edit_file tells in how many places', async () => {
  const { run, told, backend } = stage({ 'a.txt': 'x x' });
  const edit = { file_path: 'a.txt', old_string: 'x', new_string: 'y' };
  await expect(run('edit_file', edit)).rejects.toThrow('2 places');
  expect(await run('edit_file', { ...edit, replace_all: true })).toBe('Edited a.txt: 2 places.');
  expect(await run('edit_file', { ...edit, old_string: 'y y', new_string: '' })).toBe('Edited a.txt: one place.');
  expect(told).toEqual([
    { type: 'file-edited', path: 'a.txt', occurrences: 2, sha256: sha256('y y') },
    { type: 'file-edited', path: 'a.txt', occurrences: 1, sha256: sha256('') },
  ]);
  expect(backend.files.get('a.txt')).toBe('');
});

test('glob gives names', async () => {
  const { run, told, backend } = stage({ 'a.ts': '', 'b.ts': '', 'c.md': '' });
  expect(await run('glob', { pattern: '**/*.ts', path: 'src' })).toBe('a.ts\nb.ts');
  expect(await run('glob', { pattern: '*.rs' })).toBe('(No file matches.)');
  expect(told).toEqual([
    { type: 'glob', pattern: '**/*.ts', count: 2 },
    { type: 'glob', pattern: '*.rs', count: 0 },
  ]);
  expect(backend.calls.map(({ call }) => call)).toEqual([{ path: 'src', limit: 1_000 }, { limit: 1_000 }]);
  const many = stage(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.ts`, ''])));
  expect(await many.run('glob', { pattern: '*.ts' })).toMatch(/\n999\.ts\n\[There are more\. Use a narrower pattern/);
});

test('grep gives lines with their places', async () => {
  const { run, told, backend } = stage({ 'a.ts': 'One\ntwo\n', 'b.ts': `one ${'x'.repeat(1_000)} end\n` });
  const found = await run('grep', { pattern: 'one', ignore_case: true, glob: '*.ts' });
  expect(found).toMatch(
    /^a\.ts:1: One\nb\.ts:1: one x+\n\[… a part of the line is left out …\]\nx+ end\n\[Lines: 2\. Files: 2\.\]$/,
  );
  expect(found.length).toBeLessThan(700);
  expect(await run('grep', { pattern: 'three' })).toBe('(No line matches.)');
  expect(told).toEqual([
    { type: 'grep', pattern: 'one', count: 2 },
    { type: 'grep', pattern: 'three', count: 0 },
  ]);
  expect(backend.calls[0]?.call).toEqual({ glob: '*.ts', ignoreCase: true, limit: 1_000 });
  const many = stage({ 'a.ts': numbers(1_001) });
  expect(await many.run('grep', { pattern: 'line' })).toMatch(/\[There are more\. Use a narrower pattern/);
});

describe('execute', () => {
  test('gives the output and the exit code, and tells what comes as it comes', async () => {
    const { run, told, backend } = stage();
    backend.command = { output: ['a\n', 'b\n'], exitCode: 3 };
    expect(await run('execute', { command: 'x', timeout: 5 })).toBe('a\nb\n[exit code 3]');
    expect(told).toEqual([
      { type: 'execute-start', command: 'x' },
      { type: 'execute-output', text: 'a\n' },
      { type: 'execute-output', text: 'b\n' },
      { type: 'execute-finish', command: 'x', exitCode: 3, truncated: false, stopped: null },
    ]);
    expect(backend.calls[0]?.call).toMatchObject({ timeout: 5 });
    backend.command = { output: [] };
    expect(await run('execute', { command: 'x' })).toBe('(no output)\n[exit code 0]');
  });

  test.each([
    [{ exitCode: null, signal: 'SIGKILL' }, '[It was ended by the signal SIGKILL.]'],
    [{ exitCode: null, signal: 'SIGTERM', stopped: 'timeout' }, '[It took too long and was stopped. Do less at once.]'],
  ] as const)('says how it ended: %j', async (end, said) => {
    const { run, backend } = stage();
    backend.command = { output: ['a'], ...end };
    expect(await run('execute', { command: 'x' })).toContain(`a\n${said}`);
  });

  test('says that some is left out, and how to see it', async () => {
    const { run, backend } = stage({}, 100);
    backend.command = { output: [numbers(100)] };
    expect(await run('execute', { command: 'x' })).toMatch(
      /^line 1\n[^]*\n\[… \d+ characters are left out …\]\n[^]*line 100\n\[The output has \d+ bytes, and some are left out\. To see all/,
    );
    backend.command = { output: ['a…b'], truncated: true, bytes: 100_000 };
    expect(await run('execute', { command: 'x' })).toContain('\n[The output has 100000 bytes, and some are left out.');
  });

  test('a command that the run no longer wants has no result', async () => {
    const { run, told, backend } = stage();
    const abort = new AbortController();
    backend.execute = async () => {
      abort.abort(new Error('left'));
      return { output: '', exitCode: null, signal: 'SIGTERM', truncated: false, bytes: 0, stopped: 'aborted' };
    };
    await expect(run('execute', { command: 'x' }, { abortSignal: abort.signal })).rejects.toThrow('left');
    expect(told.at(-1)).toMatchObject({ type: 'execute-finish', stopped: 'aborted' });
  });
});

test.each([
  ['ls', {}],
  ['read_file', { file_path: 'a' }],
  ['write_file', { file_path: 'a', content: 'b' }],
  ['edit_file', { file_path: 'a', old_string: 'a', new_string: 'b' }],
  ['glob', { pattern: 'a' }],
  ['grep', { pattern: 'a' }],
  ['execute', { command: 'a' }],
])('%s hands the signal of the run on', async (name, input) => {
  const { run, backend } = stage({ a: 'a' });
  const { signal } = new AbortController();
  await run(name, input, { abortSignal: signal });
  expect(backend.calls[0]?.call.abortSignal).toBe(signal);
});

test('write_todos tells the whole plan', async () => {
  const { run, told } = callsOf({ write_todos: createTodosTool() });
  const todos = [
    { content: 'a', status: 'completed' },
    { content: 'b', status: 'in_progress' },
    { content: 'c', status: 'pending' },
    { content: 'd', status: 'pending' },
  ];
  expect(await run('write_todos', { todos })).toBe('The plan is written: 2 pending, 1 in_progress, 1 completed.');
  expect(await run('write_todos', { todos: [] })).toBe('The plan is empty.');
  expect(told).toEqual([
    { type: 'todos-changed', todos },
    { type: 'todos-changed', todos: [] },
  ]);
});

test.each([0, -1, NaN, '20'])('maxResultCharacters %s is refused', (maxResultCharacters) => {
  const backend = memoryBackend();
  expect(() => createBackendTools({ backend, maxResultCharacters: maxResultCharacters as number })).toThrow(
    'createBackendTools: maxResultCharacters must be a positive number',
  );
});
