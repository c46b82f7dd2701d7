import type { BuiltinTools } from '../../../agent.js';
import type { Question } from '../../../index.js';
import { QUESTIONS } from '../../ai-sdk/tools/questions.js';
import { InvalidArgumentsError } from '../../errors/index.js';
import { checkNone } from '../../options/names.js';
import { anyText, choice, flag, inputSchema, issuesOf, list, object, text, type SchemaIssue } from '../schema.js';

const KINDS = ['text', 'multiple_choice', 'multi_select'] as const satisfies readonly Question['kind'][];

const INPUT = object({
  questions: list(
    object(
      { question: text('The question.'), kind: choice(KINDS, 'text: in their own words; multi_select: any number.') },
      {
        header: text('A word or two that stand for it.'),
        required: flag('Whether it must be answered. Default: true.'),
        options: list(
          object({ label: text('The option.') }, { description: anyText('What it means.') }),
          [1, 20],
          'For multiple_choice and multi_select. Leave out "other": it is always offered.',
        ),
      },
    ),
    [1, 10],
    'All that you want to know, at once.',
  ),
});

type QuestionsInput = { questions: Question[] };

/** @see agent.d.ts */
export function createAskUserTool(...options: never[]): BuiltinTools['ask_user'] {
  checkNone('createAskUserTool', options);
  const tool = {
    description:
      'Asks the human, and waits for the answers. Use it when something that only they know decides what to do, not for what ' +
      'you can find out yourself and not for leave to use a tool. Ask seldom and briefly, and all that you need to know in one call.',
    inputSchema: inputSchema<QuestionsInput>(INPUT, issuesOfOptions),
    [QUESTIONS]: readQuestions,
  };
  // It has no `execute`: the loop asks, and what is answered is its result.
  return tool as unknown as BuiltinTools['ask_user'];
}

/** The questions of a call. @throws {InvalidArgumentsError} with what is wrong, for the model */
function readQuestions(input: unknown): Question[] {
  const wrong = issuesOf(INPUT, input);
  const issues = wrong.length > 0 ? wrong : issuesOfOptions(input as QuestionsInput);
  if (issues.length === 0) return structuredClone((input as QuestionsInput).questions);
  throw new InvalidArgumentsError({
    message: `The human was not asked: ${issues.map(({ message }) => message).join('; ')}.`,
  });
}

/** Options go with a choice, and are told apart by their labels. */
function issuesOfOptions({ questions }: QuestionsInput): SchemaIssue[] {
  return questions.flatMap((question, index): SchemaIssue[] => {
    const path = ['questions', index, 'options'];
    const issue = (what: string): SchemaIssue[] => [{ message: `questions[${index}].options ${what}`, path }];
    const options = Object.hasOwn(question, 'options') && 'options' in question ? question.options : undefined;
    if (question.kind === 'text') return options === undefined ? [] : issue('must be left out for a text');
    if (options === undefined) return issue(`is missing: a ${question.kind} needs some`);
    const labels = new Set(options.map(({ label }) => label));
    return labels.size === options.length ? [] : issue('must have labels that differ');
  });
}
