/** What stands around the content of each page. */
import { escaped } from './markdown.mjs';

/** @import { SitePage, SiteSection } from './map.mjs' */
/** @import { Heading } from './markdown.mjs' */

/** Everything comes from the site itself. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * @param {{ page: SitePage, sections: SiteSection[], html: string, headings: Heading[], version: string }} of
 */
export function pageOf({ page, sections, html, headings, version }) {
  const all = sections.flatMap(({ pages }) => pages);
  const at = all.indexOf(page);
  const [before, next] = [all[at - 1], all[at + 1]];
  const title = page.file === 'index.html' ? 'countersign' : `${headings[0]?.text ?? page.title} · countersign`;
  const inner = headings.filter(({ level }) => level === 2);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="description" content="${escaped(page.about)}">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="style.css">
<script src="site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="index.html">countersign</a> <span class="version">${escaped(version)}</span>
<div class="search">
<label for="search">Search</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Pages found" hidden></ul>
</div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">Pages</button>
</header>
<div class="frame">
<nav id="pages" aria-label="Pages">
${sections.map((section) => sectionHtml(section, page)).join('\n')}
</nav>
<main id="content">
${html}
<nav class="steps" aria-label="Before and next">
${before === undefined ? '<span></span>' : `<a rel="prev" href="${before.file}">← ${escaped(before.title)}</a>`}
${next === undefined ? '<span></span>' : `<a rel="next" href="${next.file}">${escaped(next.title)} →</a>`}
</nav>
</main>
${inner.length < 3 ? '' : `<nav class="inner" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${inner.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('\n')}\n</ul>\n</nav>`}
</div>
</body>
</html>
`;
}

/** @param {SiteSection} section @param {SitePage} current */
function sectionHtml({ title, pages }, current) {
  const links = pages.map((page) => {
    const mark = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${page.file}"${mark}>${escaped(page.title)}</a></li>`;
  });
  return `<h2>${escaped(title)}</h2>\n<ul>\n${links.join('\n')}\n</ul>`;
}
