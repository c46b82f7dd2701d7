/** `countersign policy …`. */
import { createReadStream, existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Policy, PolicyEffect, PolicyFinding, PolicyInput, PolicyVerdict, RecordedCall } from '../../index.js';
import { nearestOf } from '../options/nearest.js';
import { importPolicy, lintPolicy, loadPolicy, replayPolicy } from '../policy/check.js';
import { Policies } from '../policy/policies.js';
import { checkLine, projectDirectory, safeText } from '../native.js';
import { snapshot } from '../values/snapshot.js';
import { Exit, ExitError, unknownCommand, UsageError } from './exit.js';
import { answerLines, linesOf } from './lines.js';
import { FORMATS, listText, subcommandsOf } from './manual.js';
import { folderOf, readJson, readOptions } from './options.js';
import { policyInit, presetNamed } from './policy-init.js';
import { policySuggest } from './policy-suggest.js';
import { count, printJson } from './print.js';
import { trustCommand } from './trust.js';

const CALL = {
  policy: { type: 'string', short: 'p', multiple: true },
  tool: { type: 'string' },
  args: { type: 'string' },
  cwd: { type: 'string' },
  confined: { type: 'boolean' },
  json: { type: 'boolean' },
  batch: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function policyCommand(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === undefined) {
    process.stdout.write(listText('policy'));
    return Exit.usage;
  }
  switch (command) {
    case 'check':
      return check(rest, 'check');
    case 'explain':
      return check(rest, 'explain');
    case 'init':
      return policyInit(rest);
    case 'lint':
      return lint(rest);
    case 'replay':
      return replay(rest);
    case 'suggest':
      return policySuggest(rest);
    case 'import':
      return importCommand(rest);
    case 'preset':
      return preset(rest);
    case 'trust':
      return trustCommand(rest);
    default:
      throw unknownCommand(`policy ${command}`, subcommandsOf('policy'));
  }
}

async function check(args: readonly string[], how: 'check' | 'explain'): Promise<number> {
  const { values, positionals } = readCall(args, how);
  if (values.batch === true && how === 'check') return answerLines(process.stdin, checkLine);
  // What is asked comes first: what it is judged by says something of its own.
  const asked = snapshot(argumentsOf(how, values.args, positionals));
  const policies = await policiesOf(values.policy, values.cwd);
  const toolName = values.tool ?? 'execute';
  const call = {
    toolCallId: 'cli',
    toolName,
    args: asked,
    // As a deep agent runs it that works here, with `confine: true`.
    ...(values.confined === true ? { confined: { writes: [folderOf('--cwd', values.cwd)] } } : {}),
  };
  const verdict = await policies.judge(call);
  if (values.json === true) await printJson(verdict);
  else if (how === 'explain') process.stdout.write(`${await policies.explain(call)}\n`);
  else process.stdout.write(`${told(verdict)}${verdict.effect === 'ask' ? await untrustedHint(policies, call) : ''}`);
  return verdict.effect === 'allow' ? Exit.ok : verdict.effect === 'ask' ? Exit.ask : Exit.deny;
}

/** A new file of a project allows nothing until its user says so, which is in none of its rules. */
async function untrustedHint(policies: Policies, call: Parameters<Policies['explain']>[0]): Promise<string> {
  const explained = await policies.explain(call);
  if (!explained.includes('the file is not trusted')) return '';
  return "A rule of the project's file would allow it, and counts when the file is trusted: npx countersign policy trust\n";
}

