// @ts-check
/**
 * `npm start`: the terminal program of countersign, as `npx countersign` runs it, on a throw-away copy of a small project,
 * with an embedded model. In this very process: stdin, the terminal, signals and the exit code are the program's own.
 */
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { safeText } from 'countersign';
import { MODEL_ID, startModelServer } from './model-server.mjs';
import { EXAMPLES } from './sentences.mjs';
import { Workspace } from './workspace.mjs';

const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** Of the copy. The requests and runs of the session are in it; it is no work of the agent. */
const LEDGER = '.countersign/ledger.db';
/** The exit code of wrong usage: nothing was begun. */
const USAGE = 2;

const HELP = `Usage: npm start -- [options]

The terminal program of countersign on a throw-away copy of a small project: an AI SDK agent works there, and you approve what
it does. Without options its model is a small embedded one that understands requests like these:

${EXAMPLES.map((example) => `  ${example}`).join('\n')}

On a terminal it asks. Otherwise it reads stdin line by line, prompts and answers in turn:

  printf 'create hello.txt with hi\\ny\\n' | npm start

Options:
  --keep                         keep the copy of the project and say where it is
  --model <id> --base-url <url>  a model of any OpenAI-compatible server, e.g. http://localhost:11434/v1
  --model <creator/name>         a model of the AI Gateway, e.g. openai/gpt-5; needs AI_GATEWAY_API_KEY
  --help                         show this

All others are the program's, for instance --prompt, --auto, --plan, --json and --plain: node dist/cli.js chat --help
`;

const args = process.argv.slice(2);
/** @param {...string} names */
const has = (...names) => args.some((arg) => names.includes(arg.split('=', 1)[0] ?? ''));

if (has('--help', '-h')) process.stdout.write(HELP);
else if (has('--cwd')) {
  process.stderr.write(
    'countersign: npm start works on a copy of its own; for a folder of yours use node dist/cli.js --cwd <folder>\n' +
      'See npm start -- --help.\n',
  );
  process.exitCode = 2;
} else await start();

async function start() {
  const keep = has('--keep');
  /** With --json, stdout has JSON only. @param {...string} lines */
  const say = (...lines) =>
    void (has('--json') ? process.stderr : process.stdout).write(lines.map((line) => `${line}\n`).join(''));

  // Whoever reads our output has gone, e.g. `npm start | head`.
  process.stdout.on('error', () => process.exit(0));
  // Until the program sees to signals, and when it does no longer: every way out removes the copy.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
  const workspace = new Workspace();
  if (keep) workspace.keep();
  // The program ends the process, so this is where its work can be seen. Before the copy is removed, which happens then too.
  process.prependListener('exit', (code) => {
    if (code === USAGE) return;
    try {
      say(...summaryOf(workspace), ...(keep ? [`The copy is kept: ${workspace.root}`] : []));
    } catch {
      // Whoever read it has gone.
    }
  });

  /** @type {string[]} */
  const model = [];
  if (!has('--model', '--base-url')) model.push('--model', MODEL_ID, '--base-url', (await startModelServer()).url);
  // Also where COUNTERSIGN_LEDGER names another: nothing is left behind.
  const ledger = has('--ledger', '-l') ? [] : ['--ledger', `sqlite:${path.join(workspace.root, LEDGER)}`];
  const passed = args.filter((arg) => arg !== '--keep');

  say(
    'countersign: nothing dangerous runs until you say so.',
    `  project: ${workspace.root} (${keep ? 'kept' : 'temporary'})`,
    `  files:   ${workspace.files.join(', ')}`,
    ...(model.length > 0 ? [`  try:     ${EXAMPLES[0]} ("help" for more)`] : []),
    '',
  );
  process.argv = [process.argv[0] ?? 'node', PROGRAM, 'chat', '--cwd', workspace.root, ...ledger, ...model, ...passed];
  await import(pathToFileURL(PROGRAM).href);
}

/** @param {Workspace} workspace */
function summaryOf(workspace) {
  const changes = workspace.changes((file) => !file.startsWith(LEDGER));
  const title =
    changes.length === 0
      ? 'Nothing has changed in the copy of the project.'
      : 'What has changed in the copy of the project:';
  return [
    '',
    title,
    ...changes.map(({ kind, path, detail }) => `  ${kind} ${safeText(path)}${detail ? ` (${safeText(detail)})` : ''}`),
  ];
}
