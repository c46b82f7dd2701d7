/**
 * What a sandbox refused, read from what a command said. The kernel tells only the program, and programs say it in a few usual
 * ways: a path or a host, and why. A path that the plan gave is not told, even if the message names it.
 */
import { isAbsolute, resolve } from 'node:path';
import type { ConfinementRefusal } from '../../index.js';
import { exists, isAmong, realPath } from './files.js';
import type { LaunchPlan } from './plan.js';

/**
 * How much of an output is read, from its end, how long a line of it may be, and how many refusals are told. Some of the patterns below
 * take time that grows with the square of a line.
 */
const MOST_CHARACTERS = 16_384;
const LONGEST = 600;
const MOST = 10;
/** How many paths of one line are looked at. */
const MOST_PATHS = 16;

const DENIED =
  /permission denied|read-only file system|operation not permitted|device or resource busy|invalid cross-device link|\b(?:EACCES|EROFS|EPERM|EBUSY|EXDEV)\b/i;
const ABSENT = /no such file or directory|directory nonexistent|does not exist|\bENOENT\b|cannot find|not found/i;
/** Words of a program that wanted to make or change something. */
const MAKES = /\bcannot (?:create|touch|move|remove|make|open for writing)|\b(?:mkdir|creat\w*|writ\w+)\b/i;

/** Messages of a name that no server was asked for, and of a socket that was not made. */
const NETWORK = [
  /could not resolve (?:host(?:name)?|proxy)[: ]+'?([\w.-]+)/i,
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND|EPERM) ([\w.-]+)/,
  /connect (?:EPERM|EACCES|ENETUNREACH) ([\w.:[\]-]+)/,
  /(?:dial (?:tcp|udp)|lookup)[: ]+(?:lookup )?([\w.:[\]-]+)/,
  /failed to (?:connect|resolve) (?:to |address for )?'?([\w.:[\]-]+)/i,
  /unable to (?:access|resolve|connect to) '?(?:\w+:\/\/)?(?:host address )?['"‘]?([\w.-]+)/i,
  /https?:\/\/([\w.-]+)[^\n]*(?:failed|error|unreachable|resolve)/i,
  /(?:failed|error)[^\n]*https?:\/\/([\w.-]+)/i,
];
const NO_NETWORK =
  /temporary failure in name resolution|name or service not known|network is unreachable|\bEAI_AGAIN\b/i;

/** Something between quotes, or a word with a slash in it. */
const QUOTED = /['"`‘“«]([^'"`’”»\n]{1,4096})['"`’”»]/g;
const WORD = /(?:^|[\s=:(])((?:~|\.{0,2})\/[^\s'"`:;,()<>|]+|[\w.@-]+(?:\/[\w.@-]+)+)/g;
/** What a shell says in front of a reason: `sh: 1: cannot create NAME: …`, `bash: NAME: …`, `rm: NAME: …`. */
const BEFORE_REASON =
  /([^\s:][^:\n]*?): (?:permission denied|read-only file system|operation not permitted|device or resource busy|no such file or directory|directory nonexistent)/gi;

/** What this plan refused, by the output of its command. */
export function refusalsIn(output: string, plan: LaunchPlan): ConfinementRefusal[] {
  const found = new Map<string, ConfinementRefusal>();
  const lines = output.slice(-MOST_CHARACTERS).split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.length > LONGEST) continue;
    // An output that was cut may end within a name: a line that ends has it whole.
    for (const refusal of refusalsOf(line, plan, at < lines.length - 1)) {
      if (found.size < MOST) found.set(`${refusal.kind} ${refusal.target}`, refusal);
    }
  }
  const all = [...found.values()];
  // With a named host, an unnamed one says nothing more.
  return all.filter(
    ({ kind, target }) => target !== null || !all.some((each) => each.kind === kind && each.target !== null),
  );
}

