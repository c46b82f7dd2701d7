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
 * @param {{ source: string, fileOf: (source: string) => string | undefined, copy: (source: string) => string | undefined }} page
 *   `fileOf`: the page of a document, if it has one; `copy`: where a picture is put
 * @returns {{ html: string, headings: Heading[] }}
 */
export function toHtml(text, { source, fileOf, copy }) {
  /** @type {Heading[]} */
  const headings = [];
  /** @type {Map<string, number>} */
  const used = new Map();
  /** @param {string} href */
  const address = (href) => {
    // Also what is a page of the site already.
    if (/^[a-z]+:|^#|^api-[\w-]+\.html/.test(href)) return href;
    const [path = '', anchor] = href.split('#');
    const target = posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '');
    const there = fileOf(target) ?? copy(target) ?? atGitHub(target, 'main');
    return anchor === undefined ? there : `${there}#${anchor}`;
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
      // HTML in a document is text: nothing of ours needs it.
      html: ({ text: html }) => escaped(html),
      link({ href, tokens }) {
        return `<a href="${escaped(address(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text: alt }) => `<img src="${escaped(address(href))}" alt="${escaped(alt)}" loading="lazy">`,
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
