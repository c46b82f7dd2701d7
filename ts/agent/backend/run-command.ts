/** A command line, run by `sh`. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { CommandResult } from '../../../agent.js';
import type { ConfineSettings, ConfinementRefusal, NetworkAnswer, NetworkTarget } from '../../../index.js';
import { warnOfAside } from '../../confine/aside.js';
import { asksForHosts, confined, isListed, type StartableCommand } from '../../confine/confine.js';
import { isFolder } from '../../confine/files.js';
import { confinementReport } from '../../confine/program.js';
import type { StatusLine } from '../../confine/plan.js';
import { CommandProxy } from '../../confine/proxy.js';
import { BackendError } from '../../errors/backend-error.js';
import { ConfinementError } from '../../errors/index.js';
import { messageOf } from '../../errors/message-of.js';
import { whenAborted } from '../../values/when-aborted.js';
import { BothEnds } from './both-ends.js';
import { CommandTime } from './command-time.js';
import { ProcessGroup } from './process-group.js';

/** How long the output may stay open after the end, in ms: what left the group could hold it for ever. */
const LINGER = 1_000;

/** No pipe holds more, in bytes: who has read so much has read all that was written before. */
const PIPE = 4 * 1024 * 1024;

/** Both streams become one, so that what was written first is read first. */
const MERGED = 'exec sh -c "$1" 2>&1';

export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** ms */
  timeout: number;
  /** How much of the output is kept. */
  maxOutputBytes: number;
  abortSignal: AbortSignal | undefined;
  /** Is given the output as it comes, all of it. What it throws is not ours. */
  onOutput: ((text: string) => void) | undefined;
  /** What it may do; `undefined`: anything. */
  confine: ConfineSettings | undefined;
  /** Decides about hosts; `undefined`: what is listed is reached, and nothing else. */
  connect: ConnectDecider | undefined;
}

/** `listed`: the settings name the host. */
export type ConnectDecider = (
  target: NetworkTarget & { listed: boolean },
  options: { abortSignal: AbortSignal },
) => Promise<NetworkAnswer>;

/**
 * Runs a command line to its end. What it leaves behind in its process group is killed then.
 *
 * @throws BackendError (`ERR_FILE_IO`) when it cannot be started, ConfinementError (`ERR_CONFINEMENT`) when it cannot be confined; the
 * signal's reason when it was aborted before
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandResult> {
  options.abortSignal?.throwIfAborted();
  const time = new CommandTime(options.timeout);
  const proxy = await proxyFor(options, time);
  try {
    return await runWith(proxy, command, options, time);
  } finally {
    // It does not outlive the command, nor does a question that it waits for.
    await proxy?.close();
  }
}

async function runWith(
  proxy: CommandProxy | undefined,
  command: string,
  options: CommandOptions,
  time: CommandTime,
): Promise<CommandResult> {
  options.abortSignal?.throwIfAborted();
  const how = howToRun(command, options, proxy);
  const together = how.begin?.();
  try {
    return await runAs(how, proxy, options, time);
  } finally {
    together?.end();
  }
}

async function runAs(
  how: ShellCommand,
  proxy: CommandProxy | undefined,
  options: CommandOptions,
  time: CommandTime,
): Promise<CommandResult> {
  const { abortSignal } = options;
  const child = start(how, options);
  const status = readStatus(child);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const output = new BothEnds(options.maxOutputBytes);
  follow(child.stdout, output, options.onOutput);
  // Started or not is known by now; `exit` fails with the reason.
  const group = child.pid === undefined ? undefined : new ProcessGroup(child.pid);

  let stopped: CommandResult['stopped'] = null;
  const stop = (why: 'timeout' | 'aborted') => {
    stopped ??= why;
    group?.end();
  };
  time.start(() => stop('timeout'));
  const forget = whenAborted(abortSignal, () => stop('aborted'));
  let ended;
  try {
    ended = await exit;
  } catch (error) {
    group?.forget();
    throw cannotStart(options.cwd, error);
  } finally {
    time.end();
    forget();
  }
  await group?.clear();
  await readLast(output, closed);
  child.stdout.destroy();

  const [exitCode, signal] = ended;
  const text = output.text();
  const result = { output: text, exitCode, signal, truncated: output.truncated, bytes: output.bytes, stopped };
  if (how.refusals === undefined) return result;
  const made = how.putAside?.() ?? [];
  warnOfAside(made);
  checkConfined(await status, exitCode, text);
  const refused = [...(proxy?.refused ?? []), ...made.map(putAsideAs), ...how.refusals(text)];
  return { ...result, confined: true, refused: withoutDoubles(refused) };
}

/** What it made and must not have made. */
const putAsideAs = (target: string): ConfinementRefusal => ({
  kind: 'write',
  target,
  text: `making ${target} (it is now ${target}.unchecked, or has a name like it, since commands must not make it)`,
  canBeGiven: false,
});

/** Of what the proxy refused, programs speak as well, without a port. */
function withoutDoubles(all: readonly ConfinementRefusal[]): ConfinementRefusal[] {
  const hostOf = ({ target }: ConfinementRefusal) => target?.replace(/:\d+$/, '');
  const isHost = ({ kind }: ConfinementRefusal) => kind === 'network';
  const exact = new Set(all.filter((each) => isHost(each) && hostOf(each) !== each.target).map(hostOf));
  const keys = new Set<string>();
  return all.filter((each) => {
    if (isHost(each) && hostOf(each) === each.target && exact.has(each.target)) return false;
    const key = `${each.kind} ${each.target}`;
    return !keys.has(key) && keys.add(key);
  });
}

