#!/usr/bin/env bun
/**
 * A command-line tool for Bun, in one file: options, an agent with types from its tools to the answers, and exit codes that a
 * shell understands. Ctrl+C cancels what waits, and nothing runs any more.
 *
 *     bun examples/agents/release.ts --version 1.2.0
 */
import { parseArgs } from 'node:util';
import { tool } from 'ai';
import { safeText } from 'countersign';
import { createDeepAgent, createLocalBackend } from 'countersign/agent';
import { z } from 'zod';
import { askOnTerminal } from '../ask.mjs';
import { scriptedModel } from '../model.mjs';
import { scratchFolder, showFiles } from './folder.mjs';

const { values } = parseArgs({
  options: { version: { type: 'string', default: '1.1.0' }, prompt: { type: 'string' }, root: { type: 'string' } },
});
// Of course it works in a folder of yours: --root .
const root = values.root ?? scratchFolder({ 'package.json': '{ "version": "1.0.0" }\n' });

// A real one: const model = 'anthropic/claude-sonnet-4.5';
const model = scriptedModel(
  [{ tool: 'grep', args: { pattern: '"version"', glob: 'package.json' } }],
  [{ tool: 'edit_file', args: { file_path: 'package.json', old_string: '1.0.0', new_string: values.version } }],
  [{ tool: 'publish', args: { version: values.version, tag: 'latest' } }],
  (results) => `The release: ${results.at(-1)?.split('\n')[0]}`,
);

const agent = createDeepAgent({
  model,
  systemPrompt: 'You release software.',
  backend: createLocalBackend({ root }),
  builtinTools: ['ls', 'read_file', 'grep', 'edit_file'],
  tools: {
    publish: tool({
      description: 'Publishes the package',
      inputSchema: z.object({ version: z.string(), tag: z.enum(['latest', 'next']) }),
      execute: async ({ version, tag }) => `published ${version} as ${tag}`,
    }),
  },
  interruptOn: {
    edit_file: true,
    // `args` has the type of the tool's input.
    publish: { description: ({ args }) => `The world would get ${args.version} as ${args.tag}.` },
  },
});

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('Ctrl+C')));

let refused = 0;
const run = agent.streamWithEvents({
  prompt: values.prompt ?? `Release ${values.version}.`,
  abortSignal: interrupted.signal,
  async onApprovalRequest(request, options) {
    console.log(`\n${request.description}`);
    const decision = await askOnTerminal(request, options);
    // `toolName` narrows `args`: nothing new is the latest at once.
    if (request.toolName !== 'publish' || decision.type !== 'approve') return decision;
    return { type: 'edit', args: { ...request.args, tag: 'next' } };
  },
});

for await (const event of run) {
  if (event.type === 'text') process.stdout.write(event.text);
  else if (event.type === 'file-edited') console.log(`edited ${safeText(event.path)}`);
  else if (event.type === 'tool-denied') {
    refused += 1;
    console.log(`did not run ${event.toolName}: ${safeText(event.reason ?? '')}`);
  } else if (event.type === 'error') throw event.error;
  else if (event.type === 'abort') {
    console.log('\naborted: nothing more ran');
    process.exitCode = 130;
  }
}
showFiles(root);
if (refused > 0) process.exitCode = 3;
