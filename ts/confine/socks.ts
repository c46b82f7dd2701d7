/** What a client of SOCKS 5 says (RFC 1928, RFC 1929): which host and port it wants. Of its commands there is `CONNECT` alone. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { plainHost } from './addresses.js';

/** The first byte of each of its messages, and of no request of HTTP. */
export const SOCKS = 5;

const WITHOUT_WORD = 0;
const WITH_WORD = 2;
const NO_METHOD = 0xff;
const WORD_VERSION = 1;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4];

/** What is answered to a request. */
export const SOCKS_REPLY = {
  connected: 0,
  failed: 1,
  forbidden: 2,
  unreachable: 4,
  noCommand: 7,
  noAddress: 8,
} as const;

/** Where somebody wants to be connected to. */
export interface SocksTarget {
  host: string;
  port: number;
}

/**
 * Reads what a client wants.
 *
 * @param isKnown whether who says this name and word may ask; `null`: everybody
 * @returns nothing where it was told why it gets nothing
 * @throws where it ends before that
 */
export async function readSocks(
  socket: Socket,
  isKnown: ((name: string, word: string) => boolean) | null,
): Promise<SocksTarget | undefined> {
  const take = (bytes: number) => taken(socket, bytes);
  const [version, count = 0] = await take(2);
  if (version !== SOCKS) return void socket.destroy();
  const methods = await take(count);
  const method = isKnown === null ? WITHOUT_WORD : WITH_WORD;
  if (!methods.includes(method)) return void socket.end(Buffer.from([SOCKS, NO_METHOD]));
  socket.write(Buffer.from([SOCKS, method]));
  if (isKnown !== null) {
    const [wordVersion, nameLength = 0] = await take(2);
    const name = await take(nameLength);
    const word = await take((await take(1))[0] ?? 0);
    const isRight = wordVersion === WORD_VERSION && isKnown(name.toString(), word.toString());
    socket.write(Buffer.from([WORD_VERSION, isRight ? 0 : 1]));
    if (!isRight) return void socket.end();
  }
  const [again, command, , kind] = await take(4);
  if (again !== SOCKS) return void socket.destroy();
  const text = await hostText(kind, take);
  if (text === undefined) return endSocks(socket, SOCKS_REPLY.noAddress);
  const port = (await take(2)).readUInt16BE();
  if (command !== CONNECT) return endSocks(socket, SOCKS_REPLY.noCommand);
  const host = plainHost(text);
  if (host === undefined || port === 0) return endSocks(socket, SOCKS_REPLY.failed);
  return { host, port };
}

async function hostText(
  kind: number | undefined,
  take: (bytes: number) => Promise<Buffer>,
): Promise<string | undefined> {
  if (kind === IPV4) return [...(await take(4))].join('.');
  if (kind === NAME) return (await take((await take(1))[0] ?? 0)).toString();
  if (kind !== IPV6) return undefined;
  const address = await take(16);
  return Array.from({ length: 8 }, (_, index) => address.readUInt16BE(2 * index).toString(16)).join(':');
}

/** Says what became of a request. The local address stays private. */
export const replySocks = (socket: Socket, reply: number): boolean =>
  socket.write(Buffer.from([SOCKS, reply, 0, IPV4, 0, 0, 0, 0, 0, 0]));

/** The same, as the last word. */
export function endSocks(socket: Socket, reply: number): undefined {
  replySocks(socket, reply);
  socket.end();
}

/** This number of bytes, as soon as they have come; those behind them stay. */
async function taken(socket: Socket, bytes: number): Promise<Buffer> {
  let all = Buffer.alloc(0);
  while (all.length < bytes) {
    // Reads all that came: a stream with bytes left over says at once that it is readable.
    const part = socket.read() as Buffer | null;
    if (part !== null) all = Buffer.concat([all, part]);
    else await readable(socket);
  }
  if (all.length > bytes) socket.unshift(all.subarray(bytes));
  return all.subarray(0, bytes);
}

/** @throws where nothing comes any more */
async function readable(socket: Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) throw new Error('it ended');
  const gone = new AbortController();
  const ended = () => gone.abort();
  for (const name of ['end', 'close']) socket.once(name, ended);
  try {
    await once(socket, 'readable', { signal: gone.signal });
  } finally {
    for (const name of ['end', 'close']) socket.off(name, ended);
  }
}
