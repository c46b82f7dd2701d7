/** What the model is told of the tools, and what of its arguments is taken. */
import { asSchema, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { createAskUserTool, createBackendTools, createTaskTool, createTodosTool } from '../../ts/agent/index.js';
import { scripted } from '../support/model.js';
import { memoryBackend } from './memory-backend.js';

const { model } = scripted([]);
const tools: ToolSet = {
  ...createBackendTools({ backend: memoryBackend() }),
  write_todos: createTodosTool(),
  ask_user: createAskUserTool(),
  task: createTaskTool({
    subagents: [
      { name: 'reader', description: 'Reads.', model },
      { name: 'writer', description: 'Writes.', model },
    ],
  }),
} as ToolSet;

async function check(name: string, input: unknown): Promise<unknown> {
  const result = await asSchema(tools[name]?.inputSchema).validate?.(input);
  if (result === undefined) throw new Error('no validation');
  return result.success ? result.value : result.error;
}

const accepted: [tool: string, input: unknown][] = [
  ['ls', {}],
  ['ls', { path: 'src' }],
  ['read_file', { file_path: 'a', offset: 1, limit: 1 }],
  ['write_file', { file_path: 'a', content: '' }],
  ['edit_file', { file_path: 'a', old_string: '', new_string: 'b', replace_all: true }],
  ['glob', { pattern: '**/*', path: 'src' }],
  ['grep', { pattern: 'a', path: '.', glob: '*.ts', ignore_case: true }],
  ['execute', { command: 'ls', timeout: 1_000 }],
  ['write_todos', { todos: [] }],
  ['write_todos', { todos: [{ content: 'a', status: 'in_progress' }] }],
  ['task', { description: 'a', subagent_type: 'writer' }],
  ['ask_user', { questions: [{ question: 'a?', kind: 'text', header: 'A', required: false }] }],
  ['ask_user', { questions: [{ question: 'a?', kind: 'multi_select', options: [{ label: 'x', description: '' }] }] }],
];

test.each(accepted)('%s takes %j as it is', async (name, input) => {
  expect(await check(name, input)).toEqual(input);
});

const option = { label: 'x' };
const refused: [tool: string, input: unknown, why: string][] = [
  ['ls', { path: '' }, 'path must be a text that is not empty'],
  ['ls', { path: 1 }, 'path must be a text'],
  ['ls', { folder: 'src' }, 'folder is unknown: there are path'],
  ['ls', { path: undefined }, 'path must be a text'],
  ['ls', null, 'the input must be an object'],
  ['ls', [], 'the input must be an object'],
  ['ls', 'src', 'the input must be an object'],
  ['ls', JSON.parse('{"__proto__": {"path": "x"}}'), '__proto__ is unknown'],
  ['ls', { constructor: 'x' }, 'constructor is unknown'],
  ['read_file', {}, 'file_path is missing'],
  ['read_file', Object.create({ file_path: 'a' }), 'file_path is missing'],
  ['read_file', { file_path: 'a', offset: 0 }, 'offset must be at least 1'],
  ['read_file', { file_path: 'a', offset: 1.5 }, 'offset must be a whole number'],
  ['read_file', { file_path: 'a', offset: '1' }, 'offset must be a whole number'],
  ['read_file', { file_path: 'a', limit: Infinity }, 'limit must be a whole number'],
  ['read_file', { file_path: 'a', limit: null }, 'limit must be a whole number'],
  ['write_file', { file_path: 'a' }, 'content is missing'],
  ['write_file', { file_path: 'a', content: { a: 1 } }, 'content must be a text'],
  ['write_file', { file_path: 'a', content: '', mode: 0o777 }, 'mode is unknown'],
  ['edit_file', { file_path: 'a', old_string: 'b', new_string: 'b' }, 'new_string must differ from old_string'],
  ['edit_file', { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: 'yes' }, 'replace_all must be true'],
  ['execute', { command: '' }, 'command must be a text that is not empty'],
  ['execute', { command: ['ls'] }, 'command must be a text'],
  ['execute', { command: 'ls', timeout: -1 }, 'timeout must be at least 1'],
  ['execute', { command: 'ls', cwd: '/' }, 'cwd is unknown'],
  ['write_todos', { todos: [{ content: 'a', status: 'done' }] }, 'todos[0].status must be one of pending, in_progress'],
  ['write_todos', { todos: [{ content: 'a', status: 'pending', id: 1 }] }, 'todos[0].id is unknown'],
  ['write_todos', { todos: 'a' }, 'todos must be a list'],
  [
    'write_todos',
    { todos: Array.from({ length: 101 }, () => ({ content: 'a', status: 'pending' })) },
    'todos must be a list of at most 100',
  ],
  ['task', { description: 'a', subagent_type: 'other' }, 'subagent_type must be one of reader, writer'],
  ['task', { description: '', subagent_type: 'reader' }, 'description must be a text that is not empty'],
  ['ask_user', { questions: [] }, 'questions must be a list of at least 1'],
  ['ask_user', { questions: [{ question: 'a?', kind: 'choice' }] }, 'questions[0].kind must be one of'],
  ['ask_user', { questions: [{ question: 'a?', kind: 'text', options: [option] }] }, 'must be left out for a text'],
  ['ask_user', { questions: [{ question: 'a?', kind: 'multi_select' }] }, 'questions[0].options is missing'],
  ['ask_user', { questions: [{ question: 'a?', kind: 'multiple_choice', options: [] }] }, 'a list of at least 1'],
  [
    'ask_user',
    { questions: [{ question: 'a?', kind: 'multiple_choice', options: [option, option] }] },
    'questions[0].options must have labels that differ',
  ],
];

test.each(refused)('%s refuses %j', async (name, input, why) => {
  const error = await check(name, input);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toContain(why);
});

describe('the model is told', () => {
  test.each(Object.keys(tools))('what %s is for and takes', async (name) => {
    const tool = tools[name];
    expect({ description: tool?.description, input: await asSchema(tool?.inputSchema).jsonSchema }).toMatchSnapshot();
  });

  test('in few words', () => {
    for (const tool of Object.values(tools)) expect(String(tool.description).length).toBeLessThan(300);
  });
});
