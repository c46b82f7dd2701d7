/** Commands that can do what is listed, and nothing else. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { ConfineOptions, ConfineSettings, ConfinedCommand, ConfinementReport } from '../../index.js';
import { ConfinementError, InvalidConfigError } from '../errors/index.js';
import { warnOnce } from '../errors/warn-once.js';
import { confineProgram, isMeant, patternFault, runByGit, type NativeGitFiles } from '../native.js';
import { takeOptions } from '../options/check.js';
import { checkFlag, checkList, checkRecord } from '../options/names.js';
import { linksOfGit, linksTo, putAside, realAbsent } from './aside.js';
import { exists, isAmong, isFolder, isIn, leadsNowhere, linksOn, realPath, steadyPath, whereTo } from './files.js';
import { knownPlaces } from './places.js';
import type { NetworkAccess, LaunchPlan } from './plan.js';
import { SANDBOX_EXEC, checkProgram, confinementReport } from './program.js';
import { refusalsIn } from './refusals.js';
import { seatbeltProfile } from './seatbelt.js';
import { TogetherCommand } from './together.js';

/** Variables that are handed on: what finds programs and sets languages. No keys. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|(?:CARGO|RUSTUP|JAVA)_HOME|NVM_DIR|PYENV_ROOT|GOROOT|GOPATH|VIRTUAL_ENV)$/;

const PATHS = ['write', 'read', 'exact', 'hide', 'protect', 'absent'] as const;

/** The longest piece of a plan, in characters; the system takes 131,072 bytes in one argument. */
const PIECE = 100_000;

/** See `types/confine.d.ts`. */
export function confine(command: string | readonly string[], given: ConfineOptions = {}): ConfinedCommand {
  const { cwd = process.cwd(), env, ...settings } = takeOptions('confine', given);
  if (env !== process.env) checkRecord(env, 'confine', 'env');
  if (typeof cwd !== 'string' || cwd === '') throw wrong('confine: cwd must be a path.');
  if (asksForHosts(settings.network)) {
    const message =
      "confine: network: a list of hosts and 'ask' are for createLocalBackend and createDeepAgent, which run the command as well. Here give { proxy: PORT } of a proxy of yours.";
    throw wrong(message);
  }
  const own = { cwd: resolve(cwd), env: variables(env), settings, place: 'confine' };
  // Otherwise the error would say that the executable is missing.
  if (!isFolder(own.cwd)) throw wrong(`confine: cwd: ${own.cwd} is not a folder, or does not exist.`);
  const { begin: _, ...made } = confined(command, { ...own, status: null });
  warnOfUnheld(own);
  return made;
}

function variables(given: ConfineOptions['env']): Record<string, string> {
  const from = given ?? Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name)));
  return Object.fromEntries(
    Object.entries(from).flatMap(([name, value]: [string, unknown]) => {
      if (value === undefined) return [];
      if (typeof value !== 'string') throw wrong(`confine: env: ${name} must be a text.`);
      return [[name, value]];
    }),
  );
}

export interface ConfinedOptions {
  /** Absolute. */
  cwd: string;
  /** All that the command gets. */
  env: Record<string, string>;
  settings: ConfineSettings;
  /** Who was given the settings, for messages. */
  place: string;
  /** The descriptor on which the executable says whether the walls stand. */
  status: number | null;
  /** Where the proxy of this command is, which decides about its hosts; `null`: it has none. */
  proxy?: ProxyPlace | null;
}

/** Where a proxy listens: on a port of 127.0.0.1, or on a socket with a path, whose file has this number. */
export interface ProxyPlace {
  port: number;
  socket: string | null;
  inode: string | null;
}

/** Whether it names hosts, or has somebody asked about them: then the command needs a proxy of its own. */
export const asksForHosts = (network: ConfineSettings['network']): network is 'ask' | readonly string[] =>
  network === 'ask' || Array.isArray(network);

/** Whether a list of hosts has this address. */
export const isListed = (hosts: readonly string[], url: string): boolean => isMeant(hosts, url);

