/**
 * A deny of theirs stays a deny, or the file is refused. An ask in its place would run in the mode `auto`, by "always", and by a
 * reviewer.
 */
import { jsonSchema } from 'ai';
import { afterEach, describe, expect, test } from 'vitest';
import type { ForeignPolicyFormat, Gate, Policy, PolicyEffect } from '../../index.js';
import { checkPolicy, createGate, gateTools, importPolicy } from '../../ts/index.js';
import { builtinTools } from '../../ts/native.js';
import { namesFor } from '../../ts/options/usual-names.js';
import { sample } from '../support/effort.js';
import { listenToWarnings } from '../support/warnings.js';
import { claude, imported, problemOf } from './support.js';

const place = { cwd: '/no/project', project: '/no/project', home: '/no/home' };
const gates: Gate[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
});

type Check = (toolName: string, args: object) => Promise<PolicyEffect>;

/** The verdict on calls where no one is asked: an ask would be an allow. */
async function inAuto(format: ForeignPolicyFormat, text: string): Promise<Check> {
  const gate = createGate({ policy: (await importPolicy(format, text)).policy, mode: 'auto', place });
  gates.push(gate);
  return async (toolName, args) => (await gate.check({ toolName, args })).effect;
}

const claudeDenies = (...rules: string[]): string =>
  claude({ allow: ['Bash', 'Read', 'Edit', 'WebFetch'], deny: rules });
const geminiDenies = (regex: string): string =>
  "[[rule]]\ntoolName = 'run_shell_command'\ndecision = 'allow'\n" +
  `[[rule]]\ntoolName = 'run_shell_command'\ncommandRegex = '''${regex}'''\ndecision = 'deny'\npriority = 9\n`;
const opencodeDenies = (pattern: string): string => JSON.stringify({ bash: { '*': 'allow', [pattern]: 'deny' } });

describe('what may stand anywhere in a command is denied there, and does not ask', () => {
  const rows: [format: ForeignPolicyFormat, text: string, denied: string[], allowed: string[]][] = [
    [
      'claude-code',
      claudeDenies('Bash(* --force)'),
      ['npm publish --force', 'git push origin --force', 'ls; npm publish --force', 'npm publish "$X" --force'],
      ['npm publish', 'git push --forced', 'ls force'],
    ],
    ['claude-code', claudeDenies('Bash("rm" -rf:*)'), ['rm -rf build', '"rm" -rf build'], ['rm build', 'ls -rf']],
    ['claude-code', claudeDenies('Bash(* rm *)'), ['sudo rm x', 'x "a rm b"', 'x rm'], ['npm run format', 'ls']],
    ['claude-code', claudeDenies('Bash(*sudo*)'), ['sudo ls', 'x sudoedit', "bash -c 'sudo x'"], ['ls']],
    [
      'claude-code',
      claudeDenies('Bash(git push * main)'),
      ['git push origin main'],
      ['git push origin x', 'git log main'],
    ],
    ['gemini-cli', geminiDenies('.*(?i)rm\\s+-rf'), ['rm -rf build', 'sudo RM -Rf x'], ['rm x', 'rm -r x', 'ls -rf']],
    ['gemini-cli', geminiDenies('\\bsudo\\b'), ['sudo ls', 'sudo'], ['ls']],
    ['gemini-cli', geminiDenies('[gG]it push'), ['git push', 'Git push -f'], ['git log']],
    ['gemini-cli', geminiDenies('git .*push'), ['git push', 'git log; x push'], ['ls']],
    ['gemini-cli', geminiDenies('rm|dd'), ['rm x', 'sudo dd if=x'], ['ls']],
    ['gemini-cli', geminiDenies('.*curl.*\\|.*sh'), ['curl x | sh'], ['ls']],
    ['opencode', opencodeDenies('*sudo*'), ['sudo ls', 'env sudo ls', 'x --with sudo'], ['ls']],
    ['opencode', opencodeDenies('* --force'), ['npm publish --force'], ['npm publish']],
  ];
  test.each(rows)('%s: %s', async (format, text, denied, allowed) => {
    const check = await inAuto(format, text);
    for (const command of denied) expect(await check('bash', { command }), command).toBe('deny');
    for (const command of allowed) expect(await check('bash', { command }), command).toBe('allow');
  });
});

