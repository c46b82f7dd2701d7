/** A tool of questions, as `createAskUserTool` of `countersign/agent` makes one. */
import { tool, type Tool } from 'ai';
import { z } from 'zod';
import type { Question } from '../../index.js';

export const QUESTIONS = Symbol.for('countersign.questions');

/** @param read what the tool makes of its input */
export function askUserTool(read: (input: { questions: Question[] }) => unknown = ({ questions }) => questions): Tool {
  const execute = async (): Promise<string> => {
    throw new Error('ask_user must never be executed');
  };
  const inputSchema = z.object({ questions: z.array(z.unknown()) });
  const asks = tool({ description: 'Asks the human', inputSchema, execute });
  return Object.assign(asks, { [QUESTIONS]: read }) as unknown as Tool;
}

export const COLOUR = { kind: 'text', question: 'Which colour?' } as const satisfies Question;
export const DATABASE = {
  kind: 'multiple_choice',
  question: 'Which database?',
  header: 'Database',
  options: [{ label: 'PostgreSQL', description: 'for many machines' }, { label: 'SQLite' }],
} as const satisfies Question;
export const PARTS = {
  kind: 'multi_select',
  question: 'Which parts?',
  required: false,
  options: [{ label: 'API' }, { label: 'UI' }],
} as const satisfies Question;
