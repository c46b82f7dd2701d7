/** The proxy of a command, and clients that mean it ill. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NetworkAnswer, NetworkTarget } from '../../index.js';
import { confined } from '../../ts/confine/confine.js';
import type { LaunchPlan } from '../../ts/confine/plan.js';
import { confinementReport } from '../../ts/index.js';
import { kindOfAddress, plainHost } from '../../ts/confine/addresses.js';
import { CommandProxy, type ProxyOptions } from '../../ts/confine/proxy.js';
import { scratch } from '../policy/support.js';

const report = confinementReport();
const YES: NetworkAnswer = { allowed: true, reason: null };
const NO: NetworkAnswer = { allowed: false, reason: null };

let server: Server;
let port: number;
const seen: { line: string; headers: IncomingMessage['headers'] }[] = [];
const proxies: CommandProxy[] = [];

beforeEach(async () => {
  seen.length = 0;
  server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    request.resume();
    request.on('end', () => response.end('of the server'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function open(
  decide: (target: NetworkTarget) => NetworkAnswer | Promise<NetworkAnswer>,
  more: Partial<ProxyOptions> = {},
): Promise<{ proxy: CommandProxy; asked: NetworkTarget[] }> {
  const asked: NetworkTarget[] = [];
  const proxy = await CommandProxy.open({
    on: 'socket',
    decide: async (target) => {
      // What is asked for at a host that was said yes to: only some tests deny that.
      if (target.follows === target.host && !target.url.includes('/denied')) return YES;
      asked.push(target);
      return decide(target);
    },
    ...more,
  });
  proxies.push(proxy);
  return { proxy, asked };
}

function dial(proxy: CommandProxy): Socket {
  const { socket, port } = proxy.place;
  const dialled = socket === null ? connect(port, '127.0.0.1') : connect(socket);
  dialled.on('error', () => {});
  return dialled;
}

/** Sends this, and reads to the end. */
async function talk(proxy: CommandProxy, text: string): Promise<string> {
  const socket = dial(proxy);
  let said = '';
  socket.setEncoding('utf8').on('data', (part: string) => (said += part));
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  return said;
}

