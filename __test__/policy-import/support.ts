/** Imported policies, as lines. */
import { expect } from 'vitest';
import type { ForeignPolicyFormat, PolicyProblem, PolicyRule } from '../../index.js';
import { PolicyError } from '../../ts/index.js';
import { readTree, writeToml } from '../../ts/native.js';
import { importDocument, readForeign } from '../../ts/policy-import/index.js';
import { namesLike } from '../../ts/policy-import/rules.js';
import { namesFor, unreadFor } from '../../ts/options/usual-names.js';
import type { TreeNode } from '../../ts/wire.js';

/** What is written there, the rules that it becomes, and how many losses there are. */
export type Row = [written: string, expected: string[], losses: number];

export const FORMATS = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'vscode'] as const;

type Imported = ReturnType<typeof readForeign>;

export const imported = (format: ForeignPolicyFormat, text: string): Imported => readForeign(format, text, 'theirs');

export function problemOf(format: ForeignPolicyFormat, text: string): PolicyProblem {
  try {
    importDocument(format, text, 'theirs');
  } catch (error) {
    if (PolicyError.isInstance(error)) return error.problems[0]!;
    throw error;
  }
  throw new Error('it was taken');
}

export const claude = (lists: Record<string, string[]>): string => JSON.stringify({ permissions: lists });

const wordOf = (token: string | string[]): string => {
  if (typeof token !== 'string') return token.join('|');
  return token.includes('*') && !/^\*{1,2}$/.test(token) ? `~${token}` : token;
};

const USES = ['run', 'read', 'list', 'glob', 'search', 'write', 'edit', 'move', 'fetch'] as const;

/** All names of tools that do the same as one sign. */
function toolsOf(tools: readonly string[]): string {
  const uses = USES.filter((use) => namesFor(use).every((name) => tools.includes(name)));
  const unread = USES.filter((use) => !uses.includes(use) && unreadFor(use).every((name) => tools.includes(name)));
  const [first] = tools;
  const like =
    first !== undefined && namesLike(first).length > 1 && namesLike(first).every((name) => tools.includes(name));
  const shown = new Set([...namesFor(...uses), ...unreadFor(...unread), ...(like ? namesLike(first) : [])]);
  const others = tools.filter((name) => !shown.has(name));
  const likes = like && uses.length + unread.length === 0 ? [`<like ${first}>`] : [];
  return [...uses.map((use) => `<${use}>`), ...unread.map((use) => `<unread ${use}>`), ...likes, ...others].join(' ');
}

export function line({ effect, tools, commands, reads, writes, urls }: PolicyRule): string {
  const words = (commands ?? []) as (string | string[])[][];
  const said = [
    ...words.map((tokens) => ` \`${tokens.map(wordOf).join(' ')}\``),
    ...Object.entries({ reads, writes, urls }).flatMap(([key, patterns]) =>
      patterns === undefined ? [] : [` ${key} ${(patterns as string[]).join(' ')}`],
    ),
  ];
  return `${effect}${said.length > 0 ? said.join('') : ` tools ${toolsOf(tools as string[])}`}`;
}

export const linesOf = ({ document }: Imported): string[] => document.rule.map(line);

/** What is written of a policy reads back as the same. */
export function readBack({ document }: Imported): void {
  const toml = writeToml('ours', document);
  const tree = readTree(toml, 'toml');
  if ('problem' in tree) throw new Error(tree.problem.message);
  expect(writeToml('ours', plainOf(tree.root) as object)).toBe(toml);
}

function plainOf(node: TreeNode): unknown {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'flag':
      return node.flag;
    case 'number':
      return node.number;
    case 'list':
      return node.items.map(plainOf);
    case 'table':
      return Object.fromEntries(node.entries.map(({ key, node }) => [key, plainOf(node)]));
    default:
      return null;
  }
}
