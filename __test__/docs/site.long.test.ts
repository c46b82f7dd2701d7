/** The site: all of its links lead somewhere, nothing comes from elsewhere, and each declaration and section can be found. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exec } from '../runtimes.js';
import { documents } from './blocks.js';

const root = join(import.meta.dirname, '../..');
const out = mkdtempSync(join(tmpdir(), 'countersign-site-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const pages = new Map<string, string>();
const allOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, first]) => first!);

beforeAll(async () => {
  const { code, stderr } = await exec(process.execPath, [join(root, 'scripts/site.mjs'), '--out', out]);
  expect(code, stderr).toBe(0);
  for (const file of readdirSync(out))
    if (file.endsWith('.html')) pages.set(file, readFileSync(join(out, file), 'utf8'));
});

test('each document is a page, and each page is in the sidebar of each', () => {
  const files = documents
    .filter((name) => name.startsWith('docs/'))
    .map((name) => name.slice(5).replace('.md', '.html'));
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['index.html', ...files]));
  const links = (html: string): string[] => allOf(/<nav id="pages"[^]*?<\/nav>/.exec(html)![0], /href="([^"]+)"/g);
  for (const html of pages.values()) expect(links(html).toSorted()).toEqual([...pages.keys()].toSorted());
});

test('links lead to what there is: pages, sections, pictures, files of the repository', () => {
  const broken: string[] = [];
  for (const [file, html] of pages) {
    for (const link of allOf(html, /(?:href|src|srcset)="([^"]+)"/g)) {
      const [path = '', anchor] = link.split('#');
      const inRepository = /^https:\/\/github\.com\/countersign\/countersign\/(?:blob|tree|raw)\/main\/(.*)$/.exec(
        path,
      )?.[1];
      if (inRepository !== undefined) {
        if (!existsSync(join(root, inRepository))) broken.push(`${file}: ${link}`);
      } else if (!/^[a-z]+:/.test(path)) {
        const target = path === '' ? file : path;
        if (!existsSync(join(out, target))) broken.push(`${file}: ${link}`);
        else if (anchor !== undefined && pages.get(target)?.includes(`id="${anchor}"`) !== true)
          broken.push(`${file}: ${link}`);
      }
    }
  }
  expect(broken).toEqual([]);
});

test('no markup of a document is shown as text, and pictures have their size', () => {
  for (const [file, html] of pages) {
    const shown = html.replace(/<code[^]*?<\/code>/g, '');
    expect(shown.match(/&lt;(?:br|picture|source|img)\b/g) ?? [], file).toEqual([]);
    expect(allOf(html, /(<img(?![^>]* width="\d+" height="\d+")[^>]*>)/g), file).toEqual([]);
  }
});

test('nothing is loaded from elsewhere, and no script stands in a page', () => {
  for (const html of pages.values()) {
    expect(allOf(html, /<(?:script|img|link|iframe)\b[^>]*(?:src|href)="([a-z]+:[^"]*)"/g)).toEqual([]);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+="|\sstyle="/);
    expect(html).toContain("default-src 'none'");
  }
});

test('each export of the declarations has a section of its own, whole', () => {
  const sources = [
    ...readdirSync(join(root, 'types')).map((name) => [`types/${name}`, name] as const),
    ...['agent', 'inbox', 'webhooks', 'react', 'acp', 'mcp'].map((name) => [`${name}.d.ts`, `${name}.d.ts`] as const),
  ];
  for (const [source, name] of sources) {
    const names = new Set(
      allOf(
        readFileSync(join(root, source), 'utf8'),
        /^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)/gm,
      ),
    );
    const html = pages.get(`api-${name.replace('.d.ts', '.html')}`)!;
    expect(new Set(allOf(html, /<h2 id="[^"]+"><code>(\w+)<\/code>/g)), source).toEqual(names);
    for (const code of allOf(html, /<pre[^>]*><code[^>]*>([^]*?)<\/code><\/pre>/g)) {
      expect(
        code.match(/^(?:export )?(?:declare )?(?:interface|type|class|function|const) \w/gm)?.length ?? 0,
        code,
      ).toBeLessThanOrEqual(1);
      const bare = code.replace(/\/\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, '');
      expect(bare.split('{').length, code).toBe(bare.split('}').length);
    }
  }
});

test('the search knows each section of each page', () => {
  const index = readFileSync(join(out, 'search.js'), 'utf8');
  const entries = JSON.parse(index.slice(index.indexOf('['), index.lastIndexOf(']') + 1)) as {
    page: string;
    heading: string;
    text: string;
  }[];
  const known = new Set(entries.map(({ page }) => page));
  for (const [file, html] of pages)
    for (const id of allOf(html, /<h2 id="([^"]+)"/g)) expect(known).toContain(`${file}#${id}`);
  expect(entries.find(({ heading }) => heading === 'Quickstart')?.text).toContain('terminalApprover');
});
