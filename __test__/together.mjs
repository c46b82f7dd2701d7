/**
 * Runs programs one after the other, each as if it had a process of its own: to start a process and to load what all of them
 * import takes far longer than what most of them do. For `together.ts`, which sends
 * `{ id, file, before, args, cwd, env, input }` and gets `{ id, code, stdout, stderr }`.
 *
 * A program is over when nothing keeps the process alive any more, or when it calls `process.exit`.
 */
import { Console } from 'node:console';
import { register } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

// Programs, and modules beside them, are loaded anew for each; what is a package is shared.
const hooks = `
  const FRESH = /\\/(?:examples|\\.build|__test__)\\/|\\/dist\\/(?:cli|command)\\.js$/;
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    const run = /[?]run=\\d+$/.exec(context.parentURL ?? '')?.[0];
    const isFresh = run !== undefined && !found.url.includes('/node_modules/') && FRESH.test(found.url);
    return isFresh ? { ...found, url: found.url + run } : found;
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

/** A pipe that somebody writes to, and what was written. */
function pipe() {
  const written = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk, _, done) {
      written.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(written).toString('utf8') };
}

const give = (of, name, value) => Object.defineProperty(of, name, { value, configurable: true, writable: true });

const leave = process.exit.bind(process);
const EVENTS = [
  'exit',
  'beforeExit',
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'uncaughtException',
  'unhandledRejection',
  'warning',
];

let runs = 0;
/** Whether a program ended while something of it would have kept its process alive: that still does. */
let isHeld = false;
/** Told when nothing keeps the process alive. */
let onIdle = () => {};
process.on('beforeExit', () => onIdle());

async function run({ file, before, args, cwd, env, input }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, file, ...args];
  process.exitCode = undefined;
  const [stdout, stderr, stdin] = [pipe(), pipe(), new PassThrough()];
  stdin.end(input);
  give(process, 'stdout', stdout.stream);
  give(process, 'stderr', stderr.stream);
  give(process, 'stdin', stdin);
  give(globalThis, 'console', new Console(stdout.stream, stderr.stream));
  const known = new Map(EVENTS.map((event) => [event, process.rawListeners(event)]));
  const news = (event) => process.rawListeners(event).filter((each) => !known.get(event).includes(each));

  /** Ends it: what waits for the end of its process is told. */
  let code;
  const end = (given) => {
    if (code !== undefined) return;
    if (given !== undefined) process.exitCode = given;
    code = Number(process.exitCode ?? 0);
    for (const listener of news('exit')) listener.call(process, code);
    code = Number(process.exitCode ?? 0);
  };
  give(process, 'exit', (given) => {
    isHeld = true;
    end(given);
    isLeft();
  });
  const failed = (error) => {
    stderr.stream.write(`${inspect(error)}\n`);
    end(1);
  };
  process.on('uncaughtException', failed);

  const query = `?run=${(runs += 1)}`;
  let isLeft = () => {};
  const left = new Promise((resolve) => (isLeft = resolve));
  const idle = new Promise((resolve) => (onIdle = resolve));
  let isLoaded = false;
  const loaded = (async () => {
    for (const each of [...before, file]) await import(`${pathToFileURL(each).href}${query}`);
  })()
    .catch(failed)
    .finally(() => (isLoaded = true));
  // The channel to the tests is nothing of the program's.
  process.channel.unref();
  // What stands behind `process.exit` is not done where that ends the process: here it comes to its end.
  await (isHeld ? loaded : Promise.race([idle, left.then(() => loaded)]));
  process.channel.ref();
  // 13: as Node says that a module waits for what never comes.
  end(isLoaded ? undefined : 13);
  for (const event of EVENTS) for (const listener of news(event)) process.off(event, listener);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

process.on('disconnect', () => leave());

let last = Promise.resolve();
process.on('message', ({ id, ...program }) => {
  last = last.then(async () => process.send({ id, ...(await run(program)) }));
});
