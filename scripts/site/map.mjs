/** The pages of the site, in the order of learning: that of `llms.txt`, and behind it the declarations of the package. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../run.mjs';

/** @typedef {{ source: string, file: string, title: string, about: string }} SitePage `source` in the repository, `file` in the site */
/** @typedef {{ title: string, pages: SitePage[] }} SiteSection */

/** Declarations that are a page each, with what they are about. */
const ENTRIES = ['agent', 'inbox', 'webhooks', 'react', 'acp', 'mcp'];

/** @returns {SiteSection[]} */
export function siteMap() {
  const sections = readFileSync(join(root, 'llms.txt'), 'utf8').split(/^## /m).slice(1).map(sectionOf);
  return [...sections, { title: 'API', pages: [...typesOf(), ...ENTRIES.map(entryOf)] }];
}

/** @param {string} text */
function sectionOf(text) {
  const links = [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.*)$/gm)];
  return {
    title: text.slice(0, text.indexOf('\n')).trim(),
    pages: links.map(([, title = '', source = '', about = '']) => ({ source, file: pageFile(source), title, about })),
  };
}

/** `docs/policy.md` is `policy.html`, and the README the first page. @param {string} source */
export const pageFile = (source) =>
  source === 'README.md' ? 'index.html' : posix.basename(source).replace(/\.md$/, '.html');

/** In the order of the index, which is that of learning. */
function typesOf() {
  const index = readFileSync(join(root, 'index.d.ts'), 'utf8');
  return [...index.matchAll(/^export \* from '\.\/(types\/[\w-]+)\.js';$/gm)].map(([, file = '']) =>
    declarationsPage(`${file}.d.ts`, 'countersign'),
  );
}

/** @param {string} entry */
const entryOf = (entry) => declarationsPage(`${entry}.d.ts`, `countersign/${entry}`);

/** @param {string} source @param {string} module @returns {SitePage} */
function declarationsPage(source, module) {
  const name = posix.basename(source, '.d.ts');
  const title = module === 'countersign' ? name.replaceAll('-', ' ') : module;
  return { source, file: `api-${name}.html`, title, about: `declarations of ${module}` };
}
