/** Whether arguments that a human wrote fit the tool, by the JSON Schema that is kept with the request. */
import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import type { ApprovalRecord } from '../../index.js';
import { oneLine } from '../gate/in-a-line.js';
import type { LocalGate } from '../gate/gate.js';
import type { Problem } from './protocol.js';

/** The schema of the tool's input; `null`: it is not known here. */
export async function schemaOf(gate: LocalGate, record: ApprovalRecord): Promise<object | null> {
  return record.kind === 'question' ? null : gate.schemaOf(record.approvalId);
}

/** What is wrong with them; nothing: they fit. A schema that cannot be understood says nothing: the loop looks itself. */
export function problemsOf(schema: object | null, args: unknown): Problem[] {
  if (schema === null) return [];
  let errors: OutputUnit[];
  try {
    ({ errors } = new Validator(schema as Schema, draftOf(schema), false).validate(args));
  } catch {
    return [];
  }
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

/** Of a place that stands as a part of an address. */
function pointerOf(location: string): string {
  try {
    return decodeURIComponent(location.slice(1));
  } catch {
    return location.slice(1);
  }
}

/** More than these help nobody. */
const MOST = 50;

const CONTAINERS = ['properties', 'items', 'prefixItems', 'additionalProperties', '$ref', 'allOf', 'patternProperties'];

function draftOf(schema: object): '4' | '7' | '2019-09' | '2020-12' {
  const { $schema: named } = schema as { $schema?: unknown };
  if (typeof named !== 'string') return '7';
  if (named.includes('draft-04')) return '4';
  return named.includes('2020-12') ? '2020-12' : named.includes('2019-09') ? '2019-09' : '7';
}
