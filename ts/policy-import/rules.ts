/** Rules of theirs and of ours, and the names of tools that both speak of. */
import { othersOf, spellingsOf } from '../options/usual-names.js';
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

/**
 * What a deny or an ask of a tool without a reading is for: the name in each spelling, and the usual others. A pattern over names
 * is for all that go by one that it means.
 */
export function namesLike(name: string): string[] {
  if (name === '*' || name.startsWith('mcp__')) return [name];
  const isPattern = /[*?]/.test(name);
  const own = isPattern ? [] : spellingsOf(name);
  return [...new Set([name, ...own, ...othersOf((each) => isNamedBy(name, each) || own.includes(each))])];
}

/** Whether a pattern over names, with `*` and `?`, means this one. */
export function isNamedBy(pattern: string, name: string): boolean {
  const signs = pattern.replaceAll(/[^\w*?]/g, String.raw`\$&`);
  return new RegExp(`^${signs.replaceAll(/\*+/g, '.*').replaceAll('?', '.')}$`, 's').test(name);
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
