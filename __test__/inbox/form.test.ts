/** Which arguments are edited in a form, and which as JSON. */
import { describe, expect, test } from 'vitest';
import { reasonField } from '../../ts/agent/tools/reason.js';
import { formOf } from '../../ts/inbox/form.js';

const schema = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const form = (args: unknown, of: object | null) => formOf({ args, contents: 'kept' }, of);
const kinds = (args: unknown, of: object | null) => form(args, of)?.map(({ name, kind }) => `${name}: ${kind}`);

describe('a form has', () => {
  test('a field for each argument that is simple, what the call is about first', () => {
    const of = schema(
      {
        to: { type: 'string', description: 'Who gets it.' },
        copies: { type: 'integer' },
        price: { type: 'number' },
        urgent: { type: 'boolean' },
        how: { enum: ['mail', 'fax'] },
        body: text,
      },
      ['to', 'body'],
    );
    const args = { to: 'mia', copies: 2, price: 1.5, urgent: false, how: 'fax', body: 'Hello' };
    expect(kinds(args, of)).toEqual([
      'body: lines',
      'to: text',
      'copies: number',
      'price: number',
      'urgent: flag',
      'how: choice',
    ]);
    expect(form(args, of)?.[1]).toEqual({
      name: 'to',
      kind: 'text',
      help: 'Who gets it.',
      choices: [],
      isRequired: true,
    });
  });

  test('fields for what may be added, and none for what only JSON says', () => {
    const of = schema({ command: text, timeout: { type: 'integer' }, reach: { type: 'object' } }, ['command']);
    expect(kinds({ command: 'ls' }, of)).toEqual(['command: lines', 'timeout: number']);
  });

  test('none for what the agent says of the call, which stays as it is', () => {
    const of = schema({ command: text, description: text });
    const args = { command: 'ls', description: 'To look.' };
    const call = { args, contents: 'kept' } as const;
    expect(formOf({ ...call, agentReason: 'To look.' }, of)?.map(({ name }) => name)).toEqual(['command']);
    expect(formOf({ ...call, agentReason: null }, of)?.map(({ name }) => name)).toEqual(['command', 'description']);
  });

  test('none for what the agent did not say of the call, which a person does not say for it', () => {
    const of = schema({ command: text, ...reasonField });
    expect(kinds({ command: 'ls' }, of)).toEqual(['command: lines']);
    expect(kinds({ command: 'ls' }, schema({ command: text, description: text }))).toEqual([
      'command: lines',
      'description: text',
    ]);
  });

  test('lines for a long text', () => {
    expect(kinds({ note: 'a'.repeat(81), other: 'a\nb' }, schema({ note: text, other: text }))).toEqual([
      'note: lines',
      'other: lines',
    ]);
  });
});

describe('there is none', () => {
  test.each<[string, unknown, object | null]>([
    ['without a schema', { a: 'x' }, null],
    ['for a schema of something else', ['x'], { type: 'array' }],
    ['for arguments that are no object', ['x'], schema({ a: text })],
    ['for an argument that the schema does not know', { a: 'x', b: 'y' }, schema({ a: text })],
    ['for an object', { a: {} }, schema({ a: { type: 'object' } })],
    ['for a list', { a: ['x'] }, schema({ a: { type: 'array', items: text } })],
    ['for what is of another type', { a: 1 }, schema({ a: text })],
    ['for null', { a: null }, schema({ a: text })],
    ['for one of several schemas', { a: 'x' }, schema({ a: { anyOf: [text, { type: 'number' }] } })],
    ['for a choice that is none', { a: 'z' }, schema({ a: { enum: ['x', 'y'] } })],
    ['for choices that are no texts', { a: 1 }, schema({ a: { enum: [1, 2] } })],
    ['for a text that a field would change', { a: 'x\r\ny' }, schema({ a: text })],
    ['for a text with what nobody sees', { a: 'x\u200by' }, schema({ a: text })],
    ['for an argument with a strange name', { 'a\u202eb': 'x' }, schema({ 'a\u202eb': text })],
    ['for a name of Object', { a: 'x' }, JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')],
  ])('%s', (_, args, of) => {
    expect(form(args, of)).toBeNull();
  });

  test('for arguments that are not whole', () => {
    expect(formOf({ args: { a: 'x' }, contents: 'redacted' }, schema({ a: text }))).toBeNull();
  });
});
