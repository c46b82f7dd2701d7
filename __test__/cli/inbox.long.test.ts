/** `countersign inbox` as a real process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Gate } from '../../index.js';
import { hasBrowser, openBrowser } from '../../ts/cli/inbox/open-browser.js';
import { ownLedger } from '../../ts/cli/own-ledger.js';
import type { PendingAnswer, RequestDetail, SessionAnswer } from '../../ts/inbox/protocol.js';
import { ask, gateOf, later, scratch } from '../inbox/support.js';
import { PATIENTLY } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { Terminal } from '../terminal/terminal.js';
import { gateTools } from '../../ts/index.js';
import { cli, countersign, linesOf, someRuntimes } from './command.js';

interface Running {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
}

interface StartOptions {
  program?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

function start(args: readonly string[], { program = process.execPath, cwd, env = {} }: StartOptions = {}): Running {
  const child = spawn(program, [cli, 'inbox', ...args], { stdio: 'pipe', cwd, env: { ...process.env, ...env } });
  const running: Running = {
    child,
    stdout: '',
    stderr: '',
    ended: new Promise((resolve) => child.on('close', (code, signal) => resolve([code, signal]))),
  };
  child.stdout.on('data', (data: Buffer) => (running.stdout += String(data)));
  child.stderr.on('data', (data: Buffer) => (running.stderr += String(data)));
  later(() => child.kill('SIGKILL'));
  return running;
}

/** A ledger in which something waits, and an agent that uses it. */
async function setUp(): Promise<{ gate: Gate; ledger: string }> {
  const ledger = `sqlite:${scratch()}/ledger.db` as const;
  const gate = gateOf({ ledger });
  await gate.ready();
  return { gate, ledger };
}

const LINK = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\?token=[\w-]{43}/g;
const linksOf = ({ stdout }: Running): string[] => stdout.match(LINK) ?? [];

async function firstLink(running: Running): Promise<string> {
  await expect.poll(() => linksOf(running).length, { ...PATIENTLY, message: 'a link' }).toBeGreaterThan(0);
  return linksOf(running)[0] ?? '';
}

/** Opens a link, and gives what sends requests with its session. */
async function enter(url: string) {
  const response = await fetch(url);
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const base = url.replace(/\?.*/, '');
  return (path: string, init: RequestInit = {}) =>
    fetch(`${base}${path}`, { ...init, headers: { cookie, origin: new URL(base).origin, ...init.headers } });
}

test.each(someRuntimes())('decides in the ledger of another process, on $name', async ({ path }) => {
  const { gate, ledger } = await setUp();
  const running = start(['--ledger', ledger, '--by', 'mia', '-g', 'ops', '-g', 'security'], { program: path });
  const send = await enter(await firstLink(running));
  const { csrf, person } = (await (await send('api/session')).json()) as SessionAnswer;
  expect(person).toEqual({ name: 'mia', groups: ['ops', 'security'], mayDecide: true });
  const asking = gate.request({ toolName: 'deploy', args: {}, runId: 'run' });
  await expect.poll(async () => ((await (await send('api/pending')).json()) as PendingAnswer).total, PATIENTLY).toBe(1);
  const { items } = (await (await send('api/pending')).json()) as PendingAnswer;
  const decided = await send(`api/requests/${items[0]?.approvalId}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-countersign-csrf': csrf },
    body: JSON.stringify({ decision: { type: 'approve' } }),
  });
  expect(decided.status).toBe(200);
  expect(await asking).toMatchObject({ approved: true, decidedBy: 'mia' });
  running.child.kill('SIGINT');
  expect(await running.ended).toEqual([130, null]);
  expect(running.stderr).toBe('');
});

interface Sender {
  (path: string, init?: RequestInit): Promise<Response>;
}

async function decide(send: Sender, approvalId: string, decision: object): Promise<number> {
  const { csrf } = (await (await send('api/session')).json()) as SessionAnswer;
  const { status } = await send(`api/requests/${approvalId}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-countersign-csrf': csrf },
    body: JSON.stringify({ decision }),
  });
  return status;
}

describe('a ledger that is not there yet', () => {
  it('is made where its folder is: what is asked later is seen', async () => {
    const ledger = `sqlite:${scratch()}/later.db` as const;
    const running = start(['-l', ledger]);
    const send = await enter(await firstLink(running));
    expect(running.stderr).toMatch(/^countersign: .*later\.db is a new ledger: nothing waits in it yet\n$/);
    await ask(gateOf({ ledger }));
    await expect
      .poll(async () => ((await (await send('api/pending')).json()) as PendingAnswer).total, PATIENTLY)
      .toBe(1);
  });

  it('is the usual one of the project, where nobody names one; the chat takes it for its own', async () => {
    const home = scratch();
    const project = join(home, 'project');
    mkdirSync(join(project, '.countersign', 'deeper'), { recursive: true });
    const settings = join(home, '.config');
    const env = { HOME: home, XDG_CONFIG_HOME: settings, COUNTERSIGN_LEDGER: '' };
    const running = start(['--json'], { cwd: join(project, '.countersign', 'deeper'), env });
    await firstLink(running);
    const file = join(project, '.countersign', 'ledger.db');
    expect(existsSync(file)).toBe(true);
    await expect(ownLedger(project, join(settings, 'countersign'))).resolves.toBe(`sqlite:${file}`);
  });
});

