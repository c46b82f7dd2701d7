/**
 * Every fenced block of the documentation is tried:
 *
 * - `ts`, `tsx` and `js` must fit the types of the package; with `run` behind it, it is run as well, and a `text output` block that
 *   follows it is what it must print
 * - `sh` must name existing commands; with `run` behind it, `policies.long.test.ts` runs it
 * - `toml`, `jsonc` and `text verdicts` are policies and what they say: see `policies.long.test.ts`
 * - `sql run` is asked of a ledger in PostgreSQL: see `watching.postgres.test.ts`; `sql` is shown as it is
 * - `text screen` and `toml settings` are about the terminal program: see `terminal.test.ts`
 * - `text` is shown as it is; any other kind is an error
 */
import { pageOf } from '../../ts/cli/manual.js';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exec, type Finished } from '../runtimes.js';
import { compile, type Compiled } from '../support/compiler.js';
import { isThorough, sample } from '../support/effort.js';
import { together } from '../together.js';
import { blocks, type Block } from './blocks.js';

const root = join(import.meta.dirname, '../..');

const scripts = blocks.filter(({ kind }) => ['ts', 'ts run', 'tsx', 'js', 'js run'].includes(kind));
const toRun = scripts.filter(({ kind }) => kind.endsWith(' run'));
const commands = blocks.filter(({ kind }) => kind === 'sh');
const policies = ['toml', 'toml part', 'toml warns', 'toml refused', 'jsonc', 'text verdicts'];

mkdirSync(join(root, '.build'), { recursive: true });
/** Where they run: what one of them leaves there is not found the next time. */
const folder = mkdtempSync(join(root, '.build', 'snippets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

let compiled: Compiled;

beforeAll(async () => {
  const programs = scripts.map(({ name, kind, line, code }) => [
    `${name}.${kind.split(' ')[0]}`,
    // Lines above it, so that an error names the line of the document; `export` makes it a module.
    `${'\n'.repeat(line - 1)}${code}\nexport {};\n`,
  ]) as [string, string][];
  const options = { noEmit: false, rootDir: '.', outDir: 'out', allowJs: true, checkJs: true };
  compiled = await compile('snippets', new Map(programs), options, ['__test__/docs/globals.d.ts']);
});

const preamble = join(import.meta.dirname, 'preamble.mjs');
const fileOf = ({ name }: Block): string => join(compiled.out, `${name}.js`);

/**
 * In `npm test` without a process of its own, unless it starts others: to load what all of them import takes longer than what they
 * do.
 */
const runBlock = (block: Block): Promise<Finished> =>
  isThorough || block.code.includes("'node:child_process'")
    ? exec(process.execPath, ['--import', pathToFileURL(preamble).href, fileOf(block)], { cwd: folder })
    : together(fileOf(block), [], { cwd: folder, before: [preamble] });

test('the documents have blocks', () => {
  expect(scripts.length).toBeGreaterThan(10);
  expect(toRun.length).toBeGreaterThan(5);
  expect(commands.length).toBeGreaterThan(2);
});

/** The page of a block. */
const read = (place: string): string => readFileSync(join(root, place.replace(/:\d+$/, '')), 'utf8');

/** About the terminal program. */
const aboutTerminal = ['text screen', 'toml settings'];
const aboutPostgres = ['sql', 'sql run'];

test('docs/concepts.md lists the names that snippets do not define', () => {
  const given = readFileSync(join(import.meta.dirname, 'globals.d.ts'), 'utf8').matchAll(
    /^ {2}(?:const|function) (\w+)/gm,
  );
  const names = [...given].map(([, name]) => `\`${name}\``);
  expect(names.length).toBeGreaterThan(5);
  const [, listed = ''] = /\nIn the snippets of these pages, ([^]*?)\n\n/.exec(read('docs/concepts.md')) ?? [];
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
});

/** A recipe is copied as it is: what it does not have is at the top of its page or of the first one. */
test('docs/recipes.md lists the names that recipes do not define', () => {
  const [intro = ''] = read('docs/recipes.md').split('\n| ');
  const used = scripts
    .filter(({ place }) => place.startsWith('docs/recipes'))
    .flatMap(({ code }) => code.match(/\b(?:\w*[mM]odel|askTheHuman)\b/g) ?? []);
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !intro.includes(`\`${name}\``))).toEqual([]);
});

