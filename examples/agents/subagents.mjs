// @ts-check
/**
 * Agents that start agents. What a subagent asks comes out of the main iterator with its origin; what it says of itself can
 * tighten what the agents above it must ask about, and never widen it.
 *
 *     node examples/agents/subagents.mjs
 */
import { safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

/** @import { Subagent } from 'countersign/agent' */
/** @import { Said } from '../model.mjs' */

/** One step with these calls, then a report of what came of them. @param {Exclude<Said, string>} calls */
const does = (...calls) => scriptedModel(calls, (results) => results.join(' '));
/** @param {string} subagent_type @param {string} description */
const task = (subagent_type, description) => ({ tool: 'task', args: { subagent_type, description } });
/** @param {string} file_path @param {string} content */
const write = (file_path, content) => ({ tool: 'write_file', args: { file_path, content } });

/** It is one of the writer, which is one of the main agent. @type {Subagent} */
const translator = {
  name: 'translator',
  description: 'Translates a text.',
  model: does(write('text.de.md', 'Hallo!\n')),
  // It cannot take this from the agents above it: its files are asked about all the same.
  interruptOn: { write_file: false },
};

/** @type {Subagent[]} */
const subagents = [
  {
    name: 'reader',
    description: 'Looks things up, and changes nothing.',
    model: does({ tool: 'read_file', args: { file_path: 'facts.md' } }),
    builtinTools: ['ls', 'read_file'],
    // The main agent reads unasked; this one does not.
    interruptOn: { read_file: { allowedDecisions: ['approve', 'reject'] } },
  },
  {
    name: 'writer',
    description: 'Writes a text, and has it translated.',
    model: does(
      write('text.md', 'Hello!\n'),
      write('facts.md', 'It is raining.\n'),
      task('translator', 'Translate "Hello!" into German.'),
    ),
    subagents: [translator],
    // Neither it nor its translator may write anything else, even with approval.
    policy: {
      version: 1,
      default: 'allow',
      rule: [{ effect: 'deny', writes: ['**', '!**/text*.md'], reason: 'it writes texts' }],
    },
  },
];

const folder = scratchFolder({ 'facts.md': 'It is sunny.\n' });
const agent = createDeepAgent({
  // A real one: model: 'anthropic/claude-sonnet-4.5'. Subagents have it too, unless they name another.
  model: scriptedModel([task('reader', 'What is the weather?'), task('writer', 'Write a greeting.')], 'That was it.'),
  backend: createLocalBackend({ root: folder }),
  interruptOn: { write_file: true },
  subagents,
  generalPurposeAgent: false,
});

const run = agent.streamWithEvents({
  prompt: 'Look up the weather, and write a greeting.',
  onApprovalRequest: (request, options) => {
    const { preview, flags, origin } = request;
    return askOnTerminal({ preview: `${safeText(origin.join(' > '))} asks:\n${preview}`, flags }, options);
  },
});

for await (const event of run) {
  if (event.type === 'subagent-start') console.log(`${event.name} begins: ${safeText(event.task)}`);
  else if (event.type === 'subagent-finish') console.log(`${event.name} is ${event.status}: ${safeText(event.result)}`);
  else if (event.type === 'approval-response')
    console.log(`${event.origin.at(-1)}: ${event.toolName}: ${event.decision.type}`);
  else if (event.type === 'subagent-event' && event.event.type === 'tool-denied')
    console.log(`${event.name} did not ${event.event.toolName}: ${safeText(event.event.reason ?? '')}`);
  else if (event.type === 'file-written') console.log(`${event.origin.at(-1)} wrote ${safeText(event.path)}`);
  else if (event.type === 'text-segment') console.log(safeText(event.text));
}
showFiles(folder);
