/** What `npm start` does with lines on stdin, from the outside: the real program, the real AI SDK, real files. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { open, serve, start } from './processes.js';

const CREATE = 'create hello.txt with hi';

test('y: the file is written', async () => {
  const { code, stdout, stderr } = await start([CREATE, 'y']);
  expect(stdout).toContain('Approval needed: write_file');
  expect(stdout).toContain('approved: write_file');
  expect(stdout).toContain('ran: write_file hello.txt');
  expect(stdout).toContain('Created hello.txt.');
  expect(stdout).toMatch(/What has changed.*\n {2}created hello\.txt \(2 bytes\)\n/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('n: it is not', async () => {
  const { code, stdout, stderr } = await start([CREATE, 'n']);
  expect(stdout).toContain('rejected: write_file');
  expect(stdout).toContain('did not run: write_file hello.txt');
  expect(stdout).toContain('You rejected creating hello.txt.');
  expect(stdout).toContain('Nothing has changed');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('what approves, and what does not', async () => {
  const yes = ['y', 'Y', 'yes', ' y '];
  const no = ['n', 'No', 'yes please', 'yy', 'ok', 'edit it', 'e?'];
  const prompts = (answers: string[], name: string) =>
    answers.flatMap((answer, index) => [`create ${name}${index} with hi`, answer]);
  const { stdout } = await start([...prompts(yes, 'yes'), ...prompts(no, 'no')]);
  expect(stdout.match(/Approval needed/g)).toHaveLength(yes.length + no.length);
  const summary = stdout.slice(stdout.indexOf('What has changed'));
  expect(summary.match(/created \S+/g)).toEqual(yes.map((_, index) => `created yes${index}`));
});

test('any other text is a rejection, and the model gets it as the reason', async () => {
  const { stdout } = await start([CREATE, 'we have enough files']);
  expect(stdout).toContain('rejected: write_file: we have enough files');
  expect(stdout).toContain('You rejected creating hello.txt: we have enough files\n');
  expect(stdout).toContain('Nothing has changed');
});

test('an empty line approves nothing and asks again', async () => {
  const { stdout } = await start([CREATE, '', '', 'n']);
  expect(stdout.match(/Enter alone approves nothing/g)).toHaveLength(2);
  expect(stdout).toContain('Nothing has changed');
});

test('e: what runs is what the human wrote, and the model is told', async () => {
  const { stdout } = await start([CREATE, 'e {"file_path":"other.txt","content":"hello"}']);
  expect(stdout).toContain('approved as edited: write_file');
  expect(stdout).toContain('Created other.txt instead of hello.txt. You had changed the path and the content.');
  expect(stdout).toContain('created other.txt (5 bytes)');
  expect(stdout).not.toContain('created hello.txt');
});

test('an edit that does not fit says so and asks again', async () => {
  const { stdout } = await start([
    CREATE,
    'e {"file_path":7}',
    'e {"file_path":',
    'e',
    'e {"file_path":"a","content":"b","mode":1}',
    'n',
  ]);
  expect(stdout.match(/This does not fit write_file/g)).toHaveLength(2);
  expect(stdout).toContain('This is not JSON');
  expect(stdout).toContain('give the new arguments as JSON after the e');
  expect(stdout).toContain('rejected: write_file');
  expect(stdout).toContain('Nothing has changed');
});

test('several calls at once are asked about in their order, each with its own answer', async () => {
  const { stdout } = await start([
    'create a.txt with 1 and create b.txt with 2 and run echo three > c.txt and delete README.md',
    'y',
    'not b',
    'e {"command":"echo four > d.txt"}',
    'y',
  ]);
  const asked = [...stdout.matchAll(/Approval needed: (\w+)/g)].map(([, tool]) => tool);
  expect(asked).toEqual(['write_file', 'write_file', 'execute', 'execute']);
  const summary = stdout.slice(stdout.indexOf('What has changed'));
  expect(summary.match(/^ {2}.*$/gm)).toEqual([
    '  deleted README.md',
    '  created a.txt (1 byte)',
    '  created d.txt (5 bytes)',
  ]);
  expect(stdout).toContain('Created a.txt.');
  expect(stdout).toContain('You rejected creating b.txt: not b');
  expect(stdout).toContain('Ran `echo four > d.txt` instead of `echo three > c.txt`: exit code 0.');
  expect(stdout).toContain('Deleted README.md.');
});

test('the end of the input rejects what is pending, and all that comes after it', async () => {
  const { code, stdout } = await start(['create a.txt with 1 and create b.txt with 2 and create c.txt with 3', 'y']);
  expect(stdout.match(/rejected: write_file: the input ended before an answer/g)).toHaveLength(2);
  expect(stdout).toContain('created a.txt');
  expect(stdout).not.toMatch(/created [bc]\.txt/);
  expect(code).toBe(0);
});

test('reading is not asked about; a change reads first and then asks', async () => {
  const { stdout } = await start(['change Hello to Hi in src/greet.js', 'y', 'read src/greet.js']);
  expect(stdout.match(/Approval needed/g)).toHaveLength(1);
  expect(stdout).toContain('ran: read_file src/greet.js');
  expect(stdout).toContain('Changed "Hello" to "Hi" in src/greet.js (1 place).');
  expect(stdout).toContain("en: 'Hi'");
  expect(stdout).toContain('  changed src/greet.js');
});

test('the conversation goes on over prompts, rejections and edits', async () => {
  const { stdout, code } = await start([
    CREATE,
    'no',
    CREATE,
    'e {"file_path":"a b.txt","content":"x"}',
    'run cat "a b.txt"',
    'y',
    '/quit',
    CREATE,
  ]);
  expect(stdout).toContain('Ran `cat "a b.txt"`: exit code 0.');
  expect(stdout.match(/Approval needed/g)).toHaveLength(3);
  expect(code).toBe(0);
});

test('the sample project passes its own tests', async () => {
  expect((await start(['run the tests', 'y'])).stdout).toContain('Ran `node --test`: exit code 0.');
});

test('files outside of the project are out of reach, through symlinks too', async () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'start-test-'));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  const { stdout } = await start([
    `create ${outside}/a with x`,
    'y',
    'create ../a with x',
    'y',
    `run ln -s ${outside} link && ln -s ${outside}/c dangling`,
    'y',
    'create link/b with x',
    'y',
    'create dangling with x',
    'y',
    'read ../../etc/passwd',
  ]);
  expect(stdout.match(/^ {2}failed: /gm)).toHaveLength(5);
  expect(stdout.match(/is outside of the project folder$/gm)!.length).toBeGreaterThanOrEqual(4);
  for (const name of ['a', 'b', 'c']) expect(existsSync(path.join(outside, name))).toBe(false);
});

test('a request that is not understood gets examples and calls nothing', async () => {
  const { stdout, code } = await start(['make me a sandwich']);
  expect(stdout).toContain('I do not understand "make me a sandwich"');
  expect(stdout).toContain('  create hello.txt with hi');
  expect(stdout).not.toContain('Approval needed');
  expect(code).toBe(0);
});

test('what is shown draws nothing on the screen', async () => {
  const { stdout } = await start([
    'create a.txt with \u001b[2J\u202etxt',
    'because \u001b[31mred',
    'read \u001b]0;x\u0007',
  ]);
  // eslint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test('commands do not see API keys', async () => {
  const { stdout } = await start(['run env', 'y']);
  expect(stdout).toContain('PATH=');
  expect(stdout).not.toContain('API_KEY');
});

test('--base-url: the same through a server in another process', async () => {
  const { code, stdout } = await start([CREATE, 'y'], ['--model', 'countersign-demo', '--base-url', await serve()]);
  expect(stdout).toContain('Created hello.txt.');
  expect(stdout).toContain('created hello.txt (2 bytes)');
  expect(code).toBe(0);
});

test('an error of the model server is told, and ends the session with 1', async () => {
  const { code, stdout, copyExists } = await start([CREATE, 'y'], ['--model', 'gpt-9', '--base-url', await serve()]);
  expect(stdout).toContain('The model failed: The model "gpt-9" does not exist');
  expect(stdout).toContain('Nothing has changed');
  expect(code).toBe(1);
  expect(copyExists).toBe(false);
});

test('a server that is not there is told in plain words', async () => {
  const { code, stdout, stderr } = await start([CREATE, 'y'], ['--model', 'x', '--base-url', 'http://127.0.0.1:1/v1']);
  expect(stderr).toMatch(/The model server at http:\/\/127\.0\.0\.1:1\/v1 cannot be reached: ./);
  expect(stdout).toBe('');
  expect(code).toBe(1);
});

test.for([
  [['--nonsense'], '--nonsense'],
  [['stray'], 'stray'],
  [['--model', 'x'], '--base-url'],
  [['--base-url', 'http://127.0.0.1:1'], '--model'],
  [['--model', 'x', '--base-url', 'ftp://x'], 'http(s)'],
  [['--model'], '--model'],
] as const)('bad usage: %j', async ([args, words]) => {
  const { code, stderr } = await start([], [...args]);
  expect(stderr).toContain(words);
  expect(stderr).toContain('--help');
  expect(code).toBe(2);
});

test('--help', async () => {
  const { code, stdout, stderr } = await start([], ['--help']);
  for (const word of ['--model', '--base-url', '--keep', CREATE]) expect(stdout).toContain(word);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the throw-away copy is removed at the end', async () => {
  const { copy, copyExists } = await start([CREATE, 'y']);
  expect(copy).not.toBe('');
  expect(copyExists).toBe(false);
});

test('--keep keeps it, and says where it is', async () => {
  const { copy, copyExists, stdout } = await start([CREATE, 'y'], ['--keep']);
  onTestFinished(() => rmSync(copy, { recursive: true }));
  expect(copyExists).toBe(true);
  expect(stdout).toContain(`The copy is kept: ${copy}`);
  expect(readFileSync(path.join(copy, 'hello.txt'), 'utf8')).toBe('hi');
});

test('SIGTERM while an approval waits: nothing runs, and the copy is removed', async () => {
  const run = open();
  run.child.stdin!.write(`${CREATE}\n`);
  await run.shows('a reason to reject: ');
  run.child.kill('SIGTERM');
  const { code, copyExists, stdout } = await run.ended;
  expect(stdout).not.toContain('ran:');
  expect(copyExists).toBe(false);
  expect(code).toBe(143);
});

test('SIGINT while an approval waits: the run is cancelled, nothing runs, and the copy is removed', async () => {
  const run = open();
  run.child.stdin!.write(`${CREATE}\n`);
  await run.shows('a reason to reject: ');
  run.child.kill('SIGINT');
  const { code, copyExists, stdout } = await run.ended;
  expect(stdout).toContain('Cancelled');
  expect(stdout).not.toContain('ran:');
  expect(stdout).toContain('Nothing has changed');
  expect(copyExists).toBe(false);
  expect(code).toBe(130);
});

test('SIGINT while a command runs: it is killed with all that it started', async () => {
  const run = open(['--keep']);
  run.child.stdin!.write('run sleep 1000 & echo $$ > pid.txt; wait\ny\n');
  const copy = /^ {2}project: (\S+)/m.exec(await run.shows('approved: execute'))![1]!;
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const pidFile = path.join(copy, 'pid.txt');
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\d\n/);
  run.child.kill('SIGINT');
  const { code, stdout } = await run.ended;
  expect(code).toBe(130);
  expect(stdout).not.toContain('ran: execute');
  await expect.poll(() => livingProcesses(Number(readFileSync(pidFile, 'utf8')))).toEqual([]);
});

/** The commands of a process group that still run. One that is dead and not yet buried does not count. */
function livingProcesses(group: number): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => new RegExp(`^\\s*${group}\\s+[^Z\\s]`).test(row));
}
