/** `countersign policy …`. */
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Policy, PolicyEffect, PolicyFinding, PolicyInput, PolicyVerdict, RecordedCall } from '../../index.js';
import { importPolicy, lintPolicy, loadPolicy, replayPolicy } from '../policy/check.js';
import { Policies } from '../policy/policies.js';
import { checkLine, presetText, safeText } from '../native.js';
import { snapshot } from '../values/snapshot.js';
import { Exit, UsageError } from './exit.js';
import { answerLines, linesOf } from './lines.js';
import { readJson, readOptions } from './options.js';
import { trustCommand } from './trust.js';

const HELP = `countersign policy check   [options] COMMAND      what the policies say: exit 0 allow, 3 ask, 4 deny
countersign policy check   --batch                  lines {"id","policy","call","cwd"?,"project"?,"home"?} to verdicts
countersign policy explain [options] COMMAND        the same, with the rules that matched and lost
countersign policy lint    [FILE…]                  exit 1 when something is plainly wrong
countersign policy replay  [options] LOG            JSON lines {"toolName","args","cwd"?,"effect"?} against these policies
countersign policy import  FORMAT FILE [-o OUT]     claude-code, codex, gemini-cli, opencode, vscode
countersign policy preset  NAME                     the text of read-only or developer, to copy and change
countersign policy trust   [DIRECTORY] [--remove | --list]

  -p, --policy FILE   a policy file or preset:NAME, instead of the files of this machine; several are pooled
      --tool NAME     the tool [default: execute]
      --args JSON     its arguments, instead of COMMAND
      --cwd DIR       where relative paths start
      --json          the verdict as JSON
`;

const CALL = {
  policy: { type: 'string', short: 'p', multiple: true },
  tool: { type: 'string' },
  args: { type: 'string' },
  cwd: { type: 'string' },
  json: { type: 'boolean' },
  batch: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function policyCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined || command === '--help' || command === '-h' || rest.includes('--help')) {
    process.stdout.write(HELP);
    return command === undefined ? Exit.usage : Exit.ok;
  }
  switch (command) {
    case 'check':
      return check(rest, 'check');
    case 'explain':
      return check(rest, 'explain');
    case 'lint':
      return lint(rest);
    case 'replay':
      return replay(rest);
    case 'import':
      return importCommand(rest);
    case 'preset':
      return preset(rest);
    case 'trust':
      return trustCommand(rest);
    default:
      throw new UsageError(`there is no command "policy ${command}"`);
  }
}

async function check(args: readonly string[], how: 'check' | 'explain'): Promise<number> {
  const { values, positionals } = readCall(args, how);
  if (values.batch === true && how === 'check') return answerLines(process.stdin, checkLine);
  const policies = await policiesOf(values.policy, values.cwd);
  const toolName = values.tool ?? 'execute';
  const call = { toolCallId: 'cli', toolName, args: snapshot(argumentsOf(how, values.args, positionals)) };
  const verdict = await policies.judge(call);
  if (values.json === true) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else if (how === 'explain') process.stdout.write(`${await policies.explain(call)}\n`);
  else process.stdout.write(`${told(verdict)}${verdict.effect === 'ask' ? await untrustedHint(policies, call) : ''}`);
  return verdict.effect === 'allow' ? Exit.ok : verdict.effect === 'ask' ? Exit.ask : Exit.deny;
}

/** A new file of a project allows nothing until its user says so, which is in none of its rules. */
async function untrustedHint(policies: Policies, call: Parameters<Policies['explain']>[0]): Promise<string> {
  const explained = await policies.explain(call);
  if (!explained.includes('its document is not trusted')) return '';
  return "A rule of the project's file would allow it, and counts when the file is trusted: countersign policy trust\n";
}

/** @throws {UsageError} */
function readCall(args: readonly string[], how: 'check' | 'explain') {
  try {
    return readOptions(args, CALL);
  } catch (error) {
    // Options of the command, most likely: `policy check ls -la`.
    if (!(error instanceof UsageError) || args[0] === undefined || args[0].startsWith('-')) throw error;
    throw new UsageError(`${error.message}. ${inQuotes(how)}`);
  }
}

const inQuotes = (how: 'check' | 'explain'): string =>
  `Pass the command line as one argument, in quotes: countersign policy ${how} "git status && ls"`;

function argumentsOf(how: 'check' | 'explain', json: string | undefined, positionals: readonly string[]): unknown {
  if (json !== undefined) {
    if (positionals.length > 0) throw new UsageError('pass either COMMAND or --args');
    return readJson(json, '--args');
  }
  if (positionals.length !== 1) throw new UsageError(inQuotes(how));
  return { command: positionals[0] };
}

/** The named policies, or those of this machine. */
async function policiesOf(names: readonly string[] | undefined, cwd: string | undefined): Promise<Policies> {
  const place = cwd === undefined ? undefined : { cwd: resolve(cwd) };
  const policy = names === undefined ? undefined : await inputsOf(names);
  return new Policies({ policy, files: policy === undefined ? 'all' : 'none', place, onProblems: warn }, 'policy');
}

const inputsOf = (names: readonly string[]): Promise<PolicyInput[]> =>
  Promise.all(names.map((name) => (name.startsWith('preset:') ? (name as PolicyInput) : loadPolicy(name))));

function warn(problems: readonly { message: string }[]): void {
  for (const { message } of problems) process.stderr.write(`countersign: ${safeText(message)}\n`);
}

