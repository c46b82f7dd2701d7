/**
 * What a tool takes, said once: as JSON Schema for the model, and checked by the same words. It is a Standard Schema, which AI
 * SDK 6 and 7 take, so that making a tool does not load the SDK.
 */
import type { FlexibleSchema } from 'ai';

/** The part of JSON Schema that tools need. */
export type SchemaField = { description?: string } & (
  | { type: 'string'; minLength?: number; maxLength?: number; enum?: readonly string[] }
  | { type: 'integer'; minimum?: number }
  | { type: 'boolean' }
  | { type: 'array'; items: SchemaField; minItems?: number; maxItems?: number }
  | ObjectField
);

interface ObjectField {
  type: 'object';
  properties: Readonly<Record<string, SchemaField>>;
  required: readonly string[];
  additionalProperties: false;
}

/** What is wrong with a value, and where. */
export interface SchemaIssue {
  message: string;
  path: (string | number)[];
}

/** Text that is not empty. */
export const text = (description: string): SchemaField => ({ type: 'string', minLength: 1, description });
/** Text that may be empty. */
export const anyText = (description: string): SchemaField => ({ type: 'string', description });
/** Text that is not empty, of at most `maxLength` characters. */
export const shortText = (maxLength: number, description: string): SchemaField => ({
  type: 'string',
  minLength: 1,
  maxLength,
  description,
});
/** One of these. */
export const choice = (values: readonly string[], description: string): SchemaField => ({
  type: 'string',
  enum: values,
  description,
});
/** A whole number from 1. */
export const count = (description: string): SchemaField => ({ type: 'integer', minimum: 1, description });
export const flag = (description: string): SchemaField => ({ type: 'boolean', description });
export const list = (items: SchemaField, [minItems, maxItems]: [number, number], description: string): SchemaField => ({
  type: 'array',
  items,
  minItems,
  maxItems,
  description,
});

/** An object of these fields and no others. */
export const object = (
  required: Readonly<Record<string, SchemaField>>,
  optional: Readonly<Record<string, SchemaField>> = {},
): ObjectField => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

/**
 * The schema of a tool's input.
 *
 * @param check what the fields alone do not say
 */
export function inputSchema<INPUT>(
  field: ObjectField,
  check: (input: INPUT) => readonly SchemaIssue[] = () => [],
): FlexibleSchema<INPUT> {
  const validate = (value: unknown) => {
    const issues = issuesOf(field, value);
    const found = issues.length > 0 ? issues : check(value as INPUT);
    return found.length > 0 ? { issues: found } : { value: value as INPUT };
  };
  const converter = { input: () => field, output: () => field };
  const schema = { '~standard': { version: 1, vendor: 'countersign', validate, jsonSchema: converter } } as const;
  return schema as unknown as FlexibleSchema<INPUT>;
}

/** What is wrong with this value; nothing: it is as the field says. */
export function issuesOf(field: SchemaField, value: unknown, path: SchemaIssue['path'] = []): SchemaIssue[] {
  const wrong = (what: string): SchemaIssue[] => [{ message: `${nameOf(path)} must be ${what}`, path }];
  switch (field.type) {
    case 'string':
      if (typeof value !== 'string') return wrong('a text');
      if (value.length < (field.minLength ?? 0)) return wrong('a text that is not empty');
      if (field.maxLength !== undefined && [...value].length > field.maxLength)
        return wrong(`a text of at most ${field.maxLength} characters`);
      if (field.enum !== undefined && !field.enum.includes(value)) return wrong(`one of ${field.enum.join(', ')}`);
      return [];
    case 'integer':
      if (!Number.isSafeInteger(value)) return wrong('a whole number');
      return (value as number) < (field.minimum ?? -Infinity) ? wrong(`at least ${field.minimum}`) : [];
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('true or false');
    case 'array': {
      if (!Array.isArray(value)) return wrong('a list');
      const { items, minItems = 0, maxItems = Infinity } = field;
      if (value.length < minItems) return wrong(`a list of at least ${minItems}`);
      if (value.length > maxItems) return wrong(`a list of at most ${maxItems}`);
      return value.flatMap((item, index) => issuesOf(items, item, [...path, index]));
    }
    case 'object':
      return issuesOfObject(field, value, path);
  }
}

function issuesOfObject(
  { properties, required }: ObjectField,
  value: unknown,
  path: SchemaIssue['path'],
): SchemaIssue[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ message: `${nameOf(path)} must be an object`, path }];
  const names = Object.keys(value);
  const issueAt = (name: string, what: string): SchemaIssue => ({
    message: `${nameOf([...path, name])} ${what}`,
    path: [...path, name],
  });
  return [
    ...required.filter((name) => !names.includes(name)).map((name) => issueAt(name, 'is missing')),
    ...names.flatMap((name) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (field === undefined) return [issueAt(name, `is unknown: there are ${Object.keys(properties).join(', ')}`)];
      return issuesOf(field, (value as Record<string, unknown>)[name], [...path, name]);
    }),
  ];
}

/** `todos[0].status`; the whole is `the input`. */
function nameOf(path: SchemaIssue['path']): string {
  const [first, ...rest] = path;
  if (first === undefined) return 'the input';
  return String(first) + rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
}
