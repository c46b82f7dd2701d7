/** Arguments as a form, where each of them is a text, a number, a choice, or yes or no. Everything else is edited as JSON. */
import type { ApprovalRecord } from '../../index.js';
import { REASON, REASON_HELP, shownArgs, type ReasonedCall } from '../gate/agent-reason.js';
import { textOfCall } from '../gate/text-field.js';
import { ownValue } from '../values/own-value.js';
import { fitsField } from './fits-field.js';
import type { FormField } from './protocol.js';
import { brief } from './view.js';

/** A longer form is no help. */
const MOST_FIELDS = 20;
const MOST_CHOICES = 100;
/** A longer text has several lines. */
const LONG = 80;
/** What a name of an argument is that reads as what it is. */
const PLAIN_NAME = /^[\w.$-]{1,80}$/;

type EditedCall = Pick<ApprovalRecord, 'contents'> & ReasonedCall;

/** `null`: they are not whole here, or one of them has no field that shows all of it. */
export function formOf(record: EditedCall, schema: object | null): FormField[] | null {
  // What the agent says of it stays what it said.
  const args = shownArgs(record);
  const properties = ownValue(schema, 'properties');
  if (record.contents !== 'kept' || ownValue(schema, 'type') !== 'object') return null;
  if (!isRecord(args) || !isRecord(properties)) return null;
  const listed = ownValue(schema, 'required');
  const required: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const main = textOfCall(args)?.name;
  const fields = Object.entries(properties).flatMap(([name, said]): FormField[] => {
    const value = ownValue(args, name);
    if (name === REASON && isForAgent(record.args !== args, said, value)) return [];
    const field = fieldOf(name, said, value, name === main);
    return field === undefined ? [] : [{ ...field, isRequired: required.includes(name) }];
  });
  const names = new Set(fields.map(({ name }) => name));
  if (fields.length > MOST_FIELDS || Object.keys(args).some((name) => !names.has(name))) return null;
  // What the call is about comes first.
  return fields.toSorted((one, other) => Number(other.name === main) - Number(one.name === main));
}

/** Whether the argument has what the agent says of the call, or, as it said nothing, would have it. */
const isForAgent = (isSaid: boolean, said: unknown, value: unknown): boolean =>
  isSaid || (value === undefined && ownValue(said, 'description') === REASON_HELP);

/** `undefined`: there is no field for it. */
function fieldOf(name: string, said: unknown, value: unknown, isMain: boolean): FormField | undefined {
  if (!PLAIN_NAME.test(name) || !isRecord(said)) return undefined;
  // What more schemas say of it a field does not know.
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'const', 'if'].some((key) => Object.hasOwn(said, key)))
    return undefined;
  const help = typeof said['description'] === 'string' ? brief(said['description'], 200) : null;
  const plain = { name, help, choices: [], isRequired: false };
  const { type, enum: choices } = said;
  if (choices !== undefined) {
    const isSimple =
      Array.isArray(choices) &&
      choices.length <= MOST_CHOICES &&
      choices.every((each) => typeof each === 'string' && each !== '' && fitsField(each) && !each.includes('\n'));
    if (!isSimple || !(value === undefined || choices.includes(value))) return undefined;
    return { ...plain, kind: 'choice', choices: choices as string[] };
  }
  switch (type) {
    case 'string':
      if (!(value === undefined || (typeof value === 'string' && fitsField(value)))) return undefined;
      return { ...plain, kind: isMain || isLong(value) ? 'lines' : 'text' };
    case 'number':
    case 'integer':
      return value === undefined || typeof value === 'number' ? { ...plain, kind: 'number' } : undefined;
    case 'boolean':
      return value === undefined || typeof value === 'boolean' ? { ...plain, kind: 'flag' } : undefined;
    default:
      return undefined;
  }
}

const isLong = (value: unknown): boolean => typeof value === 'string' && (value.length > LONG || value.includes('\n'));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
