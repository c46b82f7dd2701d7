/** Comments are in plain words: phrases that a reader stumbles over are found here, each with its file and line. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The folders with sources. The declarations of the entries lie beside them. */
const FOLDERS = ['ts', 'types', 'scripts', 'crates', 'src'];
/** Made of the comments in `crates/`. */
const GENERATED = ['ts/wire.ts', 'ts/confine/plan.ts'];
/** Words may be apart: a phrase may begin on one line and end on the next. */
const PHRASES = /\b(?:whoever|of +which|(?:is|are) +none|that +there +(?:is|are)|nobody|whatever)\b/gi;

interface Comment {
  start: number;
  end: number;
}

/** A comment of Rust, or a character or text, which may look like one. */
const RUST =
  /(\/\/[^\n]*|\/\*[^]*?\*\/)|'(?:\\u\{[0-9a-f]+\}|\\?[^\n])'|\b(?:br|cr|r)(#*)"[^]*?"\2|"(?:\\[^]|[^"\\])*"/g;
/** The same of a style sheet. */
const CSS = /(\/\*[^]*?\*\/)|'(?:\\[^]|[^'\\])*'|"(?:\\[^]|[^"\\])*"/g;

function commentsOf(source: string, file: string): Comment[] {
  const token = file.endsWith('.rs') ? RUST : file.endsWith('.css') ? CSS : undefined;
  if (token !== undefined)
    return [...source.matchAll(token)].flatMap(({ index, 1: comment }) =>
      comment === undefined ? [] : [{ start: index, end: index + comment.length }],
    );
  const { comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
  return comments;
}

/** With line comments on adjacent lines as one. */
function joined(comments: readonly Comment[], source: string): Comment[] {
  const all: Comment[] = [];
  for (const { start, end } of comments) {
    const before = all.at(-1);
    if (before !== undefined && source.startsWith('//', start) && /^\s*\n[ \t]*$/.test(source.slice(before.end, start)))
      before.end = end;
    else all.push({ start, end });
  }
  return all;
}

function faultsIn(source: string, file: string): string[] {
  return joined(commentsOf(source, file), source).flatMap(({ start, end }) => {
    // Blanks in place of code and of the marks of a line: a phrase keeps its place.
    const words = source
      .slice(start, end)
      .replace(/`[^`\n]*`/g, (code) => '`'.repeat(code.length))
      .replace(/\n\s*(?:\/\/[/!]?|\*)?/g, (mark) => ' '.repeat(mark.length));
    return [...words.matchAll(PHRASES)].map(({ index, 0: phrase }) => {
      const line = source.slice(0, start + index).split('\n').length;
      return `${file}:${line}: "${phrase.replace(/ +/g, ' ')}"`;
    });
  });
}

const faultsOf = (file: string): string[] => faultsIn(readFileSync(join(root, file), 'utf8'), file);

test.each(FOLDERS)('of %s', (folder) => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.(?:rs|css|[mc]?[jt]sx?)$/.test(path) && !GENERATED.includes(path))
    .toSorted();
  expect(files.length).toBeGreaterThan(5);
  expect(files.flatMap(faultsOf)).toEqual([]);
});

test('of the declarations of the entries', () => {
  const files = readdirSync(root).filter((name) => name.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(5);
  expect(files.flatMap(faultsOf)).toEqual([]);
});

describe('what is found', () => {
  test('each phrase, in each kind of comment', () => {
    expect(faultsIn('// Whoever asks.\nx; /* a thing of which */\n/** There is none. */\n', 'a.ts')).toEqual([
      'a.ts:1: "Whoever"',
      'a.ts:2: "of which"',
      'a.ts:3: "is none"',
    ]);
    expect(faultsIn('//! Whoever asks.\n/// There are none.\nfn a() {} // all that there is\n', 'a.rs')).toEqual([
      'a.rs:1: "Whoever"',
      'a.rs:2: "are none"',
      'a.rs:3: "that there is"',
    ]);
    expect(faultsIn('// Nobody asks.\n// It runs, whatever it is.\n', 'a.ts')).toEqual([
      'a.ts:1: "Nobody"',
      'a.ts:2: "whatever"',
    ]);
    expect(faultsIn('/* whoever */ a { content: "/* whoever */" }', 'a.css')).toEqual(['a.css:1: "whoever"']);
  });

  test('over the end of a line, with the line where it begins', () => {
    expect(faultsIn('/**\n * There is\n * none.\n */\n', 'a.ts')).toEqual(['a.ts:2: "is none"']);
    expect(faultsIn('  // A thing of\n  // which\n', 'a.ts')).toEqual(['a.ts:1: "of which"']);
    expect(faultsIn('a;\n/// There\n/// is none.\n', 'a.rs')).toEqual(['a.rs:3: "is none"']);
  });

  test('not in code, names and texts', () => {
    expect(faultsIn('// `whoever`\nconst whoever = "// whoever" + `/* ${1} whoever */`;', 'a.ts')).toEqual([]);
    expect(faultsIn('let c = (\'"\', "// whoever", r#"// " whoever"#); // fine', 'a.rs')).toEqual([]);
  });
});
