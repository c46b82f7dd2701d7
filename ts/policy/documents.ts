/** A policy in any of its forms, as the core takes it. */
import type { Policy, PolicyCondition, PolicyDocument, PolicyInput } from '../../index.js';
import { InvalidConfigError } from '../errors/index.js';
import type { NativeDocument } from '../native.js';

const PRESET = 'preset:';

/** What makes a `Policy` one, so that an object that merely looks like it is read as a document. */
const MADE = new WeakSet<object>();

export function madePolicy(policy: Policy): Policy {
  MADE.add(policy);
  return Object.freeze(policy);
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
  for (const each of inputsOf(input)) {
    const policy = policyOf(each, place);
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

function policyOf(input: PolicyInput, place: string): Policy {
  if (typeof input === 'string') return presetOf(input, place);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InvalidConfigError({
      message: `${place}: policy must be a document, what definePolicy or loadPolicy gave, or the name of a preset.`,
    });
  }
  if (MADE.has(input)) return input as Policy;
  return { name: 'policy option', text: textOf(input as PolicyDocument, place), format: 'object', conditions: [] };
}

function presetOf(name: string, place: string): Policy {
  if (name.startsWith(PRESET))
    return { name, text: name.slice(PRESET.length), format: 'preset', conditions: [] } as never;
  throw new InvalidConfigError({
    message: `${place}: there is no preset ${JSON.stringify(name)}. For a file use await loadPolicy(path), for text parsePolicy(text).`,
  });
}

/** @throws {InvalidConfigError} for what JSON cannot say */
export function textOf(document: PolicyDocument, place: string): string {
  try {
    return JSON.stringify(document, refuseUnsayable);
  } catch (cause) {
    if (cause instanceof InvalidConfigError) throw cause;
    throw new InvalidConfigError({ message: `${place}: the policy is not plain data.`, cause });
  }
}

/** What JSON would leave out in silence could have been a deny, or all that an allow was meant for. */
function refuseUnsayable(key: string, value: unknown): unknown {
  if (value === undefined) {
    throw new InvalidConfigError({
      message: `A policy object holds undefined at ${JSON.stringify(key)}: leave the key out if that is meant.`,
    });
  }
  if (typeof value !== 'function' && typeof value !== 'symbol') return value;
  throw new InvalidConfigError({
    message: `A policy object holds a ${typeof value} at ${JSON.stringify(key)}: functions go into definePolicy([{ if: … }]).`,
  });
}
