/** Small random policies and calls, the same for each seed. */
import type { PolicyDocument, PolicyEffect, PolicyRule } from '../../index.js';

export type Random = () => number;

/** Mulberry32: from 0 to less than 1. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(next: Random, from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
const some = <T>(next: Random, from: readonly T[], most: number): T[] =>
  Array.from({ length: 1 + Math.floor(next() * most) }, () => pick(next, from));

const EFFECTS: readonly PolicyEffect[] = ['allow', 'ask', 'deny'];
const TOOLS = ['execute', 'read_file', 'write_file', 'fetch_url', 'deploy', '*', 'exec*', '*_file', 'mcp__*'];
const COMMANDS = ['git status', 'git', 'rm', 'npm test', 'cat', 'ls', 'echo', '**', 'cat src/a.ts', 'git *'];
const PATHS = ['src/**', '**/.env', '/etc/**', '~/.ssh/**', '${project}/**', '!src/b.ts', '/tmp/*', 'src/a.ts'];
const URLS = ['https://*.example.com/**', 'https://api.example.com', 'http://*', 'https://evil.test/**'];
const VARIABLES = ['CI', 'NODE_ENV', 'PATH'];

function rule(next: Random, effects: readonly PolicyEffect[]): PolicyRule {
  const made: PolicyRule = { effect: pick(next, effects) };
  if (next() < 0.6) made.tools = some(next, TOOLS, 2);
  const paths = () => some(next, PATHS, 2).toSorted((a, b) => Number(a.startsWith('!')) - Number(b.startsWith('!')));
  const usable = (patterns: string[]) => (patterns[0]?.startsWith('!') === true ? ['src/**', ...patterns] : patterns);
  switch (Math.floor(next() * 7)) {
    case 0:
    case 1:
      return { ...made, commands: some(next, COMMANDS, 3) };
    case 2:
      return { ...made, reads: usable(paths()) };
    case 3:
      return { ...made, writes: usable(paths()) };
    case 4:
      return { ...made, urls: some(next, URLS, 2) };
    case 5:
      return { ...made, env: some(next, VARIABLES, 2) };
    default:
      // A rule that speaks of nothing in particular must name its tools.
      return { tools: some(next, TOOLS, 2), ...made };
  }
}

/** A document of up to five rules. */
export function randomPolicy(next: Random, { effects = EFFECTS }: { effects?: readonly PolicyEffect[] } = {}) {
  const document: { -readonly [KEY in keyof PolicyDocument]: PolicyDocument[KEY] } = {
    version: 1,
    rule: Array.from({ length: Math.floor(next() * 5) }, () => rule(next, effects)),
  };
  if (effects === EFFECTS && next() < 0.5) document.default = pick(next, EFFECTS);
  if (effects === EFFECTS && next() < 0.3) document.match = 'first';
  return document;
}

const SIMPLE = ['git status', 'git push', 'rm -rf x', 'npm test', 'cat src/a.ts', 'cat .env', 'ls', 'echo hi', '$X y'];
const TAILS = ['', ' > src/a.ts', ' > /etc/passwd', ' < .env', ' 2>/dev/null', ' "$(rm z)"'];
const JOINTS = [' && ', '; ', ' | ', ' || ', '\n'];
const FILES = ['src/a.ts', 'src/b.ts', '.env', '/etc/passwd', '~/.ssh/id_rsa', '../x', 'src/../.env', '/tmp/y'];

function command(next: Random): string {
  const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
    const prefix = next() < 0.2 ? pick(next, ['CI=1 ', 'sudo ', 'PATH=. ', 'env ']) : '';
    return prefix + pick(next, SIMPLE) + (next() < 0.3 ? pick(next, TAILS) : '');
  });
  return parts.reduce((line, part) => line + pick(next, JOINTS) + part);
}

export function randomCall(next: Random): { toolName: string; args: Record<string, unknown> } {
  switch (Math.floor(next() * 8)) {
    case 0:
      return { toolName: 'read_file', args: { file_path: pick(next, FILES) } };
    case 1:
      return { toolName: 'write_file', args: { file_path: pick(next, FILES), content: 'x\n' } };
    case 2: {
      const urls = ['https://api.example.com/v1', 'https://evil.test/x', 'http://a.example.com', 'file:///etc/passwd'];
      return { toolName: 'fetch_url', args: { url: pick(next, urls) } };
    }
    case 3:
      return { toolName: 'deploy', args: { to: 'staging' } };
    default:
      return { toolName: 'execute', args: { command: command(next) } };
  }
}

const STRICTNESS: Record<PolicyEffect, number> = { allow: 0, ask: 1, deny: 2 };
export const strictness = (effect: PolicyEffect): number => STRICTNESS[effect];
export const strictest = (...effects: readonly PolicyEffect[]): PolicyEffect =>
  effects.reduce((one, other) => (STRICTNESS[other] > STRICTNESS[one] ? other : one), 'allow');

/** Another order of the same. */
export function shuffled<T>(next: Random, items: readonly T[]): T[] {
  return items
    .map((item) => [next(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}
