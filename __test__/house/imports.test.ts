/** Imports in `ts/` run one way: wire, press <- errors <- values <- options <- redact, telemetry <- addon <- native <- gate <- ai-sdk <- index. */
import { readFileSync, readdirSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCode } from '../../ts/cli/init/code.js';

const root = join(import.meta.dirname, '../..');

/** A room may import from itself and from those before it. Rooms of one line must not import from each other. */
const ORDER = [
  ['wire', 'press'],
  ['errors'],
  ['values'],
  ['options'],
  ['redact', 'telemetry'],
  ['addon'],
  ['native'],
  ['policy-import', 'confine'],
  ['policy'],
  ['gate'],
  ['terminal'],
  ['ai-sdk'],
  ['agent', 'protocols', 'webhooks', 'react'],
  ['inbox'],
  ['cli'],
  ['index'],
];

/** The rooms inside of a room, in the same way. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  'ai-sdk': ['sdk', 'messages', 'tools', 'gating', 'saved', 'run', 'stream'],
};

interface Import {
  /** Path from the root of the repository, with `/`. */
  file: string;
  /** As it is written. */
  specifier: string;
  /** `import type` and the like: gone at run time. */
  isType: boolean;
  /** Where it is called for, not when the file is loaded. */
  isLater?: true;
}

const files = readdirSync(join(root, 'ts'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => `ts/${file.split(sep).join('/')}`)
  .toSorted();

const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));

function importsOf(file: string, source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s*\bfrom\s*)?['"]([^'"]+)['"]/gm);
  const calls = code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)|\brequire\s*\(\s*['"]([^'"]+)['"]\s*\)/g);
  // What stands in a text, such as a file that the command writes, is no import.
  const isCode = codeIn(code);
  return [
    ...[...statements]
      .filter(isCode)
      .map(([, type, , specifier]) => ({ file, specifier: specifier!, isType: type !== undefined })),
    ...[...calls].filter(isCode).map(([, imported, required]) => ({
      file,
      specifier: (imported ?? required)!,
      isType: false,
      isLater: true as const,
    })),
  ];
}

/** Tells what is found in code from what is found in a text. A file that cannot be read is taken as code all over. */
function codeIn(source: string): (found: RegExpMatchArray) => boolean {
  const read = readCode(source)?.code;
  return ({ 0: text, index = 0 }) => {
    const at = index + text.search(/\S/);
    return read === undefined || read[at] === source[at];
  };
}

/** The file of `ts/` that is meant, or `undefined` for what lies outside. */
function target({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
  if (files.includes(`${path}x`)) return `${path}x`;
  return path.startsWith('ts/') ? path : undefined;
}

/** `ts/gate/gate.ts` and `ts/gate.ts` are of the room `gate`. */
const roomOf = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '');
const levelOf = (room: string) => ORDER.findIndex((rooms) => rooms.includes(room));
const told = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

test('the reader of imports sees them all', () => {
  expect(
    importsOf('ts/x.ts', "import a, {\n  b,\n} from './a.js';\nimport type { T } from 'ai';\nexport * from './c.js';"),
  ).toEqual([
    { file: 'ts/x.ts', specifier: './a.js', isType: false },
    { file: 'ts/x.ts', specifier: 'ai', isType: true },
    { file: 'ts/x.ts', specifier: './c.js', isType: false },
  ]);
  expect(
    importsOf('ts/x.ts', "import './d.js';\n// import './no.js'\nawait import('ai')").map((each) => each.specifier),
  ).toEqual(['./d.js', 'ai']);
  expect(files.length).toBeGreaterThan(5);
  expect(imports.length).toBeGreaterThan(files.length / 2);
});

test.each(files)('%s belongs to a room', (file) => {
  expect(levelOf(roomOf(file)), `a new room needs its place in ORDER of this test`).toBeGreaterThanOrEqual(0);
});

