/** What people read is plain English: the rules of `prose.ts`, over all pages that keep them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../ts/cli/manual.js';
import { documents } from './blocks.js';
import { faultsOf, faultsOfPage, LONGEST } from './prose.js';

const root = join(import.meta.dirname, '../..');
/** Other documents are for those who work on the package. */
const isForUsers = (page: string): boolean => /^(?:docs|skills|examples)\/|^README\.md$/.test(page);
const faultsIn = (page: string): string[] =>
  (isForUsers(page) ? faultsOfPage : faultsOf)(readFileSync(join(root, page), 'utf8').replaceAll('\r\n', '\n'));

/**
 * Pages that are still to be rewritten; `programs.md` is generated, and its text stands in the tables. Take a page out when it has no
 * faults. Put none in: a new page keeps the rules from its first day.
 */
const LATER: readonly string[] = ['docs/performance.md', 'docs/programs.md', 'docs/performance-ledger.md'];
const clean = documents.filter((page) => !LATER.includes(page));

test.each(clean)('%s is plain English', (page) => {
  expect(faultsIn(page)).toEqual([]);
});

test.each(LATER)('%s has faults: without them it leaves the list', (page) => {
  expect(faultsIn(page)).not.toEqual([]);
});

test('the first pages that people read are among those that keep the rules', () => {
  const first = ['README.md', 'why-countersign', 'migrate', 'recipes', 'troubleshooting'];
  expect(clean).toEqual(expect.arrayContaining(first.map((page) => (page.endsWith('.md') ? page : `docs/${page}.md`))));
});

describe('the help of the commands, and the man page that is made of it', () => {
  test.each(PAGES.map((page) => [page.name, page] as const))('countersign %s is plain English', (_, page) => {
    const { about, more = '', options } = page;
    expect(faultsOf([about, more, ...options.map(({ help }) => help)].join('\n\n'))).toEqual([]);
  });
});

describe('the rules', () => {
  test.each([
    ['Whoever looks at it decides.', 'Whoever'],
    ['It has three parts, of which one is optional.', 'of which'],
    ['Where there is none, nothing runs; a default is none.', 'is none'],
    ['An option that there is not is an error.', 'that there is not'],
    ['It takes so many ms.', 'so many'],
    ['The file is no ledger.', 'is no'],
    ['This is nobody of them.', 'nobody of'],
    ['The request waits as ever.', 'as ever'],
    ['Any other model will do.', 'will do'],
    ['It is read anew.', 'anew'],
    ['The answer shall be signed.', 'shall'],
    ['The gateway wants a key.', 'wants a'],
    ['The tool decides, else the gate.', ', else'],
    ['It passes over the option.', 'passes over'],
    ['The text thereof is shown.', 'thereof'],
    ['It answers in the place of the tool.', 'in the place of'],
    ['Such a one is denied.', 'Such a one'],
    ['In order to ask, call it.', 'In order to'],
    ['It is simply denied.', 'simply'],
  ])('%s', (text, phrase) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(`"${phrase}"`)]);
  });

  test.each([
    ['The reason stands in the record.', 'stands in'],
    ['A warning tells of it.', 'tells of'],
    ['No rule speaks of it.', 'speaks of'],
    ['Somebody decided.', 'Somebody'],
    ['A function of yours is called.', 'of yours'],
    ['Each part is judged by itself.', 'by itself'],
    ['All but for secrets.', 'but for'],
    ['The request goes on waiting.', 'goes on waiting'],
    ['It is 1 unless said.', 'unless said'],
    ['What asks is rejected.', 'What asks'],
    ['An entry with the very name.', 'the very'],
    ['The call of that very step.', 'that very'],
    ['It is kept beside the record.', 'beside'],
    ['Records are kept for ever.', 'for ever'],
    ['It is the same to the letter.', 'to the letter'],
    ['For loops that are not ours.', 'are not ours'],
    ['It has what the policy says of it.', 'says of'],
    ['See what became of the request.', 'what became of'],
    ['It is denied, whatever the rule allows.', 'whatever'],
  ])('%s On a page for users', (text, phrase) => {
    expect(faultsOf(text)).toEqual([]);
    expect(faultsOfPage(text)).toEqual([expect.stringContaining(`"${phrase}"`)]);
  });

  test('a sentence that is too long', () => {
    const words = (count: number) => `${Array.from({ length: count }, () => 'word').join(' ')}.`;
    expect(faultsOf(words(LONGEST))).toEqual([]);
    expect(faultsOf(words(LONGEST + 1))).toEqual([
      expect.stringContaining(`line 1: ${LONGEST + 1} words, ${LONGEST} at most`),
    ]);
    expect(faultsOf(`${words(20)} ${words(20)}`)).toEqual([]);
  });

  test('a phrase over two lines, in a cell of a table, in a list and in a link', () => {
    expect(faultsOf('# Title\n\nThree parts, of\nwhich one is optional.')).toEqual([
      expect.stringContaining('line 3: '),
    ]);
    expect(faultsOf('| code | when |\n|---|---|\n| `X` | whoever |')).toEqual([expect.stringContaining('line 3: ')]);
    expect(faultsOf('- one\n- whoever')).toEqual([expect.stringContaining('line 2: ')]);
    expect(faultsOf('See [whoever](page.md).')).toEqual([expect.stringContaining('line 1: ')]);
  });

  test('code is not prose', () => {
    expect(faultsOf('```ts\n// whoever\n```\n\nThe event `whoever`, in `is none`.')).toEqual([]);
    expect(faultsOf('| [whoever asks](../__test__/a.test.ts)<br>[is none](../crates/a.rs) |')).toEqual([]);
  });

  test('good sentences have no faults', () => {
    const good = [
      'Anyone who has the link can use it.',
      'There is no default.',
      'The run is no longer active.',
      'Nothing else runs, or else the call is denied.',
      'Where it goes, nobody knows.',
    ];
    expect(good.flatMap((text) => faultsOfPage(text))).toEqual([]);
  });
});
