/** A type's name has two words, or is a term of docs/concepts.md: one word alone means something else in each room. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** How many of the types may have names of one word. */
const MOST = 0.15;

const RUST =
  /^ {0,4}(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) ([A-Z]\w*)|^(?:pub(?:\([^)]*\))? )?type ([A-Z]\w*)/gm;
const TYPESCRIPT = /^\s*(?:export )?(?:declare )?(?:abstract )?(?:class|interface|enum|type) ([A-Z]\w*)(?=[ <]|$)/gm;

const CRATES = readdirSync(join(root, 'crates')).map((crate) => `crates/${crate}/src`);

/** The types that a folder defines, without those of tests. */
const typesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:rs|tsx?)$/.test(file) && !/(?:^|[\\/])(?:tests[\\/]|(?:\w+_)?tests\.rs$)/.test(file))
    .flatMap((file) =>
      namesIn(readFileSync(join(root, folder, file), 'utf8'), file.endsWith('.rs') ? RUST : TYPESCRIPT),
    );

const namesIn = (text: string, definition: RegExp): string[] =>
  [...text.matchAll(definition)].map(([, name, other]) => (name ?? other)!);

const wordsOf = (name: string): number => name.match(/[A-Z]+(?![a-z0-9])|[A-Z][a-z0-9]*/g)!.length;

test('the reader of types sees them all', () => {
  const rust = 'pub(crate) struct A {\nenum B<T> {\npub trait C: Send {\n    type Answer = D;\ntype E = u8;\n';
  expect(namesIn(rust, RUST)).toEqual(['A', 'B', 'C', 'E']);
  const typescript = 'export interface A {\nexport class B<T> {\ntype C =\n  abstract class D {\nconst x: Type = 1;';
  expect(namesIn(typescript, TYPESCRIPT)).toEqual(['A', 'B', 'C', 'D']);
  expect(['Gate', 'SqliteEngine', 'UTF', 'URLPattern'].map(wordsOf)).toEqual([1, 2, 1, 2]);
});

test('few types have names of one word: in each crate, and in all of them with the addon and the TypeScript', () => {
  const crates = CRATES.map((crate) => ({ where: crate, names: typesBelow(crate) }));
  const names = [...crates.flatMap((crate) => crate.names), ...['src', 'ts'].flatMap(typesBelow)];
  expect(names.length).toBeGreaterThan(1_500);
  // A small crate hardly counts among all, so each is held by itself, too.
  for (const room of [...crates, { where: 'all of them', names }]) {
    const short = room.names.filter((name) => wordsOf(name) === 1);
    expect(short.length / room.names.length, `${room.where}: one word: ${short.join(', ')}`).toBeLessThanOrEqual(MOST);
  }
});
