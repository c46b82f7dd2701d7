/** A policy in any of its forms, as the core takes it. */
import type { Policy, PolicyCondition, PolicyInput } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import { otherCopy } from '../errors/other-copy.js';
import type { NativeDocument } from '../native.js';
import { fixed, plainData } from '../options/plain.js';

const PRESET = 'preset:';

/** What makes a `Policy` one, so that an object that merely looks like it is read as a document. */
const MADE = new WeakSet<object>();

export function madePolicy(policy: Policy): Policy {
  MADE.add(policy);
  Object.freeze(policy.conditions);
  return fixed(policy);
}

/** Whether it is a `Policy`, which never changes. A document may, also a frozen one: its rules are objects of their own. */
export function isMade(policy: unknown): policy is Policy {
  return typeof policy === 'object' && policy !== null && MADE.has(policy);
}

/** The documents, and the functions that their conditions are numbered by. */
export interface PolicyDocuments {
  documents: NativeDocument[];
  conditions: PolicyCondition[];
}

/** @throws {InvalidConfigError} for what is no policy at all */
export function documentsOf(input: PolicyInput | readonly PolicyInput[] | undefined, place: string): PolicyDocuments {
  const documents: NativeDocument[] = [];
  const conditions: PolicyCondition[] = [];
  const isList = Array.isArray(input);
  for (const [index, each] of inputsOf(input).entries()) {
    const policy = policyOf(each, place, isList ? `policy[${index}]` : 'policy');
    const { name, format } = policy;
    documents.push({ name, format, text: renumbered(policy, conditions.length) });
    conditions.push(...policy.conditions);
  }
  return { documents, conditions };
}

/** Each policy counts its functions from 0: here they stand in one list. */
function renumbered({ text, conditions }: Policy, first: number): string {
  if (first === 0 || conditions.length === 0) return text;
  const document = JSON.parse(text) as { rule: { condition?: number }[] };
  for (const rule of document.rule) if (rule.condition !== undefined) rule.condition += first;
  return JSON.stringify(document);
}

function inputsOf(input: PolicyInput | readonly PolicyInput[] | undefined): readonly PolicyInput[] {
  if (input === undefined) return [];
  return Array.isArray(input) ? (input as readonly PolicyInput[]) : [input as PolicyInput];
}

function policyOf(input: PolicyInput, place: string, name: string): Policy {
  if (typeof input === 'string') return presetOf(input, place);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidConfigError({
      message: `${place}: policy must be a document, what definePolicy or loadPolicy gave, or the name of a preset.`,
    });
  }
  if (MADE.has(input)) return input as Policy;
  if (isMadeElsewhere(input))
    throw otherCopy(`${place}: ${name} is not the very object that definePolicy or loadPolicy gave, or`);
  return { name: 'policy option', text: textOf(input, `${place}: ${name}`), format: 'object', conditions: [] };
}

/** Each copy of this package knows those that it made, which have what no document has. */
const isMadeElsewhere = (input: object): boolean =>
  ['text', 'format', 'conditions'].every((name) => Object.hasOwn(input, name));

function presetOf(name: string, place: string): Policy {
  if (name.startsWith(PRESET))
    return { name, text: name.slice(PRESET.length), format: 'preset', conditions: [] } as never;
  throw new InvalidConfigError({
    message: `${place}: there is no preset ${JSON.stringify(name)}. For a file use await loadPolicy(path), for text parsePolicy(text).`,
  });
}

/**
 * A document as JSON.
 *
 * @param place of the document, for the message
 * @throws {InvalidConfigError} for what is no plain data, at any depth: what is left out in silence could have been a deny, or all
 * that an allow was meant for
 */
export const textOf = (document: unknown, place: string): string =>
  JSON.stringify(asInFiles(plainData(document, place, ': functions go into definePolicy([{ if: … }])'), place));

/** Keys of a rule that code writes like every other option, and what they are called in a file. */
const NAMES_IN_FILES: Readonly<Record<string, string>> = { excludeRequester: 'exclude_requester' };

/** The same document, with the names that files have. What is not a document stays as it is: the core says what is wrong with it. */
function asInFiles(document: unknown, place: string): unknown {
  const { rule: rules } = document as { rule?: unknown };
  if (!Array.isArray(rules)) return document;
  const renamed = rules.map((rule: unknown, index) => {
    if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return rule;
    const entries = Object.entries(rule).map(([name, value]) => {
      const inFile = Object.hasOwn(NAMES_IN_FILES, name) ? NAMES_IN_FILES[name]! : name;
      if (inFile !== name && Object.hasOwn(rule, inFile))
        throw new InvalidConfigError({
          message: `${place}.rule[${index}] has ${name} and ${inFile}, which are one option: leave out ${inFile}.`,
        });
      return [inFile, value];
    });
    return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
  });
  return Object.assign(Object.create(null) as object, document, { rule: renamed });
}