function refusalsOf(line: string, plan: LaunchPlan, isEnded: boolean): ConfinementRefusal[] {
  if (plan.network !== 'loopback' || NO_NETWORK.test(line)) {
    const host = NETWORK.flatMap((message) => hostIn(message, line, isEnded) ?? [])[0];
    if (host !== undefined && isHost(host))
      return [{ kind: 'network', target: host, text: `connecting to ${host}`, canBeGiven: true }];
    if (NO_NETWORK.test(line)) return [NO_HOST];
  }
  const isDenied = DENIED.test(line);
  if (!isDenied && !ABSENT.test(line)) return [];
  if (isDenied && /\bsocket\b/i.test(line)) return [NO_HOST];
  const makes = isDenied || MAKES.test(line);
  return pathsIn(line, plan.cwd).flatMap((path) => refusalOf(path, plan, { isDenied, makes }) ?? []);
}

/** A host that a message names whole: behind it is no letter, and it is not cut. */
function hostIn(message: RegExp, line: string, isEnded: boolean): string | undefined {
  const match = message.exec(line);
  const found = match?.[1];
  if (match === null || found === undefined) return undefined;
  const rest = line.slice(match.index + match[0].indexOf(found) + found.length);
  const isCut = /^[\p{L}\p{N}\u2026]/u.test(rest) || found.endsWith('..') || (rest === '' && !isEnded);
  return isCut ? undefined : found.replace(/[:.]+$/, '');
}

const NO_HOST: ConfinementRefusal = {
  kind: 'network',
  target: null,
  text: 'connecting to the network',
  canBeGiven: false,
};

/** A name with a dot, an address, or one of those with a port; no name of a file, a line or an error. */
const isHost = (text: string): boolean =>
  /^(?:[\w-]+\.)+[\w-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$|^localhost(?::\d+)?$/i.test(text);

function pathsIn(line: string, cwd: string): string[] {
  const words = [...line.matchAll(QUOTED), ...line.matchAll(WORD)].map(([, word = '']) => word);
  // What ends with a quote has its name between quotes.
  const before = [...line.matchAll(BEFORE_REASON)].map(([, word = '']) => word);
  const said = before.filter((word) => !/['"`’”»]$/.test(word)).map(nameIn);
  const names = [...words.flatMap((word) => [word, nameIn(word)]), ...said];
  return [...new Set(names.filter((name) => name !== '').map((name) => resolve(cwd, name)))].slice(0, MOST_PATHS);
}

/** The name in what a program says of it: `cannot open NAME`, `opening /NAME`. */
function nameIn(words: string): string {
  const name = words.replace(/^.*\bcannot (?:create|open|access) (?:file )?/, '');
  return /^[~./]/.test(name) ? name : name.replace(/^.*?\s(?=(?:~|\.{0,2})\/)/, '');
}

/** Whether the plan refuses this path, and what; nothing where it gave it, or where there is nothing outside. */
function refusalOf(
  path: string,
  plan: LaunchPlan,
  { isDenied, makes }: { isDenied: boolean; makes: boolean },
): ConfinementRefusal | undefined {
  const real = realOf(path);
  const among = (places: readonly string[]) => isAmong(real, places);
  const reading: ConfinementRefusal = { kind: 'read', target: real, text: `reading ${real}`, canBeGiven: true };
  const writing: ConfinementRefusal = { kind: 'write', target: real, text: `writing ${real}`, canBeGiven: true };
  // It stays hidden, or protected, even if the command is given more.
  if (among(plan.hide)) return isDenied ? { ...reading, canBeGiven: false } : undefined;
  if (among(plan.protect)) return isDenied ? { ...writing, canBeGiven: false } : undefined;
  if (among([...plan.write, ...OWN])) return undefined;
  if (among(plan.read)) return isDenied ? writing : undefined;
  if (among(plan.private)) return exists(real) && !makes ? reading : undefined;
  // What is not there outside either was not refused.
  if (exists(real)) return makes ? writing : reading;
  return makes && exists(resolve(real, '..')) ? writing : undefined;
}

/** What every command has of its own. */
const OWN = ['/tmp', '/var/tmp', '/dev', '/proc'];

/** Where a path leads. A missing one leads where its folder does. */
function realOf(path: string): string {
  if (!isAbsolute(path)) return path;
  if (exists(path)) return realPath(path);
  const above = resolve(path, '..');
  return above === path ? path : resolve(realOf(above), path.slice(above.length).replace(/^\/+/, ''));
}
