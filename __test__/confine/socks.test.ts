/** What the proxy of a command makes of SOCKS 5, and of those that mean it ill. */
import { execFile } from 'node:child_process';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NetworkAnswer, NetworkTarget } from '../../index.js';
import { listenToWarnings } from '../support/warnings.js';
import { CommandProxy, type ProxyOptions } from '../../ts/confine/proxy.js';

let server: Server;
let port: number;
let proxy: CommandProxy | undefined;

beforeEach(async () => {
  // No HTTP: it says first who it is.
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('hello ');
    socket.on('data', (data) => socket.end(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  await proxy?.close();
  await new Promise((resolve) => server.close(resolve));
});

async function open(allows: (target: NetworkTarget) => boolean, more: Partial<ProxyOptions> = {}) {
  const asked: NetworkTarget[] = [];
  const decide = async (target: NetworkTarget): Promise<NetworkAnswer> => {
    asked.push(target);
    return { allowed: allows(target), reason: null };
  };
  proxy = await CommandProxy.open({ on: 'socket', decide, ...more });
  return { asked };
}

function dial(): Socket {
  const { socket, port: at } = (proxy as CommandProxy).place;
  const dialled = socket === null ? connect(at, '127.0.0.1') : connect(socket);
  return dialled.on('error', () => {});
}

/** Says each of these as soon as the one before it was answered; what came back, to the end. */
async function talk(...said: (number[] | Buffer)[]): Promise<Buffer> {
  const socket = dial();
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    const next = said.shift();
    if (next !== undefined) socket.write(Buffer.from(next));
  });
  const first = said.shift();
  if (first !== undefined) socket.write(Buffer.from(first));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(parts);
}

/**
 * Plays with a time limit in ms for what a client says, and again with more until all of it was said: a busy machine may take
 * long.
 *
 * @param play whether it could
 */
async function inTime(play: (headersTimeout: number) => Promise<boolean>): Promise<void> {
  for (let time = 50; !(await play(time)); time *= 4) {
    expect(time).toBeLessThan(120_000);
    await proxy?.close();
  }
}

