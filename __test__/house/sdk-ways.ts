/** Every place in the installed AI SDK that runs what is called `execute`, binds, or makes a new object of a tool. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

interface Node {
  type: string;
  start: number;
  end: number;
  [more: string]: unknown;
}

/** By package and major version, and there by function: what it does with tools, each followed by how often. */
export type Ways = Record<string, Record<string, string[]>>;

const root = join(import.meta.dirname, '../..');

/** Of all packages of the AI SDK, however deep they lie. */
export function waysOfTheSdk(): Ways {
  const ways: Ways = {};
  const seen = new Set<string>();
  for (const folder of packagesIn(join(root, 'node_modules'))) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    const id = `${name}@${version}`;
    if (version === undefined || seen.has(id)) continue;
    seen.add(id);
    const found = new Map<string, Map<string, number>>();
    for (const file of scriptsIn(join(folder, 'dist'))) find(readFileSync(file, 'utf8'), found);
    if (found.size === 0) continue;
    const entries = [...found].map(([place, hits]) => [place, [...hits].map(([hit, count]) => `${hit} ×${count}`)]);
    ways[`${name}@${version.split('.')[0]}`] = Object.fromEntries(entries) as Record<string, string[]>;
  }
  return ways;
}

function* packagesIn(modules: string): Generator<string> {
  if (!existsSync(modules)) return;
  for (const each of readdirSync(modules)) {
    if (each.startsWith('.')) continue;
    const folder = join(modules, each);
    if (each.startsWith('@')) {
      for (const inner of readdirSync(folder)) yield* packageIn(join(folder, inner));
    } else yield* packageIn(folder);
  }
}

function* packageIn(folder: string): Generator<string> {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return;
  const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string };
  if (name === 'ai' || name?.startsWith('@ai-sdk/') === true) yield folder;
  yield* packagesIn(join(folder, 'node_modules'));
}

/** Of two forms of one file the ES module. */
function scriptsIn(dist: string): string[] {
  if (!existsSync(dist)) return [];
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => /\.m?js$/.test(file));
  return files
    .filter((file) => !/(?:^|[\\/])test[\\/]/.test(file))
    .filter((file) => file.endsWith('.mjs') || !files.includes(file.replace(/\.js$/, '.mjs')))
    .map((file) => join(dist, file));
}

/** Adds what one file does, by the function that does it. */
export function find(source: string, found: Map<string, Map<string, number>>): void {
  const walk = (node: Node, parents: readonly Node[], place: readonly string[]): void => {
    const parent = parents.at(-1);
    const name = FUNCTION.test(node.type) ? nameOf(node, parent) : undefined;
    const inside = name === undefined ? place : [...place, name];
    const hit = hitOf(node, parent, source);
    if (hit !== undefined) {
      const where = inside.join('.') || '(top)';
      const hits = found.get(where) ?? new Map<string, number>();
      hits.set(hit, (hits.get(hit) ?? 0) + 1);
      found.set(where, hits);
    }
    const path = [...parents, node];
    for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, path, inside);
  };
  walk(parseAst(source) as unknown as Node, [], []);
}

const FUNCTION =
  /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassDeclaration|ClassExpression)$/;
/** Properties of a tool by which it runs, or is asked about. */
const RUNS = /^(?:execute(?:tool\w*)?|needsApproval|.*toolCaller)$/i;
/** What makes an object of another. */
const COPIES = /^(?:Object\.(?:assign|create|fromEntries|defineProperty|defineProperties)|structuredClone)$/;

function hitOf(node: Node, parent: Node | undefined, source: string): string | undefined {
  const text = ({ start, end }: Node) => source.slice(start, end).replace(/\s+/g, ' ');
  const { type } = node;
  if (type === 'MemberExpression' && RUNS.test(keyOf(node['property'] as Node, node['computed'] === true)))
    return parent?.type === 'CallExpression' && parent['callee'] === node ? `${text(node)}(…)` : text(node);
  if (type === 'Property' && RUNS.test(keyOf(node['key'] as Node, node['computed'] === true)))
    return parent?.type === 'ObjectPattern' ? `{ ${text(node['key'] as Node)} } =` : `${text(node['key'] as Node)}: …`;
  if (type === 'SpreadElement' && parent?.type === 'ObjectExpression') {
    const argument = text(node['argument'] as Node).slice(0, 60);
    return /tool/i.test(argument) ? `{ ...${argument} }` : undefined;
  }
  if (type !== 'CallExpression') return undefined;
  const callee = text(node['callee'] as Node);
  const isCopy = COPIES.test(callee) && /tool/i.test(text(node).slice(0, 200));
  const isSymbol = callee === 'Symbol.for' && /tool/i.test(text(node));
  if (isSymbol) return text(node);
  return isCopy || callee.endsWith('.bind') || /^(?:execute\w*|\w*getToolCaller)$/i.test(callee)
    ? `${callee}(…)`
    : undefined;
}

function nameOf(node: Node, parent: Node | undefined): string | undefined {
  const own = node['id'] as { name?: string } | null;
  if (own?.name !== undefined) return own.name;
  if (parent?.type === 'VariableDeclarator') return (parent['id'] as { name?: string }).name;
  const isMember = /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(parent?.type ?? '');
  return isMember ? keyOf(parent?.['key'] as Node, false) : undefined;
}

function keyOf(key: Node, isComputed: boolean): string {
  const name = key['name'];
  const value = key['value'];
  return String((isComputed ? value : (name ?? value)) ?? '');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
