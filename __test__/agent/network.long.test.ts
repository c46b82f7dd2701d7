/** Commands of a deep agent that reach hosts by question: real programs, a real proxy, servers of the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeepAgentOptions } from '../../agent.js';
import type { ApprovalAnswer, ApprovalRequest } from '../../index.js';
import { createLocalBackend } from '../../ts/agent/index.js';
import { confinementReport, createGate } from '../../ts/index.js';
import { executed } from '../support/confined-agent.js';
import { isWhole } from '../support/effort.js';
import { ownPlace } from '../support/own-place.js';

const report = confinementReport();
const base = ownPlace('network');
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let server: Server;
let port: number;
const seen: string[] = [];

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(base, 'x-')));
  mkdirSync(join(root, 'project'));
  root = join(root, 'project');
  seen.length = 0;
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    response.end('of the server');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

interface Outcome {
  /** What a human was asked: the tool and its arguments. */
  asked: { toolName: string; args: unknown; description: string | null }[];
  /** What the model got. */
  said: string;
}

async function runOnce(
  args: Record<string, unknown>,
  options: Omit<DeepAgentOptions, 'model'>,
  answer: ((request: ApprovalRequest) => ApprovalAnswer) | undefined,
): Promise<Outcome> {
  const asked: Outcome['asked'] = [];
  const onApprovalRequest = (request: ApprovalRequest) => {
    asked.push({ toolName: request.toolName, args: request.args, description: request.description });
    return answer?.(request) ?? false;
  };
  const own = { backend: createLocalBackend({ root }), ...options };
  const said = await executed([args], own, answer === undefined ? undefined : onApprovalRequest);
  return { asked, said };
}

const yes = () => true;
const no = () => false;
/** Through the proxy also where the host is this machine: by itself a program goes there directly. */
const curl = (url: string, more = '') => `curl -sS --noproxy '' ${more} ${url}`;
const ALLOW = { version: 1 as const, rule: [{ tools: 'execute', effect: 'allow' as const }] };