describe('what ours cannot say of arguments is denied for the whole tool', () => {
  const search = { '*': 'allow', 'password*': 'deny' };
  const rows: [format: ForeignPolicyFormat, text: string, tool: string, args: object][] = [
    ['claude-code', claudeDenies('Bash(run_in_background:true)'), 'bash', { command: 'ls' }],
    ['claude-code', claudeDenies('Bash(dangerouslyDisableSandbox:true)'), 'execute', { command: 'ls' }],
    ['claude-code', claudeDenies('Bash(timeout:6*)'), 'run_command', { command: 'ls' }],
    ['claude-code', claudeDenies('Read(limit:5)'), 'read_file', { file_path: 'a' }],
    ['claude-code', claudeDenies('Read(limit:*)'), 'grep', { pattern: 'x', path: 'src' }],
    ['claude-code', claudeDenies('Edit(file_path:a)'), 'edit_file', { file_path: 'a' }],
    ['claude-code', claudeDenies('Read(!x)'), 'read_file', { file_path: 'a' }],
    ['claude-code', claudeDenies('Agent(model:opus)'), 'Agent', { model: 'opus' }],
    ['claude-code', claudeDenies('Agent(model:opus)'), 'task', { agent: 'x' }],
    ['opencode', JSON.stringify({ grep: search }), 'grep', { pattern: 'password=', path: 'src' }],
    ['opencode', JSON.stringify({ glob: { '*': 'allow', '*.key': 'deny' } }), 'glob', { pattern: '*.key' }],
  ];
  test.each(rows)('%s: %s: %s', async (format, text, tool, args) => {
    expect(await (await inAuto(format, text))(tool, args)).toBe('deny');
    const told = (await importPolicy(format, text)).losses.filter(({ why }) => why.startsWith('denies more: every '));
    expect(told).toHaveLength(1);
  });

  test('a beginning, a drive and an allow are none of these', async () => {
    const check = await inAuto('claude-code', claudeDenies('Bash(npm:*)', 'Bash(npm run test:*)', 'Read(C:/x)'));
    expect(await check('bash', { command: 'ls' })).toBe('allow');
    expect(await check('bash', { command: 'npm ls' })).toBe('deny');
    expect(await check('read_file', { file_path: 'a' })).toBe('allow');
    expect(imported('claude-code', claude({ allow: ['Bash(timeout:5)', 'Read(limit:5)'] })).document.rule).toEqual([]);
  });
});

