import { expect, test } from 'vitest';
import type { Question } from '../../index.js';
import { createAskUserTool } from '../../ts/agent/index.js';

const tool = createAskUserTool();
const read = (tool as unknown as Record<symbol, (input: unknown) => Question[]>)[Symbol.for('countersign.questions')]!;

test('it runs nothing: the loop asks', () => {
  expect(tool.execute).toBeUndefined();
  expect(Object.getOwnPropertySymbols(tool)).toContain(Symbol.for('countersign.questions'));
});

test('the questions of a call are a copy', () => {
  const options = [{ label: 'red', description: 'as blood' }, { label: 'blue' }];
  const questions = [
    { question: 'Why?', kind: 'text', header: 'Reason', required: false },
    { question: 'Which?', kind: 'multiple_choice', options },
  ];
  const got = read({ questions });
  expect(got).toEqual(questions);
  options.pop();
  expect(got).not.toEqual(questions);
});

test.each([
  [undefined, 'the input must be an object'],
  [{ questions: [{ question: '', kind: 'text' }] }, 'questions[0].question must be a text that is not empty'],
  [{ questions: [{ question: 'a', kind: 'text', options: [] }] }, 'questions[0].options must be a list of at least 1'],
  [
    { questions: [{ question: 'a', kind: 'multi_select' }] },
    'questions[0].options is missing: a multi_select needs some',
  ],
  [{ questions: [{ question: 'a', kind: 'text' }], answers: ['b'] }, 'answers is unknown'],
])('%j is told to be wrong', (input, why) => {
  expect(() => read(input)).toThrow(`The human was not asked: ${why}`);
});
