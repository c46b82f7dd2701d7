/**
 * Somebody sits between a process and its server. What stands there instead of the server speaks as much of the protocol as it
 * takes to be told a password: a refused process must not have told it.
 *
 * The certificates are for these tests alone: a root, one of its for `localhost` and one for another host, until 2126.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGate } from '../../../ts/index.js';

const fileOf = (name: string) => join(import.meta.dirname, 'certificates', name);
const PASSWORD = 'correct-horse-battery';

/** `AuthenticationCleartextPassword`. */
const GIVE_ME_YOUR_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** In the place of a server; `certificate`: whose it shows, or none, which means that it cannot encrypt. */
async function between(certificate?: 'localhost' | 'elsewhere'): Promise<{ port: number; heard: () => string }> {
  let heard = '';
  const listen = (socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => {
      heard += data.toString('latin1');
      socket.write(GIVE_ME_YOUR_PASSWORD);
    });
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    // The first that a client says is whether it may encrypt.
    socket.once('data', () => {
      if (certificate === undefined) {
        listen(socket);
        return void socket.write('N');
      }
      socket.write('S');
      const [key, cert] = ['key', 'pem'].map((kind) => readFileSync(fileOf(`${certificate}.${kind}`)));
      listen(new TLSSocket(socket, { isServer: true, key, cert } as ConstructorParameters<typeof TLSSocket>[1]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

/** Opens a ledger there. The server of these tests is never one, so that it is refused in any case. */
async function open(port: number, parameters: Record<string, string>): Promise<unknown> {
  const query = new URLSearchParams({ hostaddr: '127.0.0.1', connect_timeout: '2', ...parameters });
  const gate = createGate({ ledger: `postgres://agent:${PASSWORD}@localhost:${port}/app?${query}` });
  try {
    return await gate.ready().then(
      () => undefined,
      (error: unknown) => error,
    );
  } finally {
    await gate.close().catch(() => {});
  }
}

const root = { sslrootcert: fileOf('root.pem') };

describe('who must not be believed', () => {
  it.each<[string, 'localhost' | 'elsewhere' | undefined, Record<string, string>]>([
    ['who cannot encrypt, where that is required', undefined, { sslmode: 'require' }],
    ['who cannot encrypt, where all is verified', undefined, { sslmode: 'verify-full', ...root }],
    ['whose certificate no trusted root has signed', 'localhost', { sslmode: 'verify-full' }],
    ['the same, where the name does not count', 'localhost', { sslmode: 'verify-ca' }],
    ['whose certificate is that of another host', 'elsewhere', { sslmode: 'verify-full', ...root }],
  ])('%s: is not told the password', async (_, certificate, parameters) => {
    const { port, heard } = await between(certificate);
    const error = await open(port, parameters);
    expect(error).toMatchObject({ code: 'ERR_LEDGER_IO' });
    expect(String((error as Error).message)).not.toContain(PASSWORD);
    expect(heard()).not.toContain(PASSWORD);
    // Not even who wants in, and where.
    expect(heard()).not.toContain('agent');
  });
});

/** What the tests above are worth: where it is trusted, it is told. */
describe('who is trusted', () => {
  it.each<[string, 'localhost' | 'elsewhere', Record<string, string>]>([
    ['who has the certificate of this very host', 'localhost', { sslmode: 'verify-full', ...root }],
    ['who has one of a trusted root, where the name does not count', 'elsewhere', { sslmode: 'verify-ca', ...root }],
  ])('%s: is told it', async (_, certificate, parameters) => {
    const { port, heard } = await between(certificate);
    await open(port, parameters);
    expect(heard()).toContain(PASSWORD);
  });
});
