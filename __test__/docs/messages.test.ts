/** What the code says to people is plain English: errors, warnings, what commands print, and what editors show of declarations. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  comments,
  commentsOf,
  messages,
  messagesOfRust,
  messagesOfTypeScript,
  options,
  optionsOf,
} from './messages.js';
import { faultsOf, faultsOfPage } from './prose.js';

const root = join(import.meta.dirname, '../..');
/** Each line is read by itself: a text of several is laid out. */
const faultsIn = (text: string): string[] =>
  faultsOf(text.replaceAll('\n', '\n\n')).map((fault) => fault.replace(/^line \d+: /, ''));
const all = messages();

test('messages are found, in each part of the code', () => {
  for (const folder of ['ts/errors', 'ts/cli', 'ts/policy', 'crates/core', 'crates/bridge', 'src'])
    expect(
      all.some(({ place }) => place.startsWith(`${folder}/`)),
      folder,
    ).toBe(true);
  expect(all.length).toBeGreaterThan(1_000);
});

test('each is plain English', () => {
  expect(all.flatMap(({ place, text }) => faultsIn(text).map((fault) => `${place}: ${fault}`))).toEqual([]);
});

/** Of errors that say what a caller did wrong. What others need is under **Cure** of their code. */
const OF_CALLERS =
  /^(?:InvalidConfig|InvalidArguments|Usage|Exit|Unsupported\w+|Policy|AuditHead|Run|Ledger|Confinement)Error$/;
/** By which it says what to do. */
const CURE =
  /\b(?:must|use|give|pass|write|name|leave|needs?|set|call|choose|install|instead|make|ask|start|put|await|add|remove|see|update|correct|run|say|one of|try|close|confirm|look|end|wait|decide|compact|edit|answer|let|begin|go together|takes|has no options?)\b/i;
/** What the system said, or a hint, which is a text of its own. */
const ENDS_IN_VALUE = /`value`[).]*$/;

test('each that says what a caller did wrong says what to do', () => {
  const said = all.filter(({ error }) => error !== undefined && OF_CALLERS.test(error));
  expect(said.length).toBeGreaterThan(200);
  expect(said.filter(({ text }) => !CURE.test(text) && !ENDS_IN_VALUE.test(text))).toEqual([]);
});

test('so is each comment of the declarations', () => {
  const declared = comments();
  expect(declared.length).toBeGreaterThan(500);
  expect(declared.flatMap(({ place, text }) => faultsOfPage(text).map((fault) => `${place}, ${fault}`))).toEqual([]);
});

test('an editor shows a sentence about each option, and not only where it is described', () => {
  const declared = options();
  expect(declared.length).toBeGreaterThan(150);
  const isEmpty = (text: string) => text === '' || /^As (?:in |of |for )?(?:\{@link [^}]*\}|`\w+`)\.?$/.test(text);
  expect(declared.filter(({ text }) => isEmpty(text))).toEqual([]);
});

describe('each code of an error', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => /^errors-(?!cli)/.test(name));
  const sections = pages.flatMap((name) =>
    readFileSync(join(root, 'docs', name), 'utf8')
      .split(/^## /m)
      .slice(1)
      .map((text) => ({ code: /^`(ERR_\w+)`/.exec(text)?.[1] ?? name, text })),
  );

  test.each(sections)('$code: when it comes, and what to do', ({ text }) => {
    expect(text).toMatch(/^\*\*When\.\*\* \S/m);
    expect(text).toMatch(/^\*\*Cure\.\*\* \S/m);
  });
});

describe('what is found', () => {
  const inTs = (source: string): string[] => messagesOfTypeScript(source, 'a.ts').map(({ text }) => text);
  const inRust = (source: string): string[] => messagesOfRust(source, 'a.rs').map(({ text }) => text);

  test('in TypeScript: texts, templates, sums, and what is put into them', () => {
    expect(inTs("throw new Error('give it a name');")).toEqual(['give it a name']);
    expect(inTs('x = `give ${name} a new name`;')).toEqual(['give `value` a new name']);
    expect(inTs("x = 'give it ' + 'a name';")).toEqual(['give it a name']);
    expect(inTs("x = `it: ${isOne ? 'give it a name' : other}`;")).toEqual(['give it a name']);
    expect(inTs('import x from "a b c d"; // give it a name')).toEqual(['a b c d']);
    expect(inTs("x = 'SELECT a FROM b, the table, WHERE c';")).toEqual([]);
  });

  test('in Rust: texts and formats, over lines, without comments and tests', () => {
    expect(inRust('fail("give it a name")')).toEqual(['give it a name']);
    expect(inRust('format!("give {name:?} a \\\n    new name: {{ x }}")')).toEqual(['give `value` a new name:  x ']);
    expect(inRust('// "give it a name"\nlet quote = \'"\'; /// "give it a name"')).toEqual([]);
    expect(inRust('fn a() {}\n#[cfg(test)]\nmod tests {\n x("give it a name") }')).toEqual([]);
  });

  test('in declarations: comments, with links as names, and tags apart', () => {
    const source = 'x;\n  /**\n   * See {@link Gate.close the end}.\n   * @default none\n   */\n  y;';
    expect(commentsOf(source, 'a.d.ts')).toEqual([{ place: 'a.d.ts:2', text: 'See `Gate.close`.\n\ndefault:  none' }]);
  });

  test('in declarations: options with and without a sentence', () => {
    const source = `export interface RunOptions<T> extends X {\n  /** How long. @default 1 */\n  timeout?: number;\n  /** @default 2 */\n  a?: 1;\n  b: {\n    c: 1;\n  };\n}\n`;
    expect(optionsOf(source)).toEqual([
      { name: 'RunOptions.timeout', text: 'How long.' },
      { name: 'RunOptions.a', text: '' },
      { name: 'RunOptions.b', text: '' },
    ]);
  });

  test('a message that breaks a rule is named with its place', () => {
    const [message] = messagesOfTypeScript("\nthrow new Error('whoever asks must be named');", 'a.ts');
    expect(message?.place).toBe('a.ts:2');
    expect(faultsIn(message?.text ?? '')).toEqual([expect.stringContaining('"whoever"')]);
  });
});