describe('a deny of a tool is for whatever it is called here', () => {
  const all = (name: string) => JSON.stringify({ '*': 'allow', [name]: 'deny' });
  const gemini = (name: string) =>
    `[[rule]]\ntoolName = '*'\ndecision = 'allow'\n[[rule]]\ntoolName = '${name}'\ndecision = 'deny'\npriority = 9\n`;
  const rows: [format: ForeignPolicyFormat, text: string, tool: string, args: object][] = [
    ['opencode', all('read'), 'readFile', { path: 'x' }],
    ['opencode', all('read'), 'read_many_files', { paths: ['x'] }],
    ['opencode', all('edit'), 'create_file', { path: 'x', content: '' }],
    ['opencode', all('edit'), 'deleteFile', { path: 'x' }],
    ['opencode', all('edit'), 'apply_patch', { patch: 'x' }],
    ['opencode', all('webfetch'), 'fetch', { url: 'https://example.com' }],
    ['opencode', all('grep'), 'search_files', { path: '.', pattern: 'x' }],
    ['opencode', all('bas*'), 'execute', { command: 'ls' }],
    ['opencode', all('e?it'), 'write_file', { file_path: 'x', content: '' }],
    ['opencode', JSON.stringify({ bash: 'allow', 'ext*': 'deny' }), 'bash', { command: 'cat /etc/x' }],
    ['opencode', all('git_hub_*'), 'mcp__git_hub__delete', {}],
    ['opencode', all('db_drop'), 'mcp__db__drop', {}],
    ['opencode', all('db*'), 'mcp__db__drop', {}],
    ['claude-code', '{"permissions": {"allow": ["*"]}, "disabledMcpjsonServers": ["db"]}', 'mcp__db__drop', {}],
    ['gemini-cli', gemini('read_file'), 'readFile', { path: 'x' }],
    ['gemini-cli', gemini('run_shell_*'), 'execute', { command: 'ls' }],
    ['gemini-cli', gemini('repl*'), 'edit_file', { file_path: 'x' }],
    ['gemini-cli', gemini('web_fetch'), 'http_request', { url: 'https://example.com' }],
    ['claude-code', claude({ allow: ['*'], deny: ['Ba*'] }), 'execute', { command: 'ls' }],
    ['claude-code', claude({ allow: ['*'], deny: ['Re*'] }), 'read_file', { file_path: 'x' }],
    ['claude-code', claude({ allow: ['*'], deny: ['WebFetch'] }), 'fetch', { url: 'https://example.com' }],
  ];
  test.each(rows)('%s: %s: %s', async (format, text, tool, args) => {
    expect(await (await inAuto(format, text))(tool, args)).toBe('deny');
  });

  test('no tool with a built-in reading is missed', () => {
    const known = namesFor('run', 'read', 'list', 'glob', 'search', 'write', 'edit', 'move', 'fetch');
    // A confined command's connection is no call of a tool.
    expect(builtinTools().filter((name) => !known.includes(name))).toEqual(['network']);
    expect(known).toEqual(expect.arrayContaining(['readFile', 'ReadFile', 'read-file', 'Bash']));
  });
});

describe('a deny of some files is for tools whose files are not read as well', () => {
  const patch = { patchText: '*** Begin Patch\n*** Delete File: README.md\n*** End Patch' };
  const opencode = (permission: object) => JSON.stringify({ permission: { '*': 'allow', ...permission } });
  const edits = opencode({ edit: { '*': 'allow', '*.md': 'deny' } });
  const reads = opencode({ read: { '*': 'allow', 'secret/**': 'deny' } });
  const theirs = claude({
    allow: ['apply_patch', 'view', 'NotebookEdit', 'NotebookRead', 'browse'],
    deny: ['Edit(*.md)', 'Read(secret/**)', 'WebFetch(domain:example.com)'],
  });
  const webfetch = opencode({ webfetch: { '*': 'allow', 'https://example.com/*': 'deny' } });
  const rows: [format: ForeignPolicyFormat, text: string, tools: string[], args: object][] = [
    ['opencode', edits, ['apply_patch', 'applyPatch', 'ApplyPatch', 'apply-patch', 'applypatch', 'patch'], patch],
    ['opencode', edits, ['multiedit', 'writefile', 'replace', 'insert'], { filePath: 'README.md' }],
    ['opencode', edits, ['edit_notebook', 'NotebookEdit'], { notebook_path: 'README.md' }],
    ['opencode', edits, ['str_replace_based_edit_tool'], { command: 'create', path: 'README.md' }],
    ['opencode', reads, ['view', 'View', 'cat', 'NotebookRead', 'readfile'], { path: 'secret/x' }],
    ['opencode', opencode({ list: { 'secret/*': 'deny' } }), ['list'], { path: 'secret/x' }],
    ['opencode', webfetch, ['webfetch', 'browse'], { url: 'https://example.com/x' }],
    ['claude-code', theirs, ['apply_patch'], patch],
    ['claude-code', theirs, ['view', 'NotebookRead'], { notebook_path: 'secret/x' }],
    ['claude-code', theirs, ['NotebookEdit'], { notebook_path: 'README.md' }],
    ['claude-code', theirs, ['browse', 'webfetch'], { url: 'https://example.com/x' }],
    // A deny is not lost behind an ask.
    ['claude-code', claude({ ask: ['Edit(a)'], deny: ['Edit(b)'] }), ['apply_patch'], patch],
    ['opencode', opencode({ edit: { '*.md': 'deny', 'a.md': 'ask' } }), ['apply_patch'], patch],
    // Other tools that write ask for `edit` there: what stands under their own names allows nothing.
    ['opencode', JSON.stringify({ edit: 'deny', apply_patch: 'allow', 'appl*': 'allow' }), ['apply_patch'], patch],
    ['opencode', JSON.stringify({ edit: 'deny', write: 'allow' }), ['write'], { filePath: 'a', content: '' }],
  ];
  test.each(rows)('%s: %s: %j', async (format, text, tools, args) => {
    const check = await inAuto(format, text);
    for (const tool of tools) expect(await check(tool, args), tool).toBe('deny');
  });

  test('it is told once, and other files and other kinds of tools are free', async () => {
    const check = await inAuto('opencode', edits);
    expect(await check('edit', { filePath: 'a.ts', oldString: '', newString: 'x' })).toBe('allow');
    expect(await check('view', { path: 'README.md' })).toBe('allow');
    const { losses } = await importPolicy('opencode', opencode({ edit: { '*.md': 'deny', '*.txt': 'deny' } }));
    const more = losses.filter(({ why }) => why.startsWith('denies more: every call of tools'));
    expect(more.map(({ why }) => why)).toEqual([
      'denies more: every call of tools whose files are not read, as `apply_patch`',
    ]);
  });

  test('an ask of some files asks about them', async () => {
    const text = opencode({ edit: { '*': 'allow', '*.md': 'ask' } });
    const { policy } = await importPolicy('opencode', text);
    expect((await checkPolicy(policy, { toolName: 'apply_patch', args: patch }, place)).effect).toBe('ask');
  });
});