const HELLO = [5, 1, 0];
const two = (number: number) => [number >> 8, number & 0xff];
const toName = (name: string, to = port, command = 1) => [
  5,
  command,
  0,
  3,
  name.length,
  ...Buffer.from(name),
  ...two(to),
];
const to4 = (address: string, to = port) => [5, 1, 0, 1, ...address.split('.').map(Number), ...two(to)];
const replied = (reply: number) => Buffer.from([5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);

describe.runIf(process.platform !== 'win32')('SOCKS', () => {
  test('connects to what was decided about, and to no other', async () => {
    const { asked } = await open(({ host }) => host === '127.0.0.1');
    const said = await talk(HELLO, to4('127.0.0.1'), Buffer.from('you'));
    expect(said.subarray(0, 12)).toEqual(replied(0));
    expect(said.subarray(12).toString()).toBe('hello you');
    expect(await talk(HELLO, to4('192.0.2.1', 80))).toEqual(replied(2));
    const six = [5, 1, 0, 4, ...Array.from({ length: 15 }, () => 0), 1, ...two(22)];
    expect(await talk(HELLO, six)).toEqual(replied(2));
    expect(asked.map(({ url, where }) => [url, where])).toEqual([
      [`https://127.0.0.1:${port}/`, 'this machine'],
      ['http://192.0.2.1/', 'an address for special purposes'],
      ['https://[::1]:22/', 'this machine'],
    ]);
    expect(proxy?.refused.map(({ target }) => target)).toEqual(['192.0.2.1:80', '[::1]:22']);
  });

  test('looks a name up after the yes, and asks about this machine once more', async () => {
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const { asked } = await open(({ host }) => host === 'a.example', { lookup });
    expect(await talk(HELLO, toName('a.example'))).toEqual(replied(2));
    expect(asked.map(({ host, where }) => [host, where])).toEqual([
      ['a.example', null],
      ['127.0.0.1', 'this machine, to which a.example leads'],
    ]);
  });

  test('takes a name and a word where the port is everybody’s', async () => {
    const { asked } = await open(() => true, { on: 'port' });
    const url = new URL(proxy?.env['SOCKS_PROXY'] ?? '');
    const [name, word] = [url.username, url.password];
    expect([url.protocol, name, word.length > 20]).toEqual(['socks5h:', 'command', true]);
    const login = (said: string) => [1, name.length, ...Buffer.from(name), said.length, ...Buffer.from(said)];
    expect(await talk(HELLO)).toEqual(Buffer.from([5, 0xff]));
    expect(await talk([5, 2, 0, 2], login(word.replace(/.$/, '.')))).toEqual(Buffer.from([5, 2, 1, 1]));
    expect(await talk([5, 2, 0, 2], login(''))).toEqual(Buffer.from([5, 2, 1, 1]));
    expect(asked).toEqual([]);
    const said = await talk([5, 2, 0, 2], login(word), to4('127.0.0.1'), Buffer.from('you'));
    expect(said.subarray(-9).toString()).toBe('hello you');
  });

  test.each<[string, number[][], Buffer]>([
    ['to be bound', [HELLO, toName('a.example', 80, 2)], replied(7)],
    ['datagrams', [HELLO, toName('a.example', 80, 3)], replied(7)],
    ['an address of no kind', [HELLO, [5, 1, 0, 9, 1, 2, 3, 4, 0, 80]], replied(8)],
    ['no name', [HELLO, toName('', 80)], replied(1)],
    ['a name that is none', [HELLO, toName('a b/c@d', 80)], replied(1)],
    ['port 0', [HELLO, toName('a.example', 0)], replied(1)],
    ['no way to begin', [[5, 0]], Buffer.from([5, 0xff])],
    ['another version in the middle', [HELLO, [4, 1, 0, 1, 1, 2, 3, 4, 0, 80]], Buffer.from([5, 0])],
  ])('refuses %s', async (_, said, back) => {
    const { asked } = await open(() => true);
    expect(await talk(...said)).toEqual(back);
    expect(asked).toEqual([]);
  });

  test('lets go of who says nothing, or not all of it', async () => {
    await inTime(async (headersTimeout) => {
      await open(() => true, { headersTimeout });
      expect(await talk()).toEqual(Buffer.alloc(0));
      expect(await talk([5])).toEqual(Buffer.alloc(0));
      const begun = [await talk(HELLO, [5, 1, 0]), await talk(HELLO, [5, 1, 0, 3, 200, 97])];
      if (begun.some((back) => back.length === 0)) return false;
      expect(begun).toEqual([Buffer.from([5, 0]), Buffer.from([5, 0])]);
      return true;
    });
  });

  test('does not keep a human to the time that a request may take', async () => {
    await inTime(async (headersTimeout) => {
      let allow: (answer: NetworkAnswer) => void = () => {};
      const answered = new Promise<NetworkAnswer>((resolve) => (allow = resolve));
      let asked: (is: true) => void = () => {};
      const isAsked = new Promise<true>((resolve) => (asked = resolve));
      await open(() => true, { headersTimeout, decide: () => (asked(true), answered) });
      const talking = talk(HELLO, to4('127.0.0.1'), Buffer.from('you'));
      if (!(await Promise.race([isAsked, talking.then(() => false)]))) return false;
      // That time is over before this one is.
      await new Promise((resolve) => setTimeout(resolve, 4 * headersTimeout));
      allow({ allowed: true, reason: null });
      expect((await talking).subarray(-9).toString()).toBe('hello you');
      return true;
    });
  });

  test.each<[string, unknown]>([
    ['a promise', { allowed: Promise.resolve(false), reason: null }],
    ['a text', { allowed: 'false', reason: null }],
    ['an object', { allowed: {}, reason: null }],
    ['a number', { allowed: 1 }],
    ['what it inherits', Object.create({ allowed: true, reason: null })],
    ['a getter', Object.defineProperty({}, 'allowed', { get: () => true, enumerable: true })],
    ['an answer of a gate', { allowed: true, type: 'reject' }],
    ['one of a list', Object.assign([], { allowed: true })],
    ['one beside what nobody sees', Object.defineProperty({ allowed: true }, 'type', { value: 'reject' })],
    ['one beside a symbol', { allowed: true, [Symbol('type')]: 'reject' }],
    ['true', true],
    ['nothing', undefined],
    ['a reason that is none', { allowed: true, reason: 5 }],
  ])('reaches nothing where %s is taken for a yes, and says so', async (_, answer) => {
    using heard = listenToWarnings();
    await open(() => true, { decide: async () => answer as NetworkAnswer });
    expect(await talk(HELLO, to4('127.0.0.1'))).toEqual(replied(2));
    expect(proxy?.refused).toHaveLength(1);
    await expect.poll(() => heard.warnings.join()).toContain('give { allowed: true | false, reason }');
  });

  test('reaches nothing by what every object was given', async () => {
    const polluted = Object.prototype as { allowed?: unknown };
    try {
      polluted.allowed = { value: true };
      await open(() => true, { decide: async () => ({}) as NetworkAnswer });
      expect(await talk(HELLO, to4('127.0.0.1'))).toEqual(replied(2));
    } finally {
      delete polluted.allowed;
    }
  });

  test('is gone through by curl', async () => {
    await open(() => true, { on: 'port' });
    const args = ['-sS', '--noproxy', '', '-x', proxy?.env['SOCKS_PROXY'] ?? '', `telnet://127.0.0.1:${port}`];
    const running = promisify(execFile)('curl', args);
    running.child.stdin?.end('you');
    expect((await running).stdout).toBe('hello you');
  });
});
