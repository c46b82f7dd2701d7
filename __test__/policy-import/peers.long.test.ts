/**
 * What other products' own tests expect, as data that is no part of this project: without it these tests are skipped. Each file
 * is scored under its own rules, as they are imported. A row that expects an ask or a deny must never come out as allow.
 * `COUNTERSIGN_SHARED` names the folder with the data.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ForeignPolicyFormat, PolicyEffect } from '../../index.js';
import { checkPolicy, importPolicy, parsePolicy, PolicyError } from '../../ts/index.js';
import { claude } from './support.js';

const SHARED = process.env['COUNTERSIGN_SHARED'] ?? join(import.meta.dirname, '../../../shared');
const PROJECT = '/project';

// What stands in the files is theirs: it is read as it is.
type Cell = { [key: string]: Cell } & { [index: number]: Cell } & { length: number } & (
    | string
    | boolean
    | null
    | undefined
  );

const fileOf = (name: string): string => join(SHARED, 'cases', name);
const casesOf = (name: string): Record<string, Cell[]> =>
  JSON.parse(readFileSync(fileOf(name), 'utf8')) as Record<string, Cell[]>;
/** A test over a file of cases. */
const over = (
  name: string,
  title: string,
  run: (file: Record<string, Cell[]>, score: Score) => Promise<void>,
): void => {
  test.skipIf(!existsSync(fileOf(name)))(title, async () => {
    const score = new Score();
    await run(casesOf(name), score);
    expect(score.rows).toBeGreaterThan(0);
    expect(score.looser).toEqual([]);
  });
};

class Score {
  rows = 0;
  readonly looser: string[] = [];

  row(expected: PolicyEffect, got: PolicyEffect, what: string): void {
    this.rows++;
    if (expected !== 'allow' && got === 'allow') this.looser.push(`${what}: ${expected} expected`);
  }

  /** What holds beside that. */
  must(holds: boolean, what: string): void {
    if (!holds) this.looser.push(what);
  }
}

const effectOf = (name: unknown): PolicyEffect => {
  if (['allow', 'Skip', 'approved', 'known_safe'].includes(name as string)) return 'allow';
  return ['deny', 'forbidden', 'Forbidden'].includes(name as string) ? 'deny' : 'ask';
};

/** The policy as TOML; `undefined`: it is refused. */
async function policyOf(format: ForeignPolicyFormat, text: string): Promise<string | undefined> {
  try {
    return (await importPolicy(format, text)).toml;
  } catch (error) {
    if (PolicyError.isInstance(error)) return undefined;
    throw error;
  }
}

const withDefault = (toml: string, effect: PolicyEffect): string =>
  toml.replace(/^default = .*\n/m, '').replace('version = 1\n', `version = 1\ndefault = "${effect}"\n`);

async function verdictOf(
  policies: readonly (string | undefined)[],
  toolName: string,
  args: object,
  project: string = PROJECT,
): Promise<PolicyEffect> {
  const place = { cwd: project, project, home: '/home/user' };
  const given = policies.filter((toml) => toml !== undefined).map((toml) => parsePolicy(toml));
  return (await checkPolicy(given, { toolName, args }, place)).effect;
}

/** A command line that runs this argv. */
const lineOf = (argv: Cell): string =>
  Array.from(argv as unknown as string[], (word) =>
    /^[A-Za-z0-9\-_./:=@%+,]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  ).join(' ');

const list = (cell: Cell | undefined): Cell[] => (Array.isArray(cell) ? (cell as Cell[]) : []);

over('codex-execpolicy.json', 'rules of Codex', async (file, score) => {
  for (const row of file['decision_cases']!) {
    const toml = await policyOf('codex', row['policy'] as string);
    const command = row['multiple'] === true ? list(row['argv']).map(lineOf).join(' && ') : lineOf(row['argv']!);
    const policy = withDefault(toml!, effectOf(row['unmatched_fallback']));
    const got = await verdictOf([policy], 'bash', { command });
    const expected = effectOf(row['expected']);
    score.row(expected, got, `${String(row['test'])} / ${command}`);
    score.must(expected !== 'deny' || got === 'deny', `${String(row['test'])}: a deny is lost`);
  }
  for (const row of file['parse_error_cases']!)
    score.must((await policyOf('codex', row['policy'] as string)) === undefined, `${String(row['test'])}: it is taken`);
});

over('codex-exec-approval-scenarios.json', 'approvals of Codex', async (file, score) => {
  for (const row of file['scenarios']!) {
    const policy = await policyOf('codex', (row['policy'] as string | null) ?? '');
    score.must(policy !== undefined, `${String(row['test'])}: it is refused`);
    const got = await verdictOf([policy], 'bash', { command: lineOf(row['argv']!) });
    score.row(effectOf(row['expected']), got, String(row['test']));
  }
});