describe('a deny of a tool without a reading is for its other names, in each spelling', () => {
  const opencode = (name: string) => JSON.stringify({ '*': 'allow', [name]: 'deny' });
  const all = claude({
    allow: ['web_search', 'agent', 'todo_write', 'apply-patch'],
    deny: ['WebSearch', 'Task', 'Todo*'],
  });
  const gemini = "[[rule]]\ntoolName = 'google_web_search'\ndecision = 'deny'\n";
  const rows: [format: ForeignPolicyFormat, text: string, tools: string[]][] = [
    ['opencode', opencode('websearch'), ['websearch', 'web_search', 'webSearch', 'WebSearch', 'web-search']],
    ['opencode', opencode('web*'), ['web_search', 'WebSearch', 'webfetch', 'WebFetch']],
    ['opencode', opencode('websea?ch'), ['web_search', 'WebSearch']],
    ['opencode', opencode('task'), ['task', 'Task', 'Agent', 'agent', 'spawn_agent']],
    ['opencode', opencode('skill'), ['skill', 'Skill', 'use_skill']],
    ['opencode', opencode('todowrite'), ['TodoWrite', 'todo_write', 'write_todos', 'todowrite']],
    ['opencode', opencode('question'), ['question', 'ask_user', 'AskUserQuestion', 'askUserQuestion']],
    ['opencode', opencode('codesearch'), ['code_search', 'CodeSearch']],
    ['opencode', opencode('drop_table'), ['drop_table', 'dropTable', 'DropTable', 'drop-table', 'droptable']],
    ['opencode', opencode('apply_patch'), ['apply_patch', 'ApplyPatch']],
    ['claude-code', all, ['WebSearch', 'web_search', 'websearch', 'Agent', 'task', 'todo_write', 'write_todos']],
    ['claude-code', claude({ deny: ['DropTable'] }), ['drop_table', 'dropTable', 'droptable']],
    ['gemini-cli', gemini, ['web_search', 'WebSearch', 'googleWebSearch']],
  ];
  test.each(rows)('%s: %s: %j', async (format, text, tools) => {
    const check = await inAuto(format, text);
    for (const tool of tools) expect(await check(tool, { x: 1 }), tool).toBe('deny');
    expect(await check('get_weather', { x: 1 })).toBe('allow');
  });
});