describe('always', () => {
  it('is remembered for the project that the call came from, not for that of the inbox', async () => {
    const home = scratch();
    const [there, elsewhere] = ['there', 'elsewhere'].map((name) => join(home, name));
    for (const folder of [there, elsewhere]) mkdirSync(join(folder ?? '', '.countersign'), { recursive: true });
    const place = { cwd: there ?? '', home };
    const ledger = `sqlite:${home}/ledger.db` as const;
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
    const gate = gateOf({ ledger, place, policyFiles: true, policy: { version: 1 } });
    const inputSchema = { type: 'object' } as never;
    const { execute } = gateTools({ execute: { inputSchema, execute: async () => 'pushed' } } as never, { gate }) as {
      execute: { execute: (...args: unknown[]) => Promise<unknown> };
    };
    const asking = execute.execute({ command: 'git push' }, { toolCallId: 'first', messages: [] });
    await expect.poll(async () => (await gate.pending()).length, PATIENTLY).toBe(1);
    const running = start(['-l', ledger, '--by', 'mia'], { cwd: elsewhere ?? '', env });
    const send = await enter(await firstLink(running));
    const { items } = (await (await send('api/pending')).json()) as PendingAnswer;
    const shown = (await (await send(`api/requests/${items[0]?.approvalId}`)).json()) as RequestDetail;
    expect(shown.place).toEqual({ folder: there, project: there });
    expect(await decide(send, items[0]?.approvalId ?? '', { type: 'approve', remember: 'always' })).toBe(200);
    expect(await asking).toBe('pushed');
    const grantsIn = async (cwd = ''): Promise<object[]> =>
      linesOf((await countersign(['grants', '--json'], { cwd, env })).stdout).map((line) => JSON.parse(line) as object);
    expect(await grantsIn(there)).toMatchObject([{ scope: 'always', by: 'mia' }]);
    expect(await grantsIn(elsewhere)).toEqual([]);
    // What lives in another process is not remembered there.
    const again = await ask(gate);
    expect(await decide(send, again.approvalId, { type: 'approve', remember: 'session' })).toBe(422);
  });
});

