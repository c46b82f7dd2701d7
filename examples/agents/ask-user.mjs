// @ts-check
/**
 * The model asks the human what only they know: several questions at once, with options or in their own words. No mode, no
 * grant and no deadline answers for them.
 *
 *     node examples/agents/ask-user.mjs
 */
import { createGate, safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { answerOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

/** @import { Question } from 'countersign' */

/** @type {Question[]} */
const questions = [
  {
    question: 'Which licence shall it have?',
    kind: 'multiple_choice',
    options: [{ label: 'MIT', description: 'do what you like' }, { label: 'GPL-3.0' }],
  },
  { question: 'Where shall it run?', kind: 'multi_select', options: [{ label: 'Node' }, { label: 'Bun' }] },
  { question: 'What shall it be called?', kind: 'text' },
  { question: 'Anything else?', kind: 'text', required: false },
];

/** The model gets each question with its answer, as text. @param {string} answers */
const written = (answers) => [{ tool: 'write_file', args: { file_path: 'PLAN.md', content: `${answers}\n` } }];

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'ask_user', args: { questions } }],
  ([answers = '']) => (answers.includes('MIT') ? written(answers) : 'Then I do not know what to write.'),
  'I wrote it down.',
);

const folder = scratchFolder();
// Everything that can be answered without a human is. Questions cannot.
const gate = createGate({ mode: 'auto', place: { cwd: folder } });
const agent = createDeepAgent({
  model,
  gate,
  backend: createLocalBackend({ root: folder }),
  interruptOn: { write_file: true },
});

const run = agent.streamWithEvents({
  prompt: 'Start a project.',
  // `null` means: I do not want to answer.
  onQuestion: answerOnTerminal,
});

for await (const event of run) {
  if (event.type === 'question-asked') console.log(`The model has ${event.questions.length} questions.`);
  else if (event.type === 'question-answered') console.log(`\n${event.answer.status} by ${event.decidedBy}`);
  else if (event.type === 'file-written') console.log(`wrote ${safeText(event.path)}`);
  else if (event.type === 'text-segment') console.log(safeText(event.text));
}
showFiles(folder);
await gate.close();
