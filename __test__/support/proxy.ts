/** A network between a client and a server that can be slow, silent, cut, or lead elsewhere. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Proxy {
  readonly port: number;
  /** How many connections go through it. */
  readonly open: number;
  /** How many were made through it so far. */
  readonly made: number;
  /** How many pieces of data that somebody sent it has dropped so far. */
  readonly lost: number;
  /** Each piece of data arrives this much later, in ms, each way. */
  delay(ms: number): void;
  /** From now on nothing gets through, either way, without a notice: packets are dropped. New connections too. */
  drop(): void;
  /** What gets lost with `drop` stays lost, and its connections stay silent; new ones get through. */
  mend(): void;
  /** The server's ends are closed; the clients are not told, as after a machine went without a word. */
  halfOpen(): void;
  /** All connections are reset. */
  cut(): void;
  /** New connections are refused with a reset until told otherwise. */
  refuse(isRefusing: boolean): void;
  /** New connections go to another port of this machine. */
  lead(port: number): void;
  close(): Promise<void>;
}

interface Line {
  client: Socket;
  server: Socket;
  /** Nothing that is said on it arrives any more. */
  isSilent: boolean;
}

/** A proxy of a port of this machine. */
export async function proxyOf(target: number): Promise<Proxy> {
  const lines = new Set<Line>();
  let port = target;
  let wait = 0;
  let made = 0;
  let lost = 0;
  let isDropping = false;
  let isRefusing = false;
  const carry = (line: Line, from: Socket, to: Socket) => {
    let last = Promise.resolve();
    from.on('data', (data: Buffer) => {
      const pass = () => {
        if (line.isSilent) lost++;
        else if (!to.destroyed) to.write(data);
      };
      if (wait === 0) return pass();
      const until = performance.now() + wait;
      // A timer counts from the beginning of its turn, and may fire too early by as much as that took; one behind the other, in order.
      const passInTime = async (before: Promise<void>) => {
        await before;
        for (let left = until - performance.now(); left > 0; left = until - performance.now()) await sleep(left);
        pass();
      };
      last = passInTime(last);
    });
    from.on('error', () => {});
    from.on('close', () => {
      if (!line.isSilent) to.destroy();
      if (from === line.client) line.server.destroy();
      if (line.client.destroyed) lines.delete(line);
    });
  };
  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy();
    made++;
    const line: Line = { client, server: connect(port, '127.0.0.1'), isSilent: isDropping };
    lines.add(line);
    client.setNoDelay(true);
    line.server.setNoDelay(true);
    carry(line, client, line.server);
    carry(line, line.server, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const { client, server } of lines) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  };
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return lines.size;
    },
    get made() {
      return made;
    },
    get lost() {
      return lost;
    },
    delay: (ms) => void (wait = ms),
    drop() {
      isDropping = true;
      for (const line of lines) line.isSilent = true;
    },
    mend: () => void (isDropping = false),
    halfOpen() {
      for (const line of lines) {
        line.isSilent = true;
        line.server.destroy();
      }
    },
    cut,
    refuse: (yes) => void (isRefusing = yes),
    lead: (other) => void (port = other),
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
