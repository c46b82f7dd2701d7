/** How the loop knows tools that are more to it than others. Registered symbols: a tool may come from another copy of this package. */
import type { Tool } from 'ai';
import type { Question } from '../../index.js';

/** On a tool that starts a run of its own: a call that was cut off is run again, and its run goes on where it stood. */
export const TASK = Symbol.for('countersign.task');

/** On a tool that asks the human: reads the questions of a call. What it throws is told to the model. */
export const QUESTIONS = Symbol.for('countersign.questions');

export type ReadQuestions = (input: unknown) => Question[];

/** Whether calls of this tool are questions to the human. */
export const asksQuestions = (tool: Tool): boolean => Object.hasOwn(tool, QUESTIONS);