/** The proxy of a command whose hosts are decided about. */
async function proxyFor({ confine, connect }: CommandOptions, time: CommandTime): Promise<CommandProxy | undefined> {
  const network = confine?.network;
  if (!asksForHosts(network)) return undefined;
  const hosts = network === 'ask' ? undefined : [...network];
  const decide = async (target: NetworkTarget, abortSignal: AbortSignal): Promise<NetworkAnswer> => {
    // The name that leads there was decided about.
    const listed = target.follows !== null || (hosts !== undefined && isListed(namedFor(target, hosts), target.url));
    if (hosts !== undefined && !listed) return { allowed: false, reason: 'It is not among the hosts of this command.' };
    if (connect !== undefined) return time.without(() => connect({ ...target, listed }, { abortSignal }));
    return listed
      ? { allowed: true, reason: null }
      : { allowed: false, reason: 'Nobody is there to be asked about it.' };
  };
  return CommandProxy.open({ decide, on: confinementReport().namespaces ? 'socket' : 'port' });
}

/** A pattern is about the internet: this machine and its network must be named. */
const namedFor = ({ where }: NetworkTarget, hosts: readonly string[]): readonly string[] =>
  where === null ? hosts : hosts.filter((host) => !host.includes('*'));

/** Until the output is closed, or for a while: then until all has been read that was written by then. */
async function readLast(output: BothEnds, closed: Promise<void>): Promise<void> {
  const patience = new AbortController();
  await Promise.race([closed, sleep(LINGER, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  // This thread may have stood still. Each turn of its loop reads what is there; who writes for ever is not waited for.
  const most = output.bytes + PIPE;
  for (let before = -1; output.bytes !== before && output.bytes < most;) {
    before = output.bytes;
    await turn();
  }
}

/** Where the executable that confines says whether the walls stand. */
const STATUS = 3;

function howToRun(
  command: string,
  { cwd, env, confine: settings }: CommandOptions,
  proxy: CommandProxy | undefined,
): ShellCommand {
  const words = ['sh', '-c', MERGED, 'sh', command] as const;
  if (settings === undefined) return { file: words[0], args: words.slice(1), env };
  const own = { ...env, ...proxy?.env };
  const place = proxy?.place ?? null;
  return confined(words, { cwd, env: own, settings, place: 'execute', status: STATUS, proxy: place });
}

type ShellCommand = Pick<StartableCommand, 'file' | 'args' | 'env'> &
  Partial<Pick<StartableCommand, 'refusals' | 'putAside' | 'begin'>>;

/** All that was said there. */
async function readStatus(child: ReturnType<typeof start>): Promise<string> {
  const stream = child.stdio[STATUS] as Readable | null | undefined;
  let said = '';
  if (stream === null || stream === undefined) return said;
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => (said += text));
  await new Promise<void>((resolve) => stream.once('close', () => resolve()).once('error', () => resolve()));
  return said;
}

/** Nothing ran where the walls did not stand. @throws {ConfinementError} */
function checkConfined(said: string, exitCode: number | null, output: string): void {
  const lines = said.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as StatusLine]));
  const failed = lines.flatMap((line) => ('failed' in line ? [line.failed.reason] : []))[0];
  const isUntold = process.platform === 'linux' && lines.length === 0 && exitCode !== null;
  if (failed === undefined && !isUntold) return;
  throw new ConfinementError({
    message: `The command was not run, since it could not be confined: ${failed ?? output.trim()}`,
  });
}

function start(
  { file, args, env, refusals }: ShellCommand,
  { cwd }: CommandOptions,
): ChildProcessByStdio<null, Readable, null> {
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      // A process group of its own: what the command starts can then be ended with it.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'ignore', ...(refusals === undefined ? [] : ['pipe' as const])],
      windowsHide: true,
    });
    // Once it has started, what comes here changes nothing.
    child.on('error', () => {});
    return child as ChildProcessByStdio<null, Readable, null>;
  } catch (error) {
    throw cannotStart(cwd, error);
  }
}

function cannotStart(path: string, cause: unknown): BackendError {
  // Node says of its executable that it is not there.
  const why = isFolder(path) ? messageOf(cause) : `${path}, where it starts, is not a folder, or does not exist`;
  const message = `The command could not be started: ${why}`;
  return new BackendError({ code: 'ERR_FILE_IO', message, path, cause });
}

function follow(stream: Readable, output: BothEnds, onOutput: CommandOptions['onOutput']): void {
  const decoder = new StringDecoder('utf8');
  const tell = (text: string) => {
    if (text === '') return;
    try {
      onOutput?.(text);
    } catch {
      // A watcher must not end what it watches.
    }
  };
  stream.on('data', (chunk: Buffer) => {
    output.add(chunk);
    if (onOutput !== undefined) tell(decoder.write(chunk));
  });
  stream.on('end', () => tell(decoder.end()));
  stream.on('error', () => {});
}
