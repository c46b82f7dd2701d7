/** Markdown as HTML, with addresses for its headings and links that lead where they lead in the repository. */
import { posix } from 'node:path';
import { Marked } from 'marked';
import { atGitHub } from '../links.mjs';

/** @typedef {{ level: number, text: string, id: string }} Heading */

/** A heading as its address, as GitHub makes it. @param {string} text */
export const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');

/** @param {string} text */
export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What is shown of a kind of block: the first word; the others are for tests. @param {string | undefined} kind */
const language = (kind) => kind?.split(' ')[0] || 'text';

/** A block of code that can be scrolled with the keyboard. @param {string} code @param {string} [kind] */
export const codeBlock = (code, kind) =>
  `<pre tabindex="0"><code class="language-${language(kind)}">${escaped(code.replace(/\n$/, ''))}</code></pre>\n`;

/**
 * @param {string} text
 * @param {{
 *   source: string,
 *   fileOf: (source: string) => string | undefined,
 *   copy: (source: string) => string | undefined,
 *   sizeOf: (source: string) => { width: number, height: number } | undefined,
 * }} page `fileOf`: the page of a document, if it has one; `copy`: where a picture is put; `sizeOf`: how large it is
 * @returns {{ html: string, headings: Heading[] }}
 */
export function toHtml(text, { source, fileOf, copy, sizeOf }) {
  /** @type {Heading[]} */
  const headings = [];
  /** @type {Map<string, number>} */
  const used = new Map();
  /** In the repository. @param {string} path */
  const targetOf = (path) => posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '');
  /** @param {string} href */
  const address = (href) => {
    // Also what is a page of the site already.
    if (/^[a-z]+:|^#|^api-[\w-]+\.html/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = targetOf(path);
    const there = fileOf(target) ?? copy(target) ?? atGitHub(target, 'main');
    return anchor === undefined ? there : `${there}#${anchor}`;
  };
  /** With its size, so that the text below does not jump when it is loaded. @param {string} href @param {string} alt */
  const picture = (href, alt) => {
    const size = sizeOf(targetOf(href));
    const room = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`;
    return `<img src="${escaped(address(href))}" alt="${escaped(alt)}"${room} loading="lazy">`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: raw }) {
        const base = slug(raw.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
        const count = used.get(base) ?? 0;
        used.set(base, count + 1);
        const id = count === 0 ? base : `${base}-${count}`;
        headings.push({ level: depth, text: raw.replaceAll(/[`*]/g, ''), id });
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}">${inner}${depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to: ${escaped(raw.replaceAll(/[`*]/g, ''))}">#</a>`}</h${depth}>\n`;
      },
      code: ({ text: code, lang }) => codeBlock(code, lang),
      // HTML in a document is text, but for a new line in a table, and a picture that is another one in the dark.
      html({ text: html }) {
        if (/^<br ?\/?>$/.test(html)) return '<br>';
        const [, dark, alt, light] =
          /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img alt="([^"]+)" src="([^"]+)">\s*<\/picture>\s*$/.exec(
            html,
          ) ?? [];
        if (dark === undefined || alt === undefined || light === undefined) return escaped(html);
        const source = `<source media="(prefers-color-scheme: dark)" srcset="${escaped(address(dark))}">`;
        return `<p><picture>${source}${picture(light, alt)}</picture></p>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escaped(address(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text: alt }) => picture(href, alt),
      table(token) {
        const cell = (/** @type {import('marked').Tokens.TableCell} */ each, /** @type {string} */ tag) =>
          `<${tag}>${this.parser.parseInline(each.tokens)}</${tag}>`;
        const head = token.header.map((each) => cell(each, each.text === '' ? 'td' : 'th')).join('');
        const rows = token.rows.map((row) => `<tr>${row.map((each) => cell(each, 'td')).join('')}</tr>\n`);
        // It scrolls by itself, so that the page does not.
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('')}</tbody></table></div>\n`;
      },
    },
  });
  const html = /** @type {string} */ (marked.parse(text, { async: false }));
  return { html, headings };
}
