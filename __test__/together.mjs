/**
 * Runs programs one after the other, each as if it had a process of its own: to start a process and to load what all of them
 * import takes far longer than what most of them do. For `together.ts`, which sends
 * `{ id, file, before, args, cwd, env, input }` and gets `{ id, code, stdout, stderr, isHeld }`.
 *
 * A program is over when nothing keeps the process alive any more, or when it calls `process.exit`. Where something of it still does
 * (`isHeld`), no other one could be told from it: this process takes no more of them.
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

/** What is always there: the pipes of the output. */
const OWN = 'PipeWrap';

let runs = 0;
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
    end(given);
    isLeft();
  });
  const failed = (error) => {
    stderr.stream.write(`${inspect(error)}\n`);
    end(1);
  };
  process.on('uncaughtException', failed);

  // The channel to the tests is nothing of the program's.
  process.channel.unref();
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
  // What stands behind `process.exit` is not done where that ends the process: here it comes to its end.
  const isIdle = await Promise.race([idle.then(() => true), left.then(() => loaded).then(() => false)]);
  const isHeld = !isIdle && process.getActiveResourcesInfo().some((kind) => kind !== OWN);
  process.channel.ref();
  // 13: as Node says that a module waits for what never comes.
  end(isLoaded ? undefined : 13);
  for (const event of EVENTS) for (const listener of news(event)) process.off(event, listener);
  return { code, stdout: stdout.text(), stderr: stderr.text(), isHeld };
}

/** @returns whether it takes no more of them */
async function tell(id, program) {
  const done = await run(program);
  process.send({ id, ...done }, () => {
    if (done.isHeld) leave();
  });
  return done.isHeld;
}

process.on('disconnect', () => leave());

let last = Promise.resolve();
let isOver = false;
process.on('message', ({ id, ...program }) => {
  last = last.then(async () => {
    if (!isOver) isOver = await tell(id, program);
    return undefined;
  });
});