test.each(blocks)('$place is of a kind that is tried', ({ kind }) => {
  expect([
    'ts',
    'ts run',
    'tsx',
    'js',
    'js run',
    'sh',
    'sh run',
    'text',
    ...policies,
    ...aboutTerminal,
    ...aboutPostgres,
  ]).toContain(kind);
});

test.each(scripts)('$place fits the types', ({ name }) => {
  expect(compiled.complaints.filter((text) => text.startsWith(`${name}.`))).toEqual([]);
});

/** What the oldest Node of `package.json` does not have: syntax that it refuses, and functions that came later. */
const NEWER =
  /\b(?:Promise\.(?:withResolvers|try)|Array\.fromAsync|(?:Object|Map)\.groupBy|Iterator\.|RegExp\.escape)\b/;

interface SyntaxNode {
  type: string;
  kind?: unknown;
  phase?: unknown;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

function newerIn(code: string, lang: 'ts' | 'tsx'): string[] {
  const found = NEWER.exec(code)?.slice(0, 1) ?? [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'VariableDeclaration' && String(node.kind).includes('using')) found.push(String(node.kind));
    if (node.type === 'Decorator') found.push('a decorator');
    if (node.type === 'ImportDeclaration' && node.phase != null) found.push(`import ${String(node.phase)}`);
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value);
  };
  visit(parseAst(code, { lang }) as unknown as SyntaxNode);
  return found;
}

test.each(scripts)('$place runs on the oldest Node', ({ code, kind }) => {
  expect(newerIn(code, kind === 'tsx' ? 'tsx' : 'ts')).toEqual([]);
});

test('syntax that Node 20 does not have is found', () => {
  for (const code of ['await using gate = open();', '{ using x = y; }', '@x class A {}', 'Promise.withResolvers();'])
    expect(newerIn(code, 'ts'), code).toHaveLength(1);
  expect(newerIn('const gate = createGate(); await gate.close();', 'ts')).toEqual([]);
});

test('no complaint is about something else', () => {
  const known = scripts.map(({ name }) => `${name}.`);
  expect(compiled.complaints.filter((text) => !known.some((name) => text.startsWith(name)))).toEqual([]);
});

// The quickstart reads the terminal: it has tests of its own.
const [, ...others] = toRun;

test.each(sample(others, 8))('$place runs', async (block) => {
  const { code, stdout, stderr } = await runBlock(block);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toBe(block.output ?? stdout);
});