const get = (url: string, headers = '') => `GET ${url} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
const tunnel = (to: string) => `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`;

describe.runIf(process.platform !== 'win32')('the proxy of a command', () => {
  test('forwards what was allowed, and carries a tunnel', async () => {
    const { proxy, asked } = await open(() => YES);
    expect(await talk(proxy, get(`http://127.0.0.1:${port}/a?b`))).toMatch(/^HTTP\/1\.1 200[^]*of the server/);
    const inside = `GET /inside HTTP/1.1\r\nHost: own\r\nConnection: close\r\n\r\n`;
    expect(await talk(proxy, tunnel(`127.0.0.1:${port}`) + inside)).toMatch(
      /200 Connection established[^]*of the server/,
    );
    expect(seen.map(({ line }) => line)).toEqual(['GET /a?b', 'GET /inside']);
    // What goes through a tunnel is not what was said yes to.
    const target = { host: '127.0.0.1', port, where: 'this machine', follows: null };
    expect(asked).toEqual([
      { url: `http://127.0.0.1:${port}/`, ...target },
      { url: `https://127.0.0.1:${port}/`, ...target },
    ]);
  });

  test('says no in one sentence, and what it refused', async () => {
    const { proxy } = await open(() => ({ allowed: false, reason: 'It is a secret.' }));
    const said = await talk(proxy, get('http://example.com/'));
    expect(said).toMatch(/^HTTP\/1\.1 403/);
    expect(said).toContain('The sandbox of this command does not let it connect to example.com:80. It is a secret.');
    expect(await talk(proxy, tunnel('example.com:443'))).toMatch(/^HTTP\/1\.1 403/);
    expect(proxy.refused.map(({ target }) => target)).toEqual(['example.com:80', 'example.com:443']);
  });

  test('gives no pattern of hosts that a command spelled', async () => {
    const { proxy } = await open(() => NO);
    for (const to of ['*:443', '*.example:443', 'plain.example:443', '[::1]:443', '127.0.0.1:443'])
      await talk(proxy, tunnel(to));
    const given = proxy.refused.filter(({ canBeGiven }) => canBeGiven).map(({ target }) => target);
    expect(given).toEqual(['plain.example:443', '[::1]:443', '127.0.0.1:443']);
  });

  test('looks nothing up before the yes, and connects to what it looked up, once', async () => {
    let looked = 0;
    const lookup = async () => {
      looked += 1;
      // The second answer would lead elsewhere.
      return [{ address: looked === 1 ? '127.0.0.1' : '192.0.2.1', family: 4 }];
    };
    const no = await open(() => NO, { lookup });
    await talk(no.proxy, get('http://rebinding.example/'));
    expect(looked).toBe(0);
    const { proxy, asked } = await open(() => YES, { lookup });
    expect(await talk(proxy, get(`http://rebinding.example:${port}/`))).toContain('of the server');
    expect(looked).toBe(1);
    // The yes to the name did not cover this machine.
    expect(asked.map(({ host, where }) => [host, where])).toEqual([
      ['rebinding.example', null],
      ['127.0.0.1', 'this machine, to which rebinding.example leads'],
    ]);
  });

  test.each([
    ['169.254.169.254', 'metadata'],
    ['10.1.2.3', 'private network'],
    ['::1', 'this machine'],
    ['::ffff:10.0.0.1', 'behind another'],
    ['fd00:ec2::254', 'metadata'],
  ])('a name that leads to %s reaches nothing by a yes to the name', async (address, kind) => {
    const decide = ({ host }: NetworkTarget) => (host === 'innocent.example' ? YES : NO);
    const lookup = async () => [
      { address: '127.0.0.1', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
    const allowsLoopback = (target: NetworkTarget) => (target.host === '127.0.0.1' ? YES : decide(target));
    const { proxy, asked } = await open(allowsLoopback, { lookup });
    expect(await talk(proxy, tunnel(`innocent.example:${port}`))).toMatch(/^HTTP\/1\.1 403/);
    expect(asked.at(-1)?.where).toContain(kind);
    expect(seen).toEqual([]);
  });

  test.each([
    ['169.254.169.254:80', '169.254.169.254', 'metadata'],
    ['2852039166:80', '169.254.169.254', 'metadata'],
    ['0xa9fea9fe:80', '169.254.169.254', 'metadata'],
    ['0251.0376.0251.0376:80', '169.254.169.254', 'metadata'],
    ['0:80', '0.0.0.0', 'this machine'],
    ['127.1:80', '127.0.0.1', 'this machine'],
    ['LOCALHOST.:80', 'localhost', 'this machine'],
    ['[::ffff:169.254.169.254]:80', '::ffff:a9fe:a9fe', 'behind another'],
    ['[::]:80', '::', 'this machine'],
  ])('shows CONNECT to %s as what it is', async (to, host, where) => {
    const { proxy, asked } = await open(() => NO);
    expect(await talk(proxy, tunnel(to))).toMatch(/^HTTP\/1\.1 403/);
    expect(asked).toEqual([expect.objectContaining({ host, where: expect.stringContaining(where) })]);
  });

  test.each([
    ['no host', tunnel(':80')],
    ['no port', tunnel('example.com')],
    ['a port that is none', tunnel('example.com:70000')],
    ['an address in CONNECT', tunnel('http://example.com:80')],
    ['a user in CONNECT', tunnel('user@example.com:80')],
    ['a blank in the host', tunnel('exam%20ple.com:80')],
    ['a path alone', get('/etc/passwd')],
    ['https without a tunnel', get('https://example.com/')],
    ['ftp', get('ftp://example.com/')],
    ['a password', get('http://a:b@example.com/')],
    ['no HTTP at all', 'SSH-2.0-x\r\n\r\n'],
    [
      'two lengths',
      `POST http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])('decides nothing about %s', async (_, text) => {
    const { proxy, asked } = await open(() => YES);
    expect(await talk(proxy, text)).toMatch(/^HTTP\/1\.1 400/);
    expect(asked).toEqual([]);
  });

  test('sends no header that says another host, nor what was for the proxy', async () => {
    const { proxy } = await open(() => YES);
    const headers =
      'X-Kept: 1\r\nProxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nX-Hop: 1\r\nConnection: x-hop\r\nUpgrade: h2c\r\n';
    await talk(
      proxy,
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: inner.example\r\n${headers}Connection: close\r\n\r\n`,
    );
    expect(seen[0]?.headers).toEqual({ host: `127.0.0.1:${port}`, 'x-kept': '1', connection: 'close' });
  });

  test('decides about each request of one connection', async () => {
    const { proxy, asked } = await open(({ host }) => (host === '127.0.0.1' ? YES : NO));
    const said = await talk(
      proxy,
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n${get('http://other.example/')}`,
    );
    expect(said).toMatch(/200 OK[^]*403 Forbidden/);
    expect(asked.map(({ host }) => host)).toEqual(['127.0.0.1', 'other.example']);
  });

  test('asks once, however many connect at once, and reaches nothing while it waits', async () => {
    let answer: (said: NetworkAnswer) => void = () => {};
    const { proxy, asked } = await open(() => new Promise<NetworkAnswer>((resolve) => (answer = resolve)));
    const all = Array.from({ length: 50 }, () => talk(proxy, get(`http://127.0.0.1:${port}/`)));
    await expect.poll(() => asked.length).toBe(1);
    expect(seen).toEqual([]);
    answer(YES);
    expect((await Promise.all(all)).every((said) => said.includes('of the server'))).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test('keeps a yes to one scheme for that scheme', async () => {
    for (const yes of ['http:', 'https:']) {
      seen.length = 0;
      const { proxy } = await open(({ url }) => (url.startsWith(yes) ? YES : NO));
      const plain = () => talk(proxy, get(`http://127.0.0.1:${port}/`));
      const through = () => talk(proxy, tunnel(`127.0.0.1:${port}`) + get('/'));
      const first = yes === 'http:' ? [plain, through] : [through, plain];
      expect(await first[0]!()).toContain('of the server');
      expect(await first[1]!()).toMatch(/^HTTP\/1\.1 403/);
      expect(seen).toHaveLength(1);
    }
  });

  test('has the whole address of what is asked for in plain sight judged', async () => {
    const { proxy, asked } = await open(({ url }) => (url.includes('/denied') ? NO : YES));
    expect(await talk(proxy, get(`http://127.0.0.1:${port}/denied/x`))).toMatch(/^HTTP\/1\.1 403/);
    expect(await talk(proxy, get(`http://127.0.0.1:${port}/other`))).toContain('of the server');
    expect(seen.map(({ line }) => line)).toEqual(['GET /other']);
    // By a name that leads there, too.
    const byName = await open(({ url }) => (url.startsWith('http://127.0.0.1') && url.includes('/denied') ? NO : YES));
    expect(await talk(byName.proxy, get(`http://localhost:${port}/denied/x`))).toMatch(/^HTTP\/1\.1 403/);
    expect(seen).toHaveLength(1);
    expect(asked.map(({ url, follows }) => [url, follows])).toEqual([
      [`http://127.0.0.1:${port}/`, null],
      [`http://127.0.0.1:${port}/denied/x`, '127.0.0.1'],
    ]);
  });

  test('has each address that a name leads to judged, whatever it is', async () => {
    const denied = ({ follows }: NetworkTarget) => (follows === null ? YES : { allowed: false, reason: 'No.' });
    const lookup = async () => [{ address: '93.184.216.34', family: 4 }];
    const away = await open(denied, { lookup });
    expect(await talk(away.proxy, get('http://away.example/'))).toContain('It leads to 93.184.216.34. No.');
    expect(away.asked.map(({ host, follows }) => [host, follows])).toEqual([
      ['away.example', null],
      ['93.184.216.34', 'away.example'],
    ]);
    const own = await open(denied);
    expect(await talk(own.proxy, get(`http://localhost:${port}/`))).toMatch(/^HTTP\/1\.1 403/);
    expect(seen).toEqual([]);
  });

  test.each(['constructor: x', '__proto__: x', 'hasOwnProperty: x', 'toString: x\r\ntoString: y'])(
    'hands %j on, as any header',
    async (header) => {
      const { proxy } = await open(() => YES);
      expect(await talk(proxy, get(`http://127.0.0.1:${port}/`, `${header}\r\n`))).toContain('of the server');
      // Node keeps `__proto__` from those who read.
      if (header[0] !== '_') expect(Object.keys(seen[0]!.headers)).toContain(header.split(':')[0]!.toLowerCase());
    },
  );

  test.each([
    'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nconstructor: x\r\n__proto__: y\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 999 OK\r\nX-\u00ff: x\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'no HTTP',
  ])('outlives a server that answers %j', async (said) => {
    const hostile = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from(said, 'latin1')));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', () => resolve()));
    const { port: at } = hostile.address() as AddressInfo;
    const { proxy } = await open(() => YES);
    expect(await talk(proxy, get(`http://127.0.0.1:${at}/`))).toMatch(/^HTTP\/1\.1 (?:200|502)/);
    expect(await talk(proxy, get(`http://127.0.0.1:${port}/`))).toContain('of the server');
    hostile.close();
  });

  test('counts what cannot be decided as no', async () => {
    const { proxy } = await open(() => Promise.reject(new Error('broken')));
    expect(await talk(proxy, get('http://example.com/'))).toContain('It could not be decided: broken');
  });

  test.skipIf(process.platform === 'win32')(
    'listens in its own folder, also where the folder for temporary files has a long name',
    async () => {
      const long = join(scratch(), 'x'.repeat(120));
      mkdirSync(long);
      vi.stubEnv('TMPDIR', long);
      const { proxy } = await open(() => YES);
      vi.unstubAllEnvs();
      const { socket } = proxy.place;
      expect(socket?.length).toBeLessThanOrEqual(107);
      expect(statSync(dirname(socket ?? '')).mode & 0o777).toBe(0o700);
      expect(readdirSync(dirname(socket ?? ''))).toEqual(['socket']);
    },
  );

  test('outlives no command: what goes through it ends, what it waits for too, and its socket is gone', async () => {
    let over: AbortSignal | undefined;
    const proxy = await CommandProxy.open({
      on: 'socket',
      decide: ({ host }, signal) => {
        over = signal;
        return host === '127.0.0.1' ? Promise.resolve(YES) : new Promise(() => {});
      },
    });
    const { socket } = proxy.place;
    const open = dial(proxy);
    open.write(tunnel(`127.0.0.1:${port}`));
    await new Promise((resolve) => open.once('data', resolve));
    const waiting = talk(proxy, get('http://never.example/'));
    const ended = new Promise((resolve) => open.once('close', resolve));
    await expect.poll(() => over !== undefined).toBe(true);
    await proxy.close();
    await Promise.all([ended, waiting]);
    expect([over?.aborted, existsSync(socket ?? '')]).toEqual([true, false]);
  });

  test('10,000 connections that say nothing keep nobody from going through', async () => {
    const { proxy } = await open(() => YES);
    for (let round = 0; round < 100; round += 1) {
      const idle = Array.from({ length: 100 }, () => dial(proxy));
      await Promise.all(
        idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
      );
      for (const socket of idle) socket.destroy();
    }
    expect(await talk(proxy, get(`http://127.0.0.1:${port}/`))).toContain('of the server');
  });

  test('waits for slow headers only so long', async () => {
    const { proxy } = await open(() => YES, { headersTimeout: 200 });
    expect(await talk(proxy, 'GET http://127.0.0.1/ HTTP/1.1\r\nX-Slow')).toMatch(/^HTTP\/1\.1 4|^$/);
  });

  test('on a port it is for whoever knows the word', async () => {
    const { proxy, asked } = await open(() => YES, { on: 'port' });
    const url = `http://127.0.0.1:${port}/`;
    expect(await talk(proxy, get(url))).toMatch(/^HTTP\/1\.1 407/);
    expect(await talk(proxy, tunnel(`127.0.0.1:${port}`))).toMatch(/^HTTP\/1\.1 407/);
    expect(asked).toEqual([]);
    const { username, password } = new URL(proxy.env['HTTP_PROXY'] ?? '');
    const word = Buffer.from(`${username}:${password}`).toString('base64');
    expect(await talk(proxy, get(url, `Proxy-Authorization: Basic ${word}\r\n`))).toContain('of the server');
    expect(proxy.env['NO_PROXY']).toBe('');
  });
});

describe.runIf(report.by === 'landlock')('a command without namespaces', () => {
  test.runIf(report.landlock >= 4)('goes through the port of its proxy, and nowhere else', async () => {
    const { proxy, asked } = await open(({ port: to }) => (to === port ? YES : NO), { on: 'port' });
    const line = `curl -sS http://127.0.0.1:${port}/a; curl -sS http://192.0.2.1/; curl -sS --noproxy '*' http://127.0.0.1:${port}/b`;
    const env = { PATH: process.env['PATH'] ?? '', ...proxy.env };
    const { file, args } = confined(line, {
      cwd: import.meta.dirname,
      env,
      settings: { write: [], network: 'ask' },
      place: 'test',
      status: null,
      proxy: proxy.place,
    });
    const plan = JSON.parse(args.slice(1).join('')) as LaunchPlan;
    // As without namespaces: then the report says what stays open.
    const alone = { ...plan, withoutNamespaces: true, open: null };
    const run = promisify(execFile)(file, ['run', JSON.stringify(alone)], { env });
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    expect(stdout).toContain('of the server');
    expect(stdout).toContain('does not let it connect to 192.0.2.1:80');
    expect(seen.map(({ line }) => line)).toEqual(['GET /a']);
    expect(asked.map(({ host }) => host)).toEqual(['127.0.0.1', '192.0.2.1']);
  });
});

test('an address is one of the internet, or is said to be what it is', () => {
  for (const address of ['93.184.216.34', '2606:2800:220:1::1', '8.8.8.8']) expect(kindOfAddress(address)).toBeNull();
  for (const address of [
    '127.8.9.1',
    '0.0.0.0',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    'fe80::1',
    'fd12::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.0.192',
    '192.88.99.1',
    'fec0::7',
    '::ffff:0:1.2.3.4',
    '::1.2.3.4',
    '100::1',
    '5f00::1',
    '2001:db8::1',
  ])
    expect(kindOfAddress(address), address).not.toBeNull();
  // Public or not.
  for (const own of Object.values(networkInterfaces()).flatMap((card) => card ?? []))
    expect(kindOfAddress(own.address), own.address).toBe('this machine');
  expect(plainHost('BÜCHER.example')).toBe('xn--bcher-kva.example');
  expect(plainHost('a b')).toBeUndefined();
});
