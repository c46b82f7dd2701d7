/** What the core reads, checks and writes of policy documents and settings. */
import type { PolicyFinding } from '../../index.js';
import { binding, open, operationText } from '../addon.js';
import type {
  AcceptedRules,
  DocumentOperations,
  NarrowedOffer,
  NativeDocument,
  NativeGitFiles,
  NativeSettings,
  NativeTree,
  PatternKind,
  TreeFormat,
  TrustedPolicy,
} from '../wire.js';

/** What is asked about policies as they are written. */
function documents<NAME extends keyof DocumentOperations>(
  operation: NAME,
  takes: DocumentOperations[NAME]['takes'],
): DocumentOperations[NAME]['answers'] {
  return open(binding.callDocumentsNow(operationText(operation, takes)));
}

/** The same for what looks at files. */
async function documentsLater<NAME extends keyof DocumentOperations>(
  operation: NAME,
  takes: DocumentOperations[NAME]['takes'],
): Promise<DocumentOperations[NAME]['answers']> {
  return open(await binding.callDocuments(operationText(operation, takes)));
}

/** Fails with `ERR_POLICY` (`problems`) unless these documents can be read. */
export function checkDocuments(given: NativeDocument[]): void {
  documents('check', { documents: given });
}

/** What is probably not meant. Fails with `ERR_POLICY`. */
export function lintDocuments(given: NativeDocument[], toolNames: readonly string[] | null): PolicyFinding[] {
  return documents('lint', { documents: given, toolNames });
}

/** What a TOML or JSON text says, with the place of each part. JSON may have comments, and a key of it may stand twice. */
export function readTree(text: string, format: TreeFormat): NativeTree {
  return documents('tree', { text, format });
}

/** A policy object as TOML. Fails with `ERR_POLICY`. */
export function writeToml(name: string, document: object): string {
  return documents('toml', { name, document });
}

/** Why a rule does not take a pattern; `null`: it does. */
export function patternFault(pattern: string, of: PatternKind): string | null {
  return documents('patternFault', { pattern, of });
}

/** The names of the tools that have a built-in reading, in snake case. */
export function builtinTools(): string[] {
  return documents('builtinTools', {});
}

/** Trusts the policy of the project that this directory is in, as it is now. Fails with `ERR_POLICY`. */
export function trust(directory: string): Promise<TrustedPolicy> {
  return documentsLater('trust', { directory });
}

/** What is remembered in the place of an offer. Fails with `ERR_INVALID_DECISION` where it is not proven to be narrower. */
export function narrowOffer(narrow: DocumentOperations['narrow']['takes']): NarrowedOffer {
  return documents('narrow', narrow);
}

/** Puts rules that were shown into the policy of a project. Fails when what stands there is not what was shown. */
export function acceptRules(rules: DocumentOperations['accept']['takes']): Promise<AcceptedRules> {
  return documentsLater('accept', rules);
}

/** `false`: it was not trusted. */
export function untrust(directory: string): Promise<boolean> {
  return documentsLater('untrust', { directory });
}

export function trusted(): Promise<TrustedPolicy[]> {
  return documentsLater('trusted', {});
}

/** The values of a TOML text, in their order, or the place of its first mistake. */
export function readSettings(toml: string): NativeSettings {
  return documents('settings', { toml });
}

/** The project that this directory is in: the nearest one upward with `.countersign` or `.git`, else itself. */
export function projectDirectory(directory: string): string {
  return documents('project', { directory });
}

/** What git runs or obeys of the files in these folders, for a user with these homes, and what it would if it were there. */
export function runByGit(folders: readonly string[], homes: readonly string[]): NativeGitFiles {
  return documents('runByGit', { folders, homes });
}

/** Secrets among what toolchains keep in a home: paths below it. */
export function toolchainSecrets(): readonly string[] {
  return documents('toolchainSecrets', {});
}

/** Whether one of these patterns of addresses surely means this address. */
export function isMeant(patterns: readonly string[], url: string): boolean {
  return documents('isMeant', { patterns, url });
}

/** The text of a preset; `null`: no preset has that name. */
export function presetText(name: string): string | null {
  return documents('preset', { name });
}