/** Options, and the command line behind them: one argument, or words as in a shell. @throws {UsageError} */
function readCall(args: readonly string[], how: 'check' | 'explain') {
  const { tokens } = parseArgs({ args: [...args], options: CALL, allowPositionals: true, strict: false, tokens: true });
  const first = tokens.find(({ kind }) => kind === 'positional')?.index;
  const words = first === undefined ? [] : args.slice(first);
  if (words.length < 2) return readOptions(args, CALL);
  // Behind one word a letter is the command's, `mkdir -p a`; behind a whole line it can only be ours.
  const isCommand = !/\s/.test(words[0] ?? '') && words.slice(1).some((word) => /^-\w/.test(word));
  try {
    // One argument, and options behind it.
    const read = isCommand ? undefined : readOptions(args, CALL);
    if (read?.positionals.length === 1) return read;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  const ours =
    words.slice(1).find((word) => Object.hasOwn(CALL, word.replace(/^--|=.*$/g, '')) && word.startsWith('--')) ??
    policyAtEnd(words);
  if (ours !== undefined)
    throw new UsageError(`is ${ours} a part of the command? Options come before it: ${inQuotes(how)}`);
  const { values } = readOptions(args.slice(0, first), CALL);
  return { values, positionals: [words.map(asWord).join(' ')] };
}

/** `-p` with a policy behind it, at the end of a command that may have such an option itself. */
function policyAtEnd(words: readonly string[]): string | undefined {
  const [option, name = ''] = words.slice(-2);
  return words.length > 2 && option === '-p' && /^preset:|\.(?:toml|jsonc?)$/.test(name) ? option : undefined;
}

/** A word as a shell reads it. */
const asWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const QUOTED = 'One with ; | && or quotes in it is one argument, in quotes.';

const inQuotes = (how: 'check' | 'explain'): string =>
  `Pass the command line as one argument, in quotes: countersign policy ${how} "git status && ls"`;

function argumentsOf(how: 'check' | 'explain', json: string | undefined, positionals: readonly string[]): unknown {
  if (json !== undefined) {
    if (positionals.length > 0) throw new UsageError('pass either COMMAND or --args');
    return readJson(json, '--args');
  }
  if (positionals.length === 0)
    throw new UsageError(`policy ${how} needs a command line: countersign policy ${how} ls -la. ${QUOTED}`);
  if (positionals.length !== 1) throw new UsageError(inQuotes(how));
  return { command: positionals[0] };
}

/** The named policies, or those of this machine; where it has none, what the chat says here. */
async function policiesOf(names: readonly string[] | undefined, cwd: string | undefined): Promise<Policies> {
  const folder = folderOf('--cwd', cwd);
  const place = cwd === undefined ? undefined : { cwd: folder };
  const policy = names === undefined ? await unsaid(folder) : await inputsOf(names);
  return new Policies({ policy, files: names === undefined ? 'all' : 'none', place, onProblems: warn }, 'policy');
}

/** The rules of the chat in a folder that no rule covers; `undefined`: one does. */
async function unsaid(folder: string): Promise<PolicyInput[] | undefined> {
  // Of all commands this one alone needs the settings of the chat.
  const [{ readConfig }, { isFresh, rulesOf, UNSAID }] = await Promise.all([
    import('./chat/config.js'),
    import('./chat/rules.js'),
  ]);
  const config = await readConfig(folder, {});
  if (!isFresh(config)) return undefined;
  process.stderr.write(
    `No policy files found. Showing ${UNSAID}, which only the chat uses: a gate in your code has no rules.\n`,
  );
  return rulesOf(config);
}

/** @throws {UsageError} where there is no preset of that name */
const inputsOf = async (names: readonly string[]): Promise<PolicyInput[]> => {
  for (const name of names) if (name.startsWith('preset:')) presetNamed(name);
  return Promise.all(names.map((name) => (name.startsWith('preset:') ? (name as PolicyInput) : loadPolicy(name))));
};

function warn(problems: readonly { message: string }[]): void {
  for (const { message } of problems) process.stderr.write(`countersign: ${safeText(message)}\n`);
}

function told({ effect, reason, actions, risks = [] }: PolicyVerdict): string {
  const lines = actions.map((action) => {
    const what = action.kind === 'unknown' ? action.reason : 'text' in action ? action.text : action.name;
    const { rule } = action;
    const by = rule === null ? '' : `  (${rule.source}${rule.line === null ? '' : `:${rule.line}`})`;
    return `  ${action.effect.padEnd(5)} ${action.kind.padEnd(8)} ${safeText(what)}${safeText(by)}`;
  });
  const marks = risks.map(({ level, because, rule: { source, line } }) => {
    const why = because === null ? '' : `: ${because}`;
    return `  risk  ${level.padEnd(8)} ${safeText(`${source}${line === null ? '' : `:${line}`}${why}`)}`;
  });
  return `${[`${effect}: ${safeText(reason)}`, ...lines, ...marks].join('\n')}\n`;
}

/** The policy of the project that this directory is in: the file that counts here. @throws {UsageError} */
function ownPolicy(): string {
  const file = join(projectDirectory(process.cwd()), '.countersign', 'policy.toml');
  if (existsSync(file)) return file;
  throw new UsageError(
    'no policy is here: name one (countersign policy lint FILE), or make one (countersign policy init)',
  );
}

async function lint(args: readonly string[]): Promise<number> {
  const { positionals, values } = readOptions(args, {
    json: { type: 'boolean' },
    tool: { type: 'string', multiple: true },
  });
  const files = positionals.length > 0 ? positionals : [ownPolicy()];
  const policies = (await inputsOf(files)) as Policy[];
  const findings = lintPolicy(policies, values.tool === undefined ? {} : { toolNames: values.tool });
  if (values.json === true) await printJson({ findings });
  else for (const finding of findings) process.stdout.write(`${line(finding)}\n`);
  const worst = findings.filter(({ severity }) => severity === 'error').length;
  if (values.json !== true) {
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    const infos = findings.length - worst - warnings;
    process.stdout.write(`${count(worst, 'error')}, ${count(warnings, 'warning')}, ${infos} info\n`);
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
  const place = values.cwd === undefined ? undefined : { cwd: folderOf('--cwd', values.cwd) };
  const { total, effects, changed } = await replayPolicy(recorded(log), await inputsOf(values.policy), place);
  if (values.json === true) {
    await printJson({ total, effects, changed });
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
  if (name === undefined || positionals.length > 1)
    throw new UsageError('policy preset needs a name: read-only or developer');
  process.stdout.write(presetNamed(name));
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
  const meant = nearestOf(format, FORMATS);
  if (!FORMATS.includes(format))
    throw new UsageError(
      `there is no format ${JSON.stringify(format)}: ${meant === undefined ? `there are ${FORMATS.join(', ')}` : `did you mean ${meant}?`}`,
    );
  const { toml, losses } = await importPolicy(format as never, await readFile(file, 'utf8'), { name: file });
  if (values.output === undefined) process.stdout.write(toml);
  // Never over a policy that is there.
  else await writeNew(values.output, toml);
  for (const { what, line, why, effect } of losses) {
    const place = line === null ? file : `${file}:${line}`;
    process.stderr.write(`${safeText(place)}: ${effect}: ${safeText(what)}: ${safeText(why)}\n`);
  }
  process.stderr.write(
    `${losses.length === 0 ? 'nothing was lost' : `${count(losses.length, 'part')} could not be said exactly`}\n`,
  );
  return Exit.ok;
}

/** @throws {ExitError} where there is such a file */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExitError(
      Exit.failure,
      `nothing was written: ${path} is there already. Name another file, or remove it`,
      'ERR_POLICY_EXISTS',
    );
  }
}
