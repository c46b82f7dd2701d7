/** How the loop knows a tool that asks the human. */
import type { Tool } from 'ai';
import type { Question } from '../../index.js';

/** On such a tool: reads the questions of a call, and what it throws is told to the model. Registered, as that of tasks is. */
export const QUESTIONS = Symbol.for('countersign.questions');

export type ReadQuestions = (input: unknown) => Question[];

/** Whether calls of this tool are questions to the human. */
export const asksQuestions = (tool: Tool): boolean => Object.hasOwn(tool, QUESTIONS);
