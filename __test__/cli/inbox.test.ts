/** `countersign inbox` as a real process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import type { Gate } from '../../index.js';
import type { PendingAnswer, SessionAnswer } from '../../ts/inbox/protocol.js';
import { ask, gateOf, later, scratch } from '../inbox/support.js';
import { PATIENTLY } from '../runtimes.js';
import { isThorough } from '../support/effort.js';
import { cli, countersign, linesOf, someRuntimes } from './command.js';

interface Running {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
}

function start(args: readonly string[], program = process.execPath): Running {
  const child = spawn(program, [cli, 'inbox', ...args], { stdio: 'pipe' });
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
  const running = start(['--ledger', ledger, '--by', 'mia', '-g', 'ops', '-g', 'security'], path);
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
  expect(await running.ended).toEqual([0, null]);
  expect(running.stderr).toBe('');
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
      expect(await running.ended).toEqual([0, null]);
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
    expect(await running.ended).toEqual([0, null]);
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
    [['--ledger', 'sqlite:/nowhere/ledger.db'], 3],
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
