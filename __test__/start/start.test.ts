/** What `countersign demo` does with lines on stdin, from the outside: the real program, the real AI SDK, real files. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isThorough, sample } from '../support/effort.js';
import { on, someRuntimes } from '../cli/command.js';
import { quickly, serve, start as apart, temporaryFolder } from './processes.js';

/** In `npm test` only the first of them is a process of its own: to start one takes longer than what it does. */
const start = isThorough ? apart : quickly;

const CREATE = 'create hello.txt with hi';
const ASKS = 'Waits for approval';

/** What has changed in the project, as it is told in the end. */
function changed(stdout: string): string[] {
  const [, told = ''] = /^What has changed.*\n((?: {2}.*\n)*)/m.exec(stdout) ?? [];
  return told.match(/^ {2}\S.*$/gm) ?? [];
}

test('y: the file is written', async () => {
  const { code, stdout, stderr } = await apart([CREATE, 'y']);
  expect(stdout).toContain(
    `${ASKS}:\nThe agent says: “You asked for hello.txt.”\nwrite_file\n│ file_path: hello.txt\n`,
  );
  expect(stdout).toContain('* write_file hello.txt: done');
  expect(stdout).toContain('Created hello.txt.');
  expect(changed(stdout)).toEqual(['  created hello.txt (2 bytes)']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('n: it is not', async () => {
  const { code, stdout, stderr } = await start([CREATE, 'n']);
  expect(stdout).toContain('* write_file hello.txt: did not run');
  expect(stdout).toContain('You rejected creating hello.txt.');
  expect(stdout).toContain('Nothing has changed');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.runIf(isThorough)('what approves, and what does not', async () => {
  const yes = ['y', 'Y', 'yes', ' y ', 'YES', 'ok'];
  const no = ['n', 'No', 'yes please', 'yy', 'edit it', 'e?'];
  const prompts = (answers: string[], name: string) =>
    answers.flatMap((answer, index) => [`create ${name}${index} with hi`, answer]);
  const { stdout } = await start([...prompts(yes, 'yes'), ...prompts(no, 'no')]);
  expect(stdout.match(new RegExp(ASKS, 'g'))).toHaveLength(yes.length + no.length);
  expect(changed(stdout)).toEqual(yes.map((_, index) => `  created yes${index} (2 bytes)`));
});

test('any other text is a rejection, and the model gets it as the reason', async () => {
  const { stdout } = await start([CREATE, 'we have enough files']);
  expect(stdout).toContain('* write_file hello.txt: did not run\n    we have enough files');
  expect(stdout).toContain('You rejected creating hello.txt: we have enough files\n');
  expect(stdout).toContain('Nothing has changed');
});

test.runIf(isThorough)('a reason with a better idea is followed, and asked about again', async () => {
  const { stdout } = await start([CREATE, 'call it bye.txt', 'y']);
  expect(stdout.match(new RegExp(ASKS, 'g'))).toHaveLength(2);
  expect(changed(stdout)).toEqual(['  created bye.txt (2 bytes)']);
});

test.runIf(isThorough)('an empty line approves nothing, and is a no to its call', async () => {
  const { stdout } = await start([CREATE, '']);
  expect(stdout).toContain('Not accepted, so it counts as a no');
  expect(stdout).toContain('Nothing has changed');
});

test('e: what runs is what the human wrote, and the model is told', async () => {
  const { stdout } = await start([CREATE, 'e {"file_path":"other.txt","content":"hello"}']);
  expect(stdout).toContain('Created other.txt instead of hello.txt. You had changed the path and the content.');
  expect(changed(stdout)).toEqual(['  created other.txt (5 bytes)']);
});

test('an edit that does not fit is a no that says so, and its line is for its call alone', async () => {
  for (const [edit, why] of [
    ['e {"file_path":7}', 'do not fit the schema of write_file'],
    ['e {"file_path":', 'That is not JSON'],
    ['e', 'does not answer it'],
  ] as const) {
    const { stdout } = await start(['create a.txt with hello and create b.txt with hello', edit, 'y']);
    expect(stdout).toContain(why);
    expect(changed(stdout)).toEqual(['  created b.txt (5 bytes)']);
  }
});

test('several calls at once are asked about in their order, each with its own answer', async () => {
  const { stdout } = await start([
    'create a.txt with 1 and create b.txt with 2 and run echo three > c.txt and delete README.md',
    'y',
    'not b',
    'e {"command":"echo four > d.txt"}',
    'y',
  ]);
  const asked = [...stdout.matchAll(/Waits for approval \(tool (\d) of 4\):\n(?:The agent says: .*\n)?(\w+)/g)].map(
    ([, nth, tool]) => [nth, tool],
  );
  expect(asked).toEqual([
    ['1', 'write_file'],
    ['2', 'write_file'],
    ['3', 'execute'],
    ['4', 'execute'],
  ]);
  expect(changed(stdout)).toEqual(['  deleted README.md', '  created a.txt (1 byte)', '  created d.txt (5 bytes)']);
  expect(stdout).toContain('Created a.txt.');
  expect(stdout).toContain('You rejected creating b.txt: not b');
  expect(stdout).toContain('Ran `echo four > d.txt` instead of `echo three > c.txt`: exit code 0.');
  expect(stdout).toContain('Deleted README.md.');
});

test.runIf(isThorough)('/approve on: nothing is asked any more', async () => {
  const { stdout } = await start(['/approve on', 'create a with 1 and create b with 2', 'create c with 3']);
  expect(changed(stdout)).toEqual(['  created a (1 byte)', '  created b (1 byte)', '  created c (1 byte)']);
});

test('the end of the input rejects what waits, all that comes after it, and is told by the exit code', async () => {
  const { code, stdout } = await start(['create a.txt with 1 and create b.txt with 2 and create c.txt with 3', 'y']);
  expect(stdout.match(/: did not run\n {4}Nobody is there to answer\./g)).toHaveLength(2);
  expect(changed(stdout)).toEqual(['  created a.txt (1 byte)']);
  expect(code).toBe(3);
});

test('reading is not asked about; a change reads first and then asks', async () => {
  const { stdout } = await start(['change Hello to Hi in src/greet.js', 'y', 'read src/greet.js', 'list', 'find *.js']);
  expect(stdout.match(new RegExp(ASKS, 'g'))).toHaveLength(1);
  expect(stdout).toContain('* read_file src/greet.js: done');
  expect(stdout).toContain('Changed "Hello" to "Hi" in src/greet.js (1 place).');
  expect(stdout).toContain("en: 'Hi'");
  expect(changed(stdout)).toEqual([expect.stringContaining('  changed src/greet.js')]);
});

test.runIf(isThorough)('the conversation goes on over prompts, rejections and edits', async () => {
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
  expect(stdout.match(new RegExp(ASKS, 'g'))).toHaveLength(3);
  expect(code).toBe(0);
});

test.runIf(isThorough)('a plan is worked off, step by step', async () => {
  const { stdout } = await start(['plan: read README.md, change Hello to Hi in src/greet.js, run the tests', 'y', 'y']);
  expect(stdout.match(/\* write_todos .*: done/g)).toHaveLength(4);
  expect(stdout).toContain('Ran `node --test`: exit code 1.');
});

test('subagents: their calls are asked about with where they come from', async () => {
  const { stdout } = await start([
    'ask a researcher to search for greet in src and ask a researcher to create notes.md with hi',
    'y',
  ]);
  expect(stdout).toMatch(
    /A call of .*general-purpose.* waits for approval.*:\nThe agent says: “You asked for .*”\nwrite_file/,
  );
  expect(stdout).toMatch(/General-purpose says:\nFound "greet":\nsrc\/greet\.js:\d/);
  expect(stdout).toContain('General-purpose says:\nCreated notes.md.');
  expect(changed(stdout)).toEqual(['  created notes.md (2 bytes)']);
});

test.runIf(isThorough)('questions: one after the other, and the model gets the answers', async () => {
  const { stdout } = await start([
    'ask me which language: English or German; which days: today and tomorrow; why (optional)',
    '2',
    '1, 2',
    '',
  ]);
  expect(stdout).toContain('Thank you. You told me:\nQ: Which language?\nA: German');
  expect(stdout).toContain('A: today, tomorrow');
});

test("the project's policy denies: nobody is asked, and the model does not insist", async () => {
  const { stdout, code } = await start(['run git push and read .env', 'publish it', 'run cat .env']);
  expect(stdout).not.toContain(ASKS);
  expect(stdout.match(/\.countersign\/policy\.toml:\d+ denies/g)?.length).toBeGreaterThanOrEqual(4);
  expect(stdout).toContain('A policy does not allow running `git push`: "releases are made by people"');
  expect(stdout).not.toContain('not-a-real-key');
  expect(code).toBe(0);
});

test.runIf(isThorough)('what is dangerous is asked about, and a script from the net is told as one', async () => {
  const { stdout } = await start(['delete everything', 'n', 'install https://get.example.invalid/tool.sh', 'n']);
  expect(stdout.match(new RegExp(ASKS, 'g'))).toHaveLength(2);
  expect(stdout).toContain('rm -rf ./*');
  expect(stdout).toContain('a shell runs commands that do not stand in this command line');
  expect(stdout).toContain('Nothing has changed');
});

test.runIf(isThorough)('the sample project passes its own tests', async () => {
  expect((await start(['run the tests', 'y'])).stdout).toContain('Ran `node --test`: exit code 0.');
});

test.runIf(isThorough)('how a command ended is told', async () => {
  const { stdout } = await start(['run exit 3', 'y', 'run kill -9 $$', 'y']);
  expect(stdout).toContain('Ran `exit 3`: exit code 3.');
  expect(stdout).toContain('Ran `kill -9 $$`: It was ended by the signal SIGKILL.');
});

test('files outside of the project are out of reach, through symlinks too', async () => {
  const outside = temporaryFolder();
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
  expect(stdout.match(/^\* (?:write|read)_file .*: (?:failed|did not run)$/gm)).toHaveLength(5);
  for (const name of ['a', 'b', 'c']) expect(existsSync(path.join(outside, name))).toBe(false);
});

test.runIf(isThorough)('a request that is not understood gets examples and calls nothing', async () => {
  const { stdout, code } = await start(['make me a sandwich']);
  expect(stdout).toContain('I do not understand "make me a sandwich"');
  expect(stdout).toContain('  create hello.txt with hi');
  expect(stdout).not.toContain(ASKS);
  expect(code).toBe(0);
});

test.runIf(isThorough)('what is shown draws nothing on the screen', async () => {
  const { stdout } = await start([
    'create a.txt with \u001b[2J\u202etxt',
    'because \u001b[31mred',
    'read \u001b]0;x\u0007',
    'run touch "$(printf "\\033[31mred")"',
    'y',
  ]);
  // eslint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(changed(stdout)).toHaveLength(1);
});

test.runIf(isThorough)('commands do not see API keys', async () => {
  const { stdout } = await start(['run env | grep -E "PATH=|KEY"', 'y']);
  expect(stdout).toContain('PATH=');
  expect(stdout).not.toContain('API_KEY');
});

test('--base-url: the same through a server in another process', async () => {
  const { code, stdout } = await start([CREATE, 'y'], ['--model', 'countersign-demo', '--base-url', await serve()]);
  expect(stdout).toContain('Created hello.txt.');
  expect(changed(stdout)).toEqual(['  created hello.txt (2 bytes)']);
  expect(code).toBe(0);
});

test.runIf(isThorough)('an error of the model server is told, and ends the session with 1', async () => {
  const { code, stdout, copyExists } = await start([CREATE, 'y'], ['--model', 'gpt-9', '--base-url', await serve()]);
  expect(stdout).toContain('The model "gpt-9" does not exist');
  expect(stdout).toContain('Nothing has changed');
  expect(code).toBe(1);
  expect(copyExists).toBe(false);
});

test('a server that is not there is told in plain words', async () => {
  const { code, stderr } = await start([CREATE, 'y'], ['--model', 'x', '--base-url', 'http://127.0.0.1:1/v1']);
  expect(stderr).toMatch(/the model server at http:\/\/127\.0\.0\.1:1\/v1 cannot be reached: ./);
  expect(code).toBe(1);
});

const badUsage: [string[], string][] = [
  [['--nonsense'], '--nonsense'],
  [['stray'], 'stray'],
  [['--model', 'x'], '--base-url'],
  [['--base-url', 'http://127.0.0.1:1'], '--model'],
  [['--model', 'x', '--base-url', 'ftp://x'], 'http'],
  [['--model'], '--model'],
  [['--cwd', '/'], '--cwd'],
];
test.each(sample(badUsage, 1))('bad usage: %j', async (args, words) => {
  const { code, stdout, stderr, copyExists } = await start([], args);
  expect(stderr).toContain(words);
  expect(stderr).toMatch(/countersign help|--help/);
  expect(stdout).not.toContain('changed');
  expect({ code, copyExists }).toEqual({ code: 2, copyExists: false });
});

test.runIf(isThorough)('--help', async () => {
  const { code, stdout, stderr } = await start([], ['--help']);
  for (const word of ['--model', '--base-url', '--keep', CREATE]) expect(stdout).toContain(word);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('--json: nothing but JSON on stdout', async () => {
  const { code, stdout, stderr } = await start([CREATE], ['--json']);
  const types = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toContain('approval-requested');
  expect(stderr).toContain('Nothing has changed');
  expect(code).toBe(3);
});

test('--prompt --auto: one prompt, and nobody is asked', async () => {
  const { code, stdout } = await start([], ['--prompt', 'create a with 1 and run git push', '--auto']);
  expect(changed(stdout)).toEqual(['  created a (1 byte)']);
  expect(stdout).toContain('releases are made by people');
  expect(code).toBe(0);
});

test('nothing is left behind: neither the copy, nor anything beside it', async () => {
  const { copy, copyExists, left } = await start([CREATE, 'y', 'run echo x > y', 'y']);
  expect(copy).not.toBe('');
  expect(copyExists).toBe(false);
  expect(left).toEqual([]);
});

test('a proxy of the environment is not asked for the scripted model', async () => {
  const nowhere = 'http://127.0.0.1:9';
  const env = { HTTP_PROXY: nowhere, http_proxy: nowhere, ALL_PROXY: nowhere };
  for (const runtime of isThorough ? someRuntimes() : [])
    expect((await on(runtime, ['demo'], { env, input: `${CREATE}\ny\n` })).stdout).toContain('Created hello.txt.');
  expect((await start([CREATE, 'y'], [], env)).stdout).toContain('Created hello.txt.');
});

test('what to do next is said in the end', async () => {
  const { stdout } = await start([]);
  expect(stdout.slice(stdout.indexOf('What to do next:'))).toMatch(/npm install countersign[^]*npx countersign init/);
});

test.runIf(isThorough)('--keep keeps it, and says where it is', async () => {
  const { copy, copyExists, stdout } = await start([CREATE, 'y'], ['--keep']);
  onTestFinished(() => rmSync(copy, { recursive: true }));
  expect(copyExists).toBe(true);
  expect(stdout).toContain(`The project is kept: ${copy}`);
  expect(readFileSync(path.join(copy, 'hello.txt'), 'utf8')).toBe('hi');
  expect(existsSync(path.join(copy, '.countersign', 'ledger.db'))).toBe(true);
});