describe('names that are spelled out are no slips for the tools of a run', () => {
  const tool = { inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ok' };
  const rows: [format: ForeignPolicyFormat, text: string, tools: string[]][] = [
    [
      'opencode',
      '{"permission":{"*":"allow","edit":{"*":"allow","*.md":"deny"}}}',
      ['multiedit', 'Multi_Edit', 'view', 'insert'],
    ],
    ['opencode', '{"*":"allow","edit":"deny","read":"deny"}', ['write', 'multi_edits', 'read_filez', 'edit_filex']],
    ['opencode', '{"bash":"ask"}', ['execute_commands', 'run_commandx']],
    ['claude-code', claude({ deny: ['Read', 'WebSearch'] }), ['web_searches', 'list_filez']],
  ];
  test.each(rows)('%s: %s: %j', async (format, text, names) => {
    const { policy } = await importPolicy(format, text);
    using heard = listenToWarnings();
    for (const name of names)
      for (const unknownTools of [undefined, 'error'] as const)
        expect(gateTools({ [name]: tool }, { policy, ...(unknownTools && { unknownTools }) })).toHaveProperty(name);
    expect(heard.warnings).toEqual([]);
  });

  test('a name of their file that nearly is one of a tool is told', async () => {
    const { policy } = await importPolicy('opencode', '{"*":"allow","drop_tabel":"deny"}');
    expect(() => gateTools({ drop_table: tool }, { policy })).toThrow('did you mean "drop_table"?');
  });
});

test("opencode's newer list of rules is read, and what is no rule in it is refused", async () => {
  const rule = (action: string, resource: string, effect: string) => ({ action, resource, effect });
  const permissions = [
    rule('shell', '*', 'allow'),
    rule('shell', 'git push *', 'deny'),
    rule('edit', 'src/*', 'allow'),
    rule('subagent', '*', 'deny'),
  ];
  const check = await inAuto('opencode', JSON.stringify({ permissions }));
  expect(await check('bash', { command: 'git status' })).toBe('allow');
  expect(await check('bash', { command: 'git push origin' })).toBe('deny');
  expect(await check('task', { agent: 'x' })).toBe('deny');
  for (const wrong of ['{}', '[1]', '[{"action": "shell", "effect": "deny"}]'])
    expect(problemOf('opencode', `{ "permissions": ${wrong} }`).message).toContain('must be a list of rules');
});

describe('a deny that no words can say is refused, with its place and what to do', () => {
  const rows: [format: ForeignPolicyFormat, text: string, line: number][] = [
    ['claude-code', '{"permissions": {\n"deny": ["Bash(~/x.sh:*)"]}}', 2],
    ['claude-code', '{"permissions": {\n"deny": ["Bash($(x):*)"]}}', 2],
    ['claude-code', '{"permissions": {\n"deny": ["Bash(* > x)"]}}', 2],
    ['claude-code', '{"permissions": {\n"deny": ["Bash(if *)"]}}', 2],
    ['claude-code', '{"permissions": {"defaultMode": "dontAsk",\n"ask": ["Bash(> x)"]}}', 2],
    ['gemini-cli', `\n${geminiDenies('.+')}`, 5],
    ['opencode', '{ "bash": {\n"*": "allow",\n"$(x) *": "deny"} }', 3],
  ];
  test.each(rows)('%s: %s', (format, text, line) => {
    const problem = problemOf(format, text);
    expect(problem).toMatchObject({ code: 'ERR_POLICY_SYNTAX', line });
    expect(problem.message).toContain('take it out, and write a deny with `commands`');
  });
});

test('a deny that names no tool, or is for all tools at once, is refused', () => {
  expect(problemOf('claude-code', '{"permissions": {\n"deny": ["Bash (rm:*)"]}}')).toMatchObject({ line: 2 });
  const { message } = problemOf('opencode', '{ "*": { "*": "allow", "*.env": "deny" } }');
  expect(message).toContain('write this deny under the name of each tool');
});

test('what is denied beyond theirs is told as such', () => {
  const [loss] = imported('claude-code', claude({ deny: ['Bash(* --force)'] })).losses;
  expect(loss).toMatchObject({ effect: 'stricter', why: 'denies more: every command like `--force`' });
});

/** `*` is any text. */
const isLike = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
      .join('.*')}$`,
  ).test(text);

test('each line that a pattern of theirs means is denied', async () => {
  const patterns = [
    '* b',
    '* b *',
    '*b*',
    'a *b',
    'a* b *',
    'a*b',
    'a * b c *',
    '* b c',
    'b* *c',
    '"b" *',
    '*-b *',
    '* b*c *',
  ];
  const words = ['a', 'b', 'c', '-b', 'ab', "'x b'", '"b c"', "'x b c y'", "'c'", '"b"c'];
  const lines = ['a', 'b', "'b'", 'axb'].flatMap((program) =>
    ['', ...words].flatMap((one) =>
      ['', ...words].map((other) => [program, one, other].filter((word) => word !== '').join(' ')),
    ),
  );
  for (const [turn, pattern] of patterns.entries()) {
    const checks = [
      await inAuto('claude-code', claudeDenies(`Bash(${pattern})`)),
      await inAuto('opencode', opencodeDenies(pattern)),
    ];
    for (const command of sample(lines, 120, turn)) {
      const bare = pattern.endsWith(' *') && isLike(pattern.slice(0, -2), command);
      if (!bare && !isLike(pattern, command)) continue;
      for (const check of checks) expect(await check('bash', { command }), `${pattern}: ${command}`).toBe('deny');
    }
  }
});

test('an ask that holds under a condition alone does not take a deny back', async () => {
  const rule = (decision: string, priority: number, more: string) =>
    `[[rule]]\ntoolName = 'run_shell_command'\ncommandPrefix = 'git'\ndecision = '${decision}'\npriority = ${priority}\n${more}\n`;
  const check = await inAuto('gemini-cli', rule('ask_user', 9, "modes = ['plan']") + rule('deny', 1, ''));
  expect(await check('bash', { command: 'git push' })).toBe('deny');
});

test('an address in which any text stands for the host is denied with all others', async () => {
  const webfetch = { '*': 'allow', 'https://*.example.com/*': 'deny' };
  const check = await inAuto('opencode', JSON.stringify({ webfetch }));
  expect(await check('web_fetch', { url: 'https://x.test/y.example.com/z' })).toBe('deny');
});

test('a whole line of VS Code asks though two commands are in it', async () => {
  const rules = { git: true, cat: true, '/^git .*secret/': { approve: false, matchCommandLine: true } };
  const { policy } = await importPolicy('vscode', JSON.stringify(rules));
  const verdict = await checkPolicy(policy, { toolName: 'bash', args: { command: 'git log; cat secret' } }, place);
  expect(verdict.effect).toBe('ask');
});

test('what is allowed in the directory that theirs was started in is not allowed beside it', async () => {
  const edits = (await importPolicy('claude-code', '{"permissions": {"defaultMode": "acceptEdits"}}')).policy;
  const reads = (await importPolicy('gemini-cli', "[[rule]]\ntoolName = 'read_file'\ndecision = 'allow'\n")).policy;
  const here = { ...place, cwd: '/no/project/sub' };
  const effectOf = async (policy: Policy, toolName: string, path: string) =>
    (await checkPolicy(policy, { toolName, args: { file_path: path } }, here)).effect;
  expect(await effectOf(edits, 'write_file', '/no/project/sub/a')).toBe('allow');
  expect(await effectOf(edits, 'write_file', '/no/project/a')).toBe('ask');
  expect(await effectOf(reads, 'read_file', 'a')).toBe('allow');
  expect(await effectOf(reads, 'read_file', '../a')).toBe('ask');
});

test('an ask before a deny does not take it back for what only ours means by it', async () => {
  const check = await inAuto('opencode', JSON.stringify({ bash: { '*': 'deny', 'git push*': 'ask' } }));
  expect(await check('bash', { command: 'git push' })).toBe('allow');
  for (const command of ['/tmp/git push', 'git --no-pager push', 'git -C x push', 'git log'])
    expect(await check('bash', { command }), command).toBe('deny');
});
