/** What each format becomes, shown by a compact text: one line for a rule. */
import { describe, expect, test } from 'vitest';
import type { ForeignPolicyFormat } from '../../index.js';
import { LONGEST } from '../../ts/policy-import/index.js';
import { effort } from '../support/effort.js';
import { claude, FORMATS, imported, line, linesOf, problemOf, readBack, type Row } from './support.js';

/** The rules that a text becomes, how many losses there are, and that what is written of it reads back as the same. */
function check(format: ForeignPolicyFormat, text: string, expected: readonly string[], losses: number): void {
  const policy = imported(format, text);
  expect(linesOf(policy), text).toEqual(expected);
  expect(policy.losses, text).toHaveLength(losses);
  readBack(policy);
}

/** What a deny of reading some files denies whole. */
const UNREAD_READING = 'deny tools <unread read> <unread list> <unread glob> <unread search>';

describe('Claude Code', () => {
  const allows: Row[] = [
    ['Bash(npm run *)', ['allow `npm run`'], 0],
    ['Bash(git diff:*)', ['allow `git diff`'], 0],
    ['Bash(npm test)', ['allow `npm test`', 'ask `npm test *`'], 0],
    ['Bash(ls*)', ['allow `~ls*`'], 0],
    ['Bash(git * main)', ['allow `git * main`', 'ask `git * main *`'], 1],
    ['Bash', ['allow tools execute bash shell'], 1],
    ['Bash(*)', ['allow tools execute bash shell'], 1],
    ['Bash(CI=1 npm test)', [], 1],
    ['Bash(git commit -m "x *")', [], 1],
    ['Bash(cd x && npm test)', [], 1],
    ['Bash(npm', [], 1],
    ['Read(//etc/hosts.d/*.conf)', ['allow reads /etc/hosts.d/*.conf'], 1],
    ['Read(~/notes/**)', ['allow reads ~/notes/**'], 0],
    ['Read(/docs/**)', ['allow reads ${project}/docs/**'], 0],
    ['Read(./x.md)', ['allow reads ${cwd}/x.md'], 0],
    ['Read(x.md)', ['allow reads ${cwd}/**/x.md'], 0],
    ['Read(./**)', ['allow reads ${cwd}/**'], 0],
    ['Read(**/x.md)', ['allow reads ${cwd}/**/x.md'], 0],
    ['Read(docs)', ['allow reads ${cwd}/**/docs'], 1],
    ['Read(a{b)', ['allow reads ${cwd}/**/a\\{b'], 1],
    ['Read(../x.md)', [], 1],
    ['Read([ab].md)', [], 1],
    ['Edit(/src/**)', ['allow writes ${project}/src/**'], 0],
    ['Write(/src/**)', [], 1],
    ['Write', ['allow tools write_file'], 0],
    ['WebFetch(domain:example.com)', ['allow urls example.com'], 0],
    ['WebFetch(domain:exa mple.com)', [], 1],
    ['mcp__files__read', ['allow tools mcp__files__read'], 0],
    ['mcp__files', ['allow tools mcp__files mcp__files__*'], 0],
    ['Agent(explore)', [], 1],
    ['e*', [], 1],
    ['execute', [], 1],
  ];
  test.each(allows)('narrows an allow: %s', (rule, expected, losses) => {
    check('claude-code', claude({ allow: [rule] }), expected, losses);
  });

  const denies: Row[] = [
    ['Bash(rm *)', ['deny `rm`'], 0],
    ['Bash(rm*)', ['deny `~rm*`'], 0],
    ['Bash(rm)', ['deny `rm`'], 1],
    ['Bash(git * main)', ['deny `git ** main`'], 1],
    ['Bash(git push * --force *)', ['deny `git push ** --force`', 'deny `git push ** ~* --force *`'], 0],
    ['Bash(git*push)', ['deny `~git* ** ~*push`', 'deny `~git*push`'], 1],
    ['Bash(git push --force*)', ['deny `git push ~--force*`'], 0],
    ['Bash(CI=1 npm publish *)', ['deny `npm publish`'], 1],
    ['Bash(echo "x" *)', ['deny `echo x`'], 1],
    ['Bash(echo "$x" *)', ['deny `echo`'], 1],
    ['Bash("rm" -rf:*)', ['deny `rm -rf`'], 1],
    ['Bash(* --force)', ['deny `--force`', 'deny `* ** --force`'], 1],
    ['Bash(*sudo*)', ['deny `~*sudo*`', 'deny `* ** ~*sudo*`'], 0],
    ['Bash(rm -rf /)*', ['deny tools <run>', 'deny `*`'], 1],
    ['Read(./.env)', ['deny reads ${cwd}/.env ${cwd}/.env/**', UNREAD_READING], 1],
    ['Read(.env)', ['deny reads ${cwd}/**/.env ${cwd}/**/.env/**', UNREAD_READING], 1],
    ['Read(//etc/)', ['deny reads /etc /etc/**', UNREAD_READING], 1],
    ['Read(//)', ['deny reads /**', UNREAD_READING], 1],
    ['Read(/a[bc]d/x)', ['deny reads ${project}/a* ${project}/a*/**', UNREAD_READING], 2],
    ['Write(/src/**)', ['deny writes ${project}/src/**', 'deny tools <unread write> <unread edit> <unread move>'], 1],
    ['WebFetch(domain:example.com)', ['deny urls example.com *.example.com', 'deny tools <unread fetch>'], 1],
    ['WebFetch(example)', ['deny tools <fetch>'], 1],
    ['Agent(explore)', ['deny tools <like Agent>'], 1],
    ['Read', ['deny reads /**', 'deny tools <read> <list> <glob> <search>'], 0],
    ['Edit', ['deny writes /**', 'deny tools <write> <edit> <move>'], 0],
    ['Write', ['deny writes /**', 'deny tools <write> <move>'], 0],
  ];
  test.each(denies)('widens a deny: %s', (rule, expected, losses) => {
    check('claude-code', claude({ deny: [rule] }), expected, losses);
  });

  test('allows of whole commands mind each other', () => {
    check('claude-code', claude({ allow: ['Bash(npm test)', 'Bash(npm *)'] }), ['allow `npm`'], 0);
    const longer = claude({ allow: ['Bash(npm test)', 'Bash(npm test --ci)'] });
    check('claude-code', longer, ['allow `npm test --ci`', 'ask `npm test --ci *`'], 1);
  });

  const modes: [mode: string, byDefault: string | undefined, expected: string[]][] = [
    ['default', undefined, ['allow `ls`', 'ask `cat`']],
    ['acceptEdits', undefined, ['allow writes ${cwd}/**', 'allow `ls`', 'ask `cat`']],
    ['dontAsk', 'deny', ['allow `ls`', 'deny `cat`']],
    ['plan', 'deny', ['ask `cat`']],
    ['bypassPermissions', undefined, ['allow `ls`', 'ask `cat`']],
  ];
  test.each(modes)('the mode %s makes something of the rules', (mode, byDefault, expected) => {
    const text = `{ // with a comment
      "permissions": { "allow": ["Bash(ls *)"], "ask": ["Bash(cat *)"], "defaultMode": "${mode}", } }`;
    const policy = imported('claude-code', text);
    expect(policy.document.default).toBe(byDefault);
    expect(linesOf(policy)).toEqual(expected);
  });

  test('the switch that forbids to bypass is not lost', () => {
    const policy = imported('claude-code', '{ "permissions": { "disableBypassPermissionsMode": "disable" } }');
    expect(policy.document.forbid).toEqual(['auto']);
    readBack(policy);
  });
});