describe('commands', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const isCommand = ([first = '', second = '', ...rest]: string[]) =>
    isChat([first, second, ...rest]) || pageOf([first, second]) !== undefined || first === 'help';
  /** Nothing but flags of the chat, and their values. */
  const isChat = (words: string[]): boolean => {
    const flags = words.join(' ').match(/(?<!\S)--?[a-z][a-z-]*/g) ?? [];
    const isFirst = words[0] === '' || words[0]?.startsWith('-') === true;
    return isFirst && flags.every((flag) => new RegExp(`^ +(?:-\\w, )?${flag}[ \n]`, 'm').test(chatHelp));
  };
  const chatHelp = spawnSync(process.execPath, [join(root, 'dist/cli.js'), 'chat', '--help'], {
    encoding: 'utf8',
  }).stdout;
  /** Other people's programs, which are not tried. */
  const OTHERS = ['esbuild', 'git', 'jq', 'openssl', 'sqlite3'];
  const isPackage = (name: string) => name === 'countersign' || Object.hasOwn(manifest.devDependencies, name);
  /** Also as a project has it that installed the package. */
  const isHere = (path: string | undefined) =>
    path !== undefined && existsSync(join(root, path.replace('node_modules/countersign/', '')));

  /** What is wrong with a command; `undefined`: nothing. */
  function faultOf(command: string): string | undefined {
    const words = command.trim().split(/\s+/);
    while (/^[A-Z_]+=\S*$/.test(words[0] ?? '')) words.shift();
    const [program = '', first = '', ...rest] = words;
    switch (program) {
      case 'npm':
        if (first === 'run') return Object.hasOwn(manifest.scripts, rest[0] ?? '') ? undefined : `no script ${rest[0]}`;
        if (first === 'test' || first === 'start') return undefined;
        if (first === 'install') return rest.every(isPackage) ? undefined : 'an unknown package';
        return `npm ${first}`;
      case 'bun':
        if (first === 'add') return rest.every(isPackage) ? undefined : 'an unknown package';
        return isHere(first) ? undefined : `no file ${first}`;
      case 'npx':
        if (first === 'countersign') return isCommand(rest) ? undefined : `no command ${rest.join(' ')}`;
        // Of shadcn it fetches the newest itself.
        if (first === 'shadcn@latest') return isHere(rest[1]) ? undefined : `no ${rest[1]}`;
        return isHere(`node_modules/.bin/${first}`) ? undefined : `no program ${first}`;
      case 'node':
        return isHere(first) ? undefined : `no file ${first}`;
      case 'cargo': {
        if (!['bench', 'build', 'clippy', 'fmt', 'run', 'test'].includes(first)) return `cargo ${first}`;
        const named = rest.indexOf('-p');
        if (named < 0) return first === 'run' ? 'cargo run' : undefined;
        return [
          'countersign',
          'countersign-bridge',
          'countersign-core',
          'countersign-oracle',
          'countersign-proof',
        ].includes(rest[named + 1]!)
          ? undefined
          : 'an unknown crate';
      }
      case 'countersign':
        return isCommand([first, ...rest]) ? undefined : `no command ${first} ${rest.join(' ')}`;
      // A pipe into another.
      case 'printf':
        return command.includes(' | ') ? faultOf(command.slice(command.lastIndexOf(' | ') + 3)) : 'nobody reads it';
      // Programs that run another.
      case 'flock':
        return faultOf(rest.join(' '));
      case 'xargs':
        return faultOf([first, ...rest].filter((word) => !word.startsWith('-')).join(' '));
      case 'export':
        return /^[A-Z_]+=/.test(first) ? undefined : `export ${first}`;
      default:
        if (OTHERS.includes(program)) return undefined;
        return program.startsWith('.') && isHere(program) ? undefined : `an unknown program: ${program}`;
    }
  }

  const lines = commands.flatMap(({ place, code }) =>
    code.split('\n').flatMap((line) => {
      const command = line.replace(/(^|\s)#.*$/, '').trim();
      return command === '' ? [] : [{ place, command }];
    }),
  );

  test.each(lines)('$place: $command', ({ command }) => {
    expect(faultOf(command)).toBeUndefined();
  });

  /** The page says what the name is without `npx`: a package that is installed for the whole machine. */
  const installs = (place: string) => read(place).includes('npm install -g countersign');
  test('after the installation that a page shows, its commands work: `npx countersign`', () => {
    const bare = /(?:^|\| |xargs (?:-\w+ )*)countersign /;
    expect(lines.filter(({ place, command }) => bare.test(command) && !installs(place))).toEqual([]);
    const shown = blocks.filter(({ kind, code }) => kind === 'text' && /^\$ countersign /m.test(code));
    expect(shown.map(({ place }) => place)).toEqual([]);
  });

  test('what is only in a clone says so', () => {
    const inClone = /^(?:cargo|npm (?:run|test|start)|npx vitest|node (?!node_modules\/))/;
    const pages = lines.filter(({ place, command }) => place.startsWith('docs/') && inClone.test(command));
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.filter(({ place }) => !/\bclone\b/.test(read(place)))).toEqual([]);
  });

  test('what does not exist is found out', () => {
    const wrong = [
      'npm run nothing',
      'npm publish',
      'node nowhere.mjs',
      'npx nothing',
      'npx countersign policy no',
      'npx countersign --no',
      'npx countersign --model x --nothing',
      "printf 'y' | npx countersign no",
      'printf y',
      'countersign no',
      'countersign audit no',
      'xargs -r countersign no',
      'flock x countersign no',
      'cargo run',
      'cargo run -p no',
      'curl x',
      './no',
    ];
    for (const command of wrong) expect(faultOf(command), command).toBeDefined();
  });
});
