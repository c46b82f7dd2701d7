/** The `countersign` command, which `start.ts` loads. */
import { userInfo } from 'node:os';
import { auditCommand } from './audit.js';
import { approve, reject, respond, skip } from './decide.js';
import { completion } from './completion.js';
import { doctor } from './doctor.js';
import { edit } from './edit.js';
import { Exit, unknownCommand } from './exit.js';
import { grants } from './grants.js';
import { history } from './history.js';
import { ledgerCommand } from './ledger.js';
import { pending, runs, show } from './look.js';
import { COMMAND_NAMES, helpText, listText, pageOf, subcommandsOf } from './manual.js';
import { exitAfter, leave, watchOutputs } from './output.js';
import { policyCommand } from './policy.js';
import { previewCommand } from './preview.js';
import { tellError } from './tell-error.js';
import { version } from './version.js';
import { watch } from './watch.js';
import { webhooks } from './webhooks.js';

const HELP = `countersign: human approval between an AI agent's tool call and its execution

  countersign [options]   an agent in this folder that asks before it acts:
                          see countersign chat --help

  demo                    the same on a temporary project, with a scripted
                          model: no key, no network
  init                    adds approvals to the tools of your project's agent

Requests in a ledger:
  pending                 requests that wait for a decision
  show                    one request, in full
  approve, reject, edit, respond, skip
  watch                   a live view
  inbox                   a page in the browser
  history                 what was decided, by whom, and why
  runs                    runs that are not over
  audit                   list, verify, export, head, keygen
  ledger                  info, verify, compact
  webhooks                list undelivered events and resend them

Policies:
  policy init             a first policy for a project
  policy check            what the policies say about a call
  policy explain          the same, with the rules that matched and lost
  policy lint             rules that are shadowed, match nothing, or allow much
  policy replay           recorded calls against other rules: what would change
  policy suggest          rules that would have saved you questions
  policy import           the rules of another product as a policy
  policy preset           the text of a preset, to copy and change
  policy trust            let a project's policy allow, not only tighten
  grants                  list and revoke remembered decisions
  preview                 a call as text that is safe to show
  doctor                  checks this machine: confinement, SDK, policies
  completion              for bash, zsh and fish

  countersign help <command>     its options, with an example
  countersign --version

Examples:
  countersign demo
  countersign pending --ledger sqlite:approvals.db
  countersign approve 4f2a91c3 --ledger sqlite:approvals.db
  countersign policy check "git push"

Exit: 0 done; 1 damage was found, or it failed; 2 wrong usage; 3 the ledger
cannot be used; 4 no such request or run; 5 not taken: already decided,
expired, not allowed, not confirmed. policy check and explain have their own:
0 allow, 3 ask, 4 deny.
`;

/** Commands, by their first word. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => number | Promise<number>>> = {
  pending,
  show,
  runs,
  history,
  approve,
  reject,
  edit,
  respond,
  skip,
  watch,
  inbox,
  grants,
  audit: auditCommand,
  ledger: ledgerCommand,
  webhooks,
  policy: policyCommand,
  preview: previewCommand,
  doctor: (args) => doctor(args, version()),
  completion,
  chat,
  demo,
  init,
};

/** Not behind `--`, nor as the value of an option that has one. */
const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
};

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === 'help') return help(rest);
  if (command === '--version' || command === '-v') {
    process.stdout.write(`${version()}\n`);
    return Exit.ok;
  }
  if (command === '--help' || command === '-h') return help([]);
  const run = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command ?? ''] : undefined;
  if (run !== undefined && command !== undefined) return asksForHelp(rest) ? help([command, ...rest]) : run(rest);
  if (command !== undefined && !command.startsWith('-')) throw unknownCommand(command, COMMAND_NAMES);
  return chat(args);
}

/** The page of a command; without one all of them. */
function help(args: readonly string[]): number | Promise<number> {
  const words = args.filter((word) => !word.startsWith('-'));
  const [command, second] = words;
  const page = pageOf(words);
  if (page !== undefined) process.stdout.write(helpText(page));
  else if (command === undefined || command === 'help') process.stdout.write(HELP);
  else {
    const known = subcommandsOf(command);
    if (known.length === 0) throw unknownCommand(command, COMMAND_NAMES);
    if (second !== undefined && !known.includes(second)) throw unknownCommand(`${command} ${second}`, known);
    process.stdout.write(listText(command));
  }
  return Exit.ok;
}

/** A file of its own: other commands do not load it. */
async function chat(args: readonly string[]): Promise<number> {
  const { chatCommand } = await import('./chat/main.js');
  // Connections to a model may stay open for a while.
  return leave(await chatCommand(args));
}

/** As the chat, which it is. */
async function demo(args: readonly string[]): Promise<number> {
  const { demoCommand } = await import('./demo/main.js');
  return leave(await demoCommand(args));
}

async function init(args: readonly string[]): Promise<number> {
  const { initCommand } = await import('./init/main.js');
  return initCommand(args);
}

/** As the chat: a page may still hold a connection. */
async function inbox(args: readonly string[]): Promise<number> {
  const { inboxCommand } = await import('./inbox/main.js');
  return leave(await inboxCommand(args));
}

/**
 * Where a service or a container has no `HOME`, the user's files are those of their account: else a policy of theirs would be passed
 * over without a word. A user without an account has none: what needs the files says so.
 */
function setHome(): void {
  if (process.platform === 'win32' || process.env['HOME']) return;
  try {
    process.env['HOME'] = userInfo().homedir;
  } catch {
    // No account has this number.
  }
}

setHome();
watchOutputs();
let exit: number;
try {
  exit = await main(process.argv.slice(2));
} catch (error) {
  exit = tellError(error, process.argv.slice(2));
}
process.exitCode = exit;
// What goes wrong with the last that was said is told after it.
process.once('exit', (code) => (process.exitCode = exitAfter(code)));
