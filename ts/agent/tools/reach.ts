/** What one command is to reach beside what a confined command may: a human says yes to just that, and it runs confined all the same. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ConfineSettings } from '../../../index.js';
import { kindOfHost, plainHost } from '../../confine/addresses.js';
import { asksForHosts, checkSettings } from '../../confine/confine.js';
import { isIn } from '../../confine/files.js';
import { messageOf } from '../../errors/message-of.js';
import { currentCaller, type ServerCaller } from '../../gate/caller.js';
import { mayMeanwhile } from '../../gate/requesting.js';
import { denialOf } from './denial.js';
import { list, object, text, type SchemaField } from '../schema.js';
import { NOT_ALL_LOOKED_AT, type ConfinedStart, type Confinement } from './settings.js';

/** As the model says it. */
export interface CommandReach {
  /** Files and folders to write. */
  write?: string[];
  /** Files and folders to read. */
  read?: string[];
  /** Hosts to connect to. */
  network?: string[];
}

/** Names of each kind. */
const MOST = 20;

export const reachField: SchemaField = {
  ...object(
    {},
    {
      write: list(text('A path.'), [0, MOST], 'Files or folders outside of the root that it is to write.'),
      read: list(text('A path.'), [0, MOST], 'Files or folders outside of the root that it is to read.'),
      network: list(text('A host.'), [0, MOST], 'Hosts that it is to connect to, e.g. registry.npmjs.org.'),
    },
  ),
  description:
    'What the command needs beside what the sandbox gives it, if a run without this was refused it. A human is always asked about it.',
};

/** Whether it asks for anything. */
export const isWanted = (reach: CommandReach | undefined): reach is CommandReach =>
  reach !== undefined && reach !== null && KINDS.some((kind) => namesOf(reach, kind).length > 0);

const KINDS = ['write', 'read', 'network'] as const;

/** What no list is names nothing: nothing is given by it. */
const namesOf = (reach: CommandReach, kind: (typeof KINDS)[number]): readonly string[] => {
  const names: unknown = reach[kind];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
};

const HOST = /^(?<scheme>[\w+.-]+:\/\/)?(?<host>\[[^\]]*\]|[^:/\s]+)(?<port>:\d+)?$/;

/** A host in its one spelling, as it is connected to; what is a pattern, or no host, as it stands. */
function plainPattern(pattern: string): string {
  const { scheme = '', host = '', port = '' } = HOST.exec(pattern)?.groups ?? {};
  const plain = host === '' || host.includes('*') ? undefined : plainHost(host.replace(/^\[|\]$/g, ''));
  return plain === undefined ? pattern : `${scheme}${plain.includes(':') ? `[${plain}]` : plain}${port}`;
}

/** Adds what an address outside of the internet leads to. */
function hostInWords(pattern: string): string {
  const host = (HOST.exec(pattern)?.groups?.['host'] ?? '').replace(/^\[|\]$/g, '');
  const where = kindOfHost(host);
  return where === null ? pattern : `${pattern} (${where})`;
}

/** In words. */
function reachInWords(reach: CommandReach): string {
  const parts = KINDS.flatMap((kind) => {
    const names = namesOf(reach, kind);
    if (names.length === 0) return [];
    return [kind === 'network' ? `connect to ${names.map(hostInWords).join(', ')}` : `${kind} ${names.join(', ')}`];
  });
  return parts.join(', and ');
}

export const howWithReach = (reach: CommandReach): string => `It runs confined, but may also ${reachInWords(reach)}.`;

/** What it comes to: what the command may do with it, or why it is not given. */
export type GivenReach =
  | { confine: ConfineSettings; hosts: readonly string[]; begin: ConfinedStart['begin'] }
  | { refused: string };

/** The call that wants it. */
interface ReachCall {
  command: string;
  reach: CommandReach;
  root: string;
  /** What it may do without. */
  confinement: Pick<Confinement, 'start' | 'isProtected'>;
  /** Whether a human saw this reach with the call, and approved it. */
  isApproved: boolean;
  signal: AbortSignal;
}