function told({ effect, reason, subjects }: PolicyVerdict): string {
  const lines = subjects.map((subject) => {
    const what = subject.kind === 'unknown' ? subject.reason : 'text' in subject ? subject.text : subject.name;
    const { rule } = subject;
    const by = rule === null ? '' : `  (${rule.source}${rule.line === null ? '' : `:${rule.line}`})`;
    return `  ${subject.effect.padEnd(5)} ${subject.kind.padEnd(8)} ${safeText(what)}${safeText(by)}`;
  });
  return `${[`${effect}: ${safeText(reason)}`, ...lines].join('\n')}\n`;
}

async function lint(args: readonly string[]): Promise<number> {
  const { positionals, values } = readOptions(args, {
    json: { type: 'boolean' },
    tool: { type: 'string', multiple: true },
  });
  if (positionals.length === 0)
    throw new UsageError('policy lint needs the files: countersign policy lint policy.toml');
  const policies = (await inputsOf(positionals)) as Policy[];
  const findings = lintPolicy(policies, values.tool === undefined ? {} : { toolNames: values.tool });
  if (values.json === true) process.stdout.write(`${JSON.stringify(findings)}\n`);
  else for (const finding of findings) process.stdout.write(`${line(finding)}\n`);
  const worst = findings.filter(({ severity }) => severity === 'error').length;
  if (values.json !== true) {
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    process.stdout.write(`${worst} errors, ${warnings} warnings, ${findings.length - worst - warnings} hints\n`);
  }
  return worst > 0 ? Exit.failure : Exit.ok;
}

function line({ source, line, column, severity, code, message }: PolicyFinding): string {
  const place = line === null ? source : `${source}:${line}:${column}`;
  return `${safeText(place)}: ${severity}: ${safeText(message)} [${code}]`;
}

async function replay(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { policy: CALL.policy, cwd: CALL.cwd, json: CALL.json });
  const [log] = positionals;
  if (log === undefined || positionals.length > 1)
    throw new UsageError('policy replay needs one file of JSON lines, or -');
  if (values.policy === undefined) throw new UsageError('policy replay needs the rules to try: --policy FILE');
  const place = values.cwd === undefined ? undefined : { cwd: resolve(values.cwd) };
  const { total, effects, changed } = await replayPolicy(recorded(log), await inputsOf(values.policy), place);
  if (values.json === true) {
    process.stdout.write(`${JSON.stringify({ total, effects, changed })}\n`);
    return Exit.ok;
  }
  for (const { call, from, to } of changed) {
    process.stdout.write(
      `${from} -> ${to.effect}: ${safeText(call.toolName)} ${safeText(JSON.stringify(call.args))}: ${safeText(to.reason)}\n`,
    );
  }
  const { allow, ask, deny } = effects;
  process.stdout.write(
    `${total} calls: ${allow} allowed, ${ask} asked about, ${deny} denied; ${changed.length} changed\n`,
  );
  return Exit.ok;
}

async function* recorded(log: string): AsyncGenerator<RecordedCall> {
  let number = 0;
  for await (const text of linesOf(log === '-' ? process.stdin : createReadStream(log))) {
    number++;
    if (text.trim() === '') continue;
    const place = `${log}:${number}`;
    const call = readJson(text, place) as Partial<Record<keyof RecordedCall, unknown>> | null;
    if (typeof call !== 'object' || typeof call?.toolName !== 'string' || !Object.hasOwn(call, 'args'))
      throw new UsageError(`${place}: a recorded call needs a toolName and args`);
    const { toolName, args, cwd, effect } = call;
    if (cwd !== undefined && typeof cwd !== 'string') throw new UsageError(`${place}: cwd must be a string`);
    if (effect !== undefined && !EFFECTS.includes(effect as PolicyEffect))
      throw new UsageError(`${place}: effect must be one of ${EFFECTS.join(', ')}`);
    yield {
      toolName,
      args,
      ...(cwd === undefined ? {} : { cwd }),
      ...(effect === undefined ? {} : { effect: effect as PolicyEffect }),
    };
  }
}

function preset(args: readonly string[]): number {
  const { positionals } = readOptions(args, {});
  const [name] = positionals;
  const text = name === undefined || positionals.length > 1 ? null : presetText(name.replace(/^preset:/, ''));
  if (text === null) throw new UsageError('policy preset needs a name: read-only or developer');
  process.stdout.write(text);
  return Exit.ok;
}

const EFFECTS: readonly PolicyEffect[] = ['allow', 'ask', 'deny'];

async function importCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = readOptions(args, { output: { type: 'string', short: 'o' } });
  const [format, file] = positionals;
  if (format === undefined || file === undefined || positionals.length > 2)
    throw new UsageError(
      'policy import needs a format and a file: countersign policy import claude-code .claude/settings.json',
    );
  const { toml, losses } = await importPolicy(format as never, await readFile(file, 'utf8'), { name: file });
  if (values.output === undefined) process.stdout.write(toml);
  // Never over a policy that is there.
  else await writeFile(values.output, toml, { flag: 'wx' });
  for (const { what, line, why, effect } of losses) {
    const place = line === null ? file : `${file}:${line}`;
    process.stderr.write(`${safeText(place)}: ${effect}: ${safeText(what)}: ${safeText(why)}\n`);
  }
  process.stderr.write(
    `${losses.length === 0 ? 'nothing was lost' : `${losses.length} rules could not be said exactly`}\n`,
  );
  return Exit.ok;
}