describe('Codex', () => {
  const rules: Row[] = [
    ["prefix_rule(pattern=['git', 'status'])", ['allow `git status`'], 0],
    [
      '# all of it\nprefix_rule(\n  pattern = ["npm", ["i", \'\'\'ci\'\'\']],\n  decision = "prompt", # why\n)',
      ['ask `npm i|ci`'],
      0,
    ],
    ['prefix_rule(pattern=["rm"], decision="forbidden", match=["rm x", ["rm", "y"]])', ['deny `rm`'], 0],
    ['prefix_rule(pattern=["ls", "*"])', [], 1],
    ['prefix_rule(pattern=["ls", "*"], decision="prompt")', ['ask `ls`'], 1],
    ['host_executable(name="git", paths=["/usr/bin/git"])', [], 1],
    ['network_rule(host="example.com", protocol="https", decision="allow")', [], 1],
    ['network_rule(host="example.com", protocol="https", decision="deny")', ['deny urls example.com'], 0],
  ];
  test.each(rules)('reads %s', (text, expected, losses) => check('codex', text, expected, losses));

  test('a list of one word is the word', () => {
    check('codex', "prefix_rule(pattern=['npm', ['i']], decision='deny')", ['deny `npm i`'], 0);
  });

  const refused: [text: string, message: string][] = [
    ['x = 1', '`(` is expected'],
    ['for x in y: pass', '`(` is expected'],
    ["load('x')", 'a name is expected'],
    ["other_rule(pattern=['x'])", '`other_rule` is not known'],
    ['prefix_rule(pattern=[])', '`pattern` must be'],
    ["prefix_rule(pattern=['x'], decision='perhaps')", 'the decision must be'],
    ["prefix_rule(pattern=['x'], justification=' ')", 'the justification is empty'],
    ["prefix_rule(pattern=['x'], not_match=['x y'])", 'matches its example'],
    ["prefix_rule(pattern=['x'], match=['y'])", 'does not match its example'],
    ["prefix_rule(pattern=['x]", 'does not end'],
    ["prefix_rule(patern=['x'])", '`patern` is not known'],
    ["prefix_rule(pattern=['x'] + ['y'])", '`)` is expected'],
    ["network_rule(host='*', protocol='http', decision='allow')", 'without `*`'],
    ["host_executable(name='git', paths=['git'])", 'must be absolute'],
    ["host_executable(name='/bin/git', paths=[])", 'without a directory'],
  ];
  test.each(refused)('refuses %s, which it does not understand', (text, message) => {
    const problem = problemOf('codex', text);
    expect(problem.message).toContain(message);
    expect(problem.line).toBe(1);
  });
});