/** Has a human asked about it, unless one was. */
export async function givenReach(call: ReachCall): Promise<GivenReach> {
  const { command, root, isApproved, signal } = call;
  // As it lies: no symlink shows another place than is opened.
  const places = (paths: readonly string[] = []) => [...new Set(paths.map((path) => placeOf(resolve(root, path))))];
  const reach: CommandReach = {
    write: places(call.reach.write),
    read: places(call.reach.read),
    network: [...new Set((call.reach.network ?? []).map(plainPattern))],
  };
  // The person who is asked about the reach is told of what could not be looked at, and not asked twice.
  const startWith = (folders: readonly string[]) =>
    call.confinement.start({ command, isApproved: true, abortSignal: signal }, folders);
  const start = () => startWith([...(reach.write ?? []), ...(reach.read ?? [])].filter(isFolder));
  // What is protected is looked for below a folder: what is named itself is found from the folder that it lies in.
  const fault = async (from: ConfineSettings) => {
    const found = faultOf(reach, from);
    if (found !== undefined) return found;
    const above = await protectedIn(reach, call.confinement);
    return above.length === 0 ? undefined : faultOf(reach, (await startWith(above)).settings);
  };
  let { settings, begin, isWhole } = await start();
  const refused = await fault(settings);
  if (refused !== undefined) return { refused };
  const caller = currentCaller();
  if (caller === undefined) return { refused: 'Nobody is there to be asked about it.' };
  const denied = await denialOfReach(reach, caller, signal);
  if (denied !== undefined) return { refused: denied };
  if (!isApproved || !isSame(reach, call.reach)) {
    const request = {
      toolName: 'execute',
      args: { command, reach: reach as Record<string, string[]> },
      description: `execute: ${command}. ${howWithReach(reach)}${isWhole ? '' : ` ${NOT_ALL_LOOKED_AT}`}`,
      allowedDecisions: ['approve' as const, 'reject' as const],
    };
    const answer = await mayMeanwhile(caller, { ...request, isNamed: false, asksAlways: true }, signal);
    if (!answer.allowed) return { refused: answer.reason ?? 'The human did not allow it.' };
    // Others went on meanwhile: what is to be hidden is looked for when it starts.
    ({ settings, begin, isWhole } = await start());
    if ((await fault(settings)) !== undefined)
      return { refused: 'What it may reach has changed meanwhile: ask again.' };
  }
  const { write = [], read = [], network = [] } = reach;
  const base = settings.write ?? ['.'];
  return {
    confine: {
      ...settings,
      ...(write.length === 0 ? {} : { write: [...base, ...write] }),
      ...(read.length === 0 ? {} : { read: [...(settings.read ?? []), ...read] }),
      // The person who said yes saw these, and not where they may lead by now.
      exact: [...(settings.exact ?? []), ...write, ...read],
      ...(network.length === 0 ? {} : { network: withHosts(settings.network, network) }),
    },
    hosts: network,
    begin,
  };
}

/** Where a path really lies; for a missing one, the nearest existing folder above it. */
function placeOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : placeOf(above);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The folders in which files and folders lie that are named, and may be protected. */
async function protectedIn(
  { write = [], read = [] }: CommandReach,
  { isProtected }: Pick<Confinement, 'isProtected'>,
): Promise<string[]> {
  const named = [...write.map((path) => ['write', path] as const), ...read.map((path) => ['read', path] as const)];
  const found = await Promise.all(
    named.map(async ([access, path]) => ((await isProtected(access, path)) ? [dirname(path)] : [])),
  );
  return [...new Set(found.flat())];
}

/** Why it cannot be asked for. */
function faultOf({ write = [], read = [], network = [] }: CommandReach, settings: ConfineSettings): string | undefined {
  if ([...write, ...read].includes('/')) return 'The whole disk is more than a command can be given: name the folder.';
  const kept = [...(settings.hide ?? []), ...(settings.protect ?? [])];
  const hidden = settings.hide ?? [];
  const sealed =
    write.find((path) => kept.some((place) => isIn(path, place))) ??
    read.find((path) => hidden.some((place) => isIn(path, place)));
  if (sealed !== undefined) return `${sealed} is kept from all commands. Use the tools for files, which ask about it.`;
  try {
    if (network.length > 0) checkSettings({ network }, 'reach');
  } catch (error) {
    return messageOf(error);
  }
  const { network: own } = settings;
  if (network.length > 0 && own !== undefined && own !== 'none' && !asksForHosts(own))
    return 'The program gives commands a network of its own: no host can be added to it.';
  return undefined;
}

/** What the policies deny, no human is asked about. Each address that a host or a pattern covers is judged when it is wanted. */
async function denialOfReach(
  { write = [], read = [], network = [] }: CommandReach,
  caller: ServerCaller,
  signal: AbortSignal,
): Promise<string | undefined> {
  // What is said of all that is in a folder is said of any name there.
  const withNames = (paths: readonly string[]) =>
    paths.flatMap((path) => (isFolder(path) ? [path, join(path, 'any')] : [path]));
  const calls = [
    ...withNames(write).map((path) => ['write_file', { file_path: path, content: '' }] as const),
    ...withNames(read).map((path) => ['read_file', { file_path: path }] as const),
    ...network.filter((host) => !host.includes('*')).map((host) => ['network', { url: urlOf(host) }] as const),
  ];
  for (const [toolName, args] of calls) {
    const denied = await denialOf(caller, toolName, args, signal);
    if (denied !== undefined) return denied;
  }
  return undefined;
}

const urlOf = (host: string): string => (host.includes('://') ? host : `https://${host}/`);

/** Whether a human who saw the one has seen the other. */
const isSame = (one: CommandReach, other: CommandReach): boolean =>
  KINDS.every((kind) => JSON.stringify(one[kind] ?? []) === JSON.stringify(other[kind] ?? []));

function withHosts(own: ConfineSettings['network'], hosts: readonly string[]): 'ask' | readonly string[] {
  if (own === 'ask') return own;
  return [...(Array.isArray(own) ? (own as readonly string[]) : []), ...hosts];
}
