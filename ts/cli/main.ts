#!/usr/bin/env node
/** The `countersign` command. */
import { readFileSync } from 'node:fs';
import { CountersignError } from '../errors/index.js';
import { messageOf } from '../errors/message-of.js';
import { safeText } from '../native.js';
import { Exit, Usage } from './exit.js';
import { policyCommand } from './policy.js';
import { previewCommand } from './preview.js';

const HELP = `countersign: human approval between an AI agent's tool call and its execution

  countersign policy check     what the policies say about a call
  countersign policy explain   the same, with the rules that matched and lost
  countersign policy lint      rules that are shadowed, can match nothing, or allow too much
  countersign policy replay    recorded calls against other rules: what would change
  countersign policy import    the rules of another product as a policy
  countersign policy preset    the text of a preset, to copy and change
  countersign policy trust     let a project's policy allow, not only tighten
  countersign preview          a call as text that is safe to show

  countersign <command> --help
  countersign --version
`;

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'policy':
      return policyCommand(rest);
    case 'preview':
      return previewCommand(rest);
    case '--version':
    case '-v':
      process.stdout.write(`${version()}\n`);
      return Exit.ok;
    case undefined:
    case '--help':
    case '-h':
    case 'help':
      process.stdout.write(HELP);
      return command === undefined ? Exit.usage : Exit.ok;
    default:
      throw new Usage(`there is no command ${JSON.stringify(command)}`);
  }
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Whoever reads us may stop reading: that is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(Exit.ok);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = error instanceof Usage ? Exit.usage : Exit.failure;
  const hint = error instanceof Usage ? '\nSee `countersign --help`.' : '';
  const code = CountersignError.isInstance(error) ? `${error.code}: ` : '';
  process.stderr.write(`countersign: ${code}${safeText(messageOf(error))}${hint}\n`);
}