describe('Gemini CLI', () => {
  const rules: Row[] = [
    ["toolName='run_shell_command'\ncommandPrefix='git'\ndecision='allow'", ['allow `git`'], 0],
    [
      "toolName='run_shell_command'\ncommandPrefix=['git log', 'ls']\ndecision='deny'",
      ['deny `git log`', 'deny `ls`'],
      0,
    ],
    ["commandRegex='git (log|status)\\b'\ndecision='allow'", ['allow `git log`', 'allow `git status`'], 2],
    ["commandRegex='^rm -r'\ndecision='deny'", ['deny `rm ~-r*`'], 0],
    ["commandRegex='.*--force'\ndecision='deny'", ['deny `~*--force*`', 'deny `* ** ~*--force*`'], 0],
    [
      "commandRegex='(?i)^dd'\ndecision='ask_user'",
      [
        'ask `~*dd*`',
        'ask `* ** ~*dd*`',
        'ask `~*dD*`',
        'ask `* ** ~*dD*`',
        'ask `~*Dd*`',
        'ask `* ** ~*Dd*`',
        'ask `~*DD*`',
        'ask `* ** ~*DD*`',
      ],
      4,
    ],
    ["commandRegex='.*'\ndecision='deny'", ['deny `*`'], 0],
    [
      "commandRegex='rm|ls'\ndecision='deny'",
      ['deny `~*rm*`', 'deny `* ** ~*rm*`', 'deny `~*ls*`', 'deny `* ** ~*ls*`'],
      2,
    ],
    ["toolName='run_shell_command'\ndecision='allow'", ['allow `*`'], 0],
    ["toolName='read_file'\ndecision='allow'", ['allow reads ${cwd}/**'], 0],
    ["toolName='write_file'\nargsPattern='x'\ndecision='allow'", [], 1],
    ["toolName='write_file'\nargsPattern='x'\ndecision='deny'", ['deny tools <write>'], 1],
    ["toolName='write_file'\nmodes=['yolo']\ndecision='allow'", [], 1],
    ["toolName='*_file'\ndecision='allow'", [], 1],
    ["mcpName='db'\ntoolName='query'\ndecision='allow'", ['allow tools mcp__db__query'], 0],
    ["mcpName='db'\ndecision='deny'", ['deny tools mcp__db__* mcp_db_*'], 0],
    ["toolName='*'\ndecision='ask_user'", ['ask tools *'], 0],
    ["mcpName='S'\ntoolName='mcp_S_x'\ndecision='allow'", ['allow tools mcp__S__x'], 0],
  ];
  test.each(rules)('reads %s', (rule, expected, losses) => {
    check('gemini-cli', `[[rule]]\n${rule}\npriority = 1\n`, expected, losses);
  });

  const ofServer = [
    "mcpName='S'\ntoolName='mcp_S_*'",
    "mcpName='S'\ntoolName='mcp_S_drop'",
    "mcpName='S'\ntoolName='mcp__S__*'",
    "mcpName='S'\ntoolName='S__drop'",
    "mcpName='S'\ntoolName='*'",
    "mcpName='S'\ntoolName='dr*'",
    "mcpName='S'",
    "mcpName=['T', 'S']\ntoolName=['x', 'drop']",
    "mcpName='*'",
    "mcpName='*'\ntoolName='drop'",
    "toolName='mcp_S_*'",
    "toolName='mcp_S_drop'",
    "toolName='mcp_*'",
    "toolName='S__*'",
    "toolName='S__drop'",
    "toolName='*'",
    "toolName='mcp__S__drop'",
  ];
  const stops = ofServer.flatMap((rule) => ['deny', 'ask_user'].map((decision) => [rule, decision, 'mcp__S__drop']));
  const twoWords = ['mcp_my_server_*', 'mcp_my_server_x'].map((name) => [
    `toolName='${name}'`,
    'deny',
    'mcp__my_server__x',
  ]);
  // In any way that a rule names the tools of a server, it meets them under their names here.
  test.each([...stops, ...twoWords])('does not lose %j of a server: %s', (rule, decision, tool) => {
    const { document } = imported('gemini-cli', `[[rule]]\n${rule}\ndecision='${decision}'\n`);
    const meets = document.rule.filter(({ effect }) => effect !== 'allow').flatMap(({ tools }) => tools ?? []);
    expect(
      meets.some((name) => isNamedBy(name, tool ?? '')),
      meets.join(' '),
    ).toBe(true);
  });

  test('priorities are the order', () => {
    const text =
      "[[rule]]\ntoolName='*'\ndecision='deny'\npriority=1\n" +
      "[[rule]]\ncommandPrefix='ls'\ntoolName='run_shell_command'\ndecision='allow'\npriority=900\n";
    check('gemini-cli', text, ['allow `ls`', 'deny tools *'], 0);
  });

  test('of two that are equally strong the stricter is first', () => {
    const text = "[[rule]]\ntoolName='*'\ndecision='ask_user'\n[[rule]]\ntoolName='*'\ndecision='deny'\n";
    check('gemini-cli', text, ['deny tools *', 'ask tools *'], 0);
  });

  test('a loss shows the rule and its line', () => {
    const { losses } = imported('gemini-cli', "# x\n\n[[rule]]\nargsPattern='x'\ndecision='allow'");
    expect(losses[0]).toMatchObject({ at: { line: 3 }, what: "[[rule]]\nargsPattern='x'\ndecision='allow'" });
  });

  test.each(['nan', 'inf', '"high"'])('a priority of %s is refused', (priority) => {
    expect(problemOf('gemini-cli', `[[rule]]\ndecision='deny'\npriority = ${priority}`).message).toContain('priority');
  });
});

