/**
 * The sentences that the code says: every text of several words in the sources, so that no message of an error, a warning or a
 * command is written past the rules of `prose.ts`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const root = join(import.meta.dirname, '../..');

/** A text in the code. What is put into it while it runs reads as one word. */
export interface Message {
  /** Where it stands, as `file:line`. */
  place: string;
  text: string;
  /** The class of the error that says it, where it is made on the spot. */
  error?: string;
}

/** Fewer words are names, units and parts of a layout. */
const FEWEST_WORDS = 4;
/** What stands for a value that only the run knows. */
const VALUE = '`value`';

/** SQL, styles and scripts: texts for machines. */
const CODE =
  /\b(?:SELECT|WHERE|INSERT INTO|CREATE (?:OR|TABLE|INDEX|TRIGGER|UNIQUE|ROLE)|UPDATE \w+ SET|PRAGMA)\b|^\s*(?:\w+\.\w+, |:root|\(version 1\))|\b\w+\(\) \{|\brw,relatime\b/;

const isSentence = (text: string): boolean =>
  text.split(/\s+/).filter((word) => /^[("'`]*[a-zA-Z]/.test(word)).length >= FEWEST_WORDS && !CODE.test(text);

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** A literal, a template, or several of them put together by `+`, as the text that is said; `undefined`: it is something else. */
function saidBy(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis as { value: { cooked: string } }[];
    return quasis.map(({ value }) => value.cooked).join(VALUE);
  }
  if (node.type === 'BinaryExpression' && node.operator === '+') {
    const [left, right] = [saidBy(node.left as Node), saidBy(node.right as Node)];
    if (left === undefined && right === undefined) return undefined;
    return `${left ?? VALUE}${right ?? VALUE}`;
  }
  return undefined;
}

/** The messages of a source in TypeScript. */
export function messagesOfTypeScript(source: string, file: string): Message[] {
  const found: Message[] = [];
  const visit = (node: Node, error?: string): void => {
    const text = saidBy(node);
    if (text !== undefined) {
      const line = source.slice(0, node.start).split('\n').length;
      if (isSentence(text)) found.push({ place: `${file}:${line}`, text, ...(error === undefined ? {} : { error }) });
      // What is put into it may say something of its own.
      if (node.type === 'TemplateLiteral') for (const inner of node.expressions as Node[]) visit(inner);
      else if (node.type === 'BinaryExpression')
        for (const part of [node.left as Node, node.right as Node]) if (saidBy(part) === undefined) visit(part);
      return;
    }
    const made = node.type === 'NewExpression' ? (node.callee as { name?: string }).name : undefined;
    const inside = made?.endsWith('Error') === true ? made : error;
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value, inside);
  };
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node);
  return found;
}

/** What a reader of Rust passes over before it comes to a text: comments, characters, lifetimes. */
const TOKEN = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\u\{[0-9a-f]+\}|\\?[^\n])'|(?:br|r)(#*)"[^]*?"\1|b?"((?:\\[^]|[^"\\])*)"/g;

/** The messages of a source in Rust, up to its tests. */
export function messagesOfRust(source: string, file: string): Message[] {
  const found: Message[] = [];
  const code = source.split(/^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*mod \w+ \{/m)[0]!;
  for (const { index, 2: text } of code.matchAll(TOKEN)) {
    if (text === undefined) continue;
    const said = text
      .replace(/\\\n\s*/g, '')
      .replace(/\{\{|\}\}/g, '')
      .replace(/\{[^{}]*\}/g, VALUE)
      .replace(/\\n/g, '\n')
      .replace(/\\(.)/g, '$1');
    if (isSentence(said)) found.push({ place: `${file}:${code.slice(0, index).split('\n').length}`, text: said });
  }
  return found;
}

/**
 * What a reviewing model is told. Its words are measured, and changed by what the measurements say; `document.rs` is a page of the
 * documents, which has a test of its own.
 */
const ELSEWHERE = ['ts/gate/reviewer/ask-model.ts', 'crates/core/src/shell/effects/document.rs'];

/** Sources below a folder, without those of tests. */
const sourcesIn = (folder: string, names: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => names.test(path) && !/\/(?:tests?|conformance)(?:\/|\.rs$)|_tests?\.rs$/.test(path))
    .filter((path) => !ELSEWHERE.includes(path))
    .toSorted();

const read = (path: string): string => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** All of what users of the package may be told. */
export const messages = (): Message[] => [
  ...sourcesIn('ts', /\.tsx?$/).flatMap((path) => messagesOfTypeScript(read(path), path)),
  ...['src', 'crates/core/src', 'crates/bridge/src', 'crates/confine/src']
    .flatMap((folder) => sourcesIn(folder, /\.rs$/))
    .flatMap((path) => messagesOfRust(read(path), path)),
];

/** The comments of declarations, which editors show. Links are their names, and each tag is read by itself. */
export function commentsOf(source: string, file: string): Message[] {
  return [...source.matchAll(/\/\*\*([^]*?)\*\//g)].map(({ index, 1: comment }) => ({
    place: `${file}:${source.slice(0, index).split('\n').length}`,
    text: comment!
      .replace(/^[ \t]*\* ?/gm, '')
      .replace(/\{@link ([\w.]+)(?: [^}]*)?\}/g, '`$1`')
      .replace(/\s@(\w+)/g, '\n\n$1: ')
      .trim(),
  }));
}

/** An option of something that users call, and what an editor shows of it. */
interface DeclaredOption {
  name: string;
  text: string;
}

/** The types whose fields people write. */
const OF_OPTIONS =
  /^(?:export )?(?:interface (\w*(?:Options|Settings|Retention|Endpoint|Place|Person|Props|Reviewer|Subagent|TaskAgent|Rule))\b[^{;]*|type (\w*Options)\b[^{;]*= )\{\n([^]*?)^\}/gm;

/** The fields of those types, each with its comment without tags; empty where it has none. */
export function optionsOf(source: string): DeclaredOption[] {
  return [...source.matchAll(OF_OPTIONS)].flatMap(([, ofInterface, ofType, fields = '']) =>
    [...fields.matchAll(/(?:^ {2}\/\*\*([^]*?)\*\/\n)?^ {2}(?:readonly )?(\w+)\??: /gm)].map(
      ([, comment = '', field = '']) => ({
        name: `${ofInterface ?? ofType}.${field}`,
        text: comment
          .replace(/^[ \t]*\* ?/gm, '')
          .split(/(?:^|\s)@\w/)[0]!
          .trim(),
      }),
    ),
  );
}

/** All that the package declares, for the lint of their comments. */
export const comments = (): Message[] => declarations().flatMap((path) => commentsOf(read(path), path));

/** Each option of the package. */
export const options = (): DeclaredOption[] => declarations().flatMap((path) => optionsOf(read(path)));

const declarations = (): string[] =>
  [...readdirSync(root), ...readdirSync(join(root, 'types')).map((name) => `types/${name}`)].filter((path) =>
    path.endsWith('.d.ts'),
  );
