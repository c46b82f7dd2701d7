/**
 * Links of the documents, outside of the repository: what is not beside a document there is read at GitHub. For the package and for
 * the site.
 */
import { posix } from 'node:path';

export const REPOSITORY = 'https://github.com/countersign/countersign';

/** Where a file of the repository, or a folder, is shown. Pictures are given as they are. */
export function atGitHub(path, ref) {
  const kind = /\.(?:png|svg|cast)$/.test(path) ? 'raw' : /\.\w+$|LICENSE$/.test(path) ? 'blob' : 'tree';
  return `${REPOSITORY}/${kind}/${ref}/${path.replace(/\/$/, '')}`;
}

/**
 * The text of a Markdown document with each relative link to what is not there as one to GitHub. Code is left as it is.
 *
 * @param {string} file the document, by its path in the repository
 * @param {string} text
 * @param {{ isThere: (path: string) => boolean, ref: string }} where
 */
export function withLinks(file, text, { isThere, ref }) {
  // Fenced blocks stay: what looks like a link in them is code.
  return text.replace(/^(`{3,})[^]*?^\1[ \t]*$|\]\(([^)\s]+)\)/gm, (all, fence, link) => {
    if (fence !== undefined || /^[a-z]+:|^#/.test(link)) return all;
    const [path, anchor] = link.split('#');
    const target = posix.normalize(posix.join(posix.dirname(file), path));
    if (isThere(target.replace(/\/$/, ''))) return all;
    return `](${atGitHub(target, ref)}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}