over('vscode-command-line-auto-approver.json', 'approvals of VS Code', async (file, score) => {
  for (const row of file['cases']!) {
    let rules = Object.entries(row['rules']!);
    // Of these only the rules over whole lines are looked at.
    if (row['match'] === 'commandLine') rules = rules.filter(([, rule]) => rule?.['matchCommandLine'] === true);
    // Where an expression is refused nothing is allowed.
    const policy = await policyOf('vscode', JSON.stringify(Object.fromEntries(rules)));
    const shell = row['shell'] === 'bash' ? 'bash' : 'pwsh';
    const got = await verdictOf([policy], 'bash', { command: row['command'], shell });
    score.row(effectOf(row['expected']), got, `${String(row['command'])} / ${shell} / ${JSON.stringify(row['rules'])}`);
  }
});

/** Rules in their order, as a configuration. `undefined`: a name would have to stand in it twice. */
async function opencodeOf(rules: Cell): Promise<string | undefined> {
  const groups: { permission: string; patterns: string[] }[] = [];
  for (const rule of list(rules)) {
    const permission = rule['permission'] as string;
    const pattern = `${JSON.stringify(rule['pattern'])}: ${JSON.stringify(rule['action'])}`;
    const last = groups.at(-1);
    if (last?.permission === permission) last.patterns.push(pattern);
    else groups.push({ permission, patterns: [pattern] });
  }
  const permissions = groups.map(
    ({ permission, patterns }) => `${JSON.stringify(permission)}: { ${patterns.join(', ')} }`,
  );
  const config = `{ "permission": {${permissions.join(', ')}} }`.replaceAll('<HOME>', '/home/user');
  return policyOf('opencode', config);
}

function opencodeCall(permission: string, target: string): [toolName: string, args: object] {
  switch (permission) {
    case 'bash':
      return ['bash', { command: target }];
    case 'edit':
    case 'write':
    case 'apply_patch':
      return ['edit_file', { file_path: target }];
    case 'read':
    case 'external_directory':
      return ['read_file', { file_path: target }];
    case 'webfetch':
      return ['web_fetch', { url: 'https://example.com/' }];
    default:
      return [permission, { value: target }];
  }
}

over('opencode-permission.json', 'permissions of opencode', async (file, score) => {
  for (const row of file['evaluate']!) {
    const policy = await opencodeOf(row['rules']!);
    if (policy === undefined) continue;
    const target = (row['target'] as string).replaceAll('<HOME>', '/home/user');
    const [tool, args] = opencodeCall(row['permission'] as string, target);
    score.row(effectOf(row['expected']), await verdictOf([policy], tool, args), `${tool} ${target} / ${policy}`);
  }
  for (const row of file['disabled_tools']!) {
    const policy = await opencodeOf(row['rules']!);
    if (policy === undefined) continue;
    for (const each of list(row['expected_disabled'])) {
      const [tool, args] = opencodeCall(each as string, 'x');
      score.row('deny', await verdictOf([policy], tool, args), `${tool} / ${policy}`);
    }
  }
});

/** Their other names for tools, as the importer knows them. */
const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['ShellTool', 'Shell', 'run_shell_command', 'monitor'].map((name) => [name, 'Bash'])),
  ...Object.fromEntries(['ReadFileTool', 'ReadFile', 'read_file'].map((name) => [name, 'Read'])),
  ...Object.fromEntries(['WriteFileTool', 'WriteFile', 'write_file'].map((name) => [name, 'Write'])),
  ...Object.fromEntries(['EditTool', 'edit'].map((name) => [name, 'Edit'])),
  grep_search: 'Grep',
  list_directory: 'LS',
  glob: 'Glob',
  web_fetch: 'WebFetch',
};

