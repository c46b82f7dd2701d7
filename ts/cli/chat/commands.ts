/** Lines that begin with `/`: which there are, and what they may become. What they do is in `deeds.ts`. */
import { nearestOf } from '../../options/nearest.js';
import { oneLine } from '../style.js';
import type { ChatCommand } from './view.js';

export const COMMANDS: readonly ChatCommand[] = [
  { name: 'approve', usage: '/approve [on | off]', help: 'Auto-approve on or off: what policies deny stays denied' },
  { name: 'policy', usage: '/policy [PAGE | COMMAND]', help: 'the active rules, or their verdict on a command line' },
  { name: 'pending', usage: '/pending', help: 'requests that wait, over all runs of the ledger' },
  { name: 'grants', usage: '/grants [revoke ID]', help: 'lists remembered decisions, or revokes one' },
  { name: 'runs', usage: '/runs', help: 'runs of the ledger, the latest first' },
  { name: 'resume', usage: '/resume [ID]', help: 'continues an unfinished run; without an ID the latest' },
  { name: 'model', usage: '/model [ID]', help: 'the model, or another one from now on' },
  { name: 'clear', usage: '/clear', help: 'a new conversation: the model forgets this one' },
  { name: 'help', usage: '/help', help: 'these commands' },
  { name: 'quit', usage: '/quit', help: 'leaves' },
];

const ALSO: Readonly<Record<string, string>> = { exit: 'quit', '?': 'help' };

/** A line as a command; `undefined`: it is a prompt. */
export function readCommand(line: string): { name: string; rest: string } | undefined {
  const found = /^\/([^\s/]*)(?:\s+([^]*))?$/.exec(line.trim());
  if (found === null) return undefined;
  const [, typed = '', rest = ''] = found;
  const name = typed.toLowerCase();
  return { name: Object.hasOwn(ALSO, name) ? ALSO[name]! : name, rest: rest.trim() };
}

export const isCommand = (name: string): boolean => COMMANDS.some((command) => command.name === name);

/** What was probably meant. */
export const nearest = (name: string): string | undefined =>
  nearestOf(
    name,
    COMMANDS.map((command) => command.name),
  );

/** Why a line is a command, or a misspelt one, and no answer; `undefined`: it is words, or a path. */
export function slipIn(line: string): string | undefined {
  const command = readCommand(line);
  if (command === undefined) return undefined;
  const name = `/${oneLine(command.name)}`;
  if (isCommand(command.name)) return `${name} is a command, for when nothing waits`;
  const meant = nearest(command.name);
  return meant === undefined ? undefined : `${name} is not a command (did you mean /${meant}?)`;
}

/** The same where a reason is written: one word that begins with `/` is no reason. */
export function slipInReason(line: string): string | undefined {
  const command = readCommand(line);
  const isWord = command !== undefined && command.rest === '';
  return slipIn(line) ?? (isWord ? `/${oneLine(command.name)} is neither a command nor a reason` : undefined);
}

/** Ids that arguments may be. */
export interface KnownIds {
  runs: readonly string[];
  grants: readonly string[];
}

/** What a line may become, the whole lines. */
export function complete(line: string, known: KnownIds): string[] {
  const found = /^\/(\S*)(\s+)?([^]*)$/.exec(line);
  if (found === null) return [];
  const [, name = '', space, rest = ''] = found;
  if (space === undefined)
    return COMMANDS.filter((command) => command.name.startsWith(name.toLowerCase())).map(({ name }) => `/${name}`);
  const values =
    name === 'resume'
      ? known.runs
      : name === 'approve'
        ? ['on', 'off']
        : name === 'grants'
          ? ['revoke', ...known.grants.map((id) => `revoke ${id}`)]
          : [];
  return values.filter((value) => value.startsWith(rest) && value !== rest).map((value) => `/${name} ${value}`);
}