/** For the code that runs the command as well. */
export interface StartableCommand extends ConfinedCommand {
  /**
   * To be called before it starts. `putAside` then counts what other commands make meanwhile; the one who calls it ends it as
   * well.
   */
  begin(): TogetherCommand;
}

/** The same for rooms of ours. @throws {ConfinementError}, {@link InvalidConfigError} */
export function confined(command: string | readonly string[], options: ConfinedOptions): StartableCommand {
  const { cwd, env, settings, place } = options;
  const report = confinementReport();
  if (!report.supported) {
    throw new ConfinementError({
      message: `${place}: commands cannot be confined here: ${report.reason}. Leave confinement out, and have what runs approved.`,
    });
  }
  const { plan, ...rest } = planOf(command, options, report);
  if (plan.demand === 'whole' && report.open.length > 0) {
    throw new ConfinementError({
      message: `${place}: this system does not hold everything that is forbidden (${report.open.join(', ')}). Demand 'walls', or use a kernel with user namespaces.`,
      open: report.open,
    });
  }
  const after = { refusals: (output: string) => refusalsIn(output, plan), ...rest };
  if (report.by === 'seatbelt') {
    const kept = (paths: readonly string[]) => paths.filter((path) => isKept(path, plan));
    const profile = seatbeltProfile({ ...plan, read: kept(plan.read), write: kept(plan.write) });
    const args = ['-p', profile, ...plan.command];
    return { file: SANDBOX_EXEC, args, cwd, env, ...after };
  }
  checkProgram();
  const isNeeded = settings.network !== undefined && settings.network !== 'none' && !report.namespaces;
  const isPort = settings.network !== 'loopback' && report.landlock >= PORTS_SINCE;
  if (isNeeded && !isPort) {
    const message = `${place}: a network of its own needs namespaces, which this system does not give: ${report.noNamespaces}. For a proxy alone Landlock ${PORTS_SINCE} is enough, and there is ${report.landlock}.`;
    throw new ConfinementError({ message });
  }
  return { file: confineProgram as string, args: ['run', ...piecesOf(plan)], cwd, env, ...after };
}

/** The version of Landlock from which on it holds to which ports a command connects. */
const PORTS_SINCE = 4;

/** The plan, and what puts aside what the command must not have made, when it has ended. */
function planOf(
  command: string | readonly string[],
  { cwd, env, settings, place, status, proxy = null }: ConfinedOptions,
  report: ConfinementReport,
): { plan: LaunchPlan } & Pick<StartableCommand, 'begin' | 'putAside'> {
  checkSettings(settings, place);
  const absolute = (paths: readonly string[]) => paths.map((path) => absoluteOf(path, { cwd, env }));
  for (const name of PATHS) settings[name]?.forEach((path) => checkNoPattern(path, { name, cwd, env, place }));
  // Starting in `/` does not mean the whole file system.
  const start = cwd === '/' ? [] : [cwd];
  const write = absolute(settings.write ?? start);
  const known = knownPlaces(env, write);
  if (write.some((path) => realPath(path) === '/'))
    throw wrong(`${place}: write must not be the whole disk: that confines nothing.`);
  warnOfHome([...write, ...start], { env, place });
  // Git runs what stands there, outside of any sandbox, the next time that somebody uses it.
  const homes = [...new Set([env['HOME'] ?? homedir(), homedir()])].filter((home) => isAbsolute(home));
  const git = runByGit(write, homes);
  const notMade = absolute(settings.absent ?? []);
  const plan: LaunchPlan = {
    command: wordsOf(command, place),
    cwd,
    read: [...known.read, ...start, ...absolute(settings.read ?? [])],
    write,
    exact: absolute(settings.exact ?? []),
    protect: [
      ...git.kept,
      ...launcherFolder(write),
      ...absolute(settings.protect ?? []),
      ...notMade.filter((path) => isMissingBehindLink(path, write)),
    ],
    hide: [...known.hide, ...absolute(settings.hide ?? [])],
    private: known.home === null ? [] : [known.home],
    temporary: null,
    network: networkOf(settings.network, proxy),
    localSockets: settings.localSockets ?? false,
    environment: Object.keys(env),
    limits: { processes: null, memory: null, fileSize: null, openFiles: null },
    status,
    demand: settings.demand ?? 'walls',
    abi: null,
    // Where there are some, a command never runs without them, and never with more open than is told.
    withoutNamespaces: !report.namespaces,
    open: [...report.open, ...(settings.localSockets === true ? (['local-sockets'] as const) : [])],
  };
  const kept = [...plan.protect, ...plan.hide];
  const missing = realAbsent([...git.absent, ...notMade, ...kept.filter(leadsNowhere)]);
  // What cannot be made need not be kept away.
  const places = write.map(realPath);
  const absent = missing.filter((path) => places.some((place) => isIn(path, place)));
  const links = linksTo(kept, write);
  const followed = linksOfGit(git.repositories, write);
  let together: TogetherCommand | undefined;
  const wasThere = (path: string) => together?.wasThere(path) ?? git.repositories.includes(path);
  const others = () => allRepositories(git, runByGit(write, homes)).filter((path) => !wasThere(path));
  return {
    plan,
    begin: () => (together = new TogetherCommand(git.repositories, write)),
    putAside: () => putAside(absent, { places: write, links, followed, others }),
  };
}

