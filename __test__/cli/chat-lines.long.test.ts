/** The program on pipes, as a real process: prompts and answers in turn, one shot, JSON Lines, exit codes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratch } from '../policy/support.js';
import { exec, type Finished, type Runtime, PATIENTLY } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { serve, type Turn } from './chat-server.js';
import { cli, countersign as apart, quickly, linesOf, on, someRuntimes } from './command.js';

const countersign = isThorough ? apart : quickly;

const write = (path: string, content = 'x'): Turn => ({ calls: [['write_file', { file_path: path, content }]] });

async function there(turns: Turn[], runtime?: Runtime) {
  const server = await serve(turns);
  const folder = scratch();
  const model = ['--model', 'scripted', '--base-url', server.url];
  const home = scratch();
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    COUNTERSIGN_LEDGER: undefined,
    COUNTERSIGN_API_KEY: 'key-1',
    OPENAI_API_KEY: undefined,
  };
  const run = (args: string[], input = ''): Promise<Finished> => {
    const options = { cwd: folder, env, input };
    return runtime === undefined
      ? countersign([...model, ...args], options)
      : on(runtime, [...model, ...args], options);
  };
  const has = (...names: string[]) => names.map((name) => existsSync(join(folder, name)));
  return { server, folder, env, home, model, run, has };
}

describe.each(someRuntimes().map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  test('prompts and answers come in turn', async () => {
    const turns = [write('a.txt', 'A'), 'Done.', write('b.txt'), 'I see.', 'Bye.'];
    const { run, server, folder, has } = await there(turns, runtime);
    const { code, stdout, stderr } = await run([], 'make a\ny\nmake b\nuse c.txt\nbye\n');
    expect([code, stderr]).toEqual([0, '']);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('A');
    expect(has('b.txt', 'use c.txt')).toEqual([false, false]);
    expect(JSON.stringify(server.requests[3])).toContain('use c.txt');
    expect(server.requests).toHaveLength(5);
    expect(new Set(server.keys)).toEqual(new Set(['Bearer key-1']));
    expect(stdout).not.toContain('\u001b');
    const said = ['Safe mode', '> make a', 'Waits for approval', '│ file_path: a.txt', 'Why: ', 'a.txt: done', 'Done.'];
    let from = 0;
    for (const text of [...said, 'b.txt: did not run', 'I see.', '> bye', 'Bye.']) {
      expect(stdout.indexOf(text, from), `${text}\n${stdout}`).toBeGreaterThanOrEqual(from);
      from = stdout.indexOf(text, from);
    }
  });
});

describe('an answer', () => {
  const approves = async (...answers: string[]): Promise<{ made: string[]; stdout: string; code: number | null }> => {
    const { run, folder } = await there([write('a.txt'), 'Done.']);
    const { stdout, code } = await run([], ['go', ...answers, ''].join('\n'));
    return { made: readdirSync(folder).filter((name) => name.endsWith('.txt')), stdout, code };
  };

  test('y, yes and ok in any case run it; n, other words and everything else do not', async () => {
    for (const answer of ['y', 'YES', 'Ok']) expect((await approves(answer)).made).toEqual(['a.txt']);
    for (const answer of ['n', 'yep', 'y please', 'q']) expect((await approves(answer)).made).toEqual([]);
  });

  test('an empty line is a no, and so is all that does not answer: one line answers one call', async () => {
    for (const line of ['', '   ', '?', 'd', 'e', 'e {', 'e {"x":1}']) {
      const { made, stdout } = await approves(line);
      expect([line, made, stdout]).toEqual([line, [], expect.stringContaining('Not accepted, so it counts as a no')]);
    }
  });

  test('e runs it with other arguments', async () => {
    const { made } = await approves('e {"file_path":"b.txt","content":"B"}');
    expect(made).toEqual(['b.txt']);
  });

  test('r answers instead of it', async () => {
    const { made, stdout } = await approves('r pretend that it is there');
    expect([made, stdout]).toEqual([[], expect.stringContaining('answered instead: pretend that it is there')]);
  });

  test('s allows it for the session; A and l, which would answer other calls, are a no', async () => {
    expect((await approves('s')).made).toEqual(['a.txt']);
    for (const line of ['A', 'l']) {
      const { made, stdout } = await approves(line);
      expect([made, stdout]).toEqual([[], expect.stringContaining('each line of a pipe answers one call')]);
      expect(stdout).not.toContain('🟠');
    }
  });

  test('that never comes is a no', async () => {
    const { made, stdout, code } = await approves();
    expect([made, code]).toEqual([[], 3]);
    expect(stdout).toContain('Nobody is there to answer.');
  });
});

describe('questions', () => {
  const options = [{ label: 'Red' }, { label: 'Blue' }];
  const questions = [
    { kind: 'multiple_choice', question: 'Which colour?', options },
    { kind: 'multi_select', question: 'Which ones?', options, required: false },
    { kind: 'text', question: 'What for?' },
  ];
  const ask: Turn = { calls: [['ask_user', { questions }]] };
  const result = (server: { requests: { role: string; content: unknown }[][] }) => server.requests[1]!.at(-1)!.content;

  test('are put one by one, with a line for each', async () => {
    const { run, server } = await there([ask, 'Thanks.']);
    const { code, stdout } = await run([], 'go\ngreen\n2, Red\nfun\n');
    expect([code, result(server)]).toEqual([0, expect.stringMatching(/A: green[^]*A: Blue, Red[^]*A: fun/)]);
    const said = ['Which colour?', '  1. Red', 'Which ones?', 'What for?', 'Thanks.'];
    let from = 0;
    for (const text of said) {
      expect(stdout.indexOf(text, from), `${text}\n${stdout}`).toBeGreaterThanOrEqual(from);
      from = stdout.indexOf(text, from);
    }
  });

  test('are left unanswered by a line that answers none of them', async () => {
    const { run, server } = await there([ask, 'Fine.']);
    const { code, stdout } = await run([], 'go\ngreen\n3\nfun\n');
    expect([code, result(server)]).toEqual([0, expect.stringContaining('did not answer')]);
    expect(stdout).toContain('There is no "3"');
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ['/policy', null],
    ['/polic', null],
    ['/tmp/a', '/tmp/a'],
  ])('the line %s is no command, and answers what it says', async (line, answer) => {
    const { run, server } = await there([{ calls: [['ask_user', { questions: [questions[2]] }]] }, 'Fine.']);
    const { code, stdout } = await run([], `go\n${line}\n`);
    const told = answer === null ? 'did not answer' : `A: ${answer}`;
    expect([code, result(server)]).toEqual([0, expect.stringContaining(told)]);
    if (answer === null) expect(stdout).toContain(`"${line}", does not answer it. ${line} is`);
  });

  test('need not be answered', async () => {
    const { run, server } = await there([ask, 'Fine.']);
    const { code } = await run([], 'go\n1\n/no\n');
    expect([code, result(server)]).toEqual([0, expect.stringContaining('did not answer')]);
  });

  test.each([
    ['--prompt', 'go'],
    ['--json', '--prompt', 'go'],
    ['--auto', '--prompt', 'go'],
  ])('nobody is there: %s %s', async (...args) => {
    const { run, server } = await there([ask, 'Fine.']);
    const { code } = await run(args, '1\n1\nx\n');
    expect([code, result(server)]).toEqual([3, expect.stringContaining('did not answer')]);
  });
});

describe('subagents', () => {
  test('ask through the chat, and say who they are', async () => {
    const task: Turn = { calls: [['task', { description: 'write it', subagent_type: 'general-purpose' }]] };
    const { run, has } = await there([task, write('a.txt'), 'I wrote it.', 'All done.']);
    const { code, stdout } = await run([], 'go\ny\n');
    expect([code, has('a.txt')]).toEqual([0, [true]]);
    expect(stdout).toContain('A call of general-purpose waits for approval:');
    expect(stdout).toMatch(/\[general-purpose\] I wrote it\.[^]*All done\./);
  });
});

describe('--prompt without a terminal', () => {
  test('asks nobody: what is on stdin is no answer', async () => {
    const { run, has, server } = await there([write('a.txt'), 'I see.']);
    const { code, stdout } = await run(['--prompt', 'go'], 'y\ny\n');
    expect([code, has('a.txt')]).toEqual([3, [false]]);
    expect(stdout).toContain('I see.');
    expect(JSON.stringify(server.requests[1])).toContain('Nobody is there to answer.');
  });

  test('with --auto runs what is not denied', async () => {
    const { run, has, folder } = await there([write('a.txt'), write('secret/b.txt'), 'Done.']);
    writeFileSync(
      join(folder, 'p.toml'),
      'version = 1\n[[rule]]\nwrites = "secret/**"\neffect = "deny"\nreason = "no secrets"\n',
    );
    mkdirSync(join(folder, 'secret'));
    const { code, stdout } = await run(['--auto', '--policy', 'p.toml', '--prompt', 'go']);
    expect([code, has('a.txt', 'secret/b.txt')]).toEqual([0, [true, false]]);
    expect(stdout).toContain('no secrets');
  });

  test('with --plan changes nothing', async () => {
    const { run, has } = await there([write('a.txt'), 'Done.']);
    const { code, stdout } = await run(['--plan', '--prompt', 'go']);
    expect([code, has('a.txt')]).toEqual([0, [false]]);
    expect(stdout).toContain('Plan mode');
  });
});

test('a policy file that cannot be read is told, and keeps Auto-approve off', async () => {
  const { run, folder, has } = await there([write('a.txt'), 'I see.']);
  mkdirSync(join(folder, '.countersign'));
  writeFileSync(join(folder, '.countersign/policy.toml'), 'version = 1\nforbd = ["auto"]\n');
  const auto = await run(['--auto', '--prompt', 'go']);
  expect([auto.code, auto.stderr]).toEqual([
    1,
    expect.stringMatching(/ERR_POLICY_UNKNOWN_KEY: .*policy\.toml:2:1: .*forbd/),
  ]);
  const { stdout, code } = await run([], '/approve on\ngo\nA\n');
  expect([code, has('a.txt')]).toEqual([0, [false]]);
  expect(stdout).toMatch(/^warning: .*policy\.toml:2:1/m);
  expect(stdout.match(/^warning: Auto-approve stays off: /gm)).toHaveLength(1);
});

describe('settings of the project', () => {
  const settings = (folder: string, toml: string): void => {
    mkdirSync(join(folder, '.countersign'));
    writeFileSync(join(folder, '.countersign/config.toml'), toml);
  };

  test('ask about more', async () => {
    const { run, folder } = await there([{ calls: [['ls', {}]] }, 'I see.']);
    settings(folder, '[tools]\nneed_approval = ["ls"]\n');
    const { code, stdout } = await run(['--prompt', 'go']);
    expect([code, stdout]).toEqual([3, expect.stringContaining('Waits for approval')]);
  });

  test('have policies that only narrow, also what runs on its own', async () => {
    const { run, folder, has } = await there([write('a.txt'), write('b.txt'), 'I see.']);
    settings(folder, 'policy = "p.toml"\n');
    const rule = (path: string, effect: string) => `[[rule]]\nwrites = "${path}"\neffect = "${effect}"\n`;
    writeFileSync(
      join(folder, '.countersign/p.toml'),
      `version = 1\nforbid = ["auto"]\n${rule('a.txt', 'deny')}${rule('b.txt', 'allow')}`,
    );
    const { stdout } = await run([], '/approve on\ngo\nno\n');
    expect(stdout).toMatch(/^warning: Auto-approve stays off: .*p\.toml.*forbids/m);
    expect([has('a.txt', 'b.txt'), stdout]).toEqual([[false, false], expect.stringContaining('Waits for approval')]);
    expect((await run(['--auto', '--prompt', 'go'])).code).toBe(1);
  });
});

test('/approve does not leave plan mode', async () => {
  const { run, has } = await there([write('a.txt'), 'I see.']);
  const { stdout } = await run(['--plan'], '/approve on\ngo\n');
  expect([stdout, has('a.txt')]).toEqual([expect.stringContaining('warning: Plan mode: '), [false]]);
});

describe('--json', () => {
  const events = (stdout: string) => linesOf(stdout).map((line) => JSON.parse(line) as { type: string });

  test('0: done', async () => {
    const { run } = await there(['Hello \u001b[2J\u202e there.']);
    const { code, stdout, stderr } = await run(['--json', '--prompt', 'hi']);
    expect([code, stderr]).toEqual([0, '']);
    for (const unseen of ['\u001b', '\u202e']) expect(stdout).not.toContain(unseen);
    expect(events(stdout).map(({ type }) => type)).toEqual(expect.arrayContaining(['text', 'step-finish', 'done']));
    expect(events(stdout).at(-1)).toMatchObject({ type: 'done', text: 'Hello \u001b[2J\u202e there.' });
  });

  test('3: something needed approval, and nothing ran', async () => {
    const { run, has } = await there([write('a.txt'), 'I see.']);
    const { code, stdout } = await run(['--json', '--prompt', 'go'], 'y\n');
    expect([code, has('a.txt')]).toEqual([3, [false]]);
    const types = events(stdout).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['approval-requested', 'approval-response', 'tool-denied', 'done']));
  });

  test('0 with --auto', async () => {
    const { run, has } = await there([write('a.txt'), 'Done.']);
    const { code } = await run(['--json', '--auto', '--prompt', 'go']);
    expect([code, has('a.txt')]).toEqual([0, [true]]);
  });

  test('1: the run failed', async () => {
    const { run } = await there([]);
    const { code, stdout } = await run(['--json', '--prompt', 'go']);
    expect(code).toBe(1);
    expect(events(stdout).at(-1)).toMatchObject({ type: 'error', error: { message: expect.any(String) as string } });
  });

  test('prompts come from stdin, and one conversation goes on', async () => {
    const { run, server } = await there(['One.', 'Two.']);
    const { code, stdout } = await run(['--json'], 'one\n\ntwo\n');
    expect([code, events(stdout).filter(({ type }) => type === 'done')]).toEqual([
      0,
      expect.objectContaining({ length: 2 }),
    ]);
    expect(server.requests[1]!.filter(({ role }) => role !== 'system')).toHaveLength(3);
  });
});

test('130: Ctrl+C cancels, and nothing goes on', async () => {
  const { model, folder, env, has } = await there([
    { calls: [['execute', { command: 'touch started; sleep 60' }]] },
    'x',
  ]);
  const child = spawn(process.execPath, [cli, ...model, '--auto', '--json', '--prompt', 'go'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
  await expect.poll(() => has('started'), PATIENTLY).toEqual([true]);
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number];
  expect([code, stdout]).toEqual([130, expect.stringContaining('"type":"abort"')]);
});

describe('what is wrong is told at the start', () => {
  const wrong: [string, (url: string, folder: string) => string[], number, RegExp][] = [
    ['no model', () => [], 2, /which model\?[^]*--model/],
    ['a model without a server', () => ['--model', 'x'], 2, /needs --base-url/],
    ['a gateway without a key', () => ['--model', 'a/b'], 2, /AI_GATEWAY_API_KEY/],
    [
      'a server that is not there',
      () => ['--model', 'x', '--base-url', 'http://127.0.0.1:9/v1'],
      1,
      /cannot be reached/,
    ],
    ['an address that is none', () => ['--model', 'x', '--base-url', 'nonsense'], 2, /http or https/],
    ['two modes', () => ['--auto', '--plan'], 2, /do not go together/],
    ['an unknown flag', () => ['--nonsense'], 2, /nonsense/],
    ['a folder that is none', () => ['--cwd', '/nonsense'], 2, /must be a folder/],
    [
      'a policy that is none',
      (url) => ['--model', 'x', '--base-url', url, '--policy', 'no.toml'],
      1,
      /ERR_POLICY_FILE/,
    ],
    ['a settings file', () => ['--cwd', 'broken'], 2, /ERR_CONFIG_FILE: .*config\.toml:1:1: /],
  ];
  test.each(isThorough ? wrong : wrong.slice(0, 4))('%s', async (_, args, expected, message) => {
    const { server, folder, env } = await there([]);
    mkdirSync(join(folder, 'broken/.countersign'), { recursive: true });
    writeFileSync(join(folder, 'broken/.countersign/config.toml'), 'modle = 1\n');
    const { code, stderr, stdout } = await exec(process.execPath, [cli, ...args(server.url, folder)], {
      cwd: folder,
      env: { ...env, AI_GATEWAY_API_KEY: undefined, VERCEL_OIDC_TOKEN: undefined },
    });
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test('--help says what there is, and other commands do not load the chat', async () => {
  const { stdout, code } = await countersign(['chat', '--help']);
  expect(code).toBe(0);
  for (const flag of [
    '--auto',
    '--plan',
    '--policy',
    '--ledger',
    '--model',
    '--base-url',
    '--prompt',
    '--json',
    '--plain',
    '--cwd',
  ])
    expect(stdout).toContain(flag);
  expect(readFileSync(cli, 'utf8')).not.toContain('Auto-approve: ');
});

test('the usual ledger is made in the project, for nobody else and for no commit', async () => {
  const { run, folder } = await there(['Hello.']);
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main');
  mkdirSync(join(folder, 'inner'));
  const { code } = await run(['--cwd', 'inner', '--prompt', 'hi']);
  expect(code).toBe(0);
  expect(readFileSync(join(folder, '.countersign/.gitignore'), 'utf8')).toBe('ledger.db*\n');
  expect(existsSync(join(folder, '.countersign/ledger.db'))).toBe(true);
});
