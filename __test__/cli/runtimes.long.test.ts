/** Every command on the oldest and the newest Node, and on Bun. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../policy/support.js';
import { linesOf, on, someRuntimes } from './command.js';

const policy =
  'version = 1\n[[rule]]\neffect = "allow"\ncommands = ["git status"]\n[[rule]]\neffect = "deny"\ncommands = ["rm"]\n';

describe.each(someRuntimes().map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  const there = () => {
    const root = scratch();
    writeFileSync(join(root, 'policy.toml'), policy);
    writeFileSync(join(root, 'log.jsonl'), '{"toolName":"execute","args":{"command":"rm x"},"effect":"allow"}\n');
    writeFileSync(join(root, 'settings.json'), '{"permissions":{"allow":["Bash(git log:*)"]}}');
    const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
    return (args: string[], input?: string) => on(runtime, args, { cwd: root, env, input });
  };

  it('answers every command', async () => {
    const run = there();
    const expected: [string[], number, RegExp][] = [
      [['--help'], 0, /policy check /],
      [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
      [['policy', 'check', '--help'], 0, /--batch/],
      [['policy', 'check', '-p', 'policy.toml', 'git status'], 0, /^allow:/],
      [['policy', 'check', '-p', 'policy.toml', 'git push'], 3, /^ask:/],
      [['policy', 'check', '-p', 'policy.toml', 'ls; rm x'], 4, /^deny:/],
      [['policy', 'explain', '-p', 'policy.toml', 'ls; rm x'], 4, /policy\.toml:5/],
      [['policy', 'lint', 'policy.toml'], 0, /0 errors/],
      [['policy', 'replay', '-p', 'policy.toml', 'log.jsonl'], 0, /allow -> deny/],
      [['policy', 'import', 'claude-code', 'settings.json'], 0, /version = 1[^]*git.*log/],
      [['policy', 'trust', '--list'], 0, /^$/],
      [['preview', '--tool', 'x', '--args', '{"a":"\\u001b[2J"}'], 0, /\\u\{001B\}[^]*flags: ansi/],
    ];
    for (const [args, code, output] of expected) {
      const done = await run(args);
      expect([args, done.code, done.stderr.replace(/^nothing was lost\n/, '')]).toEqual([args, code, '']);
      expect(done.stdout).toMatch(output);
    }
  });

  it('answers lines in order', async () => {
    const run = there();
    const line = (id: number) =>
      JSON.stringify({ id, policy: { version: 1 }, call: { toolName: 'execute', args: { command: 'ls' } } });
    const { stdout, code } = await run(['policy', 'check', '--batch'], `${line(1)}\nnonsense\r\n${line(2)}`);
    expect([code, linesOf(stdout).map((each) => (JSON.parse(each) as { id: unknown }).id)]).toEqual([0, [1, null, 2]]);
  });

  it('refuses what it does not know', async () => {
    const run = there();
    for (const args of [['nonsense'], ['policy', 'nonsense'], ['policy', 'check', '--nonsense'], []]) {
      const done = await run(args);
      expect([args, done.code]).toEqual([args, 2]);
      expect(done.stderr).not.toMatch(/\n\s+at /);
    }
  });
});
