/**
 * The proxy of one command, and its only way out: HTTP, `CONNECT`, and SOCKS 5. Each address, by its scheme, host and port, is decided
 * when the command first needs it, and the answer holds until the command ends. A name is looked up after the yes, and the connection
 * goes to the address that was found.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { isIP, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { ConfinementRefusal, NetworkAnswer, NetworkTarget } from '../../index.js';
import { ConfinementError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { toldKind } from '../errors/told-value.js';
import { warnOnce } from '../errors/warn-once.js';
import { isOneHost, isOwnName, kindOfAddress, kindOfHost, plainHost } from './addresses.js';
import type { ProxyPlace } from './confine.js';
import { SOCKS, SOCKS_REPLY, endSocks, readSocks, replySocks, type SocksTarget } from './socks.js';

/** How many hosts one command is told anything about. More of them are a scan, or a way to tell things by their names. */
const MOST_TARGETS = 500;
/** Connections at once; behind them is a person's machine. */
const MOST_CONNECTIONS = 512;
/** How long a request may take to say what it wants, and a host to be connected to, in ms. */
const HEADERS = 15_000;
const CONNECTING = 30_000;
/** Addresses of one name that are tried. */
const MOST_ADDRESSES = 4;

/** Who asks, where a word is asked for. */
const USER = 'command';

/** The name of its socket. */
const SOCKET = 'socket';
/** The longest path of a socket, in bytes (`sun_path` of unix(7)). Of a longer one the end is cut off: it would be another place. */
const LONGEST_SOCKET = 107;

/** Where it is inside of a network of the command's own. */
export const PORT_INSIDE = 3128;

export interface ProxyOptions {
  /** `over`: aborted when the proxy is closed. */
  decide: (target: NetworkTarget, over: AbortSignal) => Promise<NetworkAnswer>;
  /** `'socket'`: on a path that only this user has; `'port'`: on 127.0.0.1, for processes that know a word. */
  on: 'socket' | 'port';
  /** Looks a name up. For tests. */
  lookup?: (host: string) => Promise<readonly LookupAddress[]>;
  /** How long a request may take to say what it wants, in ms. For tests. */
  headersTimeout?: number;
}

export class CommandProxy {
  readonly #options: ProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket | Duplex>();
  readonly #answers = new Map<string, Promise<NetworkAnswer>>();
  readonly #refused = new Map<string, ConfinementRefusal>();
  readonly #over = new AbortController();
  readonly #word: string | null;
  #folder: string | undefined;
  #place: ProxyPlace | undefined;

  private constructor(options: ProxyOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.#word = options.on === 'port' ? randomBytes(24).toString('base64url') : null;
  }