/** A rule of theirs for a call of this tool. They have a second tool that runs commands, which rules of its own speak of. */
function qwenRule(tool: string, written: string): string {
  const [, name = '', rest = ''] = /^([^(]*)(.*)$/s.exec(written) ?? [];
  const rule = `${NAMES[name] ?? name}${rest}`;
  return tool === 'monitor' && rule.startsWith('Monitor') ? `Bash${rule.slice('Monitor'.length)}` : rule;
}

const textOf = (cell: Cell | undefined): string | undefined =>
  typeof cell === 'string' && (cell as string) !== '<undefined>' ? cell : undefined;

type QwenCall = [toolName: string, args: Record<string, unknown>];

/** A call; `undefined` when the row gives a tool by a function. */
function qwenCall(
  tool: string,
  command?: string,
  file = '/project/some.file',
  domain = 'unknown.invalid',
): QwenCall | undefined {
  switch (tool) {
    case '<fn>':
      return undefined;
    case 'run_shell_command':
    case 'monitor':
      return ['execute', { command: command ?? 'some-command' }];
    case 'read_file':
      return ['read_file', { file_path: file }];
    case 'list_directory':
      return ['ls', { path: file }];
    case 'glob':
      return ['glob', { pattern: '*', path: file }];
    case 'grep_search':
      return ['grep', { pattern: 'x', path: file }];
    case 'edit':
      return ['edit_file', { file_path: file }];
    case 'write_file':
      return ['write_file', { file_path: file }];
    case 'notebook_edit':
      return ['NotebookEdit', { file_path: file }];
    case 'web_fetch':
      return ['web_fetch', { url: `https://${domain}/` }];
    case 'agent':
    case 'task':
      return ['Agent', { prompt: 'x' }];
    default:
      return [tool, { command: command ?? null }];
  }
}

const QWEN = 'qwen-permission-manager.json';

over(QWEN, 'calls under rules like those of Claude Code', async (file, score) => {
  for (const row of [...file['PermissionManager.evaluate']!, ...file['PermissionManager.isCommandAllowed']!]) {
    const subject = row['args']![0]!;
    const asCommand = textOf(subject);
    const name = asCommand === undefined ? (subject['toolName'] as string) : 'run_shell_command';
    const call = qwenCall(
      name,
      asCommand ?? textOf(subject['command']),
      textOf(subject['filePath']),
      textOf(subject['domain']),
    );
    // Links in a directory that is gone, and tools that only exist in the peer's test.
    if (call === undefined || typeof row['needs_filesystem'] === 'boolean') continue;
    const cwd = asCommand === undefined ? textOf(subject['cwd']) : undefined;
    const args = cwd === undefined ? call[1] : { ...call[1], cwd };
    const rules = (config: string, session: string) => [
      ...list(row['config']?.[config]).map((rule) => qwenRule(name, rule as string)),
      ...list(row['prior_calls'])
        .filter((prior) => prior[0] === (session as unknown))
        .map((prior) => qwenRule(name, prior[1]![0] as unknown as string)),
    ];
    const policy = await policyOf(
      'claude-code',
      claude({
        allow: rules('PermissionsAllow', 'addSessionAllowRule'),
        ask: rules('PermissionsAsk', 'addSessionAskRule'),
        deny: rules('PermissionsDeny', 'addSessionDenyRule'),
      }),
    );
    score.must(policy !== undefined, `${JSON.stringify(row['config'])}: it is refused`);
    const got = await verdictOf([policy], call[0], args, row['config']!['ProjectRoot'] as string);
    score.row(effectOf(row['expected']), got, JSON.stringify([subject, row['config']]));
  }
});

/** A rule that matches must stop the call when it denies; one that does not must not allow it. */
async function scoreRule(
  score: Score,
  rule: string,
  expected: boolean,
  [tool, args]: QwenCall,
  project?: string,
): Promise<void> {
  const what = `${rule} / ${tool} ${JSON.stringify(args)}`;
  const deny = withDefault((await policyOf('claude-code', claude({ deny: [rule] })))!, 'allow');
  const denied = await verdictOf([deny], tool, args, project);
  const allowed = await verdictOf([await policyOf('claude-code', claude({ allow: [rule] }))], tool, args, project);
  score.row(expected ? 'deny' : 'allow', denied, `deny ${what}`);
  score.row(expected ? 'allow' : 'ask', allowed, `allow ${what}`);
}

over(QWEN, 'single rules like those of Claude Code', async (file, score) => {
  for (const { args, expected } of file['matchesRule']!) {
    const written = textOf(args?.[0]?.['rule']);
    const tool = textOf(args?.[1]);
    if (args === undefined || written === undefined || tool === undefined) continue;
    // A rule over other arguments than these is about a tool that we do not read.
    const call = qwenCall(tool, textOf(args[2]), textOf(args[3]), textOf(args[4]));
    if (call === undefined) continue;
    // There a rule for another tool or an incomplete rule never matches; a deny of ours may.
    const project = textOf(args[5]?.['projectRoot']);
    await scoreRule(score, qwenRule(tool, written), (expected as unknown) === true, call, project);
  }
  for (const { args, expected } of file['matchesCommandPattern']!) {
    const call = qwenCall('run_shell_command', args![1] as unknown as string)!;
    await scoreRule(score, `Bash(${String(args![0])})`, (expected as unknown) === true, call);
  }
  for (const { args, expected } of file['matchesPathPattern']!) {
    const [pattern, path] = [textOf(args?.[0]), textOf(args?.[1])];
    // Links in a directory that is gone.
    if (pattern === undefined || path === undefined || path.startsWith('/tmp/')) continue;
    const call = qwenCall('read_file', undefined, path)!;
    await scoreRule(score, `Read(${pattern})`, (expected as unknown) === true, call, textOf(args?.[2]));
  }
  for (const { args, expected } of file['matchesDomainPattern']!) {
    const call = qwenCall('web_fetch', undefined, undefined, args![1] as unknown as string)!;
    await scoreRule(score, `WebFetch(${String(args![0])})`, (expected as unknown) === true, call);
  }
});
