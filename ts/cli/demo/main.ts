/**
 * `countersign demo`, and `npm start` of the checkout: the chat on a temporary project, with a scripted model. It needs no key and
 * no network, and writes only below the temporary folder. In this very process: stdin, the terminal, signals and the exit code are
 * the chat's own.
 */
import { constants } from 'node:os';
import { join } from 'node:path';
import { EXAMPLES, MODEL_ID, startModelServer } from '../../../examples/start/model-server.mjs';
import { safeText } from '../../native.js';
import { chatCommand, readFlags } from '../chat/main.js';
import { hanging, wrap } from '../chat/screen/layout.js';
import { Exit, UsageError } from '../exit.js';
import { columns } from '../style.js';
import { tellError } from '../tell-error.js';
import { Workspace } from './workspace.js';

/** Of the project. The requests and runs of the session are in it; it is no work of the agent. */
const LEDGER = '.countersign/ledger.db';

/** @returns the exit code */
export async function demoCommand(args: readonly string[]): Promise<number> {
  const has = (...names: string[]): boolean => args.some((arg) => names.includes(arg.split('=', 1)[0] ?? ''));
  if (has('--cwd')) {
    return tellError(
      new UsageError('demo works on a project of its own; for a folder of yours use countersign chat --cwd DIR'),
      ['demo'],
    );
  }
  try {
    readFlags(args, { keep: { type: 'boolean' } });
  } catch (error) {
    return tellError(error, ['demo']);
  }
  // The reader of the output has gone, e.g. `countersign demo | head`.
  process.stdout.on('error', () => process.exit(Exit.ok));
  exitOnSignals();

  const keep = has('--keep');
  const workspace = new Workspace();
  if (keep) workspace.keep();
  withoutProxy();
  // With --json, stdout has JSON only.
  const out = has('--json') ? process.stderr : process.stdout;
  // In whole words, also where the window is narrow.
  const width = columns(out);
  const rowsOf = (line: string): string[] => (out.isTTY && line !== '' ? wrap(line, width, '    ') : [line]);
  const say = (...lines: string[]): void =>
    void out.write(
      lines
        .flatMap(rowsOf)
        .map((line) => `${line}\n`)
        .join(''),
    );
  // The command ends the process, so this is where its work can be seen. Before the folder is removed, which happens then too.
  process.prependListener('exit', (code) => {
    if (code === Exit.usage) return;
    try {
      say(...summaryOf(workspace), ...(keep ? ['', `The project is kept: ${workspace.project}`] : []), '', ...NEXT);
    } catch {
      // The reader has gone.
    }
  });

  const isScripted = !has('--model', '--base-url');
  const model = isScripted ? ['--model', MODEL_ID, '--base-url', (await startModelServer()).url] : [];
  // Also where COUNTERSIGN_LEDGER names another: nothing is left behind.
  const ledger = has('--ledger', '-l') ? [] : ['--ledger', `sqlite:${join(workspace.project, LEDGER)}`];
  say(
    'countersign: nothing dangerous runs until you say so.',
    `  project: ${workspace.project} (${keep ? 'kept' : 'temporary'})`,
    // A terminal of 80 columns has room for these.
    ...hanging('  files:   ', wrap(workspace.files.join(', '), Math.min(68, width - 11))),
    ...(isScripted ? [`  try:     ${EXAMPLES[0]} ("help" for more)`] : []),
    '',
  );
  const passedOn = args.filter((arg) => arg !== '--keep');
  // Its folder is gone when it ends: these prompts are not needed again.
  return chatCommand(['--cwd', workspace.project, ...ledger, ...model, ...passedOn], { keepsPrompts: false });
}

/** Until the chat sees to signals, and when it does no longer: every way out removes the folder. */
function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}

/** The model is on this machine: a proxy that the environment names must not be asked for it. */
function withoutProxy(): void {
  for (const name of ['NO_PROXY', 'no_proxy'])
    process.env[name] = [process.env[name], '127.0.0.1'].filter(Boolean).join(',');
}

function summaryOf(workspace: Workspace): string[] {
  const changes = workspace.changes((file) => !file.startsWith(LEDGER));
  const title = changes.length === 0 ? 'Nothing has changed in the project.' : 'What has changed in the project:';
  return [
    '',
    title,
    ...changes.map(({ kind, path, detail }) => `  ${kind} ${safeText(path)}${detail ? ` (${safeText(detail)})` : ''}`),
  ];
}

const NEXT = [
  'What to do next:',
  '  npm install countersign ai zod   in your project',
  '  npx countersign init             gates the tools of your agent',
  '  npx countersign --model MODEL    this chat in your folder, with a real model',
];
