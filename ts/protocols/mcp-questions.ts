/** Questions as a form of MCP, which has no nested fields, and what was filled in as answers. */
import type { McpElicitation, McpField } from '../../mcp.js';
import type { ApprovalRequest, Decision, Question, QuestionOption } from '../../index.js';
import { messageOf } from '../errors/message-of.js';
import { oneLine } from '../gate/in-a-line.js';
import { questionsOf, readAnswers } from '../gate/questions.js';
import { own, rejection, unusedIn } from './offers.js';

const nameOf = (index: number): string => `question${index + 1}`;
/** Of a question with options, for an answer outside of them. */
const otherOf = (index: number): string => `question${index + 1}other`;

export function questionForm(request: ApprovalRequest): McpElicitation['requestedSchema'] {
  const questions = questionsOf(request) ?? [];
  const properties = questions.flatMap((question, index): [string, McpField][] => {
    const field = fieldOf(question);
    if (question.kind !== 'multiple_choice') return [[nameOf(index), field]];
    return [
      [nameOf(index), field],
      [otherOf(index), { type: 'string', title: `${field.title}, in other words` }],
    ];
  });
  // What may be answered in either of two fields is looked at when the form comes back.
  const required = questions.flatMap(({ kind, required = true }, index) =>
    required && kind !== 'multiple_choice' ? [nameOf(index)] : [],
  );
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function fieldOf(question: Question): McpField {
  const { header, question: asked, required = true } = question;
  const title = oneLine(header ?? asked);
  const notes = question.kind === 'text' ? [] : described(question.options);
  const description = [...(header === undefined ? [] : [oneLine(asked)]), ...notes].join(' · ');
  const about = { title, ...(description === '' ? {} : { description }) };
  if (question.kind === 'text') return { type: 'string', ...about };
  const choices = choicesOf(question.options);
  if (question.kind === 'multiple_choice') return { type: 'string', ...about, enum: choices };
  return { type: 'array', ...about, ...(required ? { minItems: 1 } : {}), items: { type: 'string', enum: choices } };
}

/** The options as they are shown, no two alike. */
function choicesOf(options: readonly QuestionOption[]): string[] {
  const choices = options.map(({ label }) => oneLine(label));
  if (new Set(choices).size === choices.length) return choices;
  return choices.map((choice, index) => `${index + 1} ${choice}`);
}

function described(options: readonly QuestionOption[]): string[] {
  const choices = choicesOf(options);
  return options.flatMap(({ description }, index) =>
    description === undefined ? [] : [`${choices[index]}: ${oneLine(description)}`],
  );
}

/** The decision that a form which was filled in means. */
export function answersOf(request: ApprovalRequest, content: Record<string, unknown>): Decision {
  const questions = questionsOf(request);
  if (questions === undefined) return rejection('The questions cannot be read any more.');
  const unused = unusedIn(content, Object.keys(questionForm(request).properties));
  if (unused !== undefined) return rejection('The client filled in a field that was not in the form.');
  try {
    const given = questions.map((question, index) => answerOf(question, index, content));
    return { type: 'respond', output: { answers: readAnswers(questions, { answers: given }) } };
  } catch (error) {
    return rejection(messageOf(error));
  }
}

function answerOf(question: Question, index: number, content: Record<string, unknown>): unknown {
  const given = own(content, nameOf(index)) ?? null;
  if (question.kind === 'text') return given;
  const labels = new Map(choicesOf(question.options).map((choice, at) => [choice, question.options[at]!.label]));
  // What is no choice is left as it is, for the check of the answers to refuse.
  const labelOf = (choice: unknown): unknown => (typeof choice === 'string' ? labels.get(choice) : undefined) ?? choice;
  if (question.kind === 'multi_select')
    return Array.isArray(given) ? (given.length === 0 ? null : given.map(labelOf)) : given;
  const other = own(content, otherOf(index)) ?? '';
  if (typeof other === 'string' && other.trim() === '') return chosen(given, labels);
  // Both were filled in, and it is unknown which is meant.
  if (given !== null && given !== '') return [given, other];
  return other;
}

/** In the field with the options, only one of them counts. */
function chosen(given: unknown, labels: ReadonlyMap<string, string>): unknown {
  if (given === null || given === '') return null;
  return (typeof given === 'string' ? labels.get(given) : undefined) ?? [given];
}
