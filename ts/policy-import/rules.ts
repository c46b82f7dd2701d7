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