/** What protects it holds the symlinks on the way: with something else in the place of one, it could be made there. */
const isMissingBehindLink = (path: string, places: readonly string[]): boolean =>
  !exists(path) && linksOn(path).some((link) => isAmong(link, places));

/** @throws {ConfinementError} where the command closed what is to be looked at */
function allRepositories(before: NativeGitFiles, now: NativeGitFiles): string[] {
  if (now.incomplete && !before.incomplete) {
    throw new ConfinementError({
      message: `A confined command left files of git in a state in which not all of them can be looked at: ${now.repositories.join(', ')}. Look at them before anybody uses git there.`,
    });
  }
  return now.repositories;
}

/** What the executable for Linux looks at by itself, and holds while it looks: see `crates/confine/src/resolve.rs`. */
const isKept = (path: string, { write, exact }: LaunchPlan): boolean =>
  exact.includes(path) ? linksOn(path).length === 0 : steadyPath(path, write) !== undefined;

/** The executable that confines lies in a project that has the package: a command that could replace it would confine the next one. */
function launcherFolder(write: readonly string[]): string[] {
  if (confineProgram === undefined) return [];
  const folder = dirname(confineProgram);
  const all = [folder, realPath(folder)];
  return all.some((path) => isAmong(path, write)) ? all : [];
}

interface PathBase {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

const absoluteOf = (path: string, { cwd, env }: PathBase): string =>
  resolve(cwd, atHome(path, env['HOME'] ?? homedir()));

const atHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(2)) : path;

/** The same settings, with the home of the command for each `~`. */
export function spelledOut(settings: ConfineSettings, home: string): ConfineSettings {
  const given = PATHS.flatMap((name) => {
    const paths = settings[name];
    return paths === undefined ? [] : [[name, paths.map((path) => atHome(path, home))] as const];
  });
  return { ...settings, ...Object.fromEntries(given) };
}

const PATTERN = /[*?]|\[[^\]]+\]|\{[^}]*\}/;

/** Those among the paths that a look found which could be taken for patterns. */
const asTheyAre = new Set<string>();

/** Paths that no person wrote: what looks like a pattern in one is its name, also where nothing is there. */
export function foundPaths(paths: readonly string[]): readonly string[] {
  for (const path of paths) if (PATTERN.test(path)) asTheyAre.add(path);
  return paths;
}

/** A file may be called so. @throws {InvalidConfigError} for what can only be meant as a pattern */
function checkNoPattern(path: string, { name, place, ...base }: PathBase & { name: string; place: string }): void {
  if (asTheyAre.has(path) || !PATTERN.test(path) || !PATTERN.test(missingOf(absoluteOf(path, base)))) return;
  const parts = path.split('/');
  const folder = parts
    .slice(
      0,
      parts.findIndex((part) => PATTERN.test(part)),
    )
    .join('/');
  const instead = folder === '' ? 'each file by its name' : `the folder, ${JSON.stringify(folder)}, or each file`;
  const rule = { hide: 'reads', protect: 'writes', absent: 'writes' }[name];
  const how = rule === undefined ? '' : ` An agent's policy takes patterns: effect = "deny", ${rule} = "**/*.pem".`;
  throw wrong(`${place}: ${name}: there is no ${path}, and patterns are not read. Name ${instead}.${how}`);
}

