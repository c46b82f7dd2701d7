/** The fenced blocks of the documents. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  'skills/countersign/SKILL.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

export interface Block {
  /** Where it stands, for the name of the test. */
  place: string;
  /** For the name of its file. */
  name: string;
  /** What stands behind the fence. */
  kind: string;
  /** The line of its first line, from 1. */
  line: number;
  code: string;
  /** What it must print. */
  output: string | undefined;
}

/** Kinds of blocks that something is printed by. */
const PRINTS = / (run|refused)$/;

function blocksOf(document: string): Block[] {
  const source = readFileSync(join(root, document), 'utf8').replaceAll('\r\n', '\n');
  const blocks: Block[] = [];
  for (const match of source.matchAll(/^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm)) {
    const line = source.slice(0, match.index).split('\n').length + 1;
    const [, , kind = '', code = ''] = match;
    if (kind === 'text output') {
      const before = blocks.at(-1);
      if (before === undefined || !PRINTS.test(before.kind) || before.output !== undefined) {
        throw new Error(`${document}:${line}: an output of nothing`);
      }
      before.output = code;
      continue;
    }
    const name = `${document.replace(/[^a-z]+/gi, '-')}-${line}`;
    blocks.push({ place: `${document}:${line}`, name, kind: kind.trim(), line, code, output: undefined });
  }
  return blocks;
}

export const blocks = documents.flatMap(blocksOf);