describe.runIf(report.by === 'landlock')('a confined command with network: ask', () => {
  const confine = { network: 'ask' as const };

  test('asks once for a host, says which and for what, and holds the answer', async () => {
    const url = `http://127.0.0.1:${port}/a`;
    const { asked, said } = await runOnce({ command: `${curl(url)}; ${curl(url)}` }, { confine }, yes);
    expect(said).toContain('of the serverof the server');
    expect(asked).toEqual([
      {
        toolName: 'network',
        args: { url: `http://127.0.0.1:${port}/`, command: `${curl(url)}; ${curl(url)}`, where: 'this machine' },
        description: expect.stringContaining(`127.0.0.1:${port} (this machine)`),
      },
    ]);
    expect(seen).toEqual([`GET /a 127.0.0.1:${port}`, `GET /a 127.0.0.1:${port}`]);
  });

  test('is told no with 403, and the model how to ask for just that', async () => {
    const url = `http://127.0.0.1:${port}/a`;
    const { said, asked } = await runOnce({ command: curl(url, '-w %{http_code}') }, { confine }, no);
    expect([asked.length, seen]).toEqual([1, []]);
    expect(said).toContain('403');
    expect(said).toContain(`The sandbox refused connecting to 127.0.0.1:${port}`);
    expect(said).toContain(String.raw`reach: {\"network\":[\"127.0.0.1:${port}\"]}`.replaceAll('\\"', String.raw`\"`));
  });

  test('reaches nothing where nobody is there to be asked', async () => {
    const { said } = await runOnce({ command: curl(`http://127.0.0.1:${port}/a`) }, { confine }, undefined);
    expect(said).toContain('Nobody is there to be asked');
    expect(seen).toEqual([]);
  });

  test('is asked about by policies that allow everything, and not where a rule names the host', async () => {
    const command = curl(`http://127.0.0.1:${port}/a`);
    const all = { version: 1 as const, default: 'allow' as const };
    expect((await runOnce({ command }, { confine, policy: all }, yes)).asked).toHaveLength(1);
    const named = { ...ALLOW, rule: [...ALLOW.rule, { urls: `127.0.0.1:${port}`, effect: 'allow' as const }] };
    expect((await runOnce({ command }, { confine, policy: named }, no)).asked).toEqual([]);
    const denied = { ...ALLOW, rule: [...ALLOW.rule, { urls: '127.0.0.1:*', effect: 'deny' as const }] };
    const { asked, said } = await runOnce({ command }, { confine, policy: denied }, yes);
    expect([asked, said.includes('denies')]).toEqual([[], true]);
    expect(seen).toHaveLength(2);
  });

  test('asks for this machine where a policy allows each host by a pattern, and not where it names it', async () => {
    const command = curl(`http://127.0.0.1:${port}/a`);
    for (const pattern of ['*', `*:${port}`, 'http://*:*', '127.0.0.1:*']) {
      const wide = {
        ...ALLOW,
        network: 'ask' as const,
        rule: [...ALLOW.rule, { urls: pattern, effect: 'allow' as const }],
      };
      const { asked } = await runOnce({ command }, { confine: true, policy: wide }, no);
      expect([pattern, asked.map(({ toolName }) => toolName), seen.length]).toEqual([pattern, ['network'], 0]);
    }
    // What is on no list is on none in any mode.
    for (const mode of ['safe', 'auto'] as const) {
      const gate = createGate({ policy: { ...ALLOW, network: ['*:*'] }, place: { cwd: root } });
      await gate.setMode(mode);
      const { asked, said } = await runOnce({ command }, { confine: true, gate }, yes);
      expect([mode, asked, seen.length]).toEqual([mode, [], 0]);
      expect(said).toContain('connect to other hosts');
      await gate.close();
    }
    const named = {
      ...ALLOW,
      network: 'ask' as const,
      rule: [...ALLOW.rule, { urls: `127.0.0.1:${port}`, effect: 'allow' as const }],
    };
    expect((await runOnce({ command }, { confine: true, policy: named }, no)).asked).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  test.runIf(isWhole)(
    'asks where a policy says so and the program nothing, and reaches nothing where one says none',
    async () => {
      const command = curl(`http://127.0.0.1:${port}/a`);
      const ask = { ...ALLOW, network: 'ask' as const };
      expect((await runOnce({ command }, { confine: true, policy: ask }, yes)).asked).toHaveLength(1);
      expect(seen).toHaveLength(1);
      const none = { ...ALLOW, network: 'none' as const };
      expect((await runOnce({ command }, { confine, policy: none }, yes)).asked).toEqual([]);
      const other = { ...ALLOW, network: ['other.example'] };
      expect((await runOnce({ command }, { confine: true, policy: other }, yes)).asked).toEqual([]);
      expect(seen).toHaveLength(1);
      const listed = { ...ALLOW, network: [`127.0.0.1:${port}`] };
      expect((await runOnce({ command }, { confine: true, policy: listed }, no)).asked).toEqual([]);
      expect(seen).toHaveLength(2);
    },
  );

  test.runIf(isWhole)('offers at the gate to remember the host, and does', async () => {
    const gate = createGate({ place: { cwd: root } });
    const command = curl(`http://127.0.0.1:${port}/a`);
    const running = runOnce({ command }, { confine, gate, policy: ALLOW }, undefined);
    await expect.poll(async () => (await gate.pending()).length).toBe(1);
    const [request] = await gate.pending();
    expect(request?.always?.allow?.label).toContain(`127.0.0.1:${port}`);
    await gate.approve(request?.approvalId ?? '', { by: 'mia', remember: 'session' });
    expect((await running).said).toContain('of the server');
    // Nobody is asked again.
    expect((await runOnce({ command }, { confine, gate, policy: ALLOW }, undefined)).said).toContain('of the server');
    await gate.close();
  });

  test.each([
    [
      'python3',
      (url: string) =>
        `python3 -c "import urllib.request as u; print(u.build_opener(u.ProxyHandler({'http': __import__('os').environ['HTTP_PROXY']})).open('${url}').read())"`,
    ],
    ['git', (url: string) => `git -c http.proxy=$HTTP_PROXY ls-remote ${url}/x.git 2>&1; true`],
    [
      'npm',
      (url: string) => `npm_config_noproxy= npm view --registry ${url} --fetch-retries 0 no-such-package 2>&1; true`,
    ],
  ])('is gone through by %s', async (_, line) => {
    const { asked } = await runOnce(
      { command: `export NO_PROXY= no_proxy=; ${line(`http://127.0.0.1:${port}`)}` },
      { confine },
      yes,
    );
    expect(asked.map(({ args }) => (args as { url: string }).url)).toEqual([`http://127.0.0.1:${port}/`]);
    expect(seen.length).toBeGreaterThan(0);
  });

  test('has no other way out: direct, datagrams, version 6, with its proxy unset', async () => {
    writeFileSync(
      join(root, 'out.py'),
      `import socket
def tried(name, do):
  try:
    do(); print('through', name)
  except OSError: print('refused', name)
tried('direct', lambda: socket.create_connection(('127.0.0.1', ${port}), 5))
tried('six', lambda: socket.create_connection(('::1', ${port}), 5))
tried('other', lambda: socket.create_connection(('192.0.2.1', 80), 2))
tried('name', lambda: socket.getaddrinfo('example.com', 80))
`,
    );
    const line = `python3 out.py; NO_PROXY='*' no_proxy='*' curl -sS http://127.0.0.1:${port}/b; env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy curl -sS http://127.0.0.1:${port}/c`;
    const { said, asked } = await runOnce({ command: line }, { confine }, yes);
    expect(said).not.toContain('through');
    expect([asked, seen]).toEqual([[], []]);
  });

  test('asks for what an approved command connects to only where it is confined', async () => {
    const command = curl(`http://127.0.0.1:${port}/a`);
    const always = { confine: { network: 'ask' as const, always: true }, interruptOn: ['execute' as const] };
    expect((await runOnce({ command }, always, yes)).asked.map(({ toolName }) => toolName)).toEqual([
      'execute',
      'network',
    ]);
    const open = { confine, interruptOn: ['execute' as const] };
    expect((await runOnce({ command }, open, yes)).asked.map(({ toolName }) => toolName)).toEqual(['execute']);
  });
});

describe.runIf(report.by === 'landlock')('a list of hosts', () => {
  test('is reached unasked, and nothing else is', async () => {
    const confine = { network: [`127.0.0.1:${port}`] };
    const command = `${curl(`http://127.0.0.1:${port}/a`)}; ${curl('http://127.0.0.2:9/b')}`;
    const { asked, said } = await runOnce({ command }, { confine, policy: ALLOW }, no);
    expect([asked, seen.length]).toEqual([[], 1]);
    expect(said).toContain('It is not among the hosts of this command.');
  });

  test('holds on a backend that confines by itself, without any agent', async () => {
    const backend = createLocalBackend({ root, confine: { network: [`127.0.0.1:${port}`] } });
    const { output, refused } = await backend.execute(
      `${curl(`http://127.0.0.1:${port}/a`)}; ${curl('http://127.0.0.2:9/b')}`,
    );
    expect(output).toContain('of the server');
    expect(refused).toEqual([expect.objectContaining({ target: '127.0.0.2:9' })]);
  });

  test.each([['https://a.example/path'], ['user@a.example'], ['!a.example'], ['a b'], ['']])('has no %j', (host) => {
    expect(() => createLocalBackend({ root, confine: { network: [host] } })).toThrow(/network/);
  });
});

describe.runIf(report.by === 'landlock')('the reach of one command', () => {
  test.each([
    ['by a pattern', () => [`*.localhost:${port}`], () => 'a.localhost'],
    ['by another scheme', () => [`127.0.0.1:${port}`], () => '127.0.0.1'],
  ])('opens no address that a policy denies, though a human said yes to it %s', async (_, network, host) => {
    const address = `http://${host()}:${port}/`;
    const policy = { version: 1 as const, rule: [...ALLOW.rule, { urls: [`${address}**`], effect: 'deny' as const }] };
    // What the command line itself names would be denied before.
    writeFileSync(join(root, 'fetch.sh'), curl(address));
    const args = { command: 'sh fetch.sh', reach: { network: network() } };
    const { said } = await runOnce(args, { confine: true, policy }, yes);
    expect(seen).toEqual([]);
    expect(said).toContain('does not let it connect');
  });

  test('is asked about whatever allows the command, shown plainly, and given as it was shown', async () => {
    const outside = join(root, '../outside');
    mkdirSync(outside);
    const reach = { write: ['../outside'] };
    const { asked, said } = await runOnce(
      { command: 'echo x > ../outside/a && echo written; echo y > ../b', reach },
      { confine: true },
      yes,
    );
    expect(asked).toEqual([
      expect.objectContaining({
        toolName: 'execute',
        description: expect.stringContaining(`It runs confined, but may also write ${realpathSync(outside)}.`),
      }),
    ]);
    expect(said).toContain('written');
    expect(said).toContain(`writing ${realpathSync(join(root, '..'))}/b`);
  });

  test('is not run when a human says no, nor when nobody is there', async () => {
    for (const answer of [no, undefined]) {
      const { said } = await runOnce(
        { command: 'echo ran > own', reach: { write: ['/'.repeat(1) + 'var'] } },
        { confine: true },
        answer,
      );
      expect(said).toContain('It was not run.');
    }
  });

  test.runIf(isWhole)(
    'is asked about once where the call is asked about anyway, and the command runs confined',
    async () => {
      const outside = realpathSync(join(root, '..'));
      const reach = { write: [outside] };
      const options = { confine: true as const, interruptOn: ['execute' as const] };
      const { asked, said } = await runOnce({ command: 'echo x > ../a; echo x > /var/tmp/../no', reach }, options, yes);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.description).toContain('It runs confined, but may also write');
      expect(said).toContain('refused');
    },
  );

  test('is asked about once where a policy allows the command', async () => {
    const call = { command: "echo x > ../a && echo writ''ten", reach: { write: ['..'] } };
    const { asked, said } = await runOnce(call, { confine: true, policy: ALLOW }, yes);
    expect([asked.length, said.includes('written')]).toEqual([1, true]);
    expect(asked[0]?.description).toContain('may also write');
    const { said: refused } = await runOnce(call, { confine: true, policy: ALLOW }, no);
    expect(refused).not.toContain('written');
  });

  test('opens the very host, and asks nobody again', async () => {
    const command = `${curl(`http://127.0.0.1:${port}/a`)}; ${curl('http://127.0.0.2:9/b')}`;
    const { asked } = await runOnce({ command, reach: { network: [`127.0.0.1:${port}`] } }, { confine: true }, yes);
    expect([asked.length, seen.length]).toEqual([1, 1]);
  });

  test('opens nothing that a policy protects or denies', async () => {
    mkdirSync(join(root, '.github'));
    const policy = { ...ALLOW, rule: [...ALLOW.rule, { writes: join(root, '../kept/**'), effect: 'deny' as const }] };
    mkdirSync(join(root, '../kept'));
    for (const path of ['.github', '../kept/x'.slice(0, -2), '/']) {
      const { said } = await runOnce({ command: ':', reach: { write: [path] } }, { confine: true, policy }, yes);
      expect(said).toContain('It was not run.');
    }
  });

  test.runIf(isWhole)('is asked in the mode that approves everything', async () => {
    const gate = createGate({ place: { cwd: root } });
    await gate.setMode('auto');
    const running = runOnce({ command: 'echo ran', reach: { write: ['..'] } }, { confine: true, gate }, undefined);
    await expect.poll(async () => (await gate.pending()).length).toBe(1);
    const [request] = await gate.pending();
    await gate.reject(request?.approvalId ?? '', { by: 'mia' });
    expect((await running).said).toContain('It was not run.');
    await gate.close();
  });
});

test.runIf(report.namespaces)(
  'each port is told at which a host was refused, and the host alone is not told besides',
  async () => {
    const backend = createLocalBackend({ root, confine: { network: ['a.example'] } });
    const lines = [443, 444].map((each) => `curl -s http://10.0.0.1:${each}/`);
    const { refused = [] } = await backend.execute([...lines, "echo 'Could not resolve host: 10.0.0.1'"].join('; '));
    expect(refused.map(({ target }) => target)).toEqual(['10.0.0.1:443', '10.0.0.1:444']);
  },
);
