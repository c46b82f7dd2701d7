/** What the documents say of names, files and promises is so. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { declarationsOf } from '../support/declarations.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** A page and those that it was split into: `errors.md`, `errors-policy.md` and the like. */
const readAll = (page: string) =>
  readdirSync(join(root, 'docs'))
    .filter((name) => name === `${page}.md` || name.startsWith(`${page}-`))
    .map((name) => read(`docs/${name}`))
    .join('\n');

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  'examples/README.md',
  'skills/countersign/SKILL.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const declarations = declarationsOf('index.d.ts');
const activities = read('types/activity.d.ts');
/** Of `countersign/agent`. */
const agentDeclarations = read('agent.d.ts');
/** Of the other entries. */
const otherDeclarations = ['webhooks.d.ts', 'acp.d.ts', 'mcp.d.ts'].map(read).join('\n');
const unique = (items: Iterable<string>) => [...new Set(items)].toSorted();
const allOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, first]) => first!);

/** A heading as its address in a page. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');

describe.each(documents)('%s', (document) => {
  const source = read(document).replace(/^(`{3,})[\s\S]*?^\1[ \t]*$/gm, '');

  test('links to what there is', () => {
    const links = allOf(source, /\]\(([^)\s]+)\)/g).filter((link) => !/^[a-z]+:/.test(link));
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(root, target))) return true;
      return (
        anchor !== undefined &&
        !allOf(read(target), /^#+ (.*)$/gm)
          .map(slug)
          .includes(anchor)
      );
    });
    expect(broken).toEqual([]);
  });

  test('has one title, and no line that is too long outside of tables', () => {
    expect(source.match(/^# /gm)).toHaveLength(1);
    expect(source.split('\n').filter((line) => line.length > 132 && !/^\s*\|/.test(line))).toEqual([]);
  });
});

describe('errors', () => {
  /** Classes with several codes. */
  const several = ['PolicyError', 'LedgerError', 'RunError', 'BackendError'].map((name) => {
    const [, union = ''] = new RegExp(`export type ${name}Code =([^;]*);`).exec(declarations + agentDeclarations) ?? [];
    return { name, codes: allOf(union, /'(ERR_\w+)'/g) };
  });
  const codes = unique([
    ...allOf(declarations + otherDeclarations, /readonly code: '(ERR_\w+)'/g),
    ...several.flatMap((each) => each.codes),
    // They have no class of their own.
    ...allOf(agentDeclarations, /`(ERR_SUBAGENT)`/g),
    ...allOf(declarations, /`(ERR_ADDON|ERR_INPUT_ENDED|ERR_OUTPUT_UNSEEN)`/g),
  ]);

  test('each code that is declared has a section in one of the pages of errors, and no other has', () => {
    expect(codes).toContain('ERR_SUBAGENT');
    expect(allOf(readAll('errors'), /^## `(ERR_\w+)`/gm).toSorted()).toEqual(codes);
  });

  test('the table of docs/errors.md has them, with links, but for what the tools of the agent tell its model', () => {
    const ofTools = unique(allOf(agentDeclarations, /(ERR_\w+)/g)).filter((code) => !declarations.includes(code));
    expect(ofTools.length).toBeGreaterThan(10);
    const others = codes.filter((code) => !ofTools.includes(code));
    expect(unique(allOf(read('docs/errors.md'), /^\| \[`(ERR_\w+)`\]/gm))).toEqual(others);
  });

  test('docs/errors-cli.md has each code of the command line', () => {
    const sources = readdirSync(join(root, 'ts/cli'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const said = sources.flatMap((name) => allOf(read(join('ts/cli', name)), /'(ERR_\w*[A-Z])'/g));
    const own = unique(said).filter((code) => !codes.includes(code));
    expect(own.length).toBeGreaterThan(3);
    expect(unique(allOf(read('docs/errors-cli.md'), /^\| `(ERR_\w+)`/gm))).toEqual(own);
  });

  test('each names its class', () => {
    const classes = [
      ...(declarations + otherDeclarations).matchAll(
        /class (\w+) extends CountersignError \{\n {2}readonly code: '(ERR_\w+)'/g,
      ),
    ];
    const errors = readAll('errors');
    for (const [, name, code] of classes) expect(errors).toContain(`## \`${code}\`: ${name}\n`);
    for (const { name, codes: of } of several) {
      expect(of.length).toBeGreaterThan(2);
      for (const code of of) expect(errors).toContain(`## \`${code}\`: ${name}\n`);
    }
  });
});

test('the README has each decision that index.d.ts declares', () => {
  const [, declared = ''] = /export type DecisionOutcome =([\s\S]*?);\n\n/.exec(declarations) ?? [];
  const decisions = unique(allOf(declared, /type: '(\w+)'/g));
  expect(decisions.length).toBe(7);
  expect(unique(allOf(read('README.md'), /^\| `(approve|edit|reject|respond|skip|expired|cancelled)`/gm))).toEqual(
    decisions,
  );
});

test('docs/events.md has each event of a run', () => {
  const declared = declarations.slice(
    declarations.indexOf('export type RunResumedEvent'),
    declarations.indexOf('export type AgentEvent'),
  );
  const events = unique(allOf(declared, /type: '([a-z-]+)'/g));
  expect(events.length).toBe(18);
  expect(unique(allOf(read('docs/events.md'), /^\| `([a-z]+(?:-[a-z]+)*)` \|/gm))).toEqual(events);
});

test('docs/events.md names those that only some runs have', () => {
  const declared = activities.slice(activities.indexOf('export type QuestionAskedEvent'));
  const [, section = ''] = /\nSome runs have more:\n\n([\s\S]*?)\n\n/.exec(read('docs/events.md')) ?? [];
  expect(unique(allOf(section, /`([a-z]+(?:-[a-z]+)*)`/g))).toEqual(unique(allOf(declared, /type: '([a-z-]+)'/g)));
});

test('docs/concepts.md says which calls can get a new request', () => {
  const status = read('crates/core/src/approval/status.rs');
  const [, superseded = ''] = /fn may_be_superseded[\s\S]*?matches!\(self, (.*)\)/.exec(status) ?? [];
  const [, said = ''] = /A call whose request is (.*) can get a new request/.exec(read('docs/concepts.md')) ?? [];
  expect(allOf(said, /`(\w+)`/g)).toEqual(allOf(superseded.toLowerCase(), /self::(\w+)/g));
});

test('docs/agent-events.md has each event of subagents, questions and tools', () => {
  const declared = activities.slice(activities.indexOf('export type QuestionAskedEvent'));
  const events = unique(allOf(declared, /type: '([a-z-]+)'/g));
  expect(events.length).toBe(19);
  const [, section = ''] = /\n## Events\n([\s\S]*?)\n## /.exec(read('docs/agent-events.md')) ?? [];
  expect(unique(allOf(section, /^\| `([a-z]+(?:-[a-z]+)*)` \|/gm))).toEqual(events);
});

describe('the pages of policies', () => {
  const policy = readAll('policy');
  interface Schema {
    properties: Record<string, unknown>;
    $defs: Record<'rule' | 'reading', { properties: Record<string, unknown> }> & { mode: { enum: string[] } };
  }
  const schema = JSON.parse(read('policy.schema.json')) as Schema;
  const { rule, reading, mode } = schema.$defs;

  test.each([...Object.keys(schema.properties), ...Object.keys(rule.properties)])('has the key %s', (key) => {
    expect(policy).toMatch(new RegExp(`^\\| .*\`\\[*${key.replace('$', '\\$')}[\`.\\]]`, 'm'));
  });

  test('shows each key of a reading', () => {
    const shown = read('docs/policy-tools.md');
    expect(Object.keys(reading.properties).filter((key) => !new RegExp(`^${key} +=`, 'm').test(shown))).toEqual([]);
  });

  test('has each mode', () => {
    expect(mode.enum.filter((name) => !policy.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test('has each tool with a built-in reading', () => {
    const source = read('crates/core/src/policy/reading/builtin.rs');
    const [table = ''] = source.slice(source.indexOf('const TOOLS')).split('\n];');
    const names = allOf(table, /^ {4}(?:\(| {4})&\[([^\]]*)\]/gm).flatMap((list) => allOf(list, /"(\w+)"/g));
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !policy.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('promises', () => {
  const rows = [...read('docs/guarantees.md').matchAll(/^\| (G\d+) \|.*\| (holds|partly|not yet) \|/gm)];
  const files = readdirSync(join(root, '__test__/guarantees'));
  const fileOf = (promise: string) => files.find((file) => file.startsWith(`g${promise.slice(1).padStart(2, '0')}-`));

  test('there are sixteen', () => {
    expect(rows.map(([, promise]) => promise)).toEqual(Array.from({ length: 16 }, (_, index) => `G${index + 1}`));
  });

  test.each(rows.map(([, promise = '', state = '']) => ({ promise, state })))(
    '$promise: $state',
    ({ promise, state }) => {
      // Each promise in force has its file of tests, and no other promise has one.
      expect(fileOf(promise) !== undefined).toBe(state !== 'not yet');
    },
  );
});

describe('CONTRIBUTING.md', () => {
  test.each(['crates', 'crates/core/src', 'ts', '__test__'])('names each room of %s', (folder) => {
    const rooms = readdirSync(join(root, folder), { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? [each.name] : [],
    );
    const map = read('CONTRIBUTING.md');
    expect(rooms.filter((room) => !map.includes(`\`${folder}/${room}/\``))).toEqual([]);
  });
});

describe('what Next.js needs', () => {
  /** `next.long.test.ts` builds with it. */
  const [line] = /outputFileTracingIncludes.*\}/.exec(read('docs/hosts.md')) ?? [];

  test.each(['skills/countersign/SKILL.md', 'ts/cli/init/main.ts'])('%s has the line of docs/hosts.md', (path) => {
    expect(line).toContain('countersign-*');
    expect(read(path).replaceAll(' = ', ': ')).toContain(line);
  });

  test.each(documents)('%s never names countersign itself as what is left out of the bundle', (path) => {
    const lists = allOf(read(path), /serverExternalPackages: \[([^]*?)\]/g);
    expect(lists.filter((names) => names.includes("'countersign'"))).toEqual([]);
  });

  test('the README says where it is', () => {
    expect(read('README.md').replace(/\s+/g, ' ')).toMatch(/In Next\.js, .{0,120}hosts.md#nextjs\)/);
  });
});

describe('llms.txt', () => {
  const links = allOf(read('llms.txt'), /\]\(([^)\s]+)\)/g);

  test('has each page once, and links to what there is', () => {
    const pages = documents.filter((document) => document.startsWith('docs/'));
    expect(links.filter((link) => link.startsWith('docs/')).toSorted()).toEqual(pages.toSorted());
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});

test('the pages that messages, declarations and comments of the code name exist', () => {
  const sources = ['ts', 'types', 'src', 'crates', 'scripts', 'bench']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => !name.includes('node_modules'))
        .map((name) => `${folder}/${name}`),
    )
    .concat(readdirSync(root))
    .filter((path) => /\.(?:ts|tsx|mjs|rs|toml)$/.test(path) && !/\/tests?\//.test(path));
  const named = sources.flatMap((path) =>
    allOf(read(path), /\b(docs\/[a-z-]+\.md)\b/g).map((page) => ({ path, page })),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
});

/** Pages that are longer than two screens: this one is generated. Put none in. */
const LONG: readonly string[] = ['docs/programs.md'];

test.each(documents.filter((page) => page.startsWith('docs/') && !LONG.includes(page)))(
  '%s fits on two screens',
  (page) => {
    expect(read(page).split('\n').length).toBeLessThanOrEqual(140);
  },
);

test.each(LONG)('%s is longer: when it is not, it leaves the list', (page) => {
  expect(read(page).split('\n').length).toBeGreaterThan(140);
});

/** Made from tables of the prover, with a list and nothing before it. */
const GENERATED = 'docs/programs.md';

test.each(documents.filter((page) => page.startsWith('docs/') && page !== GENERATED))(
  '%s begins with what it is for, and soon has an example, a table or a picture',
  (page) => {
    const [, ...lines] = read(page).split('\n');
    expect(lines.find((line) => line !== '')).not.toMatch(/^(?:#|\||`{3}|[-*] )/);
    expect(lines.slice(0, 32).join('\n')).toMatch(/^(?:`{3}|\||!\[|<picture>)|\bFor example: /m);
  },
);
