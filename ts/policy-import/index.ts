/**
 * Policies of other products, read as ours.
 *
 * What comes out is never looser than what went in. Where ours cannot say exactly what theirs says, an allow is narrowed or left
 * out, and an ask or a deny is widened; each such place is a loss. Three differences hold for every rule and are no losses:
 *
 * - theirs are mostly patterns over the *text* of a command, ours are over its *words*, so that quotes and spaces do not matter;
 * - what a product allows or forbids out of the box stands in no file and is not imported: what no rule speaks of asks;
 * - asks and denies of commands also bite `/usr/bin/rm` where `rm` is written, and every tool that runs command lines; allows are
 *   for the tools with a built-in reading alone.
 *
 * TOML and JSON are read by the core, which also writes the policy: nothing is parsed in two ways. The calls of Codex are read here.
 */
import type { ForeignPolicyFormat } from '../../index.js';
import { PolicyError } from '../errors/index.js';
import { writeToml } from '../native.js';
import { readClaudeCode } from './claude.js';
import { readCodex } from './codex.js';
import type { ImportedPolicy, PolicyDraft } from './draft.js';
import { readGemini } from './gemini.js';
import { readOpencode } from './opencode.js';
import { ImportFault, NOWHERE, SourceText } from './text.js';
import { readVscode } from './vscode.js';

/** Longer texts are refused, in bytes. */
export const LONGEST = 1 << 20;

const READERS: Readonly<Record<ForeignPolicyFormat, (source: SourceText) => PolicyDraft>> = {
  'claude-code': readClaudeCode,
  codex: readCodex,
  'gemini-cli': readGemini,
  opencode: readOpencode,
  vscode: readVscode,
};

/** A policy as TOML, and what could not be said exactly. */
export interface ImportedDocument {
  toml: string;
  losses: { what: string; line: number | null; why: string; effect: 'stricter' | 'dropped' }[];
}

/**
 * Reads a policy of another product as one of ours.
 *
 * @throws {PolicyError} when the text is not of that format, is longer than {@link LONGEST}, or holds something that might be a
 *   deny and is not understood
 */
export function importDocument(format: string, text: string, name: string): ImportedDocument {
  const { document, losses } = readForeign(format, text, name);
  return {
    toml: writeToml(name, document),
    losses: losses.map(({ what, at, why, effect }) => ({ what, line: at.line > 0 ? at.line : null, why, effect })),
  };
}

/** The same as an object. */
export function readForeign(format: string, given: string, name: string): ImportedPolicy {
  const text = given.toWellFormed();
  try {
    if (!Object.hasOwn(READERS, format)) {
      const names = Object.keys(READERS).join(', ');
      throw new ImportFault(`\`${format}\` cannot be imported from; write ${names}`, NOWHERE);
    }
    if (new TextEncoder().encode(text).length > LONGEST)
      throw new ImportFault(`the text is longer than ${LONGEST} bytes; import it in parts`, NOWHERE);
    return READERS[format as ForeignPolicyFormat](new SourceText(text.replace(/^\ufeff/, ''))).finish();
  } catch (error) {
    if (!(error instanceof ImportFault)) throw error;
    const { line, column } = error.at;
    const known = line > 0;
    const message = `${name}${known ? `:${line}:${column}` : ''}: ${error.message}`;
    const place = { line: known ? line : null, column: known ? column : null };
    throw new PolicyError({ problems: [{ code: 'ERR_POLICY_SYNTAX', message, source: name, ...place }], cause: error });
  }
}
