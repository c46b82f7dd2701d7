/**
 * PostgreSQL for tests: one server for all tests of the project `postgres` (or the one that `COUNTERSIGN_TEST_PG` names), and
 * servers of a test's own, which it may kill. Without a server, tests are skipped, and say why.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, inject, type ProvidedContext } from 'vitest';
import { startPostgres, type Keeper } from '../../scripts/postgres.mjs';

/** The server that tests share; only in the project `postgres`. */
export const shared = (inject('postgres') as ProvidedContext['postgres'] | undefined) ?? {
  unavailable: 'this is not the project postgres',
};

/** Whether the server is missing: `describe.skipIf(isMissing)(titled('…'), …)`. */
export const isMissing = shared.url === undefined;

/** The title of tests that need a server, with the reason if it is missing. */
export const titled = (title: string): string =>
  isMissing ? `${title} (no PostgreSQL: ${shared.unavailable})` : title;

export type PostgresUrl = `postgres://${string}`;

/** Lower-case letters and digits, for the name of a schema, database or role. */
export const freshName = (prefix: string): string => `${prefix}_${randomBytes(6).toString('hex')}`;

/** The same URL with other parts. */
export function urlWith(
  url: string,
  parts: { port?: number; user?: string; password?: string; database?: string } & Parameters,
): string {
  const { port, user, password, database, ...parameters } = parts;
  const changed = new URL(url);
  if (port !== undefined) changed.port = String(port);
  if (user !== undefined) changed.username = user;
  if (password !== undefined) changed.password = password;
  if (database !== undefined) changed.pathname = `/${database}`;
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, String(value));
  return changed.href;
}
interface Parameters {
  [parameter: string]: string | number | undefined;
}

/** The URL of a new ledger, on the server that tests share, or on another. */
export function freshLedger(parameters: Parameters = {}, url = shared.url): PostgresUrl {
  if (url === undefined) throw new Error(`no PostgreSQL: ${shared.unavailable}`);
  return urlWith(url, { schema: freshName('t'), ...parameters }) as PostgresUrl;
}

/** Asks a server by itself, not through a ledger. The parameters that only a ledger knows are left out. */
export async function query<ROW extends object = Record<string, unknown>>(
  url: string,
  statements: string,
  values?: unknown[],
): Promise<ROW[]> {
  const plain = new URL(url);
  plain.search = '';
  const client = new Client({ connectionString: plain.href });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<ROW>(statements, values);
    return rows;
  } finally {
    await client.end();
  }
}

/** How a server stops: killed with `SIGKILL`; as after a crash; with its connections cut; once its connections are closed. */
export type Stop = 'crash' | 'immediate' | 'fast' | 'smart';

/** A server of a test's own. */
export interface OwnServer {
  readonly url: string;
  /** A new ledger. */
  ledger(parameters?: Parameters): PostgresUrl;
  /** Resolves when nothing of it runs any more. */
  stop(how: Stop): Promise<void>;
  /** With the same port and data. */
  start(): Promise<void>;
  /** The URL of a server that follows this one. */
  standby(): Promise<string>;
  /** Resolves when that one has all that this one has. */
  caughtUp(follower: string): Promise<void>;
  /** Makes that one a server of its own. */
  promote(follower: string): Promise<void>;
}

/** A database for one test file. */
export type OwnDatabase = Pick<OwnServer, 'url' | 'ledger'>;

/**
 * A database for the tests of a file, as the owner of the server. It is on the server that tests share, which must not be
 * stopped. A server named by somebody else may not allow everything: then it is on a server of its own.
 */
export function ownDatabase(): OwnDatabase {
  if (process.env.COUNTERSIGN_TEST_PG) return ownServer();
  const name = freshName('d');
  const url = () => urlWith(shared.url as string, { database: name });
  beforeAll(async () => void (await query(shared.url as string, `CREATE DATABASE ${name}`)));
  return {
    get url() {
      return url();
    },
    ledger: (parameters) => freshLedger(parameters, url()),
  };
}

/** A server for the tests of a file, which they may kill. Before each test it runs. */
export function ownServer(): OwnServer {
  let keeper: Keeper | undefined;
  const url = () => {
    if (keeper?.url === undefined) throw new Error(`no PostgreSQL: ${keeper?.unavailable ?? 'not in a test'}`);
    return keeper.url;
  };
  const tell: Keeper['tell'] = async (command) => (await keeper?.tell(command)) ?? {};
  let isStopped = false;
  const start = async () => {
    await tell({ op: 'start' });
    isStopped = false;
  };
  beforeAll(async () => void (keeper = await startPostgres()));
  beforeEach(() => (isStopped ? start() : undefined));
  afterAll(() => keeper?.end());
  return {
    get url() {
      return url();
    },
    ledger: (parameters) => freshLedger(parameters, url()),
    async stop(how) {
      isStopped = true;
      await tell({ op: 'stop', how });
    },
    start,
    standby: async () => (await tell({ op: 'standby' })).url as string,
    async caughtUp(follower) {
      const [{ lsn } = { lsn: '' }] = await query<{ lsn: string }>(
        url(),
        'SELECT pg_current_wal_flush_lsn()::text AS lsn',
      );
      for (;;) {
        const [row] = await query<{ isThere: boolean }>(
          follower,
          `SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isThere"`,
          [lsn],
        );
        if (row?.isThere) return;
      }
    },
    promote: async (follower) => void (await query(follower, 'SELECT pg_promote()')),
  };
}
