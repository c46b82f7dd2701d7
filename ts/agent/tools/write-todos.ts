import type { BuiltinTools } from '../../../agent.js';
import type { Todo } from '../../../index.js';
import { checkNone } from '../../options/names.js';
import { choice, inputSchema, list, object, text } from '../schema.js';
import { emit } from './call.js';

const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const satisfies readonly Todo['status'][];
const MOST = 100;

/**
 * @see agent.d.ts
 *
 * It remembers nothing: the plan stands in the conversation, which a run that is continued has.
 */
export function createTodosTool(...options: never[]): BuiltinTools['write_todos'] {
  checkNone('createTodosTool', options);
  return {
    description:
      'Writes your plan for work of several steps: each time the whole list, in order. Have one entry in_progress at a time, ' +
      'and set it completed as soon as it is done. Not for what is done in one or two steps.',
    inputSchema: inputSchema<{ todos: Todo[] }>(
      object({
        todos: list(
          object({ content: text('What is to be done.'), status: choice(STATUSES, 'How far it is.') }),
          [0, MOST],
          'The whole plan.',
        ),
      }),
    ),
    execute: async ({ todos }, options) => {
      emit(options, { type: 'todos-changed', todos });
      if (todos.length === 0) return 'The plan is empty.';
      const counted = STATUSES.map((status) => ({ status, of: todos.filter((todo) => todo.status === status).length }));
      const said = counted.filter(({ of }) => of > 0).map(({ status, of }) => `${of} ${status}`);
      return `The plan is written: ${said.join(', ')}.`;
    },
  };
}
