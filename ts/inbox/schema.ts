/** Whether arguments that a human wrote fit the tool, by the JSON Schema that is kept with the request. */
import { format, Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import type { ApprovalRecord } from '../../index.js';
import { oneLine } from '../gate/in-a-line.js';
import type { LocalGate } from '../gate/gate.js';
import { fitsPattern } from '../native.js';
import type { ProblemAnswer } from './protocol.js';

/** The schema of the tool's input; `null`: it is not known here. */
export async function schemaOf(gate: LocalGate, record: ApprovalRecord): Promise<object | null> {
  return record.kind === 'question' ? null : gate.schemaOf(record.approvalId);
}

/** What is wrong with them; nothing: they fit. A schema that cannot be understood says nothing: the loop looks itself. */
export function problemsOf(schema: object | null, args: unknown): ProblemAnswer[] {
  if (schema === null) return [];
  const errors = errorsOf(schema, args);
  // What holds others says only that one of them is wrong.
  const leaves = errors.filter(
    ({ instanceLocation, keyword }, at) =>
      !CONTAINERS.includes(keyword) ||
      !errors.some((other, index) => index !== at && other.instanceLocation.startsWith(`${instanceLocation}/`)),
  );
  return leaves.slice(0, MOST).map(({ instanceLocation, keyword, error }) => ({
    path: oneLine(pointerOf(instanceLocation)),
    message: keyword === 'false' ? 'The tool knows nothing of this.' : oneLine(error),
  }));
}

function errorsOf(schema: object, args: unknown): OutputUnit[] {
  const patterns: string[] = [];
  try {
    // References that refer to each other may double the work with each step.
    if (JSON.stringify(schema).split('"$ref"').length > MOST_REFERENCES) return [];
    const safe = withoutExpressions(schema, patterns) as Schema;
    // The validator knows formats by name, and takes those that are added. It ends before anybody else can look.
    patterns.forEach((pattern, at) => (format[nameOf(at)] = (text) => fitsPattern(pattern, text) ?? true));
    const { errors } = new Validator(safe, draftOf(schema), false).validate(args);
    return errors.map((error) =>
      error.keyword === 'format' && error.error.includes(NAMED)
        ? { ...error, error: 'String does not match pattern.' }
        : error,
    );
  } catch {
    return [];
  } finally {
    for (const at of patterns.keys()) delete format[nameOf(at)];
  }
}

/** More references than this are not followed: the loop looks itself. */
const MOST_REFERENCES = 12;

const NAMED = 'countersign-pattern-';
const nameOf = (at: number) => `${NAMED}${at}`;

/** Formats that are checked by an expression that no text can hold. */
const FORMATS: readonly unknown[] = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'ipv6'];

/** Where a schema holds values that count to the letter. A property may have such a name, and then it holds a schema. */
const VALUES = ['const', 'enum'];

/**
 * The schema with each `pattern` as a format that asks the core. The provider of a tool chooses its schema, and the engine of
 * JavaScript can be held for minutes by a short text. What cannot be asked like that is left out: the loop looks itself.
 */
function withoutExpressions(schema: unknown, patterns: string[]): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutExpressions(each, patterns));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = {};
  const named = 'patternProperties' in schema;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string') continue;
    if (key === 'format' && typeof value === 'string' && !FORMATS.includes(value)) continue;
    // It compares all with all, which takes hours where there is much.
    if (key === 'uniqueItems') continue;
    if (named && ['patternProperties', 'additionalProperties', 'unevaluatedProperties'].includes(key)) continue;
    const safe = withoutExpressions(value, patterns);
    if (VALUES.includes(key) && JSON.stringify(safe) !== JSON.stringify(value)) continue;
    copy[key] = safe;
  }
  const { pattern } = schema as { pattern?: unknown };
  if (typeof pattern === 'string') {
    const asked = { format: nameOf(patterns.push(pattern) - 1) };
    const all = Array.isArray(copy['allOf']) ? (copy['allOf'] as unknown[]) : [];
    Object.assign(copy, 'format' in copy ? { allOf: [...all, asked] } : asked);
  }
  return copy;
}

/** Of a place that stands as a part of an address. */
function pointerOf(location: string): string {
  try {
    return decodeURIComponent(location.slice(1));
  } catch {
    return location.slice(1);
  }
}

/** More than these do not help. */
const MOST = 50;

const CONTAINERS = ['properties', 'items', 'prefixItems', 'additionalProperties', '$ref', 'allOf', 'patternProperties'];

function draftOf(schema: object): '4' | '7' | '2019-09' | '2020-12' {
  const { $schema: named } = schema as { $schema?: unknown };
  if (typeof named !== 'string') return '7';
  if (named.includes('draft-04')) return '4';
  return named.includes('2020-12') ? '2020-12' : named.includes('2019-09') ? '2019-09' : '7';
}