  static async open(options: ProxyOptions): Promise<CommandProxy> {
    const { createServer } = await import('node:http');
    const server = createServer({
      headersTimeout: options.headersTimeout ?? HEADERS,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1_000, options.headersTimeout ?? HEADERS),
      insecureHTTPParser: false,
      requireHostHeader: false,
    });
    const proxy = new CommandProxy(options, server);
    await proxy.#listen();
    return proxy;
  }

  /** Where it listens, for a plan. */
  get place(): ProxyPlace {
    if (this.#place === undefined) throw new Error('The proxy does not listen.');
    return this.#place;
  }

  /** What was not reached so far. */
  get refused(): ConfinementRefusal[] {
    return [...this.#refused.values()];
  }

  /** Has programs go this way. In a network of its own, what a command connects to on this machine is itself. */
  get env(): Record<string, string> {
    const { port, socket } = this.place;
    const user = this.#word === null ? '' : `${USER}:${this.#word}@`;
    const url = `http://${user}127.0.0.1:${port}`;
    const socks = `socks5h://${user}127.0.0.1:${port}`;
    const direct = socket === null ? '' : 'localhost,127.0.0.1,::1';
    const both = (name: string, value: string) => [
      [name, value],
      [name.toLowerCase(), value],
    ];
    return Object.fromEntries([
      ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => both(name, url)),
      ...both('SOCKS_PROXY', socks),
      ...both('NO_PROXY', direct),
      ['npm_config_proxy', url],
      ['npm_config_https_proxy', url],
      ['npm_config_noproxy', direct],
      ['YARN_HTTP_PROXY', url],
      ['YARN_HTTPS_PROXY', url],
      // Newer versions of Node then go this way by themselves.
      ['NODE_USE_ENV_PROXY', '1'],
    ]) as Record<string, string>;
  }

  /** Nothing goes through it any more, and what goes through it ends. */
  async close(): Promise<void> {
    this.#over.abort(new DOMException('The command has ended.', 'AbortError'));
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    if (this.#folder !== undefined) {
      const { rm } = await import('node:fs/promises');
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  async #listen(): Promise<void> {
    const server = this.#server;
    server.maxConnections = MOST_CONNECTIONS;
    const [asHttp] = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      this.#keep(socket);
      this.#meet(socket, () => asHttp?.call(server, socket)).catch(() => socket.destroy());
    });
    server.on('clientError', (_error, socket: Duplex) => endWith(socket, 400, 'This is not a request.'));
    // What a command or a server says must never end the process that it is told to.
    server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#tunnel(request, socket, head).catch(() => socket.destroy());
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#forward(request, response).catch(() => response.destroy());
    });
    if (this.#options.on === 'socket') this.#folder = await newSocketFolder();
    const path = this.#folder === undefined ? undefined : join(this.#folder, SOCKET);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const listens = () => {
        server.off('error', reject);
        resolve();
      };
      if (path === undefined) server.listen(0, '127.0.0.1', listens);
      else server.listen(path, listens);
    });
    server.on('error', () => {});
    // It keeps no process alive that has nothing else to do.
    server.unref();
    this.#place =
      path === undefined
        ? { port: (server.address() as AddressInfo).port, socket: null, inode: null }
        : { port: PORT_INSIDE, socket: path, inode: inodeOf(path) };
  }

  #keep(socket: Socket | Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  // --- the kinds of requests -------------------------------------------------------------------------------------------------

  /** All kinds come on one port: the first byte says which it is. Who says nothing in time is let go. */
  async #meet(client: Socket, asHttp: () => void): Promise<void> {
    const late = setTimeout(() => client.destroy(), this.#options.headersTimeout ?? HEADERS);
    try {
      await new Promise<void>((resolve) => client.once('readable', resolve).once('close', () => resolve()));
      const first = client.read(1) as Buffer | null;
      if (first === null) return void client.destroy();
      client.unshift(first);
      if (first[0] !== SOCKS) return asHttp();
      const word = this.#word;
      const isKnown =
        word === null ? null : (name: string, said: string) => isSame(`${name}:${said}`, `${USER}:${word}`);
      const target = await readSocks(client, isKnown);
      clearTimeout(late);
      if (target !== undefined) await this.#socks(client, target);
    } finally {
      clearTimeout(late);
    }
  }

  async #socks(client: Socket, { host, port }: SocksTarget): Promise<void> {
    const reached = await this.#reach(host, port, schemeOf(port));
    if ('why' in reached)
      return endSocks(client, reached.status === 403 ? SOCKS_REPLY.forbidden : SOCKS_REPLY.unreachable);
    if (client.destroyed) return void reached.socket.destroy();
    replySocks(client, SOCKS_REPLY.connected);
    joinBoth(client, reached.socket);
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    if (!this.#knows(request)) return endWith(client, 407, 'Who asks is not known.', 'Proxy-Authenticate: Basic\r\n');
    const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(request.url ?? '') ?? [];
    const host = plainHost(name.replace(/^\[|\]$/g, ''));
    if (host === undefined || !isPort(Number(port))) return endWith(client, 400, 'Say HOST:PORT.');
    const reached = await this.#reach(host, Number(port), schemeOf(Number(port)));
    if ('why' in reached) return endWith(client, reached.status, reached.why);
    const { socket } = reached;
    if (client.destroyed) return void socket.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.write(head);
    joinBoth(client, socket);
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#knows(request)) {
      response.setHeader('Proxy-Authenticate', 'Basic');
      return answer(response, 407, 'Who asks is not known.');
    }
    const url = plainUrl(request.url ?? '');
    const host = url && plainHost(url.hostname.replace(/^\[|\]$/g, ''));
    if (url === undefined || host === undefined)
      return answer(response, 400, 'This is the proxy of one command: say a whole address that begins with http://.');
    const reached = await this.#reach(host, url.port === '' ? 80 : Number(url.port), 'http', url.href);
    if ('why' in reached) return answer(response, reached.status, reached.why);
    const { request: send } = await import('node:http');
    const { socket } = reached;
    const outgoing = send({
      createConnection: () => socket,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: handedOn(request, url.host),
      setHost: false,
    });
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => response.destroy());
      try {
        // In our words: those of the server may be no text of HTTP.
        response.writeHead(incoming.statusCode ?? 502, withoutHops(incoming));
      } catch {
        // An invalid status or header.
        socket.destroy();
        for (const name of response.getHeaderNames()) response.removeHeader(name);
        return answer(response, 502, `${url.host} did not answer in HTTP.`);
      }
      incoming.pipe(response);
    });
    // `Upgrade` is not handed on, so this was not requested: what follows is not HTTP.
    outgoing.on('upgrade', (_answer, given) => {
      given.destroy();
      answer(response, 502, `${url.host} went over to another protocol, which was not asked for.`);
    });
    outgoing.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else answer(response, 502, `${url.host} did not answer: ${messageOf(error)}`);
    });
    response.once('close', () => socket.destroy());
    request.pipe(outgoing);
  }

  /** Whether it comes from the command. */
  #knows({ headers }: IncomingMessage): boolean {
    if (this.#word === null) return true;
    const word = `Basic ${Buffer.from(`${USER}:${this.#word}`).toString('base64')}`;
    return isSame(headers['proxy-authorization'] ?? '', word);
  }

  // --- who is reached --------------------------------------------------------------------------------------------------------

  /** @param url of a request in plain sight: then the whole of it is judged */
  async #reach(
    host: string,
    port: number,
    scheme: 'http' | 'https',
    url?: string,
  ): Promise<{ socket: Socket } | Refusal> {
    const isLiteral = isIP(host) !== 0;
    const where = kindOfHost(host);
    const target = targetOf(host, port, scheme, where);
    const first = await this.#decided(target);
    if (!first.allowed) return this.#refusal(host, port, first.reason);
    const whole = await this.#judgedWhole(target, url, host);
    if (!whole.allowed) return this.#refusal(host, port, whole.reason);
    let addresses: readonly LookupAddress[];
    try {
      addresses = isLiteral ? [{ address: host, family: isIP(host) }] : await this.#lookUp(host);
    } catch (error) {
      return { status: 502, why: `${host} was not found: ${messageOf(error)}` };
    }
    for (const { address } of isLiteral ? [] : addresses) {
      const kind = kindOfAddress(address);
      // Who said yes to a name did not say yes to this machine, nor to what is beside it. What is denied stays so by any name.
      const isMeant = kind === null || (isOwnName(host) && kind === where);
      const again = await this.#decided(
        isMeant
          ? { ...targetOf(address, port, scheme, kind), follows: host }
          : targetOf(address, port, scheme, `${kind}, to which ${host} leads`),
      );
      if (!again.allowed) {
        const what = kind === null ? address : `${address}, ${kind}`;
        return this.#refusal(host, port, `It leads to ${what}. ${again.reason ?? ''}`.trim());
      }
      const there = targetOf(address, port, scheme, kind);
      const last = await this.#judgedWhole(there, url && at(address, url), host);
      if (!last.allowed) return this.#refusal(host, port, last.reason);
    }
    return this.#connect(addresses, host, port);
  }

  async #lookUp(host: string): Promise<readonly LookupAddress[]> {
    const { lookup } = this.#options;
    if (lookup !== undefined) return lookup(host);
    const dns = await import('node:dns/promises');
    return (await dns.lookup(host, { all: true })).slice(0, MOST_ADDRESSES);
  }

  async #connect(
    addresses: readonly LookupAddress[],
    host: string,
    port: number,
  ): Promise<{ socket: Socket } | Refusal> {
    const { connect } = await import('node:net');
    let why = 'it has no address';
    for (const { address } of addresses) {
      const socket = connect({ host: address, port, allowHalfOpen: true, timeout: CONNECTING });
      this.#keep(socket);
      const failure = await new Promise<string | undefined>((resolve) => {
        socket.once('connect', () => resolve(undefined));
        socket.once('error', (error) => resolve(messageOf(error)));
        socket.once('timeout', () => resolve('it does not answer'));
        socket.once('close', () => resolve('it was closed'));
      });
      if (failure === undefined) {
        socket.setTimeout(0);
        return { socket };
      }
      socket.destroy();
      why = failure;
    }
    return { status: 502, why: `${host}:${port} could not be connected to: ${why}` };
  }

  /** One answer for each, however often it is asked for. */
  #decided(target: NetworkTarget): Promise<NetworkAnswer> {
    const key = `${target.url} ${target.follows ?? ''}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (this.#answers.size >= MOST_TARGETS)
      return Promise.resolve({ allowed: false, reason: `This command asked for more than ${MOST_TARGETS} hosts.` });
    const answered = this.#judged(target);
    this.#answers.set(key, answered);
    return answered;
  }

  /** What is asked for at a target, where the whole address of it is known and says more. */
  async #judgedWhole(target: NetworkTarget, url: string | undefined, host: string): Promise<NetworkAnswer> {
    if (url === undefined || url === target.url) return { allowed: true, reason: null };
    return this.#judged({ ...target, url, follows: host });
  }

  async #judged(target: NetworkTarget): Promise<NetworkAnswer> {
    try {
      return takenAnswer(await this.#options.decide(target, this.#over.signal));
    } catch (error) {
      // When in doubt, nothing is reached.
      return { allowed: false, reason: `It could not be decided: ${messageOf(error)}` };
    }
  }

  #refusal(host: string, port: number, reason: string | null): Refusal {
    const target = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
    const canBeGiven = isOneHost(host);
    this.#refused.set(target, { kind: 'network', target, text: `connecting to ${target}`, canBeGiven });
    const why = reason === null || reason === '' ? 'Nobody allowed it.' : reason;
    return { status: 403, why: `The sandbox of this command does not let it connect to ${target}. ${why}` };
  }
}

/** `true` alone is a yes, and stands in the answer itself: a near miss was perhaps a promise that was not awaited. */
function takenAnswer(answer: unknown): NetworkAnswer {
  const fault = faultOf(answer);
  if (fault === undefined) {
    const [allowed, reason = null] = ['allowed', 'reason'].map((name) => ownValue(answer as object, name));
    return { allowed, reason } as NetworkAnswer;
  }
  warnOnce(
    `connect:${fault}`,
    `connect: ${fault}, so that nothing is reached: give { allowed: true | false, reason }.`,
  );
  return { allowed: false, reason: `It could not be decided: ${fault}.` };
}

function faultOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return `it answered ${toldKind(answer)}`;
  const unknown = Reflect.ownKeys(answer).find((name) => name !== 'allowed' && name !== 'reason');
  if (unknown !== undefined) return `its answer has ${JSON.stringify(String(unknown))}, which is not known`;
  const allowed = ownValue(answer, 'allowed');
  if (typeof allowed !== 'boolean') return `allowed was ${toldKind(allowed)}`;
  const said = ownValue(answer, 'reason');
  return typeof said === 'string' || said === null || said === undefined ? undefined : `reason was ${toldKind(said)}`;
}

/** Neither a getter's, which may say something else the next time, nor one that all objects were given. */
function ownValue(of: object, name: string): unknown {
  const property = Object.getOwnPropertyDescriptor(of, name);
  return property !== undefined && Object.hasOwn(property, 'value') ? property.value : undefined;
}

/** What it is known by, even under another name. */
const inodeOf = (path: string): string =>
  String(process.getBuiltinModule('node:fs').statSync(path, { bigint: true }).ino);

interface Refusal {
  status: number;
  why: string;
}

/** Without telling how much of it is. */
function isSame(said: string, word: string): boolean {
  const [one, other] = [Buffer.from(said), Buffer.from(word)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** What goes through a tunnel is not seen: rules read it as what its port is for. */
const schemeOf = (port: number): 'http' | 'https' => (port === 80 ? 'http' : 'https');

/** What one says the other hears, until one of them is gone. */
function joinBoth(client: Duplex, socket: Socket): void {
  client.once('close', () => socket.destroy());
  socket.once('close', () => client.destroy());
  client.pipe(socket);
  socket.pipe(client);
}

const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

function targetOf(host: string, port: number, scheme: 'http' | 'https', where: string | null): NetworkTarget {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  // It writes a port that goes without saying as nothing, as rules do.
  return { url: new URL(`${scheme}://${name}:${port}/`).href, host, port, where, follows: null };
}

