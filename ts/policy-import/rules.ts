/** Rules of theirs and of ours, and the names of tools that both speak of. */
import type { PolicyEffect } from '../wire.js';
import type { Place } from './text.js';
import type { Token } from './words.js';

/** The tools with a built-in reading that run command lines. */
export const SHELLS = ['execute', 'bash', 'shell'] as const;
/** Those that read files. */
export const READERS = ['read_file', 'ls', 'glob', 'grep'] as const;
/** Those that write files. */
export const WRITERS = ['write_file', 'edit_file'] as const;
/** Those that only fetch. */
export const FETCHERS = ['fetch_url', 'web_fetch'] as const;

/** The usual names of the tools with a built-in reading, by what they do. */
const BY_USE = {
  run: [
    ...SHELLS,
    'run_command',
    'run_shell_command',
    'terminal',
    'execute_command',
    'run_terminal_cmd',
    'run_terminal_command',
  ],
  read: ['read_file', 'view_file', 'read_multiple_files', 'read_many_files', 'read'],
  list: ['ls', 'list_files', 'list_directory', 'list_dir', 'directory_tree'],
  glob: ['glob'],
  search: ['grep', 'search_files', 'search_file_content', 'search'],
  write: ['write_file', 'create_file', 'append_file', 'create_directory', 'make_directory', 'write'],
  edit: ['edit_file', 'multi_edit', 'str_replace', 'notebook_edit', 'edit'],
  move: ['delete_file', 'remove_file', 'delete_directory', 'remove_directory', 'move_file', 'rename_file', 'copy_file'],
  fetch: ['fetch_url', 'web_fetch', 'http_request', 'fetch'],
} as const;

/** What tools with a built-in reading do. */
export type ToolUse = keyof typeof BY_USE;

/** A deny or an ask of tools that do this is for all of their names, in each spelling: which one a tool of yours has is not known. */
export const namesFor = (...uses: readonly ToolUse[]): string[] =>
  uses.flatMap((use) => BY_USE[use]).flatMap((name) => [...new Set([name, ...spellingsOf(name)])]);

/**
 * What `server_tool` is called here: `mcp__server__tool`. Where the name of the server ends cannot be told when it has a `_`
 * itself, so that each place counts: a deny must not be lost.
 */
export function onServers(joined: string): string[] {
  const names: string[] = [];
  for (let at = joined.indexOf('_', 1); at !== -1; at = joined.indexOf('_', at + 1))
    names.push(`mcp__${joined.slice(0, at)}__${joined.slice(at + 1)}`);
  // The pattern may go on over both names.
  return joined.includes('*') || names.length === 0 ? [...names, `mcp__${joined}`] : names;
}

function spellingsOf(name: string): string[] {
  const pascal = name.replaceAll(/(?:^|_)[a-z]/g, (start) => start.slice(-1).toUpperCase());
  return [pascal.charAt(0).toLowerCase() + pascal.slice(1), pascal, name.replaceAll('_', '-')];
}

/** A rule of theirs. */
export interface ForeignRule {
  /** As it is written. */
  what: string;
  at: Place;
  effect: PolicyEffect;
  reason?: string | undefined;
}

/** A rule of ours: at most one command, as its words. */
export interface OwnRule {
  effect: PolicyEffect;
  reason?: string | undefined;
  tools?: readonly string[];
  command?: readonly Token[];
  reads?: readonly string[];
  writes?: readonly string[];
  urls?: readonly string[];
}

/** One rule of ours, and what is to be minded when all are put together. */
export interface DraftItem {
  rule: OwnRule;
  foreign: ForeignRule;
  /** An allow that may only match whole commands. */
  closed: boolean;
  /** It matches more than theirs does. */
  wider: boolean;
}

/** What a word may be; `undefined`: what is not spelled out. */
export function textsOf(token: Token): readonly string[] | undefined {
  if (token.kind === 'text') return [token.text];
  return token.kind === 'oneOf' ? token.texts : undefined;
}
