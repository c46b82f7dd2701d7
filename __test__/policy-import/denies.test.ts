/**
 * A deny of theirs stays a deny, or the file is refused. An ask in its place would run in the mode `auto`, by "always", and by a
 * reviewer.
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { ForeignPolicyFormat, Gate, PolicyEffect } from '../../index.js';
import { createGate, importPolicy } from '../../ts/index.js';
import { claude, imported, problemOf } from './support.js';

const place = { cwd: '/no/project', project: '/no/project', home: '/no/home' };
const gates: Gate[] = [];
afterEach(async () => {
  await Promise.all(gates.splice(0).map((gate) => gate.close()));
});

type Check = (toolName: string, args: object) => Promise<PolicyEffect>;

/** What is said of calls where nobody is asked: an ask would be an allow. */
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
    ['gemini-cli', geminiDenies('.*(?i)rm\\s+-rf'), ['rm -rf build', 'sudo RM -Rf x'], ['rm x', 'ls -rf']],
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
  for (const pattern of patterns) {
    const checks = [
      await inAuto('claude-code', claudeDenies(`Bash(${pattern})`)),
      await inAuto('opencode', opencodeDenies(pattern)),
    ];
    for (const command of lines) {
      const bare = pattern.endsWith(' *') && isLike(pattern.slice(0, -2), command);
      if (!bare && !isLike(pattern, command)) continue;
      for (const check of checks) expect(await check('bash', { command }), `${pattern}: ${command}`).toBe('deny');
    }
  }
});

test('an ask before a deny does not take it back for what only ours means by it', async () => {
  const check = await inAuto('opencode', JSON.stringify({ bash: { '*': 'deny', 'git push*': 'ask' } }));
  expect(await check('bash', { command: 'git push' })).toBe('allow');
  for (const command of ['/tmp/git push', 'git --no-pager push', 'git -C x push', 'git log'])
    expect(await check('bash', { command }), command).toBe('deny');
});