/** The same at this address. */
function at(address: string, text: string): string {
  const url = new URL(text);
  url.hostname = isIP(address) === 6 ? `[${address}]` : address;
  return url.href;
}

function plainUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Of one connection alone, and not of what is asked for over it. */
const HOPS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function withoutHops({ rawHeaders, headers }: IncomingMessage): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  // Someone else chose the names: `constructor` must not find a member of ours.
  const kept = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (HOPS.has(lower) || named.has(lower)) continue;
    const all = kept.get(lower);
    if (all === undefined) kept.set(lower, [value]);
    else all.push(value);
  }
  return Object.fromEntries([...kept].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

/** Which host it is for says the address that was decided about, and no header. */
function handedOn(request: IncomingMessage, host: string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...withoutHops(request), host, connection: 'close' };
  if (request.headers['transfer-encoding'] !== undefined) {
    delete headers['content-length'];
    headers['transfer-encoding'] = 'chunked';
  }
  return headers;
}

function answer(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(`${why}\n`);
}

function endWith(socket: Duplex, status: number, why: string, more = ''): void {
  if (socket.destroyed || !socket.writable) return void socket.destroy();
  const body = `${why}\n`;
  const head = `HTTP/1.1 ${status} ${status === 403 ? 'Forbidden' : 'Refused'}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}Connection: close\r\n\r\n`;
  socket.end(head + body);
}

/**
 * A new folder for a socket, for this user alone. The folder for temporary files may have too long a name.
 *
 * @throws {ConfinementError}
 */
async function newSocketFolder(): Promise<string> {
  const [{ mkdtemp, realpath }, { tmpdir }] = await Promise.all([import('node:fs/promises'), import('node:os')]);
  const failures: string[] = [];
  for (const parent of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    try {
      const start = join(await realpath(parent), 'countersign-proxy-');
      // `mkdtemp` adds six letters.
      if (Buffer.byteLength(join(`${start}123456`, SOCKET)) <= LONGEST_SOCKET) return await mkdtemp(start);
      failures.push(`${parent} is too long`);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new ConfinementError({
    message: `There is no folder for the socket of a command's proxy (${failures.join('; ')}): set TMPDIR to a folder with a short path.`,
  });
}
