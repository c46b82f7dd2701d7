/** `/policy`: the rules that hold, file by file, each file with its state; a page at a time where the window is too small for all. */
import { readFile } from 'node:fs/promises';
import type { Gate, PolicyProblem } from '../../../index.js';
import { localGate } from '../../gate/gate.js';
import { presetText, readTree, trusted } from '../../native.js';
import type { NativeLayer, TreeNode } from '../../wire.js';
import { UsageError } from '../exit.js';
import { count } from '../print.js';
import { wrap } from './screen/layout.js';
import { oneLine } from '../style.js';

/** What there is room for. */
export interface NoteWindow {
  columns: number;
  rows: number;
}

/** What a window needs beside a page: the line that is written on, the status, the command, and where the page ends. */
const AROUND = 6;
/** What stands before each line of a note. */
const INDENT = 2;
const PRESET = 'preset:';

/** What stands before the rest of a line that is longer than the window. */
const INSIDE = '    ';

/** A line about a rule, as far as what it is about. */
const RULE = /^ +\d+ {2}\S+ +/;

/** Nothing is left out: a path has no end that could be. */
function rowsOf(line: string, width: number): string[] {
  const [head = INSIDE] = RULE.exec(line) ?? [];
  return wrap(line, width, ' '.repeat(Math.min(head.length, Math.floor(width / 3))));
}

/** All lines that fit, or the page of them that is wanted, from 1. @throws {UsageError} where there is no such page */
export function pageOf(lines: readonly string[], wanted: number, window: NoteWindow): string[] {
  const width = Math.max(20, window.columns - INDENT - 1);
  const rows = lines.flatMap((line) => rowsOf(line, width));
  const room = Math.max(3, window.rows - AROUND);
  const pages = rows.length <= room ? 1 : Math.ceil(rows.length / (room - 1));
  if (wanted < 1 || wanted > pages) throw new UsageError(`There ${pages === 1 ? 'is 1 page' : `are ${pages} pages`}.`);
  if (pages === 1) return rows;
  const more = wanted < pages ? `: /policy ${wanted + 1} is the next` : '';
  return [...rows.slice((wanted - 1) * (room - 1), wanted * (room - 1)), `page ${wanted} of ${pages}${more}`];
}

/** @param given what the program was told to go by, in words */
export async function policyLines(gate: Gate, given: readonly string[]): Promise<string[]> {
  const { layers, broken, problems } = await localGate(gate, 'policy').control.layers();
  const known = await trustedPaths();
  const listed = await Promise.all(layers.map((layer) => layerLines(layer, known, problems)));
  const unread = problems.filter(({ source }) => !layers.some(({ name }) => name === source));
  return [
    `Mode: ${gate.mode}`,
    ...given,
    ...listed.flat(),
    ...unread.map(({ message }) => `Broken: ${oneLine(message)}`),
    ...(broken === null ? [] : [`Nothing is allowed until this is fixed: ${oneLine(broken)}`]),
  ];
}

/** Files that this user trusts, also those that have changed since. */
async function trustedPaths(): Promise<ReadonlySet<string>> {
  return new Set((await trusted()).map(({ path }) => path));
}

async function layerLines(
  { layer, name, trusted: counts }: NativeLayer,
  known: ReadonlySet<string>,
  problems: readonly PolicyProblem[],
): Promise<string[]> {
  if (name.startsWith(PRESET)) {
    const preset = name.slice(PRESET.length);
    const rules = rulesIn(presetText(preset) ?? '');
    return [
      `Preset ${oneLine(preset)}: ${count(rules.length, 'rule')} (countersign policy preset ${oneLine(preset)})`,
      ...rules.map((rule) => `  ${rule}`),
    ];
  }
  const text = layer === 'session' ? undefined : await textOf(name);
  // What the program itself says is in words above.
  if (text === undefined) return [];
  const problem = problems.find(({ source }) => source === name);
  const whose = LAYERS[layer] ?? 'Policy';
  const titled = (state: string): string[] => [`${whose} (${state})`, `  ${oneLine(name)}`];
  // The place of a problem begins with the file.
  if (problem !== undefined)
    return [...titled('broken'), `  ${oneLine(problem.message).replace(`${oneLine(name)}:`, 'line ')}`];
  const rules = rulesIn(text);
  return [
    ...titled(stateOf(layer, counts, known.has(name))),
    ...(counts ? [] : ['  it only tightens, until npx countersign policy trust']),
    ...(rules.length === 0 ? ['  it has no rules'] : rules.map((rule) => `  ${rule}`)),
  ];
}

function stateOf(layer: NativeLayer['layer'], counts: boolean, wasTrusted: boolean): string {
  if (layer === 'managed') return 'managed: nobody here changes it';
  if (!counts) return wasTrusted ? 'changed since it was trusted' : 'not trusted';
  return layer === 'project' ? 'trusted' : 'counts';
}

const LAYERS: Readonly<Partial<Record<NativeLayer['layer'], string>>> = {
  managed: "The administrator's policy",
  user: 'Your policy',
  project: "The project's policy",
};

/** `undefined`: it is no file, or cannot be read. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Each rule in a line: where it stands, what it does, what it is about, and why. */
function rulesIn(text: string): string[] {
  const tree = readTree(text, /^\s*(?:\{|\/[/*])/.test(text) ? 'json' : 'toml');
  if (!('root' in tree)) return [];
  const rules = entryOf(tree.root, 'rule');
  if (rules?.kind !== 'list') return [];
  const lines = rules.items.map((rule) => String(text.slice(0, rule.start).split('\n').length));
  const width = Math.max(0, ...lines.map(({ length }) => length));
  return rules.items.map((rule, at) => `${lines[at]!.padStart(width)}  ${ruleInWords(rule)}`);
}

/** What a rule may be about, in the order of reading. */
const ABOUT = ['tools', 'mcp', 'commands', 'reads', 'writes', 'urls', 'env', 'annotations', 'confined'] as const;

function ruleInWords(rule: TreeNode): string {
  const effect = wordsOf(entryOf(rule, 'effect')) || 'ask';
  const about = ABOUT.flatMap((name) => {
    const node = entryOf(rule, name);
    return node === undefined ? [] : [`${name} ${name === 'commands' ? commandsOf(node) : wordsOf(node)}`];
  });
  const reason = wordsOf(entryOf(rule, 'reason'));
  const what = about.length === 0 ? 'everything' : about.join('; ');
  return oneLine(`${effect.padEnd(5)}  ${what}${reason === '' ? '' : ` (${reason})`}`);
}

/** Commands as they are typed, alternatives of a word between bars. */
function commandsOf(node: TreeNode): string {
  if (node.kind !== 'list') return wordsOf(node);
  return node.items
    .map((item) => {
      const words = item.kind === 'table' ? entryOf(item, 'words') : item;
      if (words?.kind !== 'list') return wordsOf(words);
      return words.items.map((word) => wordsOf(word).replaceAll(', ', '|')).join(' ');
    })
    .join(', ');
}

function wordsOf(node: TreeNode | undefined): string {
  switch (node?.kind) {
    case 'text':
      return node.text;
    case 'flag':
      return String(node.flag);
    case 'number':
      return String(node.number);
    case 'list':
      return node.items.map(wordsOf).join(', ');
    case 'table':
      return node.entries.map(({ key, node: value }) => `${key} ${wordsOf(value)}`).join(', ');
    default:
      return '';
  }
}

const entryOf = (node: TreeNode, name: string): TreeNode | undefined =>
  node.kind === 'table' ? node.entries.find(({ key }) => key === name)?.node : undefined;