describe('opencode', () => {
  const rules: Row[] = [
    [
      '"bash": {"*": "ask", "git *": "allow", "git push*": "deny"}',
      ['deny `git ~push*`', 'allow `git`', 'ask tools <run>', 'ask `*`'],
      0,
    ],
    [
      '"bash": {"*": "deny", "npm test": "allow"}',
      ['deny `npm test *`', 'allow `npm test`', 'deny tools <run>', 'deny `*`'],
      0,
    ],
    ['"bash": {"*": "deny", "* --x": "ask"}', ['deny `--x`', 'deny `* ** --x`', 'deny tools <run>', 'deny `*`'], 2],
    [
      '"edit": {"*": "ask", "src/*": "allow"}',
      ['allow writes ${project}/src/**', 'ask tools <write> <edit> <move>'],
      0,
    ],
    ['"read": {"*.env": "deny"}', ['deny reads /**/*.env /**/*/**/*.env', 'deny tools <unread read>'], 1],
    ['"read": {"~/.ssh/*": "deny"}', ['deny reads ~/.ssh/**', 'deny tools <unread read>'], 1],
    ['"read": {"a*/b": "deny"}', ['deny reads ${project}/a* a* ${project}/a*/** a*/**', 'deny tools <unread read>'], 2],
    ['"read": "allow"', ['allow tools read_file'], 0],
    ['"webfetch": {"https://example.com/*": "allow"}', ['allow urls https://example.com/**'], 0],
    ['"webfetch": {"*": "deny"}', ['deny tools <fetch>'], 0],
    ['"mcp_*": "allow"', ['allow tools mcp_*'], 0],
    ['"*": "allow"', ['allow tools *'], 1],
    ['"task": {"x": "deny"}', ['deny tools <like task>'], 1],
  ];
  test.each(rules)('turns %s the other way round', (rules, expected, losses) => {
    check('opencode', `{ "external_directory": "allow", ${rules} }`, expected, losses);
  });

  test('what is outside of the project asks', () => {
    const lines = linesOf(imported('opencode', '{ "bash": "allow", "read": "allow" }'));
    const outside = '/** !${project} !${project}/**';
    expect(lines[0]).toBe(`ask reads ${outside}`);
    expect(lines).toContain('allow reads ${project}/**');
    expect(lines).toContain(`ask writes ${outside}`);
  });

  test('a later ask for what is outside does not take a deny back', () => {
    const text = '{ "external_directory": { "*": "deny", "/x/*": "ask" }, "bash": "allow" }';
    expect(linesOf(imported('opencode', text))[0]).toMatch(/^deny reads/);
  });
});

