// @ts-check
/** `npm start`: an agent with real tools on a throw-away project, with a human between each call and its execution. */
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { messageOf, runPrompt } from './agent.mjs';
import { createAsker } from './approvals.mjs';
import { createLines } from './lines.mjs';
import { MODEL_ID, startModelServer } from './model-server.mjs';
import { EXAMPLES } from './sentences.mjs';
import { Screen } from './screen.mjs';
import { createTerminal } from './terminal.mjs';
import { createTools } from './tools.mjs';
import { Workspace } from './workspace.mjs';

/** @import { LanguageModel, ModelMessage } from 'ai' */

const HELP = `Usage: npm start -- [options]

An AI SDK agent works on a throw-away copy of a small project, and you approve what it does. Without options its model is
a small embedded one that understands requests like these:

${EXAMPLES.map((example) => `  ${example}`).join('\n')}

On a terminal it asks. Otherwise it reads stdin line by line, prompts and answers in turn:

  printf 'create hello.txt with hi\\ny\\n' | npm start

Answers: y = yes, n = no, e = edit (without a terminal: e {"file_path": ...}, the new arguments as JSON), anything else = no,
with that as the reason.

Options:
  --model <id> --base-url <url>  a model of any OpenAI-compatible server, e.g. http://localhost:11434/v1;
                                 an API key comes from COUNTERSIGN_API_KEY or OPENAI_API_KEY
  --model <creator/name>         a model of the AI Gateway, e.g. openai/gpt-5; needs AI_GATEWAY_API_KEY
  --keep                         keep the copy of the project and say where it is
  --help                         show this`;

/** Something the user got wrong. */
class UsageError extends Error {}

function readArguments() {
  /** @type {{ model?: string, 'base-url'?: string, keep?: boolean, help?: boolean }} */
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        model: { type: 'string' },
        'base-url': { type: 'string' },
        keep: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }));
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  const { model, 'base-url': baseUrl, keep = false, help = false } = values;
  if (baseUrl !== undefined) {
    if (!model) throw new UsageError('--base-url needs --model <id>.');
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(`--base-url is not an http(s) URL: ${baseUrl}`);
    }
  } else if (model !== undefined && !/^[^/]+\/./.test(model)) {
    throw new UsageError(`--model ${model} needs --base-url <url>; only AI Gateway ids (creator/name) go without.`);
  }
  return { model, baseUrl, keep, help };
}

/** The model to use, and what to do when it is no longer needed. @param {{ model?: string, baseUrl?: string }} options */
async function openModel({ model, baseUrl }) {
  if (model !== undefined && baseUrl === undefined) {
    // The AI SDK takes an id that is a string to the AI Gateway.
    return { model: /** @type {LanguageModel} */ (model), label: `${model} at the AI Gateway`, close: async () => {} };
  }
  const own = baseUrl === undefined ? await startModelServer() : undefined;
  const url = own?.url ?? /** @type {string} */ (baseUrl);
  const apiKey = own ? undefined : process.env.COUNTERSIGN_API_KEY || process.env.OPENAI_API_KEY;
  if (!own) await checkReachable(url, apiKey);
  const id = model ?? MODEL_ID;
  const provider = createOpenAICompatible({ name: 'example', baseURL: url, apiKey, includeUsage: true });
  return { model: provider(id), label: `${id} at ${url}`, close: async () => own?.close() };
}

/** So that a server that is not there is told now and in plain words. @param {string} url @param {string | undefined} apiKey */
async function checkReachable(url, apiKey) {
  try {
    const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined;
    // Any answer will do: not every server lists its models, and what is wrong with a key is better told by the run.
    const response = await fetch(`${url.replace(/\/+$/, '')}/models`, { headers, signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
  } catch (error) {
    const { cause, message } = /** @type {Error} */ (error);
    throw new Error(`The model server at ${url} cannot be reached: ${cause ? messageOf(cause) : message}`, {
      cause: error,
    });
  }
}

/** @param {Screen} screen @param {Workspace} workspace */
function summarise(screen, workspace) {
  const changes = workspace.changes();
  screen.line();
  screen.line(
    changes.length === 0
      ? 'Nothing has changed in the copy of the project.'
      : 'What has changed in the copy of the project:',
    'bold',
  );
  for (const { kind, path, detail } of changes) screen.line(`  ${kind} ${path}${detail ? ` (${detail})` : ''}`);
}

/** @returns {Promise<number>} The exit code. */
async function main() {
  const { model: id, baseUrl, keep, help } = readArguments();
  const screen = new Screen(process.stdout);
  if (help) {
    screen.line(HELP);
    return 0;
  }

  const { model, label, close } = await openModel({ model: id, baseUrl });
  const workspace = new Workspace();
  if (keep) workspace.keep();
  // From here on every way out removes the copy and what still runs: `exit` handlers do it, so signals must exit, too.
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
  }
  // Whoever reads our output has gone, e.g. `npm start | head`.
  process.stdout.on('error', () => process.exit(0));

  /** `run`: the one that goes on. @type {{ run?: AbortController, leaving: boolean }} */
  const session = { leaving: false };
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  const interrupt = () => {
    if (session.run && !session.run.signal.aborted) {
      session.run.abort(new Error('cancelled by the user'));
      session.leaving = !isTerminal;
    } else {
      session.leaving = true;
      ui.close();
      // The run was told to stop and did not: do not wait any longer.
      if (session.run) process.exit(128 + constants.signals.SIGINT);
    }
  };
  process.on('SIGINT', interrupt);
  const ui = isTerminal ? createTerminal(process.stdin, screen, interrupt) : createLines(process.stdin, screen);

  screen.line('countersign: nothing dangerous runs until you say so.', 'bold');
  screen.line(`  model:   ${label}`);
  screen.line(`  project: ${workspace.root} (${keep ? 'kept' : 'temporary'})`);
  screen.line(`  files:   ${workspace.files.join(', ')}`);
  screen.line(`  try:     ${EXAMPLES[0]}`);
  if (isTerminal) screen.line('  leave:   /quit, or Ctrl+C; during a run Ctrl+C cancels it');

  const tools = createTools(workspace.root);
  const asker = createAsker(ui, screen);
  /** @type {ModelMessage[]} */
  let messages = [];
  let exitCode = 0;
  while (!session.leaving) {
    const prompt = (await ui.prompt())?.trim();
    if (prompt === undefined || /^\/(quit|exit)$/.test(prompt)) break;
    if (prompt === '') continue;
    session.run = new AbortController();
    const { messages: next, error } = await runPrompt({
      model,
      tools,
      messages: [...messages, { role: 'user', content: prompt }],
      asker,
      abortSignal: session.run.signal,
      screen,
    });
    session.run = undefined;
    messages = next;
    if (error !== undefined) {
      screen.line(`The model failed: ${messageOf(error)}`, 'red');
      exitCode = 1;
      // A script's next line would go to a model that is not there; a human may try again.
      if (!isTerminal) break;
    }
  }
  if (session.leaving && !isTerminal) exitCode = 128 + constants.signals.SIGINT;

  ui.close();
  await close();
  summarise(screen, workspace);
  if (keep) screen.line(`The copy is kept: ${workspace.root}`);
  return exitCode;
}

try {
  const exitCode = await main();
  // Connections to a model may stay open for a while; what is written must be out before we go.
  process.stdout.write('', () => process.exit(exitCode));
} catch (error) {
  console.error(messageOf(error));
  if (error instanceof UsageError) console.error('\nnpm start -- --help says more.');
  process.exit(error instanceof UsageError ? 2 : 1);
}