describe('the browser', () => {
  /** A program of that name that writes down what it was given. */
  function opener(folder: string): { env: NodeJS.ProcessEnv; given: string } {
    const given = join(folder, 'given');
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nstat -c %a "$1" > ${given}.mode\ncat "$1" > ${given}.page\necho "$@" > ${given}\n`,
      { mode: 0o755 },
    );
    const path = `${folder}:${process.env['PATH'] ?? ''}`;
    return { env: { PATH: path, DISPLAY: ':0', TMPDIR: folder, CI: '', SSH_CONNECTION: '', SSH_TTY: '' }, given };
  }

  it.skipIf(process.platform !== 'linux')(
    'is opened on a terminal, by a file that nobody else can read: no link among its arguments',
    async () => {
      const { ledger } = await setUp();
      const { env, given } = opener(scratch());
      const terminal = new Terminal(process.execPath, [cli, 'inbox', '-l', ledger], {
        env: env as never,
        columns: 300,
      });
      later(() => terminal.close());
      await terminal.waitFor('is opened in your browser');
      const [file = '', mode, text] = [given, `${given}.mode`, `${given}.page`].map((name) =>
        readFileSync(name, 'utf8').trim(),
      );
      expect([file.includes('token'), mode]).toEqual([false, '600']);
      const [link = ''] = text?.match(LINK) ?? [];
      expect((await fetch(link)).status).toBe(200);
      // The link that is printed is another one.
      await terminal.waitFor((screen) => LINK.test(screen));
      const [printed = ''] = terminal.all().match(LINK) ?? [];
      expect((await fetch(printed)).status).toBe(200);
      terminal.press('ctrlC');
      expect(await terminal.ended()).toBe(130);
      expect(existsSync(file)).toBe(false);
    },
  );

  it('is not opened with --no-open, on a pipe, over ssh, in CI or without a screen', async () => {
    const { ledger } = await setUp();
    const { env, given } = opener(scratch());
    const terminal = new Terminal(process.execPath, [cli, 'inbox', '-l', ledger, '--no-open'], {
      env: env as never,
      columns: 300,
    });
    later(() => terminal.close());
    await terminal.waitFor('Ctrl+C ends it');
    await firstLink(start(['-l', ledger], { env }));
    expect(existsSync(given)).toBe(false);
    expect(hasBrowser({ DISPLAY: ':0' }, 'linux')).toBe(true);
    expect(hasBrowser({}, 'darwin')).toBe(true);
    for (const elsewhere of [{}, { DISPLAY: ':0', SSH_CONNECTION: '1' }, { WAYLAND_DISPLAY: 'w', CI: '1' }])
      expect(hasBrowser(elsewhere, 'linux')).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')(
    'takes away what leads there as soon as it is there, and what processes left that were killed',
    async () => {
      const { ledger } = await setUp();
      const temporary = scratch();
      const { env, given } = opener(scratch());
      // No process has this number: it is greater than any that a system gives.
      const left = join(temporary, 'countersign-inbox-4194999-abcdef');
      const lives = join(temporary, `countersign-inbox-${process.pid}-abcdef`);
      for (const folder of [left, lives]) mkdirSync(folder);
      const terminal = new Terminal(process.execPath, [cli, 'inbox', '-l', ledger], {
        env: { ...env, TMPDIR: temporary } as never,
        columns: 300,
      });
      later(() => terminal.close());
      await terminal.waitFor('Ctrl+C ends it');
      const file = readFileSync(given, 'utf8').trim();
      expect(dirname(dirname(file))).toBe(temporary);
      expect([existsSync(left), existsSync(lives), existsSync(file)]).toEqual([false, true, true]);
      const [, link = ''] = /url=([^"]+)"/.exec(readFileSync(file, 'utf8')) ?? [];
      await enter(link);
      await expect.poll(() => existsSync(dirname(file)), PATIENTLY).toBe(false);
    },
  );

  it('is not there: the link can be followed by hand', async () => {
    const { opened, end } = await openBrowser('http://127.0.0.1:1/', 'sunos');
    expect(opened).toBe(false);
    await end();
  });
});

describe('the command', () => {
  const moreRefused: [string[], number][] = [
    [['--port', '70000'], 2],
    [['--port', 'x'], 2],
    [['--by', ''], 2],
    [['--by', '\u200b'], 1],
    [['--group', 'group:'], 2],
    [['extra'], 2],
    [['--key-env', 'COUNTERSIGN_NO_SUCH_KEY'], 2],
  ];

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with %s while a page is open, and what waits goes on',
    async (signal) => {
      const { gate, ledger } = await setUp();
      await ask(gate);
      const running = start(['-l', ledger]);
      const send = await enter(await firstLink(running));
      const events = await send('api/events');
      const text = events.text().catch(() => '');
      running.child.kill(signal);
      // As a shell says of a program that this signal ended.
      expect(await running.ended).toEqual([signal === 'SIGINT' ? 130 : 143, null]);
      expect(running.stdout).toMatch(/^The inbox is closed\. What waits in its ledger still waits\.$/m);
      await text;
      expect(running.stderr).toBe('');
      expect(await gate.pending()).toHaveLength(1);
    },
  );

  it('makes another link for each line that it reads', async () => {
    const { ledger } = await setUp();
    const running = start(['-l', ledger, '--json']);
    await firstLink(running);
    running.child.stdin?.write('\n\n');
    await expect.poll(() => linksOf(running).length, PATIENTLY).toBe(3);
    running.child.stdin?.end();
    expect(new Set(linksOf(running)).size).toBe(3);
    const told = linesOf(running.stdout).map((line) => JSON.parse(line) as { type: string; url: string; port: number });
    for (const { type, url, port } of told) expect([type, new URL(url).port]).toEqual(['link', String(port)]);
    await enter(linksOf(running)[2] ?? '');
    running.child.kill('SIGINT');
    expect(await running.ended).toEqual([130, null]);
  });

  it('says that a port is taken', async () => {
    const { ledger } = await setUp();
    const first = start(['-l', ledger, '--json']);
    const { port } = new URL(await firstLink(first));
    const { code, stderr } = await countersign(['inbox', '-l', ledger, '--port', port]);
    expect([code, stderr]).toEqual([
      1,
      `countersign: ERR_PORT_TAKEN: port ${port} is taken: name another one with --port\n`,
    ]);
  });

  it.each([
    [['--port', '0'], 2],
    [['--by', 'group:ops'], 2],
    ...(isThorough ? moreRefused : []),
    [['--ledger', 'memory:'], 2],
    [['--ledger', 'sqlite:/dev/null/ledger.db'], 3],
  ])('refuses %j', async (args, expected) => {
    const { ledger } = await setUp();
    const given = args.includes('--ledger') ? args : ['--ledger', ledger, ...args];
    const { code, stdout, stderr } = await countersign(['inbox', ...given]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(/^countersign: /);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('says how it is used', async () => {
    const { code, stdout } = await countersign(['inbox', '--help']);
    expect(code).toBe(0);
    for (const option of ['--port', '--group', '--by', '--ledger', '--json']) expect(stdout).toContain(option);
  });

  it('says that names are shown safely', async () => {
    const { ledger } = await setUp();
    const running = start(['-l', ledger, '--by', 'mia\u202e\u001b[2J']);
    await firstLink(running);
    for (const hidden of ['\u202e', '\u001b']) expect(running.stdout).not.toContain(hidden);
  });
});