/** The part of a path that is not there. */
function missingOf(path: string): string {
  if (exists(path)) return '';
  const above = dirname(path);
  return above === path ? path : join(missingOf(above), basename(path));
}

/** A command that is given a home is given the keys in it, and what shells and programs start. Its author is told. */
function warnOfHome(given: readonly string[], { env, place }: Pick<ConfinedOptions, 'env' | 'place'>): void {
  const homes = [...new Set([env['HOME'] ?? homedir(), homedir()])].filter((home) => isAbsolute(home) && home !== '/');
  for (const path of given) {
    const home = homes.find((each) => isAmong(realPath(each), [realPath(path)]));
    if (home === undefined) continue;
    const which =
      realPath(home) === realPath(path) ? 'is the home of the user' : `has the home of the user in it, ${home}`;
    warnOnce(
      `home:${path}`,
      `${place}: a command may use ${path}, which ${which}: it reads keys there, such as those in .ssh, and changes what shells start. Name a folder in it, or hide and protect these.`,
    );
  }
}

/**
 * What restricts and is not there restricts nothing: it may be a slip, or have been moved away. Nor does what lies around a place to
 * write. Its author is told.
 */
export function warnOfUnheld({
  settings,
  place,
  ...base
}: PathBase & { settings: ConfineSettings; place: string }): void {
  if (confinementReport().by !== 'landlock') return;
  const write = (settings.write ?? ['.']).map((path) => absoluteOf(path, base));
  for (const name of ['read', 'write'] as const) {
    for (const path of settings[name] ?? []) {
      const absolute = absoluteOf(path, base);
      if (settings.exact?.includes(path) || steadyPath(absolute, write) !== undefined) continue;
      warnOnce(
        `link:${name}:${absolute}`,
        `${place}: ${name}: on the way to ${absolute} is a symlink where commands may write, so that one could lead it elsewhere. It is left out: name where it leads.`,
      );
    }
  }
  for (const path of settings.protect ?? []) {
    const absolute = absoluteOf(path, base);
    const around = realPath(absolute);
    const inner = write.map(realPath).find((place) => place !== around && isIn(place, around));
    if (inner === undefined) continue;
    warnOnce(
      `around:${absolute}:${inner}`,
      `${place}: protect: ${absolute} has ${inner} in it, where commands may write. The inner place counts: nothing in it is protected by this. Name what is to be protected in it.`,
    );
  }
  const places = write.map(realPath);
  const closed = [...(settings.hide ?? []), ...(settings.protect ?? [])]
    .map((path) => absoluteOf(path, base))
    .filter(exists)
    .map(realPath);
  for (const name of ['hide', 'protect'] as const) {
    for (const path of settings[name] ?? []) {
      const absolute = absoluteOf(path, base);
      if (exists(absolute)) continue;
      const why = isClosed(whereTo(absolute), closed, places)
        ? 'A folder around it is hidden or protected, so no command makes it. Check the name.'
        : 'So nothing is held of it. A command that starts before it is there can make it, read it and change it.';
      warnOnce(`absent:${name}:${absolute}`, `${place}: ${name}: ${absolute} is not there. ${why}`);
    }
  }
}

/** Whether nothing can be made there: the nearest of the folders around it is closed, and no place to write. */
function isClosed(path: string, closed: readonly string[], places: readonly string[]): boolean {
  const around = closed.filter((folder) => isIn(path, folder));
  return around.some((folder) => !places.some((place) => place !== folder && isIn(place, folder) && isIn(path, place)));
}

function wordsOf(command: string | readonly string[], place: string): string[] {
  const words: unknown[] =
    typeof command === 'string' ? ['sh', '-c', command] : Array.isArray(command) ? [...command] : [];
  if (words.length > 0 && words.every(isWord)) return words;
  throw wrong(`${place}: a command is a line, or a program with its arguments.`);
}

