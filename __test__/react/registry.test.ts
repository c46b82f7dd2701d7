/** The card for projects with shadcn/ui: what is installed, and what it shows of a call in each of its states. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createElement, type ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { rolldown } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const SOURCE = 'registry/approval-confirmation.tsx';
const ITEM = 'registry/approval-confirmation.json';
const text = (path: string): string => readFileSync(join(root, path), 'utf8');

/** As the format of shadcn has it. */
const item = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://ui.shadcn.com/schema/registry-item.json',
      name: 'approval-confirmation',
      type: 'registry:component',
      title: 'Approval of a tool call',
      description:
        'What an agent wants to run, why it is asked about, and what to beware of: to be approved, edited or rejected.',
      dependencies: ['countersign', 'ai'],
      registryDependencies: ['https://elements.ai-sdk.dev/api/registry/confirmation.json'],
      files: [
        {
          path: SOURCE,
          type: 'registry:component',
          target: 'components/countersign/approval-confirmation.tsx',
          content: text(SOURCE),
        },
      ],
    },
    null,
    2,
  )}\n`;

test('the item has the source: COUNTERSIGN_WRITE_REGISTRY=1 npx vitest run __test__/react/registry.test.ts', () => {
  if (process.env['COUNTERSIGN_WRITE_REGISTRY'] !== undefined) writeFileSync(join(root, ITEM), item());
  expect(text(ITEM)).toBe(item());
});

test('it loads what the item says, and nothing else', () => {
  const loaded = [...text(SOURCE).matchAll(/from '([^']+)'/g)].map(([, name]) => name);
  expect(loaded.toSorted()).toEqual([
    '@/components/ai-elements/confirmation',
    '@/lib/utils',
    'ai',
    'countersign/react',
  ]);
});

test('each part that it styles is a part of the card', () => {
  const card = ['approval-card.tsx', 'edit-field.tsx', 'preview.tsx']
    .map((name) => text(`ts/react/${name}`))
    .join('\n');
  const styled = new Set([...text(SOURCE).matchAll(/data-part=([a-z-]+)\]/g)].map(([, name]) => name));
  expect(styled.size).toBeGreaterThan(8);
  for (const name of styled) expect(card).toContain(`data-part="${name}"`);
  for (const name of ['data-marked', 'data-state']) expect(card).toContain(name);
});

/** What a project has: here as much of it as the states need. */
const PROJECT: Readonly<Record<string, string>> = {
  '@/lib/utils': `export const cn = (...all) => all.filter(Boolean).join(' ');`,
  '@/components/ai-elements/confirmation': `
    import { createContext, createElement, useContext } from 'react';
    const Place = createContext({});
    export const Confirmation = ({ approval, state, children }) =>
      approval === undefined ? null : createElement(Place.Provider, { value: { approval, state } }, children);
    const where = (is) => ({ children }) => (is(useContext(Place)) ? children : null);
    const isOver = ({ state }) => ['approval-responded', 'output-denied', 'output-available'].includes(state);
    export const ConfirmationRequest = where(({ state }) => state === 'approval-requested');
    export const ConfirmationAccepted = where((all) => all.approval.approved === true && isOver(all));
    export const ConfirmationRejected = where((all) => all.approval.approved === false && isOver(all));
  `,
};

let Card: ComponentType<object>;
beforeAll(async () => {
  const out = join(root, '.build', 'registry', String(process.pid));
  mkdirSync(out, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    // `use client` is for the bundler of the project.
    onLog: () => {},
    input: { card: SOURCE, example: 'registry/example-chat.tsx' },
    external: [/^react($|\/)/, '@ai-sdk/react', 'ai'],
    plugins: [
      {
        name: 'project',
        resolveId: (source) =>
          source in PROJECT
            ? `\0${source}`
            : source === 'countersign/react'
              ? join(root, 'ts/react/index.ts')
              : source === '@/components/countersign/approval-confirmation'
                ? join(root, SOURCE)
                : undefined,
        load: (id) => (id.startsWith('\0') ? PROJECT[id.slice(1)] : undefined),
      },
    ],
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
  });
  await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  ({ ApprovalConfirmation: Card } = (await import(pathToFileURL(join(out, 'card.mjs')).href)) as never);
  // The example is whole: all that it names is there.
  expect(Object.keys((await import(pathToFileURL(join(out, 'example.mjs')).href)) as object)).toEqual(['Chat']);
});

const approval = (more: object = {}) => ({
  type: 'tool-edit_file',
  toolName: 'edit_file',
  input: { file_path: 'a.txt' },
  toolCallId: 'c1',
  approvalId: 'a1',
  preview: 'edit_file\nedits the file: +1 −1\n@@ -1 +1 @@\n│ - one\n│ + two',
  state: 'requested',
  error: undefined,
  isExpired: false,
  approve: async () => {},
  reject: async () => {},
  edit: async () => {},
  details: {
    description: 'Edits a file',
    flags: [],
    dangers: [],
    harmless: true,
    why: null,
    origin: ['main'],
    changes: [],
    needs: [],
    approvedBy: [],
    contents: 'kept',
    expiresAt: null,
    ...more,
  },
});

const draw = (part: object, waits?: object, decidedBy?: string): string =>
  renderToString(createElement(Card, { part, approval: waits, decidedBy } as never));

test('a call that waits: what would run, with its buttons; yes is marked where it does no harm', () => {
  const html = draw({ state: 'approval-requested', approval: { id: 'a1' } }, approval());
  expect(html).toContain('Run edit_file?');
  expect(html).toMatch(/data-decision="approve" data-marked=""/);
  expect(html).toContain('data-part="edit"');
  expect(html).toMatch(/<ins[^>]*>[^]*two/);
  const doubtful = draw(
    { state: 'approval-requested', approval: { id: 'a1' } },
    approval({ dangers: ['it may delete something for good'], harmless: false }),
  );
  expect(doubtful).not.toContain('data-marked=');
  expect(doubtful).toContain('it may delete something for good');
});

test.each([
  [{ state: 'output-denied', approval: { id: 'a1', approved: false, reason: 'use b.txt' } }, 'Rejected: use b.txt'],
  [{ state: 'approval-responded', approval: { id: 'a1', approved: false } }, 'Rejected.'],
  [{ state: 'output-available', approval: { id: 'a1', approved: true } }, 'Approved.'],
  [{ state: 'output-available', approval: { id: 'a1', approved: true } }, 'Approved by ada.', 'ada'],
  [{ state: 'output-denied', approval: { id: 'a1', approved: false, reason: 'no' } }, 'Rejected by ada: no', 'ada'],
  [
    { state: 'approval-responded', approval: { id: 'a1', approved: true, reason: 'go \u202eon' } },
    'Approved: go \\u{202E}on',
  ],
] as [object, string, string?][])('an answered call: %j', (part, says, by) => {
  const html = draw(part, undefined, by);
  expect(html.replaceAll('&#x27;', "'")).toContain(says);
  expect(html).not.toContain('<button');
});