describe('VS Code', () => {
  const rules: Row[] = [
    ['"echo": true', ['allow `echo`'], 1],
    ['"git push": false', ['ask `git ~push*`'], 1],
    ['"/^git (status|show\\\\b.*)$/": true', ['allow `git status`', 'ask `git status *`', 'allow `git show`'], 1],
    ['"/^rm\\\\s+/": false', ['ask `rm`'], 1],
    ['"/^git\\\\s+/i": true', ['allow `git *`'], 1],
    ['"/rm|del/": false', ['ask `~*rm*`', 'ask `* ** ~*rm*`', 'ask `~*del*`', 'ask `* ** ~*del*`'], 0],
    ['"/^.{3}/": false', ['ask `*`'], 1],
    ['"/.*/": true', ['allow `*`'], 0],
    ['"/(x|)*/": true', [], 1],
    ['"//": true', [], 1],
    ['"/^a[bc]/": true', ['allow `~ab*`', 'allow `~ac*`'], 0],
    ['"/^a[^bc]/": true', [], 1],
    ['"/^(?!rm)\\\\w+/": true', [], 1],
    ['"npm": { "approve": true, "matchCommandLine": true }', [], 1],
    ['"npm": null', [], 1],
    ['"": true', [], 1],
    ['"bin/x": true', ['allow `bin/x`', 'allow `./bin/x`'], 2],
  ];
  test.each(rules)('reads %s', (rule, expected, losses) => {
    // Where something is allowed, the editor's own rules are missed.
    const missed = expected.some((line) => line.startsWith('allow')) ? 1 : 0;
    check('vscode', `{ ${rule} }`, expected, losses + missed);
    const settings = `{ /* mine */ "chat.tools.terminal.autoApprove": { ${rule}, } }`;
    check('vscode', settings, expected, losses + missed);
  });

  test('what is switched off allows nothing', () => {
    const off = '{ "chat.tools.terminal.autoApprove": {"ls": true}, "chat.tools.terminal.enableAutoApprove": false }';
    check('vscode', off, [], 1);
  });

  // Old names of settings go on counting in the editor, and new ones come.
  test.each([
    '"chat.agent.terminal.autoApprove": {"git push": false}',
    '"chat.agent.terminal.denyList": {"git fetch": true}',
    '"chat.tools.terminal.denyList": {"git fetch": true}',
    '"github.copilot.chat.agent.terminal.denyList": {}',
    '"chat.some.new.guard": true',
  ])('tells that %s is not read', (other) => {
    const approve = '"chat.tools.terminal.autoApprove": {"echo": true}';
    // One more for the editor's own rules.
    check('vscode', `{ ${approve}, ${other} }`, ['allow `echo`'], 3);
    check('vscode', `{ ${approve}, "editor.tabSize": 2 }`, ['allow `echo`'], 2);
  });
});