const isWord = (word: unknown): word is string => typeof word === 'string' && !word.includes('\0');

/** Where hosts are asked for but not decided on yet, nothing is reached. */
function networkOf(
  network: ConfineSettings['network'] = 'none',
  proxy: ConfinedOptions['proxy'] = null,
): NetworkAccess {
  if (asksForHosts(network)) return proxy === null ? 'none' : { proxy };
  return typeof network === 'object' && 'proxy' in network
    ? { proxy: { port: network.proxy, socket: null, inode: null } }
    : network;
}

/** What can be asked for in addition to settings that hold already: it forbids more, and opens nothing. */
const TIGHTENS: ReadonlySet<string> = new Set<keyof ConfineSettings>(['exact', 'hide', 'protect', 'absent', 'demand']);

/** Settings with what is asked for in addition. @throws {InvalidConfigError} for what would have to hold instead of them */
export function tightened(
  own: ConfineSettings | undefined,
  more: ConfineSettings | undefined,
  place: string,
): ConfineSettings | undefined {
  if (own === undefined || more === undefined) return own ?? more;
  const other = Object.keys(more).find((name) => !TIGHTENS.has(name));
  if (other !== undefined)
    throw wrong(`${place}: the backend confines every command, by its own ${other}: give it to the backend, not here.`);
  return {
    ...own,
    exact: [...(own.exact ?? []), ...(more.exact ?? [])],
    hide: [...(own.hide ?? []), ...(more.hide ?? [])],
    protect: [...(own.protect ?? []), ...(more.protect ?? [])],
    absent: [...(own.absent ?? []), ...(more.absent ?? [])],
    demand: more.demand === 'whole' ? 'whole' : (own.demand ?? 'walls'),
  };
}

/** @throws {InvalidConfigError} */
export function checkSettings(settings: ConfineSettings, place: string): void {
  for (const name of PATHS) {
    const paths: unknown = settings[name];
    checkList(paths, place, name);
    if ((paths as unknown[] | undefined)?.every((path) => typeof path === 'string' && path !== '') === false)
      throw wrong(`${place}: ${name} must be a list of paths.`);
  }
  checkFlag(settings.localSockets, place, 'localSockets');
  const { network, demand } = settings;
  const isPort = (port: unknown) => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536;
  if (Array.isArray(network)) checkHosts(network as readonly unknown[], place);
  else {
    const isNetwork =
      typeof network === 'object' && network !== null
        ? isPort((network as { proxy?: unknown }).proxy)
        : ['none', 'ask', 'loopback'].includes((network as string | undefined) ?? 'none');
    if (!isNetwork)
      throw wrong(`${place}: network must be 'none', 'ask', 'loopback', a list of hosts or { proxy: PORT }.`);
  }
  if (!['walls', 'whole'].includes(demand ?? 'walls')) throw wrong(`${place}: demand must be 'walls' or 'whole'.`);
}

/** @throws {InvalidConfigError} */
function checkHosts(hosts: readonly unknown[], place: string): void {
  if (hosts.length === 0) throw wrong(`${place}: network: an empty list reaches nothing: write 'none'.`);
  for (const host of hosts) {
    const fault = typeof host === 'string' ? patternFault(host, 'addresses') : 'it is not a text';
    const isMore = typeof host === 'string' && /[/@!]/.test(host.replace(/^[\w*]+:\/\//, ''));
    if (fault !== null) throw wrong(`${place}: network: ${String(host)} is not a host: ${fault}.`);
    if (isMore) throw wrong(`${place}: network: ${String(host)} is more than a host: write the host alone.`);
  }
}

const wrong = (message: string): InvalidConfigError => new InvalidConfigError({ message });

/** The plan as arguments: ASCII alone, so that a piece can be cut anywhere and has as many bytes as characters. */
function piecesOf(plan: LaunchPlan): string[] {
  const text = JSON.stringify(plan).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return Array.from({ length: Math.ceil(text.length / PIECE) }, (_, index) =>
    text.slice(index * PIECE, (index + 1) * PIECE),
  );
}