describe('no file imports', () => {
  const inside = imports.map((each) => ({ each, to: target(each) })).filter(({ to }) => to !== undefined);

  test('a file that does not exist', () => {
    expect(inside.filter(({ to }) => !files.includes(to!)).map(({ each }) => told(each))).toEqual([]);
  });

  test('upward, or from a room beside it', () => {
    const upward = inside.filter(({ each, to }) => {
      const [from, into] = [roomOf(each.file), roomOf(to!)];
      return from !== into && levelOf(into) >= levelOf(from);
    });
    expect(upward.map(({ each }) => told(each))).toEqual([]);
  });

  test.each(Object.entries(INSIDE))('upward inside of ts/%s', (room, order) => {
    const innerOf = (file: string) => (roomOf(file) === room ? order.indexOf(file.split('/')[2]!) : undefined);
    expect(files.filter((file) => innerOf(file) === -1)).toEqual([]);
    const upward = inside.filter(({ each, to }) => {
      const [from, into] = [innerOf(each.file), innerOf(to!)];
      return from !== undefined && into !== undefined && into > from;
    });
    expect(upward.map(({ each }) => told(each))).toEqual([]);
  });

  test('ts/index.ts', () => {
    expect(inside.filter(({ to }) => to === 'ts/index.ts').map(({ each }) => told(each))).toEqual([]);
  });

  test('itself in a circle', () => {
    const edges = new Map<string, string[]>();
    // Types count: reading one of the files takes reading all of them.
    for (const { each, to } of inside) edges.set(each.file, [...(edges.get(each.file) ?? []), to!]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (path.includes(file) || done.has(file)) return;
      for (const to of edges.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('the addon, but ts/addon.ts', () => {
    const those = imports.filter(
      (each) => /(^|\/)binding\/|\.node$/.test(each.specifier) && each.file !== 'ts/addon.ts',
    );
    expect(those.map(told)).toEqual([]);
  });

  test('the AI SDK at run time, but ts/ai-sdk', () => {
    const those = imports.filter((each) => /^(ai|@ai-sdk)(\/|$)/.test(each.specifier) && !each.isType);
    expect(those.filter((each) => roomOf(each.file) !== 'ai-sdk').map(told)).toEqual([]);
  });

  test('what is slow to load, before it is needed', () => {
    // Each a third of a millisecond or less. `node:util`, `node:crypto` and `node:fs/promises` take several times that.
    const quick = /^node:(?:async_hooks|os|path|util\/types)$/;
    const atOnce = imports.filter(({ isType, isLater }) => !isType && !isLater);
    const loaded = new Set(['ts/index.ts']);
    for (const file of loaded)
      for (const each of atOnce) if (each.file === file && target(each) !== undefined) loaded.add(target(each)!);
    expect(loaded).toContain('ts/values/snapshot.ts');
    const slow = atOnce.filter(
      ({ file, specifier }) => loaded.has(file) && specifier.startsWith('node:') && !quick.test(specifier),
    );
    expect(slow.map(told)).toEqual([]);
    // A tool for the first day: `importPolicy` loads it.
    expect([...loaded].filter((file) => roomOf(file) === 'policy-import')).toEqual([]);
  });

  test('anything of the rest, or of Node, into ts/react, but the check of names and of presses, and which argument is a text', () => {
    const names =
      /^ts\/(?:press\/.*|values\/typed-json|gate\/text-field|options\/(?:names|nearest)|errors\/(?:invalid-config|countersign)-error)\.ts$/;
    const isInPage = (file: string) => roomOf(file) === 'react' || names.test(file);
    const those = imports.filter(({ file, isType }) => isInPage(file) && !isType);
    const outside = those.filter((each) => each.specifier !== 'react' && !isInPage(target(each) ?? 'ts/none'));
    expect(outside.map(told)).toEqual([]);
  });

  test('React, but ts/react', () => {
    const those = imports.filter(({ specifier, isType }) => /^react(\/|$)/.test(specifier) && !isType);
    expect(those.filter(({ file }) => !file.startsWith('ts/react/')).map(told)).toEqual([]);
  });

  test('a package that is not installed with this one', () => {
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as {
      dependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
    };
    const known = Object.keys({ ...dependencies, ...peerDependencies });
    // The program brings a provider along, the inbox what it validates with, in their own bundles.
    const bundled = (file: string, specifier: string) =>
      (file.startsWith('ts/cli/chat/') && specifier === 'openai-compatible-v3') ||
      (file.startsWith('ts/inbox/') && specifier === '@cfworker/json-schema') ||
      (file.startsWith('ts/inbox/page/') && /^(preact|@preact\/signals|diff)(\/|$)/.test(specifier));
    const foreign = imports.filter(
      ({ file, specifier }) => !/^(\.|node:)/.test(specifier) && !bundled(file, specifier),
    );
    expect(
      foreign
        .filter(({ specifier }) => !known.some((name) => specifier === name || specifier.startsWith(`${name}/`)))
        .map(told),
    ).toEqual([]);
  });

  test('the page of the inbox, which runs in a browser, or anything else from there at run time', () => {
    const isPage = (file: string) => file.startsWith('ts/inbox/page/');
    // It imports nothing itself.
    const isShared = (file: string) => file.startsWith('ts/press/') || file === 'ts/values/typed-json.ts';
    expect(inside.filter(({ each }) => isShared(each.file))).toEqual([]);
    const across = inside.filter(({ each, to }) => !each.isType && isPage(each.file) !== isPage(to!) && !isShared(to!));
    expect(across.map(({ each }) => told(each))).toEqual([]);
  });

  test('the public declarations at run time', () => {
    expect(
      imports
        .filter((each) => target(each) === undefined && each.specifier.endsWith('/index.js') && !each.isType)
        .map(told),
    ).toEqual([]);
  });
});