const wrong: [format: ForeignPolicyFormat, text: string, line: number][] = [
  ['claude-code', '[]', 1],
  ['claude-code', '{\n"permissions": []}', 2],
  ['claude-code', '{"permissions": {"deny": [\n1]}}', 2],
  ['claude-code', '{"permissions": {"deny": [],\n"deny": []}}', 2],
  ['gemini-cli', "[[rule]]\ndecision = 'perhaps'", 1],
  ['gemini-cli', "[[rule]]\ndecision = 'deny'\npriorty = 1", 1],
  ['gemini-cli', '[[rule]\n', 1],
  ['gemini-cli', 'rule = 1\n', 1],
  ['gemini-cli', '\nrule = [1]\n', 2],
  ['opencode', '{\n"bash": "perhaps"}', 2],
  ['opencode', '{"bash": {"x": "deny",\n"x": "allow"}}', 2],
  ['vscode', '{"ls": 1}', 1],
];
test.each(wrong)('what is no text of %s is refused with its place: %j', (format, text, line) => {
  expect(problemOf(format, text)).toMatchObject({ code: 'ERR_POLICY_SYNTAX', line, source: 'theirs' });
});

test('what stands twice elsewhere in the settings does not matter', () => {
  check(
    'vscode',
    '{"editor.x": {"a": 1, "a": 2}, "chat.tools.terminal.autoApprove": {"ls": false}}',
    ['ask `~ls*`'],
    1,
  );
});

test('a product that is not known is refused', () => {
  expect(problemOf('cursor' as ForeignPolicyFormat, '').message).toBe(
    'theirs: `cursor` cannot be imported from; write claude-code, codex, gemini-cli, opencode, vscode',
  );
});

test('places are counted in characters, also behind what has two units', () => {
  const problem = problemOf('claude-code', '\ufeff{ "🙂é": 1, "permissions": 1 }');
  expect(problem).toMatchObject({ line: 1, column: 12 });
});

test('a lone surrogate is no crash', () => {
  expect(line(imported('codex', "prefix_rule(pattern=['\ud800'])").document.rule[0]!)).toBe('allow `\ufffd`');
});

describe('large and deep texts end soon', () => {
  /** `npm test` tries shorter ones. */
  const most = (length: number) => effort(length / 10, length);
  const texts = {
    deep: '['.repeat(most(100_000)),
    many: `{"permissions":{"deny":[${Array.from({ length: most(50_000) }, () => '"Bash(x *)"').join(',')}]}}`,
    allows: `{"permissions":{"allow":[${Array.from({ length: most(19_000) }, (_, at) => `"Bash(x ${at})"`).join(',')}]}}`,
    calls: "prefix_rule(pattern=['a'])".repeat(most(20_000)),
    blanks: `prefix_rule(pattern=['${' '.repeat(most(500_000))}x'])`,
    group: `{"/${'(a|b)'.repeat(most(50_000))}/": true}`,
    plain: `{"/${'a'.repeat(most(500_000))}/": true}`,
    nested: `{"/${'('.repeat(most(300_000))}/": true}`,
    slashes: `{"permissions":{"deny":["Read(${'/'.repeat(most(500_000))}x)"]}}`,
    'too long': 'a'.repeat(LONGEST + 1),
  };
  test.each(Object.entries(texts))('%s', (_, text) => {
    for (const format of FORMATS) {
      let code = 'it is taken';
      try {
        imported(format, text);
      } catch (error) {
        code = String((error as { code?: unknown }).code);
      }
      expect(code, format).toMatch(/^(?:it is taken|ERR_POLICY_\w+)$/);
    }
  });
});

/** Whether a pattern over names means this one. */
const isNamedBy = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
