/** The doubles of the network behave as what they stand for. */
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { poolerOf, type Pooler } from '../../support/pooler.js';
import { isMissing, query, shared, titled, urlWith } from '../../support/postgres.js';
import { proxyOf, type Proxy } from '../../support/proxy.js';
import { eventually } from '../processes.js';

const url = shared.url as string;
/** In any words. */
const ENDED = /./;
const made: (Proxy | Pooler)[] = [];
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end().catch(() => {})));
  await Promise.all(made.splice(0).map((one) => one.close()));
});

async function connected(port: number): Promise<Client> {
  const client = new Client({ connectionString: urlWith(url, { port }) });
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

describe.skipIf(isMissing)(titled('a proxy'), () => {
  const proxied = async () => {
    const proxy = await proxyOf(Number(new URL(url).port));
    made.push(proxy);
    return { proxy, client: await connected(proxy.port) };
  };
  /** Whether the proxy lost the request, with no answer while the server answered another client. */
  const isSilent = async (proxy: Proxy, ask: () => Promise<unknown>) => {
    const { lost } = proxy;
    let heard = false;
    const hear = () => (heard = true);
    ask().then(hear, hear);
    await eventually(() => proxy.lost > lost || undefined);
    await query(url, 'SELECT 1');
    return !heard;
  };

  it('carries what is said', async () => {
    const { proxy, client } = await proxied();
    const { rows } = await client.query("SELECT repeat('x', 1000000) AS x");
    expect([rows[0].x.length, proxy.open, proxy.made]).toEqual([1_000_000, 1, 1]);
  });

  it('delays it', async () => {
    const { proxy, client } = await proxied();
    const since = performance.now();
    proxy.delay(100);
    await client.query('SELECT 1');
    expect(performance.now() - since).toBeGreaterThanOrEqual(200);
  });

  it('drops it, and nobody is told', async () => {
    const { proxy, client } = await proxied();
    const another = await connected(proxy.port);
    proxy.drop();
    expect(await isSilent(proxy, () => client.query('SELECT 1'))).toBe(true);
    let other: Promise<Client> | undefined;
    expect(await isSilent(proxy, () => (other = connected(proxy.port)))).toBe(true);
    proxy.mend();
    expect(await isSilent(proxy, () => another.query('SELECT 1'))).toBe(true);
    await (await connected(proxy.port)).query('SELECT 1');
    proxy.cut();
    await expect(other).rejects.toThrow(ENDED);
  });

  it('leaves connections open whose server is gone', async () => {
    const { proxy, client } = await proxied();
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    proxy.halfOpen();
    const isGone = async () =>
      (await query(url, 'SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0].pid])).length === 0;
    await eventually(async () => (await isGone()) || undefined);
    expect(await isSilent(proxy, () => client.query('SELECT 1'))).toBe(true);
  });

  it('cuts, refuses and leads elsewhere', async () => {
    const { proxy, client } = await proxied();
    proxy.cut();
    await expect(client.query('SELECT 1')).rejects.toThrow(ENDED);
    proxy.refuse(true);
    await expect(connected(proxy.port)).rejects.toThrow(ENDED);
    proxy.refuse(false);
    proxy.lead(1);
    await expect(connected(proxy.port)).rejects.toThrow(ENDED);
  });
});

describe.skipIf(isMissing)(titled('a transaction pooler'), () => {
  const pooled = async (size?: number) => {
    const pooler = await poolerOf(url, size);
    made.push(pooler);
    return pooler;
  };
  const pidOf = async (client: Client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number;

  it('gives each transaction another connection, and a whole transaction one', async () => {
    const pooler = await pooled();
    const client = await connected(pooler.port);
    const pids = new Set<number>();
    for (let turn = 0; turn < 6; turn++) pids.add(await pidOf(client));
    expect(pids.size).toBeGreaterThan(1);
    expect(pooler.carried.moved).toBeGreaterThan(1);
    await client.query('BEGIN');
    const inside = new Set([await pidOf(client), await pidOf(client), await pidOf(client)]);
    await client.query('COMMIT');
    expect(inside.size).toBe(1);
  });

  it('serves more clients than it has connections', async () => {
    const { port } = await pooled(2);
    const many = await Promise.all(Array.from({ length: 8 }, () => connected(port)));
    const sums = await Promise.all(
      many.map(async (client, x) => (await client.query('SELECT $1::int * 2 AS y', [x])).rows[0].y),
    );
    expect(sums).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  });

  it('breaks what leans on a session: names of statements, settings, listening', async () => {
    const { port } = await pooled(2);
    const client = await connected(port);
    const named = { name: 'named', text: 'SELECT 1' };
    const runs = async () => {
      for (let turn = 0; turn < 4; turn++) await client.query(named);
    };
    await expect(runs()).rejects.toMatchObject({ code: '26000' });
    await client.query("SET application_name = 'mine'");
    const { rows } = await client.query("SELECT current_setting('application_name') AS name");
    expect(rows[0].name).not.toBe('mine');
    let heard = 0;
    client.on('notification', () => heard++);
    await client.query('LISTEN channel');
    // A listener past the pooler hears it; by then the pooler's clients would have.
    const past = await connected(Number(new URL(url).port));
    const told = new Promise((resolve) => past.once('notification', resolve));
    await past.query('LISTEN channel');
    await query(url, 'NOTIFY channel');
    await told;
    await client.query('SELECT 1');
    expect(heard).toBe(0);
  });

  it('gives nobody the transaction of a client that went', async () => {
    const { port } = await pooled(1);
    const client = await connected(port);
    await client.query('BEGIN');
    const pid = await pidOf(client);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    const next = await connected(port);
    expect(await pidOf(next)).not.toBe(pid);
  });
});
