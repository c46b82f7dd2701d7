/**
 * Builds the site of the documents into `.build/site`: static files that ask for nothing beyond themselves, and that can be read from
 * a disk as well.
 *
 *     node scripts/site.mjs [--out <folder>]
 *
 * A generator of our own, with `marked` alone: the documents are plain Markdown that GitHub and the package show too, and a framework
 * brings a hundred packages, a second Vite and pages that are made of scripts.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail } from './prepare.mjs';
import { Failure, root, say } from './run.mjs';
import { readDeclarations, withNarrowComments } from './site/declarations.mjs';
import { siteMap } from './site/map.mjs';
import { toHtml } from './site/markdown.mjs';
import { pageOf } from './site/page.mjs';

const read = (file) => readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n');

/** Of a section, for the search. */
const MOST_WORDS = 1_500;
/** Of these the search knows the headings alone: they are long lists. */
const LISTS = ['docs/programs.md'];

function build(out) {
  // What is there already is replaced, and may be nothing but a site.
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'search.js')))
    throw new Failure(`${out} has other files: name an empty folder`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { version } = JSON.parse(read('package.json'));
  const sections = siteMap();
  const pages = sections.flatMap((section) => section.pages);
  const files = new Map(pages.map(({ source, file }) => [source, file]));
  const fileOf = (source) => files.get(source);
  const copy = (source) => {
    if (!/\.(?:png|svg|cast)$/.test(source) || !existsSync(join(root, source))) return undefined;
    const to = source.replace(/^docs\//, '');
    mkdirSync(dirname(join(out, to)), { recursive: true });
    copyFileSync(join(root, source), join(out, to));
    return to;
  };
  const sizeOf = (source) =>
    existsSync(join(root, source)) ? sizeOfPicture(readFileSync(join(root, source))) : undefined;
  const named = namesOf(pages);
  const search = [];
  for (const page of pages) {
    const text = page.source.endsWith('.d.ts') ? apiPage(page, named) : read(page.source);
    const { html, headings } = toHtml(text, { source: page.source, fileOf, copy, sizeOf });
    writeFileSync(join(out, page.file), pageOf({ page, sections, html, headings, version }));
    search.push(...entriesOf(page, html, headings));
  }
  writeFileSync(join(out, 'search.js'), `globalThis.searchIndex = ${JSON.stringify(search)};\n`);
  copyFileSync(join(root, 'scripts/site/style.css'), join(out, 'style.css'));
  copyFileSync(join(root, 'scripts/site/client.js'), join(out, 'site.js'));
  copyFileSync(join(root, 'scripts/site/icon.svg'), join(out, 'icon.svg'));
  return pages.length;
}

/** Of a PNG, or of an SVG with a `viewBox`; `undefined`: it is something else. @param {Buffer} bytes */
function sizeOfPicture(bytes) {
  if (bytes.subarray(1, 4).toString('latin1') === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  const [, width, height] = /<svg[^>]* viewBox="0 0 (\d+) (\d+)"/.exec(bytes.toString('utf8')) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

/** Where each declared name stands. */
function namesOf(pages) {
  const named = new Map();
  for (const { source, file } of pages) {
    if (!source.endsWith('.d.ts')) continue;
    for (const { name } of readDeclarations(read(source)).declarations)
      if (!named.has(name)) named.set(name, `${file}#${name.toLowerCase()}`);
  }
  return named;
}

/** Declarations as Markdown, which is made a page like any other. */
function apiPage({ source, title, about }, named) {
  const { about: words, declarations } = readDeclarations(read(source));
  const linked = (comment) =>
    comment.replace(/\{@link ([\w.]+)(?: [^}]*)?\}/g, (_, name) => {
      const there = named.get(name.split('.')[0]);
      return there === undefined ? `\`${name}\`` : `[\`${name}\`](${there})`;
    });
  return [
    `# API: ${title}`,
    `${words === '' ? `The ${about}.` : linked(words)}`,
    ...declarations.map(
      ({ name, comment, code }) =>
        `## \`${name}\`\n\n${linked(comment)}\n\n\`\`\`\`ts\n${withNarrowComments(code)}\n\`\`\`\``,
    ),
  ].join('\n\n');
}

/** What the search knows of a page: an entry for each of its sections. */
function entriesOf(page, html, headings) {
  const parts = html.split(/(?=<h[1-3] id=")/);
  return headings
    .filter(({ level }) => level <= 3)
    .map(({ id, level, text }) => {
      const part = parts.find((each) => each.startsWith(`<h${level} id="${id}"`)) ?? '';
      const words = LISTS.includes(page.source) ? '' : textOf(part).slice(0, MOST_WORDS);
      return { page: level === 1 ? page.file : `${page.file}#${id}`, title: page.title, heading: text, text: words };
    });
}

const textOf = (html) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

const { values } = parseArgs({ options: { out: { type: 'string' } } });
try {
  const out = resolve(values.out ?? join(root, '.build', 'site'));
  say(`the site has ${build(out)} pages: ${out}`);
} catch (error) {
  fail(error);
}
