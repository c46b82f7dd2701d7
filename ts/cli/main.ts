/** The `countersign` command, which `start.ts` loads. */
import { readFileSync } from 'node:fs';
import { AUDIT_HELP, auditCommand } from './audit.js';
import { approve, DECIDE_HELP, reject, respond, skip } from './decide.js';
import { DOCTOR_HELP, doctor } from './doctor.js';
import { edit } from './edit.js';
import { Exit, UsageError } from './exit.js';
import { LEDGER_HELP, ledgerCommand } from './ledger.js';
import { LOOK_HELP, pending, runs, show } from './look.js';
import { exitAfter, leave, watchOutputs } from './output.js';
import { policyCommand } from './policy.js';
import { previewCommand } from './preview.js';
import { tellError } from './tell-error.js';
import { WATCH_HELP, watch } from './watch.js';
import { WEBHOOKS_HELP, webhooks } from './webhooks.js';

const HELP = `countersign: human approval between an AI agent's tool call and its execution

  countersign [options]        an agent in this folder that asks before it acts: see countersign chat --help

Requests in a ledger:
  countersign pending          what waits for a decision
  countersign show             one request, whole
  countersign approve, reject, edit, respond, skip
  countersign watch            a live view
  countersign inbox            a page in the browser
  countersign runs             runs that are not over
  countersign audit            list, verify, export, head, keygen
  countersign ledger           info, verify, compact
  countersign webhooks         what receivers did not take, and to send it again

Policies:
  countersign policy check     what the policies say about a call
  countersign policy explain   the same, with the rules that matched and lost
  countersign policy lint      rules that are shadowed, can match nothing, or allow too much
  countersign policy replay    recorded calls against other rules: what would change
  countersign policy import    the rules of another product as a policy
  countersign policy preset    the text of a preset, to copy and change
  countersign policy trust     let a project's policy allow, not only tighten
  countersign preview          a call as text that is safe to show

  countersign doctor           what this machine gives: confinement, the SDK, policy files

  countersign <command> --help
  countersign --version
`;

const INBOX_HELP = `countersign inbox    what waits, on a page in the browser: prints a link that opens it once
      --port N               [default: a free one]
  -g, --group NAME           a group that you are in, where requests name groups; may be given several times
`;

/** Commands on a ledger, with the page of help that they are on. */
const ON_LEDGER: Readonly<Record<string, { run(args: readonly string[]): Promise<number>; help: string }>> = {
  pending: { run: pending, help: LOOK_HELP },
  show: { run: show, help: LOOK_HELP },
  runs: { run: runs, help: LOOK_HELP },
  approve: { run: approve, help: DECIDE_HELP },
  reject: { run: reject, help: DECIDE_HELP },
  edit: { run: edit, help: DECIDE_HELP },
  respond: { run: respond, help: DECIDE_HELP },
  skip: { run: skip, help: DECIDE_HELP },
  watch: { run: watch, help: WATCH_HELP },
  inbox: { run: inbox, help: INBOX_HELP },
  audit: { run: auditCommand, help: AUDIT_HELP },
  ledger: { run: ledgerCommand, help: LEDGER_HELP },
  webhooks: { run: webhooks, help: WEBHOOKS_HELP },
};

const LEDGER_OPTIONS = `  -l, --ledger LEDGER        sqlite:PATH or postgres://…
                             [default: COUNTERSIGN_LEDGER, else the nearest .countersign/ledger.db upward]
      --key-env NAME         the variable with the key of an encrypted ledger [default: COUNTERSIGN_LEDGER_KEY]
      --by NAME              who decides [default: the user of the system]
      --json                 JSON Lines

Of an id the first or the last six characters will do, when no other has them.
Exit: 0 done; 1 damage was found; 2 wrong usage; 3 the ledger cannot be used; 4 no such request or run;
5 not taken: already decided, expired, not allowed, not confirmed.
`;

/** Not behind `--`, nor as the value of an option that has one. */
const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
};

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  const onLedger = Object.hasOwn(ON_LEDGER, command ?? '') ? ON_LEDGER[command ?? ''] : undefined;
  if (onLedger !== undefined) {
    if (!asksForHelp(rest)) return onLedger.run(rest);
    process.stdout.write(`${onLedger.help}\n${LEDGER_OPTIONS}`);
    return Exit.ok;
  }
  switch (command) {
    case 'policy':
      return policyCommand(rest);
    case 'doctor':
      if (!asksForHelp(rest)) return doctor(rest, version());
      process.stdout.write(DOCTOR_HELP);
      return Exit.ok;
    case 'preview':
      return previewCommand(rest);
    case '--version':
    case '-v':
      process.stdout.write(`${version()}\n`);
      return Exit.ok;
    case '--help':
    case '-h':
    case 'help':
      process.stdout.write(HELP);
      return Exit.ok;
    case 'chat':
      return chat(rest);
    default:
      if (command !== undefined && !command.startsWith('-'))
        throw new UsageError(`there is no command ${JSON.stringify(command)}`);
      return chat(args);
  }
}

/** A file of its own: whoever runs another command does not load it. */
async function chat(args: readonly string[]): Promise<number> {
  const { chatCommand } = await import('./chat/main.js');
  // Connections to a model may stay open for a while.
  return leave(await chatCommand(args));
}

/** As the chat: a page may still hold a connection. */
async function inbox(args: readonly string[]): Promise<number> {
  const { inboxCommand } = await import('./inbox/main.js');
  return leave(await inboxCommand(args));
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

watchOutputs();
let exit: number;
try {
  exit = await main(process.argv.slice(2));
} catch (error) {
  exit = tellError(error);
}
process.exitCode = exit;
// What goes wrong with the last that was said is told after it.
process.once('exit', (code) => (process.exitCode = exitAfter(code)));
