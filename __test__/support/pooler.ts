/**
 * A transaction pooler, as PgBouncer is in its mode `transaction`: many clients share few connections of the server, and each
 * transaction may land on another one. `LISTEN`, prepared statements with names, `SET` and session locks break through it.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

export interface Pooler {
  readonly port: number;
  /**
   * How many transactions it carried, how many of them landed elsewhere than the one before of the same client, and how many
   * statements were prepared under a name.
   */
  readonly carried: { transactions: number; moved: number; named: number };
  close(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;

/** One to the server. Authenticated by `pg`, and then used for its bytes. */
interface Connection {
  socket: Socket;
  key: { pid: number; secret: number };
  parameters: [string, string][];
  user: Customer | undefined;
}

interface Customer {
  socket: Socket;
  connection: Connection | undefined;
  last: Connection | undefined;
  /** Messages that came before there was a connection for them. */
  waiting: Buffer[];
  /** How many answers are still to come. */
  expected: number;
  /** Whether it is in the middle of messages that no answer was asked for yet. */
  isSpeaking: boolean;
}

/** @param size how many connections to the server there are */
export async function poolerOf(url: string, size = 3): Promise<Pooler> {
  const connections: Connection[] = [];
  const queue: Customer[] = [];
  const customers = new Map<number, Customer>();
  const carried = { transactions: 0, moved: 0, named: 0 };
  let opening = 0;

  const serve = () => {
    // Those that the server closed are made again when somebody wants one.
    for (let lacking = queue.length > 0 ? size - connections.length - opening : 0; lacking > 0; lacking--) void open();
    for (const customer of queue.splice(0)) {
      const free = connections.filter(({ user }) => user === undefined);
      // Another than the last time, if there is one: what leans on a session must break.
      const connection = free.find((one) => one !== customer.last) ?? free[0];
      if (connection === undefined) {
        queue.push(customer);
        continue;
      }
      carried.transactions++;
      if (customer.last !== undefined && customer.last !== connection) carried.moved++;
      connection.user = customer;
      customer.connection = customer.last = connection;
      for (const message of customer.waiting.splice(0)) connection.socket.write(message);
    }
  };

  const open = async () => {
    opening++;
    try {
      const connection = await login(url);
      connection.socket.on('close', () => {
        connections.splice(connections.indexOf(connection), 1);
        connection.user?.socket.destroy();
      });
      onMessages(connection.socket, (type, message) => {
        const { user } = connection;
        // Messages without a receiver are lost: notifications.
        user?.socket.write(message);
        if (type !== 'Z' || user === undefined) return;
        user.expected--;
        if (message.at(-1) !== 0x49 || user.expected > 0 || user.isSpeaking) return;
        connection.user = user.connection = undefined;
        serve();
      });
      connections.push(connection);
    } catch {
      for (const { socket } of queue.splice(0)) socket.destroy();
    } finally {
      opening--;
    }
    serve();
  };

  const hear = (customer: Customer, type: string, message: Buffer) => {
    if (type === 'X') return void customer.socket.end();
    // After the type and the length comes the name, with a zero at its end.
    if (type === 'P' && message[5] !== 0) carried.named++;
    const asksForAnswer = ['Q', 'S', 'F'].includes(type);
    if (asksForAnswer) customer.expected++;
    customer.isSpeaking = !asksForAnswer;
    if (customer.connection !== undefined) return void customer.connection.socket.write(message);
    customer.waiting.push(message);
    if (!queue.includes(customer)) queue.push(customer);
    serve();
  };

  await Promise.all(Array.from({ length: size }, open));
  const server = createServer((socket) => {
    const customer: Customer = {
      socket,
      connection: undefined,
      last: undefined,
      waiting: [],
      expected: 0,
      isSpeaking: false,
    };
    const pid = randomBytes(3).readUIntBE(0, 3);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      customers.delete(pid);
      if (queue.includes(customer)) queue.splice(queue.indexOf(customer), 1);
      // In the middle of a transaction: no other client may go on with it.
      customer.connection?.socket.destroy();
    });
    const greet = async (start: Buffer) => {
      const code = start.readInt32BE(4);
      if (code === SSL_REQUEST || code === GSS_REQUEST) {
        socket.write('N');
        return void socket.once('data', (next: Buffer) => void greet(next));
      }
      if (code === CANCEL_REQUEST) {
        const key = customers.get(start.readInt32BE(8))?.connection?.key;
        if (key !== undefined) cancel(url, key);
        return void socket.end();
      }
      if (connections.length === 0) await open();
      const parameters = connections[0]?.parameters;
      if (parameters === undefined) return void socket.destroy();
      customers.set(pid, customer);
      onMessages(socket, (type, message) => hear(customer, type, message));
      socket.write(frame('R', int32(0)));
      for (const [name, value] of parameters) socket.write(frame('S', Buffer.from(`${name}\0${value}\0`)));
      socket.write(frame('K', Buffer.concat([int32(pid), int32(0)])));
      socket.write(frame('Z', Buffer.from('I')));
    };
    socket.once('data', (start: Buffer) => void greet(start));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    carried,
    async close() {
      server.close();
      for (const { socket } of [...customers.values(), ...connections]) socket.destroy();
      await once(server, 'close');
    },
  };
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const frame = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);

/** Each message of a stream, whole. */
function onMessages(socket: Socket, hear: (type: string, message: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) break;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      hear(String.fromCharCode(message[0] as number), message);
    }
  });
}

/** What `pg` has of a connection and does not declare. */
interface Inside {
  processID: number;
  secretKey: number;
  connection: NodeJS.EventEmitter & { stream: Socket };
}

async function login(url: string): Promise<Connection> {
  const plain = new URL(url);
  plain.search = '';
  const client = new Client({ connectionString: plain.href });
  const { connection } = client as unknown as Inside;
  const parameters: [string, string][] = [];
  connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) =>
    parameters.push([parameterName as string, parameterValue as string]),
  );
  await client.connect();
  const { processID, secretKey } = client as unknown as Inside;
  const socket = connection.stream;
  for (const event of ['data', 'end', 'error', 'close']) socket.removeAllListeners(event);
  socket.on('error', () => {});
  return { socket, parameters, key: { pid: processID, secret: secretKey }, user: undefined };
}

function cancel(url: string, { pid, secret }: Connection['key']): void {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.end(Buffer.concat([int32(16), int32(CANCEL_REQUEST), int32(pid), int32(secret)]));
}
